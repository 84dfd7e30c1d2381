"""What the moves and their results show about each piece: the types that it may have.

A set of types is a number: bit n stands for type n of lineup.PIECES.
"""

from __future__ import annotations

import copy
from functools import cache, lru_cache
from typing import NamedTuple

from junqi_protocol.rules.geometry import BACK_ROWS, CAMPS, HEADQUARTERS, HOME_POINTS, Variant, move_text
from junqi_protocol.rules.lineup import ARMY, BOMB, COMMANDER, ENGINEER, FLAG, MINE, PIECES, UNKNOWN
from junqi_protocol.rules.position import RESULTS, resolve_combat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from typing_extensions import Self

    _Place = tuple[int, int]

MOVE, EAT, KILLED, BOTH_DIED = range(len(RESULTS))

NUMBERS = tuple(ARMY.get(letter, 0) for letter in PIECES)
"""How many pieces of each type an army has."""

RANKS = (1 << BOMB) - (1 << ENGINEER)
A_BOMB, A_MINE, A_FLAG, AN_ENGINEER = 1 << BOMB, 1 << MINE, 1 << FLAG, 1 << ENGINEER
ANY_TYPE = (1 << UNKNOWN) - (1 << ENGINEER)
_TYPES = range(ENGINEER, UNKNOWN)


def lowest_rank(types: int) -> int:
    """The lowest rank that a piece may have; 0 if it cannot have one."""
    ranks = types & RANKS
    return (ranks & -ranks).bit_length() - 1 if ranks else 0


def highest_rank(types: int) -> int:
    """The highest rank that a piece may have; 0 if it cannot have one."""
    return max((types & RANKS).bit_length() - 1, 0)


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


class Clash(NamedTuple):
    """A clash between two pieces of which both types are unknown. Pieces are named by the points they began on."""

    attacker: int
    defender: int
    pairs: tuple[int, ...]
    """By the attacker's type, the types that the defender may then have had."""


