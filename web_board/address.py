"""The page's port and token. They are kept, so that a tab finds its game again after a new start, and the browser finds
its settings, which it keeps for each port."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
from pathlib import Path
from typing import NamedTuple

HOST = "127.0.0.1"
_FILE = "address.json"


class Address(NamedTuple):
    """Where the page is, for who knows the token."""

    port: int
    token: str


def open_address(folder: Path, port: int) -> Address:
    """The address of the last start if its port is free, or a new one, which is kept. `port`: the one that is asked
    for; 0: any. Only its owner may read the file."""
    kept = _kept(folder / _FILE)
    if kept is not None and port in (0, kept.port) and _is_free(kept.port):
        return kept
    address = Address(port or _any_free(), secrets.token_urlsafe(16))
    if kept is None or port:
        with contextlib.suppress(OSError):  # the next start has another address, then
            folder.mkdir(parents=True, exist_ok=True)
            with open(
                os.open(folder / _FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii"
            ) as file:
                json.dump(address, file)
    return address


def _kept(path: Path) -> Address | None:
    try:
        port, token = json.loads(path.read_bytes())
        address = Address(int(port), str(token))
    except (OSError, ValueError, TypeError):
        return None
    return address if 0 < address.port < 65536 and len(address.token) >= 16 else None


def _is_free(port: int) -> bool:
    try:
        with socket.create_server((HOST, port)):
            return True
    except OSError:
        return False


def _any_free() -> int:
    with socket.create_server((HOST, 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
