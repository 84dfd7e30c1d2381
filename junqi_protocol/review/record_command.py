"""`sanqi junqi-record`: shows, replays, explains and verifies records of Junqi games."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from game_core.record_files import STANDARD_STREAM
from junqi_protocol.records.display import last_points, svg
from junqi_protocol.records.records import RecordError, Replay
from junqi_protocol.records.stepper import COMMANDS, Stepper, print_position, title
from junqi_protocol.rules.messages import MAX_NUMBER, SEES, MessageError, Moved, seat_list, seat_number
from search_core.failures import failure_of, reason_of
from search_core.input_file import read_input
from search_core.number_argument import number_argument
from search_core.whole_file import write_whole

_EXAMPLE = """\
examples:
  sanqi junqi-record show game.jgr --ply 40 --seat 0
  sanqi junqi-record replay game.jgr
"""
_EXPLAIN_EXAMPLE = """\
examples (what the seat on turn believes; what seat 2 believes if it is shown
its partner's pieces):
  sanqi junqi-record explain game.jgr --ply 40
  sanqi junqi-record explain game.jgr --ply 40 --seat 2 --see team \\
    --output seat2.html
"""
_SEAT_HELP = "show what this seat sees, or seats 0,2 (default: all pieces)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi junqi-record`."""
    parser.epilog = _EXAMPLE
    actions = parser.add_subparsers(title="what to do", dest="action", metavar="ACTION", required=True)
    number = number_argument(0, MAX_NUMBER)

    def add(name: str, purpose: str, example: str) -> argparse.ArgumentParser:
        description = f"{purpose[0].upper()}{purpose[1:]}."
        return actions.add_parser(name, help=purpose, description=description, epilog=example)

    show = add("show", "draw a position", "example:\n  sanqi junqi-record show game.jgr --ply 40 --svg position.svg")
    replay = add("replay", "step through a game", f"example:\n  sanqi junqi-record replay game.jgr\n\n{COMMANDS}")
    explain = add("explain", "show a player's belief and best moves in a position, as a page", _EXPLAIN_EXAMPLE)
    verify = add("verify", "check by the rules", "example:\n  sanqi junqi-record verify games/game00001.jgr")
    for reader in (show, replay, explain):
        reader.add_argument("record", type=Path, metavar="RECORD", help="the game")
    show.add_argument("--ply", type=number, metavar="N", help="the position after N plies (default: the last)")
    show.add_argument("--seat", metavar="SEAT", help=_SEAT_HELP)
    show.add_argument("--svg", type=Path, metavar="FILE", help="write a drawing instead")
    replay.add_argument("--ply", type=number, default=0, metavar="N", help="begin after N plies (default 0)")
    replay.add_argument("--seat", metavar="SEAT", help=_SEAT_HELP)
    explain.add_argument("--ply", type=number, required=True, metavar="N", help="the position after N plies")
    explain.add_argument("--seat", metavar="SEAT", help="whose belief (default: the seat on turn)")
    explain.add_argument(
        "--see",
        choices=SEES[:2],
        default=SEES[0],
        help="whose pieces the seat is shown: its own (default), or its team's; a record does not say it",
    )
    explain.add_argument(
        "--output", metavar="FILE", help="the page to write (default: beside the record); - is the standard output"
    )
    verify.add_argument("record", type=Path, nargs="+", metavar="RECORD", help="records to check")


def run(args: argparse.Namespace) -> int:
    """Returns the exit status: 0, 1 if verify finds a wrong record, 2 for a wrong argument or an unreadable one."""
    if args.action == "verify":
        return max(map(_verify, args.record))
    try:
        {"show": _show, "replay": _step, "explain": _explain}[args.action](args, read_input(args.record))
    except BrokenPipeError:
        raise
    except (RecordError, MessageError) as error:
        problem = f"{args.record}: {error}"
    except OSError as error:
        problem = failure_of(error)
    else:
        return 0
    print(f"sanqi junqi-record {args.action}: {problem}", file=sys.stderr)
    return 2


def _verify(path: Path) -> int:
    try:
        replay = Replay(read_input(path))
    except OSError as error:
        print(f"sanqi junqi-record verify: {path}: {reason_of(error)}", file=sys.stderr)
        return 2
    except RecordError as error:
        print(f"{path}: {error}")
        return 1
    end = f"gameover {replay.arbiter.outcome}" if replay.finished else "not finished"
    print(f"{path}: in order, {len(replay.arbiter.happenings)} plies, {end}")
    return 0


def _check_output(args: argparse.Namespace, output: Path) -> None:
    """Raises RecordError if the record would be replaced."""
    if output.exists() and output.samefile(args.record):
        raise RecordError("it is the file to write, too; nothing was written")


def _replay(data: bytes, ply: int | None, most_plies: int | None) -> Replay:
    """The game up to `most_plies`. Raises RecordError if it has no such ply."""
    replay = Replay(data, most_plies)
    plies = len(replay.arbiter.happenings)
    if ply is not None and ply > plies:
        raise RecordError(f"--ply {ply}: the game has {plies} plies")
    return replay


def _show(args: argparse.Namespace, data: bytes) -> None:
    arbiter = _replay(data, args.ply, args.ply).arbiter
    seats = None if args.seat is None else seat_list(args.seat, arbiter.variant)
    if args.svg is None:
        print_position(arbiter, seats)
        return
    _check_output(args, args.svg)
    drawing = svg(arbiter.variant, arbiter.view(seats), last_points(arbiter.happenings[-1:]), title(arbiter))
    write_whole(args.svg, drawing.encode(), replace=True)


def _step(args: argparse.Namespace, data: bytes) -> None:
    whole = _replay(data, args.ply, None).arbiter
    Stepper(data, whole, args.ply, None if args.seat is None else seat_list(args.seat, whole.variant)).run()


def _explain(args: argparse.Namespace, data: bytes) -> None:
    happenings = _replay(data, args.ply, args.ply + 1).arbiter.happenings
    following = happenings[args.ply] if args.ply < len(happenings) else None
    played = following.move if isinstance(following, Moved) else None
    arbiter = Replay(data, args.ply).arbiter
    if args.seat is not None:
        seat = seat_number(args.seat, arbiter.variant)
    elif arbiter.outcome is not None:
        raise RecordError(f"--ply {args.ply}: the game is over, name a seat with --seat")
    else:
        seat = arbiter.turn
    path = args.record
    output = path.with_name(f"{path.stem}-ply{args.ply}-seat{seat}.html") if args.output is None else Path(args.output)
    if args.output != STANDARD_STREAM:
        _check_output(args, output)
    from junqi_protocol.review.explanation import page

    text = page(arbiter, seat, args.see, path.stem, played).encode()
    if args.output == STANDARD_STREAM:
        sys.stdout.buffer.write(text)
        return
    write_whole(output, text, replace=True)
    print(f"written: {output}")
