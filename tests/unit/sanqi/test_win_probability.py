"""Win, draw and loss from a score, in every game; benchmarks/fit_win_probability.py, which fits the curves."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

import gomoku_protocol.win_probability as gomoku
import junqi_protocol.players.win_probability as junqi
import ucci_engine.win_probability as xiangqi
from game_core.win_probability import Chances, Curves, per_mille
from gomoku_protocol.points import move_at
from gomoku_protocol.position import Position as GomokuPosition
from junqi_protocol.rules.geometry import CAMPS, HOME_POINTS
from junqi_protocol.rules.lineup import FLAG, UNKNOWN
from junqi_protocol.rules.position import Position as JunqiPosition
from search_core.game import MATE, MATE_BOUND, RULED_BOUND, RULED_SCORE
from ucci_engine.position import Position

PAWNS = "3k5/4P4/9/9/9/9/9/9/4p4/4K4 w - - 0 1"
ROOKS = "r2k5/9/9/9/9/9/9/9/9/4K3R w - - 0 1"
SCORES = (*range(-3000, 3001, 10), -27_000, 27_000)


def filled(stones: int) -> GomokuPosition:
    """A Gomoku board with so many stones, and no five."""
    position = GomokuPosition(15, 15, 0)
    points = [(x, y) for y in range(15) for x in range(15)]
    # Pairs of columns and rows: nobody has more than two in a line, besides some diagonals.
    colours: tuple[list[int], list[int]] = ([], [])
    for x, y in points:
        colours[(x + 2 * y) // 2 % 2].append(move_at(x, y))
    position.set_up(colours[0][: (stones + 1) // 2], colours[1][: stones // 2])
    return position


def junqi_board(pieces: int) -> JunqiPosition:
    """A board of Junqi with this number of pieces. Each seat has its flag."""
    position = JunqiPosition("siguo")
    places = [(seat, point) for point in range(HOME_POINTS) if point not in CAMPS for seat in range(4)]
    flags = [(seat, 26) for seat in range(4)]
    for seat, index in [*flags, *(place for place in places if place not in flags)][:pieces]:
        position.place(seat, seat * HOME_POINTS + index, FLAG if index == 26 else UNKNOWN)
    return position


def by_position() -> list[Callable[[int], Chances]]:
    """Each game's chances() at some positions, as functions of the score."""
    xiangqi_positions = (Position(), Position(ROOKS), Position(PAWNS))
    gomoku_positions = map(filled, (0, 30, 100, 224))
    return [
        *(partial(xiangqi.chances, position=position) for position in xiangqi_positions),
        *(partial(gomoku.chances, position=position) for position in gomoku_positions),
        *(partial(junqi.chances, position=junqi_board(pieces)) for pieces in (100, 60, 8)),
    ]


@pytest.mark.parametrize("chances", by_position())
def test_chances_are_fair_and_grow_with_the_score(chances: Callable[[int], Chances]) -> None:
    for score in SCORES:
        found = chances(score)
        assert all(0 <= chance <= 1 for chance in found)
        assert sum(found) == pytest.approx(1)
        assert chances(-score) == pytest.approx(found[::-1])
        assert sum(per_mille(found)) == 1000 and min(per_mille(found)) >= 0
        assert per_mille(chances(-score)) == per_mille(found)[::-1]
    for less, more in itertools.pairwise(sorted(SCORES)):
        assert chances(less).win <= chances(more).win
        assert chances(less).loss >= chances(more).loss
        assert per_mille(chances(less))[0] <= per_mille(chances(more))[0]


@pytest.mark.parametrize("chances", by_position())
@pytest.mark.parametrize("score", [MATE - 1, MATE - 100, MATE_BOUND, RULED_SCORE, RULED_SCORE - 7, RULED_BOUND])
def test_a_forced_end_is_certain(chances: Callable[[int], Chances], score: int) -> None:
    assert chances(score) == (1, 0, 0)
    assert chances(-score) == (0, 0, 1)


