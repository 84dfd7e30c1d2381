"""`sanqi junqi`: the engine's side of the Junqi line protocol, over stdin and stdout or as a referee's TCP client."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from collections.abc import Callable

from junqi_protocol.players.levels import add_level
from junqi_protocol.players.thinking_time import add_movetime
from junqi_protocol.protocols.address import AddressError, parse_address
from junqi_protocol.protocols.jlp import JlpProtocol
from junqi_protocol.protocols.keepalive import keep_alive
from junqi_protocol.rules.messages import MAX_LINE
from search_core.failures import reason_of
from search_core.line_protocol import LineChannel, excerpt
from search_core.standard_channel import on_standard_channel

FROM_INPUT = "-"
"""In place of a secret: read it from the first line of stdin."""


class _CannotPlay(Exception):
    """There is no secret, or no game; the message is one line for the user."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi junqi`."""
    add_level(parser)
    add_movetime(parser)
    parser.add_argument("--connect", metavar="HOST:PORT", help="play for a referee that listens there")
    secrets = parser.add_mutually_exclusive_group()
    secrets.add_argument(
        "--secret",
        metavar="S",
        help="the secret that admits this player; all users of this machine can see it; "
        f"'{FROM_INPUT}': the first line of stdin",
    )
    secrets.add_argument("--secret-env", metavar="NAME", help="the environment variable that holds the secret")


def run(args: argparse.Namespace) -> int:
    """Play. Returns the exit status: 0, or 2 if the referee cannot be reached or does not admit us."""
    try:
        if args.connect is None:
            if args.secret is not None or args.secret_env is not None:
                raise _CannotPlay("a secret needs --connect, which is missing")
            return on_standard_channel(
                lambda channel: JlpProtocol(channel, args.level, think_time_ms=args.movetime).run()
            )
        secret = _find_secret(args.secret, args.secret_env)
        return _serve_referee(args.connect, lambda channel: JlpProtocol(channel, args.level, secret, args.movetime))
    except AddressError as error:
        print(f"sanqi junqi: --connect {excerpt(args.connect)}: {error}", file=sys.stderr)
        return 2
    except (_CannotPlay, OSError) as error:
        print(f"sanqi junqi: {reason_of(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # before the adapter has taken over signals
        return 0


def _find_secret(secret: str | None, variable: str | None) -> str:
    """Raises _CannotPlay."""
    if variable is not None:
        secret, source = os.environ.get(variable, ""), f"--secret-env {excerpt(variable)}: the variable"
    elif secret == FROM_INPUT:
        line = sys.stdin.buffer.readline(MAX_LINE) if sys.stdin is not None else b""
        secret, source = line.decode("ascii", "replace"), f"--secret {FROM_INPUT}: the first line of stdin"
    elif secret is not None:
        source = "--secret"
    else:
        return ""
    words = secret.split()
    if len(words) != 1 or not words[0].isascii():
        raise _CannotPlay(f"{source} must be one word of ASCII, and is {'not' if words else 'empty'}")
    return words[0]


def _serve_referee(address: str, adapter_on: Callable[[LineChannel], JlpProtocol]) -> int:
    with socket.create_connection(parse_address(address), timeout=10) as connection:
        connection.settimeout(None)
        # Moves are short lines that must be sent at once.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        keep_alive(connection)
        stream = connection.makefile("rwb", buffering=0)
        channel = LineChannel(stream, stream)  # type: ignore[arg-type] # both are raw
        adapter = adapter_on(channel)
        status = adapter.run()
        if channel.ended and not adapter.invited:
            raise _CannotPlay("the referee closed the connection before a game: is the secret right?")
        return status
