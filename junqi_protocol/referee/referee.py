"""The referee: connects the players, asks each in turn, and sends everyone what happened.

The Arbiter knows the rules and writes all lines. This module has the order of events, the clocks and the records.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from junqi_protocol.records.records import SUFFIX, NotBegun, RecordError, RecordWriter, Replay, write_record
from junqi_protocol.referee.connections import CameBack, Connection, Gone, NoLine, ProcessConnection, SocketConnection
from junqi_protocol.rules import lineup
from junqi_protocol.rules.arbiter import Arbiter, Refused
from junqi_protocol.rules.lineup import LineupError
from junqi_protocol.rules.messages import VERSION, BestMove, Go, Happening, MessageError, Terms, number
from search_core.clock import now_s
from search_core.input_file import read_input
from search_core.line_protocol import excerpt

LAG_MS = 50
"""Milliseconds of each answer that are not charged to the clock: the round trip."""
HANDSHAKE_S = 20.0
LINEUP_S = 20.0
_MAX_THOUGHT_S = 10 * 365 * 86400.0

FROM_ENGINES, RANDOM_LINEUPS = "engine", "random"
"""Where lineups come from, if not from a list."""


@dataclass(frozen=True)
class RefereeConditions:
    """What the games of a run have in common."""

    terms: Terms
    """Of the first game; in each later game the next seat begins."""
    see: str = "own"
    games: int = 1
    movetime_ms: int = 0
    """Milliseconds a move; 0: as long as the clock allows."""
    lag_ms: int = LAG_MS
    """Milliseconds of each answer that are not charged to the clock."""
    lineups: str | Sequence[str] = RANDOM_LINEUPS
    """FROM_ENGINES, RANDOM_LINEUPS, or lineups that the seats get in turn, again from the first after the last."""
    seed: int | None = None
    """Makes random lineups repeatable; None: they come from the system's secure random source."""
    records: Path | None = None
    """The folder of the records."""
    record_at_end: bool = False
    """Whether a record is written when its game is over, so that no player can read it before; else ply by ply."""
    resume: bool = False
    """Whether to continue games that are already in the folder."""
    must_start: bool = True
    """Whether a program that leaves before its first answer of the run ends the run; else it only loses its seats."""


class StartUpError(Exception):
    """A program does not start, or leaves before its first answer; the message is one line."""


async def shake_hands(player: Connection, timeout_s: float) -> None:
    """Do the handshake with a player that has just connected. Raises Gone, NoLine or CameBack."""
    if not isinstance(player, SocketConnection):
        player.send(f"junqi {VERSION}")  # a TCP client got it when it connected
    deadline = now_s() + timeout_s
    while (line := await player.receive(deadline)).lower().split() != ["junqiok", VERSION]:
        player.on_handshake_line(line)
    for name, value in player.options:
        player.send(f"setoption name {name} value {value}")
    player.ready = True


class Spectator:
    """Observer base class; the default does nothing."""

    def was_over(self, number: int, arbiter: Arbiter) -> None:
        """A game was played before, as its record says."""

    def begins_again(self, number: int) -> None:
        """A game starts again, since its record ends before the start."""

    def begun(self, number: int, arbiter: Arbiter) -> None:
        """A game begins, or continues from its record."""

    def answered(self, seat: int, elapsed_ms: float) -> None:
        """A seat has answered or run out of time. happened() follows with the result."""

    def happened(self, happening: Happening) -> None:
        """A ply was played."""

    async def pause(self) -> None:
        """Called at the beginning of a game and after each ply: the game goes on when this returns. No clock runs."""

    def over(self, number: int, arbiter: Arbiter) -> None:
        """A game is over."""


