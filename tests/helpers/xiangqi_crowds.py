"""Random Xiangqi positions with any number of pieces of each kind."""

from __future__ import annotations

import random

_LETTERS = "KABNRCP"


def may_stand(letter: str, square: int) -> bool:
    """Whether the piece of FEN's letter can ever stand on a square, counted from Red's left corner."""
    if letter.islower():
        square = 89 - square
    rank, file = divmod(square, 9)
    kind = letter.upper()
    if kind == "K":
        return rank <= 2 and 3 <= file <= 5
    if kind == "A":
        return (file, rank) in {(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)}
    if kind == "B":
        return (file, rank) in {(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)}
    if kind == "P":
        return rank > 4 or (rank > 2 and file in (0, 2, 4, 6, 8))
    return True


def random_fen(chance: random.Random) -> str:
    """Up to 16 pieces a side, of one kind, two or all; the side to move may be able to take the king."""
    board: dict[int, str] = {}
    for to_side in (str.upper, str.lower):
        letters = chance.sample(_LETTERS[1:], chance.choice((1, 2, 6)))
        for letter in ["K", *chance.choices(letters, k=chance.randint(1, 15))]:
            piece = to_side(letter)
            squares = [square for square in range(90) if square not in board and may_stand(piece, square)]
            if squares:
                board[chance.choice(squares)] = piece
    rows = ["".join(board.get(rank * 9 + file, ".") for file in range(9)) for rank in range(9, -1, -1)]
    text = "/".join(rows)
    for blanks in range(9, 0, -1):
        text = text.replace("." * blanks, str(blanks))
    return f"{text} {chance.choice('wb')} - - 0 1"
