"""Other engines that play at the table. The person names them on the command line, in the words of `sanqi match`; the
page knows their names only."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from engine_client.specification import EngineSpecification, EngineWords, SpecificationError, parse_engine
from game_core.analysis import AnalysisError, AnalysisTask, Analyst, Subject
from game_core.chooser import Choice, Chooser
from game_core.display import ENGINE_NAME
from game_core.session import Session
from search_core.line_protocol import excerpt, printable
from search_core.thinker import Limits
from search_core.time_budget import Clock
from search_core.time_budget import limits as clock_limits
from web_board.games import GUEST, PERSON

if TYPE_CHECKING:
    from game_core.description import GameDescription

TIMEOUT_S = 10.0
"""How long an engine may take beyond its time; then it has lost."""
_SEARCH_S = 600.0
"""The same of an engine whose depth or nodes are limited, not its time."""
_MOVE_MS = 1000


class NamedEngine(NamedTuple):
    """An engine, and the name of the game that it plays."""

    game: str
    specification: EngineSpecification


def read_named_engines(
    texts: Iterable[str], games: Sequence[GameDescription], known: Mapping[str, EngineWords] | None
) -> list[NamedEngine]:
    """The engines of these specifications; each plays the first game whose engines speak its protocol. Raises
    SpecificationError."""
    engines: list[NamedEngine] = []
    taken = {ENGINE_NAME, PERSON, GUEST}
    for text in texts:
        engine = _read(text, games, known)
        name, limit = engine.specification.name, engine.specification.limit
        if name in taken:
            raise SpecificationError(f"engine {excerpt(text)}: the name {excerpt(name)} is taken; add name=")
        if limit is not None and limit.match_ms:
            raise SpecificationError(f"engine {excerpt(text)}: tc= is for matches; the page has clocks")
        taken.add(name)
        engines.append(engine)
    return engines


def _read(text: str, games: Sequence[GameDescription], known: Mapping[str, EngineWords] | None) -> NamedEngine:
    faults: list[SpecificationError] = []
    for game in games:
        if game.analysts or game.table_engines:
            try:
                return NamedEngine(game.name, parse_engine(text, game, known))
            except SpecificationError as fault:
                faults.append(fault)
    raise next((fault for fault in faults if " proto is " not in str(fault)), faults[0])


class NamedEngineChooser(Chooser):
    """Lets another engine find the moves of a seat. It is told the whole game each time.

    Parameters
    ----------
    specification : EngineSpecification
    open_analyst : callable
        Makes what talks to the engine; called with the specification and the seconds that it may take beyond its time.
    subject_of : callable
        The game of a session as the engine gets it.
    movetime_ms : int or None
        Milliseconds for a move, if the engine has no limit of its own.
    """

    def __init__(
        self,
        specification: EngineSpecification,
        open_analyst: Callable[[EngineSpecification, float], Analyst],
        subject_of: Callable[[Session], Subject],
        movetime_ms: int | None,
    ) -> None:
        limit = specification.limit
        own = None if limit is None else Limits(hard_ms=limit.movetime_ms, nodes=limit.nodes, depth=limit.depth)
        self._limits = own or Limits(hard_ms=movetime_ms or _MOVE_MS)
        self.engine_name = specification.name
        self._analyst = open_analyst(specification, TIMEOUT_S if self._limits.hard_ms else _SEARCH_S)
        self._subject_of = subject_of
        self._task: AnalysisTask | None = None
        self._turn = threading.Lock()
        """Of the one thread that talks to the engine."""

    def go(self, session: Session, seed: int, on_choice: Callable[[Choice], None], clock: Clock | None = None) -> None:
        limits = self._limits
        if clock is not None:
            allowed_ms = clock_limits(clock)[0]
            limits = replace(limits, hard_ms=min(limits.hard_ms or allowed_ms, allowed_ms))
        try:
            subject = self._subject_of(session)
        except ValueError as error:
            on_choice(Choice(None, None, f"{self.engine_name} cannot be asked: {printable(str(error))}"))
            return
        number = subject.last_turn
        self._task = task = AnalysisTask(subject, number, subject.at(number), limits)
        threading.Thread(target=self._think, args=(task, on_choice), name=self.engine_name, daemon=True).start()

    def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.stopped.set()
            self._analyst.stop()

    def new_game(self) -> None:
        self._analyst.clear()

    def close(self) -> None:
        self.stop()
        self._analyst.close()

    def _think(self, task: AnalysisTask, on_choice: Callable[[Choice], None]) -> None:
        """On a thread of its own. A stopped task has an answer, too, which nobody takes."""
        fault, move = "", None
        with self._turn:
            try:
                found = self._analyst.analyse(task, lambda remark: None)
                move = task.turn.move_text(found.lines[0].pv[0]) if found.lines else None
            except AnalysisError as error:
                fault = printable(str(error))
            except Exception as error:  # noqa: BLE001 - the page must not wait for ever
                fault = f"internal error: {type(error).__name__}: {excerpt(str(error))}"
        if self._task is task:
            self._task = None
        on_choice(Choice(move, None, fault or f"{self.engine_name} gave no move"))
