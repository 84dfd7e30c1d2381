"""`sanqi setup` prints what a host needs, with the path of the program that is installed."""

from __future__ import annotations

import shlex
import subprocess
import sysconfig
from pathlib import Path

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
    assert str(SANQI.resolve()) in text or (host == "lichess-bot" and f'dir: "{SANQI.resolve().parent}"' in text)


def test_what_xboard_is_told_answers_as_an_engine(tmp_path: Path) -> None:
    words = shlex.split(said("xboard", tmp_path).splitlines()[0])
    engine = words[words.index("-fcp") + 1].split()
    assert engine[:2] == ["uci2wb", "-x"]
    run = subprocess.run(engine[2:], input="ucci\nquit\n", cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.stdout.splitlines()[-2:] == ["ucciok", "bye"]


def test_what_c_gomoku_cli_is_told_answers_as_an_engine(tmp_path: Path) -> None:
    words = shlex.split(said("c-gomoku-cli", tmp_path))
    command = next(word for word in words if word.startswith("cmd=")).removeprefix("cmd=")
    run = subprocess.run([command], input="START 15\nEND\n", cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.stdout.splitlines() == ["OK"]


def test_piskvork_s_copy_speaks_gomocup_by_its_name(tmp_path: Path) -> None:
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