def test_less_attacking_material_makes_draws_and_large_scores_surer() -> None:
    start, rooks, pawns = (Position(*fen) for fen in ((), (ROOKS,), (PAWNS,)))
    draws = [xiangqi.chances(0, position).draw for position in (start, rooks, pawns)]
    assert draws == sorted(draws) and draws[0] < 0.4 and draws[2] > 0.8
    assert xiangqi.chances(800, start).win < xiangqi.chances(800, rooks).win
    assert xiangqi.chances(100, start).win > xiangqi.chances(100, rooks).win


def test_a_full_board_is_drawn() -> None:
    at_100 = [gomoku.chances(100, filled(stones)) for stones in range(0, 225, 16)]
    assert [chances.draw for chances in at_100] == sorted(chances.draw for chances in at_100)
    assert at_100[0].draw < 0.03
    assert at_100[-1].draw > 0.99


def test_more_pieces_than_a_set_are_at_the_first_stage() -> None:
    from ucci_engine.extra_pieces import open_position

    crowd = open_position("rrrrkn3/4a4/9/9/9/9/9/9/4A4/RRRRK4 w - - 0 1")
    assert xiangqi.chances(120, crowd) == xiangqi.chances(120, Position())


def test_junqi_s_scores_are_surer_than_they_say() -> None:
    """A score of 10,000 is a win probability of 75 % by the evaluation, which is set by hand."""
    full, half, few = (junqi_board(pieces) for pieces in (100, 50, 8))
    assert junqi.stage(full) == 0 and junqi.stage(half) == 0.5 and junqi.stage(few) == 0.92
    assert junqi.chances(20_000, full) == (1, 0, 0) and junqi.chances(-20_000, full) == (0, 0, 1)
    assert junqi.log_odds(10_000) == pytest.approx(100 * math.log(3)) and junqi.log_odds(0) == 0
    assert junqi.chances(10_000, half).expected_score > 0.85
    assert junqi.chances(0, few).draw > junqi.chances(0, half).draw


def test_the_curves_are_never_out_of_range() -> None:
    steep = Curves((8.0, 10.0), (-3.0,))
    for score in (-27_000, -1, 0, 1, 27_000):
        for stage in (0.0, 0.3, 1.0):
            assert sum(steep.chances(score, stage)) == pytest.approx(1)


def test_the_page_has_the_constants() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "win-probability.md").read_text(encoding="utf-8")
    for curves in (xiangqi.CURVES, gomoku.CURVES, junqi.CURVES):
        cells = [", ".join(map(str, coefficients)).replace("-", "−") for coefficients in curves]
        assert " | ".join(cells) in page


# benchmarks/fit_win_probability.py


@pytest.fixture
def fitting(load_benchmark: Callable[[str], Any]) -> Any:
    pytest.importorskip("numpy")
    return load_benchmark("fit_win_probability")


class Made(NamedTuple):
    """A position with a result by chance."""

    stage: float
    score: int
    result: int


def made(curves: Curves, count: int, seed: int) -> list[Made]:
    """Positions whose results are drawn with the chances of the curves."""
    chance = random.Random(seed)
    positions = []
    for _ in range(count):
        stage, score = chance.random(), round(chance.gauss(0, 300))
        result = chance.choices((1, 0, -1), curves.chances(score, stage))[0]
        positions.append(Made(stage, score, result))
    return positions


def sample_of(fitting: Any, positions: list[Made]) -> Any:
    np = fitting.np
    stages, scores, results = (np.array(values) for values in zip(*positions))
    numbers = np.arange(len(positions))
    return fitting.Sample(numbers, np.full(len(positions), "made"), numbers % fitting.FOLDS, stages, scores, results)


