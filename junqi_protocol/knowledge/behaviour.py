"""How each piece has behaved, and what that says about its type: weights for Belief.

Everything comes from moves that all players see. The weights are fitted by training/sanqi_training/junqi_behaviour.py;
docs/junqi-player.md describes the model.
"""

from __future__ import annotations

import copy
import math
from functools import cache, lru_cache
from operator import add, getitem, mul

from junqi_protocol.knowledge.behaviour_table import SCALE, SOUND_LINEUPS, TABLES
from junqi_protocol.knowledge.knowledge import A_FLAG, EAT, KILLED, MOVE, NUMBERS
from junqi_protocol.rules.geometry import BACK_ROWS, CAMPS, HEADQUARTERS, HOME_POINTS, Variant
from junqi_protocol.rules.lineup import BOMB, COMMANDER, ENGINEER, FLAG, MINE, PIECES, UNKNOWN, parse, upright
from junqi_protocol.rules.rated_lineups import RATED_LINEUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from typing_extensions import Self

    from junqi_protocol.knowledge.knowledge import Knowledge
    from junqi_protocol.rules.position import Position

Code = tuple[str, str, tuple[int, ...]]
"""How a piece has behaved: two rows of the table, and the counts of STEPS, rounded down to these."""

TARGETS = ("proven", "strong", "held", "moved", "back", "front")
"""What an attacked piece looks like to its attacker.

proven, strong: it has won one clash; several. held: it has not moved, stands in the back rows, and has beaten an
attacker. Of the others, moved: it has moved. back, front: it has not moved, and stands in the back rows; elsewhere.
"""

STEPS: dict[str, tuple[int, ...]] = {
    "moves": (1, 2, 3, 5, 8, 12, 20),
    "first": (1, 2, 4, 8, 15, 30, 60),
    "idle": (1, 3, 8, 15, 25, 40, 70),
    "streak": (2, 3, 5, 8),
    "camps": (1, 2, 4),
    "won": (1, 2, 3),
    "held": (1, 2, 3),
    "stayed": (1, 2, 4),
    "fled": (1, 2, 3),
    "stayed-proven": (1, 2),
    "fled-proven": (1, 2),
    **{f"attacked-{target}": (1, 2, 3) for target in TARGETS},
    **{f"spared-{target}": (1, 2, 4, 8, 16) for target in TARGETS},
}
"""What is counted for a piece, and the counts from which on the weights differ.

moves: its moves. first: its seat's turn of its first move. idle: turns on which it could have moved and another piece
did, before its first move. streak: the most turns in a row that it moved. camps: how often it entered a camp.
won, held: clashes that it survived as attacker and as defender. stayed, fled: what it did when an enemy had come within
reach; proven: one that had won a clash. attacked: its attacks, by TARGETS. spared: turns on which it did not attack
such a piece within reach.
"""

_NAMES = tuple(STEPS)
_MOVES, _FIRST, _IDLE, _STREAK, _CAMPS, _WON, _HELD, _STAYED, _FLED = range(9)
_TO_PROVEN = 2  # from stayed and fled to those before a proven piece
_ATTACKED = 11
_SPARED = _ATTACKED + len(TARGETS)
_PROVEN, _VERY_STRONG, _STANDING, _MOVED, _BACK, _FRONT = range(len(TARGETS))
_PLAIN_COUNTS = [0] * len(_NAMES)


def _binned(name: str) -> tuple[int, ...]:
    """By count, the largest step that it reaches."""
    steps = STEPS[name]
    return tuple(max((step for step in steps if step <= count), default=0) for count in range(steps[-1] + 1))


_BINS = tuple(_binned(name) for name in _NAMES)
_MOST = [steps[-1] for steps in STEPS.values()]  # more are not counted


_CONDUCT = {"siguo": 0.75, "duel": 1.0}
"""The share of what a board's table says that counts: it is fitted to games of this program, and others play otherwise.
With two seats less of it did not gain (docs/measurements.md)."""
_PRIOR = -1.4
"""The logarithm of the odds of each kind of lineups of good play, over lineups by chance, before anything is known."""
_TRUST = 0.8
"""Of the evidence for a kind of lineup; the pieces are not independent."""
_SUREST = 4.0
"""How much evidence changes the logarithm of the odds at most, up or down."""
_LEAST = 0.02
"""The share of lineups by chance among those of good play, so that nothing is impossible."""


