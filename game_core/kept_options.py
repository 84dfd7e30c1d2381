"""The options that a game of `sanqi play` is played with: kept in its file, and taken over when it is resumed."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import NamedTuple

from game_core.given_options import Declare, GivenOptions
from search_core.line_protocol import printable

_NOT_KEPT = ("fen", "given_words", "lineup", "opening", "resume", "size", "variant")
"""What a file has without options, or what belongs to the command alone."""


class TakenOver(NamedTuple):
    """What the file of a resumed game says about its options."""

    fault: str
    """Why they cannot be used; '': they can."""
    found: bool
    """Whether the file has options."""
    replaced: dict[str, str]
    """The options that the command line gives another value, with the file's."""


def take_over(args: argparse.Namespace, saved: str | None, declare: Declare) -> TakenOver:
    """Set the options that a saved game was played with, but for those that the command line gives."""
    if saved is None:
        return TakenOver("", False, {})
    parser = GivenOptions(declare)
    try:
        found = {name: value for name, value in parser.given(saved.split()).items() if name not in _NOT_KEPT}
    except ValueError as error:
        return TakenOver(str(error), False, {})
    given = parser.given(args.given_words)
    for name, value in found.items():
        if name not in given:
            setattr(args, name, value)
    replaced = {name: str(value) for name, value in found.items() if name in given and given[name] != value}
    return TakenOver("", True, replaced)


def kept_options(args: argparse.Namespace, declare: Declare) -> dict[str, str]:
    """The options of a game with their values as words, but for those that its file has anyway."""
    values = {name: getattr(args, name) for name in GivenOptions(declare).names if name not in _NOT_KEPT}
    return {name: str(value) for name, value in values.items() if value is not None}


def words_of(options: Mapping[str, str]) -> list[str]:
    """The options as words of a command line."""
    return [word for name, text in options.items() for word in (f"--{name.replace('_', '-')}", text)]


def listed(options: Mapping[str, str], *, values: bool = True) -> str:
    """The options for people: ``side black, level 3``, or without their values: ``side, level``."""
    return ", ".join(name.replace("_", " ") + (f" {text}" if values else "") for name, text in options.items())


def remarks_on(file: str, count: str, taken: TakenOver, options: Mapping[str, str]) -> list[str]:
    """What to say when a game is resumed: what it is played with, and from where that comes."""
    name = printable(file)
    if taken.fault:
        begin = f"{name}: its options cannot be used ({printable(taken.fault)})"
    elif not taken.found:
        begin = f"{name} does not say how it was played"
    else:
        replaced = "; ".join(
            f"--{option.replace('_', '-')} {options[option]} replaces {text} of the file"
            for option, text in taken.replaced.items()
        )
        return [f"going on with {name} after {count}: {listed(options)}{replaced and f' ({replaced})'}"]
    return [f"{begin}; going on after {count} with {listed(options)}"]
