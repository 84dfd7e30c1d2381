"""`sanqi match` as a process: ended by signals, killed and resumed, its workers killed; and the files it writes."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gomoku_protocol import psq
from match_runner.command_files import open_outputs
from match_runner.command_plan import make_plan
from match_runner.refusal import Refused
from match_runner.worker import LAST_GAME_S
from sanqi.cli import command_line
from tests.helpers.in_process import run_here, sanqi
from tests.helpers.terminal import shown_lines
from ucci_engine.pgn import read_games
from ucci_engine.points import move_text
from ucci_engine.position import Position

SANQI = str(Path(sysconfig.get_path("scripts")) / "sanqi")
FAKE = Path(__file__).parents[2] / "helpers" / "fake_engine.py"
FAKE_GOMOCUP = Path(__file__).parents[2] / "helpers" / "fake_gomocup_engine.py"
PATIENCE_S = 60
assert PATIENCE_S > 2 * LAST_GAME_S

needs_dask = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs Dask")
needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="processes are read from /proc")


def engine(name: str, behaviour: str = "random") -> tuple[str, str]:
    return "--engine", f'name={name} cmd="{sys.executable} {FAKE} {behaviour} {name}"'


RANDOM_GAMES = (*engine("a"), *engine("b"), "--nodes", "1", "--max-plies", "60")


def match(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a match to its end. The workers and engines are processes."""
    return sanqi("match", *words, cwd=cwd)


def test_a_narrow_terminal_shows_the_games_and_the_time(tmp_path: Path) -> None:
    """The bar gives way, and then the end of the score."""
    pytest.importorskip("pty", reason="needs pseudo terminals")
    command = [SANQI, "match", *RANDOM_GAMES, "--games", "4"]
    for columns in (40, 120):
        shown = [line.rstrip() for line in shown_lines(command, columns, tmp_path) if "\u2501" in line]
        assert all(len(line) <= columns and re.search(r"\u2501 [0-4]/4", line) for line in shown)
        running = [line for line in shown if "ETA" in line]
        assert running and all(re.search(r" a - b .* ETA \d+ s$", line) for line in running)
        assert any("..." in line for line in shown) == (columns == 40)