def _by_chance(index: int) -> list[float]:
    """The share of each type on a home point, if all lineups that the rules allow are equally probable."""
    shares = [0.0] * UNKNOWN
    if index in CAMPS:
        return shares
    rest = 1.0
    if index in HEADQUARTERS:
        shares[FLAG] = 1 / len(HEADQUARTERS)
        rest -= shares[FLAG]
    if index >= BACK_ROWS:
        shares[MINE] = rest * NUMBERS[MINE] / (HOME_POINTS - BACK_ROWS - NUMBERS[FLAG])
        rest -= shares[MINE]
    if index >= 5:
        free = HOME_POINTS - len(CAMPS) - 5 - NUMBERS[FLAG] - NUMBERS[MINE]
        shares[BOMB] = rest * NUMBERS[BOMB] / free
        rest -= shares[BOMB]
    ranks = sum(NUMBERS[ENGINEER : COMMANDER + 1])
    for kind in range(ENGINEER, COMMANDER + 1):
        shares[kind] = rest * NUMBERS[kind] / ranks
    return shares


_BY_CHANCE = [_by_chance(index) for index in range(HOME_POINTS)]


def _mirrored(index: int) -> int:
    return index // 5 * 5 + 4 - index % 5


def _rated_lineups(variant: str) -> list[list[float]]:
    """As SOUND_LINEUPS, of the lineups that are rated for a board."""
    weights = RATED_LINEUPS[variant]
    total = sum(weights.values())
    found = [[0.0] * UNKNOWN for _ in range(HOME_POINTS)]
    for rated, weight in weights.items():
        for index, letter in enumerate(upright(parse(rated))):
            found[index][PIECES.index(letter)] += 1000 * weight / total
    return found


@cache
def _ratios(variant: str, flag: int | None) -> list[list[list[float]]]:
    """By kind of lineups of good play, home point and type: how often they have it there, over lineups by chance.

    `flag`: its home point if it is known."""
    return [_ratios_of(table, flag) for table in (SOUND_LINEUPS, _rated_lineups(variant))]


def _ratios_of(table: Sequence[Sequence[float]], flag: int | None) -> list[list[float]]:
    left = HEADQUARTERS[0]
    found = []
    for index in range(HOME_POINTS):
        both = [table[index], table[_mirrored(index)]]
        if flag is not None:
            both = both[:1] if flag == left else both[1:]
        shares = [sum(column) / 1000 / len(both) for column in zip(*both)]
        found.append(
            [
                (1 - _LEAST) * share / chance + _LEAST if chance else 1.0
                for share, chance in zip(shares, _BY_CHANCE[index])
            ]
        )
    return found


