"""The page's port and token, and the names by which this computer serves it. Port and token are kept, so that a tab
finds its game again after a new start, and the browser finds its settings, which it keeps for each port."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import secrets
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HOST = "127.0.0.1"
_FILE = "address.json"
_BROADCAST = "255.255.255.255"


class HostError(ValueError):
    """Nothing can be served at an address; the message is one line."""


class Address(NamedTuple):
    """Where the page is, for who knows the token."""

    port: int
    token: str


def check_host(host: str) -> None:
    """Raises HostError if `host` is no address of this computer, or not one for links."""
    try:
        is_number = ":" in host or not host.strip("0123456789.")
        is_everywhere = is_number and ipaddress.ip_address(host).is_unspecified
        _listener(host, 0).close()
    except (OSError, ValueError):
        raise HostError(f"--host {host}: this computer has no such address") from None
    if is_everywhere or host == _BROADCAST:
        raise HostError(f"--host {host}: give the address at which others reach this computer")


def name_of(host: str, port: int) -> str:
    """An address as the `Host` of a request has it."""
    return f"[{ipaddress.ip_address(host)}]:{port}" if ":" in host else f"{host.lower()}:{port}"


def open_address(folder: Path, port: int, hosts: Sequence[str] = (HOST,)) -> Address:
    """The address of the last start if its port is free or asked for, or a new one, which is kept. `port`: the one that
    is asked for; 0: any. `hosts`: where the port must be free. Only its owner may read the file."""
    kept = _kept(folder / _FILE)
    if kept is not None and (port == kept.port or (not port and _is_free(kept.port, hosts))):
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


def _listener(host: str, port: int) -> socket.socket:
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def _is_free(port: int, hosts: Sequence[str]) -> bool:
    try:
        for host in hosts:
            _listener(host, port).close()
    except OSError:
        return False
    return True


def _any_free() -> int:
    with _listener(HOST, 0) as listener:
        port: int = listener.getsockname()[1]
        return port