@pytest.mark.parametrize(
    "curves", [Curves((5.3,), (4.8,)), Curves((5.6, -0.7), (4.2, 1.1)), Curves((5.3, 1.5, -2.1), (4.4, 1.6, -0.7))]
)
def test_the_fit_finds_the_curves_that_made_the_games(fitting: Any, curves: Curves) -> None:
    sample = sample_of(fitting, made(curves, 40_000, 3))
    found = fitting.fit(sample, len(curves.log_even_cp) - 1)
    for stage in (0.1, 0.5, 0.9):
        for score in (-400, -100, 0, 30, 250):
            assert found.chances(score, stage) == pytest.approx(curves.chances(score, stage), abs=0.015)
    # Nothing predicts better than the true curves; curves that do not know the stage are worse where it matters.
    true = fitting.losses(fitting.probabilities(curves, sample), sample).mean()
    held_out = fitting.losses(fitting.held_out(sample, len(curves.log_even_cp) - 1), sample).mean()
    assert true - 0.001 < held_out < true + 0.003
    if len(curves.log_even_cp) > 1:
        assert fitting.losses(fitting.held_out(sample, 0), sample).mean() > held_out + 0.003


def test_the_fit_uses_the_formula_of_the_modules(fitting: Any) -> None:
    positions = made(xiangqi.CURVES, 50, 1)
    found = fitting.probabilities(xiangqi.CURVES, sample_of(fitting, positions))
    for row, position in zip(found, positions):
        assert tuple(row) == pytest.approx(xiangqi.CURVES.chances(position.score, position.stage))


def gomoku_games(path: Path, count: int, seed: int) -> None:
    """A file as of tune_gomoku.py; the results follow from random scores by the curves of an empty board."""
    chance = random.Random(seed)
    curves = Curves((1.0,), (5.0,))
    with path.open("w", encoding="utf-8") as file:
        for _ in range(count):
            moves = [move_at(x, y) for x, y in chance.sample([(x, y) for x in range(15) for y in range(15)], 6)]
            score = round(chance.gauss(0, 200))
            result = chance.choices((0, None, 1), curves.chances(score, 0))[0]
            scores = [score, -score, 31_999]
            game = {
                "rule": 0,
                "start": 3,
                "moves": moves,
                "scores": scores,
                "winner": None if result is None else 1 - result,
            }
            file.write(json.dumps(game) + "\n")
        file.write('{"rule": 0, "sta')  # the next game is being played


def test_games_become_constants_and_a_plot(fitting: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gomoku_games(tmp_path / "games.jsonl", 900, 5)
    fitting.main([str(tmp_path / "games.jsonl"), "--plot", str(tmp_path / "plot.svg"), "--every", "1"])
    said = capsys.readouterr().out
    assert said.startswith("games: 900 games, 1800 positions\n")  # forced wins are no positions
    constant, present, same, curves = map(float, re.findall(r" (\d\.\d{4})\b(?!\))", said))
    assert curves < constant - 0.1
    assert curves == pytest.approx(present, abs=0.01)  # e^5 is near the spread of Gomoku's curves on an empty board
    assert curves == pytest.approx(same, abs=0.01)
    constants = re.search(r"^CURVES = (Curves\(.*^\))", said, re.MULTILINE | re.DOTALL)
    assert constants is not None
    found = eval(constants[1], {"Curves": Curves})
    assert math.exp(found.log_spread_cp[0]) == pytest.approx(math.exp(5), rel=0.25)
    plot = ElementTree.fromstring((tmp_path / "plot.svg").read_text(encoding="utf-8"))
    assert len([node for node in plot.iter() if node.tag.endswith("circle")]) > 10
    assert "script" not in {node.tag.rpartition("}")[2] for node in plot.iter()}


def match_line(number: int, moves: list[str], scores: list[int | None], **changes: object) -> dict[str, Any]:
    """A game of Xiangqi as `sanqi match --out` writes it, with two moves of an opening."""
    return {
        "game": number, "red": "a", "black": "b", "result": "0-1", "reason": "mate", "detail": "", "opening_line": 1,
        "opening_plies": 2, "start": "", "duplicate": False, "moves": moves,
        "thoughts": [[ply % 2, 1.0, 8, 100, 1.0, score] for ply, score in enumerate(scores)], **changes,
    }  # fmt: skip


def match_file(path: Path, *games: dict[str, Any], **terms: str) -> Path:
    head = {"match": {"terms": {"game": "xiangqi", **terms}, "limit": {"nodes": 8000}}, "format": 1}
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *games)), encoding="utf-8")
    return path


