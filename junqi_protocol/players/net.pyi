from collections.abc import Iterable

WIDTH: int
FOLD_COUNT: int
KIND_COUNT: int
PLACE_COUNT: int
INPUT_COUNT: int

class JunqiNet:
    def __init__(
        self, rows: Iterable[float], biases: Iterable[float], outputs: Iterable[float], bias: float
    ) -> None: ...
