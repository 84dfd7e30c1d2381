"""What the moves and their results show about each piece: the types that it may have.

A set of types is a number: bit n stands for type n of lineup.PIECES.
"""

from __future__ import annotations

import copy

from junqi_protocol.geometry import BACK_ROWS, CAMPS, HEADQUARTERS, HOME_POINTS, Variant
from junqi_protocol.lineup import ARMY, BOMB, COMMANDER, ENGINEER, FLAG, MINE, PIECES, UNKNOWN
from junqi_protocol.position import RESULTS, Contradiction, resolve_combat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from typing_extensions import Self

MOVE, EAT, KILLED, BOTH_DIED = range(len(RESULTS))

NUMBERS = tuple(ARMY.get(letter, 0) for letter in PIECES)
"""How many pieces of each type an army has."""

RANKS = (1 << BOMB) - (1 << ENGINEER)
A_BOMB, A_MINE, A_FLAG, AN_ENGINEER = 1 << BOMB, 1 << MINE, 1 << FLAG, 1 << ENGINEER
_TYPES = range(ENGINEER, UNKNOWN)


def lowest_rank(types: int) -> int:
    """The lowest rank that a piece may have; 0 if it cannot have one."""
    ranks = types & RANKS
    return (ranks & -ranks).bit_length() - 1 if ranks else 0


def highest_rank(types: int) -> int:
    """The highest rank that a piece may have; 0 if it cannot have one."""
    ranks = types & RANKS
    return ranks.bit_length() - 1 if ranks else 0


def starting_types(index: int) -> int:
    """The types that may begin on a home point."""
    types = RANKS
    if index >= 5:
        types |= A_BOMB
    if index >= BACK_ROWS:
        types |= A_MINE
    if index in HEADQUARTERS:
        types |= A_FLAG
    return types


