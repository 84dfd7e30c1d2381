from collections.abc import Set
from struct import Struct

OPENING_PLIES: tuple[int, ...]
MAX_OPENING_CP: int
ENDS: tuple[str, ...]
HEAD: Struct

class XiangqiPlayer:
    """Plays games of Xiangqi."""

    def __init__(self, nodes: int, evaluator: str, avoided: Set[int] = ...) -> None: ...
    def play(self, seed: str) -> bytes: ...
