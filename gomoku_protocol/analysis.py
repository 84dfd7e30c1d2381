"""Positions of Gomoku for `sanqi analyse`: game_core/analysis.py says what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from game_core.json_fields import described, whole
from game_core.session import IllegalMove
from game_core.session_analysis import SessionSubject, SessionTurn, read_moves
from gomoku_protocol.game_record import BLACK, RULE_NAMES, WHITE, GameRecord
from gomoku_protocol.points import COLUMNS, FREESTYLE, MAX_SIZE, MIN_SIZE, move_at, parse_point, point_of
from gomoku_protocol.session import COLOURS, GomokuSession
from gomoku_protocol.win_probability import chances

if TYPE_CHECKING:
    import argparse

    from game_core.json_fields import JsonFields
    from game_core.win_probability import Chances
    from gomoku_protocol.position import Position

NOTATIONS = ("letters", "gomocup")
_SIDES = COLOURS
_DEFAULT_SIZE = 15


class SetUp(NamedTuple):
    """The points that are occupied before the first move, and who moves first."""

    black: tuple[str, ...] = ()
    white: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    first: int = BLACK

    @property
    def points(self) -> tuple[list[int], list[int], list[int]]:
        """The occupied points as moves of the search."""
        black, white, blocked = ([move_at(*parse_point(point)) for point in points] for points in self[:3])
        return black, white, blocked


class GomokuTurn(SessionTurn):
    """A position, from the session of its game."""

    game: Position

    def read_move(self, text: str) -> int:
        return move_at(*parse_point(self._session.read_move(text)))

    def names(self, line: Sequence[int], notation: str) -> list[str]:
        if notation == "gomocup":
            return super().names(line, notation)
        points = [point_of(move) for move in line]
        return [f"{COLUMNS[x]}{self.game.height - y}" for x, y in points]

    def chances(self, score: int) -> Chances:
        return chances(score, self.game)


class GomokuSubject(SessionSubject):
    """A game on a board, under a rule, from a set-up. Raises ValueError for a set-up with a point off the board, or
    named twice."""

    def __init__(self, width: int, height: int, rule: int, set_up: SetUp, moves: Sequence[str]) -> None:
        board = (width, height, rule)
        super().__init__(partial(GomokuSession.of_points, board, *set_up.points, set_up.first), moves)
        self.width = width
        self.height = height
        self.rule = rule
        self.set_up = set_up
        self.remarks: tuple[str, ...] = ()
        """Of its record's reader."""

    def at(self, turn: int) -> GomokuTurn:
        return GomokuTurn(self.session(turn), (self.width, self.height, self.rule, self.set_up.blocked))


def read_position(fields: JsonFields) -> GomokuSubject:
    """The game of ``{size, rule, moves}`` or ``{size, rule, black, white, blocked, toMove}``. Raises FieldError."""
    width, height = _read_size(fields)
    rule = _read_rule(fields)
    placed = {name: _read_points(fields, name, width, height) for name in ("black", "white", "blocked")}
    usual = _SIDES[WHITE if len(placed["black"]) > len(placed["white"]) else BLACK]
    first = _SIDES.index(fields.choice("toMove", _SIDES, usual))
    if fields.has("toMove") and not any(map(fields.has, placed)):
        raise fields.fault("toMove", "goes with black, white or blocked; moves begin with Black")
    named: set[str] = set()
    for name, points in placed.items():
        for point in points:
            if point in named:
                raise fields.fault(name, f"{point} is named twice")
            named.add(point)
    set_up = SetUp(placed["black"], placed["white"], placed["blocked"], first)
    try:
        session = GomokuSubject(width, height, rule, set_up, ()).session(0)
    except ValueError as error:
        raise fields.fault("black" if placed["black"] else "white", str(error)) from None
    return GomokuSubject(width, height, rule, set_up, read_moves(fields, session))


