"""The bundle's script that opens the board."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

BUNDLE = Path(__file__).resolve().parent.parent.parent / "dist" / "sanqi"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """In a folder such as a Chinese user might have."""
    if not BUNDLE.exists():
        pytest.skip("no bundle: run `python build/bundle.py`")
    return Path(shutil.copytree(BUNDLE, tmp_path / "象棋 (new)" / "sanqi")) / "sanqi-board.cmd"


def test_it_starts_the_program_beside_it(script: Path, tmp_path: Path) -> None:
    # As Explorer calls it: cmd.exe drops the first and the last quote.
    run = subprocess.run(f'cmd /c ""{script}" --help"', cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("usage: sanqi board")
