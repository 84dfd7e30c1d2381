"""Beliefs about hidden pieces: exact marginals, armies drawn by each method, and facts that contradict each other."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from junqi_protocol.knowledge.belief import WORLDS, Belief, OutOfTime
from junqi_protocol.knowledge.knowledge import (
    A_FLAG,
    ANY_TYPE,
    BOTH_DIED,
    EAT,
    KILLED,
    NUMBERS,
    RANKS,
    Knowledge,
    narrow_pair,
    possible_types,
)
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.knowledge.sampler import ArmySampler, WorldSampler
from junqi_protocol.rules.geometry import SIGUO, VARIANTS, Variant, move_of
from junqi_protocol.rules.lineup import UNKNOWN, random_lineup
from junqi_protocol.rules.position import Contradiction, Position, resolve_combat

Rows = list[list[float]]
World = tuple[int, ...]
Link = tuple[int, int, int, int, list[int]]

SMALL = [0, 2, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1]
"""An army of seven: two engineers, ranks 2 and 4, a bomb, a mine, a flag."""


def armies(rows: Rows, numbers: Sequence[int]) -> dict[World, float]:
    """All possible armies and their probabilities, by trying every order of the pieces."""
    pieces = [kind for kind, number in enumerate(numbers) for _ in range(number)]
    found = {}
    for army in set(itertools.permutations(pieces)):
        weight = math.prod(row[kind] for row, kind in zip(rows, army))
        if weight > 0:
            found[army] = weight
    return {army: weight / sum(found.values()) for army, weight in found.items()}


def random_rows(chance: random.Random, numbers: Sequence[int], zeros: float = 0.3) -> Rows:
    """Weights with which some army is possible."""
    deal = [kind for kind, number in enumerate(numbers) for _ in range(number)]
    chance.shuffle(deal)
    return [
        [0.0] + [0.0 if kind != sure and chance.random() < zeros else chance.uniform(0.05, 1) for kind in range(1, 13)]
        for sure in deal
    ]


def worlds(samples: bytes, pieces: int) -> Iterator[World]:
    return (tuple(samples[at : at + pieces]) for at in range(0, len(samples), pieces))


def chi_square_tail(value: float, freedom: int) -> float:
    """The probability of a larger chi-square: Wilson and Hilferty's approximation."""
    spread = 2 / (9 * freedom)
    return 0.5 * math.erfc(((value / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(2 * spread))


def agreement(drawn: Iterator[World], expected: dict[World, float], number: int) -> float:
    """The p-value of a chi-square test. Rare worlds are counted together. Impossible ones give 0."""
    counts = Counter(drawn)
    if counts.keys() - expected.keys():
        return 0.0
    cells = [(counts[world], number * share) for world, share in expected.items() if number * share >= 8]
    rare = [(counts[world], number * share) for world, share in expected.items() if number * share < 8]
    if rare:
        cells.append((sum(count for count, _ in rare), sum(mean for _, mean in rare)))
    return chi_square_tail(sum((count - mean) ** 2 / mean for count, mean in cells), len(cells) - 1)


def drawn_by(sampler: ArmySampler, number: int, seed: int = 0) -> bytes:
    """Independent armies of one seat."""
    return WorldSampler([sampler], [], seed).draw(number)


def test_the_chi_square_tail_agrees_with_tables() -> None:
    for value, freedom, tail in ((18.307, 10, 0.05), (76.154, 50, 0.01), (149.449, 100, 0.001)):
        assert chi_square_tail(value, freedom) == pytest.approx(tail, rel=0.03)


def test_numbers_are_those_of_an_army() -> None:
    sampler = ArmySampler([[0.0] + [1.0] * 12] * 25, NUMBERS)
    assert sampler.states == 497_664
    assert all(
        Counter(army) == Counter({kind: number for kind, number in enumerate(NUMBERS) if number})
        for army in worlds(drawn_by(sampler, 50, 1), 25)
    )


@pytest.mark.parametrize("seed", range(6))
def test_marginals_are_exact(seed: int) -> None:
    chance = random.Random(seed)
    rows = random_rows(chance, SMALL)
    expected = armies(rows, SMALL)
    for piece, found in enumerate(ArmySampler(rows, SMALL).marginals()):
        for kind in range(UNKNOWN):
            mean = sum(share for army, share in expected.items() if army[piece] == kind)
            assert found[kind] == pytest.approx(mean, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_armies_are_drawn_with_their_probabilities(seed: int) -> None:
    rows = random_rows(random.Random(seed), SMALL)
    sampler = ArmySampler(rows, SMALL)
    assert agreement(worlds(drawn_by(sampler, 40_000, seed), 7), armies(rows, SMALL), 40_000) > 1e-4


def test_a_wrong_law_would_be_noticed() -> None:
    chance = random.Random(1)
    rows = random_rows(chance, SMALL)
    other = [[weight * chance.uniform(0.8, 1.2) for weight in row] for row in rows]
    assert agreement(worlds(drawn_by(ArmySampler(other, SMALL), 40_000), 7), armies(rows, SMALL), 40_000) < 1e-4


def test_the_same_seed_draws_the_same() -> None:
    rows = random_rows(random.Random(1), SMALL)
    sampler = ArmySampler(rows, SMALL)
    assert drawn_by(sampler, 10, 3) == drawn_by(sampler, 10, 3) != drawn_by(sampler, 10, 4)


def test_known_pieces_leave_smaller_tables() -> None:
    rows = [[0.0] + [float(kind == known) for kind in range(1, 13)] for known in (1, 1, 2)]
    rows += [[0.0] + [1.0] * 12] * 4
    sampler = ArmySampler(rows, SMALL)
    assert sampler.states == 2**4
    assert all(army[:3] == (1, 1, 2) for army in worlds(drawn_by(sampler, 100), 7))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_only_the_ratios_of_weights_matter(scale: float) -> None:
    rows = random_rows(random.Random(2), SMALL)
    scaled = [[scale * weight for weight in row] for row in rows]
    assert ArmySampler(scaled, SMALL).marginals()[0] == pytest.approx(ArmySampler(rows, SMALL).marginals()[0])


def test_impossible_armies_and_bad_weights_are_refused() -> None:
    anything = [[0.0] + [1.0] * 12] * 7
    mine = [0.0] * 11 + [1.0, 0.0]
    with pytest.raises(Contradiction):
        ArmySampler([mine, mine, *anything[2:]], SMALL)
    with pytest.raises(Contradiction):
        ArmySampler([[0.0] * 13, *anything[1:]], SMALL)
    with pytest.raises(Contradiction):
        ArmySampler([[0.0] * 9 + [0.0, 1.0, 1.0, 0.0]] * 3 + anything[3:], SMALL)
    for wrong in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="weight"):
            ArmySampler([[0.0, wrong] + [1.0] * 11, *anything[1:]], SMALL)
    with pytest.raises(ValueError, match="add up"):
        ArmySampler(anything[1:], SMALL)


# ---------------------------------------------------------------- several armies

TINY = [0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1]
TINY += [0] * (13 - len(TINY))
"""Engineer, ranks 2 and 3, bomb."""


def pairs_of(result: int) -> list[int]:
    """By the attacker's type, the types of the defender with which a clash ends so."""
    return [0] + [
        sum(1 << d for d in range(1, 13) if a < 11 and resolve_combat(a, d) == result) for a in range(1, UNKNOWN)
    ]


def joint(rows: Sequence[Rows], numbers: Sequence[int], links: Sequence[Link]) -> dict[World, float]:
    """All worlds that fit the clashes, and their probabilities."""
    found = {}
    for parts in itertools.product(*(armies(one, numbers).items() for one in rows)):
        if all(pairs[parts[a][0][i]] >> parts[b][0][j] & 1 for a, i, b, j, pairs in links):
            found[tuple(itertools.chain(*(army for army, _ in parts)))] = math.prod(share for _, share in parts)
    return {world: share / sum(found.values()) for world, share in found.items()}


def compare(rows: Sequence[Rows], links: Sequence[Link], number: int, numbers: Sequence[int] = TINY) -> WorldSampler:
    """Compare worlds drawn with all worlds, and estimated marginals with exact ones; returns the sampler."""
    sampler = WorldSampler([ArmySampler(one, numbers) for one in rows], links, 1)
    expected = joint(rows, numbers, links)
    pieces = len(rows[0])
    assert agreement(worlds(sampler.draw(number), pieces * len(rows)), expected, number) > 1e-4
    found, error = sampler.estimate(4000)
    assert 0 < error < 0.05
    for place, kind in itertools.product(range(pieces * len(rows)), range(UNKNOWN)):
        mean = sum(share for world, share in expected.items() if world[place] == kind)
        assert abs(found[place // pieces][place % pieces][kind] - mean) <= 6 * error
    return sampler


@pytest.mark.parametrize("seed", range(3))
def test_worlds_by_rejection_have_their_probabilities(seed: int) -> None:
    chance = random.Random(seed)
    rows = [random_rows(chance, TINY, 0.0) for _ in range(3)]
    one_survives = [eat | killed for eat, killed in zip(pairs_of(EAT), pairs_of(KILLED))]
    links: list[Link] = [(0, 0, 1, 1, one_survives), (2, 3, 0, 2, one_survives)]
    sampler = compare(rows, links, 60_000)
    assert sampler.exact
    assert 0.05 <= sampler.acceptance < 1


@pytest.mark.parametrize("seed", range(3))
def test_worlds_by_the_chain_have_their_probabilities(seed: int) -> None:
    chance = random.Random(seed)
    rows = [random_rows(chance, TINY, 0.0) for _ in range(2)]
    links: list[Link] = [
        (0, 0, 1, 0, pairs_of(EAT)),
        (0, 1, 1, 1, pairs_of(EAT)),
        (1, 2, 0, 2, pairs_of(BOTH_DIED)),
        (0, 0, 1, 3, pairs_of(KILLED)),
    ]
    while not joint(rows, TINY, links):
        links.pop()
    rows[0][0][1] *= 0.01
    rows[0][0][10] *= 0.001
    sampler = compare(rows, links, 60_000)
    assert not sampler.exact
    assert sampler.acceptance < 0.05


def test_the_chain_changes_both_pieces_of_an_exchange() -> None:
    # Without bombs no single step leads from one world to another: both pieces must change their ranks.
    numbers = [0, 1, 1, 1, 1, 1, 1] + [0] * 6
    equal: list[int] = [1 << kind for kind in range(13)]
    rows: list[Rows] = [[[0.0] + [1.0 + 0.1 * kind for kind in range(1, 13)]] + [[0.0] + [1.0] * 12] * 5] * 2
    links: list[Link] = [(0, piece, 1, piece, equal) for piece in range(2)]
    sampler = WorldSampler([ArmySampler(one, numbers) for one in rows], links, 1)
    assert not sampler.exact
    shares: dict[World, float] = {}
    for one, other in itertools.permutations(range(1, 7), 2):
        shares[one, other] = (1 + 0.1 * one) ** 2
    shares = {pair: share / sum(shares.values()) for pair, share in shares.items()}
    drawn = list(worlds(sampler.draw(20_000), 12))
    assert all(world[:2] == world[6:8] for world in drawn)
    assert agreement((world[:2] for world in drawn), shares, 20_000) > 1e-4


def test_worlds_that_cannot_be_are_refused() -> None:
    army = ArmySampler([[0.0] + [1.0] * 12] * 4, TINY)
    links: list[Link] = [(0, 0, 1, 0, pairs_of(EAT)), (0, 0, 1, 0, pairs_of(KILLED))]
    with pytest.raises(Contradiction):
        WorldSampler([army, army], links)
    with pytest.raises(ValueError, match="names no piece"):
        WorldSampler([army, army], [(0, 0, 0, 1, pairs_of(EAT))])


# ------------------------------------------------------------- what is possible


@pytest.mark.parametrize("seed", range(8))
def test_possible_types_are_those_of_some_army(seed: int) -> None:
    rows = random_rows(random.Random(seed), SMALL, 0.7)
    masks = [sum(1 << kind for kind, weight in enumerate(row) if weight) for row in rows]
    expected = [0] * len(rows)
    for army in armies(rows, SMALL):
        expected = [types | 1 << kind for types, kind in zip(expected, army)]
    assert possible_types(tuple(masks), (*SMALL, 0)) == tuple(expected)


def test_an_army_that_is_not_possible_is_recognised() -> None:
    assert possible_types((A_FLAG, A_FLAG, *[ANY_TYPE] * 23)) is None
    assert possible_types((ANY_TYPE,) * 26) is None


def test_a_pair_keeps_the_types_that_fit() -> None:
    assert narrow_pair(1 << 5, RANKS, pairs_of(EAT)) == (1 << 5, (1 << 5) - 2)
    assert narrow_pair(1 << 1, RANKS, pairs_of(EAT)) == (0, 0)


# ------------------------------------------------------------------ whole games


def views_of(variant: Variant, see: str, lineups: list[str], first: int) -> list[PlayerView]:
    sides = [(seat,) if see == "own" else variant.team(seat) for seat in range(variant.seats)]
    return [PlayerView(variant.name, side, {seat: lineups[seat] for seat in side}, first=first) for side in sides]


@pytest.mark.parametrize(("variant", "see"), [("duel", "own"), ("siguo", "own"), ("siguo", "team")])
def test_the_true_army_is_always_possible(variant: str, see: str) -> None:
    rules = VARIANTS[variant]
    for seed in range(3):
        chance = random.Random(f"{variant} {see} {seed}")
        lineups = [random_lineup(chance) for _ in range(rules.seats)]
        world = Position(variant, first=seed % rules.seats, plies=600)
        world.deploy(lineups)
        views = views_of(rules, see, lineups, seed % rules.seats)
        while world.outcome_text is None:
            moves = world.legal_moves()
            attacks = [move for move in moves if world.piece_at(move & 255) is not None]
            move = chance.choice(attacks if attacks and chance.random() < 0.5 else moves)
            seat = world.turn
            result, shown, outs = world.push(move)
            flags = [(one, one * 30 + lineups[one].index("F")) for one in shown]
            for view in views:
                view.moved(seat, move, result, flags, outs)
            if result == 0:
                continue
            for view in views:
                knowledge = view.knowledge
                for owner in range(rules.seats):
                    homes = [*(knowledge.homes[point] for point in knowledge.living[owner])]
                    homes += knowledge.dead_homes[owner]
                    true = [".123456789BMF".index(lineups[owner][home % 30]) for home in homes]
                    assert all(types >> kind & 1 for types, kind in zip(knowledge.army(owner), true, strict=True))
                assert knowledge.remarks == []
        for view in views:
            belief = Belief(view.knowledge, seed=seed)
            for owner in range(rules.seats):
                for point, kind in world.pieces(owner):
                    chances = belief.probabilities(owner)[point]
                    assert sum(chances) == pytest.approx(1)
                    assert chances[kind] > 0 or belief.error
            assert belief.remarks == []


def test_weights_count_and_no_possible_type_is_given_up() -> None:
    knowledge = Knowledge(SIGUO, (0, 2), {seat: random_lineup(random.Random(1)) for seat in (0, 2)})
    even = Belief(knowledge).probabilities(1)[30]
    commander = [0.0] * 9 + [1.0] + [0.0] * 3
    found = Belief(knowledge, {30: commander}).probabilities(1)[30]
    assert even[9] == pytest.approx(1 / 19)
    assert found[9] > 0.8
    assert 0 < found[1] < even[1]
    assert found[10] == 0
    # Weights that leave nothing are ignored.
    assert Belief(knowledge, {30: [0.0] * 13}).probabilities(1)[30] == pytest.approx(even)


def test_impossible_facts_without_a_history_are_ignored() -> None:
    living = [{0: A_FLAG}, {30: A_FLAG, 31: A_FLAG, 32: 1 << 9, 33: 1 << 9}]
    belief = Belief(Knowledge.of(VARIANTS["duel"], (0,), living))
    assert belief.probabilities(1)[30][12] == 1
    assert belief.probabilities(1)[31][12] == 0
    assert len(belief.remarks) == 2


def test_clashes_of_hidden_armies_are_estimated() -> None:
    knowledge = Knowledge(SIGUO, (0,), {0: random_lineup(random.Random(1))})
    # The partner's piece beats one of seat 1, and a piece of seat 3 beats it.
    knowledge.moved(2, move_of(60, 30), EAT, (), (), False)
    knowledge.moved(3, move_of(90, 30), EAT, (), (), False)
    belief = Belief(knowledge, seed=1)
    assert belief.linked == [1, 2, 3]
    found = belief.probabilities(3)
    assert 0 < belief.error < 0.05
    assert sum(chance * kind for kind, chance in enumerate(found[30][:10])) > 6
    assert found[30][1] == found[30][2] == 0
    assert Belief(knowledge, seed=1).probabilities(3) == found


def test_an_estimate_ends_when_the_time_is_up() -> None:
    knowledge = Knowledge(SIGUO, (0,), {0: random_lineup(random.Random(1))})
    knowledge.moved(2, move_of(60, 30), EAT, (), (), False)

    def found_after(questions: int) -> Belief:
        asked = itertools.count(1)
        belief = Belief(knowledge, seed=1, is_due=lambda: next(asked) > questions)
        for chances in belief.probabilities(1).values():
            assert sum(chances) == pytest.approx(1)
        return belief

    in_full = found_after(2 * WORLDS).error
    assert 0 < in_full < 0.05
    assert found_after(WORLDS // 4).error > in_full
    assert found_after(WORLDS // 20 + 5).error == 1  # a single batch says nothing of the error
    for questions in (0, 1, 10):
        with pytest.raises(OutOfTime):
            found_after(questions)


def test_facts_that_only_the_armies_together_contradict_are_dropped() -> None:
    knowledge = Knowledge(SIGUO, (0,), {0: random_lineup(random.Random(1))})
    for index in range(4):
        knowledge.moved(1, move_of(30 + index, 60 + index), EAT, (), (), False)
    knowledge.clashes += [clash._replace(pairs=(0,) * UNKNOWN) for clash in knowledge.clashes[:1]]
    belief = Belief(knowledge)
    assert len(belief.remarks) == 1
    assert sum(belief.probabilities(1)[60]) == pytest.approx(1)


# ---------------------------------------------------------------- contradictions


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_contradictory_records_never_raise(data: st.DataObject) -> None:
    """The results are any, with no regard to the true pieces."""
    variant = data.draw(st.sampled_from(list(VARIANTS.values())))
    chance = random.Random(data.draw(st.integers(0, 999)))
    seats = (0,) if data.draw(st.booleans()) else variant.team(0)
    knowledge = Knowledge(variant, seats, {seat: random_lineup(chance) for seat in seats})
    for _ in range(data.draw(st.integers(0, 60))):
        seat = chance.randrange(variant.seats)
        others = [one for one in range(variant.seats) if (one ^ seat) & 1]
        other = chance.choice(others)
        if not knowledge.living[seat] or not knowledge.living[other]:
            continue
        move = move_of(chance.choice(list(knowledge.living[seat])), chance.choice(list(knowledge.living[other])))
        result = chance.choice((EAT, KILLED, BOTH_DIED))
        flags = [(seat, seat * 30 + 26)] if seat * 30 + 26 in knowledge.living[seat] and chance.random() < 0.1 else []
        if move >> 8 == seat * 30 + 26:
            flags = []
        outs = [(other, "flag")] if chance.random() < 0.05 else []
        knowledge.moved(seat, move, result, flags, outs, chance.random() < 0.1)
    belief = Belief(knowledge)
    for seat in range(variant.seats):
        assert len(knowledge.army(seat)) == 25
        for chances in belief.probabilities(seat).values():
            assert sum(chances) == pytest.approx(1)
