"""`sanqi replay` feeds a log back to an engine and shows where the answers differ."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
FAKE = Path(__file__).parents[2] / "helpers" / "fake_gomocup_engine.py"

XIANGQI = (
    "ucci -> ucciok",
    "setoption newgame",
    "position startpos moves h2e2",
    "go depth 5 -> bestmove",
    "setoption hashsize many -> info message",
    "go depth 0 -> nobestmove",
    "quit",
)
TIMED = ("uci -> uciok", "isready -> readyok", "position startpos", "go movetime 50 -> bestmove", "quit")


def record(folder: Path, said: Sequence[str], log: str = "bug.log") -> Path:
    """The log of a dialogue with the program. `LINE -> ANSWER` sends the line and waits for the answer."""
    environment = {**os.environ, "SANQI_LOG": log}
    with subprocess.Popen(
        [SANQI], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=folder, env=environment
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        for step in said:
            line, _, wanted = step.partition(" -> ")
            engine.stdin.write(line + "\n")
            while wanted and not re.match(wanted, engine.stdout.readline()):
                pass
        engine.stdin.close()
        engine.stdout.read()
    return folder / "bug.log"


def replay(log: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SANQI, "replay", log.name, *arguments], cwd=log.parent, capture_output=True, text=True, timeout=120
    )


def change(log: Path, old: str, new: str) -> int:
    """Replace words in the log; returns the line's number."""
    text = log.read_text()
    assert text.count(old) == 1, text
    log.write_text(text.replace(old, new))
    return text[: text.index(old)].count("\n") + 1


@pytest.mark.parametrize(
    "said",
    [
        XIANGQI,
        TIMED,
        ("uci -> uciok", "setoption name Hash value 0", "position startpos", "go infinite -> info"),
        (
            "START 15 -> OK",
            "INFO timeout_turn 50",
            r"TURN 7,7 -> \d",
            r"TURN 7,6 -> \d|ERROR",
            "NONSENSE -> UNKNOWN",
            "TAKEBACK 7,7 -> OK|ERROR",
            "END",
        ),
        ("START 15", "INFO timeout_turn 50", "TURN 7,7", "TURN 7,6"),
        ("junqi 1 -> junqiok", "newgame variant duel seats 0", "deploy 0 -> lineup", "nonsense -> error", "quit"),
    ],
)
def test_the_program_agrees_with_itself(said: Sequence[str], tmp_path: Path) -> None:
    run = replay(record(tmp_path, said))
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    assert re.match(rf"the same: {len(said)} lines of the host, [1-9]\d* answers compared", run.stdout), run.stdout


def test_a_move_of_a_search_by_depth_is_compared(tmp_path: Path) -> None:
    log = record(tmp_path, XIANGQI)
    best = re.search(r"bestmove .*", log.read_text())
    assert best is not None
    line = change(log, best[0], "bestmove a9a8")
    run = replay(log)
    assert run.returncode == 1
    assert f"line {line}, after 'go depth 5':\n  log: bestmove a9a8\n  now: {best[0]}\n" in run.stdout
    assert "\n1 difference: " in run.stdout


@pytest.mark.parametrize(
    ("options", "is_compared"),
    [
        (("Threads value 1", "Randomness value none"), True),
        (("Threads value 2", "Randomness value none"), False),
        (("Randomness value small", "Threads value 1"), False),
        (("Randomness value small", "Seed value 5"), True),
        (("Level value 3",), False),
        (("Level value 3", "Level value full"), True),
        (("Skill Level value 20",), True),
        (("Skill Level value 5", "Level value full"), False),
    ],
)
def test_moves_of_several_threads_or_by_chance_are_compared_by_kind(
    options: Sequence[str], is_compared: bool, tmp_path: Path
) -> None:
    said = (
        "uci -> uciok",
        *(f"setoption name {option}" for option in options),
        "position startpos",
        "go depth 3 -> bestmove",
    )
    log = record(tmp_path, (*said, "quit"))
    log.write_text(re.sub(r"bestmove .*", "bestmove a0a1", log.read_text()))
    assert replay(log).returncode == is_compared


