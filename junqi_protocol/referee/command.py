"""`sanqi referee`: games of Junqi between engines, clients and persons."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import signal
import sys
from pathlib import Path

from game_core.command_parser import add_old_name
from junqi_protocol.protocols.address import parse_address
from junqi_protocol.records.records import RecordError
from junqi_protocol.referee.connections import Connection, ProcessConnection, Reception, SocketConnection
from junqi_protocol.referee.referee import (
    FROM_ENGINES,
    RANDOM_LINEUPS,
    Referee,
    RefereeConditions,
    Spectator,
    StartUpError,
)
from junqi_protocol.referee.score_board import ScoreBoard
from junqi_protocol.rules import lineup
from junqi_protocol.rules.geometry import VARIANTS, Variant
from junqi_protocol.rules.messages import Terms, seat_list
from search_core.failures import failure_of, named
from search_core.line_protocol import excerpt
from search_core.number_argument import add_number, number_argument

EXAMPLE = """\
examples:
  20 games between two levels of the engine:
    sanqi referee --seats 0,2 "sanqi junqi --level path" \\
      --seats 1,3 "sanqi junqi --level events" --games 20 --seed 1
  you against three engines:
    sanqi referee --seats 0 human --seats 1,3 "sanqi junqi" \\
      --seats 2 "sanqi junqi" --quiet 70
  a client over TCP against an engine, 10 minutes each:
    sanqi referee --variant duel --seats 0 tcp --seats 1 "sanqi junqi" \\
      --listen 127.0.0.1:7000 --clock 600000
"""
PERSON, CLIENT = "human", "tcp"
_DEFAULT_MOVETIME_MS = 30_000
_TERMINATED = 128 + 15
_MAX_NUMBER = 1 << 30
_number, _positive = number_argument(0, _MAX_NUMBER), number_argument(1, _MAX_NUMBER)


class RefereeError(ValueError):
    """An argument that cannot be used; the message is one line."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi referee`."""
    parser.epilog = EXAMPLE
    parser.add_argument("--variant", choices=["siguo", "duel"], default="siguo", help="four seats or two")
    parser.add_argument(
        "--seats",
        nargs=2,
        action="append",
        default=[],
        metavar=("SEATS", "PLAYER"),
        help=f"who plays a seat, or both seats of a team: a command, '{PERSON}', or '{CLIENT}', a client of --listen",
    )
    parser.add_argument("--see", choices=["own", "team", "all"], default="own", help="whose lineups a player sees")
    parser.add_argument("--games", type=_positive, default=1, metavar="N", help="number of games (default 1)")
    parser.add_argument("--first", type=_number, default=0, metavar="SEAT", help="who begins the first game")
    parser.add_argument("--seed", type=_number, metavar="N", help="repeatable lineups, for trusted engines only")
    parser.add_argument("--quiet", type=_number, default=0, metavar="N", help="N plies without a clash end a game")
    parser.add_argument("--quietend", choices=["draw", "loss"], default="draw", help="how it ends after --quiet plies")
    parser.add_argument("--skips", type=_number, default=0, metavar="N", help="a seat's N-th skip puts it out")
    max_plies = add_number(parser, "--max-plies", 0, _MAX_NUMBER, "N", "a game is drawn after N plies", 0)
    add_old_name(parser, "--plies", max_plies)
    parser.add_argument("--draws", action="store_true", help="let the teams agree on a draw")
    parser.add_argument("--clock", type=_number, default=0, metavar="MS", help="milliseconds per seat for a game")
    parser.add_argument("--inc", type=_number, default=0, metavar="MS", help="milliseconds added per answer")
    movetime_help = f"milliseconds a move (default {_DEFAULT_MOVETIME_MS} without a clock)"
    add_number(parser, "--movetime", 0, _MAX_NUMBER, "MS", movetime_help, 0)
    parser.add_argument(
        "--lineups",
        default=RANDOM_LINEUPS,
        metavar="FILE",
        help=f"'{RANDOM_LINEUPS}', '{FROM_ENGINES}' (they choose), or a file: one lineup a line, or .jql"
        f" (default {RANDOM_LINEUPS})",
    )
    parser.add_argument("--record", type=Path, metavar="DIR", help="write each game to a file in DIR")
    parser.add_argument(
        "--record-at-end",
        action="store_true",
        help="keep each game in memory and write its record at its end, so that no engine can read it before",
    )
    parser.add_argument("--resume", action="store_true", help="continue the games in --record DIR")
    parser.add_argument(
        "--listen", default="127.0.0.1:0", metavar="HOST:PORT", help="address for clients (default: this machine)"
    )
    parser.add_argument(
        "--watch", nargs="?", const="all", metavar="SEAT", help="draw the board, as this seat sees it (default: all)"
    )
    parser.add_argument("--delay", type=_number, default=0, metavar="MS", help="with --watch: time between two plies")
    parser.add_argument("--step", action="store_true", help="with --watch: each ply waits until you press Enter")