class Referee:
    """Plays games between connected players.

    Parameters
    ----------
    players : sequence of Connection
        Together they play every seat once.
    """

    def __init__(
        self,
        conditions: RefereeConditions,
        players: Sequence[Connection],
        spectator: Spectator,
    ) -> None:
        self._conditions = conditions
        self._players = list(players)
        self._player_of = {seat: player for player in players for seat in player.seats}
        self._spectator = spectator
        self._record: RecordWriter | None = None
        self._have_answered: set[Connection] = set()

    async def run(self) -> None:
        """Play all games. Raises OSError if a record cannot be written, RecordError if one cannot be continued, and
        StartUpError."""
        try:
            for number in range(1, self._conditions.games + 1):
                path = self._record_path(number)
                replay = None
                if path is not None and self._conditions.resume and path.exists():
                    try:
                        replay = Replay(read_input(path))
                    except NotBegun:
                        self._spectator.begins_again(number)
                    except RecordError as error:
                        raise RecordError(f"{path}: {error}") from None
                    else:
                        self._check_terms(path, replay)
                        if replay.finished:
                            self._spectator.was_over(number, replay.arbiter)
                            continue
                await self._play(number, path, replay)
        finally:
            await asyncio.gather(*(player.close() for player in self._players), return_exceptions=True)
            if self._record is not None:
                self._record.close()

    def _check_terms(self, path: Path, replay: Replay) -> None:
        """Raise RecordError if a game to go on with has other terms than new ones, but for who begins."""
        terms, recorded = (replace(each, first=0, id="") for each in (self._conditions.terms, replay.arbiter.terms))
        if recorded != terms:
            raise RecordError(f"{path}: a game of {recorded.text()}, but the options say {terms.text()}")

    def _record_path(self, number: int) -> Path | None:
        folder = self._conditions.records
        return None if folder is None else folder / f"game{number:05}{SUFFIX}"

    async def _play(self, number: int, path: Path | None, replay: Replay | None) -> None:
        await asyncio.gather(*(self._make_ready(player) for player in self._players))
        arbiter = await self._begin(number) if replay is None else replay.arbiter
        if path is not None and not self._conditions.record_at_end:
            self._record = RecordWriter(path, arbiter, goes_on=replay is not None)
        self._spectator.begun(number, arbiter)
        for player in self._players:
            lines = arbiter.so_far(player.seats, self._conditions.see)
            has_newgame = replay is None and not player.came_back
            for line in lines[1:] if has_newgame else lines:
                player.send(line)
        await self._spectator.pause()
        while arbiter.outcome is None:
            asked, seat = now_s(), arbiter.turn
            happening = await self._ask(arbiter, self._player_of[seat])
            self._spectator.answered(seat, 1000 * (now_s() - asked))
            if self._record is not None:
                self._record.happened(happening)
            line = happening.text(arbiter.variant)
            for player in self._players:
                self._tell(arbiter, player, line)
            self._spectator.happened(happening)
            await self._spectator.pause()
        if self._record is not None:
            self._record.finish()
            self._record = None
        elif path is not None:
            write_record(path, arbiter)
        for player in self._players:
            for line in arbiter.closing():
                player.send(line)
        self._spectator.over(number, arbiter)

    async def _make_ready(self, player: Connection) -> None:
        """Connect and do the handshake. A player that fails later than at its start is ignored here: its seats will
        fall."""
        try:
            await player.open()
            while not player.ready:
                with contextlib.suppress(CameBack):
                    await shake_hands(player, HANDSHAKE_S)
        except Gone as gone:
            self._check_start(player, gone)
        except NoLine:
            pass

    def _check_start(self, player: Connection, gone: Gone) -> None:
        """Raise StartUpError if a program has gone before its first answer."""
        if self._conditions.must_start and isinstance(player, ProcessConnection) and player not in self._have_answered:
            seats = ",".join(map(str, player.seats))
            reason = str(gone) or f"{excerpt(player.command)} has ended before its first answer"
            raise StartUpError(f"--seats {seats}: {reason}")

    async def _begin(self, number: int) -> Arbiter:
        """Agree on the terms and the lineups of a new game."""
        conditions = self._conditions
        terms = conditions.terms
        terms = replace(terms, first=(terms.first + number - 1) % terms.variant.seats, id=f"game{number}")
        chance = random.SystemRandom() if conditions.seed is None else random.Random(f"{conditions.seed} {number}")
        lineups = [lineup.random_lineup(chance) for _ in range(terms.variant.seats)]
        if not isinstance(conditions.lineups, str):
            given = conditions.lineups
            first = (number - 1) * terms.variant.seats
            lineups = [given[(first + seat) % len(given)] for seat in range(terms.variant.seats)]
        arbiter = Arbiter(terms, lineups)
        for player in self._players:
            player.send(arbiter.greeting(player.seats, conditions.see))
        if conditions.lineups == FROM_ENGINES:
            for answers in await asyncio.gather(*(self._ask_lineups(arbiter, player) for player in self._players)):
                for seat, chosen in answers.items():
                    lineups[seat] = chosen
            arbiter = Arbiter(terms, lineups)
        return arbiter

    async def _ask_lineups(self, arbiter: Arbiter, player: Connection) -> dict[int, str]:
        """The lineups that a player wants for its seats; missing or wrong ones are left out."""
        answers: dict[int, str] = {}
        open_seats = set(player.seats)
        deadline = now_s() + LINEUP_S

        def ask() -> None:
            for seat in sorted(open_seats):
                player.send(f"deploy {seat}")

        ask()
        while open_seats:
            try:
                words = (await player.receive(deadline)).split()
            except CameBack:
                player.ready = True
                player.send(arbiter.greeting(player.seats, self._conditions.see))
                ask()
                continue
            except (Gone, NoLine):
                break
            if len(words) < 2 or words[0].lower() != "lineup":
                continue
            with contextlib.suppress(MessageError, LineupError):
                seat = number(words[1], "a seat")
                if seat in open_seats:
                    open_seats.remove(seat)
                    answers[seat] = lineup.parse(words[2] if len(words) > 2 else "")
        return answers

    def _tell(self, arbiter: Arbiter, player: Connection, line: str) -> None:
        """Send a player what has just happened, or the whole game if it has reconnected since."""
        if player.came_back:
            self._tell_all(arbiter, player)
        else:
            player.send(line)

    def _tell_all(self, arbiter: Arbiter, player: Connection) -> None:
        player.ready = True  # it says junqiok meanwhile, beside its answers
        for line in arbiter.so_far(player.seats, self._conditions.see):
            player.send(line)

    async def _ask(self, arbiter: Arbiter, player: Connection) -> Happening:
        """Ask the seat on turn for its ply, and judge the answer."""
        movetime = self._conditions.movetime_ms if player.movetime_ms is None else player.movetime_ms
        clock = arbiter.clocks[arbiter.turn] if arbiter.clocks is not None else None
        limits = [limit for limit in (movetime or None, clock) if limit is not None]
        began = now_s()
        deadline = began + ((min(limits) + self._conditions.lag_ms) / 1000 if limits else _MAX_THOUGHT_S)

        def used_ms() -> int:
            return max(int((now_s() - began) * 1000) - self._conditions.lag_ms, 0)

        def go() -> None:
            left = None if clock is None else max(clock - used_ms(), 0)
            player.send(
                Go(
                    arbiter.turn,
                    arbiter.next_ply,
                    movetime=max(movetime - used_ms(), 1) if movetime else None,
                    clock=left,
                    inc=arbiter.terms.inc or None,
                    draw=arbiter.asks_for_draw,
                ).text()
            )

        if player.came_back:
            self._tell_all(arbiter, player)
        go()
        while True:
            try:
                answer = self._answer(arbiter, await player.receive(deadline))
                if answer is not None:
                    self._have_answered.add(player)
                    return arbiter.answer(answer, used_ms())
            except Refused as refusal:
                if self._record is not None:
                    self._record.write(str(refusal))
                player.send(str(refusal))
            except CameBack:
                self._tell_all(arbiter, player)
                go()
            except Gone as gone:
                self._check_start(player, gone)
                return arbiter.leave("exit", used_ms())
            except NoLine:
                if clock is not None and (not movetime or clock <= movetime):
                    return arbiter.leave("time", used_ms())
                return arbiter.skip("time", used_ms())

    @staticmethod
    def _answer(arbiter: Arbiter, line: str) -> BestMove | None:
        """The answer for this ply, if the line is one; other lines are ignored."""
        words = line.split()
        if not words or words[0].lower() != "bestmove":
            return None
        try:
            answer = BestMove.parse(words[1:], arbiter.variant)
        except MessageError:
            return None
        return answer if answer.ply == arbiter.next_ply else None
