"""`sanqi setup` names files and commands as Windows has them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


def said(sanqi: str, host: str) -> str:
    run = subprocess.run([sanqi, "setup", host], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


@pytest.mark.parametrize("host", ["tchess", "xqwizard"])
def test_the_program_s_file_is_named_whole(sanqi: str, host: str) -> None:
    named = Path(said(sanqi, host).splitlines()[-1])
    assert named.suffix == ".exe"
    assert named.samefile(sanqi)


def test_the_command_for_piskvork_copies_the_program(sanqi: str) -> None:
    command, _, brain = said(sanqi, "piskvork").splitlines()[1:]
    assert not Path(brain).exists()
    try:
        subprocess.run(["cmd", "/c", command], stdout=subprocess.DEVNULL, check=True, timeout=60)
        run = subprocess.run([brain], input="ABOUT\nEND\n", capture_output=True, text=True, timeout=60)
    finally:
        Path(brain).unlink(missing_ok=True)
    assert 'name="sanqi"' in run.stdout
