"""examples/breakthrough: a game between Nim and Xiangqi in size, installed and played in every way."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
SOURCE = Path(__file__).parents[3] / "examples" / "breakthrough"
MAX_CODE_LINES = 300


@pytest.fixture(scope="module")
def environment(install_example: Callable[[str], Path]) -> dict[str, str]:
    """In which sanqi finds the game."""
    folder = install_example("breakthrough")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))}


def sanqi(
    environment: dict[str, str], *arguments: str, said: str = "", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SANQI, *arguments], input=said, env=environment, cwd=folder, capture_output=True, text=True, timeout=100
    )


def test_it_is_small() -> None:
    files = [file for file in SOURCE.rglob("*") if file.suffix in {".py", ".pyi", ".pyx"}]
    lines = [line.strip() for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert sum(1 for line in lines if line and not line.startswith(("#", '"""'))) <= MAX_CODE_LINES


RULES = """
import random
from breakthrough.position import Position
from breakthrough.session import BreakthroughSession
from search_core.conformance import check_game

counts = check_game(lambda chance: Position(), 2, 1)
assert all(counts[clause] for clause in ("make", "unmake", "pseudo_legal", "key", "copy")), counts


def plain_moves(men, side):
    rank, free = (1 if side == 0 else -1), lambda point: men.get(point)
    for (x, y), owner in men.items():
        if owner == side:
            for step in (-1, 0, 1):
                point = x + step, y + rank
                on_board = 0 <= point[0] < 8 and 0 <= point[1] < 8
                if on_board and (free(point) is None or (step and free(point) != side)):
                    yield (x, y), point


def text(point):
    return f"{'abcdefgh'[point[0]]}{point[1] + 1}"


for seed in range(3):
    chance, session = random.Random(seed), BreakthroughSession()
    men = {(x, y): int(y > 1) for x in range(8) for y in (0, 1, 6, 7)}
    side, winner = 0, None
    while winner is None:
        moves = list(plain_moves(men, side))
        assert sorted(session.legal_moves()) == sorted(text(a) + text(b) for a, b in moves)
        assert session.verdict() is None
        origin, target = chance.choice(moves)
        men[target] = men.pop(origin)
        session.play(text(origin) + text(target))
        if target[1] in (0, 7) or 1 - side not in men.values():
            winner = side
        side = 1 - side
    assert session.verdict().winner == winner and session.legal_moves() == []
    session.undo(session.ply)
    assert session.view() == BreakthroughSession().view()
"""


@pytest.mark.long
def test_its_rules_agree_with_plain_ones(environment: dict[str, str]) -> None:
    checked = subprocess.run([sys.executable, "-P", "-c", RULES], env=environment, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_it_is_played_in_the_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    said = "a2b3\nb3a2\nz1z2\nhint\nsave game.txt\nresign\nquit\n"
    game = sanqi(environment, "play", "breakthrough", "--movetime", "20", said=said, folder=tmp_path)
    assert (game.returncode, game.stderr) == (0, "")
    assert "Black plays " in game.stdout
    assert "'b3a2' is not legal here" in game.stdout
    assert "'z1z2' is no move" in game.stdout
    assert (tmp_path / "game.txt").read_text().split()[0] == "a2b3"
    assert "> saved " in game.stdout
    assert "--resume" not in game.stdout


def test_it_wins_in_one_and_stops_a_win_in_one(environment: dict[str, str]) -> None:
    moves = "b2b3 h7h6 b3b4 h6h5 b4b5 h5h4 b5b6"  # Black must take on b6, or White takes a7 or c7 and goes on
    talk = sanqi(environment, "breakthrough", said=f"uci\nposition startpos moves {moves}\ngo depth 6\n")
    assert talk.stdout.splitlines()[-1] in ("bestmove a7b6", "bestmove c7b6")
    talk = sanqi(environment, "breakthrough", said=f"position startpos moves {moves} h4g3 b6a7 g3f2\ngo depth 4\n")
    assert talk.stdout.splitlines()[-1] == "bestmove a7b8"


def test_it_is_matched_from_its_openings_with_a_report(environment: dict[str, str], tmp_path: Path) -> None:
    engines = [
        word for name in "ab" for word in ("--engine", f"name={name} cmd={shlex.quote(f'{SANQI} breakthrough')}")
    ]
    more = ("--depth", "1", "--games", "4", "--out", "games.jsonl", "--report", "report.html")
    match = sanqi(environment, "match", "--game", "breakthrough", *engines, *more, folder=tmp_path)
    assert (match.returncode, match.stderr) == (0, "")
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    games = [line for line in lines if "moves" in line]
    assert [game["reason"] for game in games] == ["breakthrough"] * 4
    assert len({tuple(game["moves"][:6]) for game in games}) == 2
    assert "White begins at the bottom." in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_it_is_analysed(environment: dict[str, str]) -> None:
    moves = ["b2b3", "h7h6", "b3b4", "h6h5", "b4b5", "h5h4", "b5b6", "h4g3", "b6a7", "g3f2"]
    query = {"id": "1", "game": "breakthrough", "position": {"moves": moves}, "limits": {"nodes": 1000}}
    done = sanqi(environment, "analyse", said=f"{json.dumps(query)}\n")
    answer = json.loads(done.stdout)
    assert (answer["moveInfos"][0]["move"], answer["moveInfos"][0]["mate"]) == ("a7b8", 1)


def test_it_is_played_on_the_page(environment: dict[str, str], tmp_path: Path) -> None:
    """A person against the engine, with undo, a hint, tried moves and a record; two engines to the end."""
    pytest.importorskip("websockets", reason="needs sanqi[board]")
    from tests.helpers.board_client import BoardProcess

    board = BoardProcess(tmp_path, program=(str(SANQI),), environment=environment)
    with board.page() as page:
        assert "breakthrough" in [game["name"] for game in page.join()["games"]]
        state = page.new("breakthrough", "pe", movetime="20")
        assert page.geometry["board"]["sides"] == ["white", "black"] and len(state["legal"]) == 22
        page.act("move", text="a2-b3")
        state = page.until(lambda state: len(state["moves"]) == 2 and bool(state["legal"]))
        assert state["moves"][0]["names"] == {"breakthrough": "a2-b3"}
        page.act("hint")
        assert page.wait("hint")["text"] in state["legal"]
        page.act("move", text="b3a2")
        assert "not legal" in page.wait("refused")["reason"]
        page.send("add", after=1, text="h7h6")
        assert page.wait("added", "refused", "error")["type"] == "added"
        page.send("save", format="txt")
        assert page.wait("file", "error")["name"] == "breakthrough.txt"
        page.new("breakthrough", "ee", movetime="5")
        state = page.until(lambda state: state["verdict"] is not None)
        assert "wins: a man has reached the last rank" in state["verdict"]["text"]
    assert board.end() == ""
