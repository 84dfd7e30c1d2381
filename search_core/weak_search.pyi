from collections.abc import Mapping

from search_core.search import Search

class WeakSearch(Search):
    """The search of one move at a level."""

    def weaken(self, handicap: Mapping[str, int]) -> None: ...
    def keys_after_replies(self, move: int) -> list[int]: ...
    def compare(self, depth: int, most_nodes: int, careful: bool) -> list[tuple[int, bool, tuple[int, ...]]]: ...
