"""What a game of Xiangqi has besides the contract of a Session."""

from __future__ import annotations

import pytest

from game_core.session import IllegalMove, UnknownMove
from ucci_engine.points import START_FEN
from ucci_engine.session import XiangqiSession

TWO_FILES_OF_PAWNS = "4k4/9/4n4/3P1P3/3P1P3/9/9/9/9/4K4 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "text"),
    [
        (START_FEN, "h2e9"),
        (START_FEN, "H2-E9"),
        (START_FEN, "炮二平九"),
        (START_FEN, "C2.9"),
        (START_FEN, "++.4"),
        (START_FEN, "Che9"),
        (TWO_FILES_OF_PAWNS, "炮二平五"),
        (TWO_FILES_OF_PAWNS, "前兵进一"),
    ],
)
def test_a_move_that_is_not_legal_here_is_no_unknown_text(fen: str, text: str) -> None:
    with pytest.raises(IllegalMove) as error:
        XiangqiSession(fen).read_move(text)
    assert not isinstance(error.value, UnknownMove)


@pytest.mark.parametrize("text", ["", "h2h2", "h2h2h2", "i0j0", "龙二平五", "炮十平五", "Xhe2", "P5x4"])
def test_text_that_is_no_move_is_unknown(text: str) -> None:
    with pytest.raises(UnknownMove):
        XiangqiSession().read_move(text)


def test_the_start_is_written_in_full() -> None:
    session = XiangqiSession("4k4/9/9/9/9/9/9/9/9/R4K3 r")
    start = "4k4/9/9/9/9/9/9/9/9/R4K3 w - - 0 1"
    session.play("a0a5")
    assert session.view()["start"] == start
    assert f'[FEN "{start}"]' in session.save("pgn").decode()
    assert session.save("txt").decode().splitlines()[-1] == f"position fen {start} moves a0a5"
    assert XiangqiSession().view()["start"] == START_FEN
