"""The search of moves with several outcomes against plain expectimax, on a game small enough to search all of it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest

from search_core.engine import Engine, Limits
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable

SURE = 20_000  # the score of a won game
LAYERS = 8
WIDTH = 12
PARTS = 64  # of a chance: their sums and products with scores are exact


@dataclass(frozen=True)
class Edge:
    ends: tuple[int, ...]
    chances: tuple[float, ...]
    noisy: bool
    legal: bool


@dataclass(frozen=True)
class Node:
    owner: int
    value: int
    checked: bool
    drawn: bool
    key: int
    edges: tuple[Edge, ...]


def random_chances(rng: random.Random, count: int) -> tuple[float, ...]:
    cuts = [0, *sorted(rng.sample(range(1, PARTS), count - 1)), PARTS]
    return tuple((high - low) / PARTS for low, high in itertools.pairwise(cuts))


def random_graph(seed: int, *, alternating: bool) -> list[Node]:
    """A layered graph with transpositions; the turn alternates, or is random, so that it depends on the outcome too."""
    rng = random.Random(seed)
    nodes = []
    for layer in range(LAYERS):
        for _ in range(WIDTH):
            edges: list[Edge] = []
            if layer + 1 < LAYERS:
                for _ in range(rng.choice((0, 1, 2, 3, 3, 4))):
                    count = rng.choice((1, 1, 2, 3, 5))
                    ends = tuple((layer + 1) * WIDTH + rng.randrange(WIDTH) for _ in range(count))
                    chances = random_chances(rng, count)
                    edges.append(Edge(ends, chances, rng.random() < 0.4, rng.random() < 0.9))
            nodes.append(
                Node(
                    layer % 2 if alternating else rng.randrange(2),
                    rng.randrange(-SURE, SURE + 1),
                    rng.random() < 0.1,
                    layer > 0 and rng.random() < 0.05,
                    rng.getrandbits(64),
                    tuple(edges),
                )
            )
    return nodes


Mean = Callable[[tuple[float, ...], list[Any]], Any]


def rounded(chances: tuple[float, ...], scores: list[int]) -> int:
    """As the search takes a mean."""
    return round(sum(chance * score for chance, score in zip(chances, scores, strict=True)))


def exact(chances: tuple[float, ...], scores: list[Fraction]) -> Fraction:
    return sum((Fraction(chance) * score for chance, score in zip(chances, scores, strict=True)), Fraction())


class Expectimax:
    """The scores of a graph's positions, by looking at everything."""

    def __init__(self, graph: list[Node], mean: Mean = rounded) -> None:
        self.graph = graph
        self.mean = mean
        self.known: dict[tuple[int, int, bool], Any] = {}

    def score(self, node: int, depth: int, *, root: bool = False) -> Any:
        position = (node, max(depth, 0), root)
        if position not in self.known:
            self.known[position] = self.computed(*position)
        return self.known[position]

    def computed(self, node: int, depth: int, root: bool) -> Any:
        here = self.graph[node]
        if here.drawn and not root:
            return 0
        quiet = depth <= 0 and not here.checked
        best = None
        if quiet:
            best = here.value if here.owner == 0 else -here.value
        for edge in here.edges:
            if not edge.legal or (quiet and not edge.noisy):
                continue
            scores = []
            for end in edge.ends:
                score = self.score(end, depth - 1)
                scores.append(score if self.graph[end].owner == here.owner else -score)
            score = scores[0] if len(scores) == 1 else self.mean(edge.chances, scores)
            best = score if best is None else max(best, score)
        return -SURE if best is None else best


def make_search(game: Any, *, full_width: bool) -> Search:
    search = Search(game, TranspositionTable(1), Signals())
    search.full_width = full_width
    return search


def run_search(game: Any, depth: int, *, full_width: bool) -> int:
    """The score."""
    search = make_search(game, full_width=full_width)
    search.depth_limit = depth
    search.init_root_moves()
    search.run()
    return search.lines()[0][0]


