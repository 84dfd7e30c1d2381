"""Read whole numbers from foreign text.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

_MAX_DIGITS = 30
_HUGE = 10**_MAX_DIGITS


def whole_number(text: str) -> int:
    """The value of a text of ASCII digits, with or without a sign. Raises ValueError for any other text.

    It is quick and does not fail for a text of any length: more than 30 digits count as 10**30, which is out of range
    for every caller.
    """
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError("no whole number")
    digits = digits.lstrip("0")
    number = int(digits or "0") if len(digits) <= _MAX_DIGITS else _HUGE
    return -number if text[0] == "-" else number
