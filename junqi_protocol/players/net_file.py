"""The nets of Junqi: their files are read and checked, and written. docs/nets.md describes the format."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from junqi_protocol.players.evaluation_weights import WEIGHTS
from junqi_protocol.players.evaluators import JunqiEvaluator
from junqi_protocol.players.net import INPUT_COUNT, WIDTH, JunqiNet
from search_core.net_file import NetError, file_name, int16, packed, read_content, unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ONE = 16_384
"""1.0 of a weight."""
_HEADER = {"game": "junqi", "inputs": INPUT_COUNT, "width": WIDTH, "one": ONE}


class Net(NamedTuple):
    """The numbers of a net for one board. Those of its neurons are in ONEs, little-endian `int16`."""

    variant: str
    linear: tuple[float, ...]
    """The weights of the linear evaluation beside it, in the order of evaluation.pyx."""
    bias: float
    rows: bytes
    biases: bytes
    outputs: bytes


def net_name(net: Net, content: bytes) -> str:
    """The file name of a net, by the hash of its content."""
    return file_name(f"junqi-{net.variant}", content)


def net_bytes(net: Net) -> bytes:
    """The content of a net's file."""
    header = _HEADER | {"variant": net.variant, "linear": net.linear, "bias": net.bias}
    return packed(header, net.rows + net.biases + net.outputs)


def parse_net(content: bytes) -> Net:
    """The net of a file's content. Raises NetError."""
    header, numbers = unpacked(content)
    if {name: header.get(name) for name in _HEADER} != _HEADER:
        raise NetError("made for another game, or other inputs")
    try:
        variant, bias = str(header["variant"]), float(header["bias"])
        linear = tuple(float(weight) for weight in header["linear"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise NetError("its header cannot be read") from None
    if len(linear) != len(WEIGHTS) or not all(map(isfinite, (*linear, bias))):
        raise NetError("a number of its header is missing or not finite")
    row = 2 * WIDTH
    if len(numbers) != (INPUT_COUNT + 2) * row:
        raise NetError(f"{len(numbers)} bytes of weights, not {(INPUT_COUNT + 2) * row}")
    return Net(variant, linear, bias, numbers[: -2 * row], numbers[-2 * row : -row], numbers[-row:])


def read_evaluator(path: str, variant: str) -> JunqiEvaluator:
    """The evaluator with the net of a file, for this board. Raises NetError, OSError."""
    net = parse_net(read_content(path))
    if net.variant != variant:
        raise NetError(f"made for {net.variant}, not for {variant}")
    return JunqiEvaluator(net.linear, JunqiNet(_floats(net.rows), _floats(net.biases), _floats(net.outputs), net.bias))


def _floats(weights: bytes) -> Iterator[float]:
    return (number / ONE for number in int16(weights))