def starts(graph: list[Node]) -> list[int]:
    return [node for node in range(2 * WIDTH) if any(edge.legal for edge in graph[node].edges)]


both_turns = pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "twice running"])


@both_turns
def test_full_width_search_equals_expectimax(dice_game: ModuleType, alternating: bool) -> None:
    checked = 0
    for seed in range(6):
        graph = random_graph(seed, alternating=alternating)
        truth = Expectimax(graph)
        unrounded = Expectimax(graph, exact)
        for start in starts(graph)[:8]:
            depth = 1 + checked % 5
            score = run_search(dice_game.Dice(graph, start), depth, full_width=True)
            assert score == truth.score(start, depth, root=True), (seed, start, depth)
            without_table = run_search(dice_game.Dice(graph, start, distinct=True), depth, full_width=True)
            assert without_table == score, (seed, start, depth)
            # Each mean is off by half a unit at most, and a choice between moves adds nothing.
            plies = LAYERS - start // WIDTH
            assert abs(score - unrounded.score(start, depth, root=True)) <= Fraction(plies, 2)
            checked += 1
    assert checked >= 40


@pytest.mark.parametrize("distinct", [False, True], ids=["table", "no table"])
@both_turns
def test_scores_in_any_window_are_bounds(dice_game: ModuleType, alternating: bool, distinct: bool) -> None:
    rng = random.Random(7)
    inside = below = above = 0
    for seed in range(3):
        graph = random_graph(seed, alternating=alternating)
        expectimax = Expectimax(graph)
        for start in range(2 * WIDTH):
            search = make_search(dice_game.Dice(graph, start, distinct=distinct), full_width=True)
            for depth in rng.sample(range(6), 3):
                truth = expectimax.score(start, depth)
                for _ in range(6):
                    center = truth if rng.random() < 0.5 else rng.randrange(-SURE, SURE)
                    width = rng.choice((1, 1, 2, 50, 3000))
                    alpha = center - rng.randrange(width + 1)
                    beta = alpha + width
                    score = dice_game.search_window(search, alpha, beta, depth, rng.randrange(3))
                    if score <= alpha:
                        assert truth <= score, (seed, start, depth, alpha, beta)
                        below += 1
                    elif score >= beta:
                        assert truth >= score, (seed, start, depth, alpha, beta)
                        above += 1
                    else:
                        assert truth == score, (seed, start, depth, alpha, beta)
                        inside += 1
    assert min(inside, below, above) > 100


def test_nothing_but_reductions_is_selective(dice_game: ModuleType) -> None:
    for seed in range(40, 52):
        graph = random_graph(seed, alternating=False)
        truth = Expectimax(graph)
        for start in starts(graph)[:6]:
            game = dice_game.Dice(graph, start, tempting=True)
            game.tune(
                {
                    "lmr_min_depth": 127,
                    "lmr_root_depth": 127,
                    "iir_depth": 127,
                    "check_extension": 0,
                    "aspiration_reduction": 0,
                }
            )
            # To the end of all games: what the table knows of other depths is not used.
            score = run_search(game, LAYERS, full_width=False)
            assert score == truth.score(start, LAYERS, root=True), (seed, start)


def test_the_selective_search_is_near_expectimax(dice_game: ModuleType) -> None:
    """It reduces late moves, and quiescence uses the table."""
    same = total = 0
    for seed in range(60, 75):
        graph = random_graph(seed, alternating=True)
        truth = Expectimax(graph)
        for start in starts(graph)[:6]:
            score = run_search(dice_game.Dice(graph, start), LAYERS + 4, full_width=False)
            assert -SURE <= score <= SURE
            same += score == truth.score(start, LAYERS + 4, root=True)
            total += 1
    assert same >= 0.9 * total, (same, total)


def leaf(owner: int, score: int, key: int) -> Node:
    """A node without moves; its static value is never asked."""
    return Node(owner, 0, False, False, key, ()) if score else Node(owner, 0, False, True, key, ())


