"""The review of one game: which searches it needs, and what they say about its moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from game_core.analysis import AnalysisError
from game_review.json_parts import WrongPart, read_part
from game_review.review_document import (
    SECOND_SEARCH,
    Ended,
    Found,
    GameReport,
    HiddenNote,
    Ply,
    ReviewLine,
    Second,
    Value,
    check_value,
    figures_of,
)
from game_review.review_figures import TOLERANCE, Thresholds, is_turning_point
from game_review.review_search import Searcher, Searches

if TYPE_CHECKING:
    from game_core.analysis import Turn
    from game_core.review import ReviewedGame
    from search_core.thinker import Limits

STRETCH = 8
"""Positions that are searched one after another, from the last to the first, with one table."""
_SMALL = 0.5
"""A second search ends after a quarter if it sees less than this part of the loss that deserves the lowest mark."""
_BRIEF = 4
"""The part of the time for a position in which a book move or a forced one was played: only the score is wanted."""
ONCE, TWICE = 0, 1  # of a game, the first searches come before the second ones
_DIGITS = 4
_NOTHING = Second()


class SearchSettings(NamedTuple):
    """How games are reviewed."""

    limits: Limits
    """Of a position."""
    thresholds: Thresholds


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


class GameReview:
    """Hands out searches and takes their results.

    Parameters
    ----------
    index : int
        Of the game in the review; the keys of the searches begin with it.
    record : Record
    settings : Settings
    found : optional
        The `searches` that an interrupted review of the same game has left. Raises ValueError if they are of another.
    """

    def __init__(self, index: int, record: Record, settings: SearchSettings, found: Any = None) -> None:
        self.index = index
        self.record = record
        self._settings = settings
        self._game = record.reviewed
        self._moves = record.moves
        self._notation = record.notations[0]
        self._due = 0
        """How many searches are under way."""
        self._take_over(found or {})

    def _take_over(self, found: Any) -> None:
        kept = read_part(Found, found)
        self._values: dict[int, Value] = {**kept.values}
        """Of the turns."""
        self._seconds: dict[int, Second] = {**kept.seconds}
        """Of the plies that were looked at again."""
        self._befores: dict[int, Value] = {}
        """Of the plies: `_before()`, once it is known."""
        self._asked: set[tuple[int, str]] = set()
        """The second searches that were handed out."""
        for turn, value in self._values.items():
            check_value(value, self._turn(turn))
        for ply, second in self._seconds.items():
            for found_value, turn in ((second.recheck, ply + 1), (second.played, ply + 1), (second.best, ply)):
                if found_value is not None:
                    check_value(found_value, self._turn(turn))

    def _turn(self, number: int) -> Turn:
        if number > len(self._moves):
            raise WrongPart(f"there is no turn {number}")
        return self._game.subject.at(number)

    # Searches

    @property
    def is_done(self) -> bool:
        return not self._due

    def first_searches(self) -> Iterator[Searches]:
        """The searches to begin with."""
        for high in range(len(self._moves) if self._moves else -1, -1, -STRETCH):
            low = max(high - STRETCH + 1, 0)
            if any(turn not in self._values for turn in range(low, high + 1)):
                work = partial(self._search_stretch, high, low)
                yield self._searches(ONCE, "stretch", high, work, high - low + 1)
        yield from self._second_searches(range(len(self._moves)))

    def take(self, key: Sequence[Any], found: Any) -> Iterator[Searches]:
        """Take a result. Returns further searches."""
        self._due -= 1
        if isinstance(found, Second):
            self._seconds[key[2]] = self._second(key[2]).updated(found)
        else:
            self._values.update(found)
        yield from self._second_searches(range(len(self._moves)))

    def _searches(self, when: int, what: str, number: int, work: Any, steps: int = 1) -> Searches:
        self._due += 1
        return Searches((self.index, when), (self.index, what, number), work, steps)

    def _search_stretch(self, high: int, low: int, searcher: Searcher) -> dict[int, Value]:
        """Search from the last position to the first: so the table knows what follows a move before the position in
        which it was played is searched."""
        searcher.clear()
        return {
            turn: searcher.value(self._game.subject, turn, self._limits(turn), self._notation)
            for turn in range(high, low - 1, -1)
        }

    def _limits(self, turn: int) -> Limits:
        note = self._game.notes[turn] if turn < len(self._moves) else None
        is_brief = note is not None and (note.is_book or note.is_forced)
        return scaled(self._settings.limits, 1, _BRIEF) if is_brief else self._settings.limits

    def _second_searches(self, plies: Iterable[int]) -> Iterator[Searches]:
        """The second searches of those plies that need them. A ply is numbered by the turn before it, from 0."""
        works = {"recheck": self._recheck, "played": self._search_played, "best": self._search_best}
        for ply in plies:
            what = self._next_second(ply)
            if what is not None and (ply, what) not in self._asked:
                self._asked.add((ply, what))
                yield self._searches(TWICE, what, ply, partial(works[what], ply))

    def _next_second(self, ply: int) -> str | None:
        """What is to be searched again: first the position after the move; if that leaves a doubt, the best move."""
        second = self._second(ply)
        if not self._is_doubtful(ply):
            return None
        if second.played is None:
            is_first = second == _NOTHING and self._may_lose(self._befores[ply], self._values[ply + 1])
            return "recheck" if is_first else "played"
        # The second search of the ply before may have searched this position, as long as the best move would be.
        deeper = self._second(ply - 1).played
        is_found = deeper is not None and self._is_rechecked(ply - 1) and deeper.best != self._moves[ply]
        return None if is_found or second.best is not None else "best"

    def _second(self, ply: int) -> Second:
        return self._seconds.get(ply, _NOTHING)

    def _is_doubtful(self, ply: int) -> bool:
        """Whether a move seems to deserve a mark by all that is known.

        What is searched does not depend on the order in which results come: of two bad moves in a row, the second one
        waits for the first; otherwise, a second search of the ply before only adds a reason."""
        second, before, after = self._second(ply), self._before(ply), self._after(ply)
        if before is None or after is None or not self._is_judged(ply):
            return False
        part = _SMALL if second.recheck is not None and second.played is None else 1
        deeper = self._second(ply - 1).played
        return any(self._may_lose(known, after, part) for known in (before, deeper) if known is not None)

    def _before(self, ply: int) -> Value | None:
        """What the position before a move is worth. Where this move and the one before both seem bad, the position
        between them may only have been misjudged; so the recheck of the move before decides. None: it is not known."""
        if ply not in self._befores and (before := self._found_before(ply)) is not None:
            self._befores[ply] = before
        return self._befores.get(ply)

    def _found_before(self, ply: int) -> Value | None:
        if any(turn not in self._values for turn in range(max(ply - 1, 0), ply + 2)):
            return None
        first = self._values[ply]
        if first.wins_in or ply == 0 or not self._seems_bad(ply) or not self._seems_bad(ply - 1):
            return first
        earlier, second = self._before(ply - 1), self._second(ply - 1)
        if earlier is None:
            return None
        if not self._may_lose(earlier, first):
            return first
        return second.played if self._is_rechecked(ply - 1) else second.recheck

    def _after(self, ply: int) -> Value | None:
        """What the position after a move is worth, by the longest search of it."""
        second = self._second(ply)
        return second.played or second.recheck or self._values.get(ply + 1)

    def _seems_bad(self, ply: int) -> bool:
        """Whether a move seems to deserve a mark by the first searches."""
        return self._is_judged(ply) and self._may_lose(self._values[ply], self._values[ply + 1])

    def _is_rechecked(self, ply: int) -> bool:
        """Whether the recheck of a move went on to the end."""
        before, recheck = self._befores.get(ply), self._second(ply).recheck
        return before is not None and recheck is not None and self._may_lose(before, recheck, _SMALL)

    def _may_lose(self, before: Value, after: Value, part: float = 1) -> bool:
        """Whether a move seems to lose that part of what deserves a mark, or to miss a win whose shortest way is
        wanted."""
        played = 1 - after.winrate
        misses = self._game.wants_shortest and bool(before.wins_in) and played < 1
        return misses or self._settings.thresholds.mark((before.winrate - played) / part) is not None

    def _is_judged(self, ply: int) -> bool:
        """Whether a move counts: it is no book move and not forced, and the game was not over."""
        note = self._game.notes[ply]
        return note.is_move and not (note.is_book or note.is_forced or note.is_over)

    def _search_after(self, ply: int, searcher: Searcher, times: int) -> Value:
        limits = scaled(self._settings.limits, times)
        return searcher.value(self._game.subject, ply + 1, limits, self._notation)

    def _recheck(self, ply: int, searcher: Searcher) -> Second:
        """Search the position after a move that seems bad. Most moves that only seem so are found in a quarter of the
        time."""
        searcher.clear()
        recheck, played = self._search_after(ply, searcher, 1), None
        if self._may_lose(self._befores[ply], recheck, _SMALL):
            played = self._search_after(ply, searcher, SECOND_SEARCH - 1)
        return Second(recheck, played)

    def _search_played(self, ply: int, searcher: Searcher) -> Second:
        """Search the position after a move that has become bad by the second search of the ply before."""
        searcher.clear()
        return Second(played=self._search_after(ply, searcher, SECOND_SEARCH))

    def _search_best(self, ply: int, searcher: Searcher) -> Second:
        """Search the best move; a quarter of the time is enough if it is hardly better than the one that was played.
        If the move that was played seemed best, it was misjudged: the best of the others is wanted."""
        best, after, subject = self._befores[ply].best, self._second(ply).played, self._game.subject
        assert best is not None and after is not None

        def search(times: int) -> Value:
            limits = scaled(self._settings.limits, times)
            move = (subject.at(ply).read_move(best),)
            is_played = best == self._moves[ply]
            chosen = replace(limits, excluded_moves=move) if is_played else replace(limits, root_moves=move)
            try:
                return searcher.value(subject, ply, chosen, self._notation)
            except AnalysisError:  # the search looks at no other move
                return searcher.value(subject, ply, limits, self._notation)

        searcher.clear()
        found = search(1)
        if self._game.wants_shortest or self._may_lose(found, after, _SMALL):
            found = search(SECOND_SEARCH - 1)
        return Second(best=found)

    # What was found

    def document(self, is_interrupted: bool = False) -> GameReport:
        """The review as far as it is known. `is_interrupted`: a result may have been lost on the way."""
        game = self._game
        plies = [self._ply(ply) for ply in range(len(self._moves))]
        complete = self.is_done and not is_interrupted and all(map(self._is_known, range(len(plies))))
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
            result=self._result(),
            sides={
                name: figures_of(ply for ply in plies if ply.side in sides and ply.loss is not None)
                for name, sides in _parties(game.players)
            },
            complete=complete,
            searches=None if complete else self._found(),
        )

    def forget(self) -> None:
        """Free what was kept of the positions."""
        if self._game.hidden is not None:
            self._game.hidden.forget()

    def _found(self) -> Any:
        """What another review can take over."""
        return Found(self._values, self._seconds)

    def _was_doubtful(self, ply: int) -> bool:
        """Whether a move was looked at again."""
        return ply in self._seconds

    def _is_known(self, ply: int) -> bool:
        """Whether the loss of a move is known."""
        return None not in self._judged_values(ply)

    def _result(self) -> Ended:
        """As recorded, else by the rules."""
        last = self._values.get(len(self._moves))
        ended = None if last is None else last.ended
        if ended is None:
            return Ended(self._game.result, self._game.reason)
        return Ended(ended.result if self._game.result == "*" else self._game.result, ended.reason)

    def _ply(self, ply: int) -> Ply:
        """A move. What is not known is None."""
        note, move = self._game.notes[ply], self._moves[ply]
        side, names = self._played(ply)
        before, played = self._judged_values(ply)
        loss = mark = best = missed = None
        turns = False
        if before is not None and played is not None:
            # Nothing if the best move was played, or if the game was over.
            loss = max(before.winrate - played.winrate, 0.0) if before.best not in (None, move) else 0.0
            mark = self._settings.thresholds.mark(loss) if self._is_judged(ply) else None
            turns = is_turning_point(before.winrate, played.winrate, mark)
            pv, pv_names = before.pv or (), before.pv_names or ()
            if pv:
                best = ReviewLine(pv[0], pv_names[0], None, pv, pv_names, before.pv_outcomes)
            if loss and self._is_judged(ply) and before.wins_in and played.winrate < 1:
                missed = ReviewLine(mate=before.mate, pv=pv, pv_names=pv_names)
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
            played=None if played is None else self._shown_played(played),
            loss=None if loss is None else round(loss, _DIGITS),
            mark=mark,
            confirmed=mark is not None if self._was_doubtful(ply) else None,
            best=best,
            is_best=None if loss is None else loss < TOLERANCE,
            book=note.is_book,
            forced=note.is_forced,
            counted=loss is not None and self._is_judged(ply),
            turning_point=turns,
            missed_win=missed,
            rule=note.rule,
            hidden=self._hidden_note(ply),
        )

    def _played(self, ply: int) -> tuple[str, Mapping[str, str]]:
        """Who moved, and the move in all notations."""
        turn = self._game.subject.at(ply)
        move = [turn.read_move(self._moves[ply])]
        return str(turn.to_move), {name: turn.names(move, name)[0] for name in self.record.notations}

    def _shown_played(self, played: Value) -> Value:
        """With what follows the move."""
        return replace(played.shown(), pv=played.pv, pv_names=played.pv_names)

    def _hidden_note(self, ply: int) -> HiddenNote | None:
        return None

    def _judged_values(self, ply: int) -> tuple[Value | None, Value | None]:
        """What the position was worth before a move, and after it, both for the side that moves."""
        best, deeper, after = self._second(ply).best, self._second(ply - 1).played, self._after(ply)
        played = None if after is None else after.turned()
        if best is None:
            return deeper or self._before(ply) or self._values.get(ply), played
        known = [best]
        if deeper is not None and deeper.best not in (None, self._moves[ply]):
            known.append(deeper)
        return max(known, key=lambda value: (value.winrate, -value.wins_in)), played


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
