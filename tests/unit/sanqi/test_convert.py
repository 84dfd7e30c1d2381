"""`sanqi convert`, from the command line."""

from __future__ import annotations

import itertools
import subprocess
import sysconfig
from pathlib import Path

import pytest

from gomoku_protocol.records import parse_record

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
SGF = b"(;GM[4]SZ[15]RU[renju]PB[one];B[hh];W[gh];B[aa])"


def convert(*arguments: str | Path, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([SANQI, "convert", *arguments], input=data, capture_output=True, timeout=60, check=False)


def test_a_game_through_all_formats_by_suffix(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.sgf", "b.psq", "c.hex", "d.txt", "e.sgf")]
    files[0].write_bytes(SGF)
    for source, target in itertools.pairwise(files):
        finished = convert(source, target)
        assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
    assert files[1].read_bytes() == b"Piskvorky 15x15, 11:0, 0\n8,8,0\n7,8,0\n1,1,0\none\nhomo-2\n-1\n"
    assert files[3].read_bytes() == b"881 782 111\n"
    assert parse_record(files[4].read_bytes(), "sgf").moves == parse_record(SGF, "sgf").moves


def test_standard_streams_and_named_formats(tmp_path: Path) -> None:
    assert convert("-", "-", "--from", "sgf", "--to", "hex", data=SGF).stdout == b"881 782 111\n"
    odd = tmp_path / "record.bak"
    odd.write_bytes(b"881 782")
    assert convert(odd, "-", "--from", "hex", "--to", "psq").stdout.startswith(b"Piskvorky 15x15")


def assert_refused(finished: subprocess.CompletedProcess[bytes], message: str) -> None:
    assert finished.returncode == 2
    assert finished.stdout == b""
    error = finished.stderr.decode("ascii")
    assert error.startswith("sanqi convert: ")
    assert message in error
    assert error.count("\n") == 1


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "old.hex"
    target.write_bytes(b"111")
    assert_refused(convert("-", target, "--from", "sgf", data=SGF), "exists already; nothing was written")
    assert target.read_bytes() == b"111"


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        (["-", "OUT.hex", "--from", "sgf"], b"(;GM[4];B[hh];W[hh])", "'-': move 2: W[hh] is a point that has a stone"),
        (["-", "OUT.sgf", "--from", "psq"], b"Piskvorky 15x15, 0:0, 0\n8:8\n1,1", "'-': line 2: expected x,y,ms"),
        (["-", "OUT.hex", "--from", "psq"], b"Piskvorky 20x20, 0:0, 0\n", "a board of 20x20 cannot be written"),
        (["-", "OUT.sgf"], SGF, "- has no format of its own; give --from psq, sgf or hex"),
        (["-", "OUT.rec", "--from", "sgf"], SGF, "'.rec' does not name a record"),
        (["-", "missing/OUT.sgf", "--from", "sgf"], SGF, "cannot be written: No such file"),
        (["missing.sgf", "OUT.hex"], b"", "'missing.sgf' cannot be read: No such file"),
    ],
)
def test_errors_are_one_line_and_write_nothing(
    arguments: list[str], data: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(convert(*arguments, data=data), message)
    assert list(tmp_path.iterdir()) == []
