"""`sanqi setup` prints what a host needs, with the path of the program that is installed."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sysconfig
from pathlib import Path, PureWindowsPath
from typing import cast

import pytest

from sanqi.setup_host import HOSTS

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"


def said(host: str, cwd: Path) -> str:
    run = subprocess.run([SANQI, "setup", host], cwd=cwd, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


@pytest.mark.parametrize("host", HOSTS)
def test_the_program_is_named_by_its_whole_path(host: str, tmp_path: Path) -> None:
    text = said(host, tmp_path)
    folders = {"xboard": f"-fd {SANQI.resolve().parent} ", "lichess-bot": f'dir: "{SANQI.resolve().parent}"'}
    assert folders.get(host, str(SANQI.resolve())) in text


@pytest.fixture(params=["plain", "with blanks 'and' \"象棋\""])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The program in a folder of this name, as a script that answers like the installed one."""
    folder = tmp_path / str(request.param)
    folder.mkdir()
    script = folder / "sanqi"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(str(SANQI))} "$@"\n')
    script.chmod(0o755)
    return script


def xboard_options(program: Path) -> list[str]:
    command = "\n".join(line for line in HOSTS["xboard"](program).splitlines() if not line.startswith("#"))
    return shlex.split(command.replace("\\\n", " "))


def test_the_command_for_xboard_starts_an_engine(program: Path) -> None:
    words = xboard_options(program)
    engine = words[words.index("-fcp") + 1].split()
    assert engine[:2] == ["uci2wb", "-x"]
    folder = words[words.index("-fd") + 1]
    run = subprocess.run(engine[2:], input="ucci\nquit\n", cwd=folder, capture_output=True, text=True, timeout=60)
    assert run.stdout.splitlines()[-2:] == ["ucciok", "bye"]


def test_on_windows_it_is_winboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    said = HOSTS["xboard"](cast("Path", PureWindowsPath(r"C:\Program Files\sanqi\sanqi.exe")))
    command = r'winboard -variant xiangqi -fd "C:\Program Files\sanqi" -fcp "uci2wb -x sanqi.exe"'
    assert said.splitlines()[1] == command


def test_xboard_has_the_named_theme() -> None:
    words = xboard_options(SANQI)
    themes = Path("/usr/share/games/xboard")
    if not themes.exists():
        pytest.skip("no xboard: apt install xboard")
    for option in ("-pid", "-lbtf", "-dbtf"):
        assert Path(words[words.index(option) + 1].replace("~~", str(themes))).exists()
    assert "apt install xboard uci2wb" in HOSTS["xboard"](SANQI)


def test_the_command_for_c_gomoku_cli_starts_an_engine(program: Path) -> None:
    words = shlex.split(HOSTS["c-gomoku-cli"](program))
    command = next(word for word in words if word.startswith("cmd=")).removeprefix("cmd=")
    # As c-gomoku-cli splits it: at blanks that have no backslash before them.
    [engine] = [re.sub(r"\\(.)", r"\1", word) for word in re.split(r"(?<!\\) ", command)]
    run = subprocess.run([engine], input="START 15\nEND\n", capture_output=True, text=True, timeout=60)
    assert run.stdout.splitlines() == ["OK"]


def test_lichess_bot_gets_a_server_with_xiangqi(program: Path) -> None:
    text = HOSTS["lichess-bot"](program)
    assert 'url: "https://www.pychess.org/"' in text
    assert "lichess.org has no Xiangqi" in text
    assert f"  dir: {json.dumps(str(program.parent), ensure_ascii=False)}\n" in text
    assert '    Ranks: "1-10"\n' in text


def test_the_copy_for_piskvork_speaks_gomocup_by_its_name(tmp_path: Path) -> None:
    lines = said("piskvork", tmp_path).splitlines()
    copy = shlex.split(lines[1])
    assert copy[:2] == ["cp", str(SANQI.resolve())]
    brain = tmp_path / Path(copy[2]).name
    brain.write_bytes(SANQI.read_bytes())
    brain.chmod(0o755)
    assert lines[-1].endswith("pbrain-sanqi64")
    run = subprocess.run([brain], input="ABOUT\nEND\n", cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert 'name="sanqi"' in run.stdout


def test_an_unknown_host_gets_one_line(tmp_path: Path) -> None:
    run = subprocess.run([SANQI, "setup", "winboard9"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert "winboard9" in run.stderr
    assert run.stderr.count("\n") == 1
