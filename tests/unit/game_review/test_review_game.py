"""The review of a game, with made-up values in place of searches."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game_core.analysis import AnalysisError
from game_core.review import PlyNote, ReviewedGame
from game_review.json_parts import read_part, write_part
from game_review.review_document import ReviewSettings, Value
from game_review.review_game import Record, scaled
from game_review.review_open import STRETCH, OpenReview
from search_core.thinker import Limits
from ucci_engine.analysis import NOTATIONS
from ucci_engine.game_record import GameRecord
from ucci_engine.points import START_FEN, parse_move
from ucci_engine.review import open_game

MOVES = ("h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7", "b0a2", "a6a5", "a0b0")
SETTINGS = ReviewSettings(nodes=1000)
OTHERS = ("e3e4", "e6e5")
"""Legal moves of Red and Black that are not played."""
NO_OPTIONS = argparse.Namespace(repetition_rule=None, quiet_limit=None)


def opened(moves: Iterable[str] = MOVES) -> ReviewedGame:
    """A game without book moves."""
    game = open_game(GameRecord.of_line({}, START_FEN, list(map(parse_move, moves))), NO_OPTIONS)
    return game._replace(notes=[note._replace(is_book=False) for note in game.notes])


def value(winrate: float, best: str = "", **more: Any) -> dict[str, Any]:
    """Of a position, for the side to move. `best`: '' for a legal move that was not played."""
    return {"winrate": winrate, "wdl": [winrate, 0.0, 1 - winrate], "pv": [best], "pvNames": [best.upper()], **more}


class Searcher:
    """Has a value for each turn, and for what the second searches find: `again` and `best`, and `recheck` and
    `best soon` if their first quarter finds another. Keeps what it was asked."""

    def __init__(self, values: Mapping[Any, Any]) -> None:
        self.values = values
        self.asked: list[tuple[int, Limits]] = []

    def times(self, number: int, **more: Any) -> list[int]:
        """How long each search of a turn was."""
        return [
            limits.nodes // 1000
            for turn, limits in self.asked
            if turn == number and all(getattr(limits, name) == value for name, value in more.items())
        ]

    def value(self, subject: Any, number: int, limits: Limits, notation: str) -> Any:
        is_best = bool(limits.root_moves or limits.excluded_moves)
        is_again = any(number == asked for asked, _ in self.asked) and not is_best
        self.asked.append((number, limits))
        names = ["best"] if is_best else ["again"] if is_again or limits.nodes > SETTINGS.limits.nodes else []
        if names and limits.nodes <= SETTINGS.limits.nodes:
            names.insert(0, "best soon" if is_best else "recheck")
        keys: list[Any] = [(number, name) for name in names] or [number]
        found = next((self.values[key] for key in keys if key in self.values), value(0.5))
        read = read_part(Value, found)
        return replace(read, pv=[OTHERS[number % 2]], pv_names=["other"]) if found["pv"] == [""] else read


def first_of(count: int) -> int:
    return 0


def last_of(count: int) -> int:
    return count - 1


def plies_of(review: OpenReview) -> Any:
    return write_part(review.document())["plies"]


def review(values: Mapping[Any, Any], game: ReviewedGame | None = None, choose: Callable[[int], int] = first_of) -> Any:
    """The plies, and the searcher. `choose`: which of so many jobs comes next."""
    searcher = Searcher(values)
    of = OpenReview(3, Record("xiangqi", "a.pgn", 1, game or opened(), NOTATIONS), SETTINGS)
    jobs = of.wanted()
    while jobs:
        job = jobs.pop(choose(len(jobs)))
        jobs += of.take(job.key, job.make(searcher))  # type: ignore[arg-type]
    assert of.is_done and of.document().complete
    return plies_of(of), searcher


def test_positions_are_searched_backwards_in_stretches() -> None:
    _, searcher = review({})
    assert [turn for turn, _ in searcher.asked] == [*range(9, 9 - STRETCH, -1), *range(9 - STRETCH, -1, -1)]
    assert {limits for _, limits in searcher.asked} == {SETTINGS.limits}


def test_a_loss_is_what_a_second_search_says() -> None:
    """Turn 3 is Black's: its move seems to lose 0.4, and loses 0.15."""
    values = {4: value(0.9), 5: value(0.1), (4, "again"): value(0.65), (3, "best"): value(0.5, "b9a7")}
    plies, searcher = review(values)
    ply = plies[3]
    assert (ply["loss"], ply["mark"], ply["confirmed"]) == (0.15, "mistake", True)
    assert (ply["before"]["winrate"], ply["played"]["winrate"], ply["best"]["move"]) == (0.5, 0.35, "b9a7")
    assert ply["played"]["wdl"] == [0.35, 0.0, 0.65]
    second = dict(searcher.asked[10:])
    assert set(second) == {3, 4} and len(second[3].root_moves) == 1 and not second[4].root_moves
    assert searcher.times(3) == searcher.times(4) == [1, 1, 3]  # after the first search, a second four times as long


