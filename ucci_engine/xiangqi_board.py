"""The board and the moves of Xiangqi, for whoever expects those of python-chess: chess.engine above all.

Needs python-chess, which the engine process never loads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import chess

from ucci_engine.chinese_notation import move_to_chinese
from ucci_engine.display import board_lines
from ucci_engine.position import Position
from ucci_engine.squares import START_FEN, move_text, parse_move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

_NULL_TEXT = "0000"

_ENDINGS = {
    # The result of a position: how python-chess names it, and whether the side to move has won, if either has.
    "mate": (chess.Termination.CHECKMATE, False),
    "stalemate": (chess.Termination.STALEMATE, False),
    "perpetual-win": (chess.Termination.VARIANT_WIN, True),
    "perpetual-loss": (chess.Termination.VARIANT_LOSS, False),
    "repetition": (chess.Termination.THREEFOLD_REPETITION, None),
    "no-capture": (chess.Termination.VARIANT_DRAW, None),
}


class XiangqiMove(chess.Move):
    """A move between two of the 90 squares, numbered as in `ucci_engine.squares`; its text is UCCI's, ``h2e2``."""

    @classmethod
    def from_code(cls, code: int) -> Self:
        """The move that `ucci_engine` writes as the number `code`."""
        return cls(code & 127, code >> 7)

    @classmethod
    def from_uci(cls, uci: str) -> Self:
        """The move that the text writes, ranks counted 0-9; ``0000`` is the null move. Raises MoveTextError."""
        return cls.null() if uci == _NULL_TEXT else cls.from_code(parse_move(uci))

    @classmethod
    def null(cls) -> Self:
        return cls(0, 0)

    @property
    def code(self) -> int:
        """The move as `ucci_engine` numbers it, 0 for the null move."""
        return self.from_square | self.to_square << 7

    def uci(self) -> str:
        return move_text(self.code) if self else _NULL_TEXT

    def __repr__(self) -> str:
        return f"{type(self).__name__}.from_uci({self.uci()!r})"


class XiangqiBoard(chess.Board):
    """A Xiangqi position with the moves that led to it; Red is chess.WHITE.

    What needs 64 squares (`piece_at`, bitboards, castling) has no data here: it raises AttributeError.
    Raises FenError for a FEN that is none.
    """

    uci_variant: ClassVar[str | None] = "xiangqi"
    starting_fen: ClassVar[str] = START_FEN
    chess960 = False

    def __init__(self, fen: str = START_FEN) -> None:
        # chess.Board's own __init__ would set up 8x8 bitboards, and wrong answers with them.
        self.set_fen(fen)

    def set_fen(self, fen: str) -> None:
        self._position = Position(fen)
        self._root_fen = self._position.fen()
        self.move_stack: list[chess.Move] = []

    def fen(self, **_: object) -> str:
        """The position in the standard spelling; chess.Board's keywords mean nothing here."""
        return self._position.fen()

    @property
    def turn(self) -> chess.Color:  # type: ignore[override]  # python-chess lets it be assigned
        return self._position.side == 0

    def root(self) -> Self:
        return type(self)(self._root_fen)

    def copy(self, *, stack: bool | int = True) -> Self:
        """A copy with the whole move stack, with its last `stack` moves, or with none."""
        start = self._position.copy()
        kept = len(self.move_stack) if stack is True else min(int(stack), len(self.move_stack))
        for _ in range(kept):
            start.pop()
        board = type(self)(start.fen())
        for move in self.move_stack[len(self.move_stack) - kept :]:
            board.push(move)
        return board

    def clear_stack(self) -> None:
        self.set_fen(self.fen())

    def push(self, move: chess.Move) -> None:
        """Play a move. Raises IllegalMove, also for the null move, which Xiangqi does not have."""
        self._position.push(_code(move))
        self.move_stack.append(move)

    def pop(self) -> chess.Move:
        move = self.move_stack.pop()
        self._position.pop()
        return move

    def parse_uci(self, uci: str) -> XiangqiMove:
        """The legal move, or the null move, that the text writes. Raises MoveTextError or chess.IllegalMoveError."""
        move = XiangqiMove.from_uci(uci)
        if move and not self.is_legal(move):
            raise chess.IllegalMoveError(f"illegal move {uci} in {self.fen()}")
        return move

    def push_uci(self, uci: str) -> XiangqiMove:
        move = self.parse_uci(uci)
        self.push(move)
        return move

    def uci(self, move: chess.Move, *, chess960: bool | None = None) -> str:
        return move.uci()

    def san(self, move: chess.Move) -> str:
        """A legal move in Chinese notation, 炮二平五. Raises NotationError if it is not legal."""
        return move_to_chinese(self._position, _code(move))

    def generate_legal_moves(self) -> Iterator[XiangqiMove]:  # type: ignore[override]  # no 64-bit masks
        return map(XiangqiMove.from_code, self._position.legal_moves())

    def is_legal(self, move: chess.Move) -> bool:
        return self._position.is_legal(_code(move))

    def is_capture(self, move: chess.Move) -> bool:
        return self._position.piece_at(move.to_square) != ""

    def is_check(self) -> bool:
        return self._position.checked

    def outcome(self, *, claim_draw: bool = False) -> chess.Outcome | None:
        """How the game has ended, None if it goes on. Every draw is one without a claim."""
        result = self._position.result()
        if result == "ongoing":
            return None
        termination, won = _ENDINGS[result]
        return chess.Outcome(termination, None if won is None else self.turn == won)

    def __eq__(self, other: object) -> bool:
        return self.fen() == other.fen() if isinstance(other, XiangqiBoard) else NotImplemented

    def __str__(self) -> str:
        return "\n".join(board_lines(self._position))


def _code(move: chess.Move) -> int:
    if not isinstance(move, XiangqiMove):
        raise TypeError(f"expected a XiangqiMove, got {move!r}: squares of the 8x8 board have other numbers")
    return move.code
