"""The options that were given on a command line, or on one that a file has kept: without the defaults."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

Declare = Callable[[argparse.ArgumentParser], None]
"""Declares the options of a command."""


class GivenOptions(argparse.ArgumentParser):
    """Reads words of a command line.

    Attributes
    ----------
    names : tuple of str
        All options, as argparse names them.
    """

    def __init__(self, declare: Declare) -> None:
        super().__init__(add_help=False)
        declare(self)
        self.names = tuple(vars(self.parse_args([])))

    @property
    def actions(self) -> list[argparse.Action]:
        """The options, each with its choices, default and help."""
        return list(self._actions)

    def given(self, words: Sequence[str]) -> dict[str, Any]:
        """The options that the words give, with their values. Raises ValueError for a word that is none."""
        values = vars(self.parse_args(words, argparse.Namespace(**dict.fromkeys(self.names))))
        return {name: value for name, value in values.items() if value is not None}

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)