def test_a_false_alarm_is_not_confirmed() -> None:
    values = {4: value(0.6), 5: value(0.4), (4, "again"): value(0.53), (3, "best"): value(0.9)}
    plies, searcher = review(values)
    assert (plies[3]["loss"], plies[3]["mark"], plies[3]["confirmed"]) == (0.03, None, False)
    assert searcher.times(4) == [1, 1, 3] and searcher.times(3) == [1]  # the doubt is gone
    values.update({(4, "again"): value(0.6), (3, "best"): value(0.42)})
    plies, _ = review(values)
    assert (plies[3]["loss"], plies[3]["mark"], plies[3]["confirmed"]) == (0.02, None, False)
    assert plies[2]["confirmed"] is None


def test_a_second_search_ends_soon_if_a_move_hardly_loses() -> None:
    values = {4: value(0.6), 5: value(0.4), (4, "recheck"): value(0.52), (4, "again"): value(0.9)}
    plies, searcher = review(values)
    assert (plies[3]["loss"], plies[3]["mark"], plies[3]["confirmed"]) == (0.02, None, False)
    assert searcher.times(4) == [1, 1] and searcher.times(3) == [1]
    values = {4: value(0.6), 5: value(0.4), (4, "again"): value(0.6), (3, "best soon"): value(0.42)}
    plies, searcher = review(values)
    assert (plies[3]["loss"], plies[3]["mark"], plies[3]["confirmed"]) == (0.02, None, False)
    assert searcher.times(4) == [1, 1, 3] and searcher.times(3) == [1, 1]


def test_a_longer_search_makes_up_for_one_that_ended_soon() -> None:
    """Ply 4 hardly seems to lose. Then ply 2 turns out to be a blunder that ply 3 did not punish, which is one, too."""
    values = {
        3: value(0.6), 4: value(0.42), 5: value(0.68), 6: value(0.12),
        (5, "recheck"): value(0.58), (5, "again"): value(0.9),
        (3, "again"): value(0.9), (4, "again"): value(0.8, "c3c4"), (4, "best"): value(0.8),
    }  # fmt: skip
    plies, searcher = review(values)
    assert [ply["mark"] for ply in plies[2:5]] == ["blunder"] * 3
    assert [ply["loss"] for ply in plies[2:5]] == [0.4, 0.7, 0.7]
    assert searcher.times(5) == [1, 1, 4] and searcher.times(4, excluded_moves=(), root_moves=()) == [1, 4]


def test_a_misjudged_position_is_searched_again_for_both_moves_beside_it() -> None:
    """Turn 4 seems good for Red, so both moves around it seem bad; it is not, so neither is."""
    values = {4: value(0.6), 5: value(0.5), (4, "recheck"): value(0.5)}
    plies, searcher = review(values)
    assert [(ply["loss"], ply["mark"], ply["confirmed"]) for ply in plies[3:5]] == [(0, None, False), (0, None, None)]
    assert searcher.times(4) == [1, 1] and searcher.times(5) == [1]
    proven = value(1.0, mate=3)
    plies, _ = review({**values, 4: proven, (4, "best"): proven})  # a forced win that was found stays one
    assert plies[4]["mark"] == "blunder" and plies[4]["missedWin"]["mate"] == 3


def test_the_second_search_of_a_reply_is_that_of_the_best_move() -> None:
    """Ply 3 is bad, and so is ply 4. The position between was searched long enough for both."""
    values = {4: value(0.9), 5: value(0.8), (4, "again"): value(0.9, "c3c4"), (5, "again"): value(0.7)}
    plies, searcher = review(values)
    assert [ply["loss"] for ply in plies[3:5]] == [0.4, 0.6] and plies[4]["best"]["move"] == "c3c4"
    assert searcher.times(4) == [1, 1, 3] and searcher.times(3) == [1, 1, 3]
    values[4, "again"] = value(0.9, MOVES[4])  # the move that was played seemed best: the best of the others is wanted
    plies, searcher = review(values)
    others = [limits for turn, limits in searcher.asked if turn == 4 and limits.excluded_moves]
    assert searcher.times(4, excluded_moves=()) == [1, 1, 3] and len(others) == 2


