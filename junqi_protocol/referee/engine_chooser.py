"""Another engine at a table, over the line protocol. For each move it is started, and gets what the referee sends to a
player that comes back: the game as its seat knows it, and the question."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine_client.player import START_S
from game_core.chooser import Choice, Chooser
from junqi_protocol.referee.connections import CameBack, EndableWork, Gone, NoLine
from junqi_protocol.referee.match_game import OWN, JunqiPlayer
from junqi_protocol.referee.referee import shake_hands
from junqi_protocol.rules.messages import BestMove, Go, MessageError
from junqi_protocol.session import JunqiSession
from search_core.clock import now_s
from search_core.line_protocol import excerpt, printable

if TYPE_CHECKING:
    from engine_client.specification import EngineSpecification
    from game_core.session import Session
    from junqi_protocol.rules.geometry import Variant
    from search_core.time_budget import Clock

_TIMEOUT_S = 10.0
"""Beyond the time of a move."""
_END_S = 3.0
"""For the engine to end."""
_DRAW = " draw"


class EngineChooser(Chooser):
    """`movetime_ms`: milliseconds for a move, if the engine has no limit of its own."""

    def __init__(self, specification: EngineSpecification, movetime_ms: int) -> None:
        limit = specification.limit
        self._player = JunqiPlayer(specification)
        self._movetime_ms = movetime_ms if limit is None else limit.movetime_ms
        self._work = EndableWork()
        self._thread: threading.Thread | None = None

    def go(self, session: Session, seed: int, on_choice: Callable[[Choice], None], clock: Clock | None = None) -> None:
        assert isinstance(session, JunqiSession)
        arbiter, seat = session.arbiter, session.to_move
        go = Go(seat, arbiter.next_ply, movetime=self._movetime_ms, draw=arbiter.asks_for_draw)
        lines = [*arbiter.so_far((seat,), OWN), go.text()]
        legal = {*session.legal_moves()}
        self._work = work = EndableWork()

        async def ask() -> None:
            answer = await self._answer(seat, arbiter.variant, go.ply, lines)
            if answer.word not in legal:
                raise MessageError(f"moved {excerpt(answer.word)}, which is not legal")
            on_choice(Choice(answer.word + _DRAW * answer.draw, None))

        def run() -> None:
            fault = ""
            try:
                asyncio.run(work.run(ask()))
            except asyncio.CancelledError:
                return  # nobody waits
            except NoLine:
                fault = "no move in time"
            except (Gone, CameBack, OSError, MessageError) as error:
                fault = str(error) or "ended before its move"
            if fault:
                on_choice(Choice(None, None, printable(f"{self._player.name}: {fault}")))

        self._thread = threading.Thread(target=run, name=self._player.name, daemon=True)
        self._thread.start()

    async def _answer(self, seat: int, variant: Variant, ply: int, lines: Sequence[str]) -> BestMove:
        """Start the engine, ask it, and end it. Raises Gone, NoLine, CameBack, OSError and MessageError."""
        with contextlib.ExitStack() as pipes:
            connection = self._player.connection((seat,), pipes)
            try:
                await connection.open()
                await shake_hands(connection, START_S)
                for line in lines:
                    connection.send(line)
                deadline = now_s() + self._movetime_ms / 1000 + _TIMEOUT_S
                while True:
                    words = (await connection.receive(deadline)).split()
                    if words[:1] == ["bestmove"]:
                        answer = BestMove.parse(words[1:], variant)
                        if answer.ply == ply:
                            return answer
            finally:
                await connection.close()

    def stop(self) -> None:
        self._work.end()

    def close(self) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join(_END_S)
