"""Splitting command lines into words, by one rule on every system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from search_core.command_line import join_words, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("sanqi  junqi\t--level path", ["sanqi", "junqi", "--level", "path"]),
        (r"C:\games\sanqi.exe junqi", [r"C:\games\sanqi.exe", "junqi"]),
        (r'"C:\Program Files\sanqi.exe" junqi', [r"C:\Program Files\sanqi.exe", "junqi"]),
        (r"'C:\Program Files\sanqi.exe' junqi", [r"C:\Program Files\sanqi.exe", "junqi"]),
        (r'"C:\O' + "'" + r'Brien\x.exe" # \\', [r"C:\O'Brien\x.exe", "#", r"\\"]),
        ('"C:\\ends\\" x', ["C:\\ends\\", "x"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_a_quotation_without_an_end() -> None:
    with pytest.raises(ValueError):
        split_words('"C:\\x')


def test_a_joined_line_is_read_by_the_system_as_it_was() -> None:
    words = [sys.executable, "-c", "import sys; print(sys.argv[1:])", "a b", "C:\\x y\\", "(c)"]
    printed = subprocess.run(join_words(words), shell=True, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == str(words[3:])
    assert split_words(join_words(["C:\\a b\\x.exe", "uci"])) == ["C:\\a b\\x.exe", "uci"]


def test_python_m_names_a_file_that_can_be_started(tmp_path: Path) -> None:
    """In `argv` stands a module's file then, which no host can start."""

    def printed(*command: str) -> str:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60).stdout

    *_, program = printed(sys.executable, "-m", "sanqi", "setup", "tchess").splitlines()
    assert printed(program, "--version").startswith("sanqi ")