@pytest.mark.parametrize(
    ("greeting", "between", "is_compared"),
    [
        ("ucci -> ucciok", "setoption newgame", True),
        ("uci -> uciok", "ucinewgame", True),
        ("uci -> uciok", "setoption name Clear Hash", True),
        ("uci -> uciok", "setoption name Ponder value false", False),
    ],
)
def test_a_new_game_forgets_what_a_search_by_the_clock_has_left(
    greeting: str, between: str, is_compared: bool, tmp_path: Path
) -> None:
    timed = "go time 50 -> bestmove" if greeting.startswith("ucci") else "go movetime 50 -> bestmove"
    log = record(tmp_path, (greeting, "position startpos", timed, between, "go depth 3 -> bestmove", "quit"))
    before, _, last = log.read_text().rpartition("bestmove ")
    log.write_text(before + re.sub(r".*", "bestmove a0a1", last, count=1))
    assert replay(log).returncode == is_compared


def test_a_move_on_the_clock_is_compared_by_kind(tmp_path: Path) -> None:
    log = record(tmp_path, TIMED)
    text = re.sub(r"bestmove .*", "bestmove a0a1", log.read_text())
    log.write_text(text)
    assert replay(log).returncode == 0
    log.write_text(text.replace("bestmove a0a1", "info string no move"))
    run = replay(log)
    assert run.returncode == 1
    assert "after 'go movetime 50':" in run.stdout


def test_the_order_of_answers_from_two_threads_does_not_matter(tmp_path: Path) -> None:
    """A search that ended before `readyok` in the log may end after it now."""
    log = record(tmp_path, ("uci -> uciok", "position startpos", "go movetime 300", "isready -> readyok", "quit"))
    lines = log.read_text().splitlines(True)
    [ready] = [line for line in lines if line.endswith("< readyok\n")]
    [best] = [line for line in lines if "< bestmove" in line]
    assert lines.index(ready) < lines.index(best)
    lines.remove(best)
    lines.insert(lines.index(ready), best)
    log.write_text("".join(lines))
    run = replay(log)
    assert (run.returncode, run.stderr) == (0, ""), run.stdout


def test_options_errors_and_missing_answers_are_compared(tmp_path: Path) -> None:
    log = record(tmp_path, XIANGQI)
    change(log, "option batch type check default false", "option batch type check default true")
    line = change(log, "> setoption hashsize many", "> setoption hashsize 16")
    run = replay(log)
    assert run.returncode == 1
    assert "  log: option batch type check default true\n  now: option batch type check default false\n" in run.stdout
    assert f"line {line + 1}, after 'setoption hashsize 16':\n  log: info message" in run.stdout


def test_answers_that_differ_from_the_log_are_shown(tmp_path: Path) -> None:
    log = record(tmp_path, XIANGQI)
    log.write_text("".join(line for line in log.read_text().splitlines(True) if "< info message" not in line))
    run = replay(log)
    assert run.returncode == 1
    assert re.search(r"at 'go depth 0' or before:\n  log: nothing\n  now: info message .*'many'", run.stdout)


def test_a_game_goes_on_as_logged_after_another_move_of_the_engine(tmp_path: Path) -> None:
    """The engine gets the log's position again, in which the point of its own move may be taken."""
    turns = [rf"TURN {point} -> \d" for point in ("0,0", "0,14", "14,0", "14,14")]
    log = record(tmp_path, ("START 15 -> OK", "INFO timeout_turn 20", r"BEGIN -> \d", *turns, "END"))
    run = replay(log, "--engine", f"{sys.executable} -P {FAKE} random 3")
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    assert "5 by kind alone" in run.stdout


def test_a_log_started_by_an_option(tmp_path: Path) -> None:
    """The log lacks the handshake; the replay leaves out the line that would write to the log."""
    inner = tmp_path / "inner.log"
    record(
        tmp_path,
        (
            "ucci -> ucciok",
            "setoption debuglogfile inner.log",
            "isready -> readyok",
            "setoption debuglogfile inner.log",
            "position startpos",
            "go depth 3 -> bestmove",
            "quit",
        ),
    )
    before = inner.read_text()
    run = replay(inner)
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    assert inner.read_text() == before


