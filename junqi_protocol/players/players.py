"""Players that do not look ahead: the first levels, and the first steps of the ladder (docs/junqi-player.md).

"random", "events" and "path" follow the published description of the early players of pfysw's JunQi engine; "greedy"
and "expect" are our own. Each looks for several kinds of occasion, the most urgent first. It plays a random move of
the first kind found; if there is none, any random move.
"""

from __future__ import annotations

import math
from contextlib import suppress

from junqi_protocol.knowledge.belief import Belief, OutOfTime
from junqi_protocol.knowledge.knowledge import (
    A_FLAG,
    A_MINE,
    AN_ENGINEER,
    EAT,
    KILLED,
    NUMBERS,
    RANKS,
    highest_rank,
    lowest_rank,
)
from junqi_protocol.rules.geometry import VARIANTS, Variant, move_of
from junqi_protocol.rules.lineup import BOMB, ENGINEER, FLAG, MINE, UNKNOWN, WORTH
from junqi_protocol.rules.position import Contradiction, resolve_combat

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Sequence

    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.rules.position import Position

    Occasion = Callable[["_Sight"], list[int]]

BRIGADIER = 6
"""旅长"""
_FARTHEST = 4
"""The longest path, in moves, of the race to the flag."""


class _Sight:
    """What the seat on turn sees."""

    def __init__(self, view: PlayerView, is_due: Callable[[], bool] | None = None) -> None:
        self.is_due = is_due
        """Says whether the time is up; None: never."""
        self.variant: Variant = view.position.variant
        self.knowledge = view.knowledge
        self.behaviour = view.behaviour
        self.team = self.variant.team(view.position.turn)
        self.position = view.position
        self.moves = view.position.legal_moves()
        own = self.knowledge.living[view.position.turn]
        self.own = {point: types.bit_length() - 1 for point, types in own.items()}
        """The types of the seat's own pieces, by point."""
        self.enemies: dict[int, int] = {}
        """What the enemies' pieces may be, by point."""
        for seat in self.knowledge.enemies:
            self.enemies.update(self.knowledge.living[seat])
        self.occupied = {point for army in self.knowledge.living for point in army}

    def captures(self) -> list[tuple[int, int, int]]:
        """The attacking moves: each with the type of our piece and the types that the target may have."""
        enemies = self.enemies
        return [(move, self.own[move >> 8], enemies[move & 255]) for move in self.moves if move & 255 in enemies]


def _attacks(sight: _Sight, wanted: Callable[[int, int], object]) -> list[int]:
    """The attacks that are wanted, by the type of our piece and the types that the target may have."""
    return [move for move, mine, theirs in sight.captures() if wanted(mine, theirs)]


def _dig(sight: _Sight) -> list[int]:
    """An engineer can reach a piece in an enemy's two back rows that may be a mine."""
    return _attacks(sight, lambda mine, theirs: mine == ENGINEER and theirs & A_MINE)


def _probe(sight: _Sight) -> list[int]:
    """A piece other than an engineer can reach one of which no rank is known."""
    return _attacks(sight, lambda mine, theirs: mine != ENGINEER and theirs & AN_ENGINEER and theirs != AN_ENGINEER)


def _camp(sight: _Sight) -> list[int]:
    """We can enter an empty camp of ours, and an enemy has just arrived beside it."""
    for point in sight.knowledge.arrivals:
        camps = {
            camp
            for camp in sight.variant.roads[point]
            if camp in sight.variant.camps and sight.variant.seat_of(camp) in sight.team
        }
        moves = [move for move in sight.moves if move & 255 in camps]
        if moves:
            return moves
    return []


def _take(sight: _Sight) -> list[int]:
    """A piece can reach one of at most its own rank, or the flag."""

    def wanted(mine: int, theirs: int) -> bool:
        return theirs == A_FLAG or (mine != BOMB and not theirs & A_MINE and 0 < highest_rank(theirs) <= mine)

    return _attacks(sight, wanted)


def _bomb(sight: _Sight) -> list[int]:
    """A bomb can reach a piece known to be at least 旅长."""
    return _attacks(sight, lambda mine, types: mine == BOMB and not types & ~RANKS and lowest_rank(types) >= BRIGADIER)


def _race(sight: _Sight) -> list[int]:
    """A piece is a few moves from a flag, or one below 旅长 from a headquarters that may hold one."""
    flags, headquarters = _goals(sight)
    return _shortest(sight, flags, sight.own, _FARTHEST) or _shortest(
        sight, headquarters, [point for point, kind in sight.own.items() if kind < BRIGADIER], _FARTHEST
    )


def _seize(sight: _Sight) -> list[int]:
    """A flag can be taken."""
    return _attacks(sight, lambda _mine, theirs: theirs == A_FLAG)


