"""The board, pieces and moves of Xiangqi with the interface of python-chess, mainly for chess.engine.

Needs python-chess, which the engine process never loads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, NoReturn

import chess

from ucci_engine.extra_pieces import open_position
from ucci_engine.notation import move_to_chinese, read_move
from ucci_engine.points import CHARACTERS, START_FEN, move_text, parse_move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

ADVISOR: chess.PieceType = 7
CANNON: chess.PieceType = 8
"""Piece types that chess does not have; pawn, knight (马), bishop (相), rook (车) and king are chess's."""

_NULL_TEXT = "0000"
_SYMBOLS = {
    "P": chess.PAWN,
    "N": chess.KNIGHT,
    "B": chess.BISHOP,
    "R": chess.ROOK,
    "K": chess.KING,
    "A": ADVISOR,
    "C": CANNON,
}
_SQUARES = range(90)

_ENDINGS = {
    # The result of a position: python-chess's name, and whether the side to move has won (None: a draw).
    "mate": (chess.Termination.CHECKMATE, False),
    "stalemate": (chess.Termination.STALEMATE, False),
    "perpetual-win": (chess.Termination.VARIANT_WIN, True),
    "perpetual-loss": (chess.Termination.VARIANT_LOSS, False),
    "repetition": (chess.Termination.THREEFOLD_REPETITION, None),
    "no-capture": (chess.Termination.VARIANT_DRAW, None),
    "material": (chess.Termination.INSUFFICIENT_MATERIAL, None),
}


class XiangqiMove(chess.Move):
    """A move between two of the 90 squares, numbered as in `ucci_engine.points`; its text is UCCI's, ``h2e2``."""

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


class XiangqiPiece(chess.Piece):
    """A piece; its symbol is the letter of a FEN, upper case for Red."""

    def symbol(self) -> str:
        [symbol] = [symbol for symbol, kind in _SYMBOLS.items() if kind == self.piece_type]
        return symbol if self.color else symbol.lower()

    def unicode_symbol(self, *, invert_color: bool = False) -> str:
        """The Chinese character on the piece."""
        return CHARACTERS[self.symbol().swapcase() if invert_color else self.symbol()]

    @classmethod
    def from_symbol(cls, symbol: str) -> Self:
        """The piece of a letter. Raises ValueError."""
        if symbol.upper() not in _SYMBOLS:
            raise ValueError(f"{symbol!r} is no piece of Xiangqi")
        return cls(_SYMBOLS[symbol.upper()], symbol.isupper())

    def __repr__(self) -> str:
        return f"{type(self).__name__}.from_symbol({self.symbol()!r})"

    def _repr_svg_(self) -> None:  # type: ignore[override]  # notebooks show the text then
        return None


