from collections.abc import Iterable
from typing import NamedTuple

from junqi_protocol.players.belief_position import BeliefPosition

class Ending(NamedTuple):
    move: int
    result: int
    flag_falls: bool
    declined: bool
    chance: float

def endings(position: BeliefPosition, move: int) -> list[Ending]: ...
def likely_line(position: BeliefPosition, moves: Iterable[int]) -> list[Ending]: ...
