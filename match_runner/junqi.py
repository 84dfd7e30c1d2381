"""Junqi as a match plays it: under the referee, a team to each engine, the deals in pairs with teams changed over."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Sequence

from junqi_protocol.arbiter import Arbiter
from junqi_protocol.connections import CameBack, Gone, NoLine, ProcessConnection
from junqi_protocol.geometry import VARIANTS, move_text
from junqi_protocol.lineup import random_lineup
from junqi_protocol.messages import Moved, Skipped, Terms
from junqi_protocol.referee import Conditions, Referee, Spectator, shake_hands
from match_runner.game import DRAW, FIRST_WINS, SECOND_WINS, Effort, GameRecord
from match_runner.openings import Opening
from match_runner.player import START_S, Fault, ThinkingLimit
from match_runner.specification import EngineSpecification

_QUIET_PLIES, _SKIPS = 70, 5
_FAULTS = {"exit": "crash"}
"""Reasons of the referee that the match calls otherwise."""


class JunqiPlayer:
    """An engine over the line protocol. Each game has a program of its own for it."""

    def __init__(self, specification: EngineSpecification) -> None:
        self.specification = specification
        self.name = specification.name
        self._retired = False
        self._game: tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None = None

    def start(self) -> None:
        """See whether the program starts and shakes hands. Raises Fault ('crash') if not."""

        async def try_out() -> None:
            connection = self.connection((0,))
            try:
                await connection.open()
                await shake_hands(connection, START_S)
            finally:
                await connection.close()

        try:
            asyncio.run(try_out())
        except Gone as gone:
            raise Fault("crash", str(gone) or "ended during the handshake") from None
        except (NoLine, CameBack):
            raise Fault("crash", f"no junqiok in {START_S:.0f} s") from None

    def stop(self) -> None:
        """Nothing runs between games."""

    def retire(self) -> None:
        """End the game that it plays, and play no more. May be called by any thread."""
        self._retired = True
        game = self._game
        if game is not None:
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                game[0].call_soon_threadsafe(game[1].cancel)

    def connection(self, seats: tuple[int, ...]) -> ProcessConnection:
        """A program for one game."""
        connection = ProcessConnection(seats, self.specification.command, self.specification.directory)
        connection.options = self.specification.options
        return connection

    async def play(self, referee: Referee) -> None:
        """Play a game, that retire() ends."""
        task = asyncio.current_task()
        assert task is not None
        self._game = asyncio.get_running_loop(), task
        try:
            if not self._retired:
                await referee.run()
        finally:
            self._game = None


class _Clerk(Spectator):
    """Writes down what a match wants to know of a game."""

    def __init__(self) -> None:
        self.efforts = Effort(), Effort()
        self.arbiter: Arbiter | None = None

    def begun(self, number: int, arbiter: Arbiter) -> None:
        self.arbiter = arbiter

    def answered(self, seat: int, elapsed_ms: float) -> None:
        effort = self.efforts[seat % 2]
        effort.moves += 1
        effort.time_ms += elapsed_ms
        effort.longest_ms = max(effort.longest_ms, elapsed_ms)


class Junqi:
    """A variant of geometry.VARIANTS. Teams are sides; the engine named first in a game has the even seats.

    An opening is a deal: the lineups and the seat that begins, drawn by lot from the seed and the deal's number.
    """

    sides = ("even", "odd")

    def __init__(self, variant: str, seed: int) -> None:
        self._variant = VARIANTS[variant]
        self._seed = seed

    def player(self, specification: EngineSpecification) -> JunqiPlayer:
        return JunqiPlayer(specification)

    @staticmethod
    def deals(games: int) -> list[Opening]:
        """The openings of so many games, each to be played twice."""
        return [Opening((), number + 1) for number in range((games + 1) // 2)]

    def play(
        self, players: Sequence[JunqiPlayer], opening: Opening, limit: ThinkingLimit, max_plies: int
    ) -> GameRecord:
        chance = random.Random(f"{self._seed} {opening.line}")
        lineups = [random_lineup(chance) for _ in range(self._variant.seats)]
        terms = Terms(
            self._variant, first=chance.randrange(self._variant.seats), quiet=_QUIET_PLIES, skips=_SKIPS,
            plies=max_plies, clock=limit.match_ms, inc=limit.increment_ms,
        )  # fmt: skip
        conditions = Conditions(
            terms, movetime_ms=limit.movetime_ms, lag_ms=limit.margin_ms, lineups=lineups
        )
        clerk = _Clerk()
        connections = [player.connection(self._variant.team(team)) for team, player in enumerate(players)]
        try:
            asyncio.run(players[0].play(Referee(conditions, connections, clerk)))
        except asyncio.CancelledError:
            raise Fault("crash", "was ended") from None
        return self._record(players, opening, clerk)

    def _record(self, players: Sequence[JunqiPlayer], opening: Opening, clerk: _Clerk) -> GameRecord:
        arbiter = clerk.arbiter
        if arbiter is None or arbiter.outcome is None:
            raise Fault("crash", "was ended")
        reason = arbiter.outcome.split()[-1]
        last = arbiter.happenings[-1]
        if isinstance(last, Skipped) and last.out and last.kind == "time":
            reason = "time"
        winner = arbiter.position.winner
        result = DRAW if winner is None else (FIRST_WINS, SECOND_WINS)[winner]
        moves = tuple(happening.move for happening in arbiter.happenings if isinstance(happening, Moved))
        reason = "ply-limit" if reason == "plies" else _FAULTS.get(reason, reason)
        names = players[0].name, players[1].name
        return GameRecord(names, opening.line, 0, moves, result, reason, "", clerk.efforts)

    def move_text(self, move: int) -> str:
        return move_text(self._variant, move)
