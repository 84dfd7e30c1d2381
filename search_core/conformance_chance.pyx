"""The clauses of the contract of Game that are about moves with several outcomes. conformance.pyx asks for them."""

from search_core.game cimport MAX_OUTCOMES, ONGOING, Game, Move

cdef enum:
    GUARD = 16  # entries behind the chances that must stay as they are

cdef double UNWRITTEN = -12345.5
cdef double ROUNDING = 1e-9  # of a sum of chances


cdef tuple seen(Game game, int ply):
    cdef int outcome = game.outcome(ply)
    return game.key, game.side, outcome, game.evaluate() if outcome == ONGOING else 0


cdef tuple broken_outcomes(Game game, Move move, bint legal, int ply, dict counts):
    """The clause that the outcomes of a pseudo-legal move break, and how; or None. `ply`: of the position."""
    cdef double chances[MAX_OUTCOMES + GUARD]
    cdef double total = 0
    cdef int i, count
    cdef bint made
    for i in range(MAX_OUTCOMES + GUARD):
        chances[i] = UNWRITTEN
    count = game.outcomes(move, chances)
    counts["chances"] += 1
    if not 1 <= count <= MAX_OUTCOMES:
        return "chances", f"outcomes({move}) is {count}"
    for i in range(GUARD):
        if chances[MAX_OUTCOMES + i] != UNWRITTEN:
            return "chances", f"outcomes({move}) writes beyond {<int> MAX_OUTCOMES} chances"
    counts["certain"] += 1
    if count == 1 and chances[0] != 1:
        return "certain", f"the only outcome of {move} has the chance {chances[0]}"
    if count > 1 and not game.has_chance:
        return "certain", f"{move} has {count} outcomes, and has_chance is not set"
    for i in range(count):
        total += chances[i]
        if not 0 < chances[i] <= 1:
            return "chances", f"outcome {i} of {move} has the chance {chances[i]}"
    if not 1 - ROUNDING < total < 1 + ROUNDING:
        return "chances", f"the chances of {move} sum to {total}"
    before = seen(game, ply)
    first = None
    if game.make(move):
        first = seen(game, ply + 1)
        game.unmake()
    for i in range(count):
        made = game.make_outcome(move, i)
        counts["make_outcome"] += 1
        if made != legal:
            return "make_outcome", f"make() {'plays' if legal else 'refuses'} {move}, and not so its outcome {i}"
        if made:
            if game.key == before[0]:
                return "key", f"key is the same after outcome {i} of {move}"
            if i == 0 and seen(game, ply + 1) != first:
                return "make_outcome", f"outcome 0 of {move} gives {seen(game, ply + 1)}, and make() gives {first}"
            game.unmake()
        if seen(game, ply) != before:
            return "make_outcome", f"{before} is {seen(game, ply)} after outcome {i} of {move}"
    return None


cdef int drawn_outcome(Game game, Move move, chance):
    """An outcome of a legal move, drawn at random."""
    cdef double chances[MAX_OUTCOMES]
    cdef int count = game.outcomes(move, chances)
    return 0 if count == 1 else chance.choices(range(count), [chances[i] for i in range(count)])[0]
