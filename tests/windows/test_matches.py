"""Matches on Windows: engines in their own folders, and commands pasted from the report."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path


def match(sanqi: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Two games of Gomoku against the installed program."""
    words = ("--engine", f"name=installed cmd={sanqi}", *words)
    return subprocess.run(
        [sanqi, "match", "--game", "gomoku", "--size", "9", "--nodes", "100", "--games", "2", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
    )


def test_a_relative_command_begins_at_its_dir(sanqi: str, tmp_path: Path) -> None:
    (tmp_path / "engines" / "bin").mkdir(parents=True)
    shutil.copy(sanqi, tmp_path / "engines" / "bin" / "brain.exe")
    run = match(sanqi, tmp_path, "--engine", r"name=near dir=engines cmd='bin\brain.exe gomocup'")
    assert (run.returncode, run.stderr) == (0, ""), run.stderr
    assert "2 games" in run.stdout


def test_a_command_in_the_report_can_be_pasted(sanqi: str, tmp_path: Path) -> None:
    (tmp_path / "my engines").mkdir()
    brain = tmp_path / "my engines" / "brain.exe"
    shutil.copy(sanqi, brain)
    run = match(sanqi, tmp_path, "--engine", f"name=blank cmd=\"'{brain}' gomocup\"", "--report", "report.html")
    assert (run.returncode, run.stderr) == (0, ""), run.stderr
    page = html.unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    (line,) = set(re.findall(r">([^<>]*brain\.exe[^<>]*)<", page))
    pasted = subprocess.run(line, shell=True, input="ABOUT\nEND\n", capture_output=True, text=True, timeout=60)
    assert 'name="sanqi"' in pasted.stdout
