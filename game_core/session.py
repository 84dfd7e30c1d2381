"""The interface of a game in progress, for play in the terminal and for the referee of a match.

Moves are text, as in the game's protocol (``h2e2``, ``7,7``). Methods return plain data.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from search_core.failures import becoming

if TYPE_CHECKING:
    from search_core.game import Game

FIRST_WINS, SECOND_WINS, DRAW = "1-0", "0-1", "1/2-1/2"
"""Results; FIRST is the first of the session's `sides`."""
PUBLIC = -1
"""In the place of a seat: who has none, and sees what all seats see."""


class Verdict(NamedTuple):
    """How the rules ended a game: `result` is FIRST_WINS, SECOND_WINS or DRAW, `reason` a word for it."""

    result: str
    reason: str

    @property
    def winner(self) -> int | None:
        """The side; None: a draw."""
        return {FIRST_WINS: 0, SECOND_WINS: 1}.get(self.result)


class SideLine(NamedTuple):
    """A move beside a game, and those that were tried after it."""

    move: str
    """As the game's protocol writes it."""
    comment: str
    next: list[SideLine]


SideLines: TypeAlias = "Mapping[int, Sequence[SideLine]]"
"""Of a game, by the number of its moves that come before them."""


class IllegalMove(ValueError):
    """A move that the rules do not allow now; the message is one line and names it."""


class UnknownMove(IllegalMove):
    """A text that is not a move in any position."""


class Session(Protocol):
    """One game, from its start position to the current one."""

    @property
    @abstractmethod
    def sides(self) -> tuple[str, ...]:
        """What the sides are called, in the order of play, in lower case."""

    @property
    @abstractmethod
    def ply(self) -> int:
        """How many moves have been played."""

    @property
    @abstractmethod
    def to_move(self) -> int:
        """Whose turn it is: an index of `sides`."""

    @abstractmethod
    def legal_moves(self) -> list[str]:
        """All moves that play() accepts; none once the game is over."""

    @abstractmethod
    def play(self, move: str, ms: int | None = None) -> None:
        """Make a move. Raises IllegalMove; nothing is changed then.

        `ms`: how many milliseconds the player thought, for records that have it.
        """

    @abstractmethod
    def undo(self, plies: int = 1) -> None:
        """Take back the last moves. Raises ValueError, and changes nothing, if there are fewer."""

    @abstractmethod
    def verdict(self) -> Verdict | None:
        """How the game ended; None while it goes on."""

    @abstractmethod
    def view(self, seat: int | None = None) -> dict[str, Any]:
        """The board as data for JSON. `seat`: as that seat sees it; PUBLIC: what all see; None: all of it.

        Every game has `sides`, `ply`, `to_move`, `moves` (all that were played) and `verdict` (null, or result and
        reason). Both board games have `pieces`: what stands on each occupied point. `movers`, who made each ply, is
        needed where the sides do not move in turns. The rest depends on the game.
        """

    @abstractmethod
    def position(self) -> Game:
        """A copy of the position: a search may keep it while the game goes on."""

    @abstractmethod
    def move_text(self, move: int) -> str:
        """A move of the search, in the protocol's text."""

    @abstractmethod
    def read_move(self, text: str) -> str:
        """The legal move that a person typed, in any notation that the game reads. Raises IllegalMove."""

    @abstractmethod
    def move_names(self, move: str) -> dict[str, str]:
        """A legal move in each of the game's notations, by their names; the one for people comes first."""

    @abstractmethod
    def save(self, format: str, players: Sequence[str] = (), event: str = "", ended: Verdict | None = None) -> bytes:
        """The game as a file. `format` is a file name's suffix without the dot. Raises ValueError for an unknown one.

        `players`: who played each side, '' if not known. `event`: the event that the game belongs to. `ended`: how the
        game ended, if not by the rules. A game with GameDisplay.kept_options() also takes `options`, words of the
        command line, for a format that has a place for them.
        """


class BoardSession(Session):
    """What sessions share whose `position` plays the moves of the search (`push`), takes them back (`pop`), lists the
    legal ones and knows the `side` to move."""

    def __init__(self, position: Any) -> None:
        self._position = position
        self._moves: list[int] = []
        self._times: list[int | None] = []
        """Of the moves, in milliseconds."""

    @property
    def ply(self) -> int:
        return len(self._moves)

    @property
    def to_move(self) -> int:
        side: int = self._position.side
        return side

    def legal_moves(self) -> list[str]:
        return [] if self.verdict() is not None else [self.move_text(move) for move in self._position.legal_moves()]

    def undo(self, plies: int = 1) -> None:
        if not 0 <= plies <= self.ply:
            raise ValueError(f"there are {self.ply} moves to take back, not {plies}")
        for _ in range(plies):
            self._position.pop()
            self._moves.pop()
            self._times.pop()

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """What every game has. Both sides see all of it."""
        verdict = self.verdict()
        return {
            "sides": list(self.sides),
            "ply": self.ply,
            "to_move": self.to_move,
            "moves": [self.move_text(move) for move in self._moves],
            "verdict": None if verdict is None else list(verdict),
        }

    def _push(self, move: int, ms: int | None) -> None:
        """Make a move that was read. Raises IllegalMove."""
        with becoming(ValueError, IllegalMove):
            self._position.push(move)
        self._moves.append(move)
        self._times.append(ms)


@runtime_checkable
class SeatedSession(Session, Protocol):
    """A game whose seats can leave it one by one: `resign` is a move, and so is `pass`. Pieces are dealt at its start,
    and draws can be agreed."""

    def deal(self, seed: int) -> None:
        """Begin another game."""

    def offer_draw(self) -> str:
        """Let the next move offer a draw or agree to one, or no longer do so. Returns what it does now, in words.
        Raises ValueError if no draw can be agreed."""

    def is_out(self, seat: int) -> bool:
        """Whether a seat has left the game, which goes on without it."""
