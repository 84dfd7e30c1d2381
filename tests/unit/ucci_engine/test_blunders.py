"""benchmarks/xiangqi_blunders.py: which positions it keeps, what counts as a blunder, and how engines are compared."""

from __future__ import annotations

import json
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from search_core.parameters import PARAMETERS
from ucci_engine.position import Position

SANQI = f"{sysconfig.get_path('scripts')}/sanqi uci"
# Red's rook takes the rook that attacks it, or is taken.
HANGING = "fen 3k5/9/9/9/9/4r4/9/4R4/9/5K3 w"


@pytest.fixture
def blunders(load_benchmark: Callable[[str], Any]) -> Any:
    return load_benchmark("xiangqi_blunders")


def judged(number: int, best: int, played: int, nodes: int = 2_000_000) -> dict[str, Any]:
    return {"id": f"1/{number}", "nodes": nodes, "best_score": best, "played_score": played}


def test_positions_follow_the_opening_and_come_once(blunders: Any) -> None:
    moves = ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "g6g5", "b0c2"]
    first = {"game": 1, "start": "", "opening_plies": 2, "moves": moves}
    third = {**first, "game": 3, "moves": [*moves[:-1], "b2b6"]}
    found = list(blunders.positions_of([third, first], 2))
    assert [position["id"] for position in found] == ["1/2", "1/4", "1/6"]
    assert found[1]["position"] == "startpos moves h2e2 h9g7 h0g2 i9h9"
    fen = Position().fen()
    set_up = list(blunders.positions_of([{**first, "start": fen, "opening_plies": 0}], 3))
    assert set_up[1]["position"] == f"fen {fen} moves h2e2 h9g7 h0g2"


def test_the_games_of_an_opening_are_in_the_same_half(blunders: Any) -> None:
    assert [blunders.half_of(game) for game in range(1, 7)] == ["tuning"] * 2 + ["held-out"] * 2 + ["tuning"] * 2


def test_a_blunder_is_judged_by_the_long_search(blunders: Any) -> None:
    assert blunders.is_blunder(judged(1, 100, -200))
    assert not blunders.is_blunder(judged(1, 100, -199))
    assert not blunders.is_blunder(judged(1, 100, -200, nodes=200_000))
    missed_mate = judged(1, 29_995, 1_400)
    assert blunders.is_blunder(missed_mate)
    assert not blunders.is_blunder(missed_mate, limit=1000)


@pytest.mark.parametrize(
    ("first", "second", "p"), [(0, 0, 1.0), (5, 0, 0.0625), (0, 6, 0.03125), (3, 3, 1.0), (9, 1, 22 / 1024)]
)
def test_mcnemar_p(blunders: Any, first: int, second: int, p: float) -> None:
    assert blunders.mcnemar_p(first, second) == pytest.approx(p)


def test_only_positions_of_both_files_are_compared(blunders: Any) -> None:
    first = [judged(1, 0, -300), judged(2, 0, -300), judged(3, 0, 0), judged(4, 0, -500)]
    second = [judged(3, 0, 0), judged(2, 0, -400), judged(1, 0, 0)]
    assert blunders.comparison(first, second) == (
        "3 positions: 2 and 1 blunders, 1 only by the first, 0 only by the second, p = 1"
    )


def test_the_mean_loss_is_that_of_common_positions(blunders: Any) -> None:
    first = [{"id": "1/1", "loss": 0}, {"id": "1/2", "loss": 5000}, {"id": "1/3", "loss": 90}]
    second = [{"id": "1/2", "loss": 100}, {"id": "1/1", "loss": 0}]
    assert blunders.mean_losses(first, second) == ("mean loss, limited to 300: 150.00 and 50.00, -100.00 ± 196.00")
    assert "too few" in blunders.mean_losses(first, [])


def test_switches_are_within_the_ranges_of_the_parameters(blunders: Any) -> None:
    ranges = {name: (default, minimum, maximum) for name, default, minimum, maximum in PARAMETERS}
    for changes in [*blunders.SWITCHES.values(), *blunders.BY_CHANCE.values()]:
        for name, value in changes.items():
            default, minimum, maximum = ranges[name]
            assert minimum <= value <= maximum, name
            assert value != default, name