class Behaviour:
    """How the pieces of a game have behaved.

    Parameters
    ----------
    variant : Variant
    hidden : iterable of int
        The seats whose lineups the player is not shown.

    Attributes
    ----------
    turns : list of int
        How often each seat has moved.
    """

    def __init__(self, variant: Variant, hidden: Iterable[int]) -> None:
        self._variant = variant
        self._hidden = frozenset(hidden)
        self.turns = [0] * variant.seats
        # By the point a piece began on; a piece without an entry has done nothing.
        self._counts: dict[int, list[int]] = {}
        self._running: list[tuple[int, int]] = [(-1, 0)] * variant.seats  # the last piece to move, how often in a row
        self._approached: list[dict[int, tuple[int, bool]]] = [{} for _ in range(variant.seats)]

    def copy(self) -> Self:
        """An independent copy."""
        twin = copy.copy(self)
        twin.turns = list(self.turns)
        twin._counts = {home: list(counts) for home, counts in self._counts.items()}
        twin._running = list(self._running)
        twin._approached = [dict(pieces) for pieces in self._approached]
        return twin

    def moved(self, seat: int, move: int, result: int, before: Position, after: Position, knowledge: Knowledge) -> None:
        """Follow a move. `knowledge` is that before the move, and is not changed."""
        origin, target = move >> 8, move & 255
        homes = knowledge.homes
        mover = homes.get(origin, -1)
        if mover < 0:
            return
        victim = homes.get(target, -1)
        self.turns[seat] += 1
        if seat in self._hidden:
            self._chose(seat, mover, victim, before, homes)
            self._answered(seat, mover, target)
        self._approached[seat] = {}
        counts = self._of(mover)
        if not counts[_MOVES]:
            counts[_FIRST] = min(self.turns[seat], _MOST[_FIRST])
        self._count(mover, _MOVES)
        last, row = self._running[seat]
        self._running[seat] = (mover, row + 1 if last == mover else 1)
        counts[_STREAK] = max(counts[_STREAK], min(self._running[seat][1], _MOST[_STREAK]))
        if target in self._variant.camps:
            self._count(mover, _CAMPS)
        if victim >= 0:
            if result == EAT:
                self._count(mover, _WON)
            elif result == KILLED:
                self._count(victim, _HELD)
        if result in (MOVE, EAT):
            self._approach(seat, mover, target, after, knowledge)

    def has_moved(self, home: int) -> bool:
        """Whether the piece that began on a point has moved."""
        return self._counts.get(home, _PLAIN_COUNTS)[_MOVES] > 0

    def _of(self, home: int) -> list[int]:
        return self._counts.setdefault(home, list(_PLAIN_COUNTS))

    def _count(self, home: int, what: int) -> None:
        counts = self._of(home)
        counts[what] = min(counts[what] + 1, _MOST[what])

    def _look(self, home: int) -> int:
        """What a piece looks like to the enemy, of TARGETS."""
        counts = self._counts.get(home, _PLAIN_COUNTS)
        back = home % HOME_POINTS >= BACK_ROWS
        if not counts[_MOVES] and back:
            return _STANDING if counts[_HELD] else _BACK
        wins = counts[_WON] + counts[_HELD]
        if wins:
            return _PROVEN if wins == 1 else _VERY_STRONG
        return _MOVED if counts[_MOVES] else _FRONT

    def _chose(self, seat: int, mover: int, victim: int, before: Position, homes: Mapping[int, int]) -> None:
        """The seat preferred this piece's move to the others."""
        able = set()
        spared = set()
        for move in before.legal_moves():
            origin = move >> 8
            able.add(origin)
            other = homes.get(move & 255)
            if other is not None:
                spared.add((homes.get(origin, -1), self._look(other)))
        if victim >= 0:
            look = self._look(victim)
            spared.discard((mover, look))
            self._count(mover, _ATTACKED + look)
        for home, look in spared:
            if home >= 0:
                self._count(home, _SPARED + look)
        for origin in able:
            home = homes.get(origin, -1)
            if home == origin and home != mover and not self._of(home)[_MOVES]:
                self._count(home, _IDLE)

    def _answered(self, seat: int, mover: int, target: int) -> None:
        """What the pieces did that an enemy had approached."""
        for home, (point, proven) in self._approached[seat].items():
            if target != point:
                did = _FLED if home == mover else _STAYED
                self._count(home, did + (_TO_PROVEN if proven else 0))

    def _approach(self, seat: int, mover: int, target: int, after: Position, knowledge: Knowledge) -> None:
        """Note which pieces of hidden enemies the mover can now attack."""
        counts = self._counts[mover]
        proven = counts[_WON] + counts[_HELD] > 0
        camps = self._variant.camps
        for enemy in after.living:
            if (enemy ^ seat) & 1 and enemy in self._hidden:
                homes = knowledge.homes
                for point in knowledge.living[enemy]:
                    if point != target and point not in camps and after.reaches(target, point):
                        home = homes.get(point, -1)
                        if home >= 0:
                            self._approached[enemy][home] = (target, proven)

    def codes(self, knowledge: Knowledge, seat: int) -> dict[int, Code]:
        """By home point, the conduct of each hidden piece of a seat, dead ones included."""
        found = {}
        for point, home, types in _pieces(knowledge, seat):
            if types & (types - 1):
                counts = self._counts.get(home, _PLAIN_COUNTS)
                row = home % HOME_POINTS // 5
                found[home] = (
                    f"row {row}" if counts[_MOVES] else f"row {row} still",
                    f"at {_place(self._variant, seat, home, point)}",
                    tuple(map(getitem, _BINS, counts)),
                )
        return found

    def weights(self, knowledge: Knowledge) -> dict[int, tuple[float, ...]]:
        """By home point, the weights by type of each hidden piece, as Belief takes them. All are positive."""
        found = {}
        for seat in self._hidden:
            priors = lineup_factors(knowledge, seat)
            for home, code in self.codes(knowledge, seat).items():
                found[home] = tuple(map(mul, priors[home], weights_of(self._variant.name, code)))
        return found


