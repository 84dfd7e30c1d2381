"""The review at a table, without a page."""

from __future__ import annotations

from functools import partial

import pytest

from game_core.engine_analyst import EngineAnalyst
from game_review.analysis_pool import AnalystPool
from game_review.review_document import ReviewLine
from game_review.review_search import Done, Searcher
from ucci_engine.description import XIANGQI
from web_board.games import PageGame, open_new
from web_board.hosted_review import record_of_line
from web_board.table_review import finished

TWO_ROOKS = "3k5/9/9/9/9/9/9/8r/R8/4KR3 w"
"""Red mates in three."""


@pytest.mark.long
def test_a_win_is_followed_to_its_end() -> None:
    from queue import SimpleQueue

    game = PageGame(XIANGQI)
    opened = open_new(game, {"fen": TWO_ROOKS}, 1)
    found: SimpleQueue[Done] = SimpleQueue()
    pool = AnalystPool[Searcher]([EngineAnalyst(16)], found.put)
    begun = ReviewLine(move="f0f9", name="", mate=3, pv=["f0f9"], pv_names=["f0f9"])
    pool.submit(Searcher((0, 0), partial(finished, begun, partial(record_of_line, game, opened, [], 0))))
    done = found.get()
    pool.close()
    assert done.error == ""
    assert len(done.found.pv) == len(done.found.pv_names) == 5
    session = opened.session
    for move in done.found.pv:
        session.play(move)
    verdict = session.verdict()
    assert verdict is not None and verdict.result == "1-0"
