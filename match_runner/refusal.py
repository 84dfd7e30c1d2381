"""Why `sanqi match` does not begin."""

from __future__ import annotations


class Refused(Exception):
    """Wrong input; the message says what, for the user."""
