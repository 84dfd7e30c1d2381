"""Find TCP connections whose other side has vanished: a machine that is switched off does not close them."""

from __future__ import annotations

import contextlib
import socket

_IDLE_S, _INTERVAL_S, _PROBES = 10, 5, 4
_OPTIONS = {
    "TCP_KEEPIDLE": _IDLE_S,
    "TCP_KEEPALIVE": _IDLE_S,  # what macOS calls it
    "TCP_KEEPINTVL": _INTERVAL_S,
    "TCP_KEEPCNT": _PROBES,
    # No probes are sent while data is not acknowledged; this limits that time. In milliseconds.
    "TCP_USER_TIMEOUT": 1000 * (_IDLE_S + _INTERVAL_S * _PROBES),
}


def keep_alive(connection: socket.socket) -> None:
    """End a connection half a minute after the last sign of life from the other machine. Where the system lacks these
    options, its own times apply, usually two hours."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _OPTIONS.items():
        if hasattr(socket, name):
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
