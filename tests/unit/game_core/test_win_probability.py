"""Win, draw and loss from a score, in every game."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import gomoku_protocol.win_probability as gomoku
import junqi_protocol.players.win_probability as junqi
import ucci_engine.win_probability as xiangqi
from game_core.win_probability import Chances, Curves, per_mille
from gomoku_protocol.points import move_at
from gomoku_protocol.position import Position as GomokuPosition
from junqi_protocol.rules.geometry import CAMPS, HOME_POINTS
from junqi_protocol.rules.lineup import FLAG, UNKNOWN
from junqi_protocol.rules.position import Position as JunqiPosition
from search_core.game import MATE, MATE_BOUND, RULED_BOUND, RULED_SCORE
from ucci_engine.position import Position

PAWNS = "3k5/4P4/9/9/9/9/9/9/4p4/4K4 w - - 0 1"
ROOKS = "r2k5/9/9/9/9/9/9/9/9/4K3R w - - 0 1"
SCORES = (*range(-3000, 3001, 10), -27_000, 27_000)


def filled(stones: int) -> GomokuPosition:
    """A Gomoku board with so many stones, and no five."""
    position = GomokuPosition(15, 15, 0)
    points = [(x, y) for y in range(15) for x in range(15)]
    # Pairs of columns and rows: nobody has more than two in a line, besides some diagonals.
    colours: tuple[list[int], list[int]] = ([], [])
    for x, y in points:
        colours[(x + 2 * y) // 2 % 2].append(move_at(x, y))
    position.set_up(colours[0][: (stones + 1) // 2], colours[1][: stones // 2])
    return position


def junqi_board(pieces: int, variant: str = "siguo") -> JunqiPosition:
    """A board of Junqi with this number of pieces. Each seat has its flag."""
    position = JunqiPosition(variant)
    seats = range(position.variant.seats)
    places = [(seat, point) for point in range(HOME_POINTS) if point not in CAMPS for seat in seats]
    flags = [(seat, 26) for seat in seats]
    for seat, index in [*flags, *(place for place in places if place not in flags)][:pieces]:
        position.place(seat, seat * HOME_POINTS + index, FLAG if index == 26 else UNKNOWN)
    return position


def by_position() -> list[Callable[[int], Chances]]:
    """Each game's chances() at some positions, as functions of the score."""
    xiangqi_positions = (Position(), Position(ROOKS), Position(PAWNS))
    gomoku_positions = map(filled, (0, 30, 100, 224))
    return [
        *(partial(xiangqi.chances, position=position) for position in xiangqi_positions),
        *(partial(gomoku.chances, position=position) for position in gomoku_positions),
        *(partial(junqi.chances, position=junqi_board(pieces)) for pieces in (100, 60, 8)),
        *(partial(junqi.chances, position=junqi_board(pieces, "duel")) for pieces in (50, 30, 8)),
    ]


@pytest.mark.parametrize("chances", by_position())
def test_chances_are_fair_and_grow_with_the_score(chances: Callable[[int], Chances]) -> None:
    for score in SCORES:
        found = chances(score)
        assert all(0 <= chance <= 1 for chance in found)
        assert sum(found) == pytest.approx(1)
        assert chances(-score) == pytest.approx(found[::-1])
        assert sum(per_mille(found)) == 1000 and min(per_mille(found)) >= 0
        assert per_mille(chances(-score)) == per_mille(found)[::-1]
    for less, more in itertools.pairwise(sorted(SCORES)):
        assert chances(less).win <= chances(more).win
        assert chances(less).loss >= chances(more).loss
        assert per_mille(chances(less))[0] <= per_mille(chances(more))[0]


@pytest.mark.parametrize("chances", by_position())
@pytest.mark.parametrize("score", [MATE - 1, MATE - 100, MATE_BOUND, RULED_SCORE, RULED_SCORE - 7, RULED_BOUND])
def test_a_forced_end_is_certain(chances: Callable[[int], Chances], score: int) -> None:
    assert chances(score) == (1, 0, 0)
    assert chances(-score) == (0, 0, 1)


def test_less_attacking_material_makes_draws_and_large_scores_surer() -> None:
    start, rooks, pawns = (Position(*fen) for fen in ((), (ROOKS,), (PAWNS,)))
    draws = [xiangqi.chances(0, position).draw for position in (start, rooks, pawns)]
    assert draws == sorted(draws) and draws[0] < 0.4 and draws[2] > 0.8
    assert xiangqi.chances(800, start).win < xiangqi.chances(800, rooks).win
    assert xiangqi.chances(100, start).win > xiangqi.chances(100, rooks).win


def test_a_full_board_is_drawn() -> None:
    at_100 = [gomoku.chances(100, filled(stones)) for stones in range(0, 225, 16)]
    assert [chances.draw for chances in at_100] == sorted(chances.draw for chances in at_100)
    assert at_100[0].draw < 0.03
    assert at_100[-1].draw > 0.99


def test_more_pieces_than_a_set_are_at_the_first_stage() -> None:
    from ucci_engine.extra_pieces import open_position

    crowd = open_position("rrrrkn3/4a4/9/9/9/9/9/9/4A4/RRRRK4 w - - 0 1")
    assert xiangqi.chances(120, crowd) == xiangqi.chances(120, Position())


def test_junqi_s_scores_are_surer_than_they_say() -> None:
    """A score of 10,000 is a win probability of 75 % by the evaluation, which is too cautious."""
    full, half, few = (junqi_board(pieces) for pieces in (100, 50, 8))
    assert junqi.stage(full) == 0 and junqi.stage(half) == 0.5 and junqi.stage(few) == 0.92
    assert junqi.chances(20_000, full) == (1, 0, 0) and junqi.chances(-20_000, full) == (0, 0, 1)
    assert junqi.log_odds(10_000) == pytest.approx(100 * math.log(3)) and junqi.log_odds(0) == 0
    assert junqi.chances(10_000, half).expected_score > 0.85
    assert junqi.chances(0, few).draw > junqi.chances(0, half).draw


def test_the_curves_are_never_out_of_range() -> None:
    steep = Curves((8.0, 10.0), (-3.0,))
    for score in (-27_000, -1, 0, 1, 27_000):
        for stage in (0.0, 0.3, 1.0):
            assert sum(steep.chances(score, stage)) == pytest.approx(1)


def test_the_page_has_the_constants() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "win-probability.md").read_text(encoding="utf-8")
    for curves in (xiangqi.CURVES, gomoku.CURVES, *junqi.CURVES.values()):
        cells = [", ".join(map(str, coefficients)).replace("-", "−") for coefficients in curves]
        assert " | ".join(cells) in page
