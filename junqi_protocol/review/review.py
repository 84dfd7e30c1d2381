"""Games of Junqi for `sanqi review`: game_core/review.py says what it needs.

Each move is judged by what its seat knew. So the positions are those of JunqiTurn, and no search sees the truth.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from game_core.review import (
    END_GAME,
    MIDDLE_GAME,
    OPENING,
    Outcome,
    PlyNote,
    Revealed,
    ReviewedGame,
    RuleNote,
)
from game_core.review import Hindsight as PlyHindsight
from junqi_protocol.knowledge.knowledge import MOVE
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.likely_line import likely_line
from junqi_protocol.records.display import ENGLISH, NAMES, happening_text
from junqi_protocol.review.analysis import JunqiTurn, add_see, played_text
from junqi_protocol.review.hindsight import Hindsight, chance_of
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import HOME_POINTS, parse_move
from junqi_protocol.rules.lineup import PIECES
from junqi_protocol.rules.lineup import text as lineup_text
from junqi_protocol.rules.messages import Left, Moved

if TYPE_CHECKING:
    import argparse

    from game_core.analysis import Turn
    from junqi_protocol.rules.geometry import Variant
    from junqi_protocol.rules.messages import Happening

_OPENING_TURNS = 10
"""Of each seat."""
_END_GAME_PART = 2
"""The end game begins when a team has at most 1 / this number of its pieces."""
END_WORDS = ("", "takes", "dies", "both die")
"""How a move ends for its piece, as position.RESULTS."""
_KEPT = 32
"""Positions that are kept for threads that are a little behind."""


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Declare the options that only Junqi has."""
    add_see(group)


def open_game(arbiter: Arbiter, args: argparse.Namespace) -> ReviewedGame:
    """The game."""
    seats = arbiter.variant.seats
    players = tuple(str((arbiter.terms.first + turn) % seats) for turn in range(seats))
    result, reason = (arbiter.outcome or "* ").rsplit(" ", 1)
    words = arbiter.terms.text().split()
    game = RecordedGame(arbiter, args.see)
    return ReviewedGame(
        subject=game,
        headers={key.capitalize(): value for key, value in zip(words[::2], words[1::2])},
        start={
            "variant": arbiter.variant.name,
            "first": arbiter.terms.first,
            "see": args.see,
            "lineups": [lineup_text(lineup) for lineup in arbiter.lineups],
        },
        players=players,
        names=("",) * seats,
        result=result,
        opening="",
        notes=list(_notes(arbiter)),
        hidden=game,
        reason=reason,
    )


def _notes(arbiter: Arbiter) -> Iterator[PlyNote]:
    again = Arbiter(arbiter.terms, arbiter.lineups)
    seats = arbiter.variant.seats
    whole = len(again.position.pieces(0)) * seats // 2
    for number, happening in enumerate(arbiter.happenings):
        position = again.position
        left = min(sum(len(position.pieces(seat)) for seat in range(team, seats, 2)) for team in range(2))
        phase = (
            END_GAME if left * _END_GAME_PART <= whole else OPENING if number < _OPENING_TURNS * seats else MIDDLE_GAME
        )
        is_move = isinstance(happening, Moved)
        is_forced = is_move and len(position.legal_moves()) == 1
        rule = _rule(arbiter.variant, happening)
        yield PlyNote(phase, is_forced=is_forced, spent_ms=happening.spent.time, rule=rule, is_move=is_move)
        again.repeat(happening)


def _rule(variant: Variant, happening: Happening) -> RuleNote | None:
    """What else a ply led to: a flag that was shown, a seat that is out, a turn that was skipped."""
    _, *parts = happening_text(variant, happening).split("; ")
    if not isinstance(happening, Moved):
        parts.insert(0, f"Seat {happening.seat} {happening_text(variant, happening).split('; ')[0]}")
    if not parts:
        return None
    if isinstance(happening, Moved):
        kind = "seat out" if happening.outs else "flag shown"
    else:
        kind = "seat out" if isinstance(happening, Left) or happening.out else "turn skipped"
    text = "; ".join(parts)
    return RuleNote(kind, None, f"{text[0].upper()}{text[1:]}.")


class _Moment(NamedTuple):
    """The game before a ply. Nobody changes the view."""

    turn: JunqiTurn
    view: PlayerView


