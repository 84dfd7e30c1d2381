"""`sanqi play xiangqi`, driven through its terminal dialogue."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"


def play(*lines: str, options: tuple[str, ...] = (), encoding: str = "utf-8") -> str:
    """Everything printed in a game of these inputs; input ends after them."""
    finished = subprocess.run(
        [SANQI, "play", "xiangqi", "--movetime", "20", *options],
        input="".join(line + "\n" for line in lines).encode(),
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert finished.stderr == b""
    assert finished.returncode == 0
    return finished.stdout.decode(encoding)


def test_moves_in_both_notations_and_the_answer() -> None:
    printed = play("h2e2", "马八进七", "quit")
    assert printed.count("Black plays ") == 2
    assert "[炮]" in printed


def test_the_person_may_have_black() -> None:
    printed = play("h9g7", "quit", options=("--side", "black"))
    assert printed.count("Red plays ") >= 1
    assert "Black to move" in printed


def test_wrong_input_is_named_and_changes_nothing() -> None:
    printed = play("h2e9", "frobnicate", "炮二平三十", "马二平三", "h2e2", "quit")
    assert "'h2e9' is not legal here" in printed
    assert "frobnicate" in printed
    assert "炮二平三十" in printed
    assert "马二平三" in printed
    assert printed.count("Black plays ") == 1


def test_undo_hint_and_help() -> None:
    printed = play("undo", "h2e2", "undo", "hint", "help", "quit")
    assert "there is no move of yours to take back" in printed
    assert "hint: " in printed
    assert "resign" in printed
    boards = [part for part in printed.split("\n\n") if "a   b   c" in part]
    assert boards


def test_save_writes_a_position_line(tmp_path: Path) -> None:
    file = tmp_path / "my game.txt"
    printed = play("save", "h2e2", f"save {file}", f"save {file}", "save /nowhere/x", "quit")
    assert "expected: save FILE" in printed
    assert "saved 2 moves" in printed
    assert "exists already" in printed
    assert "cannot be written" in printed
    comment, position = file.read_text(encoding="utf-8").splitlines()
    assert comment.startswith("# 炮二平五 ")
    assert position.startswith("position fen rnbakabnr/")
    assert " moves h2e2 " in position


def test_resign_and_end_of_input() -> None:
    assert "Black wins: Red resigned." in play("resign")
    assert "Red to move" in play()


def test_mate_ends_the_game() -> None:
    one_move = "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"
    printed = play("b0b9", "h2e2", "undo", "quit", options=("--fen", one_move))
    assert "Red wins: checkmate." in printed
    assert "the game is over; expected undo" in printed
    assert printed.rstrip().endswith("Red to move>")
    mated = play("quit", options=("--fen", "3rkr3/9/9/9/9/9/9/9/4p4/3K5 w - - 0 1"))
    assert "Black wins: " in mated


def test_letters_where_chinese_cannot_be_printed() -> None:
    printed = play("h2e2", "quit", encoding="ascii")
    assert "[C]" in printed
    assert printed.isascii()


@pytest.mark.parametrize("options", [["--fen", "9/9 w"], ["--movetime", "0"]])
def test_wrong_arguments(options: list[str]) -> None:
    finished = subprocess.run(
        [SANQI, "play", "xiangqi", *options], capture_output=True, text=True, timeout=60, check=False
    )
    assert finished.returncode == 2
    assert finished.stderr.startswith("sanqi play: ")
    assert finished.stdout == ""
