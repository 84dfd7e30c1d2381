"""The notations of Xiangqi, read and written, alone and beside other programs."""

from __future__ import annotations

import random
import re
import unicodedata

import pyffish
import pytest

from ucci_engine.extra_pieces import open_position
from ucci_engine.notation import (
    NOTATIONS,
    NotationError,
    chinese_to_move,
    move_to_algebraic,
    move_to_chinese,
    move_to_wxf,
    name_move,
    read_move,
    write_move,
)
from ucci_engine.points import RANKS_FROM_1, START_FEN, move_text, parse_move
from ucci_engine.position import Position

cchess = pytest.importorskip("cchess")

PAWNS = {
    2: "3k5/9/4P4/4P4/9/9/9/9/9/5K3 w - - 0 1",
    3: "3k5/9/4P4/4P4/4P4/9/9/9/9/5K3 w - - 0 1",
    4: "3k5/4P4/4P4/4P4/4P4/9/9/9/9/5K3 w - - 0 1",
    5: "3k2P2/6P2/6P2/6P2/6P2/9/9/9/9/5K3 w - - 0 1",
    32: "4k4/9/4n1P2/2P3P2/2P3P2/9/9/9/9/4K4 w - - 0 1",
    22: "4k4/9/9/9/9/9/2p3p2/2p3p2/9/3K5 b - - 0 1",
}
"""Pawns in a row, by how many there are on each file."""


@pytest.mark.parametrize("traditional", [False, True])
def test_round_trip_of_all_moves_of_random_games(traditional: bool) -> None:
    lottery = random.Random(11)
    for _ in range(3):
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


@pytest.mark.parametrize("notation", ["chinese", "traditional", "wxf"])
def test_misplaced_elephants_of_one_name_have_none(notation: str) -> None:
    """No game leads there; both can advance to file 5."""
    position = open_position("4k4/9/9/9/9/9/9/2B6/9/2B2K3 w")
    for move in ("c0e2", "c2e4"):
        with pytest.raises(NotationError, match="two pieces 'E'"):
            write_move(position, parse_move(move), notation)
        assert name_move(position, parse_move(move), notation) == f"{move[:2]}-{move[2:]}".upper()
    assert write_move(position, parse_move("c2a0"), "chinese") == "相七退九"


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


@pytest.mark.parametrize(
    ("pawns", "wxf", "chinese"),
    [
        (2, "P+ P-", "前兵 后兵"),
        (3, "P+ P5 P-", "前兵 中兵 后兵"),
        (4, "++ P+ P- --", "一兵 二兵 三兵 四兵"),
        (5, "++ P+ P3 P- --", "一兵 二兵 三兵 四兵 五兵"),
        (32, "3+ 33 3- 7+ 7-", "一兵 二兵 三兵 四兵 五兵"),
        (22, "3+ 3- 7+ 7-", "1卒 2卒 3卒 4卒"),
    ],
)
def test_names_of_pawns_in_a_row(pawns: int, wxf: str, chinese: str) -> None:
    position = Position(PAWNS[pawns])
    names: dict[str, dict[int, str]] = {"wxf": {}, "chinese": {}}
    for move in position.legal_moves():
        if position.piece_at(move & 127).upper() == "P":
            for notation, named in names.items():
                named[move & 127] = write_move(position, move, notation)[:2]
    order = {letter: index for index, letter in enumerate("ihgfedcba" if position.side == 0 else "abcdefghi")}
    squares = sorted(
        names["wxf"],
        key=lambda square: (order["abcdefghi"[square % 9]], -square if position.side == 0 else square),
    )
    assert [names["wxf"][square] for square in squares] == wxf.split()
    assert [names["chinese"][square] for square in squares] == chinese.split()


@pytest.mark.parametrize(
    ("pawns", "text", "move"),
    [
        (4, "前兵平四", "e8f8"),
        (4, "二兵平四", "e7f7"),
        (4, "三兵平四", "e6f6"),
        (4, "后兵平四", "e5f5"),
        (4, "末兵平四", "e5f5"),
        (5, "中兵平四", "g7f7"),
        (5, "後兵平四", "g5f5"),
        (32, "中兵平四", "g6f6"),
        (32, "前兵平六", "c6d6"),
        (32, "二兵平六", "c5d5"),
        (22, "前卒平8", "g2h2"),
        (22, "２卒平２", "c3b3"),
    ],
)
def test_other_forms_for_pawns_in_a_row(pawns: int, text: str, move: str) -> None:
    assert move_text(chinese_to_move(Position(PAWNS[pawns]), text)) == move


@pytest.mark.parametrize(
    ("fen", "move", "wxf", "algebraic"),
    [
        (START_FEN, "h2e2", "C2.5", "Che2"),
        (START_FEN, "b0c2", "H8+7", "Hc2"),
        (START_FEN, "h2h9", "C2+7", "Cxh9"),
        (START_FEN, "c3c4", "P7+1", "c4"),
        ("3k5/9/9/4C4/9/9/9/4C4/9/5K3 w - - 0 1", "e2a2", "C-.9", "Ca2"),
        ("5k3/9/9/9/9/9/9/3A5/9/3AK4 w - - 0 1", "d2e1", "A6-5", "A2e1"),
        ("3k5/9/9/9/9/2B6/9/9/9/2B1K4 w - - 0 1", "c0e2", "E7+5", "E0e2"),
        ("3k5/9/9/2N3N2/9/9/9/9/9/5K3 w - - 0 1", "c6e5", "H7-5", "Hce5"),
        ("3k5/9/9/2N6/9/2N6/9/9/9/5K3 w - - 0 1", "c6e5", "H+-5", "H6e5"),
        ("4k4/9/9/9/9/p8/P8/9/9/3K5 w - - 0 1", "a3a4", "P9+1", "axa4"),
    ],
)
def test_examples_in_letters(fen: str, move: str, wxf: str, algebraic: str) -> None:
    position = Position(fen)
    assert move_to_wxf(position, parse_move(move)) == wxf
    assert move_to_algebraic(position, parse_move(move)) == algebraic


