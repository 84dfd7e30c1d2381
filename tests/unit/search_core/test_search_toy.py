"""The search against plain minimax, on a game small enough to search without any skill."""

from __future__ import annotations

import functools
import random
import threading
from collections import defaultdict
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import search_core.table_fill
from search_core.engine import MATE, MATE_BOUND, Engine, Info, Limits, Result, mate_in_plies
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from search_core.game import Game

Report = tuple[int, int, int, int, str, int, int, int, tuple[int, ...]]

LAYERS = 14
WIDTH = 40


@dataclass(frozen=True)
class Edge:
    target: int
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


def random_graph(seed: int, *, alternating: bool) -> list[Node]:
    """A layered graph with transpositions; the turn alternates or is random."""
    rng = random.Random(seed)
    nodes = []
    for layer in range(LAYERS):
        for _ in range(WIDTH):
            edges: list[Edge] = []
            if layer + 1 < LAYERS:
                for _ in range(rng.choice((0, 1, 2, 2, 3, 3, 4))):
                    target = (layer + 1) * WIDTH + rng.randrange(WIDTH)
                    edges.append(Edge(target, rng.random() < 0.4, rng.random() < 0.9))
            nodes.append(
                Node(
                    layer % 2 if alternating else rng.randrange(2),
                    rng.randrange(-300, 301),
                    rng.random() < 0.15,
                    layer > 0 and rng.random() < 0.03,
                    rng.getrandbits(64),
                    tuple(edges),
                )
            )
    return nodes


def from_side(graph: list[Node], node: int, child: int, score: int) -> int:
    """A child's score as the node's owner sees it."""
    return score if graph[child].owner == graph[node].owner else -score


def minimax(graph: list[Node], node: int, depth: int, ply: int, *, stalemate_is_loss: bool = True) -> int:
    here = graph[node]
    if ply > 0 and here.drawn:
        return 0
    quiet = depth <= 0 and not here.checked
    best = None
    if quiet:
        best = here.value if here.owner == 0 else -here.value
    for edge in here.edges:
        if not edge.legal or (quiet and not edge.noisy):
            continue
        below = minimax(graph, edge.target, depth - 1, ply + 1, stalemate_is_loss=stalemate_is_loss)
        score = from_side(graph, node, edge.target, below)
        if best is None or score > best:
            best = score
    if best is None:
        return ply - MATE if here.checked or stalemate_is_loss else 0
    return best


def forced_plies(graph: list[Node], start: int, *, stalemate_is_loss: bool = True) -> int | None:
    """Plies to the forced end for the side to move at `start`, positive if it wins, negative if it loses.

    0 stands for having lost; None for no forced end.
    """

    @functools.cache
    def best(node: int) -> int | None:
        here = graph[node]
        legal = [edge for edge in here.edges if edge.legal]
        if node != start and here.drawn:
            return None
        if not legal:
            return 0 if here.checked or stalemate_is_loss else None
        wins: list[int] = []
        losses: list[int] = []
        open_end = False
        for edge in legal:
            end = best(edge.target)
            if end is None:
                open_end = True
                continue
            plies = abs(end) + 1
            won = (end > 0) == (graph[edge.target].owner == here.owner)
            (wins if won else losses).append(plies)
        if wins:
            return min(wins)
        return None if open_end else -max(losses)

    result: int | None = best(start)
    return result


def run_search(
    toy: ModuleType, graph: list[Node], start: int, depth: int, *, full_width: bool, stalemate_is_loss: bool = True
) -> tuple[int, list[Report]]:
    reports: list[Report] = []
    game = toy.Walk(graph, start, stalemate_is_loss=stalemate_is_loss)
    search = searched(game, depth, full_width=full_width, report=lambda *report: reports.append(report))
    return search.lines()[0][0], reports


def searched(game: Game, depth: int, *, full_width: bool, report: Callable[..., None] | None = None) -> Search:
    search = Search(game, TranspositionTable(1), Signals(), report)
    search.full_width = full_width
    search.depth_limit = depth
    search.init_root_moves()
    search.run()
    return search


def starts_of(graph: list[Node]) -> list[int]:
    return [node for node in range(3 * WIDTH) if any(edge.legal for edge in graph[node].edges)][:20]


