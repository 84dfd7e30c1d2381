"""The inputs of Xiangqi's evaluation nets: one for each kind of piece on each point that it can reach."""

from __future__ import annotations

_HOME_FILES = (3, 4, 5)
_ADVISOR_POINTS = ((0, 3), (0, 5), (1, 4), (2, 3), (2, 5))  # rank, file
_ELEPHANT_POINTS = ((0, 2), (0, 6), (2, 0), (2, 4), (2, 8), (4, 2), (4, 6))


def _points(kind: int) -> list[int]:
    """Where a piece of the near side can stand: K A E H R C P = 0 .. 6."""
    if kind == 0:
        return [9 * rank + file for rank in range(3) for file in _HOME_FILES]
    if kind == 1:
        return [9 * rank + file for rank, file in _ADVISOR_POINTS]
    if kind == 2:
        return [9 * rank + file for rank, file in _ELEPHANT_POINTS]
    if kind == 6:
        return [9 * rank + file for rank in (3, 4) for file in range(0, 9, 2)] + list(range(45, 90))
    return list(range(90))


def _turned(square: int) -> int:
    """The point as the far side sees it."""
    return 9 * (9 - square // 9) + square % 9


INPUTS: list[list[int]] = [[-1] * 90 for _ in range(14)]
"""[kind][square]: the number of the input, for the side at the near end. Kinds 0 to 6 are its own pieces, 7 to 13 the
other side's; -1: no input."""

INPUT_COUNT = 0
for _kind in range(14):
    for _square in _points(_kind % 7):
        INPUTS[_kind][_square if _kind < 7 else _turned(_square)] = INPUT_COUNT
        INPUT_COUNT += 1
assert INPUT_COUNT == 692
