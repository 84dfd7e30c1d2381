"""Junqi in a match: under the referee, one team per engine. Each deal is played twice, with the teams swapped.

A team is one program that plays both seats, or a program for each seat.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from board_pages.drawing import BoardDrawing, point_digits, start_text
from board_pages.playback import Playback
from engine_client.engine_options import INSIST, OptionList
from engine_client.player import START_S, Fault
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from game_core.session import DRAW, FIRST_WINS, SECOND_WINS
from junqi_protocol.records.display import place
from junqi_protocol.records.records import SUFFIX, Replay, record_text
from junqi_protocol.referee.connections import CameBack, EndableWork, Gone, NoLine, ProcessConnection
from junqi_protocol.referee.referee import Referee, RefereeConditions, Spectator, shake_hands
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import VARIANTS, Variant, move_text, parse_move
from junqi_protocol.rules.lineup import placed, random_lineup
from junqi_protocol.rules.messages import Happening, Moved, Skipped, Terms
from junqi_protocol.rules.position import RESULTS
from match_runner.game import MatchConditions, MoveStats, PlayedGame
from match_runner.live_game import LiveGame
from match_runner.notation import FolderWriter
from match_runner.openings import Opening, openings_for
from search_core.child_process import StderrCapture
from search_core.failures import failure_of
from search_core.line_protocol import printable

_QUIET_PLIES, _SKIPS = 70, 5
TEAM, SEAT, OWN = "team", "seat", "own"
USUAL_MINDS = {TEAM: TEAM, OWN: SEAT}
"""Who thinks, by what a seat sees."""
RANKS = "987654321BMF"
_CHARACTER = dict(zip(RANKS, "司军师旅团营连排工炸雷旗"))
"""One character per rank: two would be too small on a phone."""
LOOKS = ("dark square seat0", "light square seat1", "dark seat2", "light seat3")
_LEGENDS = {
    "duel": "Seat 0 (even, below) has the dark pieces, seat 1 (odd) the light ones.",
    "siguo": "Seats 0 (below) and 2 are even and dark, 1 (right) and 3 odd and light; 2 and 3 have round pieces.",
}
_REASONS = {"exit": "crash", "plies": "ply-limit"}
"""In the words of a match, where they differ from the referee's."""


class _EngineConnection(ProcessConnection):
    """An engine of a match."""

    def __init__(self, seats: tuple[int, ...], specification: EngineSpecification) -> None:
        self.stderr = StderrCapture(specification.complaints)
        super().__init__(seats, specification.command, specification.directory, specification.memory_mb, self.stderr)
        self.options = specification.options
        self.offered = OptionList("jlp")
        self.reported_name = ""
        if specification.limit is not None:
            self.movetime_ms = specification.limit.movetime_ms
        self._wanted = specification.options

    def on_handshake_line(self, line: str) -> None:
        if line.lower().startswith("id name "):
            self.reported_name = line[len("id name ") :].strip()
        self.offered.read(line)
        self.options = self.offered.match(self._wanted).options


class JunqiPlayer:
    """An engine over the line protocol. Each game starts the program again."""

    def __init__(self, specification: EngineSpecification) -> None:
        self.specification = specification
        self.name = specification.name
        self.remarks: list[str] = []
        self._reported_name = ""
        self.work = EndableWork()

    def start(self) -> None:
        """Check that the program starts, shakes hands and has its options. Raises Fault ('crash') if not."""
        faults: list[str] = []

        async def try_out(connection: _EngineConnection) -> None:
            try:
                await connection.open()
                await shake_hands(connection, START_S)
                self._reported_name = connection.reported_name
                faults.extend(connection.offered.match(self.specification.options).faults)
            finally:
                await connection.close()

        try:
            with contextlib.ExitStack() as pipes:
                asyncio.run(self.work.run(try_out(self.connection((0,), pipes))))
        except asyncio.CancelledError:
            raise Fault("crash", "was ended") from None
        except OSError as error:
            raise Fault("crash", f"cannot be started: {failure_of(error)}") from None
        except Gone as gone:
            raise Fault("crash", str(gone) or "ended during the handshake") from None
        except (NoLine, CameBack):
            raise Fault("crash", f"no junqiok in {START_S:.0f} s") from None
        self.remarks = [f"{fault}; sent anyway" for fault in faults]
        if faults and not self.specification.allows_unknown:
            raise Fault("crash", f"{'; '.join(faults)} ({INSIST} sends them anyway)")

    def reported_name(self) -> str:
        return self._reported_name

    def stop(self) -> None:
        """Nothing runs between games."""

    def shut_down_for_good(self) -> None:
        """End the current game and play no more. Any thread may call this."""
        self.work.end()

    def connection(self, seats: tuple[int, ...], pipes: contextlib.ExitStack) -> _EngineConnection:
        """A connection to a program for one game, with a pipe for its stderr. Raises OSError."""
        connection = _EngineConnection(seats, self.specification)
        pipes.callback(connection.stderr.close)
        return connection