def _read_size(fields: JsonFields) -> tuple[int, int]:
    """Width and height: a number, ``15x12`` or ``[15, 12]``."""
    value = fields.value("size")
    if value is None:
        return _DEFAULT_SIZE, _DEFAULT_SIZE
    sizes = value if isinstance(value, list) else [value, value]
    if isinstance(value, str):
        words = value.lower().split("x")
        short = all(word.isascii() and word.isdecimal() and len(word) < 4 for word in words)
        sizes = [int(word) for word in (*words, words[0])[:2]] if short and len(words) < 3 else []
    numbers = [size for size in map(whole, sizes) if size is not None and MIN_SIZE <= size <= MAX_SIZE]
    if len(sizes) != 2 or len(numbers) != 2:
        expected = f"a number from {MIN_SIZE} to {MAX_SIZE}, or two of them as in [15, 12]"
        raise fields.fault("size", f"expected {expected}, got {described(value)}")
    return numbers[0], numbers[1]


def _read_rule(fields: JsonFields) -> int:
    """One of RULES, by its name or its number in the Gomocup protocol."""
    value = fields.value("rule")
    if value is None:
        return FREESTYLE
    for rule, name in RULE_NAMES.items():
        if (isinstance(value, str) and value.lower() == name) or whole(value) == rule:
            return rule
    raise fields.fault("rule", f"expected one of {', '.join(RULE_NAMES.values())}, got {described(value)}")


def _read_points(fields: JsonFields, name: str, width: int, height: int) -> tuple[str, ...]:
    """Points as the Gomocup protocol writes them; they may be given by letters, too."""
    points = []
    board = GomokuSession(width, height)
    for text in fields.texts(name):
        try:
            point = board.read_move(text)
        except IllegalMove as error:
            raise fields.fault(name, str(error)) from None
        points.append(point)
    return tuple(points)


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Declare the options that only Gomoku has."""
    group.add_argument(
        "--rule",
        choices=tuple(RULE_NAMES.values()),
        help="Gomoku's rule (default: the record's, or freestyle if it does not say); with --from sgf, reads an SGF of"
        " another game as Gomoku",
    )
    group.add_argument(
        "--size",
        choices=tuple(map(str, range(MIN_SIZE, MAX_SIZE + 1))),
        metavar="N",
        help="size of the board of a position string (.pos; default: 15 if the stones fit)",
    )


def subject_of_arguments(args: argparse.Namespace) -> None:
    """There is no option for a position."""


def subject_of_record(record: GameRecord, args: argparse.Namespace) -> GomokuSubject:
    """The game. Raises RecordError if a player moved out of turn, IllegalMove for a move that the rule forbids."""
    subject, fault = playable_part(record, args)
    if fault is not None:
        raise fault
    subject.remarks = record.remarks
    return subject


def playable_part(record: GameRecord, args: argparse.Namespace) -> tuple[GomokuSubject, IllegalMove | None]:
    """The game up to the first move that the rule forbids, and what is wrong with that move. Raises RecordError if a
    player moved out of turn."""
    record.require_turns()
    rule = FREESTYLE if record.rule is None else record.rule
    if args.rule is not None:
        rule = next(number for number, name in RULE_NAMES.items() if name == args.rule)
    black, white = (
        tuple(f"{stone.x},{stone.y}" for stone in record.setup if stone.side == side) for side in (BLACK, WHITE)
    )
    moves = [f"{stone.x},{stone.y}" for stone in record.moves]
    board = (record.width, record.height, rule, SetUp(black, white, (), record.first))
    session = GomokuSubject(*board, ()).session(0)
    for number, move in enumerate(moves):
        try:
            session.play(move)
        except IllegalMove as error:
            hint = "" if args.rule or record.rule is not None else "; the rule may be another one, see --rule"
            return GomokuSubject(*board, moves[:number]), IllegalMove(f"move {number + 1}: {error}{hint}")
    return GomokuSubject(*board, moves), None
