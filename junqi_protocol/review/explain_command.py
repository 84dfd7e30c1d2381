"""`sanqi junqi-explain`: shows a player's belief and best moves in a position of a Junqi record, as an HTML page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from junqi_protocol.rules.messages import MAX_NUMBER, SEES
from search_core.failures import failure_of
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from junqi_protocol.records.records import Replay

EXAMPLE = """\
examples (what the seat on turn believes; what seat 2 believes if it is shown
its partner's pieces):
  sanqi junqi-explain game.jgr --ply 40
  sanqi junqi-explain game.jgr --ply 40 --seat 2 --see team --output seat2.html
"""
STANDARD_STREAM = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi junqi-explain`."""
    parser.epilog = EXAMPLE
    parser.add_argument("record", type=Path, metavar="RECORD", help="the game")
    parser.add_argument(
        "--ply",
        type=number_argument(0, MAX_NUMBER),
        required=True,
        metavar="N",
        help="the position after N plies",
    )
    parser.add_argument("--seat", metavar="SEAT", help="whose belief (default: the seat on turn)")
    parser.add_argument(
        "--see",
        choices=SEES[:2],
        default=SEES[0],
        help="whose pieces the seat is shown: its own (default), or its team's; a record does not say it",
    )
    parser.add_argument(
        "--output", metavar="FILE", help="the page to write (default: beside the record); - is the standard output"
    )


def run(args: argparse.Namespace) -> int:
    """Write the page. Returns the exit status: 0, or 2 for a wrong argument or record."""
    from junqi_protocol.records.records import RecordError
    from junqi_protocol.rules.messages import MessageError, seat_number
    from search_core.input_file import read_input

    path: Path = args.record
    try:
        data = read_input(path)
        replay, played = _read(data, args.ply)
        arbiter = replay.arbiter
        if args.seat is not None:
            seat = seat_number(args.seat, arbiter.variant)
        elif arbiter.outcome is not None:
            raise RecordError(f"--ply {args.ply}: the game is over, name a seat with --seat")
        else:
            seat = arbiter.turn
    except (RecordError, MessageError) as error:
        print(f"sanqi junqi-explain: {path}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"sanqi junqi-explain: {failure_of(error)}", file=sys.stderr)
        return 2
    from junqi_protocol.review.explanation import page
    from search_core.whole_file import write_whole

    text = page(arbiter, seat, args.see, path.stem, played)
    if args.output == STANDARD_STREAM:
        sys.stdout.buffer.write(text.encode())
        return 0
    output = path.with_name(f"{path.stem}-ply{args.ply}-seat{seat}.html") if args.output is None else Path(args.output)
    try:
        write_whole(output, text.encode(), replace=True)
    except OSError as error:
        print(f"sanqi junqi-explain: {failure_of(error)}", file=sys.stderr)
        return 2
    print(f"written: {output}")
    return 0


def _read(data: bytes, ply: int) -> tuple[Replay, int | None]:
    """The game after a ply, and the move that was played then; None: no move. Raises RecordError."""
    from junqi_protocol.records.records import RecordError, Replay
    from junqi_protocol.rules.messages import Moved

    happenings = Replay(data, ply + 1).arbiter.happenings
    if ply > len(happenings):
        raise RecordError(f"--ply {ply}: the game has {len(happenings)} plies")
    following = happenings[ply] if ply < len(happenings) else None
    return Replay(data, ply), following.move if isinstance(following, Moved) else None
