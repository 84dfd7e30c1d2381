from search_core.game import Poller

class LimitedSearch(Poller):
    """A search with limits of nodes and time."""

    thread_index: int
    node_limit: int
    hard_ns: int
    @property
    def nodes(self) -> int: ...
    @property
    def solver_nodes(self) -> int: ...
    @property
    def completed_depth(self) -> int: ...
