from collections.abc import Callable
from random import Random
from typing import TypeVar

from search_core.contract import CLAUSES as CLAUSES
from search_core.contract import ContractBroken as ContractBroken
from search_core.game import Game

_AnyGame = TypeVar("_AnyGame", bound=Game)

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
