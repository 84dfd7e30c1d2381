"""Games of Junqi for training, as the command keeps them."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import pytest
from sanqi_training.selfplay.junqi import JunqiPlayer, read_games
from sanqi_training.selfplay.store import StoreError, read_header

from junqi_protocol.rules.lineup import check

COMMAND = str(Path(sysconfig.get_path("scripts"), "sanqi-train"))


@pytest.mark.parametrize(("variant", "see", "seats"), [("duel", "team", 2), ("siguo", "own", 4), ("siguo", "team", 4)])
def test_games_are_what_each_seat_saw(variant: str, see: str, seats: int, tmp_path: Path) -> None:
    command = [COMMAND, "selfplay", "junqi", "--variant", variant, "--see", see, "--nodes", "30", "--games", "6"]
    done = subprocess.run([*command, "--out", tmp_path], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "seat 0's team won" in done.stdout
    (path,) = tmp_path.glob("*.games")
    games = list(read_games(path))
    assert len(games) == 6
    for game in games:
        assert (game.variant, game.see, len(game.lineups)) == (variant, see, seats)
        for lineup in game.lineups:
            check(lineup)
        for view, move, score in game.replay():
            assert view.position.outcome_text is None
            assert view.position.turn in view.seats and move in view.position.legal_moves()
            assert len(view.seats) == (2 if (variant, see) == ("siguo", "team") else 1)
            assert set(view.lineups) == set(view.seats)
            assert abs(score) <= 20_000
            last_team = view.position.side
        assert (game.result == 1) == (game.end in ("quiet", "plies"))
        if game.end == "flag":  # who takes the last flag has moved last
            assert game.result == 2 - 2 * last_team


def test_each_evaluator_has_a_file_of_its_own(tmp_path: Path) -> None:
    command = [COMMAND, "selfplay", "junqi", "--nodes", "20", "--games", "1", "--out", str(tmp_path), "--evaluator"]
    for evaluator in ("net", "hand-made"):
        subprocess.run([*command, evaluator], capture_output=True, timeout=300, check=True)
    headers = [read_header(path)["evaluator"] for path in sorted(tmp_path.glob("*.games"))]
    assert headers[0] == "hand-made"
    assert headers[1].startswith("tuned-")


def test_a_game_depends_on_its_seed_alone() -> None:
    player = JunqiPlayer(20, "duel", "team")
    games = [player.play(f"1 {number}") for number in range(3)]
    assert games[2] == JunqiPlayer(20, "duel", "team").play("1 2")
    assert len(set(games)) == 3


def test_games_of_another_game_are_refused(tmp_path: Path) -> None:
    command = [COMMAND, "selfplay", "gomoku", "--nodes", "20", "--games", "2", "--out", str(tmp_path)]
    subprocess.run(command, capture_output=True, timeout=300, check=True)
    (path,) = tmp_path.glob("*.games")
    with pytest.raises(StoreError, match="games of gomoku"):
        list(read_games(path))