@pytest.mark.parametrize("stalemate_is_loss", [True, False], ids=["stalemate loses", "stalemate draws"])
@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "twice running"])
def test_full_width_search_equals_minimax(toy_game: ModuleType, alternating: bool, stalemate_is_loss: bool) -> None:
    checked = 0
    for seed in range(10):
        graph = random_graph(seed, alternating=alternating)
        for start in starts_of(graph):
            depth = 1 + checked % 5
            score, _ = run_search(toy_game, graph, start, depth, full_width=True, stalemate_is_loss=stalemate_is_loss)
            expected = minimax(graph, start, depth, 0, stalemate_is_loss=stalemate_is_loss)
            assert score == expected, (seed, start, depth)
            checked += 1
    assert checked == 200


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 8), marks=pytest.mark.long)])
@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "twice running"])
def test_asking_the_table_first_changes_only_the_number_of_evaluations(
    toy_game: ModuleType, alternating: bool, seeds: range
) -> None:
    evaluated = [0, 0]
    for seed in seeds:
        graph = random_graph(seed, alternating=alternating)
        for start in starts_of(graph):
            for full_width in (True, False):
                trees = []
                for table_first in (False, True):
                    game = toy_game.Walk(graph, start, table_first=table_first)
                    search = searched(game, 5, full_width=full_width)
                    evaluated[table_first] += game.evaluated
                    trees.append((search.lines(), search.nodes))
                assert trees[0] == trees[1], (seed, start, full_width)
                if full_width:
                    assert trees[1][0][0][0] == minimax(graph, start, 5, 0), (seed, start)
    assert 0 < evaluated[True] < 0.9 * evaluated[False]


def test_a_policy_changes_the_order_and_not_the_score(toy_game: ModuleType) -> None:
    nodes = [0, 0]
    for seed in range(8):
        graph = random_graph(seed, alternating=True)
        for start in starts_of(graph):
            for backwards in (False, True):
                game = toy_game.Walk(graph, start, backwards=backwards)
                search = searched(game, 4, full_width=True)
                assert search.lines()[0][0] == minimax(graph, start, 4, 0), (seed, start, backwards)
                nodes[backwards] += search.nodes
    assert nodes[False] != nodes[True]


@pytest.mark.parametrize(
    "tuned",
    [{"policy_pruning_base": 0}, {"policy_reduction": 2000}, {"policy_credit": -300}],
    ids=["pruned", "reduced", "reduced all alike"],
)
def test_what_a_policy_puts_last_is_searched_less(toy_game: ModuleType, tuned: dict[str, int]) -> None:
    nodes: dict[tuple[bool, bool], int] = defaultdict(int)
    for seed in range(8):
        graph = random_graph(seed, alternating=True)
        for start in starts_of(graph):
            for has_policy in (False, True):
                for is_tuned in (False, True):
                    game = toy_game.Walk(graph, start, backwards=has_policy)
                    game.tune({"lmp_minimum": 100, **(tuned if is_tuned else {})})
                    nodes[has_policy, is_tuned] += searched(game, 6, full_width=False).nodes
    assert nodes[False, True] == nodes[False, False]
    assert nodes[True, True] < nodes[True, False], nodes


@pytest.mark.parametrize("seeds", [range(100, 104), pytest.param(range(104, 116), marks=pytest.mark.long)])
@pytest.mark.parametrize("stalemate_is_loss", [True, False], ids=["stalemate loses", "stalemate draws"])
@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "twice running"])
def test_no_reported_mate_is_false(
    toy_game: ModuleType, alternating: bool, stalemate_is_loss: bool, seeds: range
) -> None:
    mates = 0
    for seed in seeds:
        graph = random_graph(seed, alternating=alternating)
        for start in range(0, 4 * WIDTH, 7):
            if not any(edge.legal for edge in graph[start].edges):
                continue
            _, reports = run_search(toy_game, graph, start, 9, full_width=False, stalemate_is_loss=stalemate_is_loss)
            truth = forced_plies(graph, start, stalemate_is_loss=stalemate_is_loss)
            for _depth, _seldepth, _line, score, bound, *_ in reports:
                if abs(score) < MATE_BOUND or bound != "exact":
                    continue
                mates += 1
                claimed = mate_in_plies(score)
                assert truth is not None and claimed is not None
                assert (truth > 0) == (claimed > 0), (seed, start)
                if claimed > 0:
                    assert claimed >= truth, (seed, start)
    assert mates > 40


@pytest.mark.parametrize("full_width", [True, False], ids=["full width", "selective"])
@pytest.mark.parametrize("checked", [True, False], ids=["mate", "stalemate"])
@pytest.mark.parametrize("stalemate_is_loss", [True, False], ids=["stalemate loses", "stalemate draws"])
def test_without_a_legal_move_a_check_decides(
    toy_game: ModuleType, stalemate_is_loss: bool, checked: bool, full_width: bool
) -> None:
    graph = [
        Node(0, 0, False, False, 1, (Edge(1, False, True),)),
        Node(1, 50, checked, False, 2, (Edge(0, False, False),)),
    ]
    score, _ = run_search(toy_game, graph, 0, 3, full_width=full_width, stalemate_is_loss=stalemate_is_loss)
    assert score == (MATE - 1 if checked or stalemate_is_loss else 0)


