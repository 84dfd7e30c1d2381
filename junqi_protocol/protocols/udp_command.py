"""`sanqi junqi-udp`: plays both seats of a team in the GUI of pfysw/JunQi."""

from __future__ import annotations

import argparse
import sys

from junqi_protocol.players.levels import add_level
from junqi_protocol.players.thinking_time import add_movetime
from junqi_protocol.protocols.address import AddressError, parse_address
from search_core.line_protocol import excerpt
from search_core.number_argument import add_number

EXAMPLE = """\
example (one engine for each team; then press 开始 in the GUI):
  sanqi junqi-udp --team even & sanqi junqi-udp --team odd --level greedy &
"""
_GUI = "127.0.0.1:1234"
_MAX_PORT = (1 << 16) - 1
_QUIET, _MOST_QUIET = 49, 1000
"""Of the newest GUI: it ends a game after more than 48. Older ones have 70."""
_FIRST_SEATS = {"even": 0, "odd": 1}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi junqi-udp`."""
    parser.epilog = EXAMPLE
    parser.add_argument("--team", choices=_FIRST_SEATS, required=True, help="seats 0 and 2, or 1 and 3")
    parser.add_argument("--gui", default=_GUI, metavar="HOST:PORT", help="where the GUI listens (default %(default)s)")
    help = "UDP port to send from (default: the one that the GUI expects, or any if it is taken)"
    add_number(parser, "--source-port", 1, _MAX_PORT, "PORT", help)
    help = "plies in a row without a clash after which the GUI ends the game drawn (default %(default)s); 0: never"
    add_number(parser, "--quiet", 0, _MOST_QUIET, "N", help, _QUIET)
    add_level(parser)
    add_movetime(parser)


def run(args: argparse.Namespace) -> int:
    """Play. Returns the exit status: 0, or 2 for a wrong or unusable address."""
    from junqi_protocol.protocols.udp_engine import run as play

    try:
        address = parse_address(args.gui, lowest_port=1)
        return play(_FIRST_SEATS[args.team], address, args.level, args.source_port, args.movetime, args.quiet)
    except AddressError as error:
        print(f"sanqi junqi-udp: --gui {excerpt(args.gui)}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"sanqi junqi-udp: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # before the adapter handles signals
        return 0
