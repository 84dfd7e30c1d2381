"""Chinese notation, both ways."""

from __future__ import annotations

import random

import pytest

from ucci_engine.chinese_notation import NotationError, chinese_to_move, move_to_chinese
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position


@pytest.mark.parametrize("traditional", [False, True])
def test_round_trip_of_all_moves_of_random_games(traditional: bool) -> None:
    lottery = random.Random(11)
    for _ in range(7):
        position = Position()
        for _ in range(120):
            legal = position.legal_moves()
            texts = [move_to_chinese(position, move, traditional=traditional) for move in legal]
            assert len(set(texts)) == len(legal)
            for move, text in zip(legal, texts):
                assert len(text) == 4
                assert chinese_to_move(position, text) == move
            if position.result() != "ongoing":
                break
            position.push(lottery.choice(legal))


@pytest.mark.parametrize(
    ("fen", "move", "text", "traditional"),
    [
        (START_FEN, "h2e2", "炮二平五", "炮二平五"),
        (START_FEN, "b0c2", "马八进七", "傌八進七"),
        (START_FEN, "a0a1", "车九进一", "俥九進一"),
        (START_FEN.replace(" w ", " b "), "h9g7", "马8进7", "馬8進7"),
        (START_FEN.replace(" w ", " b "), "h7h4", "炮8进3", "砲8進3"),
        (START_FEN.replace(" w ", " b "), "a6a5", "卒1进1", "卒1進1"),
        # two cannons on a file, two advisors on a file
        ("3k5/9/9/4C4/9/9/9/4C4/9/5K3 w - - 0 1", "e6e7", "前炮进一", "前炮進一"),
        ("3k5/9/9/4C4/9/9/9/4C4/9/5K3 w - - 0 1", "e2a2", "后炮平九", "後炮平九"),
        ("5k3/9/9/9/9/9/9/3A5/9/3AK4 w - - 0 1", "d2e1", "仕六退五", "仕六退五"),
        # three, four and five pawns on a file; two files with several pawns
        ("3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w - - 0 1", "e6d6", "中兵平六", "中兵平六"),
        ("3k5/4P4/4P4/4P4/4P4/9/9/9/9/4K4 w - - 0 1", "e6d6", "三兵平六", "三兵平六"),
        ("3k5/4P4/4P4/4P4/4P4/4P4/9/9/9/5K3 w - - 0 1", "e8d8", "一兵平六", "一兵平六"),
        ("4k4/9/4n4/3P1P3/3P1P3/9/9/9/9/4K4 w - - 0 1", "f6e6", "一兵平五", "一兵平五"),
        ("4k4/9/4n4/3P1P3/3P1P3/9/9/9/9/4K4 w - - 0 1", "d5c5", "四兵平七", "四兵平七"),
        ("4k4/9/4N4/9/9/3p1p3/3p1p3/9/9/4K4 b - - 0 1", "d3d2", "1卒进1", "1卒進1"),
    ],
)
def test_examples(fen: str, move: str, text: str, traditional: str) -> None:
    position = Position(fen)
    assert move_to_chinese(position, parse_move(move)) == text
    assert move_to_chinese(position, parse_move(move), traditional=True) == traditional
    assert move_text(chinese_to_move(position, text)) == move
    assert move_text(chinese_to_move(position, traditional)) == move


@pytest.mark.parametrize("text", ["炮二平五", "砲二平五", "包2平5", "炮２平５", "炮二平5", " 炮二平五 "])
def test_spellings_that_are_read(text: str) -> None:
    assert move_text(chinese_to_move(Position(), text)) == "h2e2"


def test_order_of_elephants_is_read_though_not_written() -> None:
    position = Position("3k5/9/9/9/9/2B6/9/9/9/2B1K4 w - - 0 1")
    assert move_text(chinese_to_move(position, "后相进五")) == "c0e2"
    assert move_to_chinese(position, parse_move("c0e2")) == "相七进五"


@pytest.mark.parametrize(
    ("fen", "text", "named"),
    [
        (START_FEN, "炮二平", "four characters"),
        (START_FEN, "", "four characters"),
        (START_FEN, "炮二跳五", "跳"),
        (START_FEN, "炮十平五", "十"),
        (START_FEN, "炮二平十", "十"),
        (START_FEN, "龙二平五", "龙"),
        (START_FEN, "上炮平五", "上"),
        (START_FEN, "炮二平二", "no legal move"),
        (START_FEN, "前炮平五", "no legal move"),
        ("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1", "炮二平五", "Red has no '炮'"),
        ("4k4/9/4n4/3P1P3/3P1P3/9/9/9/9/4K4 w - - 0 1", "前兵进一", "ambiguous"),
    ],
)
def test_errors_name_what_is_wrong(fen: str, text: str, named: str) -> None:
    position = Position(fen)
    with pytest.raises(NotationError, match=named):
        chinese_to_move(position, text)


def test_an_illegal_move_has_no_notation() -> None:
    with pytest.raises(NotationError):
        move_to_chinese(Position(), parse_move("a0a9"))
