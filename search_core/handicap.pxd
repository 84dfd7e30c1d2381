# What a level below full strength takes away from the search (docs/levels.md). All zero: nothing. What it takes away
# from the game itself is set by Game.weaken() and Game.tune().
from libc.stdint cimport uint64_t

cdef struct Handicap:
    uint64_t seed          # one number for a whole game
    uint64_t nodes         # most nodes; of the search that finds the best move
    int depth              # most plies
    int blind_permille     # how often the move that is hardest to see is overlooked
    int careless_permille  # how often any other move is overlooked
    int quiescence_plies   # plies beyond the depth of the iteration
    int unrelated_permille  # how often a root move is overlooked that has nothing to do with what is on the board
    int sees_captures      # captures that win material at once are never overlooked: 1 the opponent's, 2 also its own
