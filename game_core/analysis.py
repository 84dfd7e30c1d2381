"""What `sanqi analyse` needs of a game, and of an engine that analyses its positions.

A game's description names a module with:

- NOTATIONS, a tuple of names; the first is that of the notation in which people get moves by default;
- read_position(fields), the Subject of a request's field `position`. Raises FieldError;
- add_arguments(group), which declares the game's options of the command line, if it has any;
- subject_of_arguments(args), the Subject that these options name, or None. Raises FieldError;
- subject_of_record(record, args), the Subject of a game that one of its record formats has read. Raises ValueError.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from game_core.session import DRAW, FIRST_WINS, SECOND_WINS
from game_core.win_probability import Chances
from search_core.engine import mate_in_plies
from search_core.game import RULED_BOUND, RULED_SCORE

if TYPE_CHECKING:
    from game_core.session import Verdict
    from search_core.game import Game
    from search_core.thinker import Limits

DEFAULT_NODES = 100_000
"""Of a request without limits."""


class Ended(NamedTuple):
    """How the rules ended a game: `result` and `reason` are words. `points`: of the side to move, 1, 0.5 or 0."""

    result: str
    reason: str
    points: float

    @property
    def chances(self) -> Chances:
        """Of the side to move: certainties."""
        return Chances(float(self.points == 1), float(self.points == 0.5), float(self.points == 0))

    @classmethod
    def by_verdict(cls, verdict: Verdict, to_move: int) -> Ended:
        """By the verdict of a Session. `to_move`: the side."""
        won = verdict.result == (FIRST_WINS, SECOND_WINS)[to_move]
        return cls(verdict.result, verdict.reason, 0.5 if verdict.result == DRAW else float(won))


class Turn(Protocol):
    """A position of a Subject. All numbers are for the side to move there."""

    @property
    def to_move(self) -> str | int:
        """The side, as the game calls it."""

    @property
    def ended(self) -> Ended | None:
        """None while the game goes on."""

    @property
    def game(self) -> Game | None:
        """What is searched, used by one thread at a time; None: there is nothing to search although the game goes
        on."""

    @property
    def context(self) -> Hashable:
        """Searches in the same context may share what they learn."""

    def legal_moves(self) -> list[int]: ...

    def read_move(self, text: str) -> int:
        """A legal move in any notation that the game reads. Raises ValueError, whose message names the text."""

    def move_text(self, move: int) -> str:
        """A move as the game's protocol writes it."""

    def line(self, pv: Sequence[int]) -> Sequence[int]:
        """The moves of a principal variation that are shown."""

    def names(self, line: Sequence[int], notation: str) -> list[str]:
        """The moves of a shown line in one of NOTATIONS."""

    def chances(self, score: int) -> Chances | None:
        """What a score of the search means; None: the game does not know."""

    def details(self) -> dict[str, Any]:
        """What only this game has in an answer, for JSON."""


class Subject(Protocol):
    """A game up to its last known position. Turns are counted from 0, the start."""

    @property
    def last_turn(self) -> int: ...

    def at(self, turn: int) -> Turn:
        """The position after this number of moves. May take milliseconds."""

    def played(self, turn: int) -> str | None:
        """What was played there, as text; None at the end."""


class AnalysisTask:
    """A position to analyse.

    Parameters
    ----------
    subject : Subject
    number : int
        Of the turn.
    turn : Turn
    limits : Limits
        With multipv, and the moves that are allowed and avoided.
    """

    def __init__(self, subject: Subject, number: int, turn: Turn, limits: Limits) -> None:
        self.subject = subject
        self.number = number
        self.turn = turn
        self.limits = limits
        self.stopped = threading.Event()
        """Whether nobody wants to wait any longer. It is set before the analyst's stop() is called."""


class Variation(NamedTuple):
    """A move and what follows. None: not known."""

    pv: Sequence[int]
    score_cp: int | None = None
    mate: int | None = None
    """Moves to the mate, negative when mated; None: no mate is seen."""
    bound: str | None = None
    """"exact", "lower" or "upper"."""
    depth: int | None = None
    seldepth: int | None = None
    chances: Chances | None = None
    rule_win: int | None = None
    """Moves to a win by a rule on repetitions, as `mate`."""


class Finding(NamedTuple):
    """What is known of a position, best line first. None: not known."""

    lines: tuple[Variation, ...]
    depth: int | None = None
    nodes: int | None = None
    time_ms: int | None = None
    iterations: tuple[Variation, ...] = ()
    """The best line of each finished depth, as far as it is known."""


class AnalysisError(Exception):
    """A position could not be analysed; the message is one line."""


class Analyst(Protocol):
    """Analyses one position at a time. Other threads may call stop(), snapshot() and close()."""

    def analyse(self, task: AnalysisTask, notify: Callable[[str], None]) -> Finding:
        """Analyse until a limit or stop(). Raises AnalysisError. `notify` gets what the user should know."""

    def snapshot(self) -> Finding | None:
        """What is known so far; None: nothing."""

    def stop(self) -> None:
        """End the running analysis soon. Harmless when idle."""

    def clear(self) -> None:
        """Clear what was learnt, before the next analysis."""

    def close(self) -> None:
        """End the running analysis at once, and free memory and processes. There will be no other one."""


def opposite(score: int | None) -> int | None:
    """A score for the other side."""
    return None if score is None else -score


def mate_in_moves(score: int) -> int | None:
    """The mate that a score announces, in moves of the winner, negative when mated; None: none. 0: mated already."""
    plies = mate_in_plies(score)
    return None if plies is None else _in_moves(abs(plies), score)


def rule_win_in_moves(score: int) -> int | None:
    """The win by a rule on repetitions that a score announces, counted as in mate_in_moves()."""
    return _in_moves(RULED_SCORE - abs(score), score) if RULED_BOUND <= abs(score) <= RULED_SCORE else None


def _in_moves(plies: int, score: int) -> int:
    return (plies + 1) // 2 if score > 0 else -(plies // 2)
