"""The two boards: their points, roads and rails. docs/junqi-rules.md draws them.

A point is a number. Home points are seat * 30 + index, row by row from the front, as the seat sees them. The nine
centre points of the four-seat board begin at 120. Coordinates (x, y) are only used here, to find neighbours.
"""

from __future__ import annotations

HOME_POINTS = 30
CAMPS = (6, 8, 12, 16, 18)
"""行营: home points whose piece cannot be attacked."""
HEADQUARTERS = (26, 28)
"""大本营: home points that a piece can never leave."""
BACK_ROWS = 20
"""The first home point of the two rows where mines may stand."""

_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


class Variant:
    """A board and its seats. There are two, SIGUO and DUEL.

    Attributes
    ----------
    name : str
        "siguo" (四国) or "duel" (二人).
    seats, size : int
        Players, points.
    squares : list of str
        The name of each point in the line protocol.
    roads : list of tuple of int
        From each point, the points one step away by road: by any connection but a rail.
    rails : list of tuple of int
        From each point, the next points by rail.
    runs : list of tuple of (int, tuple of int)
        From each point, the lines that a piece may run along by rail: (how many of its first points an earlier line
        has too, the points in order). Straight lines, and round the corners on the four-seat board.
    camps, headquarters : frozenset of int
    """

    def __init__(self, name: str, places: list[tuple[int, int]], squares: list[str]) -> None:
        self.name = name
        self.seats = min(len(places) // HOME_POINTS, 4)
        self.size = len(places)
        self.squares = squares
        self.numbers = {square: point for point, square in enumerate(squares)}
        """The point of each name."""
        homes = [seat * HOME_POINTS for seat in range(self.seats)]
        self.camps = frozenset(home + index for home in homes for index in CAMPS)
        self.headquarters = frozenset(home + index for home in homes for index in HEADQUARTERS)
        self._place = places
        self._point = {place: point for point, place in enumerate(places)}
        self._railway = frozenset(point for point in range(self.size) if self._on_rails(point))
        straight = [[self._straight(point, *way) for way in _DIRECTIONS] for point in range(self.size)]
        bends = [self._bends(point) for point in range(self.size)]
        self.runs = [(*((0, line) for line in straight[point] if line), *bends[point]) for point in range(self.size)]
        self.rails = [tuple(line[0] for skip, line in self.runs[point] if not skip) for point in range(self.size)]
        self.roads = [self._roads(point) for point in range(self.size)]

    def seat_of(self, point: int) -> int:
        """Whose home a point lies in; -1 in the centre."""
        return point // HOME_POINTS if point < self.seats * HOME_POINTS else -1

    def team(self, seat: int) -> tuple[int, ...]:
        """The seats of this seat's team, in order, itself included."""
        return tuple(range(seat % 2, self.seats, 2))

    def _on_rails(self, point: int) -> bool:
        if self.seat_of(point) < 0:
            return True
        row, column = divmod(point % HOME_POINTS, 5)
        return row in (0, 4) or (row < 4 and column in (0, 4))

    def _closed(self, point: int, other: int) -> bool:
        """Whether these front points face each other across the mountains of the two-seat board."""
        return self.seats == 2 and point // HOME_POINTS != other // HOME_POINTS and point % HOME_POINTS in (1, 3)

    def _next(self, point: int, dx: int, dy: int) -> int | None:
        x, y = self._place[point]
        other = self._point.get((x + dx, y + dy))
        return None if other is None or self._closed(point, other) else other

    def _straight(self, point: int, dx: int, dy: int) -> tuple[int, ...]:
        line: list[int] = []
        here: int | None = point if point in self._railway else None
        while here is not None:
            there = self._next(here, dx, dy)
            if there is None and self.seat_of(here) < 0:
                there = self._next(here, 2 * dx, 2 * dy)
                if there is not None and self.seat_of(there) >= 0:
                    there = None
            here = there if there in self._railway else None
            if here is not None:
                line.append(here)
        return tuple(line)

    def _bends(self, point: int) -> list[tuple[int, tuple[int, ...]]]:
        """The line round the corner between the last column of a seat and the first of the next one."""
        seat = self.seat_of(point)
        row, column = divmod(point % HOME_POINTS, 5)
        if self.seats != 4 or seat < 0 or row > 4 or column not in (0, 4):
            return []
        beyond, far = ((seat + 1) % 4, 0) if column == 4 else ((seat + 3) % 4, 4)
        before = [seat * HOME_POINTS + 5 * r + column for r in range(row - 1, -1, -1)]
        after = [beyond * HOME_POINTS + 5 * r + far for r in range(5)]
        return [(len(before), (*before, *after))]

    def _roads(self, point: int) -> tuple[int, ...]:
        found = [self._next(point, *way) for way in _DIRECTIONS]
        steps = [other for other in found if other is not None and other not in self.rails[point]]
        for way in _DIAGONALS:
            other = self._next(point, *way)
            if other is not None and (point in self.camps or other in self.camps):
                steps.append(other)
        return tuple(steps)


def _siguo() -> Variant:
    # x grows to the left as seat 0 sees it, y towards seat 0.
    places: list[tuple[int, int]] = []
    for seat in range(4):
        for index in range(HOME_POINTS):
            r, f = divmod(index, 5)
            places.append(((10 - f, 11 + r), (5 - r, 10 - f), (6 + f, 5 - r), (11 + r, 6 + f))[seat])
    places.extend((10 - 2 * (k % 3), 6 + 2 * (k // 3)) for k in range(9))
    return Variant("siguo", places, [f"{chr(ord('a') + 16 - x)}{17 - y}" for x, y in places])


def _duel() -> Variant:
    places = [(i % 5, 6 - i // 5) for i in range(HOME_POINTS)] + [(4 - i % 5, 7 + i // 5) for i in range(HOME_POINTS)]
    return Variant("duel", places, [f"{chr(ord('a') + x)}{y}" for x, y in places])


SIGUO = _siguo()
DUEL = _duel()
VARIANTS = {variant.name: variant for variant in (SIGUO, DUEL)}


def move_of(origin: int, target: int) -> int:
    """The number of a move."""
    return origin << 8 | target


def move_text(variant: Variant, move: int) -> str:
    """A move as the line protocol writes it: g6g9."""
    return variant.squares[move >> 8] + variant.squares[move & 255]


def parse_move(variant: Variant, text: str) -> int:
    """The move of two squares written without a blank. Raises ValueError naming the text."""
    text = text.lower()
    for cut in (2, 3):
        origin, target = variant.numbers.get(text[:cut]), variant.numbers.get(text[cut:])
        if origin is not None and target is not None:
            return move_of(origin, target)
    example = "g6g9" if variant.seats == 4 else "a5a6"
    raise ValueError(f"{text[:20]!a} is no move, expected two squares of the {variant.name} board such as {example}")
