"""Recorded games of Junqi on the board of a page: as they were, and as each seat saw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from board_pages.drawing import DIGITS, point_digits, start_text
from board_pages.playback import Drawing
from junqi_protocol.referee.match_game import LOOKS, RANKS, junqi_board
from junqi_protocol.rules.geometry import VARIANTS, parse_move
from junqi_protocol.rules.lineup import parse, placed

_UNKNOWN = "?"
_CHANGES = {
    **dict.fromkeys(("", "MOVE", "EAT", "takes"), "m"),
    **dict.fromkeys(("KILLED", "dies"), "k"),
    **dict.fromkeys(("BOMB", "both die"), "b"),
}
"""The change of the board by how a move ends."""
_NO_MOVE = frozenset(("pass", "time", "resign", "illegal", "exit"))


def draw(start: Mapping[str, Any], notation: str) -> Drawing:
    """Raises KeyError, ValueError, IndexError or TypeError."""
    variant = VARIANTS[start["variant"]]
    board = junqi_board(variant)
    unknown = len(board.kinds)
    letters = [*RANKS] * variant.seats + [""] * variant.seats
    kinds = [*board.kinds, *((_UNKNOWN, seat, LOOKS[seat]) for seat in range(variant.seats))]
    board = replace(board, kinds=kinds, letters=letters)
    lineups = [parse(str(text)) for text in start["lineups"]]
    if len(lineups) != variant.seats:
        raise ValueError(f"{len(lineups)} lineups for {variant.seats} seats")

    def seat_of(side: str) -> int:
        seat = int(side)
        if not 0 <= seat < variant.seats:
            raise ValueError(f"there is no seat {side}")
        return seat

    def kind_of(seat: int, letter: str, shown: bool) -> int:
        return seat * len(RANKS) + RANKS.index(letter) if shown else unknown + seat

    def pieces(viewers: tuple[int, ...]) -> str:
        shown = ((point, kind_of(seat, letter, seat in viewers)) for point, seat, letter in placed(enumerate(lineups)))
        return start_text(shown)

    def ply_code(move: str, side: str, outcome: str) -> str:
        words = outcome.split()
        what = "" if words[:1] == ["out"] else "both die" if outcome == "both die" else "".join(words[:1])
        if what in _NO_MOVE:
            code = f"s{seat_of(side)}"
        else:
            number = parse_move(variant, move)
            code = f"{_CHANGES[what]}{point_digits(number >> 8)}{point_digits(number & 255)}"
        gone = [words[at + 1] for at, word in enumerate(words) if word == "out"]
        return code + "".join(f"o{seat_of(seat)}" for seat in gone)

    def reveal_code(point: str, side: str, kind: str) -> str:
        return f"t{point_digits(variant.numbers[point])}{DIGITS[kind_of(seat_of(side), kind, True)]}"

    everyone = tuple(range(variant.seats))
    views = {str(seat): pieces(variant.team(seat) if start.get("see") == "team" else (seat,)) for seat in everyone}
    return Drawing(board, ply_code, pieces(everyone), views, reveal_code, pieces(()))
