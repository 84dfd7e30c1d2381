"""The review of one game: it hands out searches, takes what they find, and writes the report of the game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from game_core.review import MarkedMove
from game_review.json_parts import read_part
from game_review.review_document import Ended, GameReport, HiddenNote, Ply, ReviewSettings, Value, figures_of
from game_review.review_figures import TOLERANCE, is_turning_point
from game_review.review_search import Searcher

if TYPE_CHECKING:
    from game_core.review import ReviewedGame
    from search_core.thinker import Limits

V = TypeVar("V")
S = TypeVar("S")

ONCE, TWICE = 0, 1
"""Of a game, the first searches come before the second ones."""
_BRIEF = 4
"""The part of the time for a position in which a book move or a forced one was played: only the score is wanted."""
_DIGITS = 4


class Record(NamedTuple):
    """A game and where it is from."""

    game: str
    """The game's name, as in `sanqi play NAME`."""
    source: str
    """The file."""
    number: int
    """Of the game in the file, from 1."""
    reviewed: ReviewedGame
    notations: Sequence[str]
    """Of the game; the first is the one that the reader wants."""

    @property
    def moves(self) -> list[str]:
        """The moves of the game."""
        subject = self.reviewed.subject
        return [subject.played(turn) or "" for turn in range(subject.last_turn)]


Needed = tuple[int, int, Callable[[Searcher], Any], int]
"""Searches: ONCE or TWICE, a number of their own, what makes them, and how many positions are searched."""


