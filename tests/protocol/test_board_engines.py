"""Other engines that play at the table of `sanqi board`: they are named on the command line."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("websockets", reason="needs sanqi[board]")

from search_core.clock import now_s
from tests.helpers.board_client import PATIENCE_S, PERSON, BoardProcess
from tests.helpers.in_process import run_here
from tests.protocol.conftest import PROGRAM, BoardMaker

OURS = " ".join(f"'{word}'" for word in PROGRAM)
BROKEN = """
import sys
for line in sys.stdin:
    words = line.split()
    if words == ["ucci"]:
        print("id name broken", "ucciok", sep="\\n", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["go"]:
        {answer}
    elif words == ["quit"]:
        break
"""
STAYS = """
import sys, time
for line in sys.stdin:
    words = line.split()
    if words == ["ucci"]:
        print("id name stays", "ucciok", sep="\\n", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["go"]:
        print("bestmove h9g7", flush=True)
    elif words == ["quit"]:
        break
time.sleep(600)
"""
"""An engine that does not end when it is told to."""
FAULTS = {
    "dies": "sys.exit(3)",
    "cheats": 'print("bestmove h2h9 {0}", flush=True)',
    "babbles": 'print("bestmove {x}", flush=True)',
    "gives up": 'print("nobestmove", flush=True)',
}


@pytest.fixture(scope="module")
def board_arguments(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    folder = tmp_path_factory.mktemp("engines")
    for name, answer in FAULTS.items():
        (folder / f"{name}.py").write_text(BROKEN.replace("{answer}", answer))
    engines = [f'name=endless cmd="{OURS} ucci" nodes=1000000000000']
    engines += [f'name=twin cmd="{OURS} ucci" nodes=2000', f'name=five cmd="{OURS}" proto=gomocup movetime=200']
    engines += [f"name='{name}' cmd=\"'{sys.executable}' '{folder / name}.py'\"" for name in FAULTS]
    engines += ["name=absent cmd=/no/such/engine", f'name=scout cmd="{OURS} junqi --level random" proto=jlp']
    (folder / "stays.py").write_text(STAYS)
    engines.append(f"name=stays cmd=\"'{sys.executable}' '{folder / 'stays.py'}'\"")
    engines.append(f"name=silent cmd=\"'{sys.executable}' '{folder / 'dies.py'}'\" proto=jlp")
    return tuple(word for each in engines for word in ("--engine", each))


def names(board: BoardProcess) -> dict[str, list[str]]:
    games = board.join().hello["games"]
    return {game["name"]: [engine["name"] for engine in game["engines"]] for game in games}


def test_the_page_gets_names_alone(board: BoardProcess) -> None:
    assert names(board) == {
        "xiangqi": ["sanqi", "endless", "twin", *FAULTS, "absent", "stays"],
        "gomoku": ["sanqi", "five"],
        "junqi": ["sanqi", "scout", "silent"],
    }
    page = board.join()
    assert "ucci" not in str(page.hello["games"][0]["engines"])


@pytest.mark.parametrize(("game", "name", "move"), [("xiangqi", "twin", "h2e2"), ("gomoku", "five", "h8")])
def test_a_game_against_another_engine(board: BoardProcess, game: str, name: str, move: str) -> None:
    page = board.join()
    page.new(game, [PERSON, {"player": name}])
    assert page.state["seats"][1]["who"] == name
    page.play(move)
    state = page.until_ply(2)
    assert state["verdict"] is None
    page.act("undo")
    page.until_ply(0)
    page.play(move)
    page.act("undo")  # while it thinks
    page.until_ply(0)
    page.play(move)
    page.until_ply(2)


def test_another_engine_takes_white_in_swap2(board: BoardProcess) -> None:
    """It puts stones alone."""
    page = board.join()
    page.new("gomoku", [PERSON, {"player": "five"}], opening="swap2")
    page.play("h8", "a15", "g7")
    state = page.until_ply(4)
    assert [seat["side"] for seat in state["seats"]] == ["black", "white"] and state["toMove"] == 0


def test_junqi_against_another_engine(board: BoardProcess) -> None:
    page = board.join()
    page.new("junqi", [PERSON, {"player": "scout"}], variant="duel")
    for ply in (0, 2):
        page.act("move", text=page.state["legal"][0])
        while len(page.state["moves"]) < ply + 2:
            page.wait("state")
        assert page.state["verdict"] is None
    page.act("undo")
    page.until_ply(2)
    page.new("junqi", [{"player": "scout"}, {"player": "scout"}], variant="duel")
    page.until(lambda state: len(state["moves"]) >= 4)
    page.new("junqi", [PERSON, {"player": "silent"}], variant="duel")
    page.act("move", text=page.state["legal"][0])
    assert page.wait("error")["reason"] == "silent: no move in time"
    assert page.until_over()["verdict"]["won"]


def test_an_engine_that_begins(board: BoardProcess) -> None:
    page = board.join()
    page.new("xiangqi", [{"player": "twin"}, {"player": "twin"}])
    page.until(lambda state: len(state["moves"]) >= 4)
    page.send("new", game="xiangqi", options={}, seats=[{"player": "twin"}, PERSON], clock="3+2")
    assert page.until_ply(1)["verdict"] is None


def test_an_engine_with_a_limit_of_nodes_keeps_to_its_clock(board: BoardProcess) -> None:
    page = board.page()
    page.send("new", game="xiangqi", options={}, seats=[PERSON, {"player": "endless"}], clock="1+0")
    page.begun()
    page.act("move", text="h2e2")
    state = page.until_ply(2)
    assert state["verdict"] is None and state["seats"][1]["clockMs"] > 30_000


def test_a_start_position(board: BoardProcess) -> None:
    page = board.join()
    page.new("xiangqi", [PERSON, {"player": "twin"}], fen="3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 1")
    page.play("e1f1")
    assert page.until_ply(2)["verdict"] is None


@pytest.mark.parametrize(
    ("name", "said"),
    [("dies", "exit"), ("cheats", "h2h9"), ("babbles", "{x}"), ("gives up", "gave no move"), ("absent", "started")],
)
def test_a_fault_ends_the_game_in_one_line(board: BoardProcess, name: str, said: str) -> None:
    page = board.join()
    page.new("xiangqi", [PERSON, {"player": name}])
    page.play("h2e2")
    verdict = page.until_over()["verdict"]
    assert verdict["text"].startswith("Red wins: Black has lost: ") and verdict["won"]
    assert said in verdict["text"] and "\n" not in verdict["text"]
    page.act("undo")
    page.until(lambda state: state["verdict"] is None)


def test_the_game_goes_on_after_a_crash(start_board: BoardMaker, board_arguments: tuple[str, ...]) -> None:
    board = start_board(*board_arguments)
    page = board.join()
    page.new("xiangqi", [PERSON, {"player": "twin"}])
    page.play("h2e2")
    page.until_ply(2)
    board.kill()
    board.start(*board_arguments)
    page = board.join()
    assert page.state["seats"][1]["who"] == "twin" and len(page.state["moves"]) == 2
    page.act("move", text="h0g2")
    page.until_ply(4)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_engine_is_left(start_board: BoardMaker, board_arguments: tuple[str, ...], number: signal.Signals) -> None:
    board = start_board(*board_arguments)
    page = board.join()
    page.new("xiangqi", [PERSON, {"player": "twin"}])
    page.play("h2e2")
    page.until_ply(2)
    assert len(children(board.process.pid)) == 1
    page.new("xiangqi", "pp")
    wait_for_no_child(board.process.pid)
    page.new("xiangqi", [{"player": "twin"}, PERSON])
    page.until_ply(1)
    engines = children(board.process.pid)
    board.end(number)
    assert len(engines) == 1 and not any(Path(f"/proc/{pid}").exists() for pid in engines)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_page_waits_for_an_engine_to_end(start_board: BoardMaker, board_arguments: tuple[str, ...]) -> None:
    """An engine that stays after `quit` is killed a second later. Before that the next game is there (on a busy machine
    at least once), and the program does not end before the engine."""
    board = start_board(*board_arguments)
    page = board.join()
    engines: list[int] = []

    def is_left() -> bool:
        """Whether the engine of a game still runs when the next one is there."""
        page.new("xiangqi", [PERSON, {"player": "stays"}])
        page.play("h2e2")
        page.until_ply(2)
        engines[:] = children(board.process.pid)
        page.new("xiangqi", "pp")
        return children(board.process.pid) != []

    assert any(is_left() for _ in range(5))
    board.end()
    assert engines and not any(Path(f"/proc/{pid}").exists() for pid in engines)


def wait_for_no_child(process: int) -> None:
    deadline = now_s() + PATIENCE_S
    while children(process):
        assert now_s() < deadline
        time.sleep(0.05)


def children(process: int) -> list[int]:
    lists = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children")]
    return [int(word) for text in lists for word in text.split()]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["name=a cmd=x", "name=a cmd=y"], "the name 'a' is taken"),
        (["name=sanqi cmd=x"], "the name 'sanqi' is taken"),
        (["name=a"], "no command"),
        (["name=a cmd=x proto=chess"], "proto is 'chess'"),
        (["name=a cmd=x tc=60"], "tc="),
    ],
)
def test_engines_that_cannot_be(tmp_path: Path, words: list[str], said: str) -> None:
    options = [word for text in words for word in ("--engine", text)]
    ran = run_here("board", "--no-open", *options, cwd=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith("sanqi board: engine ") and said in ran.stderr and ran.stderr.count("\n") == 1
