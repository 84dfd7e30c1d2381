from typing_extensions import Self

from gomoku_protocol.evaluation import HandCraftedEvaluator

def kernel_name() -> str: ...

class NetWeights:
    """The weights of a net."""

    def __new__(
        cls,
        rule: int,
        inputs: bytes,
        stones: bytes,
        biases: bytes,
        around: bytes,
        around_biases: bytes,
        gates: bytes,
        gate_biases: bytes,
    ) -> Self: ...

class NetEvaluator(HandCraftedEvaluator):
    """The hand-made score, and a net's order of the quiet moves."""

    def __new__(cls, net: NetWeights) -> Self: ...