def run(args: argparse.Namespace) -> int:
    """Referee the games. Returns the exit status: 0 played, 2 for a wrong argument, an engine that does not start, or a
    file that cannot be read or written, 143 ended by SIGTERM."""
    try:
        conditions = _conditions(args)
        players = _players(args, conditions.terms.variant)
        spectator = _spectator(args, conditions)
        asyncio.run(_referee(args, conditions, players, spectator))
    except (RefereeError, RecordError, StartUpError, OSError) as error:
        print(f"sanqi referee: {failure_of(error)}", file=sys.stderr)
        return 2
    except asyncio.CancelledError:
        return _TERMINATED
    return 0


async def _referee(
    args: argparse.Namespace, conditions: RefereeConditions, players: list[Connection], spectator: Spectator
) -> None:
    task = asyncio.current_task()
    if task is not None:
        with contextlib.suppress(NotImplementedError):  # Windows has no such signal
            # SIGTERM must end the engines as well.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    clients: list[SocketConnection] = [player for player in players if isinstance(player, SocketConnection)]
    reception = Reception(clients, lambda text: print(f"sanqi referee: {text}", file=sys.stderr))
    if clients:
        with named(f"--listen {excerpt(args.listen)}", (OSError, ValueError), RefereeError):
            address = await reception.open(*parse_address(args.listen))
        shown_host = f"[{address[0]}]" if ":" in address[0] else address[0]
        print(f"listening on {shown_host}:{address[1]}", flush=True)
    try:
        await Referee(conditions, players, spectator).run()
    finally:
        await reception.close()


def _conditions(args: argparse.Namespace) -> RefereeConditions:
    variant = VARIANTS[args.variant]
    if args.first >= variant.seats:
        raise RefereeError(f"--first {args.first}: {variant.name} has seats 0 to {variant.seats - 1}")
    if args.inc and not args.clock:
        raise RefereeError("--inc is added to a --clock")
    if args.resume and args.record is None:
        raise RefereeError("--resume needs the --record DIR to go on with")
    if args.record_at_end and args.record is None:
        raise RefereeError("--record-at-end needs the --record DIR to write to")
    if args.record_at_end and args.resume:
        raise RefereeError("--resume goes on with a record on disk, which --record-at-end does not keep")
    if args.record is not None:
        args.record.mkdir(parents=True, exist_ok=True)
        if not args.resume and any(args.record.glob("game*.jgr")):
            raise RefereeError(f"--record {args.record}: there are games already; add --resume, or name another folder")
    lineups: str | list[str] = args.lineups
    if lineups not in (RANDOM_LINEUPS, FROM_ENGINES):
        try:
            lineups = lineup.from_file(Path(args.lineups))
        except (OSError, lineup.LineupError) as error:
            raise RefereeError(f"--lineups {failure_of(error)}") from None
    return RefereeConditions(
        Terms(
            variant,
            first=args.first,
            quiet=args.quiet,
            quiet_loses=args.quietend == "loss",
            skips=args.skips,
            plies=args.max_plies,
            clock=args.clock,
            inc=args.inc,
            draws=args.draws,
        ),
        see=args.see,
        games=args.games,
        movetime_ms=args.movetime or (0 if args.clock else _DEFAULT_MOVETIME_MS),
        lineups=lineups,
        seed=args.seed,
        records=args.record,
        record_at_end=args.record_at_end,
        resume=args.resume,
    )


def _players(args: argparse.Namespace, variant: Variant) -> list[Connection]:
    def announce(seats: tuple[int, ...], secret: str) -> None:
        print(f"seats {','.join(map(str, seats))}: secret {secret}", flush=True)

    players: list[Connection] = []
    taken: set[int] = set()
    for text, player in args.seats:
        with named(f"--seats {excerpt(text)}", ValueError, RefereeError):
            seats = seat_list(text, variant)
        if taken & set(seats):
            raise RefereeError(f"--seats {excerpt(text)}: seat {min(taken & set(seats))} is taken")
        taken |= set(seats)
        if player == PERSON:
            from junqi_protocol.referee.person import Person

            if any(isinstance(other, Person) for other in players):
                raise RefereeError(f"--seats {excerpt(text)} {PERSON}: one person has the terminal already")
            players.append(Person(seats, random.Random()))
        elif player == CLIENT:
            players.append(SocketConnection(seats, announce))
        elif player.strip():
            with named(f"--seats {excerpt(text)}: {excerpt(player)}", ValueError, RefereeError):
                players.append(ProcessConnection(seats, player))
        else:
            raise RefereeError(f"--seats {excerpt(text)}: an empty command")
    missing = [seat for seat in range(variant.seats) if seat not in taken]
    if missing:
        raise RefereeError(f"nobody plays seat {missing[0]}: add --seats {missing[0]} PLAYER")
    return players


def _spectator(args: argparse.Namespace, conditions: RefereeConditions) -> Spectator:
    if args.watch is None:
        if args.delay or args.step:
            raise RefereeError("--delay and --step go with --watch")
        return ScoreBoard()
    if any(player == PERSON for _, player in args.seats):
        raise RefereeError(f"--watch: the terminal belongs to the {PERSON} player")
    from junqi_protocol.referee.watch import Watch

    with named(f"--watch {excerpt(args.watch)}", ValueError, RefereeError):
        seats = None if args.watch == "all" else seat_list(args.watch, conditions.terms.variant)
    return Watch(seats, args.see, args.delay, args.step)
