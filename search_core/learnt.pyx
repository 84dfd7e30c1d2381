"""What the threads of a search learn together: of moves, and of the errors of the static evaluation."""

from search_core.corrections cimport clear_corrections
from search_core.histories cimport allocate_histories, clear_histories, free_histories

cdef class Learnt:
    """Histories and corrections, empty at first.

    Parameters
    ----------
    slots : int
        Numbers of a move in the histories: the game's `history_slots`.

    Raises MemoryError.
    """

    def __cinit__(self, int slots):
        if not allocate_histories(&self.histories, slots):
            raise MemoryError("no memory for a search thread")

    def __dealloc__(self):
        free_histories(&self.histories)

    cpdef void clear(self) noexcept:
        """Forget all. No search may be running."""
        clear_histories(&self.histories)
        clear_corrections(&self.corrections)
