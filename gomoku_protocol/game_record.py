"""A recorded game, in no particular file format: the board, the stones in order, rule, names and result."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

from game_core.record_formats import RecordError as RecordError
from game_core.session import SideLine, SideLines
from gomoku_protocol.points import CARO, CARO_EXACT, FREESTYLE, MAX_SIZE, MIN_SIZE, RENJU, STANDARD

BLACK, WHITE = 0, 1
SIDE_NAMES = ("Black", "White")

RULE_NAMES = {
    FREESTYLE: "freestyle",
    STANDARD: "standard",
    RENJU: "renju",
    CARO: "caro",
    CARO_EXACT: "caro-exact",
}
"""Names of the rules in `points.RULES`."""
RULES_BY_NAME = {name: rule for rule, name in RULE_NAMES.items()}

Outcome = Literal["black", "white", "draw"]


@dataclass(frozen=True, slots=True)
class Stone:
    """A stone of `side` (BLACK, WHITE) in column x from the left and row y from the top, both from 0."""

    side: int
    x: int
    y: int
    ms: int | None = None
    """Thinking time in milliseconds; None if the record does not have it."""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as it was recorded. The readers check that every stone is on the board and that no point has two."""

    width: int
    height: int
    moves: tuple[Stone, ...]
    setup: tuple[Stone, ...] = ()
    """Stones on the board before the first move, in any order."""
    first: int = BLACK
    """Who played first after the set-up."""
    rule: int | None = None
    """One of `points.RULES`."""
    names: tuple[str | None, str | None] = (None, None)
    """Black's and White's names, as clean_name() returns them."""
    outcome: Outcome | None = None
    comment: str = ""
    """Before the first move."""
    opening: str = ""
    """How the game was opened, as the file says it."""
    options: str | None = None
    """The options of the `sanqi play` that wrote the record, as words."""
    remarks: tuple[str, ...] = ()
    """What its reader could not take as it stands, for people."""
    side_lines: SideLines = field(default_factory=dict[int, "list[SideLine]"], hash=False)
    """Variations, by the number of the game's moves before them; where the side to move is `first` or follows. The
    rule may forbid their moves."""

    def require_turns(self) -> None:
        """Raise RecordError, naming the move, unless the players moved in turn and `first` began."""
        _require_turns(self.moves, self.first)

    def stones(self) -> tuple[Stone, ...]:
        """All stones: the set-up's, black and white in turn as long as both have some, then the moves."""
        black = [stone for stone in self.setup if stone.side == BLACK]
        white = [stone for stone in self.setup if stone.side == WHITE]
        by_turns = [stone for pair in zip_longest(black, white) for stone in pair if stone is not None]
        return (*by_turns, *self.moves)

    def in_turn(self) -> tuple[Stone, ...]:
        """All stones as one game that Black began, in turn. Raises RecordError if they do not alternate."""
        stones = self.stones()
        _require_turns(stones, BLACK)
        return stones


def _require_turns(stones: tuple[Stone, ...], first: int) -> None:
    for number, stone in enumerate(stones):
        if stone.side != (first + number) % 2:
            raise RecordError(f"move {number + 1}: {SIDE_NAMES[stone.side]} plays out of turn")


class Points:
    """The points of a board that a reader has filled so far. Raises RecordError for a size that cannot be played."""

    def __init__(self, width: int, height: int) -> None:
        for size in (width, height):
            if not MIN_SIZE <= size <= MAX_SIZE:
                raise RecordError(f"a board of {width}x{height}; a side has {MIN_SIZE} to {MAX_SIZE} points")
        self.width = width
        self.height = height
        self._taken: set[tuple[int, int]] = set()

    def has(self, x: int, y: int) -> bool:
        """Whether a point is on the board."""
        return 0 <= x < self.width and 0 <= y < self.height

    def take(self, x: int, y: int, token: str) -> None:
        """Fill a point. Raises RecordError if it is off the board or filled. `token`: the point's text in the file."""
        if not self.has(x, y):
            raise RecordError(f"{token} is not on the board of {self.width}x{self.height}")
        if (x, y) in self._taken:
            raise RecordError(f"{token} is a point that has a stone already")
        self._taken.add((x, y))


def clean_name(text: str) -> str | None:
    """A player's name on one line, with single blanks and no byte order marks; None if nothing is left."""
    return " ".join(text.replace("\ufeff", "").split()) or None
