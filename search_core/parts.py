"""Finds what a text names: parts are imported when they are needed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def load_part(name: str) -> Any:
    """The module ``package.module``, or what ``package.module:name`` names. Raises ImportError or AttributeError."""
    path, _, member = name.partition(":")
    module = __import__(path, fromlist=("",))  # importlib takes a millisecond to import
    return getattr(module, member) if member else module
