"""The bundles, run as a GUI runs them.

From an empty directory, under a path with blanks and Chinese, with nothing in the environment that could help: no
PATH, no HOME, no locale.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from search_core.command_line import join_words
from tests.helpers.board_client import BoardProcess
from ucci_engine.book_files import new_book
from ucci_engine.books import BookMove
from ucci_engine.points import parse_move
from ucci_engine.position import Position

CHECKOUT = Path(__file__).resolve().parent.parent.parent
EXECUTABLE = "sanqi.exe" if sys.platform == "win32" else "sanqi"
FORMS = {"one-folder": "dist/sanqi", "one-file": f"dist/onefile/{EXECUTABLE}"}
PATIENCE = 60
"""Seconds after which a missing answer is a fault."""

POSITION = "position startpos moves h2e2"


def bare_environment(temporary: Path) -> dict[str, str]:
    """Nothing but what the system needs."""
    if sys.platform == "win32":
        return {"SYSTEMROOT": os.environ["SYSTEMROOT"], "TEMP": str(temporary)}
    return {"TMPDIR": str(temporary)}


class Host:
    """A GUI's end of the pipes."""

    def __init__(self, executable: Path, folder: Path, temporary: Path) -> None:
        self.process = subprocess.Popen(
            [executable],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=bare_environment(temporary),
            text=True,
            encoding="ascii",
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def expect(self, first_word: str) -> str:
        """The next line that begins with the word; skips those before it."""
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            if line.split(" ", 1)[0] == first_word:
                return line
        raise AssertionError(f"the engine ended without {first_word!r}: {self.errors()}")

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def expect_end(self) -> None:
        """No process is left: the pipe ends when the last process that holds it does, a child's child included."""
        while self.lines.get(timeout=PATIENCE) is not None:
            pass
        assert self.process.wait(timeout=PATIENCE) is not None
        assert self.errors() == ""

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()


@pytest.fixture(scope="module", params=FORMS)
def executable(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle's executable, installed where a Chinese Windows user might have it."""
    built = CHECKOUT / FORMS[request.param]
    if not built.exists():
        option = " --onefile" if request.param == "one-file" else ""
        pytest.skip(f"no {request.param} bundle: run `python build/bundle.py{option}`")
    target = tmp_path_factory.mktemp("bundle") / "象棋 引擎 (new)" / "sanqi"
    target.parent.mkdir()
    if built.is_dir():
        shutil.copytree(built, target, symlinks=True)
        return target / EXECUTABLE
    target.mkdir()
    return Path(shutil.copy2(built, target))


@pytest.fixture
def host(executable: Path, tmp_path: Path) -> Iterator[Host]:
    """The bundle, running in an empty directory. It must leave nothing there, nor among temporary files."""
    folder = tmp_path / "空 empty"
    temporary = tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    host = Host(executable, folder, temporary)
    yield host
    host.process.kill()
    host.process.wait()
    assert list(folder.iterdir()) == []
    assert list(temporary.iterdir()) == []


def start_search(host: Host, protocol: str) -> None:
    """Leaves the engine in a search that it will not end by itself."""
    host.send(protocol)
    host.expect(f"{protocol}ok")
    host.send(POSITION, "go infinite")
    host.expect("info")


@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_plays(host: Host, protocol: str) -> None:
    host.send(protocol)
    host.expect(f"{protocol}ok")
    host.send("isready")
    host.expect("readyok")
    for moves in ("", " moves h2e2 h9g7"):
        host.send(f"position startpos{moves}", "go depth 4")
        move = host.expect("bestmove").split()[1]
        assert len(move) == 4
    host.send("quit")
    host.expect_end()
    assert host.process.returncode == 0


@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_quit_in_a_search(host: Host, protocol: str) -> None:
    start_search(host, protocol)
    host.send("quit")
    host.expect_end()
    assert host.process.returncode == 0


@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_end_of_input_in_a_search(host: Host, protocol: str) -> None:
    start_search(host, protocol)
    host.close_input()
    host.expect_end()
    assert host.process.returncode == 0


def test_end_of_input_at_once(host: Host) -> None:
    host.close_input()
    host.expect_end()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signals")
@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_signal_in_a_search(host: Host, protocol: str, kind: signal.Signals) -> None:
    start_search(host, protocol)
    host.process.send_signal(kind)
    host.expect_end()


@pytest.mark.parametrize(
    "arguments", [["--help"], ["match", "--help"], ["play", "--help"], ["referee", "--help"], ["perft", "3"], ["eval"]]
)
def test_commands(executable: Path, tmp_path: Path, arguments: list[str]) -> None:
    """The bundle holds what each command imports."""
    run = subprocess.run(
        [executable, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert run.stdout
    assert run.stderr == ""


@pytest.mark.parametrize("name", ["book.dat", "book.obk"])
def test_opening_books(executable: Path, tmp_path: Path, name: str) -> None:
    """The bundle holds SQLite, and the table of the keys."""
    writer = new_book(str(tmp_path / name))
    writer.add(Position(), [BookMove(parse_move("h2e2"), 5)])
    writer.finish()
    shown = subprocess.run(
        [executable, "book", "show", name],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=PATIENCE,
    )
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "h2e2" in shown.stdout


def test_junqi_referee_and_engines(executable: Path, tmp_path: Path) -> None:
    """The referee starts the bundle as its own players."""
    players = [f"{join_words([str(executable)])} junqi --level {level}" for level in ("path", "events")]
    run = subprocess.run(
        [
            executable, "referee", "--variant", "siguo", "--seats", "0,2", players[0], "--seats", "1,3", players[1],
            "--games", "2", "--seed", "1", "--record", "games", "--watch",
        ],
        cwd=tmp_path, env=bare_environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE,
    )  # a command line, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert "game 2: " in run.stdout
    records = sorted(path.name for path in (tmp_path / "games").iterdir())
    verified = subprocess.run(
        [executable, "junqi-record", "verify", *records],
        cwd=tmp_path / "games",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert verified.returncode == 0
    assert verified.stdout.count("in order") == 2


def test_match_with_a_report(executable: Path, tmp_path: Path) -> None:
    """The bundle starts itself as the engines, and as the process that plays the games."""
    engines = [f"""--engine=name={name} cmd="'{executable}'" proto={name}""" for name in ("ucci", "uci")]
    run = subprocess.run(
        [
            executable, "match", *engines, "--nodes", "200", "--games", "2", "--max-plies", "16",
            "--out", "games.jsonl", "--records", "games.pgn", "--report", "report.html",
        ],
        cwd=tmp_path, env=bare_environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE,
    )  # a command line, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert "ended by: ply-limit 2" in run.stdout
    assert (tmp_path / "report.html").read_text(encoding="utf-8").count("<svg") >= 3
    assert (tmp_path / "games.pgn").read_text(encoding="utf-8").count('[Result "1/2-1/2"]') == 2


@pytest.mark.parametrize("executable", ["one-folder"], indirect=True)
def test_board(executable: Path, tmp_path: Path) -> None:
    """The page, its server and the engine behind it are in the bundle."""
    board = BoardProcess(tmp_path, program=[str(executable)], environment=bare_environment(tmp_path))
    with urlopen(f"{board.address}/app.js", timeout=PATIENCE) as answer:
        assert answer.status == 200
    with board.page() as page:
        for game in page.join()["games"]:
            page.new(game["name"], "pe", **({"variant": "duel"} if game["name"] == "junqi" else {}))
            page.act("move", text=page.state["legal"][0])
            page.until(lambda state: len(state["moves"]) == 2)
    board.end()


@pytest.mark.skipif(sys.platform != "linux", reason="the judge needs /proc and SIGSTOP")
@pytest.mark.parametrize("executable", ["one-folder"], indirect=True)
def test_doctor(executable: Path, tmp_path: Path) -> None:
    """The bundle passes all its own checks. As one file it is two processes, which a judge cannot suspend."""
    run = subprocess.run(
        [executable, "doctor"],
        cwd=tmp_path,
        env=bare_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
    )
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    assert all(line.endswith(" passed") for line in run.stdout.splitlines())
