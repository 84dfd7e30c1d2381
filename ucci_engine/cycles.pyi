from typing import NamedTuple

from ucci_engine.position import Position

CHECK: str
CHASE: str
ATTACK: str

class Cycle(NamedTuple):
    """The plies between two occurrences of a position. `conduct` and `loser` are by sides, 0 Red and 1 Black."""

    occurrences: int
    plies: int
    loser: int | None
    conduct: tuple[str, str]

def last_cycle(position: Position) -> Cycle | None: ...
