"""A fourth game, a distribution of its own: examples/nim is installed and played in every way."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

pytestmark = pytest.mark.long  # breakthrough goes through the same doors in the default run

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
NIM = Path(__file__).parents[3] / "examples" / "nim"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def installed(install_example: Callable[[str], Path]) -> Path:
    """The folder into which the distribution is installed."""
    return install_example("nim")


def runs_with(*folders: Path) -> Run:
    """What runs sanqi with distributions that are installed in these folders."""
    path = os.pathsep.join(filter(None, (*map(str, folders), os.environ.get("PYTHONPATH"))))

    def run(*arguments: str, said: str = "", folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SANQI, *arguments],
            input=said,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=100,
        )

    return run


@pytest.fixture
def sanqi(installed: Path) -> Run:
    return runs_with(installed)


def test_it_is_small() -> None:
    lines = {
        file: file.read_text().splitlines()
        for file in NIM.rglob("*")
        if file.suffix in {".toml", ".py", ".pyi", ".pyx"}
    }
    assert sum(map(len, lines.values())) <= 190
    project = lines[NIM / "pyproject.toml"]
    at = project.index('[project.entry-points."sanqi.games"]')
    registering = [*lines[NIM / "nim" / "description.py"], *project[at : project.index("", at)]]
    assert len(registering) <= 20


def test_it_keeps_the_contract_of_a_game(installed: Path) -> None:
    program = (
        "from nim.position import Position; from search_core.conformance import check_game;"
        "check_game(lambda chance: Position(), 50, 1)"
    )
    checked = subprocess.run([sys.executable, "-P", "-c", program], env={**os.environ, "PYTHONPATH": str(installed)})
    assert checked.returncode == 0


def test_its_first_line_is_recognised(sanqi: Run) -> None:
    talk = sanqi(said="nim\nisready\nposition startpos moves a2\ngo depth 3\nquit\n")
    assert (talk.returncode, talk.stderr) == (0, "")
    lines = talk.stdout.splitlines()
    assert lines[0].startswith("id name nim ")
    assert {"uciok", "readyok"} <= set(lines)
    assert lines[-1].startswith("bestmove ")


def test_it_has_a_command(sanqi: Run) -> None:
    assert "Speak Nim's UCI only" in sanqi("nim", "--help").stdout
    talk = sanqi("nim", said="uci\nposition startpos\ngo depth 4\n")
    assert talk.stdout.splitlines()[-1] == "bestmove a2"  # the one move that wins


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        ("isready\nposition startpos moves a2\nucinewgame\ngo depth 2", ["readyok", "bestmove *"]),
        ("position startpos moves a2\ngo wtime 1000 btime 300 movestogo 5", ["bestmove *"]),
        ("go infinite\nisready\nstop", ["readyok", "bestmove *"]),
        ("position startpos moves a3 b4 c5\ngo movetime 5", ["bestmove (none)"]),
        (
            "go depth x nodes 50",
            ["info string go: depth: expected a number, got 'x', ignored", "bestmove *"],
        ),
        (
            "position fen 1\nposition startpos moves a2 a2\ngo depth 1\nponder",
            [
                "info string position: expected 'startpos [moves ...]'; there is no position now",
                "info string position: move 2: 'a2' is no move here; there is no position now",
                "info string go: the last position was refused",
                "bestmove (none)",
                "info string unknown command 'ponder', ignored; expected a command of UCI",
            ],
        ),
        (
            "setoption name Hash value 1\nsetoption name Hash value much\nsetoption name Skill value 1",
            [
                "info string Hash: expected a number from 1 to 262144, got 'much'; nothing changed",
                "info string unknown option 'Skill', ignored",
            ],
        ),
    ],
)
def test_uci_over_a_session(sanqi: Run, said: str, answers: list[str]) -> None:
    talk = sanqi("nim", said=f"{said}\n")
    assert (talk.returncode, talk.stderr) == (0, "")
    lines = [line for line in talk.stdout.splitlines() if not line.startswith("info depth")]
    assert len(lines) == len(answers)
    assert all(fnmatchcase(line, answer.replace("[", "[[]")) for line, answer in zip(lines, answers))


def test_bench(sanqi: Run) -> None:
    bench = sanqi("bench", "nim", "--depth", "5")
    assert (bench.returncode, bench.stderr) == (0, "")
    assert "signature " in bench.stdout


def test_play(sanqi: Run, tmp_path: Path) -> None:
    game = sanqi(
        "play", "nim", "--movetime", "20", said="a2\nhint\nundo\nx9\na5\na2\nsave game.txt\nquit\n", folder=tmp_path
    )
    assert (game.returncode, game.stderr) == (0, "")
    assert "Second plays " in game.stdout
    assert "'x9' is no move here ('help' lists the commands)" in game.stdout
    assert "'a5' is no move here\n" in game.stdout
    assert (tmp_path / "game.txt").read_text().startswith("a2 ")
    assert "> saved " in game.stdout
    assert "--resume" not in game.stdout  # the command has no such option


def test_match(sanqi: Run, tmp_path: Path) -> None:
    engines = [word for name in "ab" for word in ("--engine", f"name={name} cmd={shlex.quote(f'{SANQI} nim')}")]
    limits = ("--depth", "8", "--games", "2", "--out", str(tmp_path / "games.jsonl"))
    match = sanqi("match", "--game", "nim", *engines, *limits)
    assert (match.returncode, match.stderr) == (0, "")
    games = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()][1:]
    assert [(game["result"], game["reason"], game["moves"][0]) for game in games] == [("1-0", "last-stone", "a2")] * 2


def test_replay(sanqi: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "nim.log"
    monkeypatch.setenv("SANQI_LOG", str(log))
    for lines in ("nim\nsetoption name Threads value 2", "nim"):
        sanqi(said=f"{lines}\nposition startpos\ngo depth 3\n")
    monkeypatch.delenv("SANQI_LOG")
    again = sanqi("replay", str(log))
    assert (again.returncode, again.stderr) == (0, ""), again.stdout
    # The names of two starts, and the one move that two threads found.
    assert again.stdout.startswith("the same: 7 lines of the host, ")
    assert again.stdout.endswith(" answers compared, 3 by kind alone\n")


def test_what_a_match_of_it_lacks_is_refused_before_an_engine_starts(sanqi: Run, tmp_path: Path) -> None:
    engines = ("--engine", "name=a cmd=none ranks=1-10", "--engine", "name=b cmd=none")
    match = sanqi("match", "--game", "nim", "--games", "2", *engines)
    refused = "engine 'a': ranks=1-10 has no meaning in nim; nothing was played\n"
    assert (match.returncode, match.stderr) == (2, f"sanqi match: {refused}")
    match = sanqi("match", "--game", "nim", *engines, "--records", str(tmp_path / "records"))
    refused = "--records is for --game xiangqi or gomoku or junqi; nothing was played\n"
    assert (match.returncode, match.stderr) == (2, f"sanqi match: {refused}")


def distribution(folder: Path, game: str) -> None:
    """Install a distribution of a game, `package.module:NAME`, in a folder."""
    metadata = folder / "other_game-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: other-game\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[sanqi.games]\nother = {game}\n")


HEAPS = """\
from game_core.description import GameDescription, ProtocolDescription
PROTOCOL = ProtocolDescription(name="heaps", title="H", adapter="nim.session:NimProtocol", match_name="{match_name}")
GAME = GameDescription(
    name="heaps", title="Heaps", protocols=(PROTOCOL,), session="nim.session:NimSession", match="{match}"
)
"""


def test_a_protocol_without_a_client_is_refused(installed: Path, tmp_path: Path) -> None:
    distribution(tmp_path, "heaps:GAME")
    (tmp_path / "heaps.py").write_text(HEAPS.format(match_name="gtp", match=""))
    engines = ("--engine", "name=a cmd=none", "--engine", "name=b cmd=none")
    match = runs_with(tmp_path, installed)("match", "--game", "heaps", "--games", "2", *engines)
    refused = "engine 'a': proto=gtp: a match has no client for it, only for uci and ucci; nothing was played\n"
    assert (match.returncode, match.stderr) == (2, f"sanqi match: {refused}")


def test_a_module_for_matches_needs_only_prepare(installed: Path, tmp_path: Path) -> None:
    distribution(tmp_path, "heaps:GAME")
    (tmp_path / "heaps.py").write_text(HEAPS.format(match_name="uci", match="heaps_match"))
    (tmp_path / "heaps_match.py").write_text(
        "from match_runner.game import BoardGame\n"
        "from match_runner.openings import Opening\n"
        "def prepare(args):\n"
        "    return BoardGame('heaps', 'nim.session:NimSession'), [Opening(('a1',), 1)]\n"
    )
    engines = [word for name in "ab" for word in ("--engine", f"name={name} cmd={shlex.quote(f'{SANQI} heaps')}")]
    run = runs_with(tmp_path, installed)
    out = tmp_path / "games.jsonl"
    match = run("match", "--game", "heaps", *engines, "--depth", "4", "--games", "2", "--out", str(out))
    assert (match.returncode, match.stderr) == (0, "")
    _, *games = [json.loads(line) for line in out.read_text().splitlines()]
    assert [game["moves"][0] for game in games] == ["a1", "a1"]


def test_errors_list_it_once_it_was_looked_for(sanqi: Run) -> None:
    wrong = sanqi("bench", "nimm")
    assert wrong.returncode == 2
    assert "is not one of xiangqi, gomoku, nim; did you mean 'nim'?" in wrong.stderr


CHESS = """\
from game_core.description import CommandDescription, GameDescription, ProtocolDescription
PROTOCOL = ProtocolDescription(name="{protocol}", title="UCI", adapter="chess.uci:Uci")
COMMAND = CommandDescription("{command}", "count the leaves of the move tree", "chess.perft")
GAME = GameDescription(name="chess", title="Chess", protocols=(PROTOCOL,), commands=(COMMAND,))
"""
BROKEN = {
    "its module is missing": ("broken:GAME", "", "ModuleNotFoundError: No module named 'broken'"),
    "it is no description": ("broken:GAME", "GAME = 1\n", "TypeError: broken:GAME is no GameDescription"),
    "its name is taken": (
        "broken:GAME",
        "from ucci_engine.description import XIANGQI as GAME\n",
        "ValueError: there is a game 'xiangqi' already",
    ),
    "its command is another game's": (
        "broken:GAME",
        "from game_core.description import GameDescription\n"
        "from ucci_engine.description import UCI\n"
        "GAME = GameDescription(name='chess', title='Chess', protocols=(UCI,))\n",
        "ValueError: there is a command 'uci' already",
    ),
    "its command is for all games": (
        "broken:GAME",
        CHESS.format(protocol="version", command="perft-chess"),
        "ValueError: there is a command 'version' already",
    ),
    "it uses a name twice": (
        "broken:GAME",
        CHESS.format(protocol="chess", command="chess"),
        "ValueError: there is a command 'chess' already",
    ),
}


@pytest.mark.parametrize(("value", "source", "reason"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_distribution_costs_one_line(
    installed: Path, tmp_path: Path, value: str, source: str, reason: str
) -> None:
    distribution(tmp_path, value)
    if source:
        (tmp_path / "broken.py").write_text(source)
    talk = runs_with(tmp_path, installed)(said="nim\nquit\n")
    assert talk.returncode == 0
    assert talk.stderr == f"sanqi: the game of the distribution other-game cannot be used: {reason}\n"
    assert "uciok" in talk.stdout


def test_installed_games_are_not_read_for_a_built_in_one(tmp_path: Path) -> None:
    """Nor is a broken one noticed."""
    distribution(tmp_path, "broken:GAME")
    run = runs_with(tmp_path)
    for arguments, said in (((), "ucci\nquit\n"), (("bench", "--help"), ""), (("version",), "")):
        assert run(*arguments, said=said).stderr == ""


def test_analyse(sanqi: Run) -> None:
    asked = [
        {"id": "a", "game": "nim", "position": {"moves": []}},
        {"id": "b", "game": "nim", "position": {"moves": ["a2", "a2"]}},
        {"id": "c", "game": "nim", "position": {"moves": ["a3", "b4", "c5"]}},
    ]
    done = sanqi("analyse", said="".join(f"{json.dumps(each)}\n" for each in asked))
    assert (done.returncode, done.stderr) == (0, "")
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers["a"]["moveInfos"][0]["move"] == "a2"
    assert answers["b"]["error"].startswith("position.moves: move 2: ")
    assert answers["c"]["ended"]["reason"] == "last-stone"
