"""The base of adapters that get their moves from a Thinker: begin a search, stop it, drop a late answer.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.clock import now_s
from search_core.line_protocol import LineChannel, LineProtocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from search_core.thinker import Info, Limits, Result, Thinker


class ThinkingProtocol(LineProtocol):
    """An adapter that gets its moves from a Thinker. A subclass gives the `thinker`."""

    def __init__(self, channel: LineChannel) -> None:
        super().__init__(channel)
        self._searching = False
        self._stopping = False
        self._pondering = False
        self._endless = False
        self._ticket = 0  # of the answer that is wanted; an answer with an older ticket is dropped
        self._busy_since = 0.0

    @property
    def thinker(self) -> Thinker[Any]:
        """What finds the moves; made when first needed."""
        raise NotImplementedError

    def on_search_end(self) -> None:
        """Called when a search is over and its answer was given or dropped. The default does nothing."""

    @property
    def occupied(self) -> bool:
        """Whether a search is running."""
        return self._searching

    @property
    def busy(self) -> bool:
        return self.occupied

    @property
    def busy_since(self) -> float:
        return self._busy_since

    @property
    def stopping(self) -> bool:
        """Whether the search that runs, or is about to begin, must stop: its answer is due at once."""
        return self._stopping or self.stop_follows

    @property
    def answer_on_request(self) -> bool:
        """Whether the running search answers only on a command: it ponders or has no limit."""
        return self._searching and (self._pondering or self._endless)

    def start(
        self,
        position: Any,
        limits: Limits,
        answer: Callable[[Result], None],
        show: Callable[[Info], None] | None = None,
        *,
        endless: bool = False,
    ) -> None:
        """Begin a search. `show` gets its lines, then `answer` gets its result, once; both between two commands.

        If a stop is due, the search ends at once. `endless`: it goes on until a stop. Raises what Thinker.go() raises;
        no answer follows then.
        """
        self._ticket += 1
        ticket = self._ticket
        self._begin_work()
        self._searching = True
        self._pondering = limits.ponder
        self._endless = endless
        try:
            self.thinker.go(
                position,
                limits,
                on_info=None if show is None else lambda info: self.post(lambda: self._pass_on(ticket, show, info)),
                on_result=lambda result: self.post(lambda: self._conclude(ticket, answer, result)),
                on_message=lambda text: self.post(lambda: self.notify(text)),
            )
        except BaseException:
            self._searching = self._stopping = False
            raise
        if self.stopping:
            self.stop_search()

    def stop_search(self) -> None:
        """End the running search at once."""
        self._stopping = self.occupied
        if self._searching:
            self.thinker.stop()

    def ponderhit(self) -> None:
        """The pondered move was played: the clock of the running search starts now, if it ponders."""
        if self._searching and self._pondering:
            self._pondering = False
            self.thinker.ponderhit()

    def abandon(self) -> None:
        """End the running search, if any, and drop its answer. `busy` until that answer has come."""
        self._ticket += 1
        self.stop_search()

    def interrupt(self) -> None:
        self.stop_search()

    def _begin_work(self) -> None:
        self._busy_since = now_s()

    def _pass_on(self, ticket: int, show: Callable[[Info], None], info: Info) -> None:
        if ticket == self._ticket:
            show(info)

    def _conclude(self, ticket: int, answer: Callable[[Result], None], result: Result) -> None:
        self._searching = False
        if ticket == self._ticket:
            answer(result)
        if not self.occupied:  # the answer may have needed one more search
            self._stopping = False
        self.on_search_end()
