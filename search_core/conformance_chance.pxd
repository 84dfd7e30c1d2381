from search_core.game cimport Game, Move

cdef tuple broken_outcomes(Game game, Move move, bint legal, int ply, dict counts)
cdef int drawn_outcome(Game game, Move move, chance)
