"""A log has whole pieces only, also on a full disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from search_core.growing_file import GrowingFile

FULL_DISK = """
import resource, sys
from search_core.growing_file import GrowingFile
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
log = GrowingFile(sys.argv[1], "xb")
for piece in (b"x" * 60 + b"\\n", b"y" * 60 + b"\\n", b"z" * 30 + b"\\n"):
    try:
        log.append(piece)
    except OSError as error:
        print(error.filename, error.strerror)
log.close()
"""


def test_pieces_are_appended(tmp_path: Path) -> None:
    for mode in ("xb", "r+b"):
        log = GrowingFile(tmp_path / "log", mode)
        log.append(b"one\n")
        log.append(b"two\n")
        log.close()
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n" * 2


@pytest.mark.skipif(sys.platform == "win32", reason="it has no limit on the size of a file")
def test_a_piece_that_does_not_fit_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "log"
    run = subprocess.run([sys.executable, "-c", FULL_DISK, path], cwd=tmp_path, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == (f"{path} File too large\n", "")
    assert path.read_bytes() == b"x" * 60 + b"\n" + b"z" * 30 + b"\n"
