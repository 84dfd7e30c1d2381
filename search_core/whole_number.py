"""Whole numbers of a foreign text.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

_MOST_DIGITS = 30
_HUGE = 10**_MOST_DIGITS


def whole_number(text: str) -> int:
    """The whole number that a text of ASCII digits is, with or without a sign. Raises ValueError if it is none.

    However long the text, this is quick and does not fail: one of more than 30 digits counts as 10**30, which no caller
    has room for.
    """
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError("no whole number")
    digits = digits.lstrip("0")
    number = int(digits or "0") if len(digits) <= _MOST_DIGITS else _HUGE
    return -number if text[0] == "-" else number
