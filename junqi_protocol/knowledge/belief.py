"""What a player believes of the hidden pieces: how probable each type is, and armies drawn at random.

Knowledge says which types are possible, weights how probable they are. Without weights, all armies that are possible
are equally probable. docs/junqi-player.md describes the method.
"""

from __future__ import annotations

from functools import cache, lru_cache
from operator import mul

from junqi_protocol.knowledge.knowledge import ANY_TYPE, NUMBERS, possible_types
from junqi_protocol.knowledge.sampler import ArmySampler, WorldSampler
from junqi_protocol.rules.lineup import UNKNOWN
from junqi_protocol.rules.position import Contradiction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from junqi_protocol.knowledge.knowledge import Knowledge

    Rows = tuple[tuple[float, ...], ...]

FLOOR = 0.01
"""The least weight of a possible type, of 1 for all types of a piece: a belief of 0 would never recover."""
WORLDS = 500
"""Worlds drawn to estimate probabilities."""


class OutOfTime(Exception):
    """The time was up before the probabilities were known."""


class Belief:
    """What follows from a player's knowledge at one moment.

    Facts that leave no possible army are ignored, and reported in `remarks`.

    Parameters
    ----------
    knowledge : Knowledge
    weights : mapping of int to sequence of float
        By the point that a piece began on, its weights by type as in lineup.PIECES; only their ratios matter. Pieces
        that are left out have equal weights.
    seed : int
        Makes estimates and worlds repeatable.
    is_due : callable or None
        Says whether the time is up; None: never. It is asked at least every 30 ms of processor time. An estimate then
        ends with the worlds drawn so far. If that is not possible, OutOfTime is raised, here or by probabilities().

    Attributes
    ----------
    linked : list of int
        The seats whose hidden pieces have met hidden pieces of other seats; their probabilities are estimated.
    worlds : WorldSampler or None
        Draws the armies of these seats, in this order; None if there are none.
    error : float
        The largest standard error of an estimated probability, after the first estimate; 0 if all are exact.
    remarks : list of str
        What was ignored, one line each.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        weights: Mapping[int, Sequence[float]] | None = None,
        seed: int = 0,
        is_due: Callable[[], bool] | None = None,
    ) -> None:
        self._is_due = is_due
        self._knowledge = knowledge
        self._weights = weights or {}
        self._rows: dict[int, Rows] = {}
        self._estimates: list[list[list[float]]] = []
        self.error = 0.0
        self.remarks: list[str] = []
        self.worlds: WorldSampler | None = None
        clashes = knowledge.linked()
        while True:
            self.linked = sorted({seat for clash in clashes for seat in (clash[0], clash[2])})
            if not clashes:
                break
            place = {seat: number for number, seat in enumerate(self.linked)}
            try:
                samplers = [self.sampler(seat) for seat in self.linked]
                self._check_time()
                self.worlds = WorldSampler(
                    samplers,
                    [(place[one], i, place[other], j, pairs) for one, i, other, j, pairs in clashes],
                    seed,
                )
                break
            except Contradiction as error:
                self.remarks.append(f"{error}; the newest clash is ignored")
                clashes = clashes[:-1]

    def sampler(self, seat: int) -> ArmySampler:
        """Draws armies of a seat, without regard to clashes with other hidden armies.

        A piece is its place in Knowledge.army().
        """
        self._check_time()
        return _sampler(self._rows_of(seat))

    def probabilities(self, seat: int) -> dict[int, Sequence[float]]:
        """By point, how probable each type is for the piece of the seat there."""
        if seat in self.linked:
            if not self._estimates:
                assert self.worlds is not None
                self._estimates, self.error = self.worlds.estimate(WORLDS, self._is_due)
                if not self._estimates:
                    raise OutOfTime
            found: Sequence[Sequence[float]] = self._estimates[self.linked.index(seat)]
        else:
            self._check_time()
            found = _marginals(self._rows_of(seat))
        return dict(zip(self._knowledge.living[seat], found))

    def _check_time(self) -> None:
        if self._is_due is not None and self._is_due():
            raise OutOfTime

    def _rows_of(self, seat: int) -> Rows:
        """The weights of each piece of a seat."""
        if seat not in self._rows:
            knowledge = self._knowledge
            army = knowledge.army(seat)
            if possible_types(tuple(army)) is None:
                army = self._relaxed(seat, army)
            homes = knowledge.army_homes(seat)
            self._rows[seat] = tuple(weighted(types, self._weights.get(home)) for types, home in zip(army, homes))
        return self._rows[seat]

    def _relaxed(self, seat: int, army: Sequence[int]) -> list[int]:
        """An army that is possible: a piece whose types do not fit those of the pieces before it may be anything."""
        army = list(army[: sum(NUMBERS)])
        for piece, _types in enumerate(army):
            if possible_types((*army[: piece + 1], *[ANY_TYPE] * (len(army) - piece - 1))) is None:
                army[piece] = ANY_TYPE
                self.remarks.append(f"what is known of a piece of seat {seat} does not fit its army, and is ignored")
        return army


def weighted(types: int, weights: Sequence[float] | None) -> tuple[float, ...]:
    """A piece's weights: 0 for impossible types, at least FLOOR of their sum for the others."""
    allowed, least = _bounds(types)
    if weights is None:
        return allowed
    row = list(map(mul, allowed, weights))
    total = sum(row)
    return tuple(map(max, [weight / total for weight in row], least)) if total > 0 else allowed


@cache
def _bounds(types: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """By type, 1 and FLOOR for possible types, 0 for others."""
    allowed = tuple(float(types >> kind & 1) for kind in range(UNKNOWN))
    return allowed, tuple(FLOOR * one for one in allowed)


@lru_cache(maxsize=4)
def _sampler(rows: Rows) -> ArmySampler:
    """Kept for the next moves: a table takes up to 4 MB, and milliseconds to fill."""
    return ArmySampler(rows, NUMBERS)


@lru_cache(maxsize=64)
def _marginals(rows: Rows) -> Sequence[Sequence[float]]:
    return _sampler(rows).marginals()
