"""Games of Junqi for `sanqi review`: game_core/review.py says what it needs.

Each move is judged by what its seat knew. So the positions are those of JunqiTurn, and no search sees the truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from game_core.review import END_GAME, MIDDLE_GAME, OPENING, MarkedMove, Outcome, PlyNote, ReviewedGame, RuleNote
from game_core.review import Hindsight as PlyHindsight
from junqi_protocol.knowledge.knowledge import MOVE
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.likely_line import likely_line
from junqi_protocol.records.display import ENGLISH, NAMES, happening_text
from junqi_protocol.review.analysis import JunqiSubject, JunqiTurn, add_see
from junqi_protocol.review.hindsight import Hindsight, chance_of
from junqi_protocol.review.why import Reason, reasons, sentences, taken_in_line
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import parse_move
from junqi_protocol.rules.lineup import PIECES
from junqi_protocol.rules.lineup import text as lineup_text
from junqi_protocol.rules.messages import Left, Moved

if TYPE_CHECKING:
    import argparse

    from game_core.analysis import Turn
    from junqi_protocol.rules.geometry import Variant
    from junqi_protocol.rules.messages import Happening
    from junqi_protocol.rules.position import Position

_OPENING_TURNS = 10
"""Of each seat."""
_END_GAME_PART = 2
"""The end game begins when a team has at most 1 / this number of its pieces."""
END_WORDS = ("", "takes", "dies", "both die")
"""How a move ends for its piece, as position.RESULTS."""


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
        why=game.why,
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
    first, *parts = happening_text(variant, happening).split("; ")
    if not isinstance(happening, Moved):
        parts.insert(0, f"Seat {happening.seat} {first}")
    if not parts:
        return None
    kind = "seat out" if happening.outs else "flag shown" if isinstance(happening, Moved) else "turn skipped"
    text = "; ".join(parts)
    return RuleNote(kind, None, f"{text[0].upper()}{text[1:]}.")


class RecordedGame(JunqiSubject):
    """A game as each of its seats knew it: the Subject of a review, and its HiddenGame."""

    def __init__(self, arbiter: Arbiter, see: str) -> None:
        super().__init__(arbiter, None, see)
        self._hindsight = Hindsight(arbiter)

    def side(self, ply: int) -> str:
        return str(self._happenings[ply].seat)

    def name(self, ply: int, notation: str) -> str:
        happening = self._happenings[ply]
        squares = self.moves[ply]
        names = {"chinese": NAMES, "english": ENGLISH}.get(notation)
        if names is None or not isinstance(happening, Moved):
            return squares
        return f"{names[self._hindsight.mover(happening.ply)]} {squares}"

    def outcomes(self, turn: Turn, line: Sequence[int]) -> list[str]:
        assert isinstance(turn, JunqiTurn) and turn.game is not None
        # A last attack that is probably not made is of no use to a reader.
        return [END_WORDS[one.result] for one in likely_line(turn.game, line) if not one.declined]

    def hindsight(self, ply: int, best: str | None, notation: str) -> PlyHindsight:
        happening, view = self._happenings[ply], self._turn(ply).view
        if ply not in self._revealed:
            self._turn(ply + 1)
        is_move = isinstance(happening, Moved)
        best_move = None if best is None else parse_move(self._variant, best)
        played = happening.move if isinstance(happening, Moved) else None
        pieces = self._hindsight.rows(view, played, best_move, notation) if is_move else []
        return self._outcome(happening, view), self._revealed[ply], pieces

    def _outcome(self, happening: Happening, view: PlayerView) -> Outcome:
        words = happening.text(self._variant).split()[4:]
        if isinstance(happening, Left):
            words = [happening.reason, "out", str(happening.seat)]
        chance = None
        if isinstance(happening, Moved) and happening.result != MOVE:
            chance = chance_of(view, happening)
        text = END_WORDS[happening.result] if isinstance(happening, Moved) else ""
        return Outcome(" ".join(words), text, None if chance is None else round(chance, 4))

    def why(self, marked: MarkedMove) -> str:
        """Why a move is bad, by what its seat knew."""
        return sentences(self.reasons(marked), ENGLISH)

    def reasons(self, marked: MarkedMove) -> list[Reason]:
        """The same as data."""
        if not isinstance(self._happenings[marked.turn], Moved):
            return []
        turn = self._turn(marked.turn)
        position = turn.view.position
        own, better = (_mover(position, move) for move in (marked.move, *(marked.better[:1] or [marked.move])))
        return reasons(marked, own, better, self._taken(turn, marked))

    def _taken(self, turn: JunqiTurn, marked: MarkedMove) -> list[Reason]:
        """What the enemy takes in the line after a move."""
        if turn.game is None:
            return []
        texts = takewhile(lambda move: move != "pass", (marked.move, *marked.reply))
        line = likely_line(turn.game, [parse_move(self._variant, move) for move in texts])
        made = [ending for ending in line if not ending.declined]
        return list(taken_in_line(turn.view.position, turn.view.knowledge.enemies, made))


def _mover(position: Position, move: str) -> str:
    """The letter of the piece that a move moves; '': the move is a pass."""
    piece = None if move == "pass" else position.piece_at(parse_move(position.variant, move) >> 8)
    return "" if piece is None else PIECES[piece[1]]
