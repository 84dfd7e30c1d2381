"""The review of Junqi: each move is judged by what its seat knew, and the truth stands beside it."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import pytest

from game_core.analysis import Finding, Variation
from game_core.engine_analyst import EngineAnalyst
from game_core.review import END_GAME, OPENING
from game_core.win_probability import Chances
from game_review.json_parts import write_part
from game_review.review_document import GameReport, ReviewSettings
from game_review.review_game import Record
from game_review.review_hidden import HiddenReview, review_of
from junqi_protocol.knowledge.player_view import view_of
from junqi_protocol.records.display import ENGLISH
from junqi_protocol.records.records import RecordError, Replay
from junqi_protocol.review.analysis import NOTATIONS
from junqi_protocol.review.hindsight import Hindsight, possible_text
from junqi_protocol.review.review import RecordedGame, open_game
from junqi_protocol.rules import lineup
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import VARIANTS, parse_move
from junqi_protocol.rules.lineup import PIECES, LineupError, random_lineup
from junqi_protocol.rules.messages import BestMove, Moved, Terms
from junqi_protocol.rules.position import resolve_combat
from search_core.thinker import Limits

DATA = Path(__file__).parents[2] / "data"
SETTINGS = ReviewSettings(nodes=300)
KNOWN_TO_ALL = ("ply", "side", "move", "before", "played", "loss", "mark", "best", "expected", "confirmed")


def recorded(name: str) -> Arbiter:
    return Replay((DATA / name).read_bytes()).arbiter


def up_to(arbiter: Arbiter, plies: int, lineups: list[str] | None = None) -> Arbiter:
    """The same game after fewer plies. Raises ValueError if it cannot be played with these lineups."""
    earlier = Arbiter(arbiter.terms, lineups or arbiter.lineups)
    for happening in arbiter.happenings[:plies]:
        earlier.repeat(happening)
    return earlier


def written(game: GameReport) -> Any:
    return json.loads(json.dumps(write_part(game)))


def review(arbiter: Arbiter, see: str = "own", nodes: int = 300) -> dict[str, Any]:
    """The document of a game."""
    game = open_game(arbiter, argparse.Namespace(see=see))
    record = Record("junqi", "a.jgr", 1, game, NOTATIONS)
    of = review_of(0, record, ReviewSettings(nodes=nodes))
    analyst = EngineAnalyst(1)
    jobs = of.wanted()
    while jobs:
        job = jobs.pop()
        jobs += of.take(job.key, job.work(analyst).found)
    analyst.close()
    document = of.document()
    assert document.complete
    found: dict[str, Any] = written(document)
    return found


def without_truth(ply: dict[str, Any]) -> dict[str, Any]:
    """What a seat knew and how it was judged."""
    shown = {name: ply[name] for name in KNOWN_TO_ALL}
    pieces = [{**piece, "truth": "", "texts": {**piece["texts"], "truth": ""}} for piece in ply["pieces"]]
    return {**shown, "outcome": ply["outcome"], "pieces": pieces}


@pytest.mark.parametrize(
    ("name", "see"),
    [("duel.jgr", "own"), ("siguo.jgr", "own"), pytest.param("siguo.jgr", "team", marks=pytest.mark.long)],
)
def test_the_truth_changes_nothing(name: str, see: str) -> None:
    """Two pieces are exchanged that their seat knows and another one cannot know."""
    arbiter = up_to(recorded(name), 40)
    chance = random.Random(1)
    before = review(arbiter, see)
    compared = differ = 0
    while compared < 2:
        seat, one, other = chance.randrange(arbiter.variant.seats), chance.randrange(30), chance.randrange(30)
        changed = list(arbiter.lineups[seat])
        changed[one], changed[other] = changed[other], changed[one]
        lineups = [*arbiter.lineups[:seat], "".join(changed), *arbiter.lineups[seat + 1 :]]
        try:
            lineup.check(lineups[seat])
            after = review(up_to(arbiter, 40, lineups), see) if lineups != arbiter.lineups else None
        except (LineupError, ValueError):
            continue
        if after is None:
            continue
        compared += 1
        blind = [str(each) for each in range(arbiter.variant.seats) if seat not in arbiter.sees((each,), see)]
        for ply, again in zip(before["plies"], after["plies"]):
            if ply["side"] in blind:
                assert without_truth(ply) == without_truth(again)
        differ += before["plies"] != after["plies"]
    assert differ


def test_luck_is_no_mistake() -> None:
    """The same attack, where the target is weak and where it is strong: only the outcome differs."""
    arbiter = recorded("duel.jgr")
    pairs = []
    for ply, happening in enumerate(arbiter.happenings):
        if not isinstance(happening, Moved) or happening.result == 0:
            continue
        other = 1 - happening.seat
        for one in range(30):
            for two in range(one):
                changed = list(arbiter.lineups[other])
                changed[one], changed[two] = changed[two], changed[one]
                lineups = list(arbiter.lineups)
                lineups[other] = "".join(changed)
                try:
                    lineup.check(lineups[other])
                    twin = up_to(arbiter, ply, lineups)
                except (LineupError, ValueError):
                    continue
                twin.answer(BestMove("", happening.move, twin.next_ply))
                last = twin.happenings[-1]
                if isinstance(last, Moved) and last.result != happening.result and not last.outs:
                    pairs.append((up_to(arbiter, ply + 1), twin))
                    break
        if len(pairs) >= 3:
            break
    assert len(pairs) >= 3
    for one_game, other_game in pairs[:3]:
        one, other = review(one_game)["plies"][-1], review(other_game)["plies"][-1]
        assert one["outcome"]["result"] != other["outcome"]["result"]
        assert {name: one[name] for name in KNOWN_TO_ALL} == {name: other[name] for name in KNOWN_TO_ALL}


@pytest.mark.long
@pytest.mark.parametrize(("plies", "move"), [(88, "c1b1"), (83, "e11e10")])
def test_a_planted_blunder_is_found(plies: int, move: str) -> None:
    arbiter = up_to(recorded("duel.jgr"), plies)
    arbiter.answer(BestMove("", parse_move(arbiter.variant, move), arbiter.next_ply))
    ply = review(arbiter, nodes=20_000)["plies"][-1]
    assert (ply["mark"], ply["confirmed"]) == ("blunder", True)
    assert ply["best"]["move"] != move
    assert ply["loss"] == pytest.approx(ply["before"]["winrate"] - ply["played"]["winrate"], abs=2e-4)


def test_the_document_of_four_seats() -> None:
    arbiter = recorded("siguo.jgr")
    game = review(arbiter)
    json.dumps(game)
    assert game["players"] == ["3", "0", "1", "2"] and game["names"] == [""] * 4
    assert game["result"] == {"result": "win 0,2", "reason": "flag"}
    assert game["headers"]["Variant"] == "siguo"
    assert list(game["sides"]) == ["3", "0", "1", "2", "1,3", "0,2"]
    assert game["sides"]["0,2"]["moves"] == game["sides"]["0"]["moves"] + game["sides"]["2"]["moves"]
    assert (game["plies"][0]["phase"], game["plies"][-1]["phase"]) == (OPENING, END_GAME)
    for ply, happening in zip(game["plies"], arbiter.happenings):
        assert isinstance(happening, Moved) and ply["side"] == str(happening.seat)
        assert (ply["outcome"]["chance"] is None) == (happening.result == 0)
        assert ply["outcome"]["text"] == ("", "takes", "dies", "both die")[happening.result]
        assert len(ply["best"]["pv"]) == len(ply["best"]["pvNames"]) == len(ply["best"]["pvOutcomes"]) > 0
        assert ply["expected"]["pv"][0] == ply["move"] and "pv" not in ply["played"]
        for piece in ply["pieces"]:
            assert piece["truth"] in piece["possible"] and piece["types"].keys() <= set(piece["possible"])
            assert sum(piece["types"].values()) == pytest.approx(1, abs=0.01)
            assert int(piece["seat"]) % 2 != happening.seat % 2
    assert {ply["rule"]["kind"] for ply in game["plies"] if ply["rule"]} == {"flag shown", "seat out"}


def test_what_is_revealed_is_true_and_known() -> None:
    arbiter = recorded("siguo.jgr")
    found = 0
    for ply in review(arbiter)["plies"]:
        earlier = up_to(arbiter, ply["ply"])
        for one in ply["revealed"]:
            found += 1
            point = arbiter.variant.numbers[one["point"]]
            assert dict(earlier.position.pieces(int(one["seat"])))[point] == PIECES.index(one["type"])
            types = view_of(earlier, int(one["to"]), "own").knowledge.living[int(one["seat"])][point]
            assert types == 1 << PIECES.index(one["type"]) and one["to"] != one["seat"]
    assert found > 10


def test_the_probability_of_an_end_is_that_of_its_types() -> None:
    """Also of ends that the search leaves out, since they are improbable."""
    arbiter = recorded("siguo.jgr")
    clashes = [
        (ply, happening, piece)
        for ply, happening in zip(review(arbiter)["plies"], arbiter.happenings)
        for piece in ply["pieces"]
        if isinstance(happening, Moved) and piece["role"] == "attacked"
    ]
    assert len(clashes) > 20
    for ply, clash, piece in clashes:
        mover = PIECES.index(up_to(arbiter, ply["ply"] - 1).view(None)[clash.move >> 8][1])
        fell = any(reason == "flag" for _, reason in clash.outs)
        chance = sum(
            share
            for letter, share in piece["types"].items()
            if (resolve_combat(mover, PIECES.index(letter)), letter == "F") == (clash.result, fell)
        )
        assert ply["outcome"]["chance"] == pytest.approx(chance, abs=0.001)


TURNS = """record 1
newgame variant duel first 1
lineup 0 71548/2.3.B/62.97/B.1.5/213MM/M43F6
lineup 1 57816/4.2.2/92.73/B.1.1/3B5M3/6FM4M
start 1
moved 1 1 c7c6 EAT
moved 2 0 c5c4 MOVE
moved 3 1 a9b8 MOVE
moved 4 0 a6a7 EAT
moved 5 1 a10b10 MOVE
moved 6 0 d6c6 KILLED
moved 7 1 c6b6 EAT
moved 8 0 e6e7 EAT
moved 9 1 b7e7 KILLED
"""


def test_an_engineer_turns_round_a_piece_in_its_way() -> None:
    """The straight line from b7 to e7 is blocked by d7."""
    arbiter = Replay(TURNS.encode()).arbiter
    earlier = view_of(up_to(arbiter, 8), 0, "own")
    clue = Hindsight(arbiter)._clues[earlier.knowledge.homes[parse_move(arbiter.variant, "b7e7") >> 8]]
    assert [(each.ply, each.kind) for each in clue] == [(9, "turned")]


TURNS_TWICE = """record 1
newgame variant duel first 1
lineup 0 49317/2.5.B/22.51/8.7.3/MMM31/BF646
lineup 1 64394/5.2.1/BB.28/7.3.3/712MM/51MF6
start 1
moved 1 1 a7a6 BOMB
moved 2 0 c6c7 BOMB
moved 3 1 a8b6 KILLED
moved 4 0 d6c7 MOVE
moved 5 1 a9a5 EAT
moved 6 0 c7d6 MOVE
"""


def test_only_the_first_turn_on_the_rails_is_a_clue() -> None:
    arbiter = Replay(TURNS_TWICE.encode()).arbiter
    clue = Hindsight(arbiter)._clues[parse_move(arbiter.variant, "d6c7") >> 8]
    assert [(each.ply, each.kind) for each in clue] == [(4, "turned"), (6, "moved")]


def test_turns_without_a_move() -> None:
    terms = Terms(VARIANTS["duel"], skips=2)
    chance = random.Random(3)
    arbiter = Arbiter(terms, [random_lineup(chance), random_lineup(chance)])
    arbiter.skip("pass")
    arbiter.answer(BestMove("", arbiter.position.legal_moves()[0], arbiter.next_ply))
    arbiter.skip("time")
    game = review(arbiter)
    passed, moved, out = game["plies"]
    assert (passed["move"], passed["name"], passed["loss"], passed["counted"]) == ("pass", "pass", None, False)
    assert passed["rule"] == {"kind": "turn skipped", "side": None, "text": "Seat 0 does not move (pass, 1)."}
    assert moved["counted"] and moved["loss"] is not None
    assert (out["outcome"]["result"], out["rule"]["kind"]) == ("time out 0 skips", "seat out")
    assert game["result"] == {"result": "win 1", "reason": "skips"}
    assert [game["sides"][side]["counted"] for side in "01"] == [0, 1]
    arbiter = Arbiter(terms, arbiter.lineups)
    arbiter.leave("resign")
    (left,) = review(arbiter)["plies"]
    assert (left["move"], left["outcome"]["result"]) == ("resign", "resign out 0")


def test_a_game_without_plies() -> None:
    arbiter = up_to(recorded("siguo.jgr"), 0)
    game = review(arbiter)
    assert game["plies"] == [] and game["result"] == {"result": "*", "reason": ""}


def test_positions_in_any_order() -> None:
    arbiter = recorded("siguo.jgr")
    game = RecordedGame(arbiter, "own")
    for ply in (50, 49, 51, 3, 0, 90, 12, 91):
        turn = game.at(ply)
        assert turn.to_move == up_to(arbiter, ply).turn
        played = game.played(ply)
        assert played is not None and turn.move_text(turn.read_move(played)) == played
    game.forget()
    assert game.at(93).ended is not None and game.played(93) is None


def test_an_interrupted_review_goes_on() -> None:
    arbiter = up_to(recorded("duel.jgr"), 12)
    game = open_game(arbiter, argparse.Namespace(see="own"))
    record = Record("junqi", "a.jgr", 1, game, NOTATIONS)
    analyst = EngineAnalyst(1)
    first = review_of(0, record, SETTINGS)
    before = first.wanted()[:5]
    for job in before:
        first.take(job.key, job.work(analyst).found)
    kept = written(first.document())
    assert kept["complete"] is False and kept["plies"][11]["loss"] is None
    again = review_of(0, record, SETTINGS, kept["searches"])
    jobs = again.wanted()
    assert {job.key for job in jobs}.isdisjoint(job.key for job in before)
    for job in jobs:
        again.take(job.key, job.work(analyst).found)
    assert written(again.document()) == review(arbiter)
    damage: Any
    for damage in (5, {}, {"before": {}}, {**kept["searches"]["values"]["0"], "played": None}):
        kept["searches"]["values"]["0"] = damage
        with pytest.raises(ValueError):
            review_of(0, record, SETTINGS, kept["searches"])
    analyst.close()


class Scores:
    """An analyst with a score for each depth: of the best move, and of the one that was played."""

    def __init__(self, best: list[int], played: list[int]) -> None:
        self.scores = (best, played)
        self.limits: list[Limits] = []

    def clear(self) -> None:
        pass

    def finding(self, subject: Any, number: int, turn: Any, limits: Limits) -> Finding:
        scores = self.scores[len(self.limits) % 2]
        self.limits.append(limits)
        played = turn.read_move(subject.played(number))
        other = next(move for move in turn.legal_moves() if move != played)
        move = (played,) if len(self.limits) % 2 == 0 else (other,)
        lines = tuple(
            Variation(move, score, depth=depth, chances=Chances(0.5 + score / 40_000, 0.0, 0.5 - score / 40_000))
            for depth, score in enumerate(scores, 1)
        )
        return Finding(lines[-1:], len(scores), 1, 1, lines)


@pytest.mark.parametrize(
    ("best", "played", "loss", "confirmed"),
    [
        ([0, 0, 4000], [0, 0, 0], 0.0, False),  # only the last depth sees it
        ([0, 4000, 4000], [0, 0, 0], 0.1, True),
        ([0, 4000, 4000, 8000], [0, 0, 800], 0.08, True),  # the deepest that both have finished
        ([0, 0], [0, 0, -8000], 0.0, False),
        ([0, 1000], [4000, 4000], 0.0, None),
        ([0, 1000], [0, 0], 0.0, None),
    ],
)
def test_losses_are_compared_at_the_same_depth(
    best: list[int], played: list[int], loss: float, confirmed: bool | None
) -> None:
    game = open_game(up_to(recorded("duel.jgr"), 1), argparse.Namespace(see="own"))
    of = HiddenReview(0, Record("junqi", "a.jgr", 1, game, NOTATIONS), SETTINGS)
    searcher: Any = Scores(best, played)
    jobs = of.wanted()
    while jobs:
        job = jobs.pop()
        jobs += of.take(job.key, job.make(searcher))
    (ply,) = written(of.document())["plies"]
    assert (ply["loss"], ply["confirmed"]) == (pytest.approx(loss), confirmed)
    assert [limits.depth for limits in searcher.limits] == [0, len(best) + 2, 0, len(best)][: len(searcher.limits)]
    if confirmed is None:
        assert len(searcher.limits) == 2
    else:  # the second search of both
        assert [limits.nodes for limits in searcher.limits] == [300, 300, 1200, 1200]
        assert [len(limits.root_moves) for limits in searcher.limits] == [0, 1, 0, 1]


def test_words_for_types() -> None:
    def mask(letters: str) -> int:
        return sum(1 << PIECES.index(letter) for letter in letters)

    assert possible_text(mask("9"), ENGLISH) == "must be commander"
    assert possible_text(mask("98"), ENGLISH) == "can be commander or general"
    assert possible_text(mask("987"), ENGLISH) == "can be commander to division"
    assert possible_text(mask("9761BM"), ENGLISH) == "can be commander, division, brigade, engineer, bomb or mine"
    assert possible_text(mask("987654321B"), dict(zip(PIECES, PIECES))) == "can be 9 to 1 or B"


def test_clues_name_only_what_the_seat_could_see() -> None:
    arbiter = recorded("siguo.jgr")
    hindsight = Hindsight(arbiter)
    texts = set()
    for ply, happening in enumerate(arbiter.happenings):
        if isinstance(happening, Moved):
            view = view_of(up_to(arbiter, ply), happening.seat, "own")
            for row in hindsight.rows(view, happening.move, None, "english"):
                texts.add(row.texts.knew)
                own = f"seat {happening.seat}'s "
                assert "'s " not in row.texts.knew.replace(own, "")
    assert any("took seat" in text for text in texts) and any("has not moved" in text for text in texts)
    assert any("took a piece of seat" in text for text in texts)


BROKEN = {
    "lineup 0": ("lineup 9", "a seat must be a number from 0 to 3"),
    "moved 2 0 g6f7 EAT": ("moved 2 1 g6f7 EAT", "expected ply 2 of seat 0"),
    "moved 3 1 l7f7 BOMB": ("moved 3 1 l7f7 EAT", "by the rules: moved 3 1 l7f7 BOMB"),
    "gameover win 0,2 flag": ("gameover win 1,3 flag", "by the rules: win 0,2 flag"),
}


@pytest.mark.parametrize("old", BROKEN)
def test_broken_records_are_refused(old: str) -> None:
    new, reason = BROKEN[old]
    text = (DATA / "siguo.jgr").read_text(encoding="ascii").replace(old, new, 1)
    with pytest.raises(RecordError, match=reason):
        Replay(text.encode())
