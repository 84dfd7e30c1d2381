"""Whole numbers on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from search_core.line_protocol import excerpt
from search_core.whole_number import whole_number


def number_argument(least: int, most: int) -> Callable[[str], int]:
    """A converter for argparse that takes whole numbers from `least` to `most`."""

    def convert(text: str) -> int:
        try:
            number = whole_number(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"expected a number from {least} to {most}, got {excerpt(text)}")
        return number

    return convert


def add_number(
    group: argparse._ActionsContainer,
    name: str,
    least: int,
    most: int,
    metavar: str,
    help: str,
    default: int | None = None,
) -> argparse.Action:
    """Declare an option that takes a whole number from `least` to `most`."""
    return group.add_argument(name, type=number_argument(least, most), default=default, metavar=metavar, help=help)
