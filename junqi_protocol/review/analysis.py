"""Positions of Junqi for `sanqi analyse`, as a seat knows them: game_core/analysis.py says what it needs."""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from game_core.analysis import Ended
from game_core.json_fields import FieldError
from game_core.review import Revealed
from game_core.session import IllegalMove, UnknownMove
from game_core.session_analysis import MovesSubject
from junqi_protocol.knowledge.belief import WORLDS, Belief
from junqi_protocol.knowledge.knowledge import BOTH_DIED, KILLED
from junqi_protocol.knowledge.player_view import view_of
from junqi_protocol.players.likely_line import likely_line
from junqi_protocol.players.searching import believed
from junqi_protocol.players.win_probability import chances
from junqi_protocol.records.display import ENGLISH, NAMES
from junqi_protocol.records.records import RecordError, Replay
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import HOME_POINTS, move_text, parse_move
from junqi_protocol.rules.lineup import PIECES, UNKNOWN
from junqi_protocol.rules.messages import SEES, Moved, Skipped
from search_core.failures import becoming
from search_core.line_protocol import excerpt
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    import argparse

    from game_core.json_fields import JsonFields
    from game_core.win_probability import Chances
    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.players.belief_position import BeliefPosition
    from junqi_protocol.rules.geometry import Variant
    from junqi_protocol.rules.messages import Happening

NOTATIONS = ("chinese", "english", "squares")
_PIECE_NAMES = {"chinese": NAMES, "english": ENGLISH}
_SEES = SEES[:2]
_KEPT = 32
"""Positions that are kept for threads that are a little behind."""


class JunqiTurn:
    """What a seat knows after a ply. It can be searched only on the seat's own turn."""

    def __init__(self, arbiter: Arbiter, view: PlayerView) -> None:
        """`view`: what the seat knows at this point of the arbiter's game. Nobody changes it."""
        (seat,) = view.seats
        self.context = (*arbiter.lineups, arbiter.terms.first, seat, tuple(view.lineups))
        self.to_move = arbiter.turn
        self.ended = _ended(arbiter)
        self.view = view
        self._variant = arbiter.variant
        self._is_on_turn = self.ended is None and arbiter.turn == seat

    def copy(self) -> JunqiTurn:
        """The same turn for another thread."""
        twin = copy.copy(self)
        twin.__dict__.pop("game", None)
        return twin

    @cached_property
    def game(self) -> BeliefPosition | None:
        return believed(self.view) if self._is_on_turn else None

    def legal_moves(self) -> list[int]:
        return self.view.position.legal_moves()

    def read_move(self, text: str) -> int:
        with becoming(ValueError, UnknownMove):
            move = parse_move(self._variant, text)
        if not self.view.position.is_legal(move):
            raise IllegalMove(self.view.position.complaint(move))
        return move

    def move_text(self, move: int) -> str:
        return move_text(self._variant, move)

    def line(self, pv: Sequence[int]) -> Sequence[int]:
        """Along the likeliest outcomes."""
        return [] if self.game is None else [ending.move for ending in likely_line(self.game, pv)]

    def names(self, line: Sequence[int], notation: str) -> list[str]:
        """With the piece that moves, if the seat knows it."""
        if notation == "squares" or self.game is None:
            return [self.move_text(move) for move in line]
        pieces = {
            point: PIECES[types.bit_length() - 1]
            for army in self.view.knowledge.living
            for point, types in army.items()
            if not types & (types - 1)
        }
        names = []
        for ending in likely_line(self.game, line):
            piece = pieces.pop(ending.move >> 8, "")
            squares = self.move_text(ending.move)
            names.append(f"{_PIECE_NAMES[notation][piece]} {squares}" if piece else squares)
            if ending.result != KILLED:
                pieces.pop(ending.move & 255, None)
            if piece and ending.result not in (KILLED, BOTH_DIED):
                pieces[ending.move & 255] = piece
        return names

    def chances(self, score: int) -> Chances:
        return chances(score, self.view.position)

    def details(self) -> dict[str, Any]:
        """The probabilities that follow from what the seat knows, and how many worlds were drawn to estimate them."""
        return self._details

    @cached_property
    def _details(self) -> dict[str, Any]:
        view = self.view
        belief = Belief(view.knowledge, view.behaviour.weights(view.knowledge), seed=view.position.key)
        rows = [
            {
                "point": self._variant.squares[point],
                "seat": seat,
                "types": {PIECES[kind]: round(chance, 4) for kind, chance in enumerate(row[:UNKNOWN]) if chance > 0},
            }
            for seat in range(self._variant.seats)
            if seat not in view.lineups
            for point, row in belief.probabilities(seat).items()
        ]
        return {"worlds": WORLDS if belief.linked else 0, "belief": rows}


def _ended(arbiter: Arbiter) -> Ended | None:
    outcome = arbiter.outcome
    if outcome is None:
        return None
    result, reason = outcome.rsplit(" ", 1)
    points = 0.5 if result == "draw" else float(arbiter.position.winner == arbiter.turn % 2)
    return Ended(result, reason, points)