class XiangqiBoard(chess.Board):
    """A Xiangqi position with the moves that led to it; Red is chess.WHITE, a square is ``rank * 9 + file``.

    Methods of chess.Board that need its 64 squares or chess's own rules (bitboards, castling, EPD, setting up piece by
    piece) raise NotImplementedError. Raises FenError for an invalid FEN.
    """

    aliases: ClassVar[list[str]] = ["Xiangqi", "Chinese chess"]
    uci_variant: ClassVar[str | None] = "xiangqi"
    xboard_variant: ClassVar[str | None] = "xiangqi"
    starting_fen: ClassVar[str] = START_FEN
    tbw_suffix = tbz_suffix = tbw_magic = tbz_magic = None
    chess960 = False

    def __init__(self, fen: str = START_FEN) -> None:
        # chess.Board's own __init__ would set up 8x8 bitboards, which give wrong answers.
        self.set_fen(fen)

    def set_fen(self, fen: str) -> None:
        self._position = open_position(fen)
        self._root_fen = self._position.fen()
        self.move_stack: list[chess.Move] = []

    def fen(self, **_: object) -> str:
        """The position in the standard spelling; chess.Board's keywords mean nothing here."""
        return self._position.fen()

    def board_fen(self, **_: object) -> str:
        """The first part of the FEN."""
        return self.fen().split()[0]

    @property
    def turn(self) -> chess.Color:  # type: ignore[override]  # python-chess lets it be assigned
        return self._position.side == 0

    @property
    def halfmove_clock(self) -> int:  # type: ignore[override]
        """Plies since the last capture."""
        return int(self.fen().split()[4])

    @property
    def fullmove_number(self) -> int:  # type: ignore[override]
        return int(self.fen().split()[5])

    def piece_at(self, square: chess.Square) -> XiangqiPiece | None:
        """The piece on a square from 0 to 89, None if it is empty. Raises ValueError for another number."""
        symbol = self._position.piece_at(square)
        return XiangqiPiece.from_symbol(symbol) if symbol else None

    def piece_type_at(self, square: chess.Square) -> chess.PieceType | None:
        piece = self.piece_at(square)
        return None if piece is None else piece.piece_type

    def color_at(self, square: chess.Square) -> chess.Color | None:
        piece = self.piece_at(square)
        return None if piece is None else piece.color

    def piece_map(self, **_: object) -> dict[chess.Square, chess.Piece]:
        """All pieces by their squares."""
        return {square: piece for square in _SQUARES if (piece := self.piece_at(square)) is not None}

    def pieces(self, piece_type: chess.PieceType, color: chess.Color) -> frozenset[chess.Square]:  # type: ignore[override]
        """The squares of a side's pieces of a type; no SquareSet, which has 64 squares."""
        wanted = XiangqiPiece(piece_type, color)
        return frozenset(square for square in _SQUARES if self.piece_at(square) == wanted)

    def king(self, color: chess.Color) -> chess.Square:
        """The square of a side's king, which is always on the board."""
        [square] = [square for square in _SQUARES if self._position.piece_at(square) == ("K" if color else "k")]
        return square

    def reset(self) -> None:
        """Set up the start position."""
        self.set_fen(self.starting_fen)

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

    def mirror(self) -> Self:
        """The position with the sides exchanged and the ranks turned round, without its moves."""
        placement, turn, *counters = self.fen().split()
        rows = reversed(placement.swapcase().split("/"))
        return type(self)(" ".join(["/".join(rows), "b" if turn == "w" else "w", *counters]))

    def is_repetition(self, count: int = 3) -> bool:
        """Whether the position has occurred `count` times in the game. What that means is for outcome() to say."""
        earlier = self._position.copy()
        occurrences = 1
        for _ in self.move_stack:
            earlier.pop()
            occurrences += earlier.key == self._position.key
        return occurrences >= count

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

    def parse_san(self, san: str) -> XiangqiMove:
        """The legal move that 炮二平五, C2.5, Che2 or h2e2 names. Raises NotationError, a ValueError."""
        return XiangqiMove.from_code(read_move(self._position, san))

    def san_and_push(self, move: chess.Move) -> str:
        san = self.san(move)
        self.push(move)
        return san

    def generate_legal_moves(self) -> Iterator[XiangqiMove]:  # type: ignore[override]  # no 64-bit masks
        return map(XiangqiMove.from_code, self._position.legal_moves())

    def is_legal(self, move: chess.Move) -> bool:
        return self._position.is_legal(_code(move))

    def generate_legal_captures(self) -> Iterator[XiangqiMove]:  # type: ignore[override]  # no 64-bit masks
        return filter(self.is_capture, self.generate_legal_moves())

    def is_capture(self, move: chess.Move) -> bool:
        return self._position.piece_at(move.to_square) != ""

    def is_zeroing(self, move: chess.Move) -> bool:
        """Whether the move sets the half-move clock to 0: only a capture does."""
        return self.is_capture(move)

    def is_check(self) -> bool:
        return self._position.checked

    def gives_check(self, move: chess.Move) -> bool:
        """Whether a legal move checks the opponent. Raises IllegalMove."""
        self.push(move)
        try:
            return self.is_check()
        finally:
            self.pop()

    def is_variant_end(self) -> bool:
        """Whether the game ended by a rule that chess lacks: perpetual check or chase, 120 plies without a capture, or
        too little material."""
        return self.is_variant_win() or self.is_variant_loss() or self.is_variant_draw()

    def is_variant_win(self) -> bool:
        return self._position.result() == "perpetual-win"

    def is_variant_loss(self) -> bool:
        return self._position.result() == "perpetual-loss"

    def is_variant_draw(self) -> bool:
        return self._position.result() in ("no-capture", "material")

    def can_claim_draw(self) -> bool:
        """False: every draw ends the game by itself."""
        return False

    def status(self) -> chess.Status:
        """chess.STATUS_VALID: no other position can be set up."""
        return chess.STATUS_VALID

    def outcome(self, *, claim_draw: bool = False) -> chess.Outcome | None:
        """How the game has ended, None if it goes on. A draw needs no claim."""
        result = self._position.result()
        if result == "ongoing":
            return None
        termination, won = _ENDINGS[result]
        return chess.Outcome(termination, None if won is None else self.turn == won)

    def __eq__(self, other: object) -> bool:
        return self.fen() == other.fen() if isinstance(other, XiangqiBoard) else NotImplemented

    def __str__(self) -> str:
        return str(self._position)

    def _repr_svg_(self) -> str:
        return self._position._repr_svg_()


_INHERITED = {
    "is_checkmate",
    "is_game_over",
    "is_stalemate",
    "is_valid",
    "legal_moves",
    "parse_xboard",
    "peek",
    "ply",
    "push_san",
    "push_xboard",
    "result",
    "variation_san",
    "xboard",
}
"""Methods of chess.Board that are right here, because they only call methods that are right."""


def _refused(name: str) -> Callable[..., NoReturn]:
    def method(*_: object, **__: object) -> NoReturn:
        raise NotImplementedError(f"XiangqiBoard has no {name}(): it is for the 64 squares and the rules of chess")

    return method


def _refuse_the_rest() -> None:
    """Replace all other methods of chess.Board: they would fail inside, or answer for an empty 8x8 board."""
    for name in set(dir(chess.Board)) - set(vars(XiangqiBoard)) - _INHERITED:
        inherited = getattr(chess.Board, name)
        if name.startswith("_"):
            continue
        if isinstance(inherited, property):
            setattr(XiangqiBoard, name, property(_refused(name)))
        elif callable(inherited):
            setattr(XiangqiBoard, name, _refused(name))


_refuse_the_rest()


def _code(move: chess.Move) -> int:
    if not isinstance(move, XiangqiMove):
        raise TypeError(f"expected a XiangqiMove, got {move!r}: squares of the 8x8 board have other numbers")
    return move.code
