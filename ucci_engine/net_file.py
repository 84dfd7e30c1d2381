"""The nets of Xiangqi: their files are read and checked, and written. docs/nets.md describes the format."""

from __future__ import annotations

import os
from typing import NamedTuple

from search_core.net_file import NetError, file_name, int16, packed, read_content, unpacked
from ucci_engine.net_inputs import INPUT_COUNT

_HEADER = ("width", "bias", "one", "scale")
_ONE = 255  # 1.0 of the first layer
_MAX_ACTIVE = 32
_MAX_WIDTH = 1024
_LANES = 32
_MAX_ONE = 10_000
_MAX_SCALE = 10_000


class Net(NamedTuple):
    """The numbers of a net: as NetWeights takes them."""

    width: int
    rows: bytes
    biases: bytes
    outputs: bytes
    bias: int
    one: int
    scale: int


def net_name(content: bytes) -> str:
    """The file name of a net, by the hash of its content."""
    return file_name("xiangqi", content)


def net_bytes(net: Net) -> bytes:
    """The content of a net's file. Raises NetError for a net whose sums could overflow."""
    _check_sums(net)
    header = {"game": "xiangqi", "inputs": INPUT_COUNT}
    header |= {name: getattr(net, name) for name in _HEADER}
    return packed(header, net.rows + net.biases + net.outputs)


def read_net(path: str | os.PathLike[str]) -> Net:
    """Read a net. Raises NetError, also for what is no regular file; OSError."""
    return parse_net(read_content(path))


def parse_net(content: bytes) -> Net:
    """The net of a file's content. Raises NetError."""
    header, numbers = unpacked(content)
    try:
        game, inputs = header["game"], header["inputs"]
        width, bias, one, scale = (int(header[name]) for name in _HEADER)
    except (ValueError, KeyError, TypeError, OverflowError):
        raise NetError("its header cannot be read") from None
    if (game, inputs) != ("xiangqi", INPUT_COUNT):
        raise NetError(f"made for other inputs: {game}, {inputs}")
    if width % _LANES or not 0 < width <= _MAX_WIDTH or not 0 < one <= _MAX_ONE or not 0 < scale <= _MAX_SCALE:
        raise NetError(f"its header is wrong: width {width}, one {one}, scale {scale}")
    row = 2 * width
    if len(numbers) != (INPUT_COUNT + 3) * row:
        raise NetError(f"{len(numbers)} bytes of weights, not {(INPUT_COUNT + 3) * row}")
    rows, biases, outputs = numbers[: INPUT_COUNT * row], numbers[INPUT_COUNT * row : -2 * row], numbers[-2 * row :]
    net = Net(width, rows, biases, outputs, bias, one, scale)
    _check_sums(net)
    return net


def _check_sums(net: Net) -> None:
    """Raise NetError if a sum of the net may not fit its integer."""
    rows, biases, outputs = int16(net.rows), int16(net.biases), int16(net.outputs)
    if max(map(abs, outputs)) > 127:
        raise NetError("a weight of the output is larger than 127")
    for sign in (1, -1):
        if sum(max(sign * weight, 0) for weight in outputs) * _ONE**2 + abs(net.bias) >= 2**31:
            raise NetError("the sum of the output may overflow")
    largest, smallest = _MAX_ACTIVE * max(rows) + max(biases), _MAX_ACTIVE * min(rows) + min(biases)
    if largest < 2**15 and smallest >= -(2**15):
        return  # as in every net so far: 5 ms less at the start
    for neuron in range(net.width):
        column = sorted(rows[neuron :: net.width])
        if sum(column[-_MAX_ACTIVE:]) + biases[neuron] >= 2**15 or sum(column[:_MAX_ACTIVE]) + biases[neuron] < -(
            2**15
        ):
            raise NetError(f"the sum of neuron {neuron} may overflow")
