"""The native methods of a Xiangqi position that the search calls, made visible to tests."""

from search_core.game cimport (
    CHECKS, DRAWN, EVASION, NOISY, ONGOING, PENDING_LOST, PENDING_WON, QUIET, RULED_LOST, RULED_WON, Move,
)
from ucci_engine.board cimport Board
from ucci_engine.position cimport Position

OUTCOMES = {
    ONGOING: "ongoing",
    DRAWN: "drawn",
    RULED_WON: "won by rule",
    RULED_LOST: "lost by rule",
    PENDING_WON: "pending win",
    PENDING_LOST: "pending loss",
}


def stage_moves(Position position not None, str stage):
    """What generate() gives for "noisy", "quiet", "evasion" or "checks"."""
    cdef Move moves[300]
    stages = {"noisy": NOISY, "quiet": QUIET, "evasion": EVASION, "checks": CHECKS}
    cdef int count = position.generate(stages[stage], moves)
    return [moves[i] for i in range(count)]


def pseudo_legal(Position position not None, Move move):
    return bool(position.pseudo_legal(move))


def see_ge(Position position not None, Move move, int threshold):
    return bool(position.see_ge(move, threshold))


def history_slot(Position position not None, Move move):
    return position.history_slot(move)


def outcome(Position position not None, int ply):
    return OUTCOMES[position.outcome(ply)]


def make_null(Position position not None):
    position.make_null()


def board_bytes(Position position not None):
    """All that the current state stores of its board."""
    return (<const char*> &position.states[position.length].board)[:sizeof(Board)]


def try_every_move(Position position not None):
    """Make and take back every pseudo-legal move and a pass; how many moves turned out illegal."""
    cdef Move moves[300]
    cdef int i, stage, illegal = 0
    for stage in (NOISY, QUIET):
        for i in range(position.generate(stage, moves)):
            if position.make(moves[i]):
                position.unmake()
            else:
                illegal += 1
    position.make_null()
    position.unmake_null()
    return illegal
