"""Detects the host's protocol by its first line.

Imported before the first answer, so it must stay light.
"""

from __future__ import annotations

import os
import sys

from sanqi.registry import GAMES
from search_core.line_protocol import OverlongLine, excerpt, series
from search_core.parts import load_part
from search_core.standard_channel import on_standard_channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_core.description import ProtocolDescription
    from search_core.line_protocol import LineChannel

_LAST_WORDS = ("quit", "exit", "bye", "end")


def protocols() -> Iterator[ProtocolDescription]:
    """The protocols of the games known so far."""
    for game in GAMES.values():
        yield from game.protocols


def find_protocol(name: str) -> ProtocolDescription | None:
    """The protocol of `sanqi NAME`, of a built-in game."""
    return next((protocol for protocol in protocols() if protocol.name == name), None)


def protocol_of_program(path: str) -> ProtocolDescription | None:
    """The protocol for the program's file name."""
    name = os.path.basename(path).lower()
    return next(
        (known for known in protocols() if known.program_prefix and name.startswith(known.program_prefix)), None
    )


def serve(protocol: ProtocolDescription | None) -> int:
    """Speak `protocol` over stdin and stdout; None: the protocol of the first line. Returns the exit status."""

    def speak(channel: LineChannel) -> int:
        line = None
        chosen = protocol or protocol_of_program(sys.argv[0])
        if chosen is None:
            if sys.stdin.isatty():
                sys.stderr.write(f"sanqi waits for a GUI. Type {_greetings()}; 'quit' ends; see also `sanqi --help`.\n")
            found = detect(channel)
            if found is None:
                return 0
            chosen, line = found
        adapter = load_part(chosen.adapter)(channel)
        status: int = adapter.run(first_line=line)
        return status

    return on_standard_channel(speak)


def detect(channel: LineChannel) -> tuple[ProtocolDescription, str] | None:
    """Wait for a first line of a protocol; returns the protocol and the line. None: the input ended, or `quit` came.

    Any other line gets one line of explanation.
    """
    while True:
        line = channel.receive()
        if line is None:
            return None
        if not line or line.startswith("#"):
            continue
        if isinstance(line, OverlongLine):
            channel.send(f"error: {line.fault}; still waiting")
            continue
        if line.split()[0].lower() in _LAST_WORDS:
            return None
        found = GAMES.protocol_of_line(line)
        if found is not None:
            return found, line
        channel.send(
            f"error: {excerpt(line)} is not the first line of a known protocol, expected {_greetings()}; still waiting"
        )


def _greetings() -> str:
    """``'ucci', 'uci' or 'START n'``."""
    return series(f"'{known.greeting}'" for known in protocols() if known.greeting)
