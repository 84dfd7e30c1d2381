"""`sanqi match --resume FILE`: the file is enough, and Ctrl-C prints the command."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from engine_client.specification import SpecificationError, parse_engine
from match_runner.score import Tally
from match_runner.statistics import Pairs, Sprt
from sanqi.registry import GAMES
from tests.helpers.in_process import run_here

SANQI = str(Path(sysconfig.get_path("scripts"), "sanqi"))
FAKE = str(Path(__file__).parents[2] / "helpers" / "fake_engine.py")


def engine(name: str, mode: str = "random") -> tuple[str, str]:
    return "--engine", f'name={name} cmd="{sys.executable} {FAKE} {mode}"'


WORDS = (*engine("a"), *engine("b"), "--nodes", "1", "--max-plies", "12")


def match(*words: str, cwd: Path, status: int = 0) -> str:
    """What a match prints, or why it is refused."""
    run = subprocess.run([SANQI, "match", *words], cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == status, run.stderr
    assert "Traceback" not in run.stderr
    return run.stdout if status == 0 else run.stderr


def games_in(file: Path) -> list[int]:
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return sorted(line["game"] for line in lines if "game" in line)


@pytest.fixture(scope="module")
def two_games(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a match of two games."""
    folder = tmp_path_factory.mktemp("match")
    match(*WORDS, "--games", "2", "--out", "m.jsonl", cwd=folder)
    return (folder / "m.jsonl").read_text(encoding="utf-8")


def test_a_match_is_resumed_from_its_file_alone(tmp_path: Path) -> None:
    """From another folder too, with the errors of its SPRT, its records and its openings; --games may grow."""
    (tmp_path / "lines.txt").write_text("h2e2\nb2e2\nc3c4\n")
    (tmp_path / "elsewhere").mkdir()
    sprt = ("--sprt", "-300,300", "--sprt-alpha", "0.001", "--sprt-beta", "0.01", "--openings", "lines.txt")
    printed = match(*WORDS, *sprt, "--games", "2", "--out", "m.jsonl", "--records", "m.pgn", cwd=tmp_path)
    assert "α = 0.001, β = 0.01; LLR" in printed and "[-4.60, 6.90]" in printed
    file = tmp_path / "m.jsonl"
    printed = match("--resume", "../m.jsonl", "--games", "5", cwd=tmp_path / "elsewhere")
    assert printed.startswith("going on with ../m.jsonl: a (")
    assert games_in(file) == [1, 2, 3, 4, 5]
    assert "α = 0.001, β = 0.01" in printed and "5 games, 1 nodes a move" in printed
    assert (tmp_path / "m.pgn").read_text(encoding="utf-8").count("[Game ") == 5
    before = file.read_bytes()
    assert "5 games, 1 nodes a move" in match("--resume", "m.jsonl", cwd=tmp_path)  # the larger number was kept
    assert file.read_bytes() == before


