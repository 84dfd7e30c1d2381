"""Finds the moves that a manager asks for, and keeps the account of their time.

Imported before the first answer is given: it must stay light. The native modules are imported when first needed.
"""

from __future__ import annotations

from functools import partial

from gomoku_protocol.evaluators import default_evaluator
from gomoku_protocol.levels import WEIGHTS
from gomoku_protocol.settings import STEADY
from search_core.clock import now_s
from search_core.line_protocol import excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeVar

    from gomoku_protocol.host_game import HostGame
    from gomoku_protocol.opening import Questions
    from gomoku_protocol.position import Position
    from gomoku_protocol.settings import GomokuSettings
    from gomoku_protocol.stones import Stones
    from search_core.search_driver import SearchDriver
    from search_core.thinker import Info, Result

    A = TypeVar("A")

    class Wording(Protocol):
        """How a protocol words the answers."""

        @property
        def answer_is_unwanted(self) -> bool:
            """Whether nobody waits for the answer of a search that is about to begin."""

        def notify(self, text: str) -> None:
            """Tell the user what was wrong."""

        def refuse(self, text: str) -> None:
            """Give no move, and say why."""

        def show_info(self, lines: int, info: Info) -> None:
            """Print one of the `lines` best lines of a search that goes on."""

        def show_move(self, move: int) -> None:
            """Print the answer: the move that is played."""


_MAX_ANSWER_MS = 10_000  # for what needs several searches: SWAP2BOARD, YXBALANCEONE