def test_several_sessions_in_a_log(tmp_path: Path) -> None:
    record(tmp_path, XIANGQI)
    run = replay(record(tmp_path, TIMED))
    assert run.returncode == 0, run.stdout
    assert f"the same: {len(XIANGQI) + len(TIMED)} lines of the host" in run.stdout


def test_an_engine_that_ends(tmp_path: Path) -> None:
    log = record(tmp_path, XIANGQI)
    run = replay(log, "--engine", f"{sys.executable} -c 'import sys; sys.exit(\"no net\")'")
    assert run.returncode == 1
    assert "now: nothing: it exited with status 1, saying 'no net'" in run.stdout


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("2026-01-02 03:04:05.678 > ucci\nsome words\n", "bad.log', line 2: 'some': expected a date"),
        ("2026-01-02 03:04 > ucci\n", "line 1: '03:04': expected a time"),
        ("2026-01-02 03:04:05.678 ucci\n", "line 1: 'ucci': expected '>'"),
        ("2026-13-02 03:04:05.678 > ucci\n", "line 1: '2026-13-02': expected a date"),
        ("2026-02-30 03:04:05.678 > ucci\n", "line 1: '2026-02-30"),
        ("", "no line of a host"),
        ("2026-01-02 03:04:05.678 < ucciok\n", "no line of a host"),
    ],
)
def test_a_bad_log_gets_one_line(tmp_path: Path, text: str, token: str) -> None:
    log = tmp_path / "bad.log"
    log.write_text(text)
    run = replay(log)
    assert (run.returncode, run.stdout) == (2, "")
    assert token in run.stderr
    assert run.stderr.count("\n") == 1


def test_control_characters_are_escaped(tmp_path: Path) -> None:
    """Neither a log nor an engine may move the cursor of the terminal."""
    log = tmp_path / "bug.log"
    log.write_bytes(
        b"2026-01-02 03:04:05.678 > ucci\n2026-01-02 03:04:05.678 < ucciok \x1b[2J\n"
        b"2026-01-02 03:04:05.678 > is\x1b[3Jready\n2026-01-02 03:04:05.678 < \x07\xc2\x9b5m\rover\n"
    )
    engine = r"input(); print('ucciok \x1b[6m'); input(); print('\x1b[7mready')"
    run = replay(log, "--engine", shlex.join((sys.executable, "-c", engine)))
    assert run.returncode == 1
    for escaped in (r"\x1b[2J", r"\x1b[3J", r"\x07\x9b5m\rover", r"\x1b[6m", r"\x1b[7m"):
        assert escaped in run.stdout
    log.write_bytes(b"2026-01-02 03:04:05.678 > ucci\n\x1b[4J\n")
    refused = replay(log)
    assert r"\x1b[4J" in refused.stderr
    for text in (run.stdout, run.stderr, refused.stderr):
        assert text.replace("\n", "").isprintable()


def test_a_log_with_a_byte_order_mark_and_carriage_returns(tmp_path: Path) -> None:
    log = record(tmp_path, XIANGQI)
    text = log.read_text()
    log.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    run = replay(log)
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    log.write_bytes(text.replace("info message", "info\rmessage").encode())
    run = replay(log)
    assert (run.returncode, run.stderr) == (0, ""), run.stdout


def test_the_engine_does_not_write_our_own_log(tmp_path: Path) -> None:
    log = record(tmp_path, XIANGQI)
    environment = {**os.environ, "SANQI_LOG": "another.log"}
    run = subprocess.run([SANQI, "replay", log.name], cwd=tmp_path, capture_output=True, env=environment, timeout=120)
    assert run.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["bug.log"]


def test_wrong_arguments_get_one_line(tmp_path: Path) -> None:
    log = tmp_path / "gone.log"
    assert "gone.log' cannot be read" in replay(log).stderr
    log.write_text("2026-01-02 03:04:05.678 > ucci\n")
    run = replay(log, "--engine", "no-such-engine")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "no-such-engine" in run.stderr


def test_the_length_of_a_log_line_is_limited(tmp_path: Path) -> None:
    log = tmp_path / "bug.log"
    log.write_bytes(b"2026-01-31 12:00:00.000 > uci\n2026-01-31 12:00:00.000 > " + b"x" * 20_000_000)
    run = replay(log)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.endswith("line 2: longer than 131072 characters\n")
