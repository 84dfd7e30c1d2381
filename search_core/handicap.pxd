# What a level below full strength takes away from the search (docs/levels.md). All zero: nothing.
from libc.stdint cimport uint64_t

cdef struct Handicap:
    uint64_t seed          # one number for a whole game
    uint64_t nodes         # most nodes; of the search that finds the best move
    int depth              # most plies
    int width              # quiet moves looked at per node
    int blind_permille     # how often the move that is hardest to see is overlooked
    int careless_permille  # how often any other move is overlooked
    int quiescence_plies   # plies beyond the depth of the iteration
    int solver_plies       # longest end that the game's own solver may report
    int root_window        # loss of expected score that may be chosen, in permille
    int prejudice_permille  # how much too high or low the evaluation's terms may be weighed
    int sees_captures      # captures that win material at once are never overlooked: 1 the opponent's, 2 also its own
