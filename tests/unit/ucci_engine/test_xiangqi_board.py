"""The board of Xiangqi with the interface of python-chess: notations, pieces, and refused methods of chess.Board."""

from __future__ import annotations

import random
import re
from pathlib import Path
from xml.etree import ElementTree

import chess
import pytest

from ucci_engine.points import START_FEN, parse_move
from ucci_engine.position import Position
from ucci_engine.xiangqi_board import CANNON, XiangqiBoard, XiangqiMove, XiangqiPiece

PAGE = Path(__file__).resolve().parents[3] / "docs" / "ucci-client.md"
ROOK = "3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 0 1"
MATED = "3k5/3R5/9/9/9/9/9/9/9/3RK4 b - - 0 1"


def after(*moves: str) -> XiangqiBoard:
    board = XiangqiBoard()
    for move in moves:
        board.push_uci(move)
    return board


def test_moves_are_read_as_san_writes_them() -> None:
    chance = random.Random(21)
    for _ in range(2):
        board = XiangqiBoard()
        while not board.is_game_over() and board.ply() < 60:
            for move in chance.sample(list(board.legal_moves), k=min(5, board.legal_moves.count())):
                assert board.parse_san(board.san(move)) == move
            board.push_san(board.san(chance.choice(list(board.legal_moves))))
        moves = XiangqiBoard().variation_san(board.move_stack)
        again = XiangqiBoard()
        for word in moves.split():
            if not word.endswith("."):
                again.push_san(word)
        assert again == board


@pytest.mark.parametrize("text", ["炮二平五", "炮２平５", "C2.5", "c2=5", "Che2", "h2e2", "H2-E2", "ｈ２ｅ２"])
def test_notations_of_a_move(text: str) -> None:
    board = XiangqiBoard()
    assert board.push_san(text) == XiangqiMove.from_uci("h2e2")
    assert board.piece_at(22) == XiangqiPiece.from_symbol("C")


@pytest.mark.parametrize("text", ["", "炮二平三十", "马二平三", "h2h8", "C2+9", "Ce5", "O-O", "Nf3", "\0", "x" * 5000])
def test_bad_moves_change_nothing(text: str) -> None:
    board = XiangqiBoard()
    with pytest.raises(ValueError) as error:
        board.push_san(text)
    assert str(error.value)
    assert (board.fen(), board.move_stack) == (START_FEN, [])


def test_pieces_of_every_square() -> None:
    board, position = after("h2e2", "h9g7"), Position()
    position.push(parse_move("h2e2"))
    position.push(parse_move("h9g7"))
    for square in range(90):
        piece, letter = board.piece_at(square), position.piece_at(square)
        assert ("" if piece is None else piece.symbol()) == letter
        assert board.piece_type_at(square) == (piece and piece.piece_type)
        assert board.color_at(square) == (letter.isupper() if letter else None)
        assert board.piece_map().get(square) == piece
    assert len(board.piece_map()) == 32
    assert board.pieces(CANNON, chess.WHITE) == {19, 22}
    assert {square for square in range(90) if board.piece_at(square)} == {
        square for kind in range(1, 9) for color in chess.COLORS for square in board.pieces(kind, color)
    }
    assert (board.king(chess.WHITE), board.king(chess.BLACK)) == (4, 85)
    cannon = board.piece_at(22)
    assert cannon is not None
    assert (cannon.piece_type, cannon.color, cannon.unicode_symbol()) == (CANNON, chess.WHITE, "炮")
    assert repr(cannon) == "XiangqiPiece.from_symbol('C')"
    with pytest.raises(ValueError, match="'q' is no piece"):
        XiangqiPiece.from_symbol("q")


def test_counters_checks_and_captures() -> None:
    board = after("h2e2", "h9g7", "e2e6")
    assert (board.halfmove_clock, board.fullmove_number, board.ply()) == (0, 2, 3)
    assert board.board_fen() == board.fen().split()[0]
    rook = XiangqiBoard(ROOK)
    assert not rook.gives_check(XiangqiMove.from_uci("e1e2"))
    assert rook.gives_check(XiangqiMove.from_uci("e1d1"))
    assert rook.fen() == ROOK
    assert rook.push_uci("e1d1") and rook.is_check()
    assert sorted(map(str, XiangqiBoard().generate_legal_captures())) == ["b2b9", "h2h9"]
    board.reset()
    assert (board.fen(), board.move_stack) == (START_FEN, [])
    assert XiangqiBoard().is_valid()


def test_mirror_exchanges_the_sides() -> None:
    board = after("h2e2")
    mirrored = board.mirror()
    assert mirrored.fen() == "rnbakabnr/9/1c2c4/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 1 1"
    assert mirrored.move_stack == [] and mirrored.mirror() == board and board.turn == chess.BLACK


def test_repetitions_are_counted() -> None:
    board = after(*("h2e2", "h9g7", "e2h2", "g7h9") * 2)
    assert board.is_repetition() and board.is_repetition(2) and not board.is_repetition(4)
    assert not after("h2e2").is_repetition(2)
    assert board.ply() == 8


def test_notebooks_show_a_drawing() -> None:
    drawing = ElementTree.fromstring(after("h2e2")._repr_svg_())
    characters = [node.text for node in drawing.iter() if node.tag.endswith("text")]
    assert (characters.count("炮"), characters.count("砲"), characters.count("兵")) == (2, 2, 5)


def test_ends_that_chess_does_not_have() -> None:
    quiet = XiangqiBoard("3k5/9/9/9/9/9/9/9/9/4K4 w - - 120 80")
    assert quiet.is_variant_end() and quiet.is_variant_draw()
    assert not (quiet.is_variant_win() or quiet.is_variant_loss() or quiet.is_stalemate())
    assert XiangqiBoard(MATED).is_checkmate()
    assert not XiangqiBoard(MATED).is_variant_end()
    perpetual = XiangqiBoard(ROOK)
    while not perpetual.is_game_over():
        for move in ("e1d1", "d9e9", "d1e1", "e9d9"):
            if not perpetual.is_game_over():
                perpetual.push_uci(move)
    assert perpetual.is_variant_end()
    assert perpetual.is_variant_loss() == (perpetual.turn == chess.WHITE)
    assert perpetual.result() == "0-1"


def test_every_method_of_python_chess_is_right_or_refused() -> None:
    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index("## The methods of XiangqiBoard") : page.index("Every other method")]
    documented = set(re.findall(r"`(\w+)(?:\(\))?`", table)) - {"python"}
    board = XiangqiBoard()
    refused = set()
    for name in dir(chess.Board):
        inherited = getattr(chess.Board, name)
        if name.startswith("_") or not (callable(inherited) or isinstance(inherited, property)):
            continue
        try:
            attribute = getattr(board, name)
            if callable(attribute):
                attribute()
        except NotImplementedError as error:
            assert str(error).startswith(f"XiangqiBoard has no {name}()")
            refused.add(name)
        except (TypeError, IndexError):
            pass  # arguments are missing, or there is no move
    assert refused.isdisjoint(documented)
    have = {name for name in dir(chess.Board) if not name.startswith("_") and callable(getattr(XiangqiBoard, name))}
    assert have - refused <= documented | {"chess960"}
    with pytest.raises(NotImplementedError, match="empty"):
        XiangqiBoard.empty()
