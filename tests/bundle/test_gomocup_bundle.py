"""The bundles under the name that Gomoku managers require: the tournament's zip, unpacked, and the usual folder."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gomoku_protocol.points import FREESTYLE, parse_point
from gomoku_protocol.swap2_store import openings, symmetries

CHECKOUT = Path(__file__).resolve().parent.parent.parent
SUFFIX = ".exe" if sys.platform == "win32" else ""
PACKAGE = CHECKOUT / "dist" / "pbrain-sanqi64.zip"
FOLDER = CHECKOUT / "dist" / "sanqi"
MAX_PACKAGE = 8_000_000
"""Gomocup's size limit in bytes."""
LEFT_OUT = ("ucci_engine", "junqi", "match_runner", "engine_doctor", "ssl", "hashlib", "sqlite", "chess", "rich", "sgf")


@pytest.fixture(params=["package", "folder"])
def executable(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    place = tmp_path / "with blanks 五子棋"
    if request.param == "package":
        if not PACKAGE.exists():
            pytest.skip(f"{PACKAGE.name} is not built; run: python build/bundle.py --gomocup")
        shutil.unpack_archive(PACKAGE, place)
    else:
        if not (FOLDER / f"pbrain-sanqi64{SUFFIX}").exists():
            pytest.skip("dist/sanqi is not built; run: python build/bundle.py")
        shutil.copytree(FOLDER, place)
    program = place / f"pbrain-sanqi64{SUFFIX}"
    program.chmod(0o755)  # unpack_archive does not set it
    return program


def test_plays_under_every_rule(executable: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, env={}, text=True, encoding="ascii"
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for rule in (0, 1, 4, 8, 9):
            process.stdin.write(f"START 15\nINFO rule {rule}\nINFO timeout_turn 0\nTURN 7,7\n")
            process.stdin.flush()
            assert process.stdout.readline() == "OK\n"
            x, y = map(int, process.stdout.readline().split(","))
            assert 0 <= x < 15 and 0 <= y < 15 and (x, y) != (7, 7)
        process.stdin.write("START 15\nINFO rule 0\nSWAP2BOARD\nDONE\n")
        process.stdin.flush()
        assert process.stdout.readline() == "OK\n"
        stones = tuple(parse_point(point) for point in process.stdout.readline().split())
        images = (
            map(turn, *zip(*opening, strict=True)) for opening in openings(FREESTYLE, 15, 15) for turn in symmetries(15)
        )
        assert stones in map(tuple, images)
        if sys.platform == "linux":
            children = [(task / "children").read_text() for task in Path(f"/proc/{process.pid}/task").iterdir()]
            assert "".join(children) == "", "a manager that suspends the process would miss its child"
        process.stdin.write("END\n")
        process.stdin.flush()
        assert process.stdout.read() == ""
    assert process.returncode == 0


def test_package_is_small_and_holds_nothing_else() -> None:
    if not PACKAGE.exists():
        pytest.skip(f"{PACKAGE.name} is not built; run: python build/bundle.py --gomocup")
    assert PACKAGE.stat().st_size <= MAX_PACKAGE
    with zipfile.ZipFile(PACKAGE) as package:
        names = package.namelist()
        program = package.read(f"pbrain-sanqi64{SUFFIX}")
    assert not [name for name in names if any(part in name for part in LEFT_OUT)]
    # The program's list of Python modules is not compressed.
    modules = {name.decode() for name in re.findall(rb"gomoku_protocol\.\w+|search_core\.\w+", program)}
    assert {"gomoku_protocol.gomocup", "search_core.parameters"} <= modules
    unused = ("bench", "display", "records", "session", "sgf")
    assert not [name for name in modules if name.partition(".")[2] in unused]