@pytest.mark.parametrize("games", [1, pytest.param(4, marks=pytest.mark.long)])
def test_agreement_with_other_programs(games: int) -> None:
    """pyffish writes WXF and, after two changes, XBoard's algebraic moves as we do; cchess Chinese.

    pyffish names a piece by its file where only one of two on it can make the move. cchess numbers pawns on one file,
    not on all together."""
    lottery = random.Random(5)
    exceptions = 0
    for _ in range(games):
        position = Position()
        while position.result() == "ongoing" and position.plies < 150:
            fen, move = position.fen(), lottery.choice(position.legal_moves())
            uci, iccs = move_text(move, RANKS_FROM_1), move_text(move)
            for notation in NOTATIONS:
                assert read_move(position, write_move(position, move, notation)) == move, (fen, notation)
            wxf = pyffish.get_san("xiangqi", fen, uci, False, pyffish.NOTATION_XIANGQI_WXF)
            exceptions += move_to_wxf(position, move).replace(".", "=") != wxf
            san = pyffish.get_san("xiangqi", fen, uci, False, pyffish.NOTATION_SAN).rstrip("+#")
            assert move_to_algebraic(position, move) == as_xboard(san, iccs), fen
            board = cchess.ChessBoard(fen)
            chinese = unicodedata.normalize("NFKC", board.move(*cchess.iccs2pos(iccs)).to_text())
            assert chinese_to_move(position, chinese) == move, (fen, chinese)
            exceptions += move_to_chinese(position, move) != chinese
            position.push(move)
    assert exceptions < 10


def as_xboard(san: str, iccs: str) -> str:
    """Fairy-Stockfish's move as XBoard writes it: ranks from 0, E and H for its letters, a pawn by its file."""
    text = re.sub(r"\d+", lambda rank: str(int(rank[0]) - 1), san)
    if not text.startswith("P"):
        return {"N": "H", "B": "E"}.get(text[0], text[0]) + text[1:]
    target = text[-2:]
    if "x" in text:
        return f"{iccs[0]}x{target}"
    return target if iccs[0] == target[0] else iccs[0] + target


TWO_FILES = "5k3/9/3P5/3P1P1P1/5P3/9/9/9/9/4K4 w - - 0 1"
TWO_FILES_BLACK = "4k4/9/9/9/9/5p3/3p1p1p1/3p5/9/5K3 b - - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        (TWO_FILES, "前六平五", "d7e7"),
        (TWO_FILES, "后六平五", "d6e6"),
        (TWO_FILES, "後六平五", "d6e6"),
        (TWO_FILES, "前四进一", "f6f7"),
        (TWO_FILES, "前四進一", "f6f7"),
        (TWO_FILES, "后四平三", "f5g5"),
        (TWO_FILES, "二四平三", "f5g5"),
        (TWO_FILES, "一四平三", "f6g6"),
        (TWO_FILES_BLACK, "前４平５", "d2e2"),
        (TWO_FILES_BLACK, "后4平5", "d3e3"),
        (TWO_FILES_BLACK, "前６進１", "f3f2"),
        (TWO_FILES_BLACK, "26平7", "f4g4"),
        (PAWNS[3], "前五平六", "e7d7"),
        (PAWNS[3], "中五平六", "e6d6"),
        (PAWNS[3], "后五平六", "e5d5"),
        (PAWNS[5], "五三平四", "g5f5"),
        (PAWNS[5], "末三平四", "g5f5"),
    ],
)
def test_a_pawn_by_its_file_and_order(fen: str, text: str, move: str) -> None:
    assert read_move(Position(fen), text) == parse_move(move)


@pytest.mark.parametrize("text", ["前二平三", "中六平五", "三六平五", "前九进一", "前六平二"])
def test_a_pawn_by_a_file_that_has_none(text: str) -> None:
    with pytest.raises(NotationError, match="no legal move"):
        read_move(Position(TWO_FILES), text)


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        ("4k4/9/9/9/9/4p4/4P4/9/9/3K5 w", "xe4", "e3e4"),
        ("4k4/9/9/9/9/4p4/4P4/9/9/3K5 w", "exe4", "e3e4"),
        ("4k4/9/9/9/9/4p4/4P4/9/9/3K5 w", "Pxe4", "e3e4"),
        ("4k4/9/9/9/9/4p4/4P4/9/9/3K5 w", "e3xe4", "e3e4"),
        ("4k4/9/9/9/9/4p4/4P4/9/9/3K5 b", "xe3", "e4e3"),
        ("4k4/9/9/3Pp4/9/9/9/9/9/3K5 w", "xe6", "d6e6"),
        ("4k4/9/9/3Pp4/4P4/9/9/9/9/3K5 w", "xe6", "e5e6"),  # XBoard names the file of a pawn that goes sideways
        ("4k4/9/9/3Pp4/4P4/9/9/9/9/3K5 w", "dxe6", "d6e6"),
    ],
)
def test_pawn_captures(fen: str, text: str, move: str) -> None:
    assert read_move(Position(fen), text) == parse_move(move)


def test_two_pawns_that_can_capture_sideways() -> None:
    with pytest.raises(NotationError, match="several legal moves"):
        read_move(Position("4k4/9/9/3PpP3/9/9/9/9/9/3K5 w"), "xe6")