def test_a_file_goes_on_after_its_last_whole_line(blunders: Any, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    made = {"parameters": [("rfp_margin", 1)]}
    blunders.JsonLines(path, made, resume=False).add({"id": 1})
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": 2')
    again = blunders.JsonLines(path, made, resume=True)
    again.add({"id": 3})
    assert again.lines == [{"id": 1}]
    assert blunders.read_lines(path) == [{"id": 1}, {"id": 3}]
    with pytest.raises(SystemExit, match="--resume"):
        blunders.JsonLines(path, made, resume=False)
    with pytest.raises(SystemExit, match="made otherwise"):
        blunders.JsonLines(path, {"parameters": []}, resume=True)


@pytest.mark.parametrize("text", ['{"any": "file"}', "notes\n\nof mine", "[1]\n", '{"other": 1}\n{"hal'])
def test_a_file_of_something_else_stays_as_it_is(blunders: Any, tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match="notes"):
        blunders.JsonLines(path, {"parameters": []}, resume=True)
    assert path.read_text(encoding="utf-8") == text


def test_a_judged_move_and_its_causes(
    blunders: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SANQI_TUNE", "1")
    for name, nodes in (("PREFILTER_NODES", 500), ("JUDGE_NODES", 1000)):
        monkeypatch.setattr(blunders, name, nodes)
    positions, moves, searches, found = (tmp_path / name for name in ("p.jsonl", "m.jsonl", "s.jsonl", "c.jsonl"))
    blunders.JsonLines(positions, {}, resume=False).add({"id": "1/0", "half": "tuning", "position": HANGING})
    programs = ["--engine", SANQI, "--reference", SANQI, "--searches", str(searches), "--workers", "1"]

    def run(*words: str) -> None:
        monkeypatch.setattr(sys, "argv", ["xiangqi_blunders.py", *words])
        blunders.main()

    run("judge", str(positions), "--out", str(moves), *programs, "--nodes", "100")
    line = blunders.read_lines(moves)[0]
    assert (line["move"], line["best"], line["loss"]) == ("e2e4", "e2e4", 0)
    assert "1 positions: 0 blunders" in capsys.readouterr().out

    reference = blunders.Reference(None, SANQI)
    with blunders.running((SANQI, 1)) as (engine,):
        wrong = reference.judge(engine, HANGING, "f0f1")
    assert (wrong["nodes"], wrong["best"], wrong["loss"] >= blunders.BLUNDER) == (1000, "e2e4", True)

    moves.write_text("{}\n" + json.dumps({**line, **wrong, "move": "f0f1"}) + "\n", encoding="utf-8")
    run("causes", str(moves), "--out", str(found), *programs, "--nodes", "100")
    steps = [*blunders.SWITCHES, *blunders.BY_CHANCE, blunders.TWICE_THE_NODES]
    assert [line["off"] for line in blunders.read_lines(found)] == steps
    rows = capsys.readouterr().out.splitlines()
    assert rows[1].split() == ["razoring", "1", "1", "0"]
    known = searches.read_text(encoding="utf-8")
    run("causes", str(moves), "--out", str(found), *programs, "--nodes", "100", "--resume")
    assert searches.read_text(encoding="utf-8") == known


def test_a_blunder_of_two_references_is_one_for_both(blunders: Any) -> None:
    def line(number: int, move: str, best: int, played: int) -> dict[str, Any]:
        return {**judged(number, best, played), "move": move, "loss": best - played}

    one = [line(1, "h2e2", 100, -300), line(2, "h2e2", 100, -300), line(3, "h2e2", 0, 0)]
    other = [line(2, "h2e2", 150, -400), line(1, "h2e2", 90, 0)]
    found = blunders.milder(one, other)
    assert [blunders.is_blunder(each) for each in found] == [False, True]
    with pytest.raises(ValueError, match="1/1: another move was judged"):
        blunders.milder([line(1, "b2e2", 100, -300)], other)
