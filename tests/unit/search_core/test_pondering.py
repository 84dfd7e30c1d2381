"""Time spent pondering counts: for the soft limit, and in what is reported."""

from __future__ import annotations

import threading

from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable
from ucci_engine.position import Position

SOFT_MS = 100
ENOUGH_MS = 4 * SOFT_MS  # the soft limit is never stretched so far
FAR_AWAY_NS = 1_000_000_000_000


class Pondering:
    """A search that ponders, with a soft limit of SOFT_MS and a hard one that never comes.

    `hit_inside`: whether ponderhit comes as soon as a line shows that enough was thought; the caller sends it else.
    """

    def __init__(self, hit_inside: bool) -> None:
        self.signals = Signals(pondering=True)
        self.reports: list[tuple[int, int]] = []  # (time in ms, nodes)
        self.enough = threading.Event()
        self.hit_inside = hit_inside
        self.search = Search(Position(), TranspositionTable(4), self.signals, self.report)
        self.search.soft_ns = SOFT_MS * 1_000_000
        self.search.hard_ns = FAR_AWAY_NS
        self.search.init_root_moves()

    def report(self, *line: object) -> None:
        nodes, time_ms = line[5:7]
        assert isinstance(nodes, int) and isinstance(time_ms, int)
        self.reports.append((time_ms, nodes))
        if time_ms >= ENOUGH_MS and not self.enough.is_set():
            self.enough.set()
            if self.hit_inside:
                self.signals.ponderhit()
        elif self.hit_inside and self.enough.is_set():
            self.signals.stop()


def test_a_search_that_has_pondered_enough_ends_at_ponderhit() -> None:
    pondering = Pondering(hit_inside=True)
    pondering.search.run()
    assert pondering.reports[-1][0] >= ENOUGH_MS
    assert all(time_ms < ENOUGH_MS for time_ms, _nodes in pondering.reports[:-1])


def test_ponderhit_ends_an_iteration_that_is_not_needed() -> None:
    pondering = Pondering(hit_inside=False)
    thread = threading.Thread(target=pondering.search.run)
    thread.start()
    pondering.enough.wait()
    nodes = pondering.search.nodes
    while pondering.search.nodes < nodes + 10_000:  # well into an iteration
        thread.join(0.001)
    reported = len(pondering.reports)
    pondering.signals.ponderhit()
    thread.join()  # nothing else would end the search
    assert len(pondering.reports) <= reported + 1  # of an iteration that ended meanwhile


def test_time_and_nodes_go_on_after_ponderhit() -> None:
    pondering = Pondering(hit_inside=True)
    pondering.search.soft_ns = 0
    pondering.search.run()
    assert len([time_ms for time_ms, _nodes in pondering.reports if time_ms >= ENOUGH_MS]) == 2
    assert pondering.reports == sorted(pondering.reports)
    assert pondering.signals.clock_ms <= pondering.signals.elapsed_ms - ENOUGH_MS
