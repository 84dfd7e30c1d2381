"""The help pages: they fit a terminal of 80 columns, their examples work, and errors lead to them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

import sanqi.cli
from game_core.command_parser import CommandParser, wrapped
from search_core.version import __version__
from ucci_engine.game_record import GameRecord
from ucci_engine.points import START_FEN
from ucci_engine.xqf import serialise

SCRIPTS = Path(sysconfig.get_path("scripts"))
SANQI = SCRIPTS / "sanqi"
COMMANDS = sanqi.cli.command_line(sanqi.cli.COMMAND_NAMES)


def pages(parser: CommandParser, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], CommandParser]]:
    """Each parser with the words that lead to it, the program's own first."""
    yield path, parser
    for name, command in parser.commands.items():
        yield from pages(command, (*path, name))


PAGES = dict(pages(COMMANDS))


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SANQI, *arguments],
        env=os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


@pytest.mark.parametrize("path", PAGES, ids=lambda path: " ".join(path) or "sanqi")
def test_a_page_fits_80_columns(path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = PAGES[path].format_help()
    assert page.startswith(" ".join(["usage: sanqi", *path]))
    assert [line for line in page.splitlines() if cell_len(line) > 80] == []


@pytest.mark.parametrize("arguments", [["--help"], ["match", "--help"]])
def test_a_page_has_no_colours(arguments: list[str]) -> None:
    # Python 3.14 colours the help, and the man page is made of it.
    assert "\x1b" not in run(*arguments, FORCE_COLOR="1").stdout


def test_the_program_s_page_lists_each_command_once_and_no_hidden_one() -> None:
    printed = run("--help")
    assert (printed.returncode, printed.stderr) == (0, "")
    page = printed.stdout
    names = re.findall(r"^  ([a-z][a-z-]+) {2,}\S", page[page.index("commands:") :], re.MULTILINE)
    assert names == list(COMMANDS.commands)
    assert {"ucci", "match", "play", "setup", "version"} <= set(names)
    assert "match-worker" not in page


needs_bash = pytest.mark.skipif(sys.platform == "win32", reason="the examples are for bash")
# The examples of a page stand in lines that begin with blanks and a command; a backslash continues a line.
_EXAMPLE = re.compile(r"^ +((?:sanqi |printf |\(printf |[A-Z_]+=\S+ sanqi).*(?:(?<=\\)\n.*)*)", re.MULTILINE)


def examples(path: tuple[str, ...]) -> list[str]:
    epilog = PAGES[path].epilog or ""
    return [example.replace("\\\n", " ") for example in _EXAMPLE.findall(epilog) if " ... " not in example]


EXAMPLES = [(path, example) for path in PAGES for example in examples(path)]
# The examples that end by themselves in a few seconds, in a folder with game.psq and bug.log, and their output.
QUICK = {
    (): r"bestmove ",
    ("ucci",): r"bestmove ",
    ("uci",): r"bestmove ",
    ("gomocup",): r"OK\n7,7",
    ("contest",): r"BESTMOVE ",
    ("bench",): r"signature ",
    ("perft",): r"total: ",
    ("eval",): r"total |\"scoreCp\"",
    ("analyse",): r'"ended":null|win %',
    ("convert",): r"",
    ("setup",): r"sanqi",
    ("version",): r"sanqi ",
}


def test_every_page_but_the_games_has_an_example() -> None:
    assert [path for path in PAGES if not examples(path)] == []


@pytest.mark.parametrize(("path", "example"), EXAMPLES)
def test_an_example_is_understood(path: tuple[str, ...], example: str) -> None:
    """Each invocation of sanqi in the line has options that exist, with values that they take."""
    for part in re.split(r"[|&]", re.sub(r"^\S+=\S+ ", "", example)):
        words = shlex.split(part.strip().rstrip(")"))
        if words[:1] == ["sanqi"]:
            COMMANDS.parse_args(words[1:])


@needs_bash
@pytest.mark.parametrize(
    ("path", "example"), [(path, example) for path, example in EXAMPLES if path in QUICK and " play " not in example]
)
def test_an_example_runs_to_its_end(path: tuple[str, ...], example: str, tmp_path: Path) -> None:
    (tmp_path / "game.psq").write_text("Piskvorky 15x15, 0:0, 0\n8,8,4321\n7,7,98765\n")
    (tmp_path / "game.sgf").write_text("(;SZ[15];B[hh];W[gg])")
    (tmp_path / "game.xqf").write_bytes(serialise(GameRecord.of_line({}, START_FEN, ())))
    if "game.psq game.sgf" in example:
        (tmp_path / "game.sgf").unlink()
    finished = subprocess.run(
        ["bash", "-c", example],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"},
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    if "printf" in example or path:
        assert re.search(QUICK[path], finished.stdout)


@pytest.mark.parametrize("arguments", [["version"], ["--version"], ["-V"]])
def test_version(arguments: list[str]) -> None:
    assert run(*arguments).stdout == f"sanqi {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mach"], "sanqi: unknown command 'mach'; did you mean 'match'? (see sanqi --help)"),
        (["play", "gomuko"], "sanqi play: unknown game 'gomuko'; did you mean 'gomoku'? (see sanqi play --help)"),
        (["play", "chess"],
         "sanqi play: unknown game 'chess'; expected xiangqi, gomoku, junqi (see sanqi play --help)"),
        (["perft", "--dpeth", "3"], "sanqi perft: unknown option '--dpeth' (see sanqi perft --help)"),
        (["perft", "3", "--dividee"],
         "sanqi perft: unknown option '--dividee'; did you mean '--divide'? (see sanqi perft --help)"),
        (["bench", "xiangqi", "--dpeth=3"],
         "sanqi bench: unknown option '--dpeth'; did you mean '--depth'? (see sanqi bench --help)"),
        (["play", "xiangqi", "--movetme", "5"],
         "sanqi play xiangqi: unknown option '--movetme'; did you mean '--movetime'? (see sanqi play xiangqi --help)"),
        (["--verison"], "sanqi: unknown option '--verison'; did you mean '--version'? (see sanqi --help)"),
        (["perft", "3", "4"], "sanqi perft: unexpected argument '4' (see sanqi perft --help)"),
        (["perft"], "sanqi perft: the following arguments are required: N (see sanqi perft --help)"),
        (["gomocup", "--style", "agressive"],
         "sanqi gomocup: argument --style: 'agressive' is not one of steady, aggressive, conservative; did you mean"
         " 'aggressive'? (see sanqi gomocup --help)"),
    ],
)  # a command line, many words a line  # fmt: skip
def test_a_wrong_argument_is_one_line_that_names_the_right_help(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        sanqi.cli.command_line(arguments[:1]).parse_args(arguments)
    assert capsys.readouterr() == ("", message + "\n")


def test_an_unknown_command_lists_the_known_ones() -> None:
    wrong = run("frobnicate")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("sanqi: unknown command 'frobnicate'; expected ucci, uci, gomocup, ")
    assert "match-worker" not in wrong.stderr
    assert wrong.stderr.count("\n") == 1


def test_chinese_characters_are_two_columns_wide() -> None:
    assert wrapped("象棋 象棋 chess", 9) == ["象棋 象棋", "chess"]
    assert wrapped("象棋 象棋 chess", 8) == ["象棋", "象棋", "chess"]
    assert wrapped("a word that is too long", 4) == ["a", "word", "that", "is", "too", "long"]


def test_the_old_name_of_a_command_works_and_names_the_new_one() -> None:
    record = Path(__file__).resolve().parents[2] / "examples" / "duel.jgr"
    old, new = run("junqi-verify", str(record)), run("junqi-record", "verify", str(record))
    assert (old.returncode, old.stdout, new.stderr) == (0, new.stdout, "")
    assert old.stderr == "sanqi: junqi-verify is called junqi-record verify now\n"


@pytest.mark.parametrize(
    ("words", "new"),
    [
        (("review", "missing.pgn", "--time", "5"), "--movetime"),
        (("referee", "--plies", "2", "--games", "0"), "--max-plies"),
        (("junqi", "--think-time", "5", "--level", "x"), "--movetime"),
    ],
)
def test_the_old_name_of_an_option_works_and_names_the_new_one(words: tuple[str, ...], new: str) -> None:
    run = subprocess.run([SANQI, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    old = next(word for word in words if word.startswith("--"))
    assert run.stderr.splitlines()[0] == f"sanqi {words[0]}: {old} is called {new} now"
    assert "unknown option" not in run.stderr
    page = subprocess.run([SANQI, words[0], "--help"], capture_output=True, text=True, timeout=60).stdout
    assert new in page and not re.search(rf"{old}\b", page)
