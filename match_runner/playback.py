"""A game as the report's viewer plays it: the board of the game once, and each game as a short text.

The viewer (data/viewer.js) knows no game. A *point* of the board is two digits in base 62, a *kind* of piece one. A
start is a text of point and kind for each piece. A game is its plies parted by blanks, a ply of one or more changes:

    m FROM TO     a piece moves, and takes what stands there
    k FROM TO     a piece attacks and is lost, the other stays
    b FROM TO     both are lost
    p POINT KIND  a piece is put on the board
    r POINT       a piece is taken off the board
    s SIDE        a side does not move, or leaves the game (a digit)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gomoku_protocol.points import point_of
from junqi_protocol.display import place
from junqi_protocol.geometry import HOME_POINTS, Variant
from junqi_protocol.messages import Left, Moved
from junqi_protocol.position import RESULTS
from junqi_protocol.records import Replay
from match_runner.game import PlayedGame
from ucci_engine.points import START_FEN, square_text

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

Pieces = Mapping[int, int]
"""The kind of piece on each point."""


@dataclass(frozen=True, slots=True)
class Board:
    """What is drawn. Lengths are in steps from one point to the next, from the top left corner.

    Attributes
    ----------
    points : sequence of (x, y, name, shape)
        The shape is '' or 'camp', 'house'.
    lines : sequence of (x1, y1, x2, y2, thickness)
    texts : sequence of (x, y, text)
    kinds : sequence of (text, side, look)
        The kinds of pieces: what is written on one, '' for a stone; whose it is; classes of the page's style.
    legend : str
        How the sides are told apart.
    sides : sequence of str
        Who moves.
    start : str
        The pieces at the beginning of a game that does not say otherwise.
    """

    width: float
    height: float
    points: Sequence[tuple[float, float, str, str]]
    lines: Sequence[tuple[float, float, float, float, int]]
    texts: Sequence[tuple[float, float, str]]
    kinds: Sequence[tuple[str, int, str]]
    sides: Sequence[str]
    legend: str
    start: str = ""

    def values(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Playback:
    """One game: its `plies`, and the `start` if it is not the board's."""

    plies: str
    start: str = ""


