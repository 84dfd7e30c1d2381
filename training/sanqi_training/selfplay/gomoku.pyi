from sanqi_training.selfplay.player import SelfPlayer

OPENING_PLIES: tuple[int, ...]
OPENING_SPREADS: tuple[int, ...]
MAX_OPENING_CP: int
ENDS: tuple[str, ...]
RANDOM_MOVE: int

class GomokuPlayer(SelfPlayer):
    """Plays games of Gomoku."""

    def __init__(self, nodes: int, rule: int, size: int, random_moves: int) -> None: ...
