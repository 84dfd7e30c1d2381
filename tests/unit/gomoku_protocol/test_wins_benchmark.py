"""benchmarks/gomoku_wins.py: which positions it keeps, what counts as seen, and how engines are compared."""

from __future__ import annotations

import argparse
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
OPENING = ["7,7", "6,6"]
# Black has two open threes, White nothing: Black to move makes an open four.
OPEN_THREES = ["7,7", "0,0", "8,7", "0,14", "9,7", "14,0", "7,8", "14,14", "7,9", "3,0"]


@pytest.fixture
def wins(load_benchmark: Callable[[str], Any]) -> Any:
    return load_benchmark("gomoku_wins")


def game(scores: list[int | None], number: int = 1, result: str = "1-0", **changes: object) -> dict[str, Any]:
    """A game with a score for each move after the opening, Black's first."""
    moves = [*OPENING, *(f"{ply % 15},{ply // 15}" for ply in range(len(scores)))]
    thoughts = [[ply % 2, 1.0, 8, 100, 1.0, score] for ply, score in enumerate(scores)]
    return {
        "game": number, "black": "strong", "white": "opponent", "result": result, "reason": "five",
        "opening_plies": len(OPENING), "moves": moves, "thoughts": thoughts, **changes,
    }  # fmt: skip


def test_the_win_is_kept_from_where_it_was_announced_to_the_end(wins: Any) -> None:
    played = game([10, -20, 29_977, -50, 300, -400, 29_979, -29_980, None, -29_982, 29_999])
    found = wins.win_of(played, {"strong"})
    assert found == {
        "id": "1/8", "half": "tuning", "announced": 21, "opening_plies": 2, "moves": played["moves"][:8],
    }  # fmt: skip


@pytest.mark.parametrize(
    "played",
    [
        game([10, -20, 300, -300, 900]),  # never announced
        game([29_981, -20, 29_983, -300, 29_999]),  # at the first move
        game([None, -20, 29_983, -300, 29_999]),  # no score at the moves before
        game([10, -20, 29_983, -300, 29_999], white="strong", black="opponent"),
        game([10, -20, 29_983, -300, 29_999], reason="time"),
        game([10, -20, 29_983, -300, 29_999], result="1/2-1/2"),
        game([10, -20, 29_983, -300, 29_999], result="0-1"),
        game([]),
    ],
)
def test_games_without_a_position(wins: Any, played: dict[str, Any]) -> None:
    assert wins.win_of(played, {"strong"}) is None


def test_the_winner_may_be_white_and_any_strong_program(wins: Any) -> None:
    played = game([10, 20, -300, 29_989, -29_990, 29_999], number=3, result="0-1")
    assert wins.win_of(played, {"strong"}) is None
    found = wins.win_of(played, {"strong", "opponent"})
    assert (found["id"], found["half"], found["announced"]) == ("3/5", "held-out", 11)


def test_a_position_is_kept_once(wins: Any) -> None:
    first = game([10, -20, 29_999])
    moves = first["moves"]
    same = game([10, -20, 29_999], number=2, moves=[moves[2], moves[1], moves[0], *moves[3:]])
    other = game([10, -20, 29_999], number=4, moves=[moves[0], "8,8", *moves[2:]])
    found = list(wins.wins_of([other, same, first], {"strong"}))
    assert [win["id"] for win in found] == ["1/4", "4/4"]


class Answer(NamedTuple):
    move: str
    score_cp: int | None


class Judge:
    """Announces a loss from a number of moves on. After `forced` moves it has one move only, and so no score; after
    `agreed` moves it would play like the loser."""

    def __init__(self, lost_from: int, forced: int = -1, agreed: int = -1) -> None:
        self._lost_from, self._forced, self._agreed = lost_from, forced, agreed

    def ask(self, moves: list[str]) -> Answer:
        if len(moves) == self._forced:
            return Answer("9,9", None)
        move = "6,6" if len(moves) == self._agreed else "9,9"
        return Answer(move, -29_980 if len(moves) >= self._lost_from else -120)


@pytest.mark.parametrize(
    ("judge", "before"),
    [
        (Judge(9), 7),
        (Judge(8), 7),
        (Judge(7), 5),
        (Judge(9, forced=7), 5),
        (Judge(9, agreed=7), 5),
        (Judge(0), None),
    ],
)
def test_the_mistake_is_looked_for_backwards(wins: Any, judge: Judge, before: int | None) -> None:
    moves = [*OPENING, "1,1", "2,2", "3,3", "4,4", "5,5", "6,6"]
    found = wins.before_mistake(judge, {"moves": moves, "opening_plies": 2})
    assert found["before"] == before
    if before is not None:
        assert found == {"before": before, "mistake": moves[before], "better": "9,9", "better_score": -120}


def arguments(**changes: object) -> argparse.Namespace:
    usual = {
        "strong": "./rapfi", "opponent": "", "games": 4, "nodes": 1000, "opponent_nodes": 0, "movetime": 0,
        "openings": None, "workers": 1, "resume": False,
    }  # fmt: skip
    return argparse.Namespace(**{**usual, **changes})


