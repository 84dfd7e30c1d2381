"""What the evaluators of all games have in common. Each game adds the methods that read its board."""


cdef class Evaluator:
    """Gives positions their static score. Belongs to one position, and so to one thread.

    A game's own class has ``evaluate`` and ``policy``, which get what the game stores of a position and of the moves
    before it. `table_first` and `has_policy` are set once by the constructor:

    - `table_first`: the score costs more than a look into the transposition table, so the search looks there first.
    - `has_policy`: ``policy`` is worth a call.
    """

    cpdef Evaluator copy(self):
        """An evaluator for another thread: it shares the weights and has accumulators of its own."""
        raise NotImplementedError

    def set_style(self, style: str, side: int) -> bool:
        """Play in a style of the game, for `side`. False: there is no such style, and nothing has changed.

        Another style has other scores: clear the transposition table after a change.
        """
        return False

    def weakened(self, seed, permille: int, side: int) -> Evaluator:
        """An evaluator in this style that is up to `permille` wrong about what matters, for `side`, which plays below
        full strength. The same for the same seed.

        No default: a level must not be as strong as the evaluator that does not know it.
        """
        raise NotImplementedError