class Knowledge:
    """What the player of some seats knows about the pieces.

    What would leave no possible army is ignored, and reported in `remarks`: the referee lies, or its rules differ.

    Parameters
    ----------
    variant : Variant
    seats : sequence of int
        The player's own.
    lineups : mapping of int to str
        The lineups that the player is shown.

    Attributes
    ----------
    variant : Variant
    enemies : list of int
        The seats of the other team.
    living : list of dict of int to int
        For each seat, by point, the types that its piece there may have. Empty for a seat that is out.
    dead : list of list of int
        For each seat, the types that each piece it lost may have had, those that vanished with it included.
    homes : dict of int to int
        By point, where the living piece there began. Empty if the knowledge is without a history.
    dead_homes : list of list of int
        The same for the pieces in `dead`.
    clashes : list of Clash
        Clashes between two hidden armies, which still say something.
    arrivals : list of int
        Points beside the team's camps where an enemy has arrived: at most two, the newest first.
    remarks : list of str
        What was ignored, one line each.
    """

    def __init__(self, variant: Variant, seats: Sequence[int], lineups: Mapping[int, str]) -> None:
        team = variant.team(seats[0])
        self.variant = variant
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
        self.homes = {point: point for army in self.living for point in army}
        self.dead_homes: list[list[int]] = [[] for _ in range(variant.seats)]
        self.clashes: list[Clash] = []
        self.arrivals: list[int] = []
        self.remarks: list[str] = []
        camps = [seat * HOME_POINTS + index for seat in team for index in CAMPS]
        self._beside_camps = frozenset(point for camp in camps for point in variant.roads[camp])

    @classmethod
    def of(cls, variant: Variant, seats: Sequence[int], living: list[dict[int, int]]) -> Self:
        """Knowledge without a history: only the types that each piece may have."""
        knowledge = cls(variant, seats, {})
        knowledge.living = living
        knowledge.homes = {}
        return knowledge

    def copy(self) -> Self:
        """An independent copy."""
        twin = copy.copy(self)
        twin.living = [dict(army) for army in self.living]
        twin.dead = [list(army) for army in self.dead]
        twin.homes = dict(self.homes)
        twin.dead_homes = [list(army) for army in self.dead_homes]
        twin.clashes = list(self.clashes)
        twin.arrivals = list(self.arrivals)
        twin.remarks = list(self.remarks)
        return twin

    def flag_of(self, seat: int) -> int | None:
        """Where the flag of a seat is known to stand."""
        return next((point for point, types in self.living[seat].items() if types == A_FLAG), None)

    def army(self, seat: int) -> list[int]:
        """The types that each piece of a seat may have: the living, the dead, and those of which nothing is known."""
        pieces = [*self.living[seat].values(), *self.dead[seat]]
        # Without a history, pieces are missing that died before; a living seat has not lost its flag.
        flag_lives = any(types & A_FLAG for types in pieces)
        missing = sum(NUMBERS) - len(pieces)
        return pieces + [ANY_TYPE & ~A_FLAG if flag_lives else ANY_TYPE] * missing

    def army_homes(self, seat: int) -> list[int]:
        """The point where each piece of `army` stood in the lineup; -1 where that is not known."""
        homes = [self.homes.get(point, -1) for point in self.living[seat]] + self.dead_homes[seat]
        return homes + [-1] * (sum(NUMBERS) - len(homes))

    def moved(
        self,
        seat: int,
        move: int,
        result: int,
        flags: Iterable[tuple[int, int]],
        outs: Iterable[tuple[int, str]],
        engineer: bool,
    ) -> None:
        """Learn from a move that Position.report() has accepted. `engineer`: nothing else could have moved so."""
        origin, target = move >> 8, move & 255
        shown, fallen = dict(flags), dict(outs)
        other = next((owner for owner, army in enumerate(self.living) if target in army), None)
        # The dead first, so that the attacker finds the point empty.
        fallen_defender = self._die(other, target) if other is not None and result in (EAT, BOTH_DIED) else None
        attacker = self._die(seat, origin) if result in (KILLED, BOTH_DIED) else self._go(seat, origin, target)
        self.arrivals = [point for point in self.arrivals if point != origin and (point != target or result == KILLED)]
        if seat in self.enemies and result in (MOVE, EAT) and target in self._beside_camps:
            self.arrivals = [target, *self.arrivals[:1]]
        name = f"seat {seat}, {move_text(self.variant, move)} {RESULTS[result]}"
        if engineer:
            self._learn(f"{name}: a turn on the rails", {attacker: AN_ENGINEER})
        else:
            self._learn(f"{name}: a move", {attacker: ANY_TYPE & ~(A_MINE | A_FLAG)})
        if other is not None:
            pairs = clash_pairs(result, seat in shown, other in shown, fallen.get(other) == "flag")
            self._meet(f"{name}: the result", attacker, fallen_defender or (other, target), pairs)
        for owner, point in shown.items():
            self._learn(f"{name}: the flag of seat {owner} on {self.variant.squares[point]}", {(owner, point): A_FLAG})
        for owner in fallen:
            self.fell(owner)

    def fell(self, seat: int) -> None:
        """A seat is out, its pieces are gone."""
        self.arrivals = [point for point in self.arrivals if point not in self.living[seat]]
        for point in list(self.living[seat]):
            self._die(seat, point)

    # A _Place is a piece: its seat, and its point; for a dead piece -1 - its place in `dead`.

    def _die(self, seat: int, point: int) -> _Place:
        self.dead[seat].append(self.living[seat].pop(point))
        self.dead_homes[seat].append(self.homes.pop(point, -1))
        return seat, -len(self.dead[seat])

    def _go(self, seat: int, origin: int, target: int) -> _Place:
        self.living[seat][target] = self.living[seat].pop(origin)
        if origin in self.homes:
            self.homes[target] = self.homes.pop(origin)
        return seat, target

    def _types(self, place: _Place) -> int:
        seat, point = place
        return self.living[seat][point] if point >= 0 else self.dead[seat][-1 - point]

    def _home(self, place: _Place) -> int:
        seat, point = place
        return self.homes.get(point, -1) if point >= 0 else self.dead_homes[seat][-1 - point]

    def _learn(self, what: str, types: Mapping[_Place, int], clash: Clash | None = None) -> None:
        """Conclude what follows if these pieces have only these types. Ignored if no army is left."""
        changed = {place: self._types(place) & mask for place, mask in types.items()}
        if clash is None and all(mask == self._types(place) for place, mask in changed.items()):
            return
        clashes = [*self.clashes, clash] if clash is not None else self.clashes
        armies = self._conclude(changed, clashes)
        if armies is None:
            self.remarks.append(f"{what} does not fit what was known, and is ignored")
            return
        for seat, army in armies.items():
            self.living[seat] = dict(zip(self.living[seat], army))
            self.dead[seat] = army[len(self.living[seat]) :][: len(self.dead[seat])]
        self.clashes = [one for one in clashes if self._says_more(one)]

    def _meet(self, what: str, attacker: _Place, defender: _Place, pairs: tuple[int, ...]) -> None:
        """Learn from a clash that these pairs of types are possible."""
        one, other = narrow_pair(self._types(attacker), self._types(defender), pairs)
        homes = self._home(attacker), self._home(defender)
        hidden = one & (one - 1) and other & (other - 1) and min(homes) >= 0
        self._learn(what, {attacker: one, defender: other}, Clash(*homes, pairs) if hidden else None)

    def _conclude(self, changed: Mapping[_Place, int], clashes: Sequence[Clash]) -> dict[int, list[int]] | None:
        """The armies of all seats of which these changes say something; None if one has no possible army."""
        armies: dict[int, list[int]] = {}
        for (seat, point), mask in changed.items():
            army = armies.setdefault(seat, self.army(seat))
            army[list(self.living[seat]).index(point) if point >= 0 else len(self.living[seat]) - 1 - point] = mask
        waiting = set(armies)
        while waiting:
            for seat in waiting:
                army = armies[seat]
                # An army that is shown says nothing new.
                if all(types & (types - 1) == 0 < types for types in army):
                    continue
                possible = possible_types(tuple(army))
                if possible is None:
                    return None
                armies[seat] = list(possible)
            waiting = set()
            for clash in clashes:
                one, one_index = self._index(clash.attacker)
                other, other_index = self._index(clash.defender)
                attackers = armies.setdefault(one, self.army(one))
                defenders = armies.setdefault(other, self.army(other))
                before = attackers[one_index], defenders[other_index]
                after = narrow_pair(*before, clash.pairs)
                if after != before:
                    attackers[one_index], defenders[other_index] = after
                    waiting |= {one, other}
        return armies

    def _index(self, home: int) -> tuple[int, int]:
        """The seat of a piece, and its place in army()."""
        seat = home // HOME_POINTS
        homes = [*(self.homes[point] for point in self.living[seat]), *self.dead_homes[seat]]
        return seat, homes.index(home)

    def _says_more(self, clash: Clash) -> bool:
        """Whether a clash rules out pairs of types that the pieces' own types allow."""
        (one, i), (other, j) = self._index(clash.attacker), self._index(clash.defender)
        attacker, defender = self.army(one)[i], self.army(other)[j]
        return any(attacker >> kind & 1 and defender & ~clash.pairs[kind] for kind in _TYPES)

    def linked(self) -> list[tuple[int, int, int, int, tuple[int, ...]]]:
        """The clashes as WorldSampler takes them: a piece is its seat and its place in army()."""
        return [(*self._index(clash.attacker), *self._index(clash.defender), clash.pairs) for clash in self.clashes]


