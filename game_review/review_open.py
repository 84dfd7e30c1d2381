"""The review of a game in which everybody sees everything: a move is judged by the positions before and after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from game_core.analysis import AnalysisError
from game_review.review_document import SECOND_SEARCH, Found, Second, Value, check_value
from game_review.review_game import ONCE, TWICE, GameReview, Needed, scaled
from game_review.review_search import Searcher

STRETCH = 8
"""Positions that are searched one after another, from the last to the first, with one table."""
_SMALL = 0.5
"""A second search ends after a quarter if it sees less than this part of the loss that deserves the lowest mark."""

_NOTHING = Second()


class OpenReview(GameReview[Value, Second]):
    """Finds a Value for each turn, and a Second for each ply that seems to deserve a mark."""

    found_kind = Found

    def _check(self) -> None:
        for turn, value in self._values.items():
            check_value(value, self._game.subject, turn)
        for ply, second in self._seconds.items():
            for found, turn in zip(second, (ply + 1, ply + 1, ply)):
                if found is not None:
                    check_value(found, self._game.subject, turn)

    # Searches

    def _needed(self) -> Iterator[Needed]:
        last = len(self._moves)
        for high in range(last if last else -1, -1, -STRETCH):
            turns = range(high, max(high - STRETCH, -1), -1)
            if not all(turn in self._values for turn in turns):
                yield ONCE, high, partial(self._search_stretch, turns), len(turns)
        befores = self._befores()
        for ply in range(last):
            yield from self._second_searches(ply, befores)

    def _search_stretch(self, turns: Sequence[int], searcher: Searcher) -> dict[int, Value]:
        """Search from the last position to the first: so the table knows what follows a move before the position in
        which it was played is searched."""
        return {turn: searcher.value(self._game.subject, turn, self._limits(turn), self._notation) for turn in turns}

    def _second(self, ply: int) -> Second:
        return self._seconds.get(ply, _NOTHING)

    def _befores(self) -> list[Value | None]:
        """What the position before each move is worth. Where a move and the one before both seem bad, the position
        between them may only have been misjudged; so the recheck of the move before decides, but a forced win stays
        one. None: it is not known."""
        befores: list[Value | None] = []
        was_bad = False
        for ply in range(len(self._moves)):
            before = self._values.get(ply)
            is_bad = before is not None and ply + 1 in self._values and self._seems_bad(ply)
            if before is None or ply + 1 not in self._values or (ply and ply - 1 not in self._values):
                before = None
            elif is_bad and was_bad:
                earlier, second = befores[-1], self._second(ply - 1)
                if earlier is None:
                    before = None
                elif self._may_lose(earlier, before):
                    again = second.played if self._went_on(earlier, second) else second.recheck
                    before = before if before.wins_in and again is not None else again
            befores.append(before)
            was_bad = is_bad
        return befores

    def _second_searches(self, ply: int, befores: Sequence[Value | None]) -> Iterator[Needed]:
        """The next second search of a move, if it seems to deserve a mark: of the position after it, then of the best
        move.

        What is searched does not depend on the order in which results come: of two bad moves in a row, the second one
        waits for the first; otherwise, a second search of the ply before only adds a reason."""
        before, second, earlier = befores[ply], self._second(ply), self._second(ply - 1)
        if before is None or not self._is_judged(ply):
            return
        reasons = [before] if earlier.played is None else [before, earlier.played]
        work: Callable[[Searcher], dict[int, Second]] | None = None

        def loses(after: Value, part: float = 1) -> bool:
            return any(self._may_lose(known, after, part) for known in reasons)

        if second.played is not None:
            # The second search of the ply before may have searched this position, as long as the best move would be.
            deeper = earlier.played if self._went_on(befores[ply - 1], earlier) else None
            is_found = second.best is not None or (deeper is not None and deeper.best != self._moves[ply])
            if loses(second.played) and not is_found:
                work = partial(self._search_best, ply, before, second)
        elif second.recheck is not None:
            if loses(second.recheck, _SMALL):
                work = partial(self._search_played, ply, second)
        elif self._may_lose(before, self._values[ply + 1]):
            work = partial(self._recheck, ply, before)
        elif loses(self._values[ply + 1]):
            work = partial(self._search_played, ply, second)
        if work is not None:
            yield TWICE, ply, work, 1

    def _went_on(self, before: Value | None, second: Second) -> bool:
        """Whether the recheck of a move went on to the end."""
        return before is not None and second.recheck is not None and self._may_lose(before, second.recheck, _SMALL)

    def _seems_bad(self, ply: int) -> bool:
        """Whether a move seems to deserve a mark by the first searches."""
        return self._is_judged(ply) and self._may_lose(self._values[ply], self._values[ply + 1])

    def _may_lose(self, before: Value, after: Value, part: float = 1) -> bool:
        """Whether a move seems to lose that part of what deserves a mark, or to miss a win whose shortest way is
        wanted."""
        played = 1 - after.winrate
        misses = self._game.wants_shortest and bool(before.wins_in) and played < 1
        return misses or self._settings.thresholds.mark((before.winrate - played) / part) is not None

    def _search_after(self, ply: int, searcher: Searcher, times: int) -> Value:
        limits = scaled(self._settings.limits, times)
        return searcher.value(self._game.subject, ply + 1, limits, self._notation)

    def _recheck(self, ply: int, before: Value, searcher: Searcher) -> dict[int, Second]:
        """Search the position after a move that seems bad. Most moves that only seem so are found in a quarter of the
        time."""
        recheck, played = self._search_after(ply, searcher, 1), None
        if self._may_lose(before, recheck, _SMALL):
            played = self._search_after(ply, searcher, SECOND_SEARCH - 1)
        return {ply: Second(recheck, played)}

    def _search_played(self, ply: int, second: Second, searcher: Searcher) -> dict[int, Second]:
        """Search the position after a move that has become bad by the second search of the ply before."""
        return {ply: second._replace(played=self._search_after(ply, searcher, SECOND_SEARCH))}

    def _search_best(self, ply: int, before: Value, second: Second, searcher: Searcher) -> dict[int, Second]:
        """Search the best move; a quarter of the time is enough if it is hardly better than the one that was played.
        If the move that was played seemed best, it was misjudged: the best of the others is wanted."""
        best, subject = before.best, self._game.subject
        assert best is not None and second.played is not None

        def search(times: int) -> Value:
            limits = scaled(self._settings.limits, times)
            move = (subject.at(ply).read_move(best),)
            is_played = best == self._moves[ply]
            chosen = replace(limits, excluded_moves=move) if is_played else replace(limits, root_moves=move)
            try:
                return searcher.value(subject, ply, chosen, self._notation)
            except AnalysisError:  # the search looks at no other move
                return searcher.value(subject, ply, limits, self._notation)

        found = search(1)
        if self._game.wants_shortest or self._may_lose(found, second.played, _SMALL):
            found = search(SECOND_SEARCH - 1)
        return {ply: second._replace(best=found)}

    def loss_of_last(self, before: float, searcher: Searcher) -> float:
        return before - self._search_after(len(self._moves) - 1, searcher, SECOND_SEARCH).turned().winrate

    # What was found

    def _judged_values(self) -> list[tuple[Value | None, Value | None]]:
        judged = []
        for ply, before in enumerate(self._befores()):
            second, deeper = self._second(ply), self._second(ply - 1).played
            after = second.played or second.recheck or self._values.get(ply + 1)
            best = deeper or before or self._values.get(ply)
            if second.best is not None:
                known = [second.best]
                if deeper is not None and deeper.best not in (None, self._moves[ply]):
                    known.append(deeper)
                best = max(known, key=lambda value: (value.winrate, -value.wins_in))
            judged.append((best, None if after is None else after.turned()))
        return judged
