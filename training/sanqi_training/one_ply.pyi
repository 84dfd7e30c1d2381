from collections.abc import Sequence
from typing import NamedTuple

from typing_extensions import Self

from junqi_protocol.rules.geometry import Variant

class Weights(NamedTuple):
    """What the player's moves are worth, in centipawns unless said otherwise."""

    flag: float = ...
    caution: float = ...
    nearer: float = ...
    race: float = ...
    haste: float = ...
    noise: float = ...

WEIGHTS: Weights

class FastGame(NamedTuple):
    """A game that self_play() has played."""

    winner: int | None
    plies: int
    clashes: int
    moves: list[int]

class OnePlyGame:
    """A game whose moves the one-ply player can choose, for any seat."""

    variant: Variant
    def __new__(cls, variant: str, lineups: Sequence[str], *, quiet: int = ..., seed: int = ...) -> Self: ...
    @property
    def turn(self) -> int: ...
    @property
    def over(self) -> bool: ...
    @property
    def winner(self) -> int | None: ...
    def choose(self, weights: Weights = ...) -> int: ...
    def play(self, move: int) -> None: ...
    def types(self, seat: int) -> dict[int, int]: ...
    def chances(self, seat: int) -> dict[int, list[float]]: ...

def self_play(
    variant: str,
    games: Sequence[Sequence[str]],
    *,
    weights: tuple[Weights, Weights] = ...,
    seed: int = ...,
    quiet: int = ...,
    moves: bool = ...,
) -> list[FastGame]: ...
