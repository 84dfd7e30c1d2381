from collections.abc import Callable, Iterable

from typing_extensions import Self

from search_core.chance_search import ChanceSearch
from search_core.game import Game
from search_core.learnt import Learnt
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable

class Search(ChanceSearch):
    """The alpha-beta search of one thread."""

    depth_limit: int
    soft_nodes: int
    soft_ns: int
    mate_limit: int
    multipv: int
    def __new__(
        cls,
        game: Game,
        table: TranspositionTable,
        signals: Signals,
        report: Callable[..., None] | None = None,
        learnt: Learnt | None = None,
    ) -> Self: ...
    def set_root(
        self, game: Game, table: TranspositionTable, signals: Signals, report: Callable[..., None] | None
    ) -> None: ...
    def init_root_moves(self, only: Iterable[int] = (), excluded: Iterable[int] = ()) -> int: ...
    def run(self) -> None: ...
    def lines(self) -> list[tuple[int, tuple[int, ...]]]: ...
