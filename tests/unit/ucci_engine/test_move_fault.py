"""The reason of each illegal move."""

from __future__ import annotations

import random

import pytest

from game_core.session import IllegalMove
from ucci_engine.move_fault import WAYS, move_fault
from ucci_engine.points import START_FEN, parse_move
from ucci_engine.position import KingCapture, Position
from ucci_engine.session import XiangqiSession


@pytest.mark.parametrize(
    ("fen", "move", "reason"),
    [
        (START_FEN, "b0d1", "the piece on c0 blocks the leg of the horse"),
        (START_FEN, "e4e5", "no piece stands on e4"),
        (START_FEN, "a9a8", "the piece on a9 is not yours"),
        (START_FEN, "a0a3", "a piece of your own stands on a3"),
        (START_FEN, "a0a5", "the piece on a3 stands in the way"),
        (START_FEN, "a0b1", WAYS["R"]),
        (START_FEN, "b2b7", "a cannon captures over exactly one piece, here are 0"),
        (START_FEN, "b2b8", "the piece on b7 stands in the way"),
        (START_FEN, "a3b3", WAYS["P"]),
        (START_FEN, "a3a2", WAYS["P"]),
        (START_FEN, "c0e1", WAYS["B"]),
        (START_FEN, "e0e2", WAYS["K"]),
        (START_FEN, "d0c1", "an advisor stays in its palace"),
        ("4k4/9/9/9/9/9/9/9/1R7/3K5 w - - 0 1", "d0c0", "a king stays in its palace"),
        ("4k4/9/9/9/9/2B6/9/9/9/3K5 w - - 0 1", "c4a6", "an elephant does not cross the river"),
        ("4k4/9/9/9/9/9/9/9/3R5/2BK5 w - - 0 1", "c0e2", "the piece on d1 blocks the eye of the elephant"),
        ("4k4/9/9/9/4N4/9/9/9/9/4K4 w - - 0 1", "e5d7", "the kings would face each other"),
        ("4k4/9/9/9/4r4/9/9/9/9/R2K5 w - - 0 1", "d0e0", "your king would be in check"),
        ("4k4/9/9/9/3r5/9/9/9/9/R2K5 w - - 0 1", "a0a1", "you are in check, and this move does not end it"),
    ],
)
def test_reasons(fen: str, move: str, reason: str) -> None:
    assert move_fault(Position(fen), parse_move(move)) == reason


def test_a_move_that_goes_as_it_should_is_illegal_only_for_the_king() -> None:
    """All moves of all points, in positions of random games, against the rules."""
    chance = random.Random(3)
    seen = set()
    for _ in range(4):
        position = Position()
        for _ply in range(60):
            if not (moves := position.legal_moves()):
                break
            position.push(chance.choice(moves))
        legal = set(position.legal_moves())
        for origin in range(90):
            for target in range(90):
                move = origin | target << 7
                if origin == target or move in legal:
                    continue
                fault = move_fault(position, move)
                seen.add(fault.split(" on ")[0])
                if ("king" in fault and "palace" not in fault and fault != WAYS["K"]) or "in check" in fault:
                    with pytest.raises(KingCapture):
                        Position(after(position, move))
    assert len(seen) > 12


def after(position: Position, move: int) -> str:
    """The FEN after a move that is not legal."""
    pieces = [position.piece_at(square) or "1" for square in range(90)]
    pieces[move >> 7], pieces[move & 127] = pieces[move & 127], "1"
    rows = ["".join(pieces[9 * rank : 9 * rank + 9]) for rank in range(9, -1, -1)]
    return f"{'/'.join(rows)} {'wb'[not position.side]} - - 0 1"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("马八进六", "'马八进六' names no legal move here: the piece on c0 blocks the leg of the horse"),
        ("H8+6", "'H8+6' names no legal move here: the piece on c0 blocks the leg of the horse"),
        ("车一进四", "'车一进四' names no legal move here: the piece on i3 stands in the way"),
        ("帅五进二", f"'帅五进二' names no legal move here: {WAYS['K']}"),
        ("h2j2", "h2j2: there is no point j2; files are a to i, ranks 0 to 9"),
        ("a0a10", "a0a10: there is no point a10; files are a to i, ranks 0 to 9"),
    ],
)
def test_reasons_in_every_notation(text: str, reason: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        XiangqiSession().read_move(text)
    assert str(refused.value) == reason