class MoveFinder:
    """Finds moves for the game of a manager: by a search, or by questions that need several.

    Attributes
    ----------
    last : Result or None
        Of the last search for a move in this game.
    """

    def __init__(self, wording: Wording, driver: SearchDriver, settings: GomokuSettings, game: HostGame) -> None:
        self.last: Result | None = None
        self._wording = wording
        self._driver = driver
        self._settings = settings
        self._game = game
        self._read_at = 0.0  # when the first line of the command was read: the turn clock runs from there
        self._start_up_s = 0.0  # still to be counted for the first move
        self._deadline = 0.0
        self._asking: tuple[Questions[Any], Callable[[Any], None]] | None = None
        """The questions that are being answered, and what gets the answer."""
        self._style = STEADY, 0  # of the searches so far, and for which side

    # The time

    def begin_turn(self) -> None:
        """A command was read: the clock of its turn runs from now on."""
        self._read_at = now_s()

    def bill(self, seconds: float) -> None:
        """Count this time for the first move."""
        self._start_up_s = seconds

    def charge(self) -> None:
        """Charge the time since the command was read, or since the last charge."""
        self._settings.clock.charge(self._spent_ms())
        self._read_at = now_s()

    def _spent_ms(self) -> int:
        return int((now_s() - self._read_at) * 1000)

    def _time_limits(self, stones: Stones) -> tuple[int, int]:
        self._read_at -= self._start_up_s
        self._start_up_s = 0.0
        return self._settings.clock.limits(self._spent_ms(), len(stones) // 2)

    def shorten(self) -> None:
        """The limits may have changed: end the running search, if any, when its time by the new ones is over."""
        if self._driver.occupied:
            soft_ms, hard_ms = self._time_limits(self._game.stones)
            if self._asking is not None:
                self._deadline = min(self._deadline, now_s() + soft_ms / 1000)
                self._driver.stop_at(self._deadline)
            else:
                self._driver.stop_at(now_s() + hard_ms / 1000)

    def remaining_ms(self) -> int:
        """What is left of the time for questions."""
        return 0 if self._driver.stopping else int((self._deadline - now_s()) * 1000)

    # Games

    def new_game(self) -> None:
        """Another game begins."""
        self.last = None
        self._settings.clock.start_match()
        self._settings.new_game()
        self._driver.new_game()

    def abandon(self) -> None:
        """End the running search, if any, and drop its answer."""
        if self._driver.occupied:
            self._driver.abandon()
            self._asking = None
            self.charge()

    # Moves

    def think(self, position: Position | None = None, lines: int = 1) -> None:
        """Find a move for the side to move, play it and say it; `lines` are shown when there is more than one.

        `position`: that of the stones, where it was made already.
        """
        self._tell_remarks()
        stones = self._game.stones
        position = position or self._game.position()
        if self._settings.level == WEIGHTS and lines == 1 and position.legal_moves():
            from gomoku_protocol import weights

            self.play(weights.choose(position, self._game.excluded(position)))
            return
        soft_ms, hard_ms = self._time_limits(stones)
        self._search(position, soft_ms, hard_ms, lines)

    def play(self, move: int) -> None:
        """Play a move and say it."""
        self._game.stones.place(move)
        self.charge()
        self._wording.show_move(move)

    def play_anything(self) -> None:
        """Play a move where the search has found none: a legal one if there is any, else any vacant point."""
        vacant = list(self._game.stones.vacant(self._settings.rule))
        try:
            position = self._game.position()
            legal = [move for move in vacant if position.is_legal(move)]
        except Exception as error:  # noqa: BLE001 - whatever failed, a move is owed
            self._wording.notify(f"the rules failed: {type(error).__name__}: {excerpt(str(error))}")
            legal = []
        if vacant:
            free = [move for move in legal if move not in self._game.blocked]
            self.play((free or legal or vacant)[0])
        else:
            self._wording.refuse("the board is full")

    def ask(self, questions: Questions[A], answer: Callable[[A], None], stones: Stones) -> None:
        """Search what is asked about these stones, and give the answer."""
        self._tell_remarks()
        soft_ms, _ = self._time_limits(stones)
        self._deadline = now_s() + min(soft_ms, _MAX_ANSWER_MS) / 1000
        self._asking = questions, answer
        self._ask_on(None)

    def _ask_on(self, result: Result | None) -> None:
        """Go on with the questions, the last search having come to `result`."""
        assert self._asking is not None
        questions, answer = self._asking
        try:
            question = next(questions) if result is None else questions.send(result)
            limit_ms = max(min(question.milliseconds, self.remaining_ms()), 1)
            self._search(question.position, limit_ms, limit_ms, question.lines, question.root_moves)
        except StopIteration as end:
            self._asking = None
            answer(end.value)
        except BaseException:
            self._asking = None
            raise

    def _tell_remarks(self) -> None:
        for remark in self._settings.remarks():
            self._wording.notify(remark)

    def _search(
        self, position: Position, soft_ms: int, hard_ms: int, lines: int, root_moves: tuple[int, ...] = ()
    ) -> None:
        from search_core.thinker import Limits

        if self._wording.answer_is_unwanted:
            self._asking = None
            return
        settings = self._settings
        excluded: tuple[int, ...] = ()
        show = level = None
        if self._asking is None:  # whose answers favour no side and no move, and show nothing
            self._set_style(position, settings.style)
            excluded = self._game.excluded(position)
            if lines > 1 or settings.show_detail:
                show = partial(self._wording.show_info, lines)
            level = settings.played_level if lines == 1 else None
        else:
            self._set_style(position, STEADY)
        limits = Limits(
            depth=settings.depth,
            nodes=settings.nodes,
            soft_ms=soft_ms,
            hard_ms=hard_ms,
            multipv=lines,
            root_moves=root_moves,
            excluded_moves=excluded,
            level=level,
            seed=settings.level_seed,
        )
        conclude = self._conclude
        if excluded and not root_moves:
            conclude = partial(self._conclude_near, position, lines)
        self._driver.start(position, limits, conclude, show)

    def _set_style(self, position: Position, style: str) -> None:
        """Play in a style for the side to move."""
        style_and_side = style, 0 if style == STEADY else position.side
        if style_and_side != self._style:
            self._style = style_and_side
            self._driver.new_game()  # the scores in the table are those of another style
        position.use_evaluator(default_evaluator(position.rule, self._settings.evaluator))
        if not position.evaluator.set_style(*style_and_side) and style != STEADY:
            self._wording.notify(f"the evaluator {self._settings.evaluator} has no style {style}, playing without")

    def _conclude_near(self, position: Position, lines: int, result: Result) -> None:
        """Take the result of a search of the moves near the stones; all of these may be blocked."""
        if result.best is not None or self._driver.stopping:
            self._conclude(result)
            return
        allowed = tuple(move for move in position.legal_moves() if move not in self._game.blocked)
        soft_ms, hard_ms = self._time_limits(self._game.stones)
        try:
            self._search(position, soft_ms, hard_ms, lines, allowed)
        except (RuntimeError, MemoryError):  # no thread or no memory for one more search
            self.play_anything()

    def _conclude(self, result: Result) -> None:
        if self._asking is not None:
            try:
                self._ask_on(result)
            except (RuntimeError, MemoryError) as error:  # no thread or no memory for one more search
                self._wording.refuse(f"the search failed: {type(error).__name__}: {excerpt(str(error))}")
        elif result.best is None:
            self.play_anything()
        else:
            self.last = result
            self.play(result.best)