@lru_cache(maxsize=64)
def possible_types(army: tuple[int, ...], numbers: tuple[int, ...] = NUMBERS) -> tuple[int, ...] | None:
    """The types that each piece has in some army with these numbers of each type; None if there is no such army."""
    holders: list[list[int]] = [[] for _ in numbers]

    def deal(piece: int, seen: int) -> int:
        """Give a piece a type, if others can make room. Returns the types tried, or 0 for success."""
        for kind in _TYPES:
            if army[piece] & ~seen & 1 << kind:
                seen |= 1 << kind
                if len(holders[kind]) < numbers[kind]:
                    holders[kind].append(piece)
                    return 0
                for place, holder in enumerate(holders[kind]):
                    tried = deal(holder, seen)
                    if not tried:
                        holders[kind][place] = piece
                        return 0
                    seen = tried
        return seen | 1

    for piece in sorted(range(len(army)), key=lambda piece: bin(army[piece]).count("1")):
        if deal(piece, 1):
            return None
    # By type, the types from which a chain of exchanges leads to it.
    sources = [0] * len(numbers)
    for kind in _TYPES:
        for piece in holders[kind]:
            for wanted in _TYPES:
                if army[piece] >> wanted & 1:
                    sources[wanted] |= 1 << kind
    for middle in _TYPES:
        for kind in _TYPES:
            if sources[kind] >> middle & 1:
                sources[kind] |= sources[middle]
    possible = [0] * len(army)
    for kind in _TYPES:
        for piece in holders[kind]:
            possible[piece] = army[piece] & (1 << kind | sources[kind])
    return tuple(possible)


def narrow_pair(attacker: int, defender: int, pairs: Sequence[int]) -> tuple[int, int]:
    """The types of two pieces that fit some type of the other."""
    attackers = defenders = 0
    for kind in _TYPES:
        if attacker >> kind & 1 and defender & pairs[kind]:
            attackers |= 1 << kind
            defenders |= defender & pairs[kind]
    return attackers, defenders


@cache
def clash_pairs(result: int, attacker_shown: bool, defender_shown: bool, fell: bool) -> tuple[int, ...]:
    """By the attacker's type, the types of the defender with which a clash ends so.

    A side's flag is shown when its commander dies; the defender's seat falls with its flag.
    """
    pairs = [0] * UNKNOWN
    for a in _TYPES:
        for d in _TYPES:
            if (
                resolve_combat(a, d) == result
                and (d == FLAG) == fell
                and (a == COMMANDER and result != EAT) == attacker_shown
                and (d == COMMANDER and result != KILLED) == defender_shown
            ):
                pairs[a] |= 1 << d
    return tuple(pairs)
