"""`sanqi junqi-show`: draws a position of a Junqi record."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from junqi_protocol.rules.messages import MAX_NUMBER
from search_core.failures import failure_of
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from junqi_protocol.records.records import Replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi junqi-show`."""
    parser.epilog = "example:\n  sanqi junqi-show games/game00001.jgr --ply 40 --seat 0 --svg position.svg"
    parser.add_argument("record", type=Path, metavar="RECORD", help="the game")
    parser.add_argument(
        "--ply",
        type=number_argument(0, MAX_NUMBER),
        metavar="N",
        help="the position after N plies (default: the last)",
    )
    parser.add_argument("--seat", metavar="SEAT", help="show what this seat sees, or seats 0,2 (default: all pieces)")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a drawing instead")


def run(args: argparse.Namespace) -> int:
    """Draw a position. Returns the exit status: 0, or 2 for a wrong argument or record."""
    from junqi_protocol.records.records import RecordError, Replay
    from junqi_protocol.rules.messages import MessageError, seat_list
    from search_core.input_file import read_input
    from search_core.whole_file import write_whole

    try:
        replay = Replay(read_input(args.record), args.ply)
        plies = len(replay.arbiter.happenings)
        if args.ply is not None and args.ply > plies:
            raise RecordError(f"--ply {args.ply}: the game has {plies} plies")
        seats = None if args.seat is None else seat_list(args.seat, replay.arbiter.variant)
        if args.svg is not None:
            write_whole(args.svg, _drawing(replay, seats).encode(), replace=True)
        else:
            print_position(replay, seats)
    except (RecordError, MessageError) as error:
        print(f"sanqi junqi-show: {args.record}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"sanqi junqi-show: {failure_of(error)}", file=sys.stderr)
        return 2
    return 0


def _last_points(replay: Replay) -> tuple[int, ...]:
    from junqi_protocol.rules.messages import Moved

    happenings = replay.arbiter.happenings
    last = happenings[-1] if happenings else None
    return (last.move >> 8, last.move & 255) if isinstance(last, Moved) else ()


def _title(replay: Replay) -> str:
    arbiter = replay.arbiter
    state = f"gameover {arbiter.outcome}" if arbiter.outcome else f"seat {arbiter.turn} on turn"
    return f"{arbiter.variant.name}, after ply {len(arbiter.happenings)}: {state}"


def _drawing(replay: Replay, seats: tuple[int, ...] | None) -> str:
    from junqi_protocol.records.display import svg

    return svg(replay.arbiter.variant, replay.arbiter.view(seats), _last_points(replay), _title(replay))


def print_position(replay: Replay, seats: tuple[int, ...] | None) -> None:
    """Print the last position of a record, as a player of these seats sees it; None: with all pieces."""
    from rich.console import Console

    from junqi_protocol.records.display import board_lines, happening_text

    arbiter = replay.arbiter
    console = Console(highlight=False)
    for line in board_lines(arbiter.variant, arbiter.view(seats), _last_points(replay)):
        console.print(line)
    for last in arbiter.happenings[-1:]:
        console.print(f"{last.ply}. seat {last.seat}: {happening_text(arbiter.variant, last)}")
    console.print(_title(replay))