class GameReview(ABC, Generic[V, S]):
    """A review of either kind: V is what a first search finds, S what the second searches of a move find.

    Parameters
    ----------
    index : int
        Of the game in the review; the keys of the searches begin with it.
    record : Record
    settings : ReviewSettings
    found : optional
        The `searches` that an interrupted review of the same game has left. Raises ValueError if they are of another.
    """

    found_kind: ClassVar[Any]
    """The type of `searches`, of values and second searches."""

    def __init__(self, index: int, record: Record, settings: ReviewSettings, found: Any = None) -> None:
        self.index = index
        self.record = record
        self._settings = settings
        self._game = record.reviewed
        self._moves = record.moves
        self._notation = record.notations[0]
        self._under_way: set[tuple[Any, ...]] = set()
        """The keys of the searches that were handed out and have no result."""
        kept = read_part(self.found_kind, found or {})
        self._values: dict[int, V] = {**kept.values}
        self._seconds: dict[int, S] = {**kept.seconds}
        """Of the plies that were looked at again. A ply is numbered by the turn before it, from 0."""
        self._check()

    @abstractmethod
    def _check(self) -> None:
        """Raises ValueError if what was found is not of this game."""

    # Searches

    @abstractmethod
    def _needed(self) -> Iterator[Needed]:
        """The searches whose results are still needed, by all that is known, in whatever order it came."""

    @property
    def is_done(self) -> bool:
        return not self._under_way

    def wanted(self) -> list[Searcher]:
        """The searches that are needed and were not handed out."""
        wanted = []
        for when, number, make, steps in self._needed():
            key = (self.index, when, number)
            if key not in self._under_way:
                self._under_way.add(key)
                wanted.append(Searcher(key, make, steps))
        return wanted

    def take(self, key: tuple[Any, ...], found: Any) -> list[Searcher]:
        """Take a result. Returns further searches."""
        self._under_way.remove(key)
        (self._seconds if key[1] == TWICE else self._values).update(found)
        return self.wanted()

    def _limits(self, turn: int) -> Limits:
        note = self._game.notes[turn] if turn < len(self._moves) else None
        is_brief = note is not None and (note.is_book or note.is_forced)
        return scaled(self._settings.limits, 1, _BRIEF) if is_brief else self._settings.limits

    def _is_judged(self, ply: int) -> bool:
        """Whether a move counts: it is no book move and not forced, and the game was not over."""
        note = self._game.notes[ply]
        return note.is_move and not (note.is_book or note.is_forced or note.is_over)

    @abstractmethod
    def loss_of_last(self, before: float, searcher: Searcher) -> float:
        """What the last move of the game loses, by searches as long as the second ones. `before`: the expected score
        with best play, where that can be compared with the position after the move."""

    # What was found

    @abstractmethod
    def _judged_values(self) -> list[tuple[Value | None, Value | None]]:
        """What the positions before and after each move are worth, both for the side that moves. None: not known."""

    def document(self, is_interrupted: bool = False) -> GameReport:
        """The review as far as it is known. `is_interrupted`: a result may have been lost on the way."""
        game, values = self._game, self._judged_values()
        plies = [self._ply(ply, *both) for ply, both in enumerate(values)]
        is_known = all(None not in both or not note.is_move for both, note in zip(values, game.notes))
        complete = self.is_done and not is_interrupted and is_known
        last = self._values.get(len(self._moves))
        ended = (isinstance(last, Value) and last.ended) or Ended("*", game.reason)
        return GameReport(
            source=self.record.source,
            number=self.record.number,
            game=self.record.game,
            headers=game.headers,
            start=game.start,
            players=game.players,
            names=game.names,
            opening=game.opening,
            notation=self._notation,
            plies=plies,
            left_out=game.left_out,
            result=ended if game.result == "*" else ended._replace(result=game.result),
            sides={
                name: figures_of(ply for ply in plies if ply.side in sides and ply.loss is not None)
                for name, sides in _parties(game.players)
            },
            complete=complete,
            searches=None if complete else self.found_kind(self._values, self._seconds),
        )

    def forget(self) -> None:
        """Free what was kept of the positions."""
        if self._game.hidden is not None:
            self._game.hidden.forget()

    def _ply(self, ply: int, before: Value | None, played: Value | None) -> Ply:
        """A move. What is not known is None."""
        note, move, hidden = self._game.notes[ply], self._moves[ply], self._game.hidden
        side, names = self._played(ply)
        loss = mark = best = missed = shown = expected = None
        turns = False
        if before is not None and played is not None:
            # Nothing if the best move was played, or if the game was over.
            loss = max(before.winrate - played.winrate, 0.0) if before.best not in (None, move) else 0.0
            mark = self._settings.thresholds.mark(loss) if self._is_judged(ply) else None
            turns = is_turning_point(before.winrate, played.winrate, mark)
            line = before.line()
            if line.pv:
                best = replace(line, move=line.pv[0], name=line.pv_names[0])
            if loss and self._is_judged(ply) and before.wins_in and played.winrate < 1:
                missed = replace(line, mate=before.mate, pv_outcomes=None)
        if played is not None:
            shown = played.shown()
            if hidden is None:
                shown = replace(shown, pv=played.pv, pv_names=played.pv_names)
            else:
                expected = played.line()
        hindsight = None
        if hidden is not None:
            known_best = None if before is None else before.best
            hindsight = HiddenNote(expected, *hidden.hindsight(ply, known_best, self._notation))
        why = None
        if self._game.why is not None and before is not None and played is not None and (mark or missed):
            reply = played.pv or ()
            why = self._game.why(
                MarkedMove(
                    turn=ply,
                    move=move,
                    reply=reply if hidden is None else reply[1:],
                    better=before.pv or (),
                    mate=before.mate,
                    mate_after=played.mate,
                    pieces=() if hindsight is None else hindsight.pieces,
                )
            )
        return Ply(
            ply=ply + 1,
            side=side,
            move=move,
            names=names,
            name=names[self._notation],
            comment=note.comment,
            spent_ms=note.spent_ms,
            phase=note.phase,
            before=None if before is None else before.shown(),
            played=shown,
            loss=None if loss is None else round(loss, _DIGITS),
            mark=mark,
            confirmed=mark is not None if ply in self._seconds else None,
            best=best,
            is_best=None if loss is None else loss < TOLERANCE,
            book=note.is_book,
            forced=note.is_forced,
            counted=loss is not None and self._is_judged(ply),
            turning_point=turns,
            missed_win=missed,
            rule=note.rule,
            hidden=hindsight,
            why=why or None,
        )

    def _played(self, ply: int) -> tuple[str, Mapping[str, str]]:
        """Who moved, and the move in all notations."""
        hidden, notations = self._game.hidden, self.record.notations
        if hidden is not None:
            return hidden.side(ply), {name: hidden.name(ply, name) for name in notations}
        turn = self._game.subject.at(ply)
        move = [turn.read_move(self._moves[ply])]
        return str(turn.to_move), {name: turn.names(move, name)[0] for name in notations}


def _parties(players: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """What has figures of its own: each side, and each team of several."""
    for side in players:
        yield side, (side,)
    for team in (players[::2], players[1::2]) if len(players) > 2 else ():
        yield ",".join(sorted(team)), team


def scaled(limits: Limits, times: int, divisor: int = 1) -> Limits:
    """The limits of a longer or shorter search."""

    def share(limit: int) -> int:
        return max(limit * times // divisor, 1) if limit else 0

    return replace(limits, nodes=share(limits.nodes), soft_ms=share(limits.soft_ms), hard_ms=share(limits.hard_ms))
