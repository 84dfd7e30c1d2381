"""`sanqi junqi-verify`: replays records of Junqi games and checks them by the rules."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi junqi-verify`."""
    parser.epilog = "example:\n  sanqi junqi-verify games/game00001.jgr"
    parser.add_argument("record", type=Path, nargs="+", metavar="RECORD", help="records to check")


def run(args: argparse.Namespace) -> int:
    """Replay records. Returns the exit status: 0 all are correct, 1 one is not, 2 one cannot be read."""
    from junqi_protocol.records.records import RecordError, Replay
    from search_core.failures import reason_of
    from search_core.input_file import read_input

    status = 0
    for path in args.record:
        try:
            replay = Replay(read_input(path))
        except OSError as error:
            print(f"sanqi junqi-verify: {path}: {reason_of(error)}", file=sys.stderr)
            status = 2
        except RecordError as error:
            print(f"{path}: {error}")
            status = max(status, 1)
        else:
            end = f"gameover {replay.arbiter.outcome}" if replay.finished else "not finished"
            print(f"{path}: in order, {len(replay.arbiter.happenings)} plies, {end}")
    return status
