"""Options in a match: what an engine does not list is refused before the first game."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from engine_client.engine_options import OptionList
from search_core.version import __version__

SANQI = str(Path(sysconfig.get_path("scripts")) / "sanqi")
FAKE = Path(__file__).parents[2] / "helpers" / "fake_engine.py"
PATIENCE_S = 60
UCI = """\
id name x
option name Hash type spin default 16 min 1 max 1024
option name Debug Log File type string default <empty>
option name Clear Hash type button
option name Ponder type check default false
option name Analysis Contempt type combo default Both var Both var Side To Move var Off
option name type of book type string default min 5
option name Odd type combo default a
option name Level type spin default 1
"""


def uci_options(protocol: str = "uci", lines: str = UCI) -> OptionList:
    options = OptionList(protocol)
    for line in lines.splitlines():
        options.read(line)
    return options


@pytest.mark.parametrize(
    ("name", "value", "sent"),
    [
        ("hash", "1024", ("Hash", "1024")),
        ("hashsize", "1", ("Hash", "1")),
        ("debug_log-file", "a b", ("Debug Log File", "a b")),
        ("DebugLogFile", "", ("Debug Log File", "")),
        ("Clear Hash", "", ("Clear Hash", "")),
        ("ponder", "TRUE", ("Ponder", "true")),
        ("analysis contempt", "side to move", ("Analysis Contempt", "Side To Move")),
        ("type of book", "x", ("type of book", "x")),
        ("odd", "anything", ("Odd", "anything")),
        ("level", "-12", ("Level", "-12")),
    ],
)
def test_known_options_are_sent_in_the_engine_s_spelling(name: str, value: str, sent: tuple[str, str]) -> None:
    assert uci_options().match([(name, value)]) == ([sent], [])


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("Hsh", "1", "no option 'Hsh' (did you mean 'Hash'?)"),
        ("Nosuch", "1", "no option 'Nosuch'"),
        ("Hash", "0", "option 'Hash' is '0', expected a number from 1 to 1024"),
        ("Hash", "1025", "option 'Hash' is '1025', expected a number from 1 to 1024"),
        ("Hash", "big", "option 'Hash' is 'big', expected a number from 1 to 1024"),
        ("level", "\N{ARABIC-INDIC DIGIT ONE}", "option 'Level' is '\N{ARABIC-INDIC DIGIT ONE}', expected a number"),
        ("Clear Hash", "now", "option 'Clear Hash' is 'now', a button takes no value"),
        ("Ponder", "1", "option 'Ponder' is '1', expected true or false"),
        ("analysis contempt", "On", "option 'Analysis Contempt' is 'On', expected one of Both, Side To Move, Off"),
    ],
)
def test_errors_name_options_that_the_engine_does_not_take(name: str, value: str, fault: str) -> None:
    matched = uci_options().match([(name, value)])
    assert matched.faults == [fault]
    assert matched.options[0][1] == value


def test_ucci_has_its_own_syntax() -> None:
    spin = "option hashsize type spin min 0 max 64 default 16"
    combo = "option style type combo var solid var risky default solid"
    options = uci_options("ucci", f"{spin}\n{combo}\n")
    assert options.match([("Hash", "64"), ("Style", "RISKY")]) == ([("hashsize", "64"), ("style", "risky")], [])
    assert len(options.match([("hash", "65"), ("style", "wild")]).faults) == 2


def test_an_engine_without_options_says_so() -> None:
    assert OptionList("uci").match([("Hash", "1")]).faults == ["no option 'Hash' (it lists none)"]


def test_names_from_an_engine_are_made_fit_for_a_terminal() -> None:
    options = uci_options("uci", "option name Ha\x1b[2Jsh type spin default 1 min 1 max 2")
    assert "\x1b" not in "".join(options.match([("Hash", "1"), ("ha\x1b[2jsh", "9")]).faults)


def match(*words: str, cwd: Path, game: str = "xiangqi") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SANQI, "match", "--game", game, "--games", "2", "--max-plies", "12", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, "SANQI_LOG": str(cwd / "log")},
    )


ENGINES = {
    "ucci": (f"name=a cmd={SANQI}", "xiangqi", "hashsize", "stlye"),
    "uci": (f"name=a cmd={SANQI} proto=uci", "xiangqi", "Hash", "stlye"),
    "jlp": (f"name=a cmd={SANQI}", "junqi", "Level", "Sede"),
}


@pytest.mark.parametrize("protocol", ENGINES)
def test_all_faults_of_an_engine_come_at_once_before_the_first_game(protocol: str, tmp_path: Path) -> None:
    engine, game, known, misspelt = ENGINES[protocol]
    options = f"option.Nosuch=1 option.{known}=x option.{misspelt}=y"
    words = ("--engine", f"{engine} {options}", "--engine", f"name=b cmd={SANQI}")
    run = match(*words, "--out", "games.jsonl", game=game, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.count("\n") == 1
    assert run.stderr.startswith("sanqi match: engine a: no option 'Nosuch'; ")
    for told in (f"option '{known}' is 'x', expected ", "did you mean", "--allow-unknown-options"):
        assert told in run.stderr
    assert not (tmp_path / "games.jsonl").exists()


@pytest.mark.parametrize("protocol", ["ucci", "jlp"])
def test_unknown_options_that_are_allowed_get_a_notice(protocol: str, tmp_path: Path) -> None:
    engine, game, *_ = ENGINES[protocol]
    words = ("--engine", f"{engine} option.Nosuch=1", "--engine", f"name=b cmd={SANQI}", "--movetime", "10")
    run = match(*words, "--allow-unknown-options", game=game, cwd=tmp_path)
    assert run.returncode == 0
    assert run.stderr == "sanqi match: engine a: no option 'Nosuch'; sent anyway\n"
    assert "2 games" in run.stdout


def test_a_file_of_engines_is_checked_too(tmp_path: Path) -> None:
    (tmp_path / "engines.toml").write_text(f"[a]\ncmd = '{SANQI}'\noption = {{ hash = 1, Nosuch = true }}\n")
    run = match("--engines", "engines.toml", "--engine", "a", "--engine", f"name=b cmd={SANQI}", cwd=tmp_path)
    assert run.returncode == 2
    assert "engine a: no option 'Nosuch' (--allow" in run.stderr


def test_a_variant_is_an_option(tmp_path: Path) -> None:
    words = ("--engine", f"name=a cmd={SANQI} proto=uci variant=shogi", "--engine", f"name=b cmd={SANQI}")
    run = match(*words, cwd=tmp_path)
    assert run.returncode == 2
    assert "option 'UCI_Variant' is 'shogi', expected one of xiangqi" in run.stderr


def test_an_option_is_sent_under_the_name_that_the_engine_has_for_it(tmp_path: Path) -> None:
    words = (
        "--engine",
        f"name=a cmd={SANQI} proto=uci option.hashsize=3 option.style=RISKY",
        "--engine",
        f"name=b cmd={SANQI}",
        "--nodes",
        "10",
    )
    assert match(*words, cwd=tmp_path).returncode == 0
    told = (tmp_path / "log").read_text(encoding="ascii")
    assert "> setoption name Hash value 3" in told
    assert "> setoption name Style value risky" in told


def test_gomocup_says_that_it_was_not_checked(tmp_path: Path) -> None:
    words = ("--engine", f"name=a cmd={SANQI} option.Nosuch=1 option.style=x", "--engine", f"name=b cmd={SANQI}")
    run = match(*words, "--nodes", "10", game="gomoku", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stderr == ("sanqi match: engine a: not checked, since Gomocup engines list no options: Nosuch, style\n")


@pytest.mark.parametrize(
    "game", ["xiangqi", *(pytest.param(game, marks=pytest.mark.long) for game in ("gomoku", "junqi"))]
)
def test_the_report_has_the_names_that_engines_have_for_themselves(game: str, tmp_path: Path) -> None:
    words = ("--engine", f"name=a cmd={SANQI}", "--engine", f"name=b cmd={SANQI}", "--movetime", "10")
    assert match(*words, "--report", "report.html", game=game, cwd=tmp_path).returncode == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count(f"<td>sanqi {__version__}</td>") == 3  # the runner's, and each engine's


def test_an_engine_with_one_option_gets_no_other(tmp_path: Path) -> None:
    """The runner does not complain when the engine lacks the options that the runner sets by itself."""
    fake = f'cmd="{sys.executable} {FAKE} random'
    run = match("--engine", f'name=a {fake} 1"', "--engine", f'name=b {fake} 2"', "--nodes", "10", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
