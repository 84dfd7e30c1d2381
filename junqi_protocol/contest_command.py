"""`sanqi contest`: the Junqi protocol of the Chinese university contest over standard input and output."""

from __future__ import annotations

import argparse

from junqi_protocol.levels import add_level


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi contest`."""
    add_level(parser)


def run(args: argparse.Namespace) -> int:
    """Serve the host. Returns the exit status 2 if standard input or output is closed."""
    from junqi_protocol.contest import ContestProtocol
    from search_core.standard_channel import on_standard_channel

    return on_standard_channel(lambda channel: ContestProtocol(channel, args.level).run())
