"""Strength: games of Junqi against another program over the UDP protocol of the GUI of pfysw/JunQi.

    python benchmarks/junqi_udp_match.py --opponent "./junqi-{team}"
    python benchmarks/junqi_udp_match.py --opponent "./junqi-{team}" --level path --games 10 --out games.jsonl

The benchmark plays the GUI's side: it gives the lineups, judges the moves and reports them to both programs. Each
program has both seats of a team, and is started anew for each game. A command may contain {team} (even or odd), which
seats it plays, {port}, to which it sends, and {quiet}, the plies without a clash that are a draw.

Lineups are random; those of a deal are played twice, the second time with the teams exchanged. The seat that begins
changes from deal to deal. Our program keeps to --movetime. The opponent is sent GO ("move now") after --go
milliseconds, and again after each such time until it has moved.

Games in which the opponent crashes, hangs (does not move within --patience) or makes an illegal move are counted apart,
and are in no score. If our program does that, it has lost the game. This, and each move that is later than --movetime
and --margin, is a fault: then the exit status is 1.

The opponent of docs/measurements.md is the newest engine of https://github.com/pfysw/JunQi, which searches: the folder
ENGINE/src of commit 0b7207f. Its author builds it with Cygwin. On Linux it needs two files of your own:
- a windows.h with LARGE_INTEGER (a struct with a 64-bit QuadPart) and QueryPerformanceCounter;
- a C file with __wrap_mq_open and __wrap_mq_unlink. They put a / before the name of a message queue, as Linux demands,
  and ask for at most 10 messages, Linux's limit for users. The engine asks for 15.
Compile all .c files with `gcc -O0 -I FOLDER_OF_WINDOWS_H`, without -DNDEBUG, and link with
`-Wl,--wrap=mq_open,--wrap=mq_unlink -lpthread -lrt`. With -DTEST it plays seats 0 and 2 and receives at UDP port 6678:
junqi-even. Without, it plays seats 1 and 3 and receives at port 5678: junqi-odd. It sends to 127.0.0.1:1234. With these
fixed ports a machine can play one match at a time.
- Time: its search has several stages. GO ends one stage, and a later stage forgets it. So most moves need a second GO:
  with --go 500 it moves after one second, in the mean 1.1 s.
- Crashes: its three search threads share a list. Each locks its own copy of the list's mutex, so the list is not
  protected, and games end with SIGSEGV, a failed assertion or an endless loop: 9 of 22 in a test, on a faster machine
  all of 17. On one core (`taskset -c 0`, for this command and both programs) 2 of 20 did, and it played better.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import signal
import socket
import statistics
import sys
import sysconfig
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from junqi_protocol.players.levels import LEVELS
from junqi_protocol.protocols.udp_packets import DEATH, MAGIC, MAX_SKIPS, PLACES, POINTS, SKIP, Function
from junqi_protocol.protocols.udp_packets import signal as header_packet
from junqi_protocol.records.records import SUFFIX, write_record
from junqi_protocol.rules.arbiter import Arbiter, Refused
from junqi_protocol.rules.geometry import SIGUO, move_of
from junqi_protocol.rules.lineup import random_lineup, to_bytes
from junqi_protocol.rules.messages import BestMove, Happening, Moved, Skipped, Terms
from junqi_protocol.rules.position import RESULTS
from match_runner.statistics import Pairs, estimate
from search_core.child_process import ChildProcess, StderrCapture
from search_core.clock import now_s
from search_core.command_line import split_words
from search_core.number_argument import number_argument

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
ENGINE = (
    f'"{SANQI}" junqi-udp --team {{team}} --gui 127.0.0.1:{{port}} --level {{level}} --movetime {{movetime}} '
    "--quiet {quiet}"
)
GUI_PORT = 1234
TEAMS = ("even", "odd")
MAX_PLIES = 5000
"""A game is drawn after this many plies."""
START_S = 30.0
"""The longest time until a program is ready for the game."""
OUR_PATIENCE_MS = 30_000
"""Without a move in this time our program hangs. The GUI skips a seat then."""
_INIT_AGAIN_S = 1.0
_POLL_S = 0.05
"""How often a program is looked at that does not answer."""
_CLOSE_S = 1.0
"""The longest wait for the rest of a program's output."""
_HEADER_BYTES = 8
_TERMINATED = 128 + 15
_MAX_DATAGRAM = 1 << 16

