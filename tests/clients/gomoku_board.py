"""The least that a referee needs of a Gomoku game: taken points, five in a row."""

from __future__ import annotations

Point = tuple[int, int]


class PlainBoard:
    """A square board under one of the Gomocup protocol's rules. Black's fouls in renju are not looked at."""

    def __init__(self, size: int, rule: int) -> None:
        self.size = size
        self.rule = rule
        self.points: list[Point] = []
        self.winner: int | None = None

    @property
    def count(self) -> int:
        """How many stones there are."""
        return len(self.points)

    @property
    def full(self) -> bool:
        """Whether no point is left."""
        return self.count == self.size**2

    def play(self, point: Point) -> None:
        """The next stone. Raises AssertionError for a point that is off the board or taken."""
        assert all(0 <= coordinate < self.size for coordinate in point), f"{point} is off the board"
        assert point not in self.points, f"{point} is taken"
        self.points.append(point)
        if any(self._wins(point, dx, dy) for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))):
            self.winner = (self.count - 1) % 2

    def _owner(self, point: Point) -> int | None:
        return self.points.index(point) % 2 if point in self.points else None

    def _wins(self, point: Point, dx: int, dy: int) -> bool:
        own = self._owner(point)
        length, closed = 1, 0
        for sign in (1, -1):
            x, y = point
            while self._owner((x := x + sign * dx, y := y + sign * dy)) == own:
                length += 1
            closed += self._owner((x, y)) == 1 - own if own is not None else 0
        exactly = self.rule in (1, 9) or (self.rule == 4 and own == 0)
        if length == 5:
            return self.rule not in (8, 9) or closed < 2
        return length > 5 and not exactly
