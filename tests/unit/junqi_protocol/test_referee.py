"""The referee with real programs as players, well-behaved and not."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import shlex
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from junqi_protocol.records.records import Replay
from junqi_protocol.referee.connections import MAX_STRANGERS, NoLine, ProcessConnection, Reception, SocketConnection
from junqi_protocol.referee.referee import Referee, RefereeConditions, Spectator, StartUpError
from junqi_protocol.rules import lineup
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.messages import Left, Moved, Skipped, Terms
from search_core.clock import now_s
from tests.helpers.in_process import run_here
from tests.unit.conftest import LeftBehind

FAKE = Path(__file__).parents[2] / "helpers" / "fake_junqi_engine.py"
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "random_junqi_engine.py"
PRYING = FAKE.with_name("prying_junqi_engine.py")
SANQI = (sys.executable, "-m", "sanqi")
PATIENCE_S = 60


def fake(behaviour: str, from_ply: int = 0) -> str:
    return f"{sys.executable} -P {FAKE} {behaviour} {from_ply}"


class Witness(Spectator):
    """Keeps the games that it saw."""

    def __init__(self) -> None:
        self.games: list[Arbiter] = []

    def over(self, number: int, arbiter: Arbiter) -> None:
        self.games.append(arbiter)


def play(players: Mapping[tuple[int, ...], str], conditions: RefereeConditions) -> list[Arbiter]:
    """Play the games and return them."""
    witness = Witness()

    async def run() -> None:
        connections = [ProcessConnection(seats, command) for seats, command in players.items()]
        await asyncio.wait_for(Referee(conditions, connections, witness).run(), PATIENCE_S)

    asyncio.run(run())
    return witness.games


def duel(first: str, second: str, **rules: int) -> Arbiter:
    """One game of two seats, 300 ms a move and 40 plies unless the rules say otherwise."""
    movetime = rules.pop("movetime_ms", 0 if "clock" in rules else 300)
    terms = Terms(VARIANTS["duel"], **{"plies": 40, **rules})  # type: ignore[arg-type]
    players: dict[tuple[int, ...], str] = {(0,): first, (1,): second}
    [arbiter] = play(players, RefereeConditions(terms, movetime_ms=movetime, seed=3))
    return arbiter


def last(arbiter: Arbiter) -> object:
    return arbiter.happenings[-1]


class TestBehaviour:
    def test_two_programs_play_to_the_end(self) -> None:
        arbiter = duel(fake("plain"), fake("plain"))
        assert arbiter.outcome == "draw plies"
        assert [happening.ply for happening in arbiter.happenings] == list(range(1, 41))
        assert {happening.seat for happening in arbiter.happenings} == {0, 1}

    def test_a_program_that_dies_is_out_when_it_comes_to_turn(self) -> None:
        arbiter = duel(fake("plain"), fake("dies", 10))
        assert last(arbiter) == Left(10, 1, "exit")
        assert arbiter.outcome == "win 0 exit"

    @pytest.mark.parametrize("behaviour", ["hangs", "floods", "deaf", "mute"])
    def test_one_that_does_not_answer_is_skipped(self, behaviour: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("junqi_protocol.referee.referee.HANDSHAKE_S", 2.0)
        arbiter = duel(fake("plain"), fake(behaviour), skips=2)
        assert last(arbiter) == Skipped(4, 1, 2, "time", out=True)
        assert arbiter.outcome == "win 0 skips"

    def test_a_clock_that_is_used_up_puts_a_seat_out(self) -> None:
        arbiter = duel(fake("plain"), fake("hangs", 4), clock=400)
        assert last(arbiter) == Left(4, 1, "time")
        assert arbiter.outcome == "win 0 time"
        assert arbiter.clocks is not None
        assert arbiter.clocks[1] == 0

    def test_clock_grows_by_the_increment(self) -> None:
        arbiter = duel(fake("plain"), fake("plain"), clock=60_000, inc=500, plies=10)
        assert arbiter.clocks is not None
        # Five moves each: the time used beyond the lag allowance is less than the increments.
        assert all(60_000 < clock <= 62_500 for clock in arbiter.clocks)

    def test_garbage_beside_the_answer_is_ignored(self) -> None:
        assert duel(fake("plain"), fake("garbage")).outcome == "draw plies"

    def test_late_and_early_answers_shift_nothing(self) -> None:
        arbiter = duel(fake("late"), fake("late"))
        assert arbiter.outcome == "draw plies"
        assert all(isinstance(happening, Moved) for happening in arbiter.happenings)

    def test_third_illegal_answer_puts_a_seat_out(self) -> None:
        arbiter = duel(fake("illegal", 6), fake("plain"))
        assert last(arbiter) == Left(7, 0, "illegal")
        assert arbiter.strikes == [3, 0]
        assert arbiter.outcome == "win 1 illegal"

    def test_a_legal_answer_may_follow_an_illegal_one(self) -> None:
        arbiter = duel(fake("plain"), fake("stumbles", 10), plies=12)
        assert arbiter.strikes == [0, 2]
        assert arbiter.outcome == "draw plies"

    def test_pass_and_resign(self) -> None:
        arbiter = duel(fake("passes"), fake("plain"), skips=3)
        assert last(arbiter) == Skipped(5, 0, 3, "pass", out=True)
        assert duel(fake("plain"), fake("resigns", 8)).outcome == "win 0 resign"

    def test_the_game_goes_on_for_the_others(self) -> None:
        terms = Terms(VARIANTS["siguo"], plies=60)
        [arbiter] = play(
            {(0,): fake("plain"), (1,): fake("dies", 6), (2,): fake("illegal", 9), (3,): fake("plain")},
            RefereeConditions(terms, movetime_ms=1000, seed=1),
        )
        assert arbiter.outcome == "draw plies"
        assert arbiter.position.living == [0, 3]
        assert [h for h in arbiter.happenings if isinstance(h, Left)] == [Left(6, 1, "exit"), Left(10, 2, "illegal")]

    @pytest.mark.parametrize(
        ("command", "complaint"),
        [
            ("/nowhere/engine", "--seats 0: /nowhere/engine: (No such file or directory|File not found)"),
            (fake("dies"), "--seats 0: .* has ended before its first answer"),
            (f"{sys.executable} -c 0", "--seats 0: .* has ended before its first answer"),
        ],
    )
    def test_a_program_that_leaves_before_its_first_answer_ends_the_run(self, command: str, complaint: str) -> None:
        with pytest.raises(StartUpError, match=complaint):
            duel(command, fake("plain"))

    def test_it_only_loses_where_engines_need_not_start(self) -> None:
        conditions = RefereeConditions(Terms(VARIANTS["duel"]), must_start=False)
        for command in ("/nowhere/engine", fake("dies")):
            [arbiter] = play({(0,): command, (1,): fake("plain")}, conditions)
            assert arbiter.outcome == "win 1 exit"

    def test_a_program_that_does_not_exit_is_killed(self, tmp_path: Path) -> None:
        # `run()` returns only when every process is gone.
        assert duel(fake("stays"), fake("plain")).outcome == "draw plies"

    def test_a_dead_program_is_started_again_for_the_next_game(self) -> None:
        terms = Terms(VARIANTS["duel"], plies=20)
        games = play({(0,): fake("dies", 15), (1,): fake("plain")}, RefereeConditions(terms, games=2, movetime_ms=1000))
        assert [game.outcome for game in games] == ["win 1 exit"] * 2
        assert [game.terms.first for game in games] == [0, 1]


class TestLeftBehind:
    """Engines that leave a process behind. It has left their group and holds their pipes."""

    @pytest.mark.parametrize("how", ["holds", "stderr", "writes", "zombie"])
    def test_it_is_ended_with_the_engine(
        self, how: str, left_behind: LeftBehind, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert duel(left_behind.by(how, fake("plain")), fake("plain"), plies=6).outcome == "draw plies"
        assert left_behind.running() == []
        assert capfd.readouterr().err == ""

    def test_a_process_that_cannot_be_found_is_reported_and_play_goes_on(
        self, left_behind: LeftBehind, capfd: pytest.CaptureFixture[str]
    ) -> None:
        terms = Terms(VARIANTS["duel"], plies=20)
        players: dict[tuple[int, ...], str] = {
            (0,): left_behind.by("unmarked", fake("dies", 15)),
            (1,): fake("plain"),
        }
        games = play(players, RefereeConditions(terms, games=2, movetime_ms=40_000))
        assert [game.outcome for game in games] == ["win 1 exit"] * 2
        assert len(left_behind.running()) == 2
        assert capfd.readouterr().err.count("is held by something that the ended engine started; it may run on\n") == 2

    def test_an_engine_that_dies_is_out_although_its_output_is_held(self, left_behind: LeftBehind) -> None:
        arbiter = duel(fake("plain"), left_behind.by("holds", fake("dies", 10)), movetime_ms=40_000)
        assert last(arbiter) == Left(10, 1, "exit")
        assert left_behind.running() == []


class TestLineups:
    def test_engines_choose_and_missing_or_faulty_lineups_are_replaced(self) -> None:
        terms = Terms(VARIANTS["siguo"], plies=4)
        players: dict[tuple[int, ...], str] = {
            (0,): fake("chooses", 9),
            (1,): fake("cheats", 9),
            (2,): fake("plain"),
            (3,): fake("chooses", 9),
        }
        [arbiter] = play(players, RefereeConditions(terms, movetime_ms=1000, lineups="engine"))
        chosen = lineup.parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")
        assert [one == chosen for one in arbiter.lineups] == [True, False, False, True]
        for one in arbiter.lineups:
            lineup.check(one)

    def test_only_a_seed_repeats_random_lineups(self) -> None:
        def lineups(seed: int | None) -> list[str]:
            terms = Terms(VARIANTS["duel"], plies=1)
            [arbiter] = play({(0,): fake("plain"), (1,): fake("plain")}, RefereeConditions(terms, seed=seed))
            return arbiter.lineups

        assert lineups(5) == lineups(5) != lineups(6)
        assert lineups(None) != lineups(None)


class TestProgram:
    """`sanqi referee` as a user calls it."""

    @staticmethod
    def referee(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*SANQI, "referee", *arguments], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE_S
        )

    def test_the_example_engine_plays_whole_games(self, tmp_path: Path) -> None:
        example = f"{sys.executable} -P {EXAMPLE}"
        for variant, seats in (("duel", ("0", "1")), ("siguo", ("0,2", "1,3"))):
            run = self.referee(
                "--variant", variant, "--seats", seats[0], example, "--seats", seats[1], example, "--games", "2",
                "--record", variant, "--lineups", "engine", cwd=tmp_path,
            )  # a command line, many words a line  # fmt: skip
            assert (run.returncode, run.stderr) == (0, "")
            assert [line.split(":")[0] for line in run.stdout.splitlines()] == ["game 1", "game 2"]
            for path in (tmp_path / variant).iterdir():
                assert Replay(path.read_bytes()).finished

    @pytest.mark.long
    def test_levels_play_each_other(self, tmp_path: Path) -> None:
        players = [f"{' '.join(SANQI)} junqi --level {level}" for level in ("path", "events")]
        run = self.referee(
            "--seats", "0,2", players[0], "--seats", "1,3", players[1], "--games", "2", "--seed", "1", "--quiet", "70",
            "--watch", cwd=tmp_path,
        )  # a command line, many words a line  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        assert "gameover" not in run.stdout
        assert "game 2: " in run.stdout

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (["--seats", "0", "x"], "nobody plays seat 1"),
            (["--seats", "0,1", "x"], "one seat, or the two of a team"),
            (["--seats", "0,2", "x", "--seats", "2", "x"], "seat 2 is taken"),
            (["--seats", "9", "x"], "a seat must be a number from 0 to 3"),
            (["--seats", "0,2", "", "--seats", "1,3", "x"], "an empty command"),
            (["--seats", "0,2", "x 'y", "--seats", "1,3", "x"], "No closing quotation"),
            (["--seats", "0,2", "human", "--seats", "1,3", "human"], "has the terminal already"),
            (["--inc", "5"], "--inc is added to a --clock"),
            (["--resume"], "--resume needs the --record DIR"),
            (["--record-at-end"], "--record-at-end needs the --record DIR"),
            (["--record", "x", "--record-at-end", "--resume"], "--resume goes on with a record on disk"),
            (["--first", "4"], "seats 0 to 3"),
            (["--lineups", "nowhere.txt"], "nowhere.txt"),
            (["--listen", "here", "--seats", "0,2", "tcp", "--seats", "1,3", "tcp"], "expected HOST:PORT"),
            (["--record", __file__, "--seats", "0,2", "x", "--seats", "1,3", "x"], f"{__file__}: File "),
            (["--watch", "7", "--seats", "0,2", "x", "--seats", "1,3", "x"], "--watch '7'"),
            (["--quiet", "-1"], "expected a number"),
            (["--step", "--seats", "0,2", "x", "--seats", "1,3", "x"], "--delay and --step go with --watch"),
        ],
    )
    def test_wrong_arguments_get_one_line(self, arguments: list[str], complaint: str, tmp_path: Path) -> None:
        run = run_here("referee", *arguments, cwd=tmp_path)
        assert run.returncode == 2
        assert complaint in run.stderr
        assert run.stderr.count("\n") == 1

    def test_a_game_can_be_watched_ply_by_ply(self, tmp_path: Path) -> None:
        run = subprocess.run(
            [
                *SANQI, "referee", "--variant", "duel", "--seats", "0", fake("plain"), "--seats", "1", fake("plain"),
                "--max-plies", "9", "--watch", "--step", "--delay", "1", "--seed", "1",
            ],
            cwd=tmp_path, input="\n3\nx\nall\n", capture_output=True, text=True, timeout=PATIENCE_S,
        )  # a command line, many words a line  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        prompt = "Enter: next ply, N: next N plies, all: to the end> "
        shown = [
            [line for line in part.splitlines() if re.match(r"\d\. \d: ", line)][-1:]
            for part in run.stdout.split(prompt)
        ]
        assert [int(line[0]) for [line] in shown[1:]] == [1, 4, 5, 9]
        assert "game 1: draw plies" in run.stdout

    def test_an_engine_that_leaves_at_its_start_shows_its_stderr(self, tmp_path: Path) -> None:
        run = self.referee(
            "--variant", "duel", "--seats", "0", f"{' '.join(SANQI)} junqi --level best", "--seats", "1", fake("plain"),
            cwd=tmp_path,
        )  # a command line, many words a line  # fmt: skip
        assert (run.returncode, run.stdout) == (2, "")
        *stderr, message = run.stderr.splitlines()
        assert "expected 1 to 20, " in " ".join(stderr)
        assert message.startswith("sanqi referee: --seats 0: ")
        assert message.endswith(" has ended before its first answer")

    def test_lineups_from_files(self, tmp_path: Path) -> None:
        placed = lineup.parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")
        (tmp_path / "one.jql").write_bytes(lineup.to_jql(placed))
        (tmp_path / "two.txt").write_text(f"# two\n{lineup.text(placed)}\n\n{lineup.text(placed).lower()}\n")
        (tmp_path / "bad.txt").write_text(f"{lineup.text(placed)}\nxx\n")
        for name in ("one.jql", "two.txt"):
            run = self.referee(
                "--variant", "duel", "--seats", "0", fake("plain"), "--seats", "1", fake("plain"), "--max-plies", "2",
                "--lineups", name, "--record", f"{name}.d", cwd=tmp_path,
            )  # a command line, many words a line  # fmt: skip
            assert run.returncode == 0, run.stderr
            assert Replay((tmp_path / f"{name}.d" / "game00001.jgr").read_bytes()).arbiter.lineups == [placed] * 2
        run = self.referee("--lineups", "bad.txt", cwd=tmp_path)
        assert "bad.txt, line 2: 'xx' is no lineup" in run.stderr

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
    @pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
    def test_no_engine_outlives_the_referee(self, number: signal.Signals, status: int, tmp_path: Path) -> None:
        process = subprocess.Popen(
            [
                *SANQI, "referee", "--variant", "duel", "--seats", "0", fake("stays"), "--seats", "1", fake("hangs"),
                "--record", "games", "--watch",
            ],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # a command line, many words a line  # fmt: skip
        record = tmp_path / "games" / "game00001.jgr"
        while process.poll() is None and not record.exists():
            time.sleep(0)
        process.send_signal(number)
        # The engines have inherited the referee's stderr: it ends when the last of them does.
        _out, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == status
        assert errors == ""


def private(path: Path) -> bool:
    """Whether only its owner may read a file. On Windows the folder decides that."""
    return sys.platform == "win32" or path.stat().st_mode & 0o077 == 0


class TestKillAndResume:
    @pytest.mark.parametrize("kept", [b"", b"rec", b"record 1\nnewgame variant duel\nlineup 0 9631"])
    def test_a_record_that_ends_before_the_start_begins_again(self, kept: bytes, tmp_path: Path) -> None:
        (tmp_path / "games").mkdir()
        record = tmp_path / "games" / "game00001.jgr"
        record.write_bytes(kept)
        run = subprocess.run(
            [
                *SANQI, "referee", "--variant", "duel", "--seats", "0", fake("plain"), "--seats", "1", fake("plain"),
                "--max-plies", "10", "--record", "games", "--resume",
            ],
            cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # a command line, many words a line  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.startswith("game 1: its record ends before the start; beginning it again\ngame 1: draw plies")
        assert Replay(record.read_bytes()).finished

    def test_a_record_that_does_not_fit_is_named(self, tmp_path: Path) -> None:
        players = ("--seats", "0", fake("plain"), "--seats", "1", fake("plain"))
        words = [*SANQI, "referee", "--variant", "duel", *players, "--record", "games", "--max-plies", "10"]

        def said(*more: str, status: int) -> str:
            run = subprocess.run([*words, *more], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
            assert run.returncode == status, run.stderr
            assert run.stderr.count("\n") == bool(status)
            return run.stderr if status else run.stdout

        first = said(status=0)
        assert said("--resume", "--games", "2", status=0).startswith(first)  # the score counts games before
        record = tmp_path / "games" / "game00001.jgr"
        for other in (["--quiet", "50"], ["--clock", "1000"], ["--draws"]):
            complaint = said("--resume", *other, status=2)
            assert f"{record.relative_to(tmp_path)}: a game of variant duel plies 10, but the options say" in complaint
        record.write_text(record.read_text().replace(" 0 ", " x ", 1))
        assert str(record.relative_to(tmp_path)) in said("--resume", status=2)

    def test_a_killed_referee_goes_on_from_the_last_whole_line(self, tmp_path: Path) -> None:
        arguments = [
            *SANQI, "referee", "--variant", "duel", "--seats", "0", fake("plain"), "--seats", "1", fake("plain"),
            "--max-plies", "400", "--clock", "60000", "--record", "games", "--games", "2", "--seed", "4",
        ]  # a command line, many words a line  # fmt: skip
        record = tmp_path / "games" / "game00001.jgr"
        process = subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.DEVNULL, start_new_session=True)
        chance = random.Random(1)
        kills = 0
        while kills < 3:
            # Somewhere in the game; if it ends earlier, the next part finds it finished.
            wanted = (kills + 1) * 3000 + chance.randrange(500)
            while process.poll() is None and (not record.exists() or record.stat().st_size < wanted):
                time.sleep(0)
            process.kill()
            process.wait()
            kills += 1
            assert private(record) or Replay(record.read_bytes()).finished
            before = record.read_bytes()
            whole = before[: before.rfind(b"\n") + 1]
            clocks = Replay(before).arbiter.clocks
            with record.open("ab") as file:
                file.write(b"moved 9999 0 a")  # a line that the kill cut off
            process = subprocess.Popen(
                [*arguments, "--resume"], cwd=tmp_path, stdout=subprocess.DEVNULL, start_new_session=True
            )
            while process.poll() is None and record.stat().st_size <= len(whole) + 14:
                time.sleep(0)
            assert record.read_bytes().startswith(whole)
            assert clocks is not None
        assert process.wait(PATIENCE_S) == 0
        for name in ("game00001.jgr", "game00002.jgr"):
            replay = Replay((tmp_path / "games" / name).read_bytes())
            assert replay.finished
            assert replay.arbiter.outcome is not None
            assert sys.platform == "win32" or (tmp_path / "games" / name).stat().st_mode & 0o777 == 0o644


class TestPrying:
    """An engine of the same user that reads every file it can find while it plays."""

    @staticmethod
    def referee(tmp_path: Path, *more: str) -> str:
        """What the engine has found of the other seat's lineup."""
        engine = f"{sys.executable} -P {PRYING} {tmp_path / 'found'} {tmp_path}"
        run = subprocess.run(
            [
                *SANQI, "referee", "--variant", "duel", "--seats", "0", engine, "--seats", "1", fake("plain"),
                "--max-plies", "4", "--record", "games", *more,
            ],
            cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S,
        )  # a command line, many words a line  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        assert Replay((tmp_path / "games" / "game00001.jgr").read_bytes()).finished
        return (tmp_path / "found").read_text()

    def test_it_learns_nothing_if_the_record_is_written_at_the_end(self, tmp_path: Path) -> None:
        assert self.referee(tmp_path, "--record-at-end") == ""

    def test_it_finds_a_record_that_is_written_ply_by_ply(self, tmp_path: Path) -> None:
        assert "game00001.jgr" in self.referee(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX")
class TestFullDisk:
    """A record that cannot be written ends the run in order, and the game goes on later."""

    PLAYERS = ("--variant", "duel", "--seats", "0", fake("stays"), "--seats", "1", fake("plain"), "--max-plies", "100")

    def test_it_is_reported_in_one_line_and_the_game_goes_on_later(self, tmp_path: Path) -> None:
        words = [*SANQI, "referee", *self.PLAYERS, "--record", "games"]
        limited = f"ulimit -f 1; exec {shlex.join(words)}"
        run = subprocess.run(["bash", "-c", limited], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
        # Its engines share its stderr, so they have ended too.
        assert (run.returncode, run.stderr) == (2, "sanqi referee: games/game00001.jgr: File too large\n")
        plies = len(Replay((tmp_path / "games" / "game00001.jgr").read_bytes()).arbiter.happenings)
        assert 0 < plies < 100
        run = subprocess.run([*words, "--resume"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
        assert (run.returncode, run.stderr) == (0, "")
        assert Replay((tmp_path / "games" / "game00001.jgr").read_bytes()).finished

    def test_a_record_that_cannot_be_written_at_the_end_is_reported(self, tmp_path: Path) -> None:
        words = [*SANQI, "referee", *self.PLAYERS, "--record", "games", "--record-at-end"]
        limited = f"ulimit -f 1; exec {shlex.join(words)}"
        run = subprocess.run(["bash", "-c", limited], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
        assert (run.returncode, run.stderr) == (2, "sanqi referee: games/game00001.jgr: File too large\n")
        assert list((tmp_path / "games").iterdir()) == []

    def test_a_record_that_cannot_be_started_is_removed(self, tmp_path: Path) -> None:
        words = [*SANQI, "referee", *self.PLAYERS, "--record", "games"]
        limited = f"ulimit -f 0; exec {shlex.join(words)}"
        run = subprocess.run(["bash", "-c", limited], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
        assert (run.returncode, run.stderr) == (2, "sanqi referee: games/game00001.jgr: File too large\n")
        assert list((tmp_path / "games").iterdir()) == []


class TestClients:
    """Engines that connect over TCP."""

    @staticmethod
    def begin(tmp_path: Path, *more: str) -> tuple[subprocess.Popen[str], int, str]:
        process = subprocess.Popen(
            [
                *SANQI, "referee", "--variant", "duel", "--seats", "0", "tcp", "--seats", "1", fake("plain"),
                "--max-plies", "30", "--clock", "20000", *more,
            ],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # a command line, many words a line  # fmt: skip
        assert process.stdout is not None
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        return process, port, process.stdout.readline().split()[-1]

    def test_an_engine_connects_with_its_secret(self, tmp_path: Path) -> None:
        process, port, secret = self.begin(tmp_path, "--record", "games")
        engine = subprocess.run(
            [*SANQI, "junqi", "--level", "path", "--connect", f"127.0.0.1:{port}", "--secret", secret],
            cwd=tmp_path,
            timeout=PATIENCE_S,
        )
        assert engine.returncode == 0
        assert process.wait(PATIENCE_S) == 0
        assert process.stdout is not None
        assert "game 1: " in process.stdout.read()
        assert secret not in (tmp_path / "games" / "game00001.jgr").read_text()

    def test_wrong_and_used_secrets_are_refused(self, tmp_path: Path) -> None:
        process, port, secret = self.begin(tmp_path)
        for wrong in ("", "secret", "secret " + "0" * 32, "junqiok 1", "secret " + secret + " x"):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(wrong.encode() + b"\n")
                assert client.makefile().read() == "junqi 1\n"
        for noise in (b"x" * 200_000, b"\xff\xfe\n", b""):
            # The referee may close the connection while we send. shutdown() then raises OSError (ENOTCONN).
            with socket.create_connection(("127.0.0.1", port)) as client, contextlib.suppress(OSError):
                client.sendall(noise)
                client.shutdown(socket.SHUT_WR)
                client.makefile().read()
        with socket.create_connection(("127.0.0.1", port)) as right:
            right.sendall(f"secret {secret}\njunqiok 1\n".encode())
            lines = right.makefile()
            assert lines.readline() == "junqi 1\n"
            assert lines.readline().startswith("newgame variant duel")
            with socket.create_connection(("127.0.0.1", port)) as again, contextlib.suppress(ConnectionError):
                again.sendall(f"secret {secret}\n".encode())
                assert again.makefile().read() == ""
            right.sendall(b"bestmove resign ply 1\n")
            assert "gameover win 1 resign\n" in lines.read()
        _out, errors = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, errors) == (0, "")

    def test_a_lost_connection_may_come_back_within_its_clock(self, tmp_path: Path) -> None:
        process, port, secret = self.begin(tmp_path)
        with socket.create_connection(("127.0.0.1", port)) as client, client.makefile() as lines:
            client.sendall(f"secret {secret}\njunqiok 1\n".encode())
            while not (line := lines.readline()).startswith("go 0 1 "):
                pass
        assert process.stdout is not None
        renewed = process.stdout.readline().split()[-1]
        assert renewed != secret
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(f"secret {renewed}\njunqiok 1\n".encode())
            lines = client.makefile()
            told = []
            while not (line := lines.readline()).startswith("go "):
                told.append(line.split()[0])
            assert told == ["junqi", "newgame", "lineup", "start"]
            assert line.startswith("go 0 1 clock ")
            assert int(line.split()[4]) <= 20_000
            client.sendall(b"bestmove pass ply 1\n")
            assert lines.readline().split()[:3] == ["skipped", "1", "0"]
            client.sendall(b"bestmove resign ply 3\n")
            assert "gameover win 1 resign\n" in lines.read()
        assert process.wait(PATIENCE_S) == 0

    def test_one_that_comes_back_is_told_what_is_left_of_its_move(self, tmp_path: Path) -> None:
        process, port, secret = self.begin(tmp_path, "--movetime", "60000", "--clock", "0")
        with socket.create_connection(("127.0.0.1", port)) as client, client.makefile() as lines:
            client.sendall(f"secret {secret}\njunqiok 1\n".encode())
            while not (line := lines.readline()).startswith("go 0 1 "):
                pass
        assert line == "go 0 1 movetime 60000\n"
        assert process.stdout is not None
        renewed = process.stdout.readline().split()[-1]
        lost = now_s()
        while now_s() < lost + 0.1:  # more than the referee grants for lag
            pass
        with socket.create_connection(("127.0.0.1", port)) as client, client.makefile() as lines:
            client.sendall(f"secret {renewed}\njunqiok 1\n".encode())
            while not (line := lines.readline()).startswith("go 0 1 movetime "):
                pass
            assert int(line.split()[4]) < 60_000
            client.sendall(b"bestmove resign ply 1\n")
            lines.read()
        assert process.wait(PATIENCE_S) == 0

    def test_a_connection_lost_during_deploy_is_told_of_the_game_again(self, tmp_path: Path) -> None:
        """The next game begins at once, too: the handshake of the new client is done."""
        process, port, secret = self.begin(tmp_path, "--lineups", "engine", "--games", "2")
        assert process.stdout is not None
        with socket.create_connection(("127.0.0.1", port)) as client, client.makefile() as lines:
            client.sendall(f"secret {secret}\njunqiok 1\n".encode())
            while not lines.readline().startswith("deploy 0"):
                pass
        renewed = process.stdout.readline().split()[-1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(f"secret {renewed}\njunqiok 1\n".encode())
            lines = client.makefile()
            told = []
            for _ in range(2):
                while not (line := lines.readline()).startswith("go "):
                    told.append(line.split()[0])
                    if line.startswith("deploy"):
                        client.sendall(b"lineup 0 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21\n")
                client.sendall(f"bestmove resign ply {line.split()[2]}\n".encode())
            assert told[:5] == ["junqi", "newgame", "deploy", "lineup", "start"]
            assert told.count("newgame") == 2
            lines.read()
        assert process.wait(PATIENCE_S) == 0


class TestClientsThatMisbehave:
    """They know the secret. A line that never comes may not hold up the referee, and no client ends it."""

    @staticmethod
    def received(client: Callable[[socket.socket], None], seconds: float) -> None:
        """Receive lines from a client until that raises."""

        def come(port: int, secret: str) -> None:
            with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connected, contextlib.suppress(OSError):
                connected.recv(100)
                connected.sendall(f"secret {secret}\n".encode())
                client(connected)

        async def play() -> None:
            connection = SocketConnection((0,), lambda seats, secret: None)
            connection.invite()
            reception = Reception([connection], print)
            _, port = await reception.open("127.0.0.1", 0)
            threading.Thread(target=come, args=(port, connection.secret), daemon=True).start()
            await connection.open()
            try:
                deadline = now_s() + seconds
                while True:
                    await connection.receive(deadline)
            finally:
                await connection.close()
                await reception.close()

        asyncio.run(play())

    @pytest.mark.parametrize("flood", [b"info\n" * 10_000, b"x" * 65_536])
    def test_one_that_floods_has_no_more_time_than_others(self, flood: bytes) -> None:
        def send(client: socket.socket) -> None:
            while True:
                client.sendall(flood)

        with pytest.raises(NoLine):
            self.received(send, 0.5)

    def test_one_that_is_cut_off_in_a_long_line_may_come_back(self) -> None:
        def send(client: socket.socket) -> None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(b"x" * 6000)

        with pytest.raises(NoLine):  # it has the rest of its time to come back
            self.received(send, 0.5)


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX")
class TestStrangers:
    """Connections that do not know the secret."""

    @staticmethod
    @contextlib.contextmanager
    def referee(descriptors: int, *more: str) -> Iterator[tuple[subprocess.Popen[str], tuple[str, int], list[str]]]:
        """A referee with a limit of file descriptors that waits for two clients; its address and their secrets."""
        words = [*SANQI, "referee", "--variant", "duel", "--seats", "0", "tcp", "--seats", "1", "tcp", *more]
        process = subprocess.Popen(
            ["bash", "-c", f"ulimit -n {descriptors}; exec {shlex.join(words)}"],
            cwd=Path(__file__).parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            host, _, port = process.stdout.readline().split()[-1].rpartition(":")
            yield process, (host.strip("[]"), int(port)), [process.stdout.readline().split()[-1] for _ in range(2)]
        finally:
            process.kill()
            process.communicate()

    @staticmethod
    def come(address: tuple[str, int], secret: str) -> socket.socket:
        client = socket.create_connection(address, PATIENCE_S)
        client.sendall(f"secret {secret}\njunqiok 1\n".encode())
        return client

    @staticmethod
    def finish(process: subprocess.Popen[str], first: socket.socket, second: socket.socket) -> str:
        """Let the client of seat 0 resign; returns what the referee wrote to stderr."""
        with first, second, second.makefile() as told:
            first.sendall(b"bestmove resign ply 1\n")
            assert "gameover win 1 resign\n" in told.read()
        errors = process.communicate(timeout=PATIENCE_S)[1]
        assert process.returncode == 0, errors
        return errors

    @pytest.mark.parametrize("noise", [b"", b"secret 00", b"x" * 100_000, b"secret 00000000\n"])
    def test_players_get_in_past_any_number_of_strangers(self, noise: bytes) -> None:
        with self.referee(64) as (process, address, secrets), contextlib.ExitStack() as strangers:

            def disturb(connections: int) -> None:
                for _ in range(connections):
                    stranger = strangers.enter_context(socket.create_connection(address, PATIENCE_S))
                    stranger.setblocking(False)
                    with contextlib.suppress(OSError):
                        stranger.send(noise)

            disturb(150)
            first = self.come(address, secrets[0])
            disturb(150)
            assert self.finish(process, first, self.come(address, secrets[1])) == ""

    def test_the_oldest_stranger_makes_room(self) -> None:
        with self.referee(64) as (process, address, secrets), contextlib.ExitStack() as strangers:
            connections = [
                strangers.enter_context(socket.create_connection(address, PATIENCE_S)) for _ in range(MAX_STRANGERS)
            ]
            connections[0].sendall(b"secret ")
            newest = self.come(address, secrets[0])
            assert connections[0].makefile().read() == "junqi 1\n"
            connections[1].sendall(f"secret {secrets[1]}\njunqiok 1\n".encode())
            assert self.finish(process, newest, connections[1]) == ""

    def test_nobody_gets_in_when_all_clients_are_there(self) -> None:
        with self.referee(64) as (process, address, secrets):
            first, second = (self.come(address, secret) for secret in secrets)
            told = first.makefile()
            while not told.readline().startswith("go "):
                pass
            with socket.create_connection(address, PATIENCE_S) as stranger:
                assert stranger.makefile().read() == ""
            assert self.finish(process, first, second) == ""

    def test_running_out_of_descriptors_is_reported_once_and_survived(self) -> None:
        with self.referee(24) as (process, address, secrets), contextlib.ExitStack() as strangers:
            for _ in range(100):
                strangers.enter_context(socket.create_connection(address, PATIENCE_S))
            first, second = (self.come(address, secret) for secret in secrets)
            errors = self.finish(process, first, second)
        assert errors == "sanqi referee: cannot accept connections: Too many open files; trying again until it works\n"

    def test_a_stranger_that_stays_to_the_end_does_no_harm(self) -> None:
        with self.referee(64) as (process, address, secrets), socket.create_connection(address, PATIENCE_S) as stranger:
            assert stranger.recv(100) == b"junqi 1\n"
            first, second = (self.come(address, secret) for secret in secrets)
            assert self.finish(process, first, second) == ""
            assert stranger.recv(100) == b""

    def test_ipv6(self) -> None:
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("no IPv6 here")
        with self.referee(64, "--listen", "[::1]:0") as (process, address, secrets):
            assert address[0] == "::1"
            first, second = (self.come(address, secret) for secret in secrets)
            assert self.finish(process, first, second) == ""

    @pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads /proc/net/tcp")
    def test_both_ends_use_keepalive(self, tmp_path: Path) -> None:
        with self.referee(64) as (process, address, secrets):
            told = self.come(address, secrets[0])
            engine = subprocess.Popen(
                [*SANQI, "junqi", "--level", "path", "--connect", f"127.0.0.1:{address[1]}", "--secret", secrets[1]],
                cwd=tmp_path,
            )
            lines = told.makefile()
            while not lines.readline().startswith("go "):
                pass
            # An established connection has a local port, a remote port and a timer. 02: keepalive; 01: sent data is
            # not acknowledged yet.
            port, ours = address[1], told.getsockname()[1]
            seen = ["01"]
            while "01" in seen:
                timers = {}
                for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
                    _, local, remote, state, _, timer, *_ = line.split()
                    if state == "01":
                        timers[int(local.split(":")[1], 16), int(remote.split(":")[1], 16)] = timer.split(":")[0]
                [theirs] = [local for local, remote in timers if remote == port and local != ours]
                seen = [timers[port, ours], timers[port, theirs], timers[theirs, port]]
            assert seen == ["02"] * 3
            told.sendall(b"bestmove resign ply 1\n")
            assert process.wait(PATIENCE_S) == engine.wait(PATIENCE_S) == 0


class TestSecrets:
    """How the client gets its secret."""

    @pytest.mark.parametrize(
        ("words", "environment", "typed"),
        [
            (["--secret", "{}"], "", ""),
            (["--secret", "-"], "", "{}\r\nsecret x\n"),
            (["--secret-env", "SANQI_TEST_SECRET"], "{}", ""),
        ],
    )
    def test_it_comes_by_argument_stdin_or_environment(
        self, words: list[str], environment: str, typed: str, tmp_path: Path
    ) -> None:
        process, port, secret = TestClients.begin(tmp_path)
        try:
            engine = subprocess.run(
                [
                    *SANQI,
                    "junqi",
                    "--level",
                    "path",
                    "--connect",
                    f"127.0.0.1:{port}",
                    *(word.format(secret) for word in words),
                ],
                input=typed.format(secret),
                text=True,
                timeout=PATIENCE_S,
                cwd=tmp_path,
                env={**os.environ, "SANQI_TEST_SECRET": environment.format(secret)},
            )
            out, errors = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
        assert (engine.returncode, process.returncode, errors) == (0, 0, "")
        assert "game 1: " in out

    def test_a_wrong_one_is_reported(self, tmp_path: Path) -> None:
        process, port, _ = TestClients.begin(tmp_path)
        with process:
            engine = subprocess.run(
                [*SANQI, "junqi", "--level", "path", "--connect", f"127.0.0.1:{port}", "--secret", "0" * 32],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                cwd=tmp_path,
            )
            process.kill()
        assert engine.returncode == 2
        assert engine.stderr.startswith("sanqi junqi: the referee closed the connection before a game")
        assert engine.stderr.count("\n") == 1

    @pytest.mark.parametrize(
        ("words", "complaint"),
        [
            (["--connect", "127.0.0.1:1", "--secret", "-"], "--secret -: the first line of stdin"),
            (["--connect", "127.0.0.1:1", "--secret-env", "NONE_SUCH"], "--secret-env 'NONE_SUCH': the variable"),
            (["--connect", "127.0.0.1:1", "--secret", "two words"], "--secret must be one word"),
            (["--secret", "x"], "a secret needs --connect"),
            (["--secret-env", "PATH"], "a secret needs --connect"),
            (["--secret", "x", "--secret-env", "y"], "not allowed with"),
        ],
    )
    def test_a_missing_one_is_one_line(self, words: list[str], complaint: str, tmp_path: Path) -> None:
        run = subprocess.run(
            [*SANQI, "junqi", *words],
            input="",
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            cwd=tmp_path,
        )
        assert run.returncode == 2
        assert complaint in run.stderr
        assert run.stderr.count("\n") == 1


class TestPerson:
    def test_a_person_plays_in_the_terminal_and_sees_only_what_it_may(self, tmp_path: Path) -> None:
        process = subprocess.Popen(
            [
                *SANQI, "referee", "--variant", "duel", "--seats", "0", "human", "--seats", "1", fake("plain"),
                "--seed", "2",
            ],
            cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )  # a command line, many words a line  # fmt: skip
        out, _ = process.communicate(
            "help\nmoves\nmoves a6\nmoves z9\nmark\nboard\nx\na1a1\npass\nresign\n", timeout=PATIENCE_S
        )
        assert process.returncode == 0
        assert "moves [SQUARE]" in out
        assert "> a6 b6 c6 d6 e6 a5 " in out
        assert "'z9' is no square" in out
        assert "mark needs a square and a guess" in out
        assert "'x' is no move" in out
        assert "a1a1 is not legal: " in out
        assert "win 1 resign" in out
        board = out.split("ply 1, you are seat 0")[0].splitlines()
        assert "司令" in board.pop(0)
        assert "团长" in board.pop(0)
        assert "炸弹" in board.pop(0)
        assert "* last move" in board.pop(0)
        assert len(board) == 15
        hidden, own = "".join(board[1:7]), "".join(board[7:13])
        assert hidden.count("v?") == hidden.count("?") == own.count("^") == 25
        assert "?" not in own

    def test_end_of_input_leaves_the_game(self, tmp_path: Path) -> None:
        run = subprocess.run(
            [*SANQI, "referee", "--variant", "duel", "--seats", "0", "human", "--seats", "1", fake("plain")],
            cwd=tmp_path,
            input="",
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert run.returncode == 0
        assert "win 1 exit" in run.stdout
