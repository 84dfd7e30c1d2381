"""The dialogues of Yixin-Board about an opening: Swap2 and Soosorv-8, one command a step.

The answer to a step is one or more MESSAGE lines and no move. What they say is what Yixin-Board reads
(https://github.com/accreator/Yixin-Board, main.c): `SWAP2 MOVE1 x y`, `SOOSORV MOVE4 x y n`, `SOOSORV MOVE5C x y`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gomoku_protocol import soosorv
from gomoku_protocol.opening import Questions, answer
from gomoku_protocol.points import RENJU, point_of
from gomoku_protocol.stones import Stones
from search_core.failures import SetUpError
from search_core.line_protocol import excerpt

if TYPE_CHECKING:
    from gomoku_protocol.position import Position

STONES = {
    "yxswap2step1": 0,
    "yxswap2step2": 3,
    "yxswap2step3": 5,
    "yxsoosorvstep1": 0,
    "yxsoosorvstep2": 3,
    "yxsoosorvstep3": 3,
    "yxsoosorvstep4": 4,
    "yxsoosorvstep5": 4,
    "yxsoosorvstep6": 4,  # and the fifth moves that are offered
}
"""The steps, and how many stones are on the board before them."""
SWAP2 = frozenset(step for step in STONES if step.startswith("yxswap2"))
COUNTED = frozenset(("yxsoosorvstep4", "yxsoosorvstep5"))
"""The steps that name the number of fifth moves."""


class Reply(NamedTuple):
    """What a step says, and the stones that it puts on the board."""

    lines: list[str]
    moves: Sequence[int] = ()


def begin(
    step: str,
    lines: Sequence[str],
    rest: str,
    board: Stones,
    position_of: Callable[[Stones], Position],
    remaining_ms: Callable[[], int],
    chance: random.Random,
) -> tuple[Stones, Questions[Reply]]:
    """The stones before a step, and the questions that answer it. Raises SetUpError, PointError or ValueError.

    `lines`: the stones that the step lists; `rest`: what follows the step's name; `board`: the stones on the board;
    `position_of`: makes the position of stones with which the game can go on.
    """
    count = STONES[step]
    stones = Stones.from_moves(board.width, board.height, lines[:count])
    if step in SWAP2:
        stones = stones if count == 0 else board
        _require(stones, count)
        return stones, _swap2_step(position_of(stones), count, remaining_ms, chance)
    _require(stones, count)
    number = _fifth_count(rest) if step in COUNTED else 0
    offered = [stones.vacant_point(line, RENJU) for line in lines[count:]]
    if bool(offered) != (step == "yxsoosorvstep6"):
        raise SetUpError(f"expected {'four stones and the fifth moves' if not offered else f'{count} stones'}")
    return stones, _soosorv_step(step, stones.position(RENJU), number, offered, remaining_ms, chance)


def _require(stones: Stones, count: int) -> None:
    if len(stones) != count:
        raise SetUpError(f"expected {count} stones, got {len(stones)}")


def _fifth_count(text: str) -> int:
    if text not in map(str, range(1, soosorv.MAX_FIFTH_MOVES + 1)):
        raise SetUpError(f"expected the number of fifth moves, 1 to {soosorv.MAX_FIFTH_MOVES}, got {excerpt(text)}")
    return int(text)


def _swap2_step(
    position: Position, stones: int, remaining_ms: Callable[[], int], chance: random.Random
) -> Questions[Reply]:
    """The engine's part when no, three or five stones are on the board."""
    moves = yield from answer(position, stones, remaining_ms, chance)
    if stones == 5:
        return Reply([f"SWAP2 SWAP2 {'YES' if moves is None else 'NO'}"])  # yes: the engine takes Black
    if stones == 3 and (moves is None or len(moves) == 1):
        return Reply([f"SWAP2 SWAP1 {'YES' if moves is None else 'NO'}"])
    assert moves is not None
    return Reply([f"SWAP2 MOVE{number} {_place(move)}" for number, move in enumerate(moves, stones + 1)], moves)


def _soosorv_step(
    step: str,
    position: Position,
    number: int,
    offered: Sequence[int],
    remaining_ms: Callable[[], int],
    chance: random.Random,
) -> Questions[Reply]:
    """The engine's part at a step of STONES. `number`: of fifth moves; `offered`: the fifth moves themselves."""
    if step == "yxsoosorvstep1":
        stones = yield from soosorv.opening_stones(position, remaining_ms, chance)
        return Reply([f"SOOSORV MOVE{place} {_place(move)}" for place, move in enumerate(stones, 1)], stones)
    if step == "yxsoosorvstep2":
        swaps = yield from soosorv.prefers_black(position, remaining_ms)
        return Reply([f"SOOSORV SWAP1 {'YES' if swaps else 'NO'}"])
    if step == "yxsoosorvstep3":
        move, number = yield from soosorv.fourth_move(position, remaining_ms)
        return Reply([f"SOOSORV MOVE4 {_place(move)} {number}"], [move])
    if step == "yxsoosorvstep4":
        swaps = yield from soosorv.prefers_white(position, number, remaining_ms)
        return Reply([f"SOOSORV SWAP2 {'YES' if swaps else 'NO'}"])
    if step == "yxsoosorvstep5":
        moves = yield from soosorv.fifth_moves(position, number, remaining_ms)
        return Reply([f"SOOSORV MOVE5 {words}" for words in ("REFRESH", *map(_place, moves), "DONE")])
    move = yield from soosorv.chosen_fifth(position, offered, remaining_ms)
    return Reply([f"SOOSORV MOVE5C {_place(move)}"], [move])


def _place(move: int) -> str:
    x, y = point_of(move)
    return f"{x} {y}"
