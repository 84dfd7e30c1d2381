"""What finds the moves of a seat that no person plays, and hints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from search_core.line_protocol import taken
from search_core.time_budget import limits as clock_limits

if TYPE_CHECKING:
    from game_core.session import Session
    from search_core.thinker import Limits, Result
    from search_core.thinking_thread import ThinkingThread
    from search_core.time_budget import Clock

_NO_MOVE = "the engine has found no move"
_REHEARSED = 10
"""A level's moves that it thinks about again when a game is resumed."""


class Choice(NamedTuple):
    """A move that was found."""

    move: str | None
    """None: there is no legal move."""
    score: int | None
    """As in `search_core.engine.Result`, for the side to move; None: there is none to show."""
    fault: str = ""
    """Without a move: why a program has found none. Its seat loses."""


class Chooser(ABC):
    """Finds moves, one at a time."""

    name: str = ""
    """Of its level; '': there are no levels."""
    has_chance: bool = False
    """Whether the seed has an effect."""

    @abstractmethod
    def go(self, session: Session, seed: int, on_choice: Callable[[Choice], None], clock: Clock | None = None) -> None:
        """Begin to find a move for the side to move, and return at once. `on_choice` is called once, on any thread; the
        session is not read any more then. `clock`: of the side to move. Raises RuntimeError while a choice is still to
        come."""

    @abstractmethod
    def stop(self) -> None:
        """End the search, if any. Its choice may still come."""

    def new_game(self) -> None:  # noqa: B027 - not everything learns
        """Another game begins: clear what was learnt."""

    @abstractmethod
    def close(self) -> None:
        """Stop, and free threads and memory."""

    def rehearse(  # noqa: B027 - not everything plans
        self, open_session: Callable[[], Session], seat: int, seed: int
    ) -> None:
        """Think again about the last moves of a resumed game: what a level has planned since is a part of its next
        move. `open_session` opens the same game once more."""


@dataclass(eq=False)
class OwnEngineChooser(Chooser):
    """Lets a ThinkingThread think about the session's position."""

    make: Callable[[int], ThinkingThread[Any]]
    """Makes that thread; called with the seed."""
    limits: Limits
    name: str = ""
    has_chance: bool = False
    has_score: bool = True
    """Whether the score of a move is told."""
    _thinker: ThinkingThread[Any] | None = field(default=None, init=False)

    def go(self, session: Session, seed: int, on_choice: Callable[[Choice], None], clock: Clock | None = None) -> None:
        said: list[str] = []

        def deliver(result: Result) -> None:
            if result.best is None:
                on_choice(Choice(None, None, said[-1] if said else _NO_MOVE))
            else:
                on_choice(Choice(session.move_text(result.best), result.score if self.has_score else None))

        limits = replace(self.limits, seed=seed)
        if clock is not None:
            soft_ms, hard_ms = clock_limits(clock)
            soft_ms = min(soft_ms, limits.soft_ms)  # a level has none
            limits = replace(limits, soft_ms=soft_ms, hard_ms=min(hard_ms, limits.hard_ms or hard_ms))
        self._thinker = self.thinker(session, seed)
        self._thinker.go(session.position(), limits, on_result=deliver, on_message=said.append)

    def thinker(self, session: Session, seed: int) -> ThinkingThread[Any]:
        """What thinks about the session's position."""
        return self.make(seed)

    def stop(self) -> None:
        """When this returns, the choice has been given."""
        if self._thinker is not None:
            self._thinker.stop()
            self._thinker.wait()

    def new_game(self) -> None:
        clear = getattr(self._thinker, "new_game", None)
        if clear is not None:
            clear()

    def close(self) -> None:
        if self._thinker is not None:
            self._thinker.close()

    def rehearse(self, open_session: Callable[[], Session], seat: int, seed: int) -> None:
        level = self.limits.level
        if level is None or not level.root_window or self.limits.hard_ms:
            return  # the others have no plans; what a time limit has cut off cannot be repeated
        session = open_session()
        moves = session.view()["moves"][-2 * _REHEARSED :]
        session.undo(len(moves))
        choices: SimpleQueue[Choice] = SimpleQueue()
        for move in moves:
            if session.to_move == seat:
                self.go(session, seed, choices.put)
                taken(choices)
                self.stop()
            session.play(move)
