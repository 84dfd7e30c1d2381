from search_core.tree_search import TreeSearch

class ChanceSearch(TreeSearch):
    """The search of moves with several outcomes."""
