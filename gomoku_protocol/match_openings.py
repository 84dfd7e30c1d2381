"""Gomoku in `sanqi openings`: random stones near the middle of the board."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable

from gomoku_protocol import match_options as gomoku_options
from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.points import move_at
from gomoku_protocol.position import Position
from match_runner.opening_maker import MAX_PLIES, MIN_PLIES, Candidate, QuickSearch

_REACH = 3  # how far from the middle stones are put, if the board is large enough


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The board and the rule, as in a match."""
    gomoku_options.add_arguments(parser.add_argument_group("what they are for"))


def source(args: argparse.Namespace) -> GomokuOpenings:
    """Where the openings come from."""
    return GomokuOpenings(*gomoku_options.board_of(args))


def options(args: argparse.Namespace) -> list[str]:
    """The options that make the same openings, but for the seed."""
    width, height, rule = gomoku_options.board_of(args)
    return ["--rule", RULE_NAMES[rule], "--size", f"{width}x{height}"]


def how(args: argparse.Namespace) -> str:
    """How candidates are drawn, for the header of the file."""
    width, height, rule = gomoku_options.board_of(args)
    return f"Random stones near the middle: {RULE_NAMES[rule]}, {width}x{height}."


class GomokuOpenings:
    """An OpeningSource of one rule on a board of `width` times `height`."""

    def __init__(self, width: int, height: int, rule: int) -> None:
        self._width = width
        self._height = height
        self._rule = rule

    def draw(self, chance: random.Random, search: QuickSearch) -> Candidate | None:
        columns, rows = _offsets(self._width), _offsets(self._height)
        stones = chance.sample([(x, y) for x in columns for y in rows], chance.randint(MIN_PLIES, MAX_PLIES))
        position = Position(self._width, self._height, self._rule)
        for x, y in stones:
            move = move_at(self._width // 2 + x, self._height // 2 + y)
            if not position.is_legal(move):
                return None
            position.push(move)
            if position.winner is not None:
                return None
        return Candidate(position, " ".join(f"{x},{y}" for x, y in stones), _likeness(stones))


def _offsets(size: int) -> range:
    """Of stones from the middle, in one direction, on a board of `size`."""
    reach = min(_REACH, (size - 1) // 2)
    return range(-reach, reach + 1)


def _likeness(stones: list[tuple[int, int]]) -> str:
    """The same for stones that are moved, mirrored or turned as a whole, and put in another order."""
    images = []
    for across in (1, -1):
        for down in (1, -1):
            image = [(across * x, down * y) for x, y in stones]
            images += [image, [(y, x) for x, y in image]]
    return min(_text(image) for image in images)


def _text(stones: list[tuple[int, int]]) -> str:
    left, top = min(x for x, _ in stones), min(y for _, y in stones)
    moved = [(x - left, y - top) for x, y in stones]
    return f"{_sorted(moved[::2])};{_sorted(moved[1::2])}"


def _sorted(points: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{x},{y}" for x, y in sorted(points))
