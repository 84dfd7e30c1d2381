"""The engine at a table that opens with Swap2: it puts the stones that are fair, and takes the better colour.

In the opening it searches at full strength, whatever its level is; then the level plays.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from game_core.chooser import OwnEngineChooser
from gomoku_protocol.opening import Questions, answer, balance_one
from gomoku_protocol.position import Position
from gomoku_protocol.swap2 import TAKE_BLACK, TAKE_WHITE, TWO_MORE, Swap2Session, choice_number
from gomoku_protocol.swap2_store import draw_opening
from search_core.clock import now_s
from search_core.line_protocol import taken
from search_core.thinker import Limits, Result
from search_core.thinking_thread import MoveSignals, OnInfo, OnMessage, Think, ThinkingThread

if TYPE_CHECKING:
    from game_core.session import Session
    from search_core.engine import Engine

A = TypeVar("A")
_ANSWER_MS = 2000
"""For an answer of a level that has no limit of time."""


@dataclass(eq=False)
class Swap2Chooser(OwnEngineChooser):
    """An OwnEngineChooser that answers in Swap2, too.

    Attributes
    ----------
    engine : Engine
        Searches for the answers.
    """

    engine: Engine = field(kw_only=True)
    _plan: list[int] = field(default_factory=list, init=False)
    """Stones that it has begun to put, with those before them."""

    def thinker(self, session: Session, seed: int) -> ThinkingThread[Any]:
        if isinstance(session, Swap2Session) and session.stage is not None:
            return OpeningPlayer(self.engine, session, self._plan, seed)
        return super().thinker(session, seed)

    def new_game(self) -> None:
        super().new_game()
        self.engine.new_game()
        self._plan.clear()

    def close(self) -> None:
        super().close()
        self.engine.close()


class OpeningPlayer(ThinkingThread["Position"]):
    """A ThinkingThread that finds the next ply of the opening.

    Parameters
    ----------
    engine : Engine
    session : Swap2Session
        Read now, and not any more when it thinks.
    plan : list of int
        The stones that are to be put, in order; an answer of several stones is kept here.
    seed : int
        Draws the stones.
    """

    def __init__(self, engine: Engine, session: Swap2Session, plan: list[int], seed: int) -> None:
        super().__init__()
        stage = session.stage
        assert stage is not None
        self._engine = engine
        self._stones = session.stones()
        self._has_to_choose = not stage.stones
        self._plan = plan
        self._seed = seed

    def stop(self) -> None:
        super().stop()
        self._engine.stop()

    def prepare(self, position: Position, limits: Limits, on_info: OnInfo, on_message: OnMessage) -> Think:
        def think(signals: MoveSignals) -> Result:
            # At a level there is only the limit of the clock, which is for a whole move of the hardest kind.
            milliseconds = limits.soft_ms or min(limits.hard_ms or _ANSWER_MS, _ANSWER_MS)
            deadline = now_s() + milliseconds / 1000

            def remaining_ms() -> int:
                return 0 if signals.search.stopped else int((deadline - now_s()) * 1000)

            def ask(questions: Questions[A]) -> A:
                return self._asked(questions, signals)

            chance = random.Random(self._seed)
            if self._has_to_choose:
                move: int | None = self._choice(ask(answer(position, len(self._stones), remaining_ms, chance)))
            else:
                move = self._planned(position, chance)
                if move is None and not self._stones:
                    stones = ask(answer(position, 0, remaining_ms, chance))
                    assert stones is not None  # without stones there is nothing to swap
                    self._plan[:] = stones
                    move = stones[0]
                elif move is None:
                    move = ask(balance_one(position, 0, remaining_ms, ()))[0]
            return Result(move, None, 0, 0, 0, signals.search.elapsed_ms, ())

        return think

    def _choice(self, moves: Sequence[int] | None) -> int:
        """What opening.answer() says, as a choice."""
        if moves is None:
            return choice_number(TAKE_BLACK)
        if len(moves) == 1:
            return choice_number(TAKE_WHITE)
        self._plan[:] = [*self._stones, *moves]
        return choice_number(TWO_MORE)

    def _planned(self, position: Position, chance: random.Random) -> int | None:
        """The next stone of the plan, or of the stored opening that was drawn before the program was ended."""
        stones = self._stones
        drawn = draw_opening(position.rule, position.width, position.height, chance) or []
        return next((plan[len(stones)] for plan in (self._plan, drawn) if plan[: len(stones)] == stones != plan), None)

    def _asked(self, questions: Questions[A], signals: MoveSignals) -> A:
        """Answer questions by searches."""
        found: SimpleQueue[Result] = SimpleQueue()
        result: Result | None = None
        while True:
            try:
                question = next(questions) if result is None else questions.send(result)
            except StopIteration as end:
                answered: A = end.value
                return answered
            limit_ms = 1 if signals.search.stopped else question.milliseconds
            limits = Limits(soft_ms=limit_ms, hard_ms=limit_ms, multipv=question.lines, root_moves=question.root_moves)
            self._engine.go(question.position, limits, on_result=found.put)
            if signals.search.stopped:  # it may have been before go()
                self._engine.stop()
            result = taken(found)
            self._engine.wait()
