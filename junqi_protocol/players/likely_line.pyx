"""How the moves that a search considers can end, and the course that a variation most probably takes."""

from typing import NamedTuple

from junqi_protocol.players.belief_position cimport BeliefPosition, End


class Ending(NamedTuple):
    """One way in which a move can end.

    `result` is an index in position.RESULTS. `declined`: the move is not made, since the piece is of no type that would
    attack.
    """

    move: int
    result: int
    flag_falls: bool
    declined: bool
    chance: float


def endings(BeliefPosition position not None, int move):
    """All that a legal move can end in, the likeliest first. A certain move has one Ending, of chance 1."""
    cdef End* end
    cdef int i
    found = []
    position.list_ends(move)
    for i in range(position.end_count):
        end = &position.ends[i]
        found.append(Ending(move, end.result, bool(end.flag_falls), bool(end.declined), end.chance))
    return found


def likely_line(BeliefPosition position not None, moves):
    """The moves of a principal variation, each with its likeliest Ending, after which the next one is played.

    An attack that is likelier declined ends it: a piece that does not attack makes another move, which the search does
    not look for. Raises ValueError if a move is not legal then.
    """
    cdef BeliefPosition board = position.copy()
    line = []
    for move in moves:
        if not board.is_legal(move):
            raise ValueError(f"move {move} of a variation is not legal")
        ending = endings(board, move)[0]
        line.append(ending)
        if ending.declined:
            break
        board.make_outcome(move, 0)
    return line
