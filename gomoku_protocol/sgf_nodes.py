"""The nodes of an SGF game, one at a time: the file may be large, and nobody needs most of it.

The grammar is that of https://www.red-bean.com/sgf/sgf4.html. Lower-case letters in the name of a property do not
count, as in old files.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import NamedTuple, TypeAlias

from gomoku_protocol.game_record import RecordError
from search_core.line_protocol import decode_line, excerpt

Properties: TypeAlias = "dict[str, list[bytes]]"
"""The values of a node's properties by their names, as they stand in the file between the brackets."""

MAX_VALUES = 500_000
"""Of the properties of a game with its variations; also the most nodes and variations."""

_USED = frozenset({
    "GM", "SZ", "RU", "PB", "PW", "RE", "ON", "CA", "GC", "AB", "AW", "AE", "PL", "B", "W", "C",
    "KM", "HA", "TB", "TW", "KO",
})  # fmt: skip
_USED_BESIDE = frozenset(("B", "W", "AB", "AW", "AE", "C"))
"""In variations."""
_START = re.compile(rb"\(\s*;")
_TOKEN = re.compile(rb"\s*(?:(?P<name>[A-Za-z]{1,64})|(?P<mark>[;()\[]))")
_LOWER_CASE = bytes(range(ord("a"), ord("z") + 1))


class Node(NamedTuple):
    """A node, without the properties that a game does not need. Nodes are numbered from 0 in the order of the file."""

    number: int
    after: int
    """The node that it follows; -1: it is the root."""
    is_main: bool
    """Whether it belongs to the main line. All nodes of the main line come before those of variations."""
    properties: Properties


def nodes(data: bytes, begin: int = 0) -> Generator[Node, None, int]:
    """The nodes of the first game from the offset `begin` on. There is at least one. Returns the offset behind the
    game. Raises RecordError."""
    start = _START.search(data, begin)
    if start is None:
        raise RecordError("no SGF: no '(;' in it")
    at = start.start()
    main_depth = count = 0
    number = -1
    last: list[int] = []  # the last node of each open bracket, from the outermost one
    is_over = False  # whether the main line is complete: variations follow
    may_begin = False  # whether a node may come: no variation has begun
    in_node = False
    node: Node | None = None
    name: str | None = None  # of the property whose values may come
    has_value = False
    while True:
        token = _TOKEN.match(data, at)
        end = -1 if token is None else token.end()
        if token is not None and token["mark"] == b"[":
            end = _end_of_value(data, end)
        if token is None or end < 0:
            raise _no_token(data, at)
        count += 1
        if count > MAX_VALUES:
            raise RecordError(f"SGF: more than {MAX_VALUES:,} values and nodes")
        mark = token["mark"]
        if mark == b"[":
            if name is None:
                raise _fault(data, at, "unexpected value")
            if not in_node:
                raise _fault(data, at, "property value outside a node")
            has_value = True
            if node is not None and name in (_USED if node.is_main else _USED_BESIDE):
                node.properties.setdefault(name, []).append(data[token.end() : end - 1])
            at = end
            continue
        if name is not None and not has_value:
            raise _fault(data, at, "property with no values")
        if mark is None:
            name, has_value = token["name"].translate(None, _LOWER_CASE).decode(), False
            count -= 1
            at = end
            continue
        name = None
        if mark == b";":
            if not may_begin:
                raise _fault(data, at, "unexpected node")
        elif may_begin and not in_node:
            raise _fault(data, at, "empty sequence")
        if node is not None:
            yield node
        node = None
        in_node, may_begin = mark == b";", mark != b")"
        if mark == b"(":
            main_depth += len(last) == main_depth and not is_over
            last.append(last[-1] if last else -1)
        elif mark == b")":
            is_over = is_over or len(last) == main_depth
            last.pop()
            if not last:
                return end
        else:
            number += 1
            node = Node(number, last[-1], len(last) == main_depth and not is_over, {})
            last[-1] = number
        at = end


def next_game(data: bytes, begin: int) -> int | None:
    """Where the next game begins, from an offset on; None: there is none."""
    start = _START.search(data, begin)
    return None if start is None else start.start()


def _end_of_value(data: bytes, begin: int) -> int:
    """Behind the bracket that closes a value; -1: none does. A backslash before a character makes it plain."""
    search_from = begin
    while (close := data.find(b"]", search_from)) >= 0:
        before = data[search_from:close]
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            return close + 1
        search_from = close + 1
    return -1


def _no_token(data: bytes, at: int) -> RecordError:
    rest = data[at:].lstrip()
    if not rest:
        return RecordError("SGF: unexpected end of SGF data")
    shown = decode_line(rest[:200].partition(b"\n")[0])
    return RecordError(f"line {line_at(data, len(data) - len(rest))}: not SGF from {excerpt(shown)} on")


def _fault(data: bytes, at: int, fault: str) -> RecordError:
    """The error of a token that cannot stand at its place."""
    return RecordError(f"line {line_at(data, at)}: SGF: {fault}")


def line_at(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
