"""`sanqi junqi`: the engine's side of the Junqi line protocol, over stdin and stdout or as a referee's TCP client."""

from __future__ import annotations

import socket
import sys

from junqi_protocol.jlp import JlpProtocol
from sanqi.detect import on_standard_wire
from search_core.line_protocol import Wire, shown


def serve_junqi(level: str, address: str | None, secret: str) -> int:
    """Play. Returns the exit status: 0, or 2 if the referee cannot be reached."""
    if address is None:
        return on_standard_wire(lambda wire: JlpProtocol(wire, level).run())
    try:
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            raise OSError(0, f"--connect {shown(address)}: expected HOST:PORT")
        with socket.create_connection((host.strip("[]"), int(port)), timeout=10) as connection:
            connection.settimeout(None)
            # Moves are single short lines that somebody waits for.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = connection.makefile("rwb", buffering=0)
            return JlpProtocol(Wire(stream, stream), level, secret).run()  # type: ignore[arg-type] # both are raw
    except OSError as error:
        print(f"sanqi junqi: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # before the adapter has taken over signals
        return 0
