"""Approximate probabilities of the types of an army's pieces, in microseconds.

The weights of all pieces are scaled in turn until each piece's sum is 1 and each type's is its number in the army
(iterative proportional fitting: Deming and Stephan 1940). belief.py has exact ones, in milliseconds.
"""

cdef enum:
    ARMY = 25
    KINDS = 13
    ROUNDS = 60

cdef double NEAR = 1e-4


def scaled(rows, numbers):
    """The probabilities by piece and type.

    Parameters
    ----------
    rows : sequence of sequence of float
        Up to 25 pieces: their weights by type, at least one above 0.
    numbers : sequence of float
        How many pieces of each type there are.
    """
    cdef double weight[ARMY][KINDS]
    cdef double wanted[KINDS]
    cdef double total, worst
    cdef int count = min(len(rows), ARMY), i, kind, _round
    for kind in range(KINDS):
        wanted[kind] = numbers[kind]
    for i in range(count):
        row = rows[i]
        for kind in range(KINDS):
            weight[i][kind] = row[kind]
    for _round in range(ROUNDS):
        worst = 0
        for kind in range(1, KINDS):
            total = 0
            for i in range(count):
                total += weight[i][kind]
            if total > 0:
                worst = max(worst, abs(total - wanted[kind]))
                for i in range(count):
                    weight[i][kind] *= wanted[kind] / total
        for i in range(count):
            total = 0
            for kind in range(1, KINDS):
                total += weight[i][kind]
            if total > 0:
                for kind in range(1, KINDS):
                    weight[i][kind] /= total
        if worst < NEAR:
            break
    return [[weight[i][kind] for kind in range(KINDS)] for i in range(count)]