def test_same_search_twice_gives_the_same_tree(toy_game: ModuleType) -> None:
    graph = random_graph(7, alternating=True)
    nodes = []
    for _ in range(2):
        search = Search(toy_game.Walk(graph, 3), TranspositionTable(1), Signals(), lambda *report: None)
        search.depth_limit = 10
        search.init_root_moves()
        search.run()
        nodes.append(search.nodes)
    assert nodes[0] == nodes[1] > 0


def walk(toy_game: ModuleType, seed: int = 11) -> object:
    graph = random_graph(seed, alternating=False)
    start = next(node for node in range(WIDTH) if sum(edge.legal for edge in graph[node].edges) >= 3)
    return toy_game.Walk(graph, start)


class Listener:
    """Collects what an engine calls back and lets a test wait for the result."""

    def __init__(self) -> None:
        self.infos: list[Info] = []
        self.results: list[Result] = []
        self.messages: list[str] = []
        self.first_info = threading.Event()
        self.done = threading.Event()

    def info(self, info: Info) -> None:
        self.infos.append(info)
        self.first_info.set()

    def result(self, result: Result) -> None:
        self.results.append(result)
        self.done.set()

    def go(self, engine: Engine, game: object, limits: Limits) -> None:
        engine.go(game, limits, self.info, self.result, self.messages.append)  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [1, 3])
def test_engine_gives_one_result_after_its_infos(toy_game: ModuleType, threads: int) -> None:
    engine = Engine()
    engine.hash_mb = 1
    engine.threads = threads
    listener = Listener()
    listener.go(engine, walk(toy_game), Limits(depth=6, multipv=2))
    engine.wait()
    assert len(listener.results) == 1
    result = listener.results[0]
    assert result.depth == 6
    assert [line.multipv for line in result.lines] == [1, 2]
    assert result.best == result.lines[0].pv[0] != result.lines[1].pv[0]
    assert result.lines[0].score >= result.lines[1].score


def test_infinite_and_ponder_hold_the_result_back(toy_game: ModuleType) -> None:
    engine = Engine()
    engine.hash_mb = 1
    listener = Listener()
    listener.go(engine, walk(toy_game), Limits(infinite=True, depth=2))
    assert listener.first_info.wait(30)
    assert not listener.results and engine.thinking
    engine.stop()
    assert listener.done.wait(30)
    engine.wait()

    listener = Listener()
    listener.go(engine, walk(toy_game), Limits(ponder=True, soft_ms=1, hard_ms=2))
    assert listener.first_info.wait(30)
    assert not listener.results
    engine.ponderhit()
    assert listener.done.wait(30)
    engine.wait()
    assert len(listener.results) == 1


def test_root_filters(toy_game: ModuleType) -> None:
    engine = Engine()
    engine.hash_mb = 1
    game = walk(toy_game)
    listener = Listener()
    listener.go(engine, game, Limits(depth=4))
    engine.wait()
    favourite = listener.results[0].best
    assert favourite is not None
    listener.go(engine, game, Limits(depth=4, excluded_moves=(favourite,)))
    engine.wait()
    assert listener.results[1].best not in (None, favourite)
    listener.go(engine, game, Limits(depth=4, root_moves=(favourite,), excluded_moves=(favourite,)))
    engine.wait()
    assert listener.results[2].best is None


def test_a_hash_beyond_memory_is_reported(toy_game: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_core.table_fill, "available_memory_mb", lambda: 10)
    engine = Engine()
    engine.hash_mb = 1 << 40
    listener = Listener()
    listener.go(engine, walk(toy_game), Limits(depth=2))
    engine.wait()
    assert len(listener.results) == 1
    assert listener.messages == [f"hash: {1 << 40} MB are not available, using 9 MB"]
    listener.go(engine, walk(toy_game), Limits(depth=2))
    engine.wait()
    assert len(listener.messages) == 1
    engine.close()


def test_probe_finds_the_searched_position(toy_game: ModuleType) -> None:
    engine = Engine()
    engine.hash_mb = 1
    game = walk(toy_game)
    assert engine.probe(game) is None  # type: ignore[arg-type]
    listener = Listener()
    listener.go(engine, game, Limits(depth=6))
    engine.wait()
    line = listener.results[0].lines[0]
    found = engine.probe(game)  # type: ignore[arg-type]
    assert found is not None
    move, depth, score, bound = found
    assert (move, score, bound) == (line.pv[0], line.score, "exact")
    assert 3 <= depth <= 6  # a window that failed high is searched again up to three plies shallower