def _gain(sight: _Sight) -> list[int]:
    """The attacks with the highest expected gain, if it is positive."""
    gain, moves = _best_attacks(sight)
    return moves if gain > 0 else []


def _best_attacks(sight: _Sight) -> tuple[float, list[int]]:
    """The highest expected gain of an attack, and the attacks that have it."""
    left = {}
    for seat in sight.knowledge.enemies:
        pieces = [*sight.knowledge.living[seat].values(), *sight.knowledge.dead[seat]]
        unknown = [number - pieces.count(1 << kind) for kind, number in enumerate(NUMBERS)]
        left.update(dict.fromkeys(sight.knowledge.living[seat], unknown))
    best, found = -math.inf, []
    for move, mine, theirs in sight.captures():
        gain = _expected_gain(mine, theirs, left[move & 255])
        if gain > best:
            best, found = gain, [move]
        elif gain == best:
            found.append(move)
    return best, found


def _expected_gain(mine: int, theirs: int, left: list[int]) -> float:
    """The average gain of an attack. A type's weight is the number of its pieces not yet found: `left`."""
    if not theirs & (theirs - 1):
        return _GAIN[mine][theirs.bit_length() - 1]
    weights = [left[kind] if theirs >> kind & 1 else 0 for kind in range(FLAG + 1)]
    return sum(weight * gain for weight, gain in zip(weights, _GAIN[mine])) / max(1, sum(weights))


def _expect(sight: _Sight) -> list[int]:
    """The moves of the highest expected gain: of the clash, less what the piece risks where it then stands.

    None if the time is up before the probabilities are known.
    """
    try:
        values = _weigh(sight)
    except OutOfTime:
        return []
    best = max(values.values())
    return [move for move, value in values.items() if value > best - 1e-6]


def _weigh(sight: _Sight) -> dict[int, float]:
    """The expected gain of each move, in centipawns. Adds what it ignores to the remarks."""
    weights = sight.behaviour.weights(sight.knowledge)
    belief = Belief(sight.knowledge, weights, seed=sight.position.key, is_due=sight.is_due)
    chances: dict[int, Sequence[float]] = {}
    for seat in sight.knowledge.enemies:
        chances.update(belief.probabilities(seat))
    remarks = sight.knowledge.remarks
    remarks += [remark for remark in belief.remarks if remark not in remarks]
    attackers = [point for point, types in sight.enemies.items() if types & ~(A_MINE | A_FLAG)]
    risks: dict[tuple[int, int], float] = {}

    def threat(position: Position, kind: int, point: int) -> float:
        """What a piece of ours can lose on a point by an attack, expected over the attacker's types."""
        if point in sight.variant.camps:
            return 0.0
        near = [one for one in attackers if position.reaches(one, point)]
        losses = [sum(chance * loss for chance, loss in zip(chances[one], _LOSS[kind])) for one in near]
        return max(0.0, max(losses, default=0.0))

    def risk(kind: int, point: int) -> float:
        """The same on the board as it is, where the enemies reach no piece of their own."""
        if (kind, point) not in risks:
            risks[kind, point] = threat(sight.position, kind, point)
        return risks[kind, point]

    nearer = set(_advance(sight))
    found: dict[int, float] = {}
    for move in sight.moves:
        origin, target = move >> 8, move & 255
        mine = sight.own[origin]
        gain, survives = 0.0, 1.0
        if target not in chances:
            risked = risk(mine, target)
        else:
            theirs = chances[target]
            gain = sum(chance * one for chance, one in zip(theirs, _GAIN[mine]))
            survives = sum(theirs[kind] for kind in _TAKEN[mine])
            after = sight.position.copy()
            with suppress(Contradiction):  # it cannot take the piece
                after.report(move, EAT)
            risked = threat(after, mine, target)
        saved = risk(mine, origin) - survives * risked
        found[move] = gain + _CAUTION * saved + (_NEARER if move in nearer else 0)
    return found


def _advance(sight: _Sight) -> list[int]:
    """A piece comes nearer to a flag, or to a headquarters that may hold one."""
    flags, headquarters = _goals(sight)
    return _shortest(sight, flags, sight.own, sight.variant.size) or _shortest(
        sight, headquarters, sight.own, sight.variant.size
    )


def _goals(sight: _Sight) -> tuple[list[int], list[int]]:
    """The points of the known enemy flags, and the points where the others may be."""
    known = [point for point, types in sight.enemies.items() if types == A_FLAG]
    return known, [point for point, types in sight.enemies.items() if types & A_FLAG and types != A_FLAG]