@pytest.mark.parametrize(
    ("changes", "second"),
    [
        ({}, 'cmd="./rapfi" option.max_memory=367001600 nodes=900'),
        ({"opponent": "sanqi"}, 'cmd="sanqi" option.max_memory=367001600 nodes=1000'),
        ({"opponent": "sanqi", "opponent_nodes": 2800}, 'cmd="sanqi" option.max_memory=367001600 nodes=2800'),
        ({"movetime": 500}, 'cmd="./rapfi" option.max_memory=367001600'),
    ],
)
def test_the_limits_of_the_games(wins: Any, changes: dict[str, object], second: str) -> None:
    words = wins.match_arguments(arguments(**changes), Path("games.jsonl"))
    engines = [words[number + 1] for number, word in enumerate(words) if word == "--engine"]
    assert engines[1] == f"name=opponent {second}"
    assert ("--movetime" in words, "--nodes" in words) == ("movetime" in changes, "movetime" not in changes)


def seen(number: int, plies: int, **more: object) -> dict[str, Any]:
    return {"id": f"{number}/9", "announced": 21, "seen": plies, **more}


def test_the_table_counts_by_length(wins: Any) -> None:
    lines = [
        seen(1, 19, vct=5, fours=0, avoided=True),
        seen(2, 25, vct=0, fours=0, avoided=False),
        {**seen(3, 0, vct=9, fours=9), "announced": 37},
    ]
    rows = wins.table(lines).splitlines()
    assert rows[2].split() == ["16", "to", "25", "2", "2", "1", "0", "-1"]
    assert rows[4].split() == ["from", "36", "1", "0", "1", "1"]
    assert rows[5].split() == ["all", "3", "2", "2", "1", "-1"]
    assert rows[-1] == "2 positions before a mistake: 1 avoided"
    assert wins.table([seen(1, 19)]).splitlines()[2].split() == ["16", "to", "25", "1", "1", "2"]


def test_only_positions_of_both_files_are_compared(wins: Any) -> None:
    first = [seen(1, 19), seen(2, 0), seen(3, 7), seen(4, 9)]
    second = [seen(3, 0), seen(2, 21), seen(1, 23), seen(5, 5)]
    assert wins.comparison(first, second, "seen") == ("2 and 2 of 3, 1 only by the first, 1 only by the second, p = 1")
    assert wins.comparison(first, second, "vct") == "0 and 0 of 0, 0 only by the first, 0 only by the second, p = 1"


def test_scores_that_announce_a_win(wins: Any) -> None:
    assert [wins.plies_of(score) for score in (None, 500, -29_999, 28_999, 29_975)] == [0, 0, 0, 0, 25]


def test_solved_by_threats(wins: Any) -> None:
    assert wins.solved(OPEN_THREES, 1000) == {"vct": 3, "fours": 3}
    assert wins.solved(OPENING, 1000) == {"vct": 0, "fours": 0}


@pytest.mark.long
def test_what_an_engine_sees(
    wins: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    positions, first, second = (tmp_path / name for name in ("wins.jsonl", "first.jsonl", "second.jsonl"))
    file = wins.JsonLines(positions, {}, resume=False)
    win = {"half": "tuning", "announced": 3, "moves": OPEN_THREES, "before": 9, "mistake": "0,7"}
    file.add({"id": "1/10", **win})
    file.add({"id": "2/10", **win, "half": "held-out"})

    def run(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["gomoku_wins.py", *words])
        wins.main()
        return capsys.readouterr().out

    report = run("see", str(positions), "--nodes", "500", "--out", str(first))
    assert report.splitlines()[5].split() == ["all", "1", "1", "1", "1", "0"]
    assert "1 positions before a mistake: 1 avoided" in report
    [line] = wins.read_lines(first)
    assert (line["id"], line["seen"], line["vct"], line["fours"]) == ("1/10", 3, 3, 3)
    run("see", str(positions), "--nodes", "500", "--half", "both", "--engine", SANQI, "--out", str(second))
    assert len(wins.read_lines(second)) == 2
    assert "search:           1 and 1 of 1, 0 only by the first" in run("compare", str(first), str(second))


def test_openings_that_are_not_even_are_left_out(
    wins: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn, even = tmp_path / "drawn.txt", tmp_path / "even.txt"
    drawn.write_text("# Openings.\n0,0 1,0 # even\n0,0 -5,-5 1,0 -5,5 2,0 5,5\n", encoding="utf-8")
    words = ["vet", str(drawn), "--strong", SANQI, "--nodes", "500", "--even", "1000", "--out", str(even)]
    monkeypatch.setattr(sys, "argv", ["gomoku_wins.py", *words])
    wins.main()
    assert even.read_text(encoding="utf-8") == "0,0 1,0 # even\n"
    assert capsys.readouterr().out == "1 of 2 openings are even\n"
    with pytest.raises(SystemExit, match="exists"):
        wins.main()


@pytest.mark.long
def test_a_collection(
    wins: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "wins.jsonl"
    words = ["collect", "--strong", SANQI, "--games", "2", "--nodes", "300", "--judge-nodes", "300", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["gomoku_wins.py", *words])
    wins.main()
    assert "2 games: " in capfd.readouterr().out
    monkeypatch.setattr(sys, "argv", ["gomoku_wins.py", *words, "--resume"])
    found = wins.read_lines(out)
    wins.main()
    assert wins.read_lines(out) == found
