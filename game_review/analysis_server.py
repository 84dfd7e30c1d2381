"""`sanqi analyse` for programs: a JSON object a line, in and out. docs/analysis.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from game_core.record_formats import remarks_of
from game_review.analysis_answer import fault, warning
from game_review.analysis_job import TurnJob, jobs_of
from game_review.analysis_pool import AnalystPool
from game_review.analysis_request import CLEAR_CACHE, TERMINATE, TERMINATE_ALL, Action, BadRequest, read_request
from search_core.line_protocol import LineChannel, LineProtocol, OverlongLine, excerpt
from search_core.version import __version__

if TYPE_CHECKING:
    from game_core.analysis import Analyst
    from game_core.description import GameDescription

MAX_REQUEST = 16 << 20
"""Bytes of a line."""
_MAX_UNSENT = 1000
"""While more answers wait for a slow reader, there are none during the search."""
_MAX_WARNINGS = 10
"""Of the unknown fields of one request, how many are named."""


class AnalysisServer(LineProtocol):
    """Reads requests and writes answers as they are ready."""

    def __init__(
        self,
        channel: LineChannel,
        games: Mapping[str, GameDescription],
        analysts: Sequence[Analyst],
    ) -> None:
        super().__init__(channel)
        self._games = games
        self._due = 0
        """How many turns have no last answer yet."""
        self._pool = AnalystPool[TurnJob](analysts, partial(self._deliver, is_last=True))

    # Lines

    def command(self, line: str) -> None:
        try:
            request, unknown = read_request(line, self._games)
        except BadRequest as error:
            self._say(fault(str(error), error.id, error.field))
            return
        for path in unknown[:_MAX_WARNINGS]:
            self._say(warning(f"unknown field {excerpt(path)}, ignored", request.id, path))
        if isinstance(request, Action):
            self._act(request)
        else:
            for remark in remarks_of(request.subject):
                self._say(warning(remark, request.id, "position"))
            self._due += len(request.turns)
            self._pool.submit(*jobs_of(request, self._deliver))

    def notify(self, text: str) -> None:
        self._say(fault(text))

    def refuse_overlong(self, line: OverlongLine) -> None:
        self.notify(line.fault)

    def can_handle(self, line: str | None) -> bool:
        """The end of the input waits for all answers."""
        return line is not None or not self.busy

    def handle_out_of_order(self, line: str | None) -> bool:
        return False

    # The end

    @property
    def busy(self) -> bool:
        return self._due > 0

    def interrupt(self) -> None:
        self._due = 0

    def close(self) -> None:
        self._pool.close()

    # Actions

    def _act(self, action: Action) -> None:
        """Obey an action. Its answer has the fields of the request."""
        more: dict[str, Any] = {}
        if action.name in (TERMINATE, TERMINATE_ALL):
            self._terminate(action.terminate_id if action.name == TERMINATE else None)
        elif action.name == CLEAR_CACHE:
            self._pool.clear_cache()
        else:
            more = {"version": __version__}
        self._say({**action.fields, **more})

    def _terminate(self, id: str | None) -> None:
        """End the queries with an id (None: all). A turn that is being analysed is answered as far as it is."""
        for job in self._pool.drop(lambda job: id in (None, job.query.id)):
            self._deliver(job.no_results(), is_last=True)

    # Answers

    def _deliver(self, found: dict[str, Any], is_last: bool = False) -> None:
        if found.get("isDuringSearch") and self.lines.posted > _MAX_UNSENT:
            return
        text = _text(found)
        self.lines.post(lambda: self._pass_on(text, is_last))

    def _pass_on(self, text: str, is_last: bool) -> None:
        self._due -= is_last
        self.lines.send(text)

    def _say(self, found: dict[str, Any]) -> None:
        self.lines.send(_text(found))


def _text(found: dict[str, Any]) -> str:
    return json.dumps(found, separators=(",", ":"))
