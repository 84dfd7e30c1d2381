"""The levels of Xiangqi below full strength play the moves with which they were calibrated."""

from __future__ import annotations

import pytest

from search_core.engine import Engine
from search_core.levels import by_name
from search_core.thinker import Limits
from ucci_engine.levels import LEVELS
from ucci_engine.points import START_FEN, move_text
from ucci_engine.position import Position

MIDDLE_GAME = "2bakab2/1r4c2/2n1c1n2/p1p1p1p1p/9/2P3P2/P3P3P/1CN1C1N2/9/R1BAKAB1R w"
END_GAME = "3ak4/4a4/4b4/p1n1p3p/9/2P2R3/P3P3P/4B1N2/4A3r/2BAK4 b"

# Level, then move and score of each position, with seed 1. Made before a net became the evaluation of full strength.
PLAYED = [
    (1, ("b2c2", -1), ("c2d4", 1034), ("c6e5", -384)),
    (2, ("g0e2", 15), ("b2a2", 1031), ("i1i2", -349)),
    (3, ("c0e2", 15), ("g2f4", 1030), ("i1i3", -256)),
    (4, ("b2c2", -1), ("g2f4", 1030), ("i1i0", -316)),
    (5, ("g0e2", 5), ("g2f4", 1053), ("i1i0", -283)),
    (6, ("b0a2", 37), ("b2a2", 1057), ("i1i0", -238)),
    (7, ("b2b4", -45), ("g2f4", 1038), ("i1i0", -237)),
    (8, ("h2d2", -15), ("b2a2", 968), ("i1h1", -325)),
    (9, ("b2c2", -17), ("b2a2", 1001), ("i1i2", -253)),
    (10, ("c3c4", 34), ("i0h0", 1048), ("i1i2", -215)),
    (11, ("b2e2", 47), ("g2f4", 1092), ("i1i2", -214)),
    (12, ("b2e2", 44), ("g2f4", 1132), ("i1i2", -226)),
    (13, ("b2e2", 47), ("g2f4", 1154), ("i1i0", -197)),
    (14, ("b2e2", 59), ("g2f4", 1177), ("i1i0", -195)),
    (15, ("b2e2", 39), ("g2f4", 1157), ("i1i0", -187)),
    (16, ("h2e2", 53), ("g2f4", 1147), ("i1i2", -256)),
    (17, ("b2e2", 52), ("g2f4", 1198), ("i1i2", -202)),
    (18, ("b2e2", 69), ("i0h0", 1129), ("i1i2", -184)),
    (19, ("h2e2", 74), ("i0h0", 1163), ("i1i2", -202)),
]


@pytest.mark.parametrize(("level", "opening", "middle_game", "end_game"), PLAYED)
def test_a_level_plays_as_it_was_calibrated(
    level: int, opening: tuple[str, int], middle_game: tuple[str, int], end_game: tuple[str, int]
) -> None:
    engine = Engine()
    limits = Limits(level=by_name(LEVELS, str(level)), seed=1)
    for fen, played in ((START_FEN, opening), (MIDDLE_GAME, middle_game), (END_GAME, end_game)):
        result = engine.search(Position(fen), limits)
        assert result.best is not None
        assert (move_text(result.best), result.score) == played
        engine.new_game()
