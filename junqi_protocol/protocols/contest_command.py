"""`sanqi contest`: the Junqi protocol of the Chinese university contest over standard input and output."""

from __future__ import annotations

import argparse

from junqi_protocol.players.levels import add_level
from junqi_protocol.players.thinking_time import CONTEST_MAX_MOVETIME_MS, MAX_THINK_TIME_MS
from search_core.number_argument import add_number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi contest`."""
    add_level(parser)
    help = "longest time for a move in milliseconds, whatever time START gives for the game (default %(default)s)"
    add_number(parser, "--max-movetime", 1, MAX_THINK_TIME_MS, "MS", help, CONTEST_MAX_MOVETIME_MS)


def run(args: argparse.Namespace) -> int:
    """Serve the host. Returns the exit status 2 if standard input or output is closed."""
    from junqi_protocol.protocols.contest import ContestProtocol
    from search_core.standard_channel import on_standard_channel

    return on_standard_channel(lambda channel: ContestProtocol(channel, args.level, args.max_movetime).run())
