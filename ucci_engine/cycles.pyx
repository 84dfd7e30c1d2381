"""How a position of Xiangqi came back: which side checked or chased with every move, and who loses by it.

The rules themselves are in rules.pyx; docs/repetition.md explains them.
"""

from typing import NamedTuple

from search_core.game cimport RULED_LOST, RULED_WON
from ucci_engine.board cimport State
from ucci_engine.position cimport Position
from ucci_engine.rules cimport ALWAYS_DRAWN, chased_pieces, judge_cycle

CHECK, CHASE, ATTACK = "check", "chase", "attack"


class Cycle(NamedTuple):
    """The plies between two occurrences of a position.

    occurrences: how often the position has been there since the last capture, with this time
    plies: since the second-last of the earlier occurrences, or since the only one
    loser: the side that loses by the rules if the position is there for the third time, 0 Red, 1 Black; None: neither
    conduct: what Red and Black do with every move: CHECK, CHASE, ATTACK (check, chase and mate threat in turn; only of
        a side that loses by it) or ''
    """

    occurrences: int
    plies: int
    loser: int | None
    conduct: tuple[str, str]


cdef bint checks_always(const State* state, int back, int first) noexcept nogil:
    """Whether each move of a side in the `back` plies before a state gave check; `first`: 1 if the side is to move."""
    cdef int i = first
    while i < back:
        if not (state - i).in_check:
            return False
        i += 2
    return True


def last_cycle(Position position not None) -> Cycle | None:
    """How the position came back; None: it is here for the first time since the last capture."""
    cdef const State* state = &position.states[position.length]
    cdef int reach = min(state.halfmove_clock, position.length), rule_set = position.rules.rule_set
    cdef int back = 4, cycle = 0, seen = 0, first, verdict, side
    position.in_check()  # judge_cycle() needs the answer
    while back <= reach:
        if position.keys[position.length - back] == position.keys[position.length]:
            seen += 1
            if seen <= 2:
                cycle = back
        back += 2
    if not seen:
        return None
    verdict = judge_cycle(position.kind_of, state, cycle, rule_set)
    loser = None
    if verdict == RULED_LOST:
        loser = position.side
    elif verdict == RULED_WON:
        loser = 1 - position.side
    conduct = []
    for side in range(2):
        first = 1 if side == position.side else 0
        if checks_always(state, cycle, first):
            conduct.append(CHECK)
        elif rule_set != ALWAYS_DRAWN and chased_pieces(position.kind_of, state, cycle, first, rule_set):
            conduct.append(CHASE)
        else:
            conduct.append(ATTACK if side == loser else "")
    return Cycle(seen + 1, cycle, loser, tuple(conduct))
