"""benchmarks/junqi_match.py: its players, and when it stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from match_runner.statistics import H0, H1, Pairs, Sprt


@pytest.fixture
def benchmark(load_benchmark: Callable[[str], Any]) -> Any:
    return load_benchmark("junqi_match")


@pytest.mark.parametrize("text", ["search", "sampled", "sampled:0", "sampled:0ms", "sampled:x", "path:100", "other"])
def test_what_is_no_player_is_refused(benchmark: Any, text: str) -> None:
    with pytest.raises(ValueError):
        benchmark.Player(text)


def test_a_match_is_stopped_by_the_verdict(benchmark: Any) -> None:
    test = Sprt(0, 30)
    for points, verdict in (([1.0, 1.0], H1), ([0.0, 0.5], H0)):
        score = benchmark.Score()
        source = iter([(points, [10, 20])] * 2000)
        score.count(source, test)
        assert score.verdict == verdict
        pairs = Pairs([sum(points)] * len(score.means))
        lower, upper = test.bounds
        assert not lower < test.llr(pairs) < upper
        assert lower < test.llr(Pairs([sum(points)] * (len(score.means) - 1))) < upper
        assert len(score.points) == 2 * len(score.means) == 2 * (2000 - len(list(source)))


def test_a_match_without_a_test_counts_all_deals(benchmark: Any) -> None:
    score = benchmark.Score()
    score.count([([1.0, 1.0], [10, 20])] * 100 + [([0.5, 0.0], [10, 20])] * 100, None)
    assert (score.verdict, len(score.points)) == ("", 400)
    assert score.text().startswith("200-100-100, 62.5 ± ")
