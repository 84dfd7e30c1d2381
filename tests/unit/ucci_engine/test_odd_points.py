"""Composed positions with pieces where no move leads: their moves are pyffish's, and a host is told."""

from __future__ import annotations

import random
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pyffish
import pytest

from search_core.engine import Engine, Limits, mate_in_plies
from search_core.failures import SetUpError
from search_core.perft import Perft
from ucci_engine.extra_pieces import ExtraPiecesPosition, open_position, remark_on
from ucci_engine.fen import FenError, KingCapture
from ucci_engine.points import START_FEN, move_text
from ucci_engine.position import Position
from ucci_engine.position_command import read_argument

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
DATA = Path(__file__).parents[2] / "data" / "field" / "xiangqi"
PROBLEM = "3k1p3/4P4/9/9/6CCR/3n4c/2Pn5/8B/5p3/4K4 w - - 0 1"


def odd_positions(seed: int, count: int) -> Iterator[Position]:
    """Random positions with guards and pawns on any points."""
    chance = random.Random(seed)
    palace = [rank * 9 + file for rank in range(3) for file in (3, 4, 5)]
    while count:
        board = {chance.choice(palace): "K", 89 - chance.choice(palace): "k"}
        for letter in "AABBNRCPPPaabbnrcppp":
            square = chance.randrange(90)
            if chance.random() < 0.7 and square not in board:
                board[square] = letter
        rows = ["".join(board.get(rank * 9 + file, "1") for file in range(9)) for rank in range(9, -1, -1)]
        try:
            position = open_position(f"{'/'.join(rows)} {chance.choice('wb')} - - 0 1")
        except KingCapture:
            continue
        if isinstance(position, ExtraPiecesPosition):
            yield position
            count -= 1


def run(protocol: str, *lines: str) -> list[str]:
    finished = subprocess.run(
        [SANQI, protocol],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return finished.stdout.splitlines()


@pytest.mark.parametrize("number", [8, pytest.param(60, marks=pytest.mark.long)])
def test_perft_2_by_move_equals_pyffish(number: int) -> None:
    for position in odd_positions(1, number):
        fen = position.fen()
        ours = {move_text(move, "1-10"): count for move, count in Perft(position, 2).divide(position.legal_moves())}
        theirs = {
            move: len(pyffish.legal_moves("xiangqi", fen, [move])) for move in pyffish.legal_moves("xiangqi", fen, [])
        }
        assert ours == theirs, fen


def test_the_evaluation_is_the_same_for_both_colours() -> None:
    for position in odd_positions(2, 60):
        board, turn = position.fen().split()[:2]
        swapped = "/".join(reversed(board.swapcase().split("/")))
        twin = open_position(f"{swapped} {'b' if turn == 'w' else 'w'}")
        assert abs(position.evaluate_cp()) < 20000
        assert twin.evaluate_cp() == position.evaluate_cp(), board


def test_a_published_problem_is_solved() -> None:
    with Engine() as engine:
        engine.hash_mb = 1
        result = engine.search(open_position(PROBLEM), Limits(depth=8))
    assert mate_in_plies(result.score) == 3
    assert {move_text(move) for move in result.lines[0].pv[::2]} == {"g5g9", "h5h9"}  # in either order


@pytest.mark.parametrize(
    ("board", "odd"),
    [
        ("3k1p3/9/9/9/9/9/9/9/9/4K4 w", "Black pawn on f9"),
        ("3k5/9/9/9/9/9/9/9/P8/4K4 w", "Red pawn on a1"),
        ("3k5/9/9/9/9/9/1P7/9/9/4K4 w", "Red pawn on b3"),
        ("3k5/9/9/9/9/9/9/9/9/4KA3 w", ""),
        ("3k5/9/9/9/9/9/9/9/3A5/4K4 w", "Red advisor on d1"),
        ("3k5/9/9/9/9/9/9/9/9/4K3B b", "Red elephant on i0"),
        ("3k5/4b4/9/9/9/9/9/9/9/4K4 b", "Black elephant on e8"),
        ("3k5/9/4A4/9/9/9/9/9/9/4K4 w", "Red advisor on e7"),
    ],
)
def test_the_remark_names_the_pieces(board: str, odd: str) -> None:
    position = open_position(board)
    assert (type(position) is Position) == (not odd)
    assert remark_on(position) == (odd and f"{odd}: no move leads there; the position is searched all the same")


@pytest.mark.parametrize("square", ["3k5/9/9/9/9/9/K8/9/9/9 w", "9/9/9/k8/9/9/9/9/9/4K4 w"])
def test_a_king_outside_its_palace_is_refused(square: str) -> None:
    with pytest.raises(FenError, match="king where none can stand, outside its palace"):
        open_position(square)


@pytest.mark.parametrize(("protocol", "remark"), [("uci", "info string "), ("ucci", "info message ")])
def test_a_host_is_told_once(protocol: str, remark: str) -> None:
    lines = run(
        protocol,
        protocol,
        f"position fen {PROBLEM}",
        f"position fen {PROBLEM} moves h5h9 f9f8",
        "go depth 2",
        "isready",
    )
    told = [line for line in lines if "no move leads there" in line]
    assert told == [f"{remark}position: Black pawn on f9: no move leads there; the position is searched all the same"]
    assert next(line for line in lines if line.startswith("bestmove")).startswith("bestmove g5g9")


def test_the_published_problem_over_uci() -> None:
    lines = run("uci", *(DATA / "pawn-on-odd-point.uci").read_text().splitlines())
    assert any(" score mate 2 " in line for line in lines)
    assert lines[-1].split()[1] in ("g5g9", "h5h9")


@pytest.mark.parametrize("command", ["eval", "perft"])
def test_commands_remark_and_go_on(command: str) -> None:
    arguments = ["perft", "1"] if command == "perft" else ["eval"]
    finished = subprocess.run([SANQI, *arguments, "--fen", PROBLEM], capture_output=True, text=True, timeout=60)
    assert finished.returncode == 0 and finished.stdout
    assert finished.stderr.startswith(f"sanqi {command}: Black pawn on f9: ")


def test_empty_holdings_are_read_over() -> None:
    lines = run("uci", *(DATA / "fen-with-holdings.uci").read_text().splitlines())
    assert lines[-1].startswith("bestmove h9a9")
    for holdings in ("[]", "[-]"):
        board, rest = START_FEN.split(" ", 1)
        assert read_argument(f"{board}{holdings} {rest}").start == START_FEN
    for holdings in ("[P]", "[Pp]", "[", "[]x", "[]["):
        with pytest.raises(SetUpError, match="pieces in hand"):
            read_argument(f"{board}{holdings} {rest}")
