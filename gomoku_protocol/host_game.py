"""The game that a manager has set up: the stones, and the points that it forbids.

Imported before the first answer is given: it must stay light. The native modules are imported when first needed.
"""

from __future__ import annotations

from gomoku_protocol.points import RENJU, PointError, parse_point, point_of
from gomoku_protocol.stones import BLACK, Stones
from search_core.failures import SetUpError, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gomoku_protocol.position import Position
    from gomoku_protocol.settings import GomokuSettings


class HostGame:
    """A game of Gomoku as its manager tells it. Methods raise SetUpError or PointError, changing nothing.

    Attributes
    ----------
    blocked : set of int
        Moves that the next searches may not begin with.
    """

    def __init__(self, settings: GomokuSettings) -> None:
        self.blocked: set[int] = set()
        self._settings = settings
        self._stones: Stones | None = None

    @property
    def begun(self) -> bool:
        """Whether there is a board."""
        return self._stones is not None

    @property
    def stones(self) -> Stones:
        """The stones on the board."""
        if self._stones is None:
            raise SetUpError("there is no board yet, expected START first")
        return self._stones

    @stones.setter
    def stones(self, stones: Stones) -> None:
        self._stones = stones

    def set_board(self, lines: Sequence[str], *, own_last: bool) -> None:
        """The stones of BOARD, with the engine to move, or of YXBOARD. Raises SetUpError."""
        width, height = self.stones.width, self.stones.height
        stones = Stones.from_board(width, height, lines, own_last)
        if len(stones) == width * height and not own_last:
            raise SetUpError("the board is full")
        self._stones = stones

    def vacant_move(self, text: str) -> int:
        """The move ``x,y``, which can be made."""
        move = self.stones.vacant_point(text, self._settings.rule)
        self.going_on()
        return move

    def place_opponent(self, text: str) -> None:
        """Make the opponent's move ``x,y``; a move must be left for us."""
        stones = self.stones
        move = self.vacant_move(text)
        if len(stones) + 1 == stones.width * stones.height:
            raise SetUpError("the board is full then")
        stones.place(move)

    def position(self) -> Position:
        """The position of the stones."""
        return self.stones.position(self._settings.rule)

    def going_on(self, stones: Stones | None = None) -> Position:
        """The position of these stones, or of those on the board, in which nobody has won."""
        position = (self.stones if stones is None else stones).position(self._settings.rule)
        if position.winner is not None:
            raise SetUpError("the game is over")
        return position

    def playable(self) -> Position:
        """The position, in which a move can be made."""
        position = self.going_on()
        if not position.legal_moves():
            raise SetUpError("there is no legal move")
        return position

    def points(self, lines: Sequence[str]) -> set[int]:
        """The moves at the points of a block."""
        points = set()
        for number, line in enumerate(lines, 1):
            with named(f"line {number}", PointError, SetUpError):
                points.add(self.stones.point_on_board(*parse_point(line)))
        return points

    def forbidden_points(self) -> list[tuple[int, int]]:
        """The points that are forbidden to Black, if it is to move."""
        rule, stones = self._settings.rule, self.stones
        if rule != RENJU or stones.side != BLACK:
            return []
        position = self.position()
        return sorted(point_of(move) for move in stones.vacant(rule) if position.is_forbidden(move))

    def excluded(self, position: Position) -> tuple[int, ...]:
        """The moves that a search may not begin with; none, if they are all that is left."""
        if not self.blocked or self.blocked.issuperset(position.legal_moves()):
            return ()
        return tuple(self.blocked)
