"""The native methods of a Xiangqi position that the search calls, made visible to tests."""

from search_core.game cimport EVASION, NOISY, QUIET, Move
from ucci_engine.position cimport Position


def stage_moves(Position position not None, str stage):
    """What generate() gives for "noisy", "quiet" or "evasion"."""
    cdef Move moves[256]
    cdef int count = position.generate({"noisy": NOISY, "quiet": QUIET, "evasion": EVASION}[stage], moves)
    return [moves[i] for i in range(count)]


def gives_check(Position position not None, Move move):
    return bool(position.gives_check(move))


def pseudo_legal(Position position not None, Move move):
    return bool(position.pseudo_legal(move))


def see_ge(Position position not None, Move move, int threshold):
    return bool(position.see_ge(move, threshold))


def history_slot(Position position not None, Move move):
    return position.history_slot(move)


def null_twice(Position position not None):
    """Pass and take it back; whether key, side and FEN are as before, and whether they differed between."""
    before = (position.key, position.side, position.fen())
    position.make_null()
    between = (position.key, position.side)
    position.unmake_null()
    return before == (position.key, position.side, position.fen()) and between[0] != before[0]