def _point(number: int) -> str:
    if number < 0:
        raise ValueError(f"{number} is no point")
    return _DIGITS[number // 62] + _DIGITS[number % 62]


def _start(pieces: Iterable[tuple[int, int]]) -> str:
    return "".join(_point(point) + _DIGITS[kind] for point, kind in pieces)


# Xiangqi: points are squares.

_FEN_LETTERS = "KABNRCPkabnrcp"
_SETS = ("帥仕相傌俥炮兵", "將士象馬車砲卒")


def xiangqi_board() -> Board:
    """Red below."""
    points = [(square % 9, 9 - square // 9, square_text(square), "") for square in range(90)]
    lines = [(0, y, 8, y, 1) for y in range(10)]
    lines += [(0, 0, 0, 9, 1), (8, 0, 8, 9, 1)]
    lines += [(x, y, x, y + 4, 1) for x in range(1, 8) for y in (0, 5)]
    lines += [(3, y, 5, y + 2, 1) for y in (0, 7)] + [(5, y, 3, y + 2, 1) for y in (0, 7)]
    texts: list[tuple[float, float, str]] = [(x, 9.9, "abcdefghi"[x]) for x in range(9)]
    texts += [(-0.9, 9 - y, str(y)) for y in range(10)]
    texts += [(1.5, 4.5, "楚河"), (6.5, 4.5, "漢界")]
    kinds = [(text, side, look) for side, look in enumerate(("light red", "dark")) for text in _SETS[side]]
    legend = "Red has the light pieces, Black the dark ones."
    return Board(8, 9, points, lines, texts, kinds, ("red", "black"), legend, _fen_pieces(START_FEN))


def _fen_pieces(fen: str) -> str:
    pieces = []
    for row, text in enumerate(fen.split()[0].split("/")):
        file = 0
        for letter in text:
            if letter.isdecimal():
                file += int(letter)
            else:
                pieces.append(((9 - row) * 9 + file, _FEN_LETTERS.index(letter)))
                file += 1
    return _start(pieces)


def xiangqi_playback(record: PlayedGame) -> Playback:
    """Raises ValueError or IndexError if its moves are none."""
    plies = " ".join(f"m{_point(move & 127)}{_point(move >> 7)}" for move in record.moves)
    return Playback(plies, _fen_pieces(record.opening.start) if record.opening.start else "")


# Gomoku: points are numbered row by row.


def gomoku_board(width: int, height: int) -> Board:
    points = [(x, y, f"{x},{y}", "") for y in range(height) for x in range(width)]
    lines = [(0, y, width - 1, y, 1) for y in range(height)] + [(x, 0, x, height - 1, 1) for x in range(width)]
    texts: list[tuple[float, float, str]] = [(x, height - 0.1, str(x)) for x in range(width)]
    texts += [(-0.9, y, str(y)) for y in range(height)]
    kinds = (("", 0, "dark"), ("", 1, "light"))
    return Board(width - 1, height - 1, points, lines, texts, kinds, ("black", "white"), "")


def gomoku_playback(record: PlayedGame, width: int) -> Playback:
    """Raises ValueError or IndexError if its moves are none."""
    plies = []
    for number, move in enumerate(record.moves):
        x, y = point_of(move)
        plies.append(f"p{_point(y * width + x)}{number % 2}")
    return Playback(" ".join(plies))


# Junqi: points are those of geometry.py.

_RANKS = "987654321BMF"
_CHARACTER = dict(zip(_RANKS, "司军师旅团营连排工炸雷旗"))
"""One for each rank: two would be too small to read on a telephone."""
_LOOKS = ("dark square seat0", "light square seat1", "dark seat2", "light seat3")
_LEGENDS = {
    "duel": "Seat 0 (even, below) has the dark pieces, seat 1 (odd) the light ones.",
    "siguo": "Seats 0 (below) and 2 are even and dark, 1 (right) and 3 odd and light; 2 and 3 have round pieces.",
}


def junqi_board(variant: Variant) -> Board:
    """Seat 0 below. Railways are thick."""
    places = [place(variant, point) for point in range(variant.size)]
    shapes = [
        "camp" if point in variant.camps else "house" if point in variant.headquarters else ""
        for point in range(variant.size)
    ]
    points = [(x, y, variant.squares[point], shapes[point]) for point, (x, y) in enumerate(places)]
    lines = [
        (*places[point], *places[other], thickness)
        for thickness, joined in ((1, variant.roads), (3, variant.rails))
        for point in range(variant.size)
        for other in joined[point]
        if point < other
    ]
    columns, rows = (max(numbers) for numbers in zip(*places))
    texts: list[tuple[float, float, str]] = [(x, rows + 0.9, chr(ord("a") + x)) for x in range(columns + 1)]
    texts += [(-0.9, y, str(rows + 1 - y)) for y in range(rows + 1)]
    kinds = [(_CHARACTER[rank], seat, _LOOKS[seat]) for seat in range(variant.seats) for rank in _RANKS]
    sides = [f"seat {seat}" for seat in range(variant.seats)]
    return Board(columns, rows, points, lines, texts, kinds, sides, _LEGENDS[variant.name])


def junqi_playback(record: PlayedGame) -> Playback:
    """Raises ValueError if its notation is no record of a game."""
    arbiter = Replay(record.notation.encode("ascii")).arbiter
    pieces = {
        HOME_POINTS * seat + index: seat * len(_RANKS) + _RANKS.index(rank)
        for seat, lineup in enumerate(arbiter.lineups)
        for index, rank in enumerate(lineup)
        if rank != "."
    }
    start = _start(pieces.items())
    plies = []
    for happening in arbiter.happenings:
        if isinstance(happening, Moved):
            origin, target = happening.move >> 8, happening.move & 255
            result = RESULTS[happening.result]
            kind = {"KILLED": "k", "BOMB": "b"}.get(result, "m")
            ply = f"{kind}{_point(origin)}{_point(target)}"
            moved = pieces.pop(origin)
            if result == "BOMB":
                pieces.pop(target)
            elif result != "KILLED":
                pieces[target] = moved
            out = [seat for seat, _ in happening.outs]
        else:
            ply = f"s{happening.seat}"
            out = [happening.seat] if isinstance(happening, Left) or happening.out else []
        gone = [point for point, kind_of in pieces.items() if kind_of // len(_RANKS) in out]
        for point in gone:
            del pieces[point]
        plies.append(ply + "".join(f"r{_point(point)}" for point in gone))
    return Playback(" ".join(plies), start)
