"""The native methods of the transposition table, made visible to tests."""

from libc.stdint cimport uint64_t

from search_core.game cimport Move
from search_core.transposition_table cimport LOWER, TranspositionTable, TTData


def store(
    TranspositionTable table not None, uint64_t key, Move move=1, int score=0, int depth=0, int bound=LOWER,
    int static_eval=0,
):
    table.store(key, move, score, depth, bound, static_eval)


def probe(TranspositionTable table not None, uint64_t key):
    """(move, score, depth, bound, static_eval), or None."""
    cdef TTData hit
    if not table.probe(key, &hit):
        return None
    return hit.move, hit.score, hit.depth, hit.bound, hit.static_eval


def hashfull(TranspositionTable table not None):
    return table.hashfull()