def test_positions_of_a_match(fitting: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "FOLDS", 1)
    moves = ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7"]
    file = match_file(
        tmp_path / "match.jsonl",
        match_line(1, moves, [40, -50, None, 29_995]),
        match_line(2, moves, [40, -50, None, 29_995]),  # the same game
        match_line(3, moves[:4], [70, 80], reason="adjudication"),
        match_line(4, moves[:4], [12, 13], result="1/2-1/2", reason="repetition"),
    )
    name, sample, counts = fitting.read_sample([file], 1)
    assert (name, counts) == ("xiangqi", {"8000 nodes": 2})
    rows = zip(sample.stage.tolist(), sample.score.tolist(), sample.result.tolist())
    assert list(rows) == [(1.0, 40, -1), (1.0, -50, 1), (1.0, 12, 0), (1.0, 13, 0)]


def test_positions_of_a_match_of_junqi(fitting: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real games of junqi_match.py: those of a deal have the sides swapped."""
    monkeypatch.setattr(fitting, "FOLDS", 1)
    file = tmp_path / "games.jsonl"
    command = [sys.executable, Path(fitting.__file__).with_name("junqi_match.py"), "search:30", "search:2000"]
    command += ["--variant", "duel", "--games", "4", "--processes", "1", "--out", file]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    deals = list(map(json.loads, file.read_text(encoding="utf-8").splitlines()))
    name, sample, counts = fitting.read_sample([file], 1)
    assert (name, counts) == ("junqi", {"games": 4})
    rows = iter(zip(sample.stage.tolist(), sample.score.tolist(), sample.result.tolist()))
    for deal in deals:
        for winner, points, searched in zip((0, 1), deal["points"], deal["searched"]):
            # The first player has team 0 in the first game, team 1 in the second.
            won = {0: 1 - winner, 0.5: None, 1: winner}[points]
            assert searched[0][2] == 0 and len(searched) > 20
            for team, score, stage in searched:
                if abs(score) < 20_000:
                    result = 0 if won is None else 1 if team == won else -1
                    assert next(rows) == (stage, pytest.approx(junqi.log_odds(score)), result)
    assert next(rows, None) is None
    # The score is for the team that moves: whoever has taken more wins more often.
    assert sum(sample.score * sample.result) > 0


def test_files_that_cannot_be_used(fitting: Any, tmp_path: Path) -> None:
    moves = ["h2e2", "h9g7", "e2e6"]
    match = match_file(tmp_path / "match.jsonl", match_line(1, moves, [40]))
    gomoku_games(tmp_path / "gomoku.jsonl", 3, 1)
    (tmp_path / "text").write_text("h2e2\n", encoding="utf-8")
    broken = match_file(tmp_path / "broken.jsonl", match_line(1, ["h2e2", "h9g9", "e2e6"], [40]))
    for files, fault in (
        ((tmp_path / "text",), "text is not a file of games with scores"),
        ((match, tmp_path / "gomoku.jsonl"), "gomoku.jsonl has games of gomoku, .*match.jsonl of xiangqi"),
        ((match_file(tmp_path / "junqi.jsonl", game="junqi"),), "junqi.jsonl is not a file of games"),
        ((tmp_path / "missing",), "missing: No such file"),
        ((broken,), "broken.jsonl: .*h9g9"),
        ((match,), "too few games"),
    ):
        with pytest.raises(SystemExit, match=fault):
            fitting.main(list(map(str, files)))
