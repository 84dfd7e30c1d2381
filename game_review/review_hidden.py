"""The review of a game in which a player does not see everything.

What a position is worth after a move depends on who looks at it. So a move is compared with the best one in searches of
the same position, with what the player knew before the move. The truth is not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from game_review.review_game import SECOND_SEARCH, GameReview, Record, Settings, check_value, scaled
from game_review.review_search import Searcher, Searches, Value, line_value

if TYPE_CHECKING:
    from game_core.analysis import Finding, Turn
    from game_core.review import HiddenGame
    from search_core.thinker import Limits

HIDDEN_FIELDS = frozenset(("expected", "outcome", "revealed", "pieces"))
"""What only such games have in the document of a ply."""
_FURTHER = 2
"""Plies by which the played move is searched deeper at first: a refutation is soon found, and is a reason to look
again."""
_DIGITS = 6
_DEPTHS = 2
"""So many of the deepest iterations are compared; the smallest difference counts."""


def review_of(index: int, record: Record, settings: Settings, kept: Mapping[str, Any] | None = None) -> GameReview:
    """The review of a game, of the kind that it needs. The parameters are those of GameReview."""
    kind = GameReview if record.reviewed.hidden is None else HiddenReview
    return kind(index, record, settings, kept)


def searched_positions(record: Record) -> int:
    """How many positions there are to search at first."""
    game = record.reviewed
    return game.subject.last_turn + 1 if game.hidden is None else sum(note.is_move for note in game.notes)


class HiddenReview(GameReview):
    """A review whose values are pairs: `before`, the best move, and `played`, the one of the game. Each position is
    searched by itself, so the result does not depend on the order."""

    def __init__(self, index: int, record: Record, settings: Settings, kept: Mapping[str, Any] | None = None) -> None:
        assert record.reviewed.hidden is not None
        self._hidden: HiddenGame = record.reviewed.hidden
        super().__init__(index, record, settings, kept)

    def first_searches(self) -> Iterator[Searches]:
        for ply in range(len(self._moves)):
            if ply not in self._values and self._game.notes[ply].is_move:
                self._due += 1
                yield Searches((self.index, 0), (self.index, "stretch", ply, ply), self._first(ply))
        yield from self._second_searches(range(len(self._moves)))

    def _first(self, ply: int) -> Any:
        def work(searcher: Searcher) -> dict[int, dict[str, Any]]:
            return {ply: self._pair(searcher, ply, self._limits(ply), _FURTHER)}

        return work

    def take(self, key: Sequence[Any], found: Any) -> Iterator[Searches]:
        self._due -= 1
        _, what, ply, *_ = key
        if what == "stretch":
            self._values.update(found)
            yield from self._second_searches((ply,))
        else:
            self._seconds[ply] = found

    def _second_searches(self, plies: Iterable[int]) -> Iterator[Searches]:
        for ply in plies:
            if ply not in self._seconds and self._is_doubtful(ply):
                self._due += 1
                yield Searches((self.index, 1), (self.index, "second", ply), self._second(ply))

    def _is_doubtful(self, ply: int) -> bool:
        found = self._values.get(ply)
        if found is None or not self._is_judged(ply):
            return False
        return self._settings.thresholds.mark(found["gap"]) is not None

    def _is_judged(self, ply: int) -> bool:
        note = self._game.notes[ply]
        return note.is_move and not note.is_forced

    def _second(self, ply: int) -> Any:
        def work(searcher: Searcher) -> dict[str, Any]:
            return self._pair(searcher, ply, scaled(self._settings.limits, SECOND_SEARCH), 0)

        return work

    def _pair(self, searcher: Searcher, ply: int, limits: Limits, further: int) -> dict[str, Any]:
        """Search a position, and then the move that was played there, so many plies further.

        `gap` is the largest difference that was found: a reason to look again.
        """
        subject = self._game.subject
        turn = subject.at(ply)
        move = turn.read_move(self._moves[ply])
        searcher.clear()
        first = searcher.finding(subject, ply, turn, limits)
        if first.lines[0].pv[0] == move:
            value = self._value(turn, first, first.lines[0].depth)
            return {"before": value, "played": value, "gap": 0.0}
        deep = (first.depth or 0) + further
        second = searcher.finding(subject, ply, turn, replace(limits, root_moves=(move,), depth=deep))
        depth = self._fair_depth(first, second)
        before, played = (self._value(turn, finding, depth) for finding in (first, second))
        last_before, last_played = (self._value(turn, finding, None) for finding in (first, second))
        gaps = (before["winrate"] - played["winrate"], last_before["winrate"] - last_played["winrate"])
        return {"before": before, "played": played, "gap": round(max(gaps), _DIGITS)}

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
        value = line_value(turn, line, self._notation)
        of_depth = next((each for each in finding.iterations if each.depth == depth), line)
        if of_depth is not line:
            value.update(line_value(turn, of_depth._replace(pv=line.pv), self._notation))
        outcomes = self._hidden.outcomes(turn, line.pv)
        shown = {name: value[name][: len(outcomes)] for name in ("pv", "pvNames")}
        return {**value, **shown, "pvOutcomes": outcomes}

    # What was found

    def document(self, is_interrupted: bool = False) -> dict[str, Any]:
        document = super().document(is_interrupted)
        self._hidden.forget()
        return document

    def _restore(self, kept: Mapping[str, Any]) -> None:
        searches = kept.get("searches", {})
        values = {int(ply): found for ply, found in searches.get("values", {}).items()}
        seconds = {int(ply): found for ply, found in searches.get("seconds", {}).items()}
        for ply, found in sorted((*values.items(), *seconds.items()), key=lambda each: each[0]):
            turn = self._game.subject.at(ply)
            if not -1 <= found["gap"] <= 1:
                raise ValueError("no difference of expected scores")
            for name in ("before", "played"):
                check_value(found[name], turn)
                if [type(outcome) for outcome in found[name]["pvOutcomes"]] != [str] * len(found[name]["pv"]):
                    raise ValueError("a move without an outcome")
        self._values, self._seconds = values, seconds

    def _is_known(self, ply: int) -> bool:
        return ply in self._values or not self._game.notes[ply].is_move

    def _judged_values(self, ply: int) -> tuple[Value | None, Value | None]:
        found = self._seconds.get(ply) or self._values.get(ply)
        return (None, None) if found is None else (found["before"], found["played"])

    def _played(self, ply: int) -> tuple[str, dict[str, str]]:
        return self._hidden.side(ply), {name: self._hidden.name(ply, name) for name in self.record.notations}

    def _ply(self, ply: int) -> dict[str, Any]:
        document = super()._ply(ply)
        before, played = self._judged_values(ply)
        best = None
        if before is not None and played is not None:
            best = before["pv"][0]
            document["best"]["pvOutcomes"] = before["pvOutcomes"]
            for name in ("pv", "pvNames"):
                del document["played"][name]
            document["expected"] = {name: played[name] for name in ("pv", "pvNames", "pvOutcomes")}
        else:
            document["expected"] = None
        return document | self._hidden.hindsight(ply, best, self._notation)
