"""`sanqi doctor` passes the program itself and catches engines that are broken on purpose, each with the right line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers import in_process
from tests.helpers.in_process import run_here

BROKEN = Path(__file__).with_name("broken_engines.py")
EVERY_HOST = (
    "tchess",
    "xqwizard",
    "league",
    "cyclone",
    "cchess",
    "pikafish-terminal",
    "python-chess",
    "lichess-bot",
    "piskvork",
    "gomocup-judge",
    "qpiskvork",
    "junqi-referee",
)


@dataclass
class Report:
    """What the doctor said."""

    status: int
    text: str
    errors: str

    def verdict(self, host: str, check: str) -> str:
        """The result of a check, with the fix."""
        match = re.search(rf"^{host} +{check} +(.*(?:\n  fix: .*)?)", self.text, re.MULTILINE)
        assert match is not None, self.text
        return match[1]


def doctor(sanqi: str, folder: Path, *arguments: str) -> Report:
    run = subprocess.run([sanqi, "doctor", *arguments], cwd=folder, capture_output=True, text=True, timeout=120)
    return Report(run.returncode, run.stdout, run.stderr)


def examine(faults: str, *hosts: str) -> list[str]:
    """The arguments for an engine with these faults."""
    arguments = [argument for host in hosts for argument in ("--host", host)]
    return ["--engine", f"{sys.executable} -P {BROKEN} {faults}", *arguments]


def broken(folder: Path, faults: str, *hosts: str) -> Report:
    run = in_process.sanqi("doctor", *examine(faults, *hosts), cwd=folder)
    assert run.stderr == ""
    return Report(run.returncode, run.stdout, run.stderr)


@pytest.mark.parametrize("arguments", [["qpiskvork"], ["junqi-referee", "--set", "Level=path"]])
def test_the_program_itself_passes(sanqi: str, tmp_path: Path, arguments: list[str]) -> None:
    """Gomoku and Junqi; the tests of the log and of options have hosts of Xiangqi."""
    report = doctor(sanqi, tmp_path, "--host", *arguments)
    assert (report.status, report.errors) == (0, ""), report.text


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the judge needs /proc and SIGSTOP")
def test_the_program_itself_passes_all(sanqi: str, tmp_path: Path) -> None:
    report = doctor(sanqi, tmp_path)
    assert (report.status, report.errors) == (0, ""), report.text
    lines = report.text.splitlines()
    assert {line.split()[0] for line in lines[:-1]} == set(EVERY_HOST)
    assert all(line.endswith(" passed") for line in lines)
    assert list(tmp_path.iterdir()) == []


def test_an_engine_without_faults_passes(tmp_path: Path) -> None:
    report = broken(tmp_path, "none", "tchess", "cchess", "pikafish-terminal", "qpiskvork", "junqi-referee")
    assert report.status == 0, report.text


def test_faults_that_tchess_finds(tmp_path: Path) -> None:
    report = broken(tmp_path, "bare-default,no-nps,deaf", "tchess")
    assert report.status == 1
    options = report.verdict("tchess", "options")
    assert "'option name book type string default' ends in the bare word 'default'" in options
    assert "'<empty>' for an empty text" in options
    assert "has no nps" in report.verdict("tchess", "search")
    assert "no readyok within 2 s of 'isready'" in report.verdict("tchess", "analysis")
    assert report.verdict("tchess", "leaving") == "not tried: after the failure before it"


def test_more_faults_that_tchess_finds(tmp_path: Path) -> None:
    report = broken(tmp_path, "default-in-name,pv-first,stays", "tchess")
    assert "has the word 'default' in the option's name" in report.verdict("tchess", "options")
    assert "'score' stands after pv" in report.verdict("tchess", "search")
    assert "runs on 2 s after quit" in report.verdict("tchess", "leaving")


def test_a_late_end_is_tried_again(tmp_path: Path) -> None:
    """A busy machine may end a program late; a program that stays is late twice."""
    late_once = broken(tmp_path, "stays-once", "league")
    assert (tmp_path / "left").exists()
    assert late_once.verdict("league", "leaving") == "passed"
    assert "runs on 2 s after quit" in broken(tmp_path, "stays", "league").verdict("league", "leaving")


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found in /proc")
def test_an_orphan_and_a_foreign_script(tmp_path: Path) -> None:
    report = broken(tmp_path, "orphan,chinese,twice", "tchess")
    assert "is not ASCII" in report.verdict("tchess", "options")
    assert "two answers to one go" in report.verdict("tchess", "search")
    assert "a process that it started runs on" in report.verdict("tchess", "leaving")


FAULTS = {
    "cchess": [
        ("ranks-from-1", "UCI", "counts the ranks 1-10 without being asked"),
        ("illegal", "UCCI", "'bestmove a0a9' is no legal move"),
        ("dies", "UCI", "it exited with status 7, after 'go depth 3'"),
        ("flood", "UCI", "but a flood of lines, such as 'info xxx"),
        ("cr", "UCI", "no uciok within 5 s"),
    ],
    "pikafish-terminal": [
        ("goes-on", "current FEN", "; the moves behind the FEN are those that led to it"),
    ],
    "tchess": [
        ("late-twice", "analysis", "two answers to one go"),
        ("answers-stop", "search", "'stop' without a search was answered by 'bestmove "),
        ("slow", "search", "ms for 'go movetime 150', which allows 150"),
    ],
    "piskvork": [
        ("swapped", "BOARD", "is a taken point; 10,1 is free\n  fix: write the column first"),
        ("from-1", "BOARD", "'11,2' is a taken point; 10,1 is free\n  fix: count columns and rows from 0"),
    ],
    "xqwizard": [
        ("strict-options", "unknown options", "saying 'no such option', after 'isready'"),
        ("seconds", "milliseconds", "no bestmove within"),
    ],
    "python-chess": [
        ("no-variant", "plain", "no option UCI_Variant"),
        ("chatter", "quiet", "'info depth 0 score cp 0' came outside of a search"),
    ],
    "lichess-bot": [
        ("no-lichess", "options", "no option Move Overhead, Threads, Hash, SyzygyPath, UCI_ShowWDL"),
    ],
    "qpiskvork": [
        ("ok-and-more", "first words", "START 15 was answered by 'OK - ready', not by 'OK'"),
        ("chatter", "first words", "'Thinking about it' begins with none of x,y OK"),
        ("off-board", "first words", "'15,0' is off the board of 15x15"),
        ("taken", "first words", "is a taken point"),
        ("deaf-restart", "first words", "no answer within 3 s to 'RESTART'"),
    ],
    "junqi-referee": [
        ("no-welcome", "handshake", "no 'junqiok 1' within 5 s of 'junqi 1'"),
        ("wrong-ply", "duel", "ply 2' answered the go of ply 1"),
        ("illegal", "siguo", "'bestmove a1a1 ply 1' was refused"),
    ],
}
"""Faults by host: the fault, the check that finds it, and the cause that the check names."""


QUICK = ("tchess", "piskvork", "junqi-referee")


@pytest.mark.parametrize(
    "host", [pytest.param(host, marks=() if host in QUICK else pytest.mark.long) for host in FAULTS]
)
def test_one_fault_at_a_time(sanqi: str, tmp_path: Path, host: str) -> None:
    def examined(fault: str) -> Report:
        folder = tmp_path / fault
        folder.mkdir()
        return doctor(sanqi, folder, *examine(fault, host))

    # Most of the time is waiting for answers that do not come.
    with ThreadPoolExecutor(max_workers=4) as doctors:
        reports = list(doctors.map(examined, [fault for fault, _, _ in FAULTS[host]]))
    for (fault, check, cause), report in zip(FAULTS[host], reports, strict=True):
        assert (report.status, report.errors) == (1, ""), fault
        verdict = report.verdict(host, check)
        assert verdict.startswith("failed: "), (fault, verdict)
        assert cause in verdict, (fault, verdict)
        assert "\n  fix: " in verdict, (fault, verdict)


def test_faults_that_the_league_finds(tmp_path: Path) -> None:
    report = broken(tmp_path, "no-bans,odd-no-move", "league")
    assert re.search(r"'bestmove (\w{4})' right after 'banmoves \1'", report.verdict("league", "banmoves"))
    assert "'bestmove (none)' where it is mated; expected nobestmove" in report.verdict("league", "mated")


def test_faults_that_piskvork_finds(tmp_path: Path) -> None:
    report = broken(tmp_path, "info-answer,late,stays", "piskvork")
    assert "INFO was answered by 'OK'" in report.verdict("piskvork", "INFO")
    assert re.search(r"takes 1[2-9]\d\d ms for a move at 'INFO timeout_turn 0'", report.verdict("piskvork", "clock"))
    assert "runs on 1 s after END" in report.verdict("piskvork", "leaving")


def test_stones_that_are_not_taken_off(tmp_path: Path) -> None:
    report = broken(tmp_path, "forgetful", "piskvork")
    for check in ("RESTART", "TAKEBACK"):
        assert f", a stone before {check}, was answered by 'ERROR a taken point'" in report.verdict("piskvork", check)


def test_moves_from_a_book_need_no_stop(tmp_path: Path) -> None:
    report = broken(tmp_path, "early", "tchess", "league")
    assert report.status == 0
    assert "'go infinite' was answered before 'stop'" in report.verdict("tchess", "analysis")
    assert "'stop' came too late to be tried" in report.verdict("league", "stop")


@pytest.mark.skipif(sys.platform != "linux", reason="a process that leaves its group is found in /proc")
def test_a_child_in_a_session_of_its_own(sanqi: str, tmp_path: Path) -> None:
    marked = {**os.environ, "DOCTOR_TEST": str(tmp_path)}
    run = subprocess.run(
        [sanqi, "doctor", "--host", "tchess", "--engine", f"{sys.executable} -P {BROKEN} runaway"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env=marked,
    )
    assert re.search(r"tchess +leaving +failed: has ended at quit, but a process that it started runs on", run.stdout)
    assert survivors(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="what is left is looked for in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("host", "first", "faults"),
    [
        ("tchess", "one-second probe", "deaf,stays"),
        ("junqi-referee", "handshake", "stays"),
        ("python-chess", "plain", "stays,runaway"),
    ],
)
def test_an_interrupted_doctor_leaves_nothing(
    sanqi: str, tmp_path: Path, number: signal.Signals, host: str, first: str, faults: str
) -> None:
    """The interrupt comes after the first check, during another."""
    command = [sanqi, "doctor", "--host", host, "--engine", f"{sys.executable} -P {BROKEN} {faults}"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "DOCTOR_TEST": str(tmp_path)},
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline().split(None, 1)[1].startswith(first)
        run.send_signal(number)
        _, errors = run.communicate(timeout=60)
    assert (run.returncode, errors) == (130, "")
    assert survivors(tmp_path) == []


def survivors(folder: Path) -> list[int]:
    """The processes of a test, found by its folder in their environment."""
    wanted = f"DOCTOR_TEST={folder}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue  # gone, or not ours
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and SIGSTOP")
def test_memory_is_counted_by_the_judge(tmp_path: Path) -> None:
    report = broken(tmp_path, "fat", "gomocup-judge")
    assert re.search(r"holds 4\d\d MB after move 1 of 350 allowed", report.verdict("gomocup-judge", "suspended game"))


def test_a_start_that_is_too_slow(tmp_path: Path) -> None:
    report = broken(tmp_path, "slow-start", "tchess")
    assert "neither uciok nor ucciok within 1 s" in report.verdict("tchess", "one-second probe")


def test_the_time_until_an_engine_is_ready_is_no_time_of_a_move(tmp_path: Path) -> None:
    report = broken(tmp_path, "slow-ready", "python-chess")
    assert report.status == 0, report.text


def test_an_engine_that_does_not_flush(tmp_path: Path) -> None:
    report = broken(tmp_path, "mute-till-end", "lichess-bot", "piskvork")
    assert report.status == 1
    assert "answers 'uci' only once its input has ended" in report.verdict("lichess-bot", "handshake")
    assert "answers 'START 15' only once" in report.verdict("piskvork", "handshake")


def test_an_engine_that_speaks_no_protocol(sanqi: str, tmp_path: Path) -> None:
    report = doctor(sanqi, tmp_path, "--engine", f"{sys.executable} -c 'import sys; sys.exit(3)'", "--game", "junqi")
    assert report.status == 1
    assert report.verdict("junqi-referee", "handshake").startswith("not spoken: 'junqi 1' got no answer")
    assert report.text.endswith("the engine speaks none of the protocols of these hosts\n")


@pytest.mark.parametrize(
    ("arguments", "token"),
    [
        (["--engine", "no-such-engine"], "no-such-engine"),
        (["--engine", ""], "empty command"),
        (["--engine", "'unclosed"], "unclosed"),
        (["--set", "Hash"], "Hash"),
        (["--host", "winboard"], "winboard"),
        (["--host", "tchess", "--game", "junqi"], "tchess"),
        (["--set", "Hash=1\nquit"], "Hash=1"),
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: list[str], token: str) -> None:
    refused = run_here("doctor", *arguments, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert token in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("log", "token"),
    [
        ("no/such/folder/log", "no/such/folder/log"),
        pytest.param(
            "/dev/full",
            "No space left on device",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="has no such file"),
        ),
    ],
)
def test_a_log_that_cannot_be_written(sanqi: str, tmp_path: Path, log: str, token: str) -> None:
    report = doctor(sanqi, tmp_path, "--log", log)
    assert (report.status, report.text) == (2, "")
    assert token in report.errors
    assert report.errors.count("\n") == 1


def test_the_log_can_be_replayed(sanqi: str, tmp_path: Path) -> None:
    report = doctor(sanqi, tmp_path, "--host", "cchess", "--host", "lichess-bot", "--log", "doctor.log")
    assert report.status == 0
    replay = subprocess.run([sanqi, "replay", "doctor.log"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (replay.returncode, replay.stderr) == (0, ""), replay.stdout
    assert re.fullmatch(r"the same: \d\d lines of the host, \d\d answers compared, .*\n", replay.stdout)


def test_options_are_set_in_every_check(sanqi: str, tmp_path: Path) -> None:
    """Ranks from 1 are a fault that an option of the engine itself turns on."""
    report = doctor(sanqi, tmp_path, "--host", "cchess", "--set", "Ranks=1-10")
    assert report.status == 1
    assert "counts the ranks 1-10" in report.verdict("cchess", "UCI")
    assert report.verdict("cchess", "UCCI") == "passed"


@pytest.mark.parametrize(
    "host", ["cchess", *(pytest.param(host, marks=pytest.mark.long) for host in ("pikafish-terminal", "python-chess"))]
)
def test_the_game_may_be_set_in_every_check(sanqi: str, tmp_path: Path, host: str) -> None:
    """The hosts of the checks count from 0, even if the engine counts from 1 for those that set the game."""
    assert doctor(sanqi, tmp_path, "--host", host, "--set", "UCI_Variant=xiangqi").status == 0
