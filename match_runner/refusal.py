"""The error that keeps `sanqi match` from starting."""

from __future__ import annotations


class Refused(Exception):
    """Wrong input; the message is for the user."""
