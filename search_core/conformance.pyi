from collections.abc import Callable
from random import Random
from typing import TypeVar

from search_core.game import Game

CLAUSES: dict[str, str]
RESULTS: tuple[str, ...]

_AnyGame = TypeVar("_AnyGame", bound=Game)

class ContractBroken(AssertionError):
    """A game breaks a clause of its contract with the search."""

    clause: str
    detail: str
    position: str
    moves: list[int]
    start: str
    def __init__(self, clause: str, detail: str, position: str, moves: list[int], start: str) -> None: ...

def check_game(
    make_position: Callable[[Random], _AnyGame],
    games: int,
    seed: int,
    *,
    plies: int = ...,
    generates_all: bool = ...,
    exact_checks: bool = ...,
    fresh: Callable[[_AnyGame], _AnyGame] | None = ...,
    result: Callable[[_AnyGame], str] | None = ...,
    show: Callable[[_AnyGame], str] | None = ...,
) -> dict[str, int]: ...