class _Clerk(Spectator):
    """Notes what a match needs from a game."""

    def __init__(self, live: LiveGame | None) -> None:
        self.move_stats: list[MoveStats] = []
        self.arbiter: Arbiter | None = None
        self._live = live

    def begun(self, number: int, arbiter: Arbiter) -> None:
        self.arbiter = arbiter
        self._show(arbiter)

    def happened(self, happening: Happening) -> None:
        if self.arbiter is not None:
            self._show(self.arbiter)

    def _show(self, arbiter: Arbiter) -> None:
        if self._live is not None:
            self._live.show((), record_text(arbiter))

    def answered(self, seat: int, elapsed_ms: float) -> None:
        self.move_stats.append(MoveStats(seat % 2, elapsed_ms))


class Junqi:
    """A variant of geometry.VARIANTS. A side is a team; the first engine of a game has the even seats.

    An opening is a deal: the lineups and the seat that begins. Both are random, from the seed and the deal's number.

    Parameters
    ----------
    variant : str
    seed : int
    draws : bool
        Whether the teams may agree on a draw.
    see : str
        Whether an engine is shown the lineups of its TEAM, or only those of the seats that it plays (OWN).
    minds : str or None
        Whether one program plays for a TEAM, or one for each SEAT; None: as in USUAL_MINDS.
    """

    sides = ("even", "odd")

    def __init__(self, variant: str, seed: int, draws: bool = False, see: str = TEAM, minds: str | None = None) -> None:
        self._name = variant
        self._seed = seed
        self._draws = draws
        self._see = see
        self._minds = minds or USUAL_MINDS[see]

    @property
    def _variant(self) -> Variant:
        return VARIANTS[self._name]  # not stored in the object, which is pickled

    def terms(self) -> dict[str, Any]:
        terms: dict[str, Any] = {"game": "junqi", "variant": self._name, "seed": self._seed}
        if self._draws:
            terms["draws"] = True
        # Files of matches from before these options have neither.
        if (self._see, self._minds) != (TEAM, TEAM):
            terms.update(see=self._see, minds=self._minds)
        return terms

    def player(self, specification: EngineSpecification) -> JunqiPlayer:
        return JunqiPlayer(specification)

    @staticmethod
    def deals(games: int) -> list[Opening]:
        """The openings for a number of games; each is played twice."""
        return [Opening((), number + 1) for number in range(openings_for(games))]

    def play(
        self,
        players: Sequence[JunqiPlayer],
        opening: Opening,
        conditions: MatchConditions,
        live: LiveGame | None = None,
    ) -> PlayedGame:
        chance = random.Random(f"{self._seed} {opening.line}")
        lineups = [random_lineup(chance) for _ in range(self._variant.seats)]
        limit = conditions.limit
        terms = Terms(
            self._variant,
            first=chance.randrange(self._variant.seats),
            quiet=_QUIET_PLIES,
            skips=_SKIPS,
            plies=conditions.max_plies,
            clock=limit.match_ms,
            inc=limit.increment_ms,
            draws=self._draws,
        )
        clerk = _Clerk(live)
        with contextlib.ExitStack() as pipes:
            try:
                connections = [
                    player.connection(seats, pipes)
                    for team, player in enumerate(players)
                    for seats in self._programs(team)
                ]
                given = RefereeConditions(
                    terms,
                    see=self._see,
                    movetime_ms=limit.movetime_ms,
                    lag_ms=limit.margin_ms,
                    lineups=lineups,
                    must_start=False,  # the match has tried the engines before
                )
                asyncio.run(players[0].work.run(Referee(given, connections, clerk).run()))
            except asyncio.CancelledError:
                raise Fault("crash", "was ended") from None
            arbiter = clerk.arbiter
            if arbiter is None or arbiter.outcome is None:
                raise Fault("crash", "was ended")
            game = self._record(players, opening, arbiter)
            if game.reason == "crash":
                loser = 1 if game.result == FIRST_WINS else 0
                last_lines = [one.stderr.last_line() for one in connections if one.seats[0] % 2 == loser]
                last_line = next(filter(None, last_lines), "")
                game.detail = printable(f"{players[loser].name} exited" + (f": {last_line}" if last_line else ""))
            game.move_stats = tuple(clerk.move_stats)
            game.notation = record_text(arbiter)
            return game

    def _programs(self, team: int) -> list[tuple[int, ...]]:
        """The seats that each program of a team plays."""
        seats = self._variant.team(team)
        return [seats] if self._minds == TEAM else [(seat,) for seat in seats]

    @staticmethod
    def _record(players: Sequence[JunqiPlayer], opening: Opening, arbiter: Arbiter) -> PlayedGame:
        assert arbiter.outcome is not None
        reason = arbiter.outcome.split()[-1]
        reason = _REASONS.get(reason, reason)
        last = arbiter.happenings[-1]
        if isinstance(last, Skipped) and last.out and last.kind == "time":
            reason = "time"
        winner = arbiter.position.winner
        result = DRAW if winner is None else (FIRST_WINS, SECOND_WINS)[winner]
        variant = arbiter.position.variant
        moves = tuple(move_text(variant, item.move) for item in arbiter.happenings if isinstance(item, Moved))
        names = players[0].name, players[1].name
        return PlayedGame(names, opening, moves, result, reason)

    def read_move(self, text: str) -> str:
        return move_text(self._variant, parse_move(self._variant, text))

    def board(self) -> BoardDrawing:
        return junqi_board(self._variant)

    def playback(self, record: PlayedGame) -> Playback:
        arbiter = Replay(record.notation.encode("ascii")).arbiter
        lineups = placed(enumerate(arbiter.lineups))
        start = start_text((point, seat * len(RANKS) + RANKS.index(rank)) for point, seat, rank in lineups)
        plies = []
        for happening in arbiter.happenings:
            ply = f"s{happening.seat}"
            if isinstance(happening, Moved):
                kind = {"KILLED": "k", "BOMB": "b"}.get(RESULTS[happening.result], "m")
                ply = f"{kind}{point_digits(happening.move >> 8)}{point_digits(happening.move & 255)}"
            plies.append(ply + "".join(f"o{seat}" for seat, _ in happening.outs))
        return Playback(" ".join(plies), start)

    def notation_writer(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> JgrWriter:
        return JgrWriter(path, resumed)


class JgrWriter(FolderWriter):
    """Writes the referee's records."""

    suffix = SUFFIX

    def _text(self, record: PlayedGame) -> bytes:
        return record.notation.encode("ascii")


def junqi_board(variant: Variant) -> BoardDrawing:
    """The board for the viewer, seat 0 at the bottom. Points are numbered as in geometry.py; railways are thick."""
    places = [place(variant, point) for point in range(variant.size)]
    shapes = [
        "camp" if point in variant.camps else "house" if point in variant.headquarters else ""
        for point in range(variant.size)
    ]
    points = [(x, y, variant.squares[point], shapes[point]) for point, (x, y) in enumerate(places)]
    lines = [
        (*places[point], *places[other], thickness)
        for thickness, joined in ((1, variant.roads), (3, variant.rails))
        for point in range(variant.size)
        for other in joined[point]
        if point < other
    ]
    columns, rows = (max(numbers) for numbers in zip(*places))
    texts: list[tuple[float, float, str]] = [(x, rows + 0.9, chr(ord("a") + x)) for x in range(columns + 1)]
    texts += [(-0.9, y, str(rows + 1 - y)) for y in range(rows + 1)]
    kinds = [(_CHARACTER[rank], seat, LOOKS[seat]) for seat in range(variant.seats) for rank in RANKS]
    sides = [f"seat {seat}" for seat in range(variant.seats)]
    return BoardDrawing(columns, rows, points, lines, texts, kinds, sides, _LEGENDS[variant.name])