class _Walk:
    """A game that goes on ply by ply, and what all its seats know."""

    def __init__(self, arbiter: Arbiter, see: str) -> None:
        self.arbiter = Arbiter(arbiter.terms, arbiter.lineups)
        self.see = see
        self.views = [self._view(seat) for seat in range(arbiter.variant.seats)]
        self.known = [self._known(view) for view in self.views]

    def _view(self, seat: int) -> PlayerView:
        terms = self.arbiter.terms
        shown = {one: self.arbiter.lineups[one] for one in self.arbiter.sees((seat,), self.see)}
        view = PlayerView(terms.variant.name, (seat,), shown, first=terms.first)
        view.quiet_limit, view.quiet_loses = terms.quiet, terms.quiet_loses
        return view

    @property
    def plies(self) -> int:
        return len(self.arbiter.happenings)

    def moment(self) -> _Moment:
        view = self.views[self.arbiter.turn].copy()
        return _Moment(JunqiTurn(self.arbiter, view), view)

    def go_on(self, happening: Happening) -> list[Revealed]:
        """Play a ply. Returns which pieces' types the seats know from now on."""
        self.arbiter.repeat(happening)
        revealed: list[Revealed] = []
        for seat, view in enumerate(self.views):
            view.follow(happening)
            known = self._known(view)
            for home, (point, kind) in known.items():
                if home not in self.known[seat]:
                    square = view.position.variant.squares[point]
                    owner = str(home // HOME_POINTS)
                    revealed.append(Revealed(str(seat), square, owner, PIECES[kind]))
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


class RecordedGame:
    """A game as each of its seats knew it: the Subject of a review, and its HiddenGame. Positions are best asked for
    in their order."""

    def __init__(self, arbiter: Arbiter, see: str) -> None:
        self._arbiter = arbiter
        self._see = see
        self._happenings = arbiter.happenings
        self._variant = arbiter.variant
        self._lock = threading.Lock()
        self._walk: _Walk | None = None
        self._moments: dict[int, _Moment] = {}
        self._revealed: dict[int, list[Revealed]] = {}
        self._hindsight = Hindsight(arbiter)

    # As a Subject.

    @property
    def last_turn(self) -> int:
        return len(self._happenings)

    def at(self, turn: int) -> JunqiTurn:
        if turn == 0:  # nothing is kept for it, since this is asked of each game long before its review
            return _Walk(self._arbiter, self._see).moment().turn
        return self._moment(turn).turn.copy()

    def played(self, turn: int) -> str | None:
        return played_text(self._variant, self._happenings[turn]) if turn < self.last_turn else None

    def _moment(self, ply: int) -> _Moment:
        with self._lock:
            if ply not in self._moments:
                self._walk_to(ply)
            return self._moments[ply]

    def _walk_to(self, ply: int) -> None:
        if self._walk is None or self._walk.plies > ply:
            self._walk = _Walk(self._arbiter, self._see)
            self._moments.clear()
        walk = self._walk
        while walk.plies < ply:
            number = walk.plies
            if number not in self._moments and number > ply - _KEPT:
                self._moments[number] = walk.moment()
            self._revealed[number] = walk.go_on(self._happenings[number])
        self._moments[ply] = walk.moment()
        for old in [number for number in self._moments if number <= ply - _KEPT]:
            del self._moments[old]

    # As a HiddenGame.

    def side(self, ply: int) -> str:
        return str(self._happenings[ply].seat)

    def name(self, ply: int, notation: str) -> str:
        happening = self._happenings[ply]
        squares = played_text(self._variant, happening)
        names = {"chinese": NAMES, "english": ENGLISH}.get(notation)
        if names is None or not isinstance(happening, Moved):
            return squares
        return f"{names[self._hindsight.mover(happening.ply)]} {squares}"

    def outcomes(self, turn: Turn, line: Sequence[int]) -> list[str]:
        assert isinstance(turn, JunqiTurn) and turn.game is not None
        # A last attack that is probably not made is of no use to a reader.
        return [END_WORDS[one.result] for one in likely_line(turn.game, line) if not one.declined]

    def hindsight(self, ply: int, best: str | None, notation: str) -> PlyHindsight:
        happening, view = self._happenings[ply], self._moment(ply).view
        if ply not in self._revealed:
            self._moment(ply + 1)
        is_move = isinstance(happening, Moved)
        best_move = None if best is None else parse_move(self._variant, best)
        played = happening.move if isinstance(happening, Moved) else None
        pieces = self._hindsight.rows(view, played, best_move, notation) if is_move else []
        return PlyHindsight(self._outcome(happening, view), self._revealed[ply], pieces)

    def _outcome(self, happening: Happening, view: PlayerView) -> Outcome:
        words = happening.text(self._variant).split()[4:]
        if isinstance(happening, Left):
            words = [happening.reason, "out", str(happening.seat)]
        chance = None
        if isinstance(happening, Moved) and happening.result != MOVE:
            chance = chance_of(view, happening)
        text = END_WORDS[happening.result] if isinstance(happening, Moved) else ""
        return Outcome(" ".join(words), text, None if chance is None else round(chance, 4))

    def forget(self) -> None:
        with self._lock:
            self._walk = None
            self._moments.clear()
