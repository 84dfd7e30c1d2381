"""A game in progress. Moves are text: a2b3."""

from typing import Any

from breakthrough.position import Position
from game_core.session import FIRST_WINS, SECOND_WINS, BoardSession, IllegalMove, UnknownMove, Verdict
from game_core.session_analysis import SessionAnalysis

FILES = "abcdefgh"


def square_text(square: int) -> str:
    return f"{FILES[square % 8]}{square // 8 + 1}"


def square_number(text: str) -> int:
    """Raises ValueError if it is no square."""
    if len(text) != 2 or text[0] not in FILES or text[1] not in "12345678":
        raise ValueError(f"{text!r} is no square")
    return FILES.index(text[0]) + 8 * (int(text[1]) - 1)


class BreakthroughSession(BoardSession):
    """One game, from the start position to the current one."""

    sides = ("white", "black")

    def __init__(self) -> None:
        super().__init__(Position())

    def play(self, move: str, ms: int | None = None) -> None:
        move = self.read_move(move)
        self._push(64 * square_number(move[:2]) + square_number(move[2:]), ms)

    def verdict(self) -> Verdict | None:
        return Verdict((SECOND_WINS, FIRST_WINS)[self.to_move], "breakthrough") if self._position.is_won() else None

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return {**super().view(), "pieces": {square_text(square): self.sides[side] for square, side in self.men()}}

    def men(self) -> list[tuple[int, int]]:
        """Squares and sides."""
        return [(square, side) for square in range(64) if (side := self._position.piece(square)) < 2]

    def position(self) -> Position:
        position: Position = self._position.copy()
        return position

    def move_text(self, move: int) -> str:
        return f"{square_text(move // 64)}{square_text(move % 64)}"

    def read_move(self, text: str) -> str:
        move = text.lower().replace("-", "").replace("x", "")
        try:
            square_number(move[:2]), square_number(move[2:])
        except ValueError:
            raise UnknownMove(f"{text!r} is no move") from None
        if move not in self.legal_moves():
            raise IllegalMove(f"{text!r} is not legal here")
        return move

    def move_names(self, move: str) -> dict[str, str]:
        takes = self._position.piece(square_number(move[2:])) < 2
        return {"breakthrough": f"{move[:2]}{'x' if takes else '-'}{move[2:]}"}

    def save(self, format: str, players: Any = (), event: str = "", ended: Verdict | None = None) -> bytes:
        if format != "txt":
            raise ValueError(f"a game is saved as .txt, not .{format}")
        return f"{' '.join(map(self.move_text, self._moves))}\n".encode("ascii")


ANALYSIS = SessionAnalysis(BreakthroughSession)
