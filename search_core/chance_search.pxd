from search_core.tree_search cimport TreeSearch

cdef class ChanceSearch(TreeSearch):
    pass
