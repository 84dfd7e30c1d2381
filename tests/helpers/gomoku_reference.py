"""A slow and plain second implementation of the rules of Gomoku, to compare the engine's tables and bits with.

Stones are a dictionary from points to what lies there. Every definition is
tested by placing the stones that it names; there are no pattern tables.

Sources: the International Rules of Renju (RIF, https://www.renju.net/rifrules/), sections 3 and 9; for caro the
referees of Gomocup, GomocupJudge `client/ai_match.py` (`make_move`, commit c11ec6a) and Piskvork `source/game.cpp`
(commit 2c32965). Both count an end as closed only where a stone of the opponent stands: the board's edge does not
close it, and in Piskvork, the only one of them that has blocked points, neither does a blocked point.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gomoku_protocol.points import CARO, CARO_EXACT, FREESTYLE, RENJU, STANDARD

BLACK, WHITE, BLOCKED = 0, 1, 2
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
OVERLINE, DOUBLE_FOUR, DOUBLE_THREE = "overline", "double-four", "double-three"

Point = tuple[int, int]


@dataclass
class Board:
    """Stones and blocked points on a board; x from the left, y from the top, from 0."""

    width: int
    height: int
    rule: int
    content: dict[Point, int] = field(default_factory=dict)

    def empty(self, point: Point) -> bool:
        x, y = point
        return 0 <= x < self.width and 0 <= y < self.height and point not in self.content

    def empty_points(self) -> list[Point]:
        return [(x, y) for y in range(self.height) for x in range(self.width) if (x, y) not in self.content]


def run_through(board: Board, point: Point, direction: Point) -> list[Point]:
    """The unbroken row of stones of one colour that a stone belongs to, in order."""
    colour = board.content[point]
    dx, dy = direction
    x, y = point
    while board.content.get((x - dx, y - dy)) == colour:
        x, y = x - dx, y - dy
    row = []
    while board.content.get((x, y)) == colour:
        row.append((x, y))
        x, y = x + dx, y + dy
    return row


def beside(row: list[Point], direction: Point) -> tuple[Point, Point]:
    """The two points next to the ends of a row."""
    dx, dy = direction
    return (row[0][0] - dx, row[0][1] - dy), (row[-1][0] + dx, row[-1][1] + dy)


def wins(board: Board, point: Point) -> bool:
    """Whether a row through the stone on the point wins for its owner."""
    colour = board.content[point]
    for direction in DIRECTIONS:
        row = run_through(board, point, direction)
        if len(row) < 5:
            continue
        closed = all(board.content.get(end) == 1 - colour for end in beside(row, direction))
        exactly = len(row) == 5
        if (
            board.rule == FREESTYLE
            or (board.rule == STANDARD and exactly)
            or (board.rule == RENJU and (exactly or colour == WHITE))
            or (board.rule == CARO and not (exactly and closed))
            or (board.rule == CARO_EXACT and exactly and not closed)
        ):
            return True
    return False


def winners(board: Board) -> set[int]:
    """Who has a winning row anywhere on the board."""
    return {content for point, content in board.content.items() if content != BLOCKED and wins(board, point)}


def line_around(board: Board, point: Point, direction: Point, reach: int) -> list[Point]:
    """The empty points of a line at most `reach` away."""
    dx, dy = direction
    around = [(point[0] + k * dx, point[1] + k * dy) for k in range(-reach, reach + 1)]
    return [other for other in around if board.empty(other)]


def fours(board: Board, point: Point, direction: Point) -> int:
    """How many fours the black stone on the point belongs to in a direction.

    A four is four stones to which one more makes five in a row. A straight four is one four with two
    such points.
    """
    found = set()
    for completing in line_around(board, point, direction, 4):
        board.content[completing] = BLACK
        row = run_through(board, completing, direction)
        if len(row) == 5 and point in row:
            found.add(frozenset(row) - {completing})
        del board.content[completing]
    return len(found)


def is_straight_four(board: Board, row: list[Point], direction: Point) -> bool:
    """Whether a row is an unbroken four that can become five in a row in two ways."""
    if len(row) != 4:
        return False
    for end in beside(row, direction):
        if not board.empty(end):
            return False
        board.content[end] = BLACK
        length = len(run_through(board, end, direction))
        del board.content[end]
        if length != 5:
            return False
    return True


def has_three(board: Board, point: Point, direction: Point) -> bool:
    """Whether the black stone on the point belongs to a three in a direction.

    A three can be made a straight four by one more stone that makes no five at
    the same time (section 3) and is not itself forbidden (section 9.3).
    """
    for extending in line_around(board, point, direction, 3):
        board.content[extending] = BLACK
        row = run_through(board, extending, direction)
        is_three = point in row and is_straight_four(board, row, direction) and not wins(board, extending)
        del board.content[extending]
        if is_three and foul(board, extending) is None:
            return True
    return False


def foul(board: Board, point: Point) -> str | None:
    """The foul that Black would make on an empty point in renju, or None. If there are several, the gravest."""
    board.content[point] = BLACK
    try:
        if wins(board, point):
            return None
        if any(len(run_through(board, point, direction)) > 5 for direction in DIRECTIONS):
            return OVERLINE
        if sum(fours(board, point, direction) for direction in DIRECTIONS) >= 2:
            return DOUBLE_FOUR
        if sum(has_three(board, point, direction) for direction in DIRECTIONS) >= 2:
            return DOUBLE_THREE
        return None
    finally:
        del board.content[point]
