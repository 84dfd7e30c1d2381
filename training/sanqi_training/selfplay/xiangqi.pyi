from collections.abc import Set

from sanqi_training.selfplay.player import SelfPlayer

OPENING_PLIES: tuple[int, ...]
MAX_OPENING_CP: int
ENDS: tuple[str, ...]

class XiangqiPlayer(SelfPlayer):
    """Plays games of Xiangqi."""

    def __init__(self, nodes: int, evaluator: str, avoided: Set[int] = ...) -> None: ...