WON, DRAWN, LOST = "won", "drawn", "lost"
CRASH, HANG, ILLEGAL = "crash", "hang", "illegal"
"""Why a game of the opponent is counted apart, or what our fault was."""
SCORES = {WON: 1.0, DRAWN: 0.5, LOST: 0.0}
_RESULT_BYTES = {"MOVE": 1, "EAT": 2, "BOMB": 3, "KILLED": 4}
_FLAG_FELL, _MOVER_WAS_COMMANDER, _DEFENDER_WAS_COMMANDER, _NO_MOVE_LEFT = 1, 2, 4, 8


# The packets of the GUI.


def init_packet(seat: int, lineups: Sequence[str]) -> bytes:
    """INIT for a seat's team."""
    team = SIGUO.team(seat)
    shown = bytes(one in team for one in range(SIGUO.seats))
    return header_packet(Function.INIT, seat) + shown + b"".join(to_bytes(lineups[one]) for one in team)


def moved_packet(moved: Moved, defender: int | None) -> bytes:
    """MOVE for both programs. `defender`: whose piece stood on the target."""
    flags = dict(moved.flags)
    reasons = {reason for _, reason in moved.outs}
    more = (
        _FLAG_FELL * ("flag" in reasons)
        | _MOVER_WAS_COMMANDER * (moved.seat in flags)
        | _DEFENDER_WAS_COMMANDER * (defender in flags)
        | _NO_MOVE_LEFT * ("nomove" in reasons)
    )
    places = [PLACES[moved.move >> 8], PLACES[moved.move & 255]]
    shown = [PLACES[flags[seat]] if seat in flags else (0, 0) for seat in (moved.seat, defender)]
    data = bytes((*places[0], *places[1], _RESULT_BYTES[RESULTS[moved.result]], more, *shown[0], *shown[1]))
    return header_packet(Function.MOVE, moved.seat) + data


def event_packet(seat: int, event: int, skips: int) -> bytes:
    """EVENT for both programs."""
    return header_packet(Function.EVENT, seat) + bytes((event, skips, 0, 0))


def packets_of(happening: Happening, defender: int | None, skips: Sequence[int]) -> list[bytes]:
    """What the GUI sends to both programs after a ply. `skips`: of each seat."""
    if isinstance(happening, Moved):
        dead = [seat for seat, reason in happening.outs if reason == "nomove"]
        return [moved_packet(happening, defender), *(event_packet(seat, DEATH, skips[seat]) for seat in dead)]
    event = SKIP if isinstance(happening, Skipped) else DEATH
    return [event_packet(happening.seat, event, skips[happening.seat])]


def answer_of(packet: bytes, ply: int) -> BestMove | None:
    """The move, skip or surrender in a program's packet; None if it has none. What is no move gets no `move`."""
    data = packet[_HEADER_BYTES:]
    if packet[5] == Function.EVENT and data[:1] in (bytes((SKIP,)), bytes((DEATH,))):
        return BestMove("pass" if data[0] == SKIP else "resign", None, ply)
    if packet[5] != Function.MOVE:
        return None
    origin, target = POINTS.get((*data[:2],)), POINTS.get((*data[2:4],))
    return BestMove(data[:4].hex(), None if origin is None or target is None else move_of(origin, target), ply)


# The programs.


class Failed(Exception):
    """A program has ended or does not start; the message says how. `team`: which."""

    def __init__(self, team: int, message: str) -> None:
        super().__init__(message)
        self.team = team


