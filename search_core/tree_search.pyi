from search_core.learnt import Learnt
from search_core.limited_search import LimitedSearch

class TreeSearch(LimitedSearch):
    """The search below the root."""

    full_width: bool
    draw_score: int
    @property
    def history_slots(self) -> int: ...
    @property
    def max_moves(self) -> int: ...
    @property
    def learnt(self) -> Learnt: ...
