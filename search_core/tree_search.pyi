from search_core.game import Poller

class TreeSearch(Poller):
    """The search below the root, and its limits."""

    thread_index: int
    full_width: bool
    node_limit: int
    hard_ns: int
    draw_score: int
    @property
    def nodes(self) -> int: ...
    @property
    def completed_depth(self) -> int: ...
    @property
    def history_slots(self) -> int: ...
    @property
    def max_moves(self) -> int: ...
    def clear(self) -> None: ...
