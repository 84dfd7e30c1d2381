"""The stones on the board, as the host described them. Knows no rule except whose turn it is.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gomoku_protocol.points import RENJU, PointError, move_at, parse_numbers, parse_point, point_text
from search_core.failures import SetUpError, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gomoku_protocol.position import Position

BLACK, WHITE = 0, 1
_OWN, _OPPONENT, _BLOCKED = 1, 2, 3  # the third number of a line of BOARD


class Stones:
    """Stones of both colours, and points that are blocked.

    In renju a blocked point only marks a point forbidden to Black. The rules
    find these by themselves, and White may play there.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._colours: dict[int, int] = {}
        self._blocked: set[int] = set()
        self._surplus = 0  # black stones minus white ones when Black is to move

    @classmethod
    def from_board(cls, width: int, height: int, lines: Sequence[str], own_last: bool) -> Stones:
        """The stones that the lines ``x,y,field`` of BOARD describe, with the engine to move.

        The counts show who was first: the opponent if it has one stone more,
        else the engine. If the engine has one stone more, the opponent has
        passed: then the owner of the first stone listed was first. With
        `own_last`, one own stone more means that it is the opponent's turn.
        If points are blocked, any counts are accepted: a won line may have been
        taken out of play. Raises SetUpError, naming the line.
        """
        own: list[int] = []
        other: list[int] = []
        stones = cls(width, height)
        taken: set[int] = set()
        other_first = False
        for number, line in enumerate(lines, 1):
            with named(f"line {number}", PointError, SetUpError):
                x, y, field = parse_numbers(line, 3)
                move = stones.point_on_board(x, y)
                if move in taken:
                    raise PointError(f"{x},{y} is listed twice")
                if field not in (_OWN, _OPPONENT, _BLOCKED):
                    raise PointError(f"{x},{y} has field {field}, expected 1, 2 or 3")
            taken.add(move)
            if field == _OPPONENT and not own:
                other_first = True
            {_OWN: own.append, _OPPONENT: other.append, _BLOCKED: stones._blocked.add}[field](move)
        ahead = len(own) - len(other)
        passed = ahead == 1 and not own_last
        regular = -1 <= ahead <= 1 and not passed
        if not regular and not passed and not stones._blocked:
            raise SetUpError(
                f"{len(own)} own stones and {len(other)} of the opponent's, expected equal counts or one more of either"
            )
        own_white = other_first if passed else ahead < 0
        black, white = (other, own) if own_white else (own, other)
        stones._colours = dict.fromkeys(black, BLACK) | dict.fromkeys(white, WHITE)
        if not regular:
            stones._surplus = len(black) - len(white) - own_white
        return stones

    @classmethod
    def from_moves(cls, width: int, height: int, lines: Sequence[str]) -> Stones:
        """The position after the moves ``x,y``. Raises SetUpError, naming the line."""
        stones = cls(width, height)
        for number, line in enumerate(lines, 1):
            with named(f"line {number}", PointError, SetUpError):
                stones.place(stones.vacant_point(line, 0))
        return stones

    def __len__(self) -> int:
        return len(self._colours)

    @property
    def side(self) -> int:
        """Who is to move, BLACK or WHITE."""
        white = sum(self._colours.values())
        return BLACK if len(self._colours) - 2 * white <= self._surplus else WHITE

    def point_on_board(self, x: int, y: int) -> int:
        """The move at a point. Raises PointError off the board."""
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise PointError(f"{x},{y} is not on the {self.width}x{self.height} board")
        return move_at(x, y)

    def vacant_point(self, text: str, rule: int) -> int:
        """The move that ``x,y`` names. Raises PointError if it is no point, off the board or taken."""
        move = self.point_on_board(*parse_point(text))
        if move in self._colours:
            raise PointError(f"{point_text(move)} is taken")
        if move in self._blocked and rule != RENJU:
            raise PointError(f"{point_text(move)} is blocked")
        return move

    def place(self, move: int) -> None:
        """Put a stone of the side to move on a vacant point."""
        self._blocked.discard(move)
        self._colours[move] = self.side

    def take_back(self, text: str) -> None:
        """Remove the stone at ``x,y``. Raises PointError if there is none."""
        move = self.point_on_board(*parse_point(text))
        if move not in self._colours:
            raise PointError(f"{point_text(move)} has no stone")
        del self._colours[move]

    def vacant(self, rule: int) -> Iterator[int]:
        """The points without a stone that are not blocked, the nearest to the middle first."""
        points = [(x, y) for y in range(self.height) for x in range(self.width)]
        points.sort(key=lambda point: abs(2 * point[0] - self.width + 1) + abs(2 * point[1] - self.height + 1))
        for x, y in points:
            move = move_at(x, y)
            if move not in self._colours and (rule == RENJU or move not in self._blocked):
                yield move

    def copy(self) -> Stones:
        """An independent copy."""
        stones = Stones(self.width, self.height)
        stones._colours = dict(self._colours)
        stones._blocked = set(self._blocked)
        stones._surplus = self._surplus
        return stones

    def position(self, rule: int) -> Position:
        """The engine's position. Loads the native modules."""
        from gomoku_protocol.position import Position

        position = Position(self.width, self.height, rule)
        black = [move for move, colour in self._colours.items() if colour == BLACK]
        white = [move for move, colour in self._colours.items() if colour == WHITE]
        position.set_up(black, white, () if rule == RENJU else self._blocked, self.side)
        return position