def _pieces(knowledge: Knowledge, seat: int) -> Iterator[tuple[int, int, int]]:
    """The pieces of a seat of which it is known where they began: (point, or -1 if dead; home; possible types)."""
    for point, types in knowledge.living[seat].items():
        home = knowledge.homes.get(point, -1)
        if home >= 0:
            yield point, home, types
    for home, types in zip(knowledge.dead_homes[seat], knowledge.dead[seat]):
        if home >= 0:
            yield -1, home, types


def lineup_factors(knowledge: Knowledge, seat: int) -> dict[int, Sequence[float]]:
    """By home point, what the lineup says of each piece's type: factors of weights.

    They are those of a mixture of lineups by chance, of those that follow the principles of good play, and of the rated
    ones of the board. What is known of the pieces says how probable each kind is.
    """
    variant, pieces = knowledge.variant.name, list(_pieces(knowledge, seat))
    flag = next((home % HOME_POINTS for _, home, types in pieces if types == A_FLAG), None)
    odds = [0.0, 0.0]
    for _, home, types in pieces:
        if home % HOME_POINTS != flag:
            odds = [*map(add, odds, _evidence(variant, flag, home % HOME_POINTS, types))]
    sound, rated = (math.exp(_PRIOR + max(-_SUREST, min(_SUREST, _TRUST * one))) for one in odds)
    total = 1 + sound + rated
    by_chance, sound, rated = 1 / total, sound / total, rated / total
    of_sound, of_rated = _ratios(variant, flag)
    found: dict[int, Sequence[float]] = {}
    for _, home, _types in pieces:
        both = zip(of_sound[home % HOME_POINTS], of_rated[home % HOME_POINTS])
        found[home] = [by_chance + sound * one + rated * other for one, other in both]
    return found


@lru_cache(maxsize=8192)
def _evidence(variant: str, flag: int | None, index: int, types: int) -> list[float]:
    """How much the possible types of a piece speak for each kind of good play: logarithms of ratios."""
    by_chance = _BY_CHANCE[index]
    kinds = [kind for kind in range(UNKNOWN) if types >> kind & 1]
    total = sum(by_chance[kind] for kind in kinds)
    if not total:
        return [0.0, 0.0]
    tables = _ratios(variant, flag)
    return [math.log(sum(by_chance[kind] * table[index][kind] for kind in kinds) / total) for table in tables]


def _place(variant: Variant, seat: int, home: int, point: int) -> str:
    """Where a piece stands."""
    if point < 0:
        return "dead"
    if home == point:
        return "start"
    owner = variant.seat_of(point)
    if owner < 0:
        return "centre"
    camp = "camp" if point % HOME_POINTS in CAMPS else "land"
    if owner == seat:
        return f"own {camp}"
    if (owner ^ seat) & 1 == 0:
        return f"partner {camp}"
    return f"enemy {camp}" if point % HOME_POINTS < BACK_ROWS else "enemy back"


def names_of(code: Code) -> list[str]:
    """The rows of the table that apply to a piece: its places, and one for each step that a count has reached."""
    row, place, counts = code
    reached = [f"{name} {step}" for name, count in zip(_NAMES, counts) for step in STEPS[name] if step <= count]
    return [row, place, *reached]


@lru_cache(maxsize=4096)
def weights_of(variant: str, code: Code) -> tuple[float, ...]:
    """The weights of a piece by type: the exponentials of a share of the sums of the rows of a board's table."""
    table = TABLES[variant]
    sums = [0] * UNKNOWN
    for name in names_of(code):
        row = table.get(name)
        if row is not None:
            sums = [one + other for one, other in zip(sums, row)]
    return tuple(math.exp(_CONDUCT[variant] * one / SCALE) for one in sums)
