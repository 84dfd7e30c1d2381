"""TCP connections whose other side has vanished: a machine that was switched off says nothing any more."""

from __future__ import annotations

import contextlib
import socket

_IDLE_S, _INTERVAL_S, _PROBES = 10, 5, 4
_OPTIONS = {
    "TCP_KEEPIDLE": _IDLE_S,
    "TCP_KEEPALIVE": _IDLE_S,  # what macOS calls it
    "TCP_KEEPINTVL": _INTERVAL_S,
    "TCP_KEEPCNT": _PROBES,
    # Nobody is asked for a sign of life while something that we have sent is not acknowledged. In milliseconds.
    "TCP_USER_TIMEOUT": 1000 * (_IDLE_S + _INTERVAL_S * _PROBES),
}


def keep_alive(connection: socket.socket) -> None:
    """Have a connection end half a minute after the last sign of life of the other side's system. Where the system
    has no such option its own times hold, usually two hours."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _OPTIONS.items():
        if hasattr(socket, name):
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
