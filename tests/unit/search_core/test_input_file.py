"""Only files and pipes are read, and no more of them than the limit."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from search_core.input_file import open_input, read_input

MIB = 1 << 20


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "game"
    path.write_bytes(b"x" * MIB)
    assert len(read_input(path, MIB)) == MIB
    with path.open("ab") as file:
        file.write(b"x")
    with pytest.raises(OSError, match="larger than 1 MiB") as caught:
        read_input(path, MIB)
    assert caught.value.filename == str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such files")
@pytest.mark.parametrize("size", [MIB, MIB + 1])
def test_a_pipe_is_read_up_to_the_limit(tmp_path: Path, size: int) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write() -> None:
        with path.open("wb") as pipe:
            pipe.write(b"x" * size)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        if size > MIB:
            with pytest.raises(OSError, match="larger than 1 MiB"):
                read_input(path, MIB)
        else:
            assert len(read_input(path, MIB)) == size
    finally:
        writer.join()


def test_a_folder_or_no_file_is_named(tmp_path: Path) -> None:
    for path, error in ((tmp_path, IsADirectoryError), (tmp_path / "missing", FileNotFoundError)):
        with pytest.raises(error) as caught:
            open_input(path)
        assert caught.value.filename == str(path)


@pytest.mark.parametrize("name", ["nul\0l", "\ud800"])
def test_what_is_no_name_is_an_error_of_the_system(name: str) -> None:
    with pytest.raises(OSError, match=r"\S") as caught:
        read_input(name)
    assert caught.value.filename == name


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such files")
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null"])
def test_a_device_is_not_read(name: str) -> None:
    with pytest.raises(OSError, match="neither a file nor a pipe") as caught:
        read_input(name)
    assert caught.value.filename == name