@pytest.mark.parametrize("wants_shortest", [False, True])
@given(st.data())
@settings(max_examples=20, deadline=None)
def test_the_review_does_not_depend_on_the_order_of_the_searches(wants_shortest: bool, data: st.DataObject) -> None:
    def drawn(turn: int) -> dict[str, Any]:
        best = data.draw(st.sampled_from(["", "", *MOVES[turn : turn + 1]]))
        winrate = data.draw(st.sampled_from([0.3, 0.4, 0.47, 0.5, 0.52, 0.56, 0.7, 1.0]))
        wins = {"mate": data.draw(st.integers(1, 3))} if winrate == 1 else {}
        return value(winrate, best, **wins)

    turns = range(len(MOVES) + 1)
    names = ("recheck", "again", "best soon", "best")
    values = {key: drawn(turn) for turn in turns for key in (turn, *((turn, name) for name in names))}
    game = opened()._replace(wants_shortest=wants_shortest)
    whole, searcher = review(values, game)
    kept, other = review(values, game, lambda count: data.draw(st.integers(0, count - 1)))
    assert whole == kept and Counter(searcher.asked) == Counter(other.asked)
    for number, ply in enumerate(whole):
        if ply["mark"]:  # it rests on a second search of the full length
            assert ply["confirmed"] and {3, 4} & set(searcher.times(number + 1))


def test_the_best_move_loses_nothing() -> None:
    values = {3: value(0.52, MOVES[3]), 4: value(0.51)}
    plies, _ = review(values)
    assert (plies[3]["loss"], plies[3]["isBest"], plies[3]["confirmed"]) == (0.0, True, None)


def test_a_best_move_that_turns_out_bad_is_compared_with_the_others() -> None:
    values = {3: value(0.5, MOVES[3]), 4: value(0.9), 5: value(0.1), (4, "again"): value(0.95), (3, "best"): value(0.5)}
    plies, searcher = review(values)
    assert (plies[3]["loss"], plies[3]["mark"]) == (0.45, "blunder")
    again = [limits for turn, limits in searcher.asked[10:] if turn == 3]
    assert {(len(limits.excluded_moves), limits.root_moves) for limits in again} == {(1, ())}


def test_a_best_move_without_another_loses_nothing() -> None:
    class Only(Searcher):
        def value(self, subject: Any, number: int, limits: Limits, notation: str) -> Any:
            if limits.excluded_moves:
                raise AnalysisError("no other")
            return super().value(subject, number, limits, notation)

    searcher = Only({3: value(0.5, MOVES[3]), 4: value(0.9), 5: value(0.1), (3, "again"): value(0.1, MOVES[3])})
    of = OpenReview(0, Record("xiangqi", "a", 1, opened(), NOTATIONS), SETTINGS)
    jobs = of.wanted()
    while jobs:
        job = jobs.pop()
        jobs += of.take(job.key, job.make(searcher))  # type: ignore[arg-type]
    assert (plies_of(of)[3]["loss"], plies_of(of)[3]["mark"]) == (0.0, None)


def test_a_deeper_value_reaches_the_next_ply() -> None:
    """The second search of ply 3 finds a refutation that the opponent then missed: ply 4 is looked at, too."""
    values = {
        3: value(0.5), 4: value(0.6), 5: value(0.4), (4, "again"): value(0.9, "c3c4"), (3, "best"): value(0.5),
        (4, "best"): value(0.7), (5, "again"): value(0.4),
    }  # fmt: skip
    plies, _ = review(values)
    assert [(ply["loss"], ply["mark"]) for ply in plies[3:5]] == [(0.4, "blunder"), (0.3, "blunder")]
    assert plies[4]["best"]["move"] == "c3c4"


@pytest.mark.parametrize("what", ["is_book", "is_forced", "is_over"])
def test_book_moves_forced_ones_and_those_after_the_end_do_not_count(what: str) -> None:
    game = opened()
    notes = list(game.notes)
    changed: dict[str, Any] = {what: True}
    notes[3] = notes[3]._replace(**changed)
    plies, searcher = review({3: value(0.9), 4: value(0.9)}, game._replace(notes=notes))
    assert (plies[3]["mark"], plies[3]["counted"], plies[3]["confirmed"]) == (None, False, None)
    assert {turn: limits.nodes for turn, limits in reversed(searcher.asked)}[3] == (1000 if what == "is_over" else 250)


