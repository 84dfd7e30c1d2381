"""The words of what samples are."""

from __future__ import annotations

from collections import Counter
from typing import Any


def shares(values: Any) -> str:
    """How many of the values each one is, in percent."""
    counts = Counter(values.tolist())
    return ", ".join(f"{value}: {number / len(values):.1%}" for value, number in sorted(counts.items()))
