from ucci_engine.position import Position

class Term:
    """One term of the evaluation: centipawns of middle game and end game, each side in its own view."""

    name: str
    red_mg: int
    red_eg: int
    black_mg: int
    black_eg: int
    def __init__(self, name: str, red_mg: int, red_eg: int, black_mg: int, black_eg: int) -> None: ...

def trace(position: Position) -> tuple[list[Term], int]: ...
def phase_of(position: Position) -> int: ...
