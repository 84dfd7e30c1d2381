"""The review of a game in which a player does not see everything.

What a position is worth after a move depends on who looks at it. So a move is compared with the best one in searches of
the same position, with what the player knew before the move. The truth is not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from game_review.json_parts import WrongPart
from game_review.review_document import SECOND_SEARCH, HiddenFound, Pair, ReviewSettings, Value, check_value
from game_review.review_game import ONCE, TWICE, GameReview, Needed, Record, scaled
from game_review.review_open import OpenReview
from game_review.review_search import Searcher, line_value

if TYPE_CHECKING:
    from game_core.analysis import Finding, Turn
    from search_core.thinker import Limits

_FURTHER = 2
"""Plies by which the played move is searched deeper at first: a refutation is soon found, and is a reason to look
again."""
_DIGITS = 6
_DEPTHS = 2
"""So many of the deepest iterations are compared; the smallest difference counts."""


def review_of(index: int, record: Record, settings: ReviewSettings, found: Any = None) -> GameReview[Any, Any]:
    """The review of a game, of the kind that it needs. The parameters are those of GameReview."""
    kind = OpenReview if record.reviewed.hidden is None else HiddenReview
    return kind(index, record, settings, found)


def searched_positions(record: Record) -> int:
    """How many positions there are to search at first."""
    game = record.reviewed
    return game.subject.last_turn + 1 if game.hidden is None else sum(note.is_move for note in game.notes)


class HiddenReview(GameReview[Pair, Pair]):
    """A review that finds a Pair for each move. Each position is searched by itself, so the result does not depend on
    the order."""

    found_kind = HiddenFound

    def _check(self) -> None:
        for ply, pair in sorted((*self._values.items(), *self._seconds.items()), key=lambda each: each[0]):
            for value in (pair.before, pair.played):
                check_value(value, self._game.subject, ply)
            if not -1 <= pair.gap <= 1 or None in (pair.before.pv_outcomes, pair.played.pv_outcomes):
                raise WrongPart("no pair of values")

    # Searches

    def _needed(self) -> Iterator[Needed]:
        thresholds = self._settings.thresholds
        for ply, note in enumerate(self._game.notes):
            pair = self._values.get(ply)
            if pair is None and note.is_move:
                yield ONCE, ply, partial(self._search, ply, ONCE), 1
            elif pair is not None and ply not in self._seconds and self._is_judged(ply) and thresholds.mark(pair.gap):
                yield TWICE, ply, partial(self._search, ply, TWICE), 1

    def _search(self, ply: int, when: int, searcher: Searcher) -> dict[int, Pair]:
        if when == ONCE:
            return {ply: self._pair(searcher, ply, self._limits(ply), _FURTHER)}
        return {ply: self._pair(searcher, ply, scaled(self._settings.limits, SECOND_SEARCH), 0)}

    def _pair(self, searcher: Searcher, ply: int, limits: Limits, further: int) -> Pair:
        """Search a position, and then the move that was played there, some plies further."""
        subject = self._game.subject
        turn = subject.at(ply)
        move = turn.read_move(self._moves[ply])
        first = searcher.finding(subject, ply, turn, limits)
        if first.lines[0].pv[0] == move:
            value = self._value(turn, first, first.lines[0].depth)
            return Pair(value, value, 0.0)
        deep = (first.depth or 0) + further
        second = searcher.finding(subject, ply, turn, replace(limits, root_moves=(move,), depth=deep))
        depth = self._fair_depth(first, second)
        before, played = (self._value(turn, finding, depth) for finding in (first, second))
        last_before, last_played = (self._value(turn, finding, None) for finding in (first, second))
        gap = max(before.winrate - played.winrate, last_before.winrate - last_played.winrate)
        return Pair(before, played, round(gap, _DIGITS))

    @staticmethod
    def _fair_depth(first: Finding, second: Finding) -> int:
        """Of the deepest iterations that both searches have finished, the one that finds the smallest difference.

        A score goes up and down with the depth, as one side or the other has the last move. This is not the fault of
        the move. 0: they have finished none.
        """
        scores = [{line.depth: line.score_cp for line in finding.iterations} for finding in (first, second)]
        depths = sorted(depth for depth in scores[0].keys() & scores[1].keys() if depth is not None)[-_DEPTHS:]
        gaps = {depth: (scores[0][depth] or 0) - (scores[1][depth] or 0) for depth in depths}
        return min(reversed(depths), key=lambda depth: max(gaps[depth], 0), default=0)

    def _value(self, turn: Turn, finding: Finding, depth: int | None) -> Value:
        """The value at a depth, with the line of the deepest one. None: the value of that one."""
        line = finding.lines[0]
        of_depth = next((each for each in finding.iterations if each.depth == depth), line)
        value = line_value(turn, of_depth._replace(pv=line.pv), self._notation)
        assert self._game.hidden is not None
        outcomes = self._game.hidden.outcomes(turn, line.pv)
        shown = len(outcomes)
        return replace(
            value, pv=(value.pv or ())[:shown], pv_names=(value.pv_names or ())[:shown], pv_outcomes=outcomes
        )

    def loss_of_last(self, before: float, searcher: Searcher) -> float:
        pair = self._pair(searcher, len(self._moves) - 1, scaled(self._settings.limits, SECOND_SEARCH), 0)
        return pair.before.winrate - pair.played.winrate

    # What was found

    def _judged_values(self) -> list[tuple[Value | None, Value | None]]:
        pairs = [self._seconds.get(ply) or self._values.get(ply) for ply in range(len(self._moves))]
        return [(None, None) if pair is None else (pair.before, pair.played) for pair in pairs]