@contextlib.contextmanager
def begun(*words: str, cwd: Path, before: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
    """A running match that has finished one game, begun by the words `before`."""
    running = subprocess.Popen(
        [*before, SANQI, "match", *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    try:
        line = running.stdout.readline()
        assert line, running.stderr.read() if running.stderr else ""
        yield running
    finally:
        running.kill()
        running.communicate()


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()]


def descendants(pid: int) -> list[int]:
    """All descendants of a process."""
    return [one for child in children(pid) for one in (child, *descendants(child))]


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")


def wait_until_gone(pids: list[int]) -> None:
    """Wait until none of the processes runs; the test's own time limit is the deadline."""
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            # A dead process stays in the process table until its new parent reaps it.
            while Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX":
                time.sleep(0)


def games_in(path: Path) -> list[dict[str, object]]:
    """The games of a file, which must be whole."""
    head, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert head["format"] == 1
    return [line for line in lines if "writes" not in line]


@needs_proc
class TestEndings:
    @pytest.mark.parametrize("order", [signal.SIGINT, signal.SIGTERM])
    def test_an_interrupted_match_reports_and_leaves_no_process(self, order: signal.Signals, tmp_path: Path) -> None:
        # The second game hangs: its engine no longer reads its input.
        words = (*engine("a", "hang"), *engine("b"), "--movetime", "100", "--margin", "100", "--games", "50")
        with begun(*words, "--concurrency", "2", cwd=tmp_path) as running:
            family = descendants(running.pid)
            assert len(family) >= 4
            running.send_signal(order)
            out, errors = running.communicate(timeout=PATIENCE_S)
        assert running.returncode == 130
        assert errors == ""
        assert "interrupted after" in out
        wait_until_gone(family)

    def test_a_match_under_nohup_outlives_its_terminal(self, tmp_path: Path) -> None:
        with begun(*RANDOM_GAMES, "--games", "40", cwd=tmp_path, before=("nohup",)) as running:
            running.send_signal(signal.SIGHUP)
            out, errors = running.communicate(timeout=PATIENCE_S)
        assert (running.returncode, errors) == (0, "")
        assert "40/40" in out

    @pytest.mark.parametrize("order", [signal.SIGINT, signal.SIGTERM])
    def test_an_engine_that_a_shutdown_ends_loses_no_game(self, order: signal.Signals, tmp_path: Path) -> None:
        """The system's shutdown signals all processes; an engine may end before the match gets its signal."""
        words = (*RANDOM_GAMES, "--games", "700", "--out", "games.jsonl", "--concurrency", "2")
        with begun(*words, cwd=tmp_path) as running:
            engines = [pid for pid in descendants(running.pid) if "fake_engine.py" in command_of(pid)]
            for pid in engines:
                os.kill(pid, signal.SIGTERM)
            wait_until_gone(engines)
            running.send_signal(order)
            running.communicate(timeout=PATIENCE_S)
        assert [game["reason"] for game in games_in(tmp_path / "games.jsonl") if game["reason"] == "crash"] == []

    def test_a_killed_match_leaves_no_process_and_can_resume(self, tmp_path: Path) -> None:
        words = (
            *RANDOM_GAMES, "--games", "16", "--concurrency", "2", "--out", "games.jsonl", "--records", "games.pgn",
            "--report", "report.html",
        )  # a command line, many words a line  # fmt: skip
        for attempt in range(2):
            with begun(*words, *(["--resume"] if attempt else []), cwd=tmp_path) as running:
                family = descendants(running.pid)
                running.kill()
                wait_until_gone([running.pid, *family])
        with (tmp_path / "games.jsonl").open("a", encoding="ascii") as file:
            file.write('{"game": 5')  # a line cut off by the kill
        done = (tmp_path / "games.jsonl").read_text(encoding="utf-8").count('\n{"game"') - 1
        assert 2 <= done < 16
        last = match(*words, "--resume", cwd=tmp_path)
        assert (last.returncode, last.stderr) == (0, "")
        assert len([line for line in last.stdout.splitlines() if "/16  " in line]) == 16 - done
        games = games_in(tmp_path / "games.jsonl")
        assert sorted(int(str(game["game"])) for game in games) == list(range(1, 17))
        points = {"a": 0.0, "b": 0.0}
        for game in games:
            for side, result in (("red", "1-0"), ("black", "0-1")):
                points[str(game[side])] += 1 if game["result"] == result else game["result"] == "1/2-1/2" and 0.5
        assert f"{100 * points['a'] / 16:.1f} %" in last.stdout
        assert "16 games, 1 nodes a move" in last.stdout
        # The other files are complete too.
        rounds = [int(game.tags["Round"]) for game in read_games((tmp_path / "games.pgn").read_text(encoding="utf-8"))]
        assert sorted(rounds) == list(range(1, 17))
        assert "16 games" in (tmp_path / "report.html").read_text(encoding="utf-8")
        again = match(*words, "--resume", cwd=tmp_path)
        assert again.returncode == 0
        assert len(games_in(tmp_path / "games.jsonl")) == 16

    def test_games_of_killed_workers_are_played_again(self, tmp_path: Path) -> None:
        words = (*RANDOM_GAMES, "--games", "30", "--concurrency", "2", "--out", "games.jsonl")
        with begun(*words, cwd=tmp_path) as running:
            family = descendants(running.pid)
            # Those below may have a worker's command line too, before they become engines.
            workers = [pid for pid in children(running.pid) if "match_runner.worker" in command_of(pid)]
            assert len(workers) == 2
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
            wait_until_gone(family)
            out, errors = running.communicate(timeout=PATIENCE_S)
        assert (running.returncode, errors) == (0, "")
        assert sorted(int(str(game["game"])) for game in games_in(tmp_path / "games.jsonl")) == list(range(1, 31))
        assert "a  0 crashes" in out

    @pytest.mark.parametrize("order", ["SIGTERM", "SIGHUP", "SIGKILL"])
    def test_an_engine_that_is_stuck_at_the_start_ends_with_the_match(self, order: str, tmp_path: Path) -> None:
        words = (*engine("a", "stuck"), *engine("b"), "--stderr", "errors")
        running = subprocess.Popen([SANQI, "match", *words], cwd=tmp_path, stdout=subprocess.PIPE)
        complaints = tmp_path / "errors" / "a.stderr"
        while not complaints.exists() or not complaints.read_bytes():
            assert running.poll() is None
        family = descendants(running.pid)
        assert len(family) == 2
        running.send_signal(signal.Signals[order])
        running.communicate(timeout=PATIENCE_S)
        wait_until_gone(family)

    def test_a_hanging_engine_ends_with_its_killed_worker(self, tmp_path: Path) -> None:
        words = (*engine("a", "stubborn"), *engine("b"), "--tc", "600", "--games", "2", "--stderr", "errors")
        running = subprocess.Popen([SANQI, "match", *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        complaints = tmp_path / "errors" / "a.stderr"
        try:
            while not complaints.exists() or not complaints.read_bytes():
                assert running.poll() is None
            [worker] = [pid for pid in children(running.pid) if "match_runner.worker" in command_of(pid)]
            engines = descendants(worker)
            assert len(engines) == 2
            os.kill(worker, signal.SIGKILL)
            wait_until_gone(engines)
        finally:
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=PATIENCE_S)


OUTPUTS = ("--out", "games.jsonl", "--records", "games.pgn", "--report", "report.html")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all outputs of a match of two games."""
    folder = tmp_path_factory.mktemp("two games")
    assert match(*RANDOM_GAMES, "--games", "2", *OUTPUTS, cwd=folder).returncode == 0
    return folder


@pytest.fixture
def two_games(played: Path) -> list[str]:
    """The lines of their file, but for those that name the other outputs."""
    lines = (played / "games.jsonl").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if "writes" not in json.loads(line)]


@pytest.fixture
def played_here(played: Path, tmp_path: Path) -> None:
    """The test's folder is a copy of theirs. A match knows again only those of its files that were not copied."""
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)


def prepare(*words: str) -> None:
    """Plan a match and open its files, as the command does, without its engines. Raises Refused."""
    args = command_line(["match"]).parse_args(["match", *words])
    with contextlib.ExitStack() as outputs:
        open_outputs(args, make_plan(args), outputs)


def refusal(*words: str) -> str:
    """Why a match with these words is refused before a game, whatever its engines do. The command puts this on one
    line: test_a_refused_file_ends_the_command_with_one_line."""
    with pytest.raises(Refused) as refused:
        prepare(*words)
    return str(refused.value)


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the test's folder."""
    monkeypatch.chdir(tmp_path)


def test_one_match_writes_to_a_file(tmp_path: Path) -> None:
    words = (*RANDOM_GAMES, "--games", "700", "--out", "games", "--resume")
    with begun(*words, cwd=tmp_path):
        run = match(*words, cwd=tmp_path)
    assert run.returncode == 2
    assert "games is being written to by another match" in run.stderr


@pytest.mark.usefixtures("in_folder")
class TestResume:
    @pytest.mark.usefixtures("played_here")
    def test_resume_may_add_games(self, tmp_path: Path) -> None:
        words = (*RANDOM_GAMES, "--out", "games.jsonl")
        assert match(*words, "--games", "6", "--resume", cwd=tmp_path).returncode == 0
        games = games_in(tmp_path / "games.jsonl")
        assert [game["game"] for game in games] == [1, 2, 3, 4, 5, 6]

    @pytest.mark.usefixtures("played_here")
    def test_a_file_of_an_older_build_without_the_start_time(self, tmp_path: Path) -> None:
        words = (*RANDOM_GAMES, "--out", "games.jsonl", "--report", "report.html")
        file = tmp_path / "games.jsonl"
        head, *rest = file.read_text(encoding="utf-8").splitlines(keepends=True)
        first = json.loads(head)
        assert first.pop("begun")
        assert "<th>begun</th>" in (tmp_path / "report.html").read_text(encoding="utf-8")
        (tmp_path / "report.html").unlink()
        file.write_text("".join([json.dumps(first) + "\n", *rest]), encoding="utf-8")
        run = match(*words, "--games", "4", "--resume", cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        assert "<th>begun</th>" not in (tmp_path / "report.html").read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        ("words", "token"),
        [
            ((*engine("a"), *engine("c"), "--nodes", "1"), "engines is"),
            pytest.param((*engine("a"), *engine("b"), "--nodes", "2"), "limit is", marks=pytest.mark.long),
            ((*RANDOM_GAMES[:-1], "61"), "max_plies is 60 in the file, 61 here"),
            ((*RANDOM_GAMES, "--openings", "other.txt"), "game 1 has another opening"),
            ((*RANDOM_GAMES, "--game", "gomoku"), "terms is"),
        ],
    )
    def test_the_file_of_another_match_is_not_changed(
        self, words: tuple[str, ...], token: str, tmp_path: Path, two_games: list[str]
    ) -> None:
        (tmp_path / "games.jsonl").write_text("\n".join([*two_games, ""]), encoding="utf-8")
        (tmp_path / "other.txt").write_text("a0a1\n", encoding="ascii")
        before = (tmp_path / "games.jsonl").read_bytes()
        if "gomoku" in words:
            words = tuple(word.replace(str(FAKE), str(FAKE_GOMOCUP)) for word in words)
        told = refusal(*words, "--games", "2", "--out", "games.jsonl", "--resume")
        assert token in told
        assert "\n" not in told
        assert (tmp_path / "games.jsonl").read_bytes() == before

    def test_a_refused_file_ends_the_command_with_one_line(self, tmp_path: Path, two_games: list[str]) -> None:
        head, game, *rest = two_games
        changed = json.dumps({**json.loads(game), "reason": ["\x1b" + "x" * 10000]})
        for lines, words, token in (
            (two_games, (*engine("a"), *engine("c"), "--nodes", "1"), "engines is"),
            ([head, changed, *rest], RANDOM_GAMES, "games.jsonl, line 2: "),
            (["not a match"], RANDOM_GAMES, "games.jsonl, line 1: "),
        ):
            text = "\n".join([*lines, ""])
            (tmp_path / "games.jsonl").write_text(text, encoding="utf-8")
            run = match(*words, "--games", "2", "--out", "games.jsonl", "--resume", cwd=tmp_path)
            assert (run.returncode, run.stdout) == (2, "")
            assert token in run.stderr
            assert run.stderr.endswith("; nothing was played\n")
            assert run.stderr.count("\n") == 1 and len(run.stderr) < 600
            assert (tmp_path / "games.jsonl").read_text(encoding="utf-8") == text

    @pytest.mark.parametrize(
        ("content", "token"),
        [
            (b"not a match", "line 1"),
            (b"not a match\n", "line 1"),
            (b'{"match": 5}\n', "line 1"),
        ],
    )
    def test_a_file_that_is_not_of_a_match(self, content: bytes, token: str, tmp_path: Path) -> None:
        file = tmp_path / "games.jsonl"
        file.write_bytes(content)
        told = refusal(*RANDOM_GAMES, "--games", "2", "--out", "games.jsonl", "--resume")
        assert token in told
        assert "\n" not in told
        assert file.read_bytes() == content

    @pytest.mark.parametrize("kept", [None, 0, 50])
    def test_a_match_that_was_killed_before_its_first_line_begins(
        self, kept: int | None, tmp_path: Path, two_games: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = (*RANDOM_GAMES, "--games", "2", "--out", "games.jsonl", "--records", "games.pgn")
        file = tmp_path / "games.jsonl"
        if kept is not None:
            file.write_bytes(two_games[0].encode()[:kept])
        run = match(*words, "--resume", cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        assert "games.jsonl: no match in it yet, beginning with the first game" in run.stdout
        assert [game["game"] for game in games_in(file)] == [1, 2]
        capsys.readouterr()
        prepare(*words, "--resume")
        assert "no match in it" not in capsys.readouterr().out

    @pytest.mark.parametrize("form", [2, 1.0, True, "1", None, 10**400])
    def test_a_file_of_another_format_is_not_changed(self, form: object, tmp_path: Path, two_games: list[str]) -> None:
        file = tmp_path / "games.jsonl"
        head, *rest = two_games
        file.write_text("\n".join([json.dumps({**json.loads(head), "format": form}), *rest, ""]), encoding="utf-8")
        before = file.read_bytes()
        told = refusal(*RANDOM_GAMES, "--games", "2", "--out", "games.jsonl", "--resume")
        assert re.search("games.jsonl, line 1: format .* reads format 1", told), told
        assert "\n" not in told and len(told) < 550
        assert file.read_bytes() == before

    @pytest.mark.parametrize("option", ["--out", "--records", "--report"])
    def test_nothing_is_overwritten(self, option: str, tmp_path: Path) -> None:
        (tmp_path / "mine").write_text("precious", encoding="ascii")
        run = run_here("match", *RANDOM_GAMES, "--games", "2", option, "mine", cwd=tmp_path)
        assert run.returncode == 2
        assert "mine" in run.stderr
        assert run.stderr.count("\n") == 1
        assert (tmp_path / "mine").read_text(encoding="ascii") == "precious"
        assert [file.name for file in tmp_path.iterdir()] == ["mine"]

    def test_only_files_that_the_match_wrote_are_replaced(self, tmp_path: Path) -> None:
        words = (*RANDOM_GAMES, "--games", "2", "--out", "games.jsonl")
        assert match(*words, "--records", "games.pgn", cwd=tmp_path).returncode == 0
        shutil.copy(tmp_path / "games.pgn", tmp_path / "other.pgn")  # as another match would have written it
        (tmp_path / "notes.html").write_text("my notes on sanqi match", encoding="ascii")
        before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
        for option, path in (("--records", "other.pgn"), ("--report", "notes.html"), ("--report", "games.pgn")):
            assert f"{path} exists already" in refusal(*words, "--resume", option, path)
            assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
        run = match(*words, "--resume", "--records", "games.pgn", cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")

    def test_one_file_for_two_things_is_refused(self, tmp_path: Path) -> None:
        run = run_here("match", *RANDOM_GAMES, "--games", "2", "--out", "a", "--report", "./a", cwd=tmp_path)
        assert run.returncode == 2
        assert "--out and --report name the same file" in run.stderr
        assert list(tmp_path.iterdir()) == []

    def test_a_refused_match_leaves_no_files(self, tmp_path: Path) -> None:
        words = ("--games", "2", "--out", "a", "--report", "b", "--records", "none/c")
        run = run_here("match", *RANDOM_GAMES, *words, cwd=tmp_path)
        assert run.returncode == 2
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("key", "value", "told"),
        [
            ("moves", ["z9z9"], ", line 2: no game of this match: .*z9z9"),
            ("moves", [[]], r", line 2: .*\[\] is no text"),
            ("thoughts", [[0, "x", 1, 1, 1, 1]], ", line 2: .*'x' is no time"),
            ("thoughts", [[7, 1, 1, 1, 1, 1]], ", line 2: .*side 7"),
            ("thoughts", [[0, math.inf, 1, 1, 1, 0]], ", line 2: .*Infinity is no time"),
            ("thoughts", [[0, 1, 10**400, 1, 1, 0]], ", line 2: .*100000.* is no whole number"),
            ("thoughts", [[0, 10**400, 1, 1, 1, 0]], ", line 2: .*100000.* is no time"),
            ("thoughts", [[True, 1, 1, 1, 1, 0]], ", line 2: .*side true"),
            ("thoughts", [[0, True, 1, 1, 1, 0]], ", line 2: .*true is no time"),
            ("thoughts", [[0, 1, 1.5, 1, 1, 0]], ", line 2: .*1.5 is no whole number"),
            ("thoughts", [[0, 1, 1, False, 1, 0]], ", line 2: .*false is no whole number"),
            ("thoughts", [[0, 1, 1, 1, 1, 1.5]], ", line 2: .*1.5 is no whole number"),
            ("thoughts", [[0, 1, 1, -1, 1, 1]], ", line 2: .*-1 is no whole number"),
            ("thoughts", "xxxxxx", ", line 2: .*'xxxxxx' is no list"),
            ("moves", "a0a1", ", line 2: .* is no list"),
            ("game", 1.5, ", line 2: .*1.5 is no whole number"),
            ("game", True, ", line 2: .*true is no whole number"),
            ("game", 1.0, ", line 2: .*1.0 is no whole number"),
            ("opening_plies", 1.5, ", line 2: .*1.5 is no whole number"),
            ("reason", ["\x1b" + "x" * 10000], ", line 2: .*is no text"),
            ("start", "\ud800", ", line 2: .*surrogates"),
            ("date", "2026-02-30", ", line 2: .*day is out of range"),
            ("date", "20260225", ", line 2: .*20260225"),
            ("date", 5, ", line 2: .*5 is no text"),
            ("reason", ["x"], ", line 2: .*is no text"),
            ("detail", None, ", line 2: .*null is no text"),
            ("game", 1e400, ", line 2: .*Infinity"),
            ("opening_line", "x", ", line 2: .*'x'"),
            ("result", "2-0", ", line 2: .*2-0"),
            ("red", 3, ", line 2: .*3 is no text"),
            ("red", "a\n", r": game 1 is of 'a\\n' and 'b' there"),
        ],
    )
    def test_a_bad_value_is_reported(
        self,
        key: str,
        value: object,
        told: str,
        tmp_path: Path,
        two_games: list[str],
    ) -> None:
        head, game, *rest = two_games
        changed = json.dumps({**json.loads(game), key: value})
        (tmp_path / "games.jsonl").write_text("\n".join([head, changed, *rest, ""]), encoding="utf-8")
        reason = refusal(*RANDOM_GAMES, "--games", "2", "--out", "games.jsonl", "--resume")
        assert "\n" not in reason and len(reason) < 550
        assert re.search("games.jsonl" + told, reason), reason


@pytest.mark.usefixtures("in_folder")
class TestRecords:
    def test_pgn_has_the_games(self, played: Path) -> None:
        written = list(read_games((played / "games.pgn").read_text(encoding="utf-8")))
        for game, pgn in zip(games_in(played / "games.jsonl"), written, strict=True):
            assert [move_text(move) for move in pgn.moves] == game["moves"]
            assert (pgn.tags["Red"], pgn.tags["Black"], pgn.result) == (game["red"], game["black"], game["result"])
            opening = int(str(game["opening_plies"]))
            assert not any(pgn.comments[:opening])
            assert all(comment.startswith("+0.00/1 ") for comment in pgn.comments[opening:])
            assert pgn.tags["Date"] == str(game["date"]).replace("-", ".")

    @pytest.mark.usefixtures("played_here")
    def test_a_resumed_match_keeps_the_dates_of_its_games(self, tmp_path: Path) -> None:
        words = (*RANDOM_GAMES, "--games", "2", "--out", "games.jsonl", "--records", "games.pgn")
        lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines()]
        first, second = (line for line in lines if "game" in line)
        first["date"] = "2020-02-29"
        del second["date"]  # as an older build wrote it
        (tmp_path / "games.pgn").unlink()
        (tmp_path / "games.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        assert match(*words, "--resume", cwd=tmp_path).returncode == 0
        text = (tmp_path / "games.pgn").read_text(encoding="utf-8")
        assert [game.tags["Date"] for game in read_games(text)] == ["2020.02.29", "????.??.??"]

    def test_psq_has_the_games(self, tmp_path: Path) -> None:
        words = tuple(word.replace(str(FAKE), str(FAKE_GOMOCUP)) for word in RANDOM_GAMES)
        run = match(
            *words, "--game", "gomoku", "--size", "12", "--games", "2", "--out", "games.jsonl", "--records", "psq",
            cwd=tmp_path,
        )  # a command line, many words a line  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        for game in games_in(tmp_path / "games.jsonl"):
            record = psq.parse((tmp_path / "psq" / f"game{int(str(game['game'])):05}.psq").read_bytes())
            assert [f"{stone.x},{stone.y}" for stone in record.moves] == game["moves"]
            assert record.names == (game["black"], game["white"])
        # They also serve as openings, as far as the games are not over.
        openings = ("--openings", "psq", "--opening-plies", "6")
        run = match(*words, "--game", "gomoku", "--size", "12", "--games", "2", *openings, cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        refused = refusal(*words, "--game", "gomoku", "--games", "2", *openings)
        assert "a board of 12x12, the match is on 15x15" in refused

    def test_jgr_is_accepted_by_the_verifier(self, tmp_path: Path) -> None:
        run = match(
            "--game", "junqi", "--engine", f"name=a cmd={SANQI} option.Level=path",
            "--engine", f"name=b cmd={SANQI} option.Level=random",
            "--games", "2", "--max-plies", "50", "--tc", "20+0.1", "--records", "jgr", "--report", "r.html",
            cwd=tmp_path,
        )  # a command line, many words a line  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        files = sorted(str(file) for file in (tmp_path / "jgr").iterdir())
        assert len(files) == 2
        verify = [SANQI, "junqi-record", "verify", *files]
        verified = subprocess.run(verify, capture_output=True, text=True, check=False)
        assert verified.returncode == 0, verified.stdout + verified.stderr
        assert "2 games" in (tmp_path / "r.html").read_text(encoding="utf-8")


class TestPondering:
    @pytest.mark.parametrize("protocol", ["ucci", pytest.param("uci", marks=pytest.mark.long)])
    def test_it_ponders_and_learns_whether_it_guessed_right(self, protocol: str, tmp_path: Path) -> None:
        option = "debuglogfile" if protocol == "ucci" else '"Debug Log File"'
        run = match(
            "--engine", f"name=a cmd={SANQI} proto={protocol} option.{option}=log",
            "--engine", f"name=b cmd={SANQI} proto={protocol}", "--games", "2", "--tc", "0.3+0.02", "--max-plies", "16",
            "--ponder", "--out", "games.jsonl", cwd=tmp_path,
        )  # a command line, many words a line  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.count("0 crashes, 0 time losses, 0 illegal moves") == 2
        log = (tmp_path / "log").read_text(encoding="ascii").splitlines()
        said = [line.split(" > ", 1)[1] for line in log if " > " in line]
        asked = [line for line in said if line.startswith("go ponder ")]
        hits = said.count("ponderhit")
        assert asked
        assert hits
        assert len(asked) == hits + said.count("stop")  # also of the last one of a game
        # Each move was legal where it was played.
        for game in games_in(tmp_path / "games.jsonl"):
            position = Position()
            for move in game["moves"]:  # type: ignore[attr-defined]
                position.push(next(legal for legal in position.legal_moves() if move_text(legal) == move))

    def test_needs_a_clock(self, tmp_path: Path) -> None:
        run = run_here("match", *RANDOM_GAMES, "--ponder", cwd=tmp_path)
        assert run.returncode == 2
        assert "--ponder needs a clock" in run.stderr


@pytest.mark.parametrize(
    ("words", "token"),
    [
        (("--adjudicate-win", "5"), "--adjudicate-win '5'"),
        (("--adjudicate-draw", "5,x,7"), "--adjudicate-draw '5,x,7'"),
        (("--resume",), "--resume"),
        (("--engines", "none.toml"), "none.toml"),
        ((*engine("c"), "--sprt", "0,5"), "--sprt is for two"),
        ((*engine("c"), "--games", "3"), "--games 3"),
        (("--stderr", str(FAKE / "x")), "fake_engine.py/x"),
    ],
)
def test_bad_input_gets_one_line(words: tuple[str, ...], token: str, tmp_path: Path) -> None:
    run = run_here("match", *RANDOM_GAMES, *words, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert token in run.stderr.replace(os.sep, "/")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "sprt",
    [
        ("--sprt", "-.5,0"),
        *(pytest.param(sprt, marks=pytest.mark.long) for sprt in (("--sprt", "-5,0"), ("--sprt=-5,0",))),
    ],
)
def test_bounds_of_an_sprt_may_be_below_0(sprt: tuple[str, ...], tmp_path: Path) -> None:
    run = match(*RANDOM_GAMES, "--games", "2", *sprt, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    bound = sprt[-1].rpartition("=")[2].partition(",")[0].replace("-.", "-0.")
    assert f"SPRT: undecided (H0: {bound} Elo or less, H1: 0 Elo or more" in run.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--stderr", "taken"), "--stderr: taken: File exists"),
        (("--engine", "name=c cmd=/none/c"), "engine c: cannot be started: /none/c: No such file or directory"),
        (("--engine", "name=c cmd=/bin/sh dir=none"), "engine c: cannot be started: none: No such file or directory"),
        pytest.param(("--scheduler", "tcp://127.0.0.1:9"), "cannot be reached: Connection refused", marks=needs_dask),
        (("--out", "taken"), "taken: File exists"),
    ],
)
def test_errors_of_the_system_are_reported_in_words(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="ascii")
    run = match(*RANDOM_GAMES, "--games", "2", *words, cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert_in_words(told, run.stderr)


@pytest.mark.usefixtures("in_folder")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--out", "none/x"), "none/x: No such file or directory"),
        (("--records", "none/x"), "none/x: No such file or directory"),
        (("--openings", "none.txt"), "openings none.txt: No such file or directory"),
        (("--openings", "none.pgn"), "openings none.pgn: No such file or directory"),
        (("--engines", "none.toml"), "engines none.toml: No such file or directory"),
        (("--out", "none/x", "--resume"), "none/x: No such file or directory"),
    ],
)
def test_errors_with_files_are_reported_in_words(words: tuple[str, ...], told: str) -> None:
    assert_in_words(told, refusal(*RANDOM_GAMES, "--games", "2", *words))


def assert_in_words(told: str, said: str) -> None:
    """It is said, without the name of an exception or its number."""
    if sys.platform == "win32":
        told, _, _reason = told.rpartition(": ")  # Windows words the reasons differently
    assert told in said.replace(os.sep, "/")
    assert "Errno" not in said
    assert "WinError" not in said


def test_depth_limit_and_gomoku_clock_with_increment(tmp_path: Path) -> None:
    run = match(
        "--engine", f"name=a cmd={SANQI}", "--engine", f"name=b cmd={SANQI} proto=uci", "--depth", "3", "--games", "2",
        "--max-plies", "20", "--out", "x.jsonl", cwd=tmp_path,
    )  # a command line, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert "3 plies deep" in run.stdout
    for game in games_in(tmp_path / "x.jsonl"):
        assert {stats[2] for stats in game["thoughts"]} == {3}  # type: ignore[attr-defined]
    words = tuple(word.replace(str(FAKE), str(FAKE_GOMOCUP)) for word in (*engine("a"), *engine("b")))
    run = match(*words, "--game", "gomoku", "--tc", "5+0.5", "--games", "2", "--max-plies", "12", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "5+0.5 s a game" in run.stdout