def test_a_copied_match_writes_its_own_files(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    match(*WORDS, "--games", "2", "--out", "m.jsonl", "--records", "m.pgn", "--report", "m.html", cwd=first)
    shutil.copytree(first, second)
    before = {path.name: path.read_bytes() for path in first.iterdir()}
    match("--resume", str(second / "m.jsonl"), "--games", "4", cwd=tmp_path)
    assert {path.name: path.read_bytes() for path in first.iterdir()} == before
    assert (second / "m.pgn").read_text(encoding="utf-8").count("[Game ") == 4
    first.rename(tmp_path / "moved")
    match("--resume", "m.jsonl", "--games", "3", cwd=tmp_path / "moved")
    assert (tmp_path / "moved" / "m.pgn").read_text(encoding="utf-8").count("[Game ") == 3


def test_what_a_resume_adds_is_found_by_the_next_one(tmp_path: Path) -> None:
    """Paths are taken from the folder where they were given."""
    for name in ("begun", "resumed", "again"):
        (tmp_path / name).mkdir()
    match(*WORDS, "--games", "2", "--out", "m.jsonl", cwd=tmp_path / "begun")
    match("--resume", "../begun/m.jsonl", "--games", "3", "--records", "m.pgn", cwd=tmp_path / "resumed")
    match("--resume", "../begun/m.jsonl", "--games", "4", cwd=tmp_path / "again")
    assert (tmp_path / "resumed" / "m.pgn").read_text(encoding="utf-8").count("[Game ") == 4
    assert [path.name for path in (tmp_path / "begun").iterdir()] == ["m.jsonl"]
    assert not [*(tmp_path / "again").iterdir()]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--resume", "m.jsonl", "--nodes", "2"), "m.jsonl: of another match: limit is "),
        (("--resume", "m.jsonl", "--movetime", "10"), "m.jsonl: of another match: limit is "),
        (("--resume", "m.jsonl", "--max-plies", "60"), "max_plies is 12 in the file, 60 here"),
        (("--resume", "m.jsonl", "--out", "other.jsonl"), "--out other.jsonl and --resume m.jsonl name two files"),
        (("--resume", "none.jsonl"), "none.jsonl: No such file or directory"),
        (("--resume", "text"), "text, line 1: does not describe a match"),
        (("--resume", "bad.jsonl"), "bad.jsonl, line 1: its options cannot be used: "),
        (("--resume",), "--resume needs the file of the match"),
        (("--resume", "m.jsonl", "--sprt-alpha", "0.1"), "--sprt-alpha needs --sprt"),
        (("--resume", "m.jsonl", "--sprt-beta", "0.5"), "expected a probability from 0.000001 to below 0.5, got '0.5'"),
    ],
)
def test_what_contradicts_the_file_is_refused(
    words: tuple[str, ...], told: str, tmp_path: Path, two_games: str
) -> None:
    head, *rest = two_games.splitlines(keepends=True)
    (tmp_path / "m.jsonl").write_text(two_games, encoding="utf-8")
    (tmp_path / "text").write_text("no match\n")
    bad = {**json.loads(head), "options": ["--frobnicate"]}
    (tmp_path / "bad.jsonl").write_text("".join([json.dumps(bad), "\n", *rest]), encoding="utf-8")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    refused = run_here("match", *words, cwd=tmp_path)
    assert refused.returncode == 2
    assert told in refused.stderr and refused.stderr.count("\n") == 1
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_game_that_cannot_be_recorded_is_named(tmp_path: Path, two_games: str) -> None:
    head, *games = [json.loads(line) for line in two_games.splitlines()]
    first = next(game for game in games if game.get("game") == 1)
    first["moves"][-1] = "a0a5"
    (tmp_path / "m.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in (head, *games)), encoding="utf-8")
    told = match("--resume", "m.jsonl", "--records", "m.pgn", "--games", "4", cwd=tmp_path, status=2)
    assert "m.jsonl: game 1: " in told and told.count("\n") == 1
    assert not (tmp_path / "m.pgn").exists()


def test_a_file_of_an_older_version_needs_its_options_once(tmp_path: Path, two_games: str) -> None:
    whole = (*WORDS, "--out", "m.jsonl")
    file = tmp_path / "m.jsonl"
    head, *rest = two_games.splitlines(keepends=True)
    older = {key: value for key, value in json.loads(head).items() if key not in ("options", "folder")}
    file.write_text("".join([json.dumps(older), "\n", *rest]), encoding="utf-8")
    told = match("--resume", "m.jsonl", cwd=tmp_path, status=2)
    assert "begun by an older version, which kept no options; give --engine for a and b, --game xiangqi, " in told
    assert "--nodes 1, " in told
    assert "--max-plies 12, --games" in told and told.count("\n") == 1
    match(*whole, "--games", "3", "--resume", cwd=tmp_path)
    match("--resume", "m.jsonl", "--games", "4", cwd=tmp_path)
    assert games_in(file) == [1, 2, 3, 4]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_ctrl_c_prints_the_command_that_goes_on(tmp_path: Path) -> None:
    words = (*WORDS, "--games", "500", "--out", "my match.jsonl")
    running = subprocess.Popen([SANQI, "match", *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    running.stdout.readline()
    running.send_signal(signal.SIGINT)
    printed = running.communicate(timeout=120)[0]
    assert running.returncode == 130
    assert printed.endswith("go on with: sanqi match --resume 'my match.jsonl'\n")
    played = len(games_in(tmp_path / "my match.jsonl"))
    command = shlex.split(printed.splitlines()[-1].removeprefix("go on with: sanqi "))
    assert f"{played + 1} games, " in match(*command[1:], "--games", str(played + 1), cwd=tmp_path)


def test_an_engine_is_named_by_its_program_alone(tmp_path: Path) -> None:
    program = tmp_path / "my engine"
    program.write_text("")
    assert parse_engine("sanqi", GAMES["xiangqi"]).command == ("sanqi",)
    assert parse_engine("./pbrain-a", GAMES["gomoku"]).name == "pbrain-a"
    changed = parse_engine("/usr/games/eleeye proto=uci name=old", GAMES["xiangqi"])
    assert (changed.command, changed.protocol, changed.name) == (("/usr/games/eleeye",), "uci", "old")
    assert parse_engine(str(program), GAMES["xiangqi"]).command == (str(program),)
    assert parse_engine(f"'{program}' name=x", GAMES["xiangqi"]).command == (str(program),)
    assert parse_engine(str(program), GAMES["xiangqi"], known={}).command == (str(program),)
    for text, known, told in (
        ("a b", None, "after the first word, got 'b'"),
        ("no-such-program", {}, "no engine 'no-such-program'"),
    ):
        with pytest.raises(SpecificationError, match=told):
            parse_engine(text, GAMES["xiangqi"], known)


def test_elo_and_percentage_are_of_the_same_games() -> None:
    """A win without its pair counts in neither."""
    tally = Tally(3, 1, 1, Pairs([1.5, 1.0]))
    assert tally.percent == 62.5
    assert tally.text().startswith("+3 =1 -1  62.5 % (4 games in pairs)  Elo +88.7 ")
    assert tally.reversed().percent == 37.5
    assert "(4 games" not in Tally(2, 1, 1, Pairs([1.5, 1.0])).text()
    assert Tally(1, 0, 0).text() == "+1 =0 -0  100.0 %"


def test_the_errors_of_the_sprt_move_its_bounds() -> None:
    assert [round(bound, 3) for bound in Sprt(0, 5).bounds] == [-2.944, 2.944]
    assert [round(bound, 3) for bound in Sprt(0, 5, 0.01, 0.1).bounds] == [-2.293, 4.5]
    strong = Pairs([2.0, 2.0, 1.0])
    assert Sprt(-300, 300).verdict(strong) == "H1"
    assert Sprt(-300, 300, 1e-6).verdict(strong) == ""
