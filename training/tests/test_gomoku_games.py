"""Games of Gomoku for training, as the command keeps them."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from sanqi_training.selfplay.gomoku import MAX_OPENING_CP, OPENING_PLIES, GomokuPlayer
from sanqi_training.selfplay.gomoku_games import read_games
from sanqi_training.selfplay.store import StoreError, read_header
from sanqi_training.tune_gomoku import OPEN_THREE_NARROW, OPEN_TWO_NARROW, patterns

from gomoku_protocol.evaluators import HAND_MADE, NET_FILES
from gomoku_protocol.points import RENJU, STANDARD
from search_core.game import MATE_BOUND

POINT_VALUES = Path(__file__).parents[2] / "gomoku_protocol" / "point_values.h"
COMMAND = str(Path(sysconfig.get_path("scripts"), "sanqi-train"))


def sanqi_train(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(("rule", "number", "size"), [("freestyle", 0, 15), ("renju", 4, 15), ("8", 8, 20)])
def test_games_are_played_by_the_rules(rule: str, number: int, size: int, tmp_path: Path) -> None:
    words = ["--rule", rule, "--size", size, "--nodes", "100", "--games", "20", "--out", tmp_path]
    done = sanqi_train("selfplay", "gomoku", *map(str, words))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Black won" in done.stdout
    (path,) = tmp_path.glob("*.games")
    games = list(read_games(path))
    assert read_header(path)["evaluator"] == NET_FILES.get(number, HAND_MADE)
    assert len(games) == 20
    for game in games:
        assert (game.rule, game.size) == (number, size)
        assert len(game.opening) in OPENING_PLIES
        assert abs(game.scores[0]) <= MAX_OPENING_CP
        for position, move, score in game.replay():
            assert position.winner is None
            assert position.is_legal(move)
            sees_end = abs(score) >= MATE_BOUND
            assert sees_end == (game.end == "won" and len(position.moves) + 1 == len(game.opening) + len(game.moves))
            if sees_end:
                assert game.result == (2 if (score > 0) == (position.side == 0) else 0)
    assert {game.end for game in games} >= {"won"}


def test_a_game_depends_on_its_seed_alone() -> None:
    player = GomokuPlayer(50, STANDARD, 15, 20)
    games = [player.play(f"1 {number}") for number in range(4)]
    assert games[3] == GomokuPlayer(50, STANDARD, 15, 20).play("1 3")
    assert games[3] != GomokuPlayer(50, RENJU, 15, 20).play("1 3")
    assert len(set(games)) == 4


def test_a_small_board_is_played_to_its_end(tmp_path: Path) -> None:
    done = sanqi_train("selfplay", "gomoku", "--size", "5", "--nodes", "20", "--games", "8", "--out", tmp_path)
    assert done.returncode == 0
    (path,) = tmp_path.glob("*.games")
    for game in read_games(path):
        assert game.result == 1 or game.end == "won"
        assert len(game.opening) + len(game.moves) <= 25


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["gomoku", "--rule", "chess", "--out", "x"], "is no rule"),
        (["gomoku", "--size", "4", "--out", "x"], "--size"),
        (["gomoku", "--evaluator", "net", "--out", "x"], "--evaluator"),
        (["xiangqi", "--rule", "renju", "--out", "x"], "--rule"),
        (["chess", "--out", "x"], "chess"),
        (["junqi", "--variant", "chess", "--out", "x"], "chess"),
        ([], "GAME"),
    ],
)
def test_bad_words_cost_a_line(words: list[str], fault: str) -> None:
    done = sanqi_train("selfplay", *words)
    assert done.returncode == 2
    assert fault in done.stderr
    assert done.stderr.count("\n") == 1


def test_games_of_another_game_are_refused(tmp_path: Path) -> None:
    for game in ("gomoku", "xiangqi"):
        sanqi_train("selfplay", game, "--nodes", "20", "--games", "2", "--out", tmp_path / game)
    (path,) = (tmp_path / "xiangqi").glob("*.games")
    with pytest.raises(StoreError, match="games of xiangqi"):
        list(read_games(path))
    sanqi_train("selfplay", "gomoku", "--rule", "renju", "--nodes", "20", "--games", "2", "--out", tmp_path / "gomoku")
    for other in ("xiangqi", "gomoku"):
        done = sanqi_train("samples", tmp_path / "gomoku", tmp_path / other, "--out", tmp_path)
        assert done.returncode == 2
        assert re.search("games of (gomoku 4 15|xiangqi)", done.stderr) and done.stderr.count("\n") == 1


def test_tables_are_fitted_to_games(tmp_path: Path) -> None:
    """Their header has the form of the one that is built in, and they value what the program plays for."""
    sanqi_train("selfplay", "gomoku", "--nodes", "60", "--games", "1000", "--out", tmp_path)
    header = tmp_path / "fitted.h"
    tuner = [sys.executable, "-I", "-m", "sanqi_training.tune_gomoku", *map(str, tmp_path.glob("*.games"))]
    subprocess.run([*tuner, "--header", str(header), "--epochs", "12"], check=True, capture_output=True, timeout=300)
    fitted, built_in = ([*re.findall(r"const \w+ \w+\[.*\]", file.read_text())] for file in (header, POINT_VALUES))
    assert fitted == built_in
    name, *values = re.split(r"[{},\s]+", header.read_text().partition("POINT_VALUE")[2].partition(";")[0])
    assert name.startswith("[3060][2]")
    worth = list(map(int, filter(None, values[1:])))
    assert len(worth) == 2 * 3060
    # What one line alone is worth for the side to move: an open two, an open three.
    alone = (patterns().index((kind, 0, 0, 0)) for kind in (OPEN_TWO_NARROW + 1, OPEN_THREE_NARROW))
    two, three = (worth[2 * pattern + 1] for pattern in alone)
    assert three > two