class _Walk:
    """A game that goes on ply by ply, and what all its seats know."""

    def __init__(self, arbiter: Arbiter, see: str) -> None:
        self.arbiter = Arbiter(arbiter.terms, arbiter.lineups)
        self.views = [view_of(self.arbiter, seat, see) for seat in range(arbiter.variant.seats)]
        self.known = [self._known(view) for view in self.views]

    @property
    def plies(self) -> int:
        return len(self.arbiter.happenings)

    def turn(self, seat: int | None) -> JunqiTurn:
        view = self.views[self.arbiter.turn if seat is None else seat].copy()
        return JunqiTurn(self.arbiter, view)

    def go_on(self, happening: Happening) -> list[Revealed]:
        """Play a ply. Returns which pieces' types the seats know from now on."""
        self.arbiter.repeat(happening)
        revealed: list[Revealed] = []
        for seat, view in enumerate(self.views):
            view.follow(happening)
            known, squares = self._known(view), view.position.variant.squares
            revealed += [
                Revealed(str(seat), squares[point], str(home // HOME_POINTS), PIECES[kind])
                for home, (point, kind) in known.items()
                if home not in self.known[seat]
            ]
            self.known[seat] = known
        return revealed

    @staticmethod
    def _known(view: PlayerView) -> dict[int, tuple[int, int]]:
        """The hidden seats' living pieces of known types, by the point that they began on: point and type."""
        return {
            view.knowledge.homes[point]: (point, types.bit_length() - 1)
            for seat, army in enumerate(view.knowledge.living)
            if seat not in view.lineups
            for point, types in army.items()
            if not types & (types - 1)
        }


class JunqiSubject(MovesSubject):
    """A recorded game as a seat knows it, or each position as the seat on turn does (None). Positions are best asked
    for in their order."""

    def __init__(self, arbiter: Arbiter, seat: int | None, see: str) -> None:
        super().__init__(played_text(arbiter.variant, one) for one in arbiter.happenings)
        self._arbiter = arbiter
        self._happenings = arbiter.happenings
        self._variant = arbiter.variant
        self._seat = seat
        self._see = see
        self._lock = threading.Lock()
        self._walk: _Walk | None = None
        self._turns: dict[int, JunqiTurn] = {}
        self._revealed: dict[int, list[Revealed]] = {}

    def at(self, turn: int) -> JunqiTurn:
        if turn == 0:  # nothing is kept for it, since this is asked of each game long before its review
            return _Walk(self._arbiter, self._see).turn(self._seat)
        return self._turn(turn).copy()

    def _turn(self, ply: int) -> JunqiTurn:
        """The game before a ply; also what each ply up to it has revealed."""
        with self._lock:
            if ply in self._turns:
                return self._turns[ply]
            if self._walk is None or self._walk.plies > ply:
                self._walk = _Walk(self._arbiter, self._see)
                self._turns.clear()
            walk = self._walk
            while (number := walk.plies) < ply:
                if number not in self._turns and number > ply - _KEPT:
                    self._turns[number] = walk.turn(self._seat)
                self._revealed[number] = walk.go_on(self._happenings[number])
            self._turns[ply] = walk.turn(self._seat)
            self._turns = {number: turn for number, turn in self._turns.items() if number > ply - _KEPT}
            return self._turns[ply]

    def forget(self) -> None:
        """Free what was kept of the positions. They can be asked for again."""
        with self._lock:
            self._walk = None
            self._turns.clear()


def played_text(variant: Variant, happening: Happening) -> str:
    """The move, or why there was none."""
    if isinstance(happening, Moved):
        return move_text(variant, happening.move)
    return happening.kind if isinstance(happening, Skipped) else happening.reason


def read_position(fields: JsonFields) -> JunqiSubject:
    """The game of ``{record, seat?, see?}``. Raises FieldError."""
    text = fields.text("record")
    record = text.encode("utf-8", "replace")
    if not record.endswith(b"\n"):
        record += b"\n"
    try:
        arbiter = Replay(record).arbiter
    except RecordError as error:
        raise fields.fault("record", str(error)) from None
    seat = fields.number("seat", 0, arbiter.variant.seats - 1) if fields.has("seat") else None
    return JunqiSubject(arbiter, seat, fields.choice("see", _SEES, _SEES[0]))


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Declare the options that only Junqi has."""
    group.add_argument(
        "--seat",
        type=number_argument(0, 3),
        metavar="SEAT",
        help="whose knowledge of a game of Junqi counts (default: at each ply that of the seat on turn)",
    )
    add_see(group)


def add_see(group: argparse._ArgumentGroup) -> None:
    """Declare the option that says what a seat is shown."""
    group.add_argument(
        "--see",
        choices=_SEES,
        default=_SEES[0],
        help="whose pieces the seat is shown: its own (default) or its team's",
    )


def subject_of_arguments(args: argparse.Namespace) -> None:
    """There is no option for a position."""


def subject_of_record(arbiter: Arbiter, args: argparse.Namespace) -> JunqiSubject:
    """The game. Raises FieldError for a seat that the board does not have."""
    if args.seat is not None and args.seat >= arbiter.variant.seats:
        raise FieldError(f"--seat {excerpt(str(args.seat))}: the board has {arbiter.variant.seats} seats")
    return JunqiSubject(arbiter, args.seat, args.see)
