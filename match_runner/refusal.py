"""The error that keeps `sanqi match` from starting."""

from __future__ import annotations


class Refused(ValueError):
    """Wrong input; the message is for the user."""
