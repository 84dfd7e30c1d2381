"""The files of evaluation nets: a line that names the format, one of JSON, the weights, and the hash of all before.
docs/nets.md describes them."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from array import array

from search_core.failures import becoming
from search_core.input_file import read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SUFFIX = ".net"
_MAGIC = b"sanqi net 1\n"
_HASH_BYTES = 32


class NetError(ValueError):
    """A file holds no net that can be used; the message says why."""


def file_name(stem: str, content: bytes) -> str:
    """The file name of a net, by the hash of its content."""
    return f"{stem}-{content[-_HASH_BYTES:].hex()[:12]}{_SUFFIX}"


def packed(header: dict[str, Any], weights: bytes) -> bytes:
    """The content of a net's file."""
    content = _MAGIC + json.dumps(header).encode() + b"\n" + weights
    return content + hashlib.sha256(content).digest()


def unpacked(content: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the weights of a file's content. Raises NetError."""
    if not content.startswith(_MAGIC):
        raise NetError("not a net, or of another format")
    body, checksum = content[:-_HASH_BYTES], content[-_HASH_BYTES:]
    if hashlib.sha256(body).digest() != checksum:
        raise NetError("cut or damaged: its checksum is wrong")
    end = body.find(b"\n", len(_MAGIC))
    try:
        header = json.loads(body[len(_MAGIC) : end])
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise NetError("its header cannot be read")
    return header, body[end + 1 :]


def read_content(path: str | os.PathLike[str]) -> bytes:
    """The content of a file. Raises NetError for what is no regular file; OSError."""
    with becoming(ValueError, NetError):  # a null character in the name
        mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):  # a pipe would be waited for
        raise NetError("not a file")
    return read_input(path)


def int16(weights: bytes) -> array[int]:
    """Little-endian weights as numbers."""
    numbers = array("h", weights)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