def _shortest(sight: _Sight, goals: list[int], pieces: Iterable[int], farthest: int) -> list[int]:
    """First moves of our pieces' shortest paths to a goal, through empty points."""
    movable = {
        point for point in pieces if sight.own[point] not in (MINE, FLAG) and point not in sight.variant.headquarters
    }
    engineers = {point for point in movable if sight.own[point] == ENGINEER}
    walk, moves = _search_back(sight, goals, movable - engineers, farthest, flying=False)
    flight, flights = _search_back(sight, goals, engineers, walk, flying=True)
    return flights if flights and flight < walk else moves + flights


def _search_back(
    sight: _Sight, goals: list[int], pieces: set[int], farthest: int, *, flying: bool
) -> tuple[int, list[int]]:
    """The fewest moves that a piece needs to a goal, and the first moves; (farthest, []) if all pieces need more.

    Paths lead through empty points. They are followed backwards from the goals: every step can be reversed, except that
    no piece leaves a headquarters. `flying`: by rail as engineers move.
    """
    occupied = sight.occupied
    lines = (_ROADS if flying else _LINES)[sight.variant.name]
    rails = sight.variant.rails
    seen = set(sight.variant.headquarters)
    near = goals
    for distance in range(1, farthest + 1 if pieces else 1):
        found: set[int] = set()
        following: list[int] = []
        for here in near:
            for line in lines[here]:
                for there in line:
                    if there in occupied:
                        if there in pieces:
                            found.add(move_of(there, here))
                        break
                    if there not in seen:
                        seen.add(there)
                        following.append(there)
            flown = [here] if flying else []
            for point in flown:
                for there in rails[point]:
                    if there in occupied:
                        if there in pieces:
                            found.add(move_of(there, here))
                    elif there not in seen:
                        seen.add(there)
                        following.append(there)
                        flown.append(there)
        if found:
            return distance, sorted(found)
        if not following:
            break
        near = following
    return farthest, []


_ROADS = {
    name: [[(other,) for other in variant.roads[point]] for point in range(variant.size)]
    for name, variant in VARIANTS.items()
}
"""From each point of each board, the lines that any piece may move along: roads."""
_LINES = {
    name: [[*roads[point], *(line for _named, line in VARIANTS[name].runs[point])] for point in range(len(roads))]
    for name, roads in _ROADS.items()
}
"""The same, with the rail lines of pieces other than engineers."""


def _gain_of(mine: int, theirs: int) -> int:
    """What one type wins by attacking another, minus what it loses."""
    result = resolve_combat(mine, theirs)
    return (WORTH[theirs] if result != KILLED else 0) - (WORTH[mine] if result != EAT else 0)


# By our type and by theirs; 0 is no piece.
_GAIN = [[_gain_of(mine, theirs) if mine and theirs else 0 for theirs in range(UNKNOWN)] for mine in range(UNKNOWN)]

# The same for an attack on ours, as our loss; mines and flags do not attack.
_LOSS = [[_GAIN[theirs][mine] if theirs < MINE else 0 for theirs in range(UNKNOWN)] for mine in range(UNKNOWN)]
# By our type: the types that it takes.
_TAKEN = [
    [theirs for theirs in range(1, UNKNOWN) if mine and resolve_combat(mine, theirs) == EAT] for mine in range(UNKNOWN)
]

_CAUTION = 0.5
"""The weight of a risk, since the enemy does not know what it attacks."""
_NEARER = 40
"""The value of coming nearer to a flag, in centipawns."""

_OCCASIONS: dict[str, tuple[Occasion, ...]] = {
    "random": (),
    "expect": (_seize, _expect, _gain, _advance),
    "greedy": (_seize, _gain, _advance),
    "events": (_bomb, _take, _camp, _probe, _dig),
    "path": (_race, _bomb, _take, _probe, _dig, _camp),
}


def choose(level: str, view: PlayerView, chance: random.Random, is_due: Callable[[], bool] | None = None) -> int:
    """The move that a player of this level makes for the seat on turn, which is one of its own.

    `is_due` says whether the time is up; None: never. Only "expect" asks; then it plays like "greedy".
    """
    sight = _Sight(view, is_due)
    for occasion in _OCCASIONS[level]:
        moves = occasion(sight)
        if moves:
            return chance.choice(moves)
    return chance.choice(sight.moves)


def flag_captures(view: PlayerView) -> list[int]:
    """The moves that take a flag whose place is known."""
    return _seize(_Sight(view))


def best_attack(view: PlayerView, chance: random.Random) -> int | None:
    """The attack of the seat on turn with the highest expected gain, even if negative; None if there is no attack."""
    moves = _best_attacks(_Sight(view))[1]
    return chance.choice(moves) if moves else None
