"""The nets of Gomoku: their files are read and checked, and written. docs/nets.md describes the format."""

from __future__ import annotations

import os
from array import array
from typing import NamedTuple

from gomoku_protocol.points import RULES
from search_core.net_file import NetError, file_name, int16, packed, read_content, unpacked

CLASSES = 15
"""Line classes: LINE_CLASSES of patterns.pxd."""
WIDTH = 16
"""Neurons of a point, in both layers."""

AROUND = 9
"""A point and its neighbours."""
ROWS = {
    "inputs": CLASSES * CLASSES,
    "stones": 2,
    "biases": 1,
    "around": AROUND,
    "around_biases": 1,
    "gates": WIDTH,
    "gate_biases": 1,
}
"""Rows of WIDTH numbers of each part, in the order of the file."""
_LIMIT = 1 << 15


class Net(NamedTuple):
    """A net: the numbers of its parts are little-endian int16; gomoku_net_kernel.h says what 1.0 is in each."""

    rule: int
    """Of the games that it has learnt from; it orders no moves of others."""
    inputs: bytes
    """A row for each pair of line classes, those of the side to move first: 15 · own + other's."""
    stones: bytes
    """The neurons of a point with a stone of the side to move, and of the other."""
    biases: bytes
    around: bytes
    """Of the nine points around and at a point, row by row."""
    around_biases: bytes
    gates: bytes
    gate_biases: bytes


def net_name(content: bytes) -> str:
    """The file name of a net, by the hash of its content."""
    return file_name("gomoku", content)


def net_bytes(net: Net) -> bytes:
    """The content of a net's file. Raises NetError for a net whose sums could overflow."""
    check_sums(net)
    header = {"game": "gomoku", "rule": net.rule, "classes": CLASSES, "width": WIDTH}
    return packed(header, b"".join(net[1:]))


def read_net(path: str | os.PathLike[str]) -> Net:
    """Read a net. Raises NetError, also for what is no regular file; OSError."""
    return parse_net(read_content(path))


def parse_net(content: bytes) -> Net:
    """The net of a file's content. Raises NetError."""
    header, numbers = unpacked(content)
    made_for = tuple(header.get(name) for name in ("game", "classes", "width"))
    if made_for != ("gomoku", CLASSES, WIDTH):
        raise NetError(f"made for other inputs: {made_for[0]}, {made_for[1]} classes, width {made_for[2]}")
    rule = header.get("rule")
    if rule not in RULES:
        raise NetError(f"made for a rule {rule}, which is none of {', '.join(map(str, RULES))}")
    row = 2 * WIDTH
    wanted = sum(ROWS.values()) * row
    if len(numbers) != wanted:
        raise NetError(f"{len(numbers)} bytes of weights, not {wanted}")
    parts, begin = [], 0
    for rows in ROWS.values():
        parts.append(numbers[begin : begin + rows * row])
        begin += rows * row
    net = Net(rule, *parts)
    check_sums(net)
    return net


def check_sums(net: Net) -> None:
    """Raise NetError if a sum of the net may not fit its integer."""
    inputs, stones, around, gates = (_rows(part) for part in (net.inputs, net.stones, net.around, net.gates))
    biases, around_biases = int16(net.biases), int16(net.around_biases)
    largest = []
    for neuron in range(WIDTH):
        column = [row[neuron] for row in inputs]
        if 4 * max(column) + biases[neuron] >= _LIMIT or 4 * min(column) + biases[neuron] < -_LIMIT:
            raise NetError(f"the sum of neuron {neuron} may overflow")
        of_stones = [row[neuron] for row in stones]
        top, bottom = max(0, 4 * max(column) + biases[neuron], *of_stones), min(0, *of_stones)
        ends = [(row[neuron] * top / 65536, row[neuron] * bottom / 65536) for row in around]
        # Each product is cut off.
        most, least = sum(map(max, ends)), sum(map(min, ends)) - AROUND
        if most + around_biases[neuron] >= _LIMIT or least + around_biases[neuron] < -_LIMIT:
            raise NetError(f"the sum of neuron {neuron} of the second layer may overflow")
        largest.append(max(most + around_biases[neuron], 0))
    if sum(largest) * _LIMIT >= 2**31:
        raise NetError("the score of a move may overflow")
    for neuron, row in enumerate(gates):
        if (sum(map(abs, row)) + 1024) * _LIMIT >= 2**31:
            raise NetError(f"the sum of gate {neuron} may overflow")


def _rows(part: bytes) -> list[array[int]]:
    numbers = int16(part)
    return [numbers[begin : begin + WIDTH] for begin in range(0, len(numbers), WIDTH)]