def test_the_engine_prefers_the_better_dice(dice_game: ModuleType) -> None:
    graph = [
        Node(
            0,
            0,
            False,
            False,
            1,
            (Edge((1, 2), (0.5, 0.5), False, True), Edge((1, 2), (0.75, 0.25), False, True)),
        ),
        leaf(1, 1, 2),
        leaf(0, 1, 3),  # the same side is on move again, and has lost
    ]
    with Engine() as engine:
        engine.hash_mb = 1
        result = engine.search(dice_game.Dice(graph, 0), Limits(depth=5))
    assert (result.best, result.score) == (2, SURE // 2)
    assert result.lines[0].pv == (2,)  # both ends of it are ends of the game


# The principal variation


def certain(end: int) -> Edge:
    return Edge((end,), (1.0,), False, True)


def pv_of(game: Any, depth: int) -> tuple[int, ...]:
    search = make_search(game, full_width=True)
    search.depth_limit = depth
    search.init_root_moves()
    search.run()
    pv: tuple[int, ...] = search.lines()[0][1]
    return pv


def likeliest(edge: Edge) -> int:
    """The node that an edge most probably leads to."""
    return edge.ends[edge.chances.index(max(edge.chances))]


def test_the_variation_follows_the_likeliest_outcome(dice_game: ModuleType) -> None:
    # The likeliest outcome comes second. Side 1 then has a lost game with its first move and a draw with its second.
    graph = [
        Node(0, 0, False, False, 1, (Edge((1, 2, 1), (0.25, 0.5, 0.25), False, True),)),
        Node(1, 0, False, False, 2, (certain(3),)),
        Node(1, 0, False, False, 3, (certain(3), certain(4))),
        leaf(1, 1, 4),
        leaf(0, 0, 5),
    ]
    assert pv_of(dice_game.Dice(graph, 0), 4) == (1, 2)


@both_turns
def test_each_move_of_the_variation_is_the_best_after_the_likeliest_outcomes(
    dice_game: ModuleType, alternating: bool
) -> None:
    after_chance = 0
    for seed in range(20):
        graph = random_graph(seed, alternating=alternating)
        truth = Expectimax(graph)
        for start in starts(graph)[:8]:
            depth, node, is_uncertain = 6, start, False
            for move in pv_of(dice_game.Dice(graph, start), depth):
                edge = graph[node].edges[move - 1]
                assert edge.legal
                scores = [
                    score if graph[end].owner == graph[node].owner else -score
                    for end, score in ((end, truth.score(end, depth - 1)) for end in edge.ends)
                ]
                assert rounded(edge.chances, scores) == truth.score(node, depth, root=node == start)
                after_chance += is_uncertain
                is_uncertain = is_uncertain or len(edge.ends) > 1
                depth, node = depth - 1, likeliest(edge)
    assert after_chance > 100


def test_the_variation_is_legal_in_the_selective_search(dice_game: ModuleType) -> None:
    with Engine() as engine:
        engine.hash_mb = 1
        for seed in range(5):
            graph = random_graph(seed, alternating=False)
            for start in starts(graph)[:8]:
                for line in engine.search(dice_game.Dice(graph, start), Limits(depth=LAYERS, multipv=3)).lines:
                    node = start
                    for move in line.pv:
                        assert move <= len(graph[node].edges)
                        assert graph[node].edges[move - 1].legal
                        node = likeliest(graph[node].edges[move - 1])


def test_a_thousandth_of_a_chance_keeps_its_window_in_range(dice_game: ModuleType) -> None:
    tiny = 1 / (1 << 30)
    graph = [
        Node(0, 0, False, False, 1, (Edge((1, 2), (1 - tiny, tiny), False, True),)),
        leaf(1, 0, 2),
        leaf(1, 1, 3),
    ]
    for alpha, beta in ((-SURE, SURE), (-1, 1), (0, 1), (SURE - 1, SURE + 1), (-SURE - 5, -SURE - 3)):
        search = make_search(dice_game.Dice(graph, 0), full_width=True)
        score = dice_game.search_window(search, alpha, beta, 2, 0)
        assert min(max(score, alpha), beta) == min(max(0, alpha), beta)