def test_a_missed_win() -> None:
    values = {2: value(0.0), 3: value(1.0, "a9a8", mate=4), 4: value(0.03)}
    plies, searcher = review(values)
    assert plies[3]["missedWin"] == {"mate": 4, "pv": ["a9a8"], "pvNames": ["A9A8"]}
    assert (plies[3]["mark"], plies[3]["loss"]) == (None, 0.03)
    assert all(limits.nodes == 1000 for _, limits in searcher.asked)
    kept, _ = review({3: value(1.0, mate=4), 4: value(0.0, mate=-9)})
    assert kept[3]["missedWin"] is None and kept[3]["played"]["mate"] == 9


def test_the_shortest_missed_win_is_looked_for_where_it_is_wanted() -> None:
    values = {
        3: value(1.0, mate=4), 4: value(0.03), (3, "best"): value(1.0, mate=2), (4, "again"): value(0.03),
    }  # fmt: skip
    plies, _ = review(values, opened()._replace(wants_shortest=True))
    assert (plies[3]["missedWin"]["mate"], plies[3]["confirmed"]) == (2, False)


def test_a_missed_win_waits_for_the_second_search_of_the_move_before() -> None:
    """Ply 3 allows a win that ply 4 misses: its line does not depend on which ply is searched again first."""
    values = {
        4: value(1.0, mate=3), 5: value(0.6), (4, "again"): value(1.0, "c3c4", mate=2),
        (4, "best"): value(1.0, mate=2), (5, "again"): value(0.6),
    }  # fmt: skip
    game = opened()._replace(wants_shortest=True)
    for choose in (first_of, last_of):
        plies, searcher = review(values, game, choose)
        assert plies[4]["missedWin"] == {"mate": 2, "pv": ["c3c4"], "pvNames": ["C3C4"]}
        assert searcher.times(4) == [1, 1, 3]


def test_the_end_by_the_rules() -> None:
    ended = {
        "winrate": 0.0,
        "wdl": [0.0, 0.0, 1.0],
        "pv": [],
        "pvNames": [],
        "ended": {"result": "1-0", "reason": "mate"},
    }
    plies, _ = review({9: ended, 8: value(0.3)})
    assert (plies[8]["loss"], plies[8]["played"]["winrate"], plies[8]["best"]["move"]) == (0.0, 1.0, OTHERS[0])
    game = opened()
    notes = [note._replace(is_over=ply >= 5) for ply, note in enumerate(game.notes)]
    drawn = {5: {**ended, "winrate": 0.5}, 4: value(0.5), 6: value(0.9)}
    plies, _ = review(drawn, game._replace(notes=notes))
    assert (plies[5]["counted"], plies[5]["loss"], plies[5]["best"]) == (False, 0.0, None)
    assert not any(ply["counted"] for ply in plies[5:])


def test_an_interrupted_review_goes_on() -> None:
    values = {4: value(0.9), 5: value(0.1), (4, "again"): value(0.65), (3, "best"): value(0.5, "b9a7")}
    record = Record("xiangqi", "a.pgn", 1, opened(), NOTATIONS)
    whole, _ = review(values)
    for steps in range(5):
        searcher = Searcher(values)
        first = OpenReview(0, record, SETTINGS)
        jobs = first.wanted()
        for _ in range(steps):
            job = jobs.pop(0)
            jobs += first.take(job.key, job.make(searcher))  # type: ignore[arg-type]
        kept = json.loads(json.dumps(write_part(first.document())))
        assert kept["complete"] is (steps == 4)
        again = OpenReview(0, record, SETTINGS, kept.get("searches"))
        jobs = again.wanted()
        for job in jobs:
            jobs += again.take(job.key, job.make(searcher))  # type: ignore[arg-type]
        if steps < 4:
            assert plies_of(again) == whole
            assert len(searcher.asked) == 14  # nothing was searched twice


def test_names_in_all_notations() -> None:
    record = Record("xiangqi", "a.pgn", 1, opened(), ["wxf", "iccs"])
    ply = plies_of(OpenReview(0, record, SETTINGS))[0]
    assert (ply["names"], ply["name"]) == ({"wxf": "C2.5", "iccs": "H2-E2"}, "C2.5")
    assert ply["before"] is ply["played"] is ply["loss"] is ply["best"] is None


def test_a_game_without_moves() -> None:
    plies, searcher = review({}, opened(()))
    assert plies == [] and searcher.asked == []


def test_scaled_limits() -> None:
    assert scaled(Limits(nodes=10), 4).nodes == 40 and scaled(Limits(nodes=3), 1, 4).nodes == 1
    assert scaled(Limits(soft_ms=100, hard_ms=100), 4) == Limits(soft_ms=400, hard_ms=400)


def test_notes_are_not_needed_to_be_more_than_plain() -> None:
    assert PlyNote("opening") == PlyNote("opening", False, False, "", None, None)
