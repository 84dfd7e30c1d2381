"""Positions of Xiangqi for `sanqi analyse`: game_core/analysis.py says what it needs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from game_core.analysis import Ended
from game_core.json_fields import FieldError
from game_core.session_analysis import MovesSubject, PlainTurn
from search_core.failures import SetUpError, named
from ucci_engine.extra_pieces import open_position, remark_on
from ucci_engine.fen import FenError
from ucci_engine.notation import NOTATIONS as WRITTEN
from ucci_engine.notation import NotationError, name_move, read_move
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position_command import read_argument
from ucci_engine.rule_sets import COMPUTER, QUIET_LIMIT, RULE_SETS, add_rule_arguments, rules_of
from ucci_engine.session import XiangqiSession, verdict_of
from ucci_engine.win_probability import chances

if TYPE_CHECKING:
    import argparse

    from game_core.json_fields import JsonFields
    from game_core.win_probability import Chances
    from ucci_engine.game_record import GameRecord
    from ucci_engine.position import Position

NOTATIONS = ("chinese", *(name for name in WRITTEN if name != "chinese"))


class XiangqiTurn(PlainTurn):
    """A position, after the moves that led to it."""

    game: Position

    def __init__(self, position: Position, context: Hashable) -> None:
        self.game = position
        self.context = context
        verdict = verdict_of(position)
        self.ended = None if verdict is None else Ended.by_verdict(verdict, position.side)

    @property
    def to_move(self) -> str:
        return XiangqiSession.sides[self.game.side]

    def read_move(self, text: str) -> int:
        return read_move(self.game, text)

    def move_text(self, move: int) -> str:
        return move_text(move)

    def names(self, line: Sequence[int], notation: str) -> list[str]:
        position, names = self.game.copy(), []
        for move in line:
            names.append(name_move(position, move, notation))
            position.push(move)
        return names

    def chances(self, score: int) -> Chances:
        return chances(score, self.game)


class XiangqiSubject(MovesSubject):
    """A game from a position, under a rule on repetitions and a limit of quiet plies. It may have been played on after
    these had ended it."""

    def __init__(
        self, start: str, moves: Sequence[str], rule: str, quiet_limit: int | None, remarks: tuple[str, ...] = ()
    ) -> None:
        """`remarks`: of its record's reader."""
        super().__init__(moves)
        self.start = start
        self.remarks = (*filter(None, (remark_on(open_position(start)),)), *remarks)
        self.rule = rule
        self.quiet_limit = quiet_limit
        self._numbers = tuple(map(parse_move, moves))

    def at(self, turn: int) -> XiangqiTurn:
        position = open_position(self.start)
        position.set_rules(self.rule, self.quiet_limit)
        for move in self._numbers[:turn]:
            position.push(move)
        return XiangqiTurn(position, (self.rule, self.quiet_limit))


def read_position(fields: JsonFields) -> XiangqiSubject:
    """The game of ``{fen?, moves?, rule?}``. Raises FieldError."""
    start = fields.text("fen", START_FEN)
    rule = fields.choice("rule", RULE_SETS, COMPUTER)
    try:
        position = open_position(start)
    except FenError as error:
        raise fields.fault("fen", str(error)) from None
    moves = []
    for number, text in enumerate(fields.texts("moves"), 1):
        try:
            move = read_move(position, text)
        except NotationError as error:
            raise fields.fault("moves", f"move {number}: {error}") from None
        position.push(move)
        moves.append(move_text(move))
    return XiangqiSubject(start, moves, rule, QUIET_LIMIT)


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Declare the options that only Xiangqi has."""
    group.add_argument(
        "--fen",
        metavar="F",
        help="a position of Xiangqi as hosts write it: F, 'fen F moves ...' or 'startpos ...'",
    )
    add_rule_arguments(group)


def subject_of_arguments(args: argparse.Namespace) -> XiangqiSubject | None:
    """The position of `--fen`. Raises FieldError."""
    if args.fen is None:
        return None
    with named("--fen", SetUpError, FieldError):
        given = read_argument(args.fen)
    return XiangqiSubject(given.start, [move_text(move) for move in given.moves], *rules_of(args))


def subject_of_record(record: GameRecord, args: argparse.Namespace) -> XiangqiSubject:
    """The game itself, without its variations."""
    return XiangqiSubject(record.fen, [move_text(move) for move in record.moves], *rules_of(args), record.remarks)
