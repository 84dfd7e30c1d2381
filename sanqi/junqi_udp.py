"""`sanqi junqi-udp`: both seats of a team at the GUI of pfysw/JunQi."""

from __future__ import annotations

import argparse
import sys

from junqi_protocol.levels import LEVELS
from search_core.line_protocol import shown

EXAMPLE = """\
example (one engine for each team; then press 开始 in the GUI):
  sanqi junqi-udp --team even & sanqi junqi-udp --team odd --level greedy &
"""
_GUI = "127.0.0.1:1234"
_FIRST_SEATS = {"even": 0, "odd": 1}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi junqi-udp`."""
    parser.epilog = EXAMPLE
    parser.add_argument("--team", choices=_FIRST_SEATS, required=True, help="seats 0 and 2, or 1 and 3")
    parser.add_argument("--gui", default=_GUI, metavar="HOST:PORT", help="where the GUI listens (default %(default)s)")
    parser.add_argument("--level", choices=LEVELS, default=LEVELS[0], help="who plays (default %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Play. Returns the exit status: 0, or 2 if there can be no GUI at the address."""
    from junqi_protocol.udp_engine import run as play

    host, _, port = args.gui.rpartition(":")
    try:
        if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
            raise OSError(0, f"--gui {shown(args.gui)}: expected HOST:PORT")
        return play(_FIRST_SEATS[args.team], (host, int(port)), args.level)
    except OSError as error:
        print(f"sanqi junqi-udp: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # before the adapter has taken over signals
        return 0
