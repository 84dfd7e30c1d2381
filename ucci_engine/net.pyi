from typing_extensions import Self

from ucci_engine.evaluator import XiangqiEvaluator

def kernel_name() -> str: ...

class NetWeights:
    """The weights of a net."""

    width: int
    bias: int
    one: int
    scale: int
    def __new__(
        cls, width: int, rows: bytes, biases: bytes, outputs: bytes, bias: int, one: int, scale: int
    ) -> Self: ...

class NetEvaluator(XiangqiEvaluator):
    """The score of a net."""

    def __new__(cls, net: NetWeights) -> Self: ...