class Program:
    """A running program, of which only the packets are read. Raises OSError if it cannot be started."""

    def __init__(self, command: Sequence[str]) -> None:
        self._stderr = StderrCapture()
        self._child = ChildProcess(command, stderr=self._stderr)
        self._reader = threading.Thread(target=self._drain, name="stdout", daemon=True)
        self._reader.start()
        self.address: tuple[str, int] | None = None
        """Where its packets come from; None: none has come yet."""

    def _drain(self) -> None:
        assert self._child.popen.stdout is not None
        while self._child.popen.stdout.read(1 << 16):
            pass

    @property
    def end(self) -> str | None:
        """How it has ended; None: it runs."""
        status = self._child.popen.poll()
        if status is None:
            return None
        last = self._stderr.last_line()
        return f"exit status {status}" + (f": {last!a}" if last else "")

    def close(self) -> None:
        """End it, with all that it has started."""
        self._child.kill()
        self._reader.join(_CLOSE_S)
        self._stderr.close()
        for pipe in (self._child.popen.stdin, self._child.popen.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


@dataclass(frozen=True)
class Conditions:
    """What all games of a match have in common."""

    engine: str
    opponent: str
    level: str
    movetime: int
    margin: int
    go: int
    patience: int
    quiet: int
    seed: int


@dataclass
class Game:
    """A game as it was played: a line of the file --out."""

    number: int
    """From 1. Games 2n - 1 and 2n have the same lineups."""
    team: str
    """Ours."""
    first: int
    """The seat that began."""
    result: str = ""
    """WON, DRAWN or LOST by us; CRASH, HANG or ILLEGAL: by the opponent, counted apart."""
    fault: str = ""
    """CRASH, HANG or ILLEGAL: by us; the game is lost."""
    detail: str = ""
    """How the game ended, or what went wrong."""
    plies: int = 0
    seconds: float = 0.0
    ours: list[int] = field(default_factory=list)
    """Milliseconds of each of our moves."""
    theirs: list[int] = field(default_factory=list)
    late: int = 0
    """Our moves later than --movetime and --margin."""

    @property
    def points(self) -> float | None:
        """Ours; None: the game is counted apart."""
        return SCORES.get(self.result)


class GameReferee:
    """The GUI's side of one game: a socket, two programs and the arbiter."""

    def __init__(self, socket_: socket.socket, conditions: Conditions, number: int) -> None:
        self._socket = socket_
        self._conditions = conditions
        deal = (number - 1) // 2
        chance = random.Random(f"{conditions.seed} {deal}")
        lineups = [random_lineup(chance) for _ in range(SIGUO.seats)]
        terms = Terms(
            SIGUO, first=deal % SIGUO.seats, quiet=conditions.quiet, skips=MAX_SKIPS, plies=MAX_PLIES,
            id=f"game{number}",
        )  # fmt: skip
        self.arbiter = Arbiter(terms, lineups)
        self._ours = (number - 1) % 2
        self._programs: list[Program] = []
        self.game = Game(number, TEAMS[self._ours], terms.first)

    def play(self) -> Game:
        """Play the game to its end. Raises OSError if a program cannot be started."""
        game, began = self.game, now_s()
        try:
            self._begin()
            while self.arbiter.outcome is None and not game.result:
                self._play_ply()
        except Failed as failure:
            self._count_against(failure.team, CRASH, str(failure))
        finally:
            for program in self._programs:
                program.close()
        if not game.result:
            winner = self.arbiter.position.winner
            game.result = DRAWN if winner is None else WON if winner == self._ours else LOST
            game.detail = self.arbiter.outcome or ""
        game.plies = len(self.arbiter.happenings)
        game.seconds = round(now_s() - began, 1)
        return game

    def _count_against(self, team: int, why: str, detail: str) -> None:
        """End the game because a program has failed."""
        game = self.game
        if team == self._ours:
            game.result, game.fault = LOST, why
        else:
            game.result = why
        game.detail = detail

    # The start.

    def _begin(self) -> None:
        """Start both programs, give them their lineups, and begin."""
        conditions = self._conditions
        self._empty_socket()
        for team, name in enumerate(TEAMS):
            text = conditions.engine if team == self._ours else conditions.opponent
            self._programs.append(Program(command(text, conditions, name, self._socket.getsockname()[1])))
        deadline, again = now_s() + START_S, now_s() + _INIT_AGAIN_S
        ready: set[int] = set()
        while len(ready) < len(TEAMS):
            now = now_s()
            if now >= deadline:
                raise Failed(min({0, 1} - ready), f"not ready within {START_S:g} s")
            packet = self._receive(min(deadline, again))
            if packet is not None:
                team = packet[4] % 2
                if packet[5] == Function.READY:
                    self._send(team, init_packet(packet[4], self.arbiter.lineups))
                elif packet[5] == Function.OK:
                    ready.add(team)
            if now >= again:
                again = now + _INIT_AGAIN_S
                for team in {0, 1} - ready:
                    if self._programs[team].address is not None:
                        self._send(team, init_packet(team, self.arbiter.lineups))
        self._tell([header_packet(Function.START, self.arbiter.turn)])

    # A ply.

    def _play_ply(self) -> None:
        """Wait for the seat on turn, judge its answer, and tell both programs."""
        arbiter, conditions, game = self.arbiter, self._conditions, self.game
        seat, asked = arbiter.turn, now_s()
        ours = seat % 2 == self._ours
        patience_s = (OUR_PATIENCE_MS if ours else conditions.patience) / 1000
        deadline = asked + patience_s
        go_s = conditions.go / 1000
        go_at = float("inf") if ours else asked + go_s
        answer = None
        while answer is None and (now := now_s()) < deadline:
            if now >= go_at:
                go_at = now + go_s
                self._send(seat % 2, header_packet(Function.GO, seat))
            packet = self._receive(min(deadline, go_at))
            # The GUI ignores the packets of other seats: a program may send one late or twice.
            if packet is not None and packet[4] == seat:
                answer = answer_of(packet, arbiter.next_ply)
        used_ms = round(1000 * (now_s() - asked))
        if ours:
            game.late += used_ms > conditions.movetime + conditions.margin
        (game.ours if ours else game.theirs).append(used_ms)
        if answer is None:
            self._count_against(seat % 2, HANG, f"no move of seat {seat} within {patience_s:g} s")
            return
        owner = None if answer.move is None else arbiter.position.piece_at(answer.move & 255)
        try:
            happening = arbiter.answer(answer, used_ms)
        except Refused as refusal:
            self._count_against(seat % 2, ILLEGAL, str(refusal))
            return
        skips = [arbiter.position.skips_of(one) for one in range(SIGUO.seats)]
        self._tell(packets_of(happening, None if owner is None else owner[0], skips))

    # The socket.

    def _empty_socket(self) -> None:
        """Read what the programs of the game before have sent."""
        self._socket.settimeout(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                with contextlib.suppress(ConnectionError):
                    self._socket.recvfrom(_MAX_DATAGRAM)

    def _receive(self, deadline: float) -> bytes | None:
        """The next packet of a program, at the latest at a time. Raises Failed if a program has ended."""
        while (now := now_s()) < deadline:
            self._socket.settimeout(min(deadline - now, _POLL_S))
            try:
                packet, sender = self._socket.recvfrom(_MAX_DATAGRAM)
            except (TimeoutError, ConnectionError):  # on Windows, an earlier packet did not arrive
                for team, program in enumerate(self._programs):
                    if (end := program.end) is not None:
                        raise Failed(team, end) from None
                continue
            if len(packet) < _HEADER_BYTES or not packet.startswith(MAGIC) or packet[4] >= SIGUO.seats:
                continue
            program = self._programs[packet[4] % 2]
            if program.address is None:
                program.address = sender
            if program.address == sender:
                return packet
        return None

    def _send(self, team: int, packet: bytes) -> None:
        address = self._programs[team].address
        if address is not None:
            with contextlib.suppress(OSError):  # a program that has ended is found by _receive()
                self._socket.sendto(packet, address)

    def _tell(self, packets: Iterable[bytes]) -> None:
        """Send packets to both programs."""
        for packet in packets:
            for team in range(len(TEAMS)):
                self._send(team, packet)


def command(text: str, conditions: Conditions, team: str, port: int) -> list[str]:
    """The words of a command, with what its names in braces stand for. Raises ValueError if a quote is not closed."""
    names = {"team": team, "port": port}
    names |= {name: getattr(conditions, name) for name in ("level", "movetime", "quiet")}
    words = split_words(text)
    for name, value in names.items():
        words = [word.replace(f"{{{name}}}", str(value)) for word in words]
    return words


# The match.


def read_games(path: Path, conditions: Conditions) -> list[Game]:
    """The games in a file, whose incomplete last line is cut off. Raises OSError and ValueError."""
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    lines = [json.loads(line) for line in whole.decode("utf-8").splitlines()]
    if not lines or lines[0] != asdict(conditions):
        raise ValueError(f"{path}: no match under these conditions")
    if whole != data:
        path.write_bytes(whole)
    return [Game(**line) for line in lines[1:]]


def write_line(path: Path | None, values: Mapping[str, object]) -> None:
    """Append a line to the file, if there is one. Raises OSError."""
    if path is not None:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(values) + "\n")


def report(games: Sequence[Game]) -> Iterator[str]:
    """The result of the match, line by line."""
    counted = [game for game in games if game.points is not None]
    points = [game.points for game in counted if game.points is not None]
    results = Counter(game.result for game in games)
    if counted:
        by_number = {game.number: game.points for game in counted}
        pairs = Pairs(
            one + two
            for number, one in by_number.items()
            if number % 2 and one is not None and (two := by_number.get(number + 1)) is not None
        )
        elo = estimate(pairs)
        yield (
            f"+{results[WON]} ={results[DRAWN]} -{results[LOST]}  {100 * statistics.mean(points):.1f} %"
            f" of {len(counted)} games" + (f"  Elo {elo} ({len(pairs)} pairs)" if elo is not None else "")
        )
    faults = Counter(game.fault for game in games)
    for name, counts in ("counted apart, the opponent's", results), ("our faults", faults):
        late = f", {sum(game.late for game in games)} late moves" if counts is faults else ""
        yield f"{name}: {counts[CRASH]} crashes, {counts[HANG]} hangs, {counts[ILLEGAL]} illegal moves{late}"
    for name, times in (
        ("ours", [time for game in games for time in game.ours]),
        ("theirs", [time for game in games for time in game.theirs]),
    ):
        if times:
            yield f"moves, {name}: {statistics.mean(times):.0f} ms in the mean, {max(times)} ms at most"
    if games:
        mean_plies = statistics.mean(game.plies for game in games)
        yield f"a game: {mean_plies:.0f} plies, {statistics.mean(game.seconds for game in games):.0f} s in the mean"


def has_faults(games: Iterable[Game]) -> bool:
    """Whether our program has failed in any of the games."""
    return any(game.fault or game.late for game in games)


def parse_arguments() -> argparse.Namespace:
    positive, natural = number_argument(1, 1 << 30), number_argument(0, 1 << 30)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opponent", required=True, metavar="CMD", help="the other program")
    parser.add_argument("--engine", default=ENGINE, metavar="CMD", help="ours (default: the installed sanqi)")
    parser.add_argument("--level", default=LEVELS[0], help="{level} in ours (default %(default)s)")
    parser.add_argument("--movetime", type=positive, default=500, metavar="MS", help="ours, a move (default 500)")
    parser.add_argument("--margin", type=natural, default=200, metavar="MS", help="later is a fault (default 200)")
    parser.add_argument("--go", type=positive, default=500, metavar="MS", help="send the opponent GO (default 500)")
    parser.add_argument(
        "--patience", type=positive, default=30_000, metavar="MS", help="then the opponent hangs (default 30000)"
    )
    parser.add_argument("--quiet", type=natural, default=70, metavar="N", help="plies without a clash: a draw; 0: none")
    parser.add_argument("--games", type=positive, default=40, metavar="N", help="default 40")
    parser.add_argument("--seed", type=natural, default=1, help="of the lineups (default 1)")
    parser.add_argument("--port", type=number_argument(0, 65535), default=GUI_PORT, help="default 1234; 0: any")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the games, one JSON object a line")
    parser.add_argument("--resume", action="store_true", help="go on with the match in --out")
    parser.add_argument("--records", type=Path, metavar="DIR", help="write a record of each game")
    args = parser.parse_args()
    if args.resume and args.out is None:
        parser.error("--resume needs --out")
    if args.out is not None and not args.resume and args.out.exists():
        parser.error(f"{args.out} exists; --resume goes on with it")
    return args


def main() -> int:
    args = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))  # the programs must not outlive us
    conditions = Conditions(
        args.engine,
        args.opponent,
        args.level,
        args.movetime,
        args.margin,
        args.go,
        args.patience,
        args.quiet,
        args.seed,
    )
    games: list[Game] = []
    try:
        if args.resume and args.out.exists():
            games = read_games(args.out, conditions)
        else:
            write_line(args.out, asdict(conditions))
        if args.records is not None:
            args.records.mkdir(parents=True, exist_ok=True)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as gui:
            gui.bind(("127.0.0.1", args.port))
            for number in range(len(games) + 1, args.games + 1):
                referee = GameReferee(gui, conditions, number)
                game = referee.play()
                games.append(game)
                write_line(args.out, asdict(game))
                if args.records is not None:
                    write_record(args.records / f"game{number:05}{SUFFIX}", referee.arbiter)
                print(
                    f"game {number}: {game.team}, {game.result}{' by our fault' if game.fault else ''}"
                    f" in {game.plies} plies, {game.seconds:g} s: {game.detail}",
                    flush=True,
                )
    except (OSError, ValueError) as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        pass
    for line in report(games):
        print(line)
    return 1 if has_faults(games) else 0


if __name__ == "__main__":
    sys.exit(main())
