"""Random small positions of Xiangqi and cycles of four plies, for comparisons of judges of repetition."""

from __future__ import annotations

import random

from tests.helpers.xiangqi_repetition_reference import (
    Board,
    Piece,
    Square,
    checkers,
    is_legal,
    legal_moves,
    played,
    reached,
    read_move,
)

Move = tuple[Square, Square]

PIECES = "RRNNCCPPPAABBrrnnccpppaabb"


def board_text(board: Board, red: bool) -> str:
    """The position as a FEN."""
    ranks = []
    for y in range(9, -1, -1):
        rank = "".join(board[x, y].letter if (x, y) in board else "1" for x in range(9))
        for empty in range(9, 1, -1):
            rank = rank.replace("1" * empty, str(empty))
        ranks.append(rank)
    return f"{'/'.join(ranks)} {'w' if red else 'b'} - - 0 1"


def can_stand(letter: str, square: Square) -> bool:
    """Whether a piece of this kind and colour can ever come to the point."""
    red, kind = letter.isupper(), letter.lower()
    x, y = square[0], square[1] if red else 9 - square[1]
    if kind == "k":
        return 3 <= x <= 5 and y <= 2
    if kind == "a":
        return (x, y) in {(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)}
    if kind == "b":
        return (x, y) in {(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)}
    if kind == "p":
        return y >= 5 or (y >= 3 and x % 2 == 0)
    return True


def random_board(chance: random.Random) -> Board:
    """A legal position with Red to move and four to eight pieces."""
    while True:
        board: Board = {}
        for number, letter in enumerate(["K", "k", *chance.sample(PIECES, chance.randint(2, 6))]):
            squares = [(x, y) for x in range(9) for y in range(10) if (x, y) not in board and can_stand(letter, (x, y))]
            board[chance.choice(squares)] = Piece(letter, number)
        if not checkers(board, False):
            return board


def move_text(move: Move) -> str:
    """The move such as "h2e2"."""
    return "".join(f"{'abcdefghi'[x]}{y}" for x, y in move)


def random_cycle(chance: random.Random) -> tuple[Board, list[str]]:
    """A position and four plies that lead back to it: two moves, and the same two back."""
    while True:
        board = random_board(chance)
        there: list[Move] = []
        now = board
        for ply in range(4):
            back = [(there[-2][1], there[-2][0])] if ply >= 2 else list(legal_moves(now, ply % 2 == 0))
            moves = [move for move in back if move[1] not in now and is_legal(now, *move)]
            if not moves:
                break
            there.append(chance.choice(moves))
            now = played(now, *there[-1])
        else:
            return board, [move_text(move) for move in there]


def for_pyffish(move: str) -> str:
    """The move with ranks counted from 1."""
    return f"{move[0]}{int(move[1]) + 1}{move[2]}{int(move[3]) + 1}"


def within_reach(board: Board, red: bool) -> set[tuple[int, int]]:
    """The numbers of this side's pieces and of enemy pieces that they could capture, kings left out."""
    return {
        (piece.number, board[target].number)
        for origin, piece in board.items()
        if piece.red == red and piece.kind != "k"
        for target in reached(board, origin)
        if target in board and board[target].red != red and board[target].kind != "k"
    }


def random_chase(chance: random.Random) -> tuple[Board, list[str]]:
    """A cycle in which each move of one side brings an enemy piece within reach; not all of them are chases."""
    while True:
        start, cycle = random_cycle(chance)
        boards = [start]
        for text in cycle:
            boards.append(played(boards[-1], *read_move(text)))
        for first in (0, 1):
            red = first == 0
            if all(within_reach(boards[i + 1], red) - within_reach(boards[i], red) for i in (first, first + 2)):
                return start, cycle
