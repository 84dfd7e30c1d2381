"""The moves for a report's viewer: after each ply, its pieces stand as in the game's position.

`Viewer` does what data/board.js does.
"""

from __future__ import annotations

import random
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from board_pages.drawing import BoardDrawing
from board_pages.playback import Playback
from game_core.session import DRAW
from gomoku_protocol.match_game import Gomoku
from gomoku_protocol.points import point_text
from gomoku_protocol.position import Position as GomokuPosition
from junqi_protocol.records.records import Replay
from junqi_protocol.referee.match_game import Junqi
from junqi_protocol.rules.lineup import PIECES
from match_runner.game import PlayedGame
from match_runner.openings import Opening
from ucci_engine.match_game import Xiangqi
from ucci_engine.points import START_FEN, move_text
from ucci_engine.position import Position

SANQI = str(Path(sysconfig.get_path("scripts")) / "sanqi")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
LENGTHS = {"m": 5, "k": 5, "b": 5, "p": 4, "s": 2, "o": 2}


class Viewer:
    """The pieces on a board: kinds by points."""

    def __init__(self, board: BoardDrawing, playback: Playback) -> None:
        self.kinds = board.kinds
        start = playback.start or board.start
        self.pieces = {self.point(start[at : at + 2]): DIGITS.index(start[at + 2]) for at in range(0, len(start), 3)}
        self.plies = playback.plies.split()

    @staticmethod
    def point(text: str) -> int:
        return DIGITS.index(text[0]) * 62 + DIGITS.index(text[1])

    def play(self, ply: str) -> None:
        at = 0
        while at < len(ply):
            letter, words = ply[at], ply[at + 1 : at + LENGTHS[ply[at]]]
            at += LENGTHS[letter]
            if letter == "s":
                continue
            if letter == "o":
                self.pieces = {at: kind for at, kind in self.pieces.items() if self.kinds[kind][1] != int(words)}
                continue
            one = self.point(words)
            if letter == "p":
                self.pieces[one] = DIGITS.index(words[2])
            else:
                piece = self.pieces.pop(one)
                if letter == "m":
                    self.pieces[self.point(words[2:])] = piece
                elif letter == "b":
                    del self.pieces[self.point(words[2:])]


def record(moves: list[str], start: str = "", notation: str = "") -> PlayedGame:
    return PlayedGame(("a", "b"), Opening((), 1, start), tuple(moves), DRAW, "draw", notation=notation)


@pytest.mark.parametrize("start", ["", "3k5/4a4/4b4/9/9/9/9/4C4/4N4/R3K4 b - - 0 1"])
def test_xiangqi(start: str) -> None:
    lottery = random.Random(1)
    game = Xiangqi()
    position = Position(start or START_FEN)
    moves: list[str] = []
    boards = [position.fen().split()[0]]
    while len(moves) < 200 and position.result() == "ongoing":
        move = lottery.choice(position.legal_moves())
        position.push(move)
        moves.append(move_text(move))
        boards.append(position.fen().split()[0])
    board = game.board()
    viewer = Viewer(board, game.playback(record(moves, start)))
    letters = "KABNRCPkabnrcp"

    def placement() -> str:
        rows = []
        for rank in range(9, -1, -1):
            squares = range(9 * rank, 9 * rank + 9)
            row = "".join(letters[viewer.pieces[at]] if at in viewer.pieces else "1" for at in squares)
            rows.append(re.sub("1+", lambda run: str(len(run[0])), row))
        return "/".join(rows)

    assert len(viewer.plies) == len(moves)
    assert placement() == boards[0]
    for ply, expected in zip(viewer.plies, boards[1:]):
        viewer.play(ply)
        assert placement() == expected
    assert [board.kinds[letters.index(letter)][0] for letter in "KRp"] == ["帥", "俥", "卒"]


@pytest.mark.parametrize(("width", "height"), [(15, 15), (22, 7)])
def test_gomoku(width: int, height: int) -> None:
    game = Gomoku(width, height, 0)
    position = GomokuPosition(width, height, 0)
    lottery = random.Random(2)
    moves: list[str] = []
    for _ in range(20):
        move = lottery.choice(position.legal_moves())
        position.push(move)
        moves.append(point_text(move))
    board = game.board()
    viewer = Viewer(board, game.playback(record(moves)))
    for ply in viewer.plies:
        viewer.play(ply)
    stones = {board.points[point][2]: kind for point, kind in viewer.pieces.items()}
    assert stones == {move: number % 2 for number, move in enumerate(moves)}


@pytest.mark.parametrize("variant", ["siguo", pytest.param("duel", marks=pytest.mark.long)])
def test_junqi(variant: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [SANQI, "match", "--game", "junqi", "--variant", variant, "--engine", f"name=a cmd={SANQI} option.Level=path",
         "--engine", f"name=b cmd={SANQI} option.Level=random", "--games", "2", "--movetime", "5000",
         "--max-plies", "160", "--records", "jgr"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # a command line, many words a line  # fmt: skip
    assert run.returncode == 0, run.stderr
    game = Junqi(variant, 1)
    board = game.board()
    ranks = "987654321BMF"
    for path in (tmp_path / "jgr").iterdir():
        notation = path.read_bytes()
        viewer = Viewer(board, game.playback(record([], notation=notation.decode("ascii"))))
        plies = len(Replay(notation).arbiter.happenings)
        assert len(viewer.plies) == plies
        for count, ply in enumerate(viewer.plies, 1):
            viewer.play(ply)
            if count % 40 and count < plies:
                continue
            position = Replay(notation, count).arbiter.position
            standing = {point: position.piece_at(point) for point in range(position.variant.size)}
            assert {point: piece for point, piece in standing.items() if piece is not None} == {
                point: (board.kinds[kind][1], PIECES.index(ranks[kind % 12])) for point, kind in viewer.pieces.items()
            }
