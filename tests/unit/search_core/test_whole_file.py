"""A file has its old content or all of the new; what is no file is written directly."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from search_core.whole_file import UnfinishedFile, check_writable, whole_file, write_whole

FULL_DISK = """
import resource, sys
from search_core.whole_file import write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_whole(sys.argv[1], b"new" * 1000, replace=True)
except OSError as error:
    print(error.filename, error.strerror)
"""


def names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_file_appears_whole(tmp_path: Path) -> None:
    with whole_file(tmp_path / "games.pgn") as file:
        file.write(b"one ")
        assert [name.endswith(".part") for name in names_in(tmp_path)] == [True]
        file.write(b"two")
    assert names_in(tmp_path) == ["games.pgn"]
    assert (tmp_path / "games.pgn").read_bytes() == b"one two"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(b"old")
    with pytest.raises(error), whole_file(path, replace=True) as file:
        file.write(b"new")
        raise error
    assert names_in(tmp_path) == ["page.html"]
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(sys.platform == "win32", reason="it has no limit on the size of a file")
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, old: bytes | None) -> None:
    path = tmp_path / "page.html"
    if old is not None:
        path.write_bytes(old)
    run = subprocess.run([sys.executable, "-c", FULL_DISK, path], cwd=tmp_path, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == (f"{path} {os.strerror(errno.EFBIG)}\n", "")
    assert names_in(tmp_path) == ([] if old is None else ["page.html"])
    assert old is None or path.read_bytes() == old


def test_a_file_is_replaced_only_if_it_may_be(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    write_whole(path, b"old")
    with pytest.raises(FileExistsError) as caught:
        write_whole(path, b"new")
    assert caught.value.filename == str(path)
    write_whole(path, b"new", replace=True)
    assert path.read_bytes() == b"new"


def test_a_file_that_another_program_made_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    with pytest.raises(FileExistsError), whole_file(path) as file:
        file.write(b"ours")
        path.write_bytes(b"theirs")
    assert path.read_bytes() == b"theirs"
    assert names_in(tmp_path) == ["games.pgn"]


@pytest.mark.parametrize("name", ["", "missing/games.pgn", "folder", "folder/", "nul\0l", "\ud800", "x" * 300])
def test_a_name_that_cannot_be_written_is_refused_at_once(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    path = os.path.join(tmp_path, name) if name else name
    with pytest.raises(OSError, match=r"\S") as caught:
        check_writable(path, replace=True)
    assert caught.value.filename == path
    assert names_in(tmp_path) == ["folder"]


def test_the_longest_name_of_a_file_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("將" * 80)  # 240 bytes; 255 are the limit
    write_whole(path, b"x")
    assert path.read_bytes() == b"x"


def test_the_check_leaves_nothing(tmp_path: Path) -> None:
    check_writable(tmp_path / "games.pgn")
    assert names_in(tmp_path) == []


def test_what_opens_the_file_by_name_can_write_it(tmp_path: Path) -> None:
    unfinished = UnfinishedFile(tmp_path / "book.obk")
    assert unfinished.part is not None
    Path(unfinished.part).write_bytes(b"book")
    unfinished.finish()
    unfinished.discard()  # after the end it does nothing
    assert (tmp_path / "book.obk").read_bytes() == b"book"
    assert names_in(tmp_path) == ["book.obk"]


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such permissions")
@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_permissions_stay(tmp_path: Path, mode: int) -> None:
    path, usual = tmp_path / "page.html", tmp_path / "usual"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_whole(path, b"new", replace=True)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    usual.touch()
    write_whole(tmp_path / "new", b"new")
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(b"old")
    path.chmod(0o444)
    try:
        path.open("r+b").close()
    except PermissionError:
        with pytest.raises(PermissionError):
            write_whole(path, b"new", replace=True)
        assert path.read_bytes() == b"old"
    else:  # root may write every file
        write_whole(path, b"new", replace=True)
        assert path.read_bytes() == b"new"
    path.chmod(0o644)  # so that Windows can delete it


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "page.html").write_bytes(b"old")
    link = tmp_path / "page.html"
    link.symlink_to("far/page.html")
    write_whole(link, b"new", replace=True)
    assert link.is_symlink()
    assert (tmp_path / "far" / "page.html").read_bytes() == b"new"
    link.unlink()
    link.symlink_to("far/other.html")  # a link to nothing
    write_whole(link, b"new")
    assert (tmp_path / "far" / "other.html").read_bytes() == b"new"
    assert names_in(tmp_path) == ["far", "page.html"]


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such files")
def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    check_writable(path)  # which would wait if it opened it
    writer = threading.Thread(target=write_whole, args=(path, b"game"))
    writer.start()
    assert path.read_bytes() == b"game"
    writer.join()
    assert names_in(tmp_path) == ["pipe"]


@pytest.mark.skipif(sys.platform != "linux", reason="it has no such device")
def test_a_full_device_is_named() -> None:
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)) as caught:
        write_whole("/dev/full", b"game")
    assert caught.value.filename == "/dev/full"


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such files")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "link"])
def test_the_standard_output_is_continued(tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    program = "import sys; from search_core.whole_file import *; print('head'); write_whole(sys.argv[1], b'game\\n')"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", program, name], stdout=out, cwd=tmp_path, check=True)
        subprocess.run([sys.executable, "-c", "print('tail')"], stdout=out, cwd=tmp_path, check=True)
    assert (tmp_path / "out").read_bytes() == b"head\ngame\ntail\n"