class Knowledge:
    """What the player of some seats knows about the pieces.

    Parameters
    ----------
    seats : sequence of int
        The player's own.
    lineups : mapping of int to str
        The lineups that the player is shown.

    Attributes
    ----------
    enemies : list of int
        The seats of the other team.
    living : list of dict of int to int
        For each seat, by point, the types that its piece there may have. Empty for a seat that is out.
    dead : list of list of int
        For each seat, the types that each piece it lost may have had.
    arrivals : list of int
        Points beside the team's camps where an enemy has arrived: at most two, the newest first.
    """

    def __init__(self, variant: Variant, seats: Sequence[int], lineups: Mapping[int, str]) -> None:
        team = variant.team(seats[0])
        self.enemies = [seat for seat in range(variant.seats) if seat not in team]
        self.living = [
            {
                seat * HOME_POINTS + index: 1 << PIECES.index(lineups[seat][index])
                if seat in lineups
                else starting_types(index)
                for index in range(HOME_POINTS)
                if index not in CAMPS
            }
            for seat in range(variant.seats)
        ]
        self.dead: list[list[int]] = [[] for _ in range(variant.seats)]
        self.arrivals: list[int] = []
        camps = [seat * HOME_POINTS + index for seat in team for index in CAMPS]
        self._beside_camps = frozenset(point for camp in camps for point in variant.roads[camp])

    @classmethod
    def of(cls, variant: Variant, seats: Sequence[int], living: list[dict[int, int]]) -> Self:
        """Knowledge without a history: only the types that each piece may have."""
        knowledge = cls(variant, seats, {})
        knowledge.living = living
        return knowledge

    def copy(self) -> Self:
        """An independent copy."""
        twin = copy.copy(self)
        twin.living = [dict(army) for army in self.living]
        twin.dead = [list(army) for army in self.dead]
        twin.arrivals = list(self.arrivals)
        return twin

    def flag_of(self, seat: int) -> int | None:
        """Where the flag of a seat is known to stand."""
        return next((point for point, types in self.living[seat].items() if types == A_FLAG), None)

    def moved(
        self,
        seat: int,
        move: int,
        result: int,
        flags: Iterable[tuple[int, int]],
        outs: Iterable[tuple[int, str]],
        engineer: bool,
    ) -> None:
        """Learn from a move that Position.report() has accepted.

        `engineer`: nothing else could have moved so. Raises Contradiction if the move does not fit what was known;
        this object is then unusable.
        """
        origin, target = move >> 8, move & 255
        shown, fallen = dict(flags), dict(outs)
        attacker = self.living[seat].pop(origin) & (AN_ENGINEER if engineer else ~(A_MINE | A_FLAG))
        other = next((owner for owner, army in enumerate(self.living) if target in army), None)
        if other is not None:
            attacker, defender = _agreeing(
                attacker,
                self.living[other].pop(target),
                result,
                seat in shown,
                other in shown,
                fallen.get(other) == "flag",
            )
            if result == KILLED:
                self.living[other][target] = defender
            else:
                self.dead[other].append(defender)
        if not attacker:
            raise Contradiction(f"seat {seat} cannot have moved and ended so by what was known")
        if result in (KILLED, BOTH_DIED):
            self.dead[seat].append(attacker)
        else:
            self.living[seat][target] = attacker
        self.arrivals = [point for point in self.arrivals if point != origin and (point != target or result == KILLED)]
        if seat in self.enemies and result in (MOVE, EAT) and target in self._beside_camps:
            self.arrivals = [target, *self.arrivals[:1]]
        for owner, point in shown.items():
            if not self.living[owner][point] & A_FLAG:
                raise Contradiction(f"the flag of seat {owner} is known not to stand there")
            self.living[owner][point] = A_FLAG
        for owner in fallen:
            self.fell(owner)
        if engineer or other is not None:
            self._count(seat)
        if other is not None:
            self._count(other)

    def fell(self, seat: int) -> None:
        """A seat is out, its pieces are gone."""
        self.arrivals = [point for point in self.arrivals if point not in self.living[seat]]
        self.living[seat].clear()

    def _count(self, seat: int) -> None:
        """Conclude from the numbers of an army what its pieces cannot be. Raises Contradiction."""
        army, dead = self.living[seat], self.dead[seat]
        if not army:
            return
        self._find_flag(seat)
        for rank in range(COMMANDER, ENGINEER, -1):
            high = RANKS >> rank << rank
            pieces = [*army.values(), *dead]
            sure = sum(not types & ~high for types in pieces)
            exchanged = sum(_is_or_bomb(types, high) for types in pieces)
            bombs = NUMBERS[BOMB] - sum(types == A_BOMB for types in pieces)
            # If there are more engineers than an army has, the rest were bombs.
            engineers = sum(types == AN_ENGINEER or _is_or_bomb(types, AN_ENGINEER) for types in pieces)
            bombs -= max(0, engineers - NUMBERS[ENGINEER])
            so_high, at_most = sure + max(0, exchanged - bombs), sum(NUMBERS[rank:BOMB])
            if so_high > at_most or bombs < 0:
                raise Contradiction(f"seat {seat} would have more than {at_most} pieces of rank {rank} or above")
            if so_high == at_most:
                for point, types in army.items():
                    army[point] = _lower(types, high, sure == at_most)
                dead[:] = [_lower(types, high, sure == at_most) for types in dead]

    def _find_flag(self, seat: int) -> None:
        """One piece is the flag. Raises Contradiction if none can be."""
        army = self.living[seat]
        places = [point for point, types in army.items() if types & A_FLAG]
        if not places:
            raise Contradiction(f"the flag of seat {seat} stands nowhere")
        flag = self.flag_of(seat)
        if flag is None and len(places) == 1:
            flag = places[0]
            army[flag] = A_FLAG
        if flag is not None:
            for point in places:
                if point != flag:
                    army[point] &= ~A_FLAG


def _is_or_bomb(types: int, those: int) -> bool:
    """Whether a piece is a bomb or one of those types, and it is not known which."""
    return not types & ~(those | A_BOMB) and types & those != 0 and types & A_BOMB != 0


def _lower(types: int, high: int, all_sure: bool) -> int:
    """A piece's types once all pieces of the `high` ranks are found. Unless `all_sure`, some of them may be bombs."""
    if not types & ~high or (not all_sure and _is_or_bomb(types, high)):
        return types
    return types & ~high


def _agreeing(
    attacker: int, defender: int, result: int, attacker_shown: bool, defender_shown: bool, fell: bool
) -> tuple[int, int]:
    """The types that the two pieces of a clash may have had: those that fit some type of the other piece.

    A side's flag is shown when its commander dies; the defender's seat falls with its flag.
    """
    attackers = defenders = 0
    for a in _TYPES:
        for d in _TYPES:
            if (
                attacker >> a & 1
                and defender >> d & 1
                and resolve_combat(a, d) == result
                and (d == FLAG) == fell
                and (a == COMMANDER and result != EAT) == attacker_shown
                and (d == COMMANDER and result != KILLED) == defender_shown
            ):
                attackers |= 1 << a
                defenders |= 1 << d
    return attackers, defenders
