"""The search and the rules on repeated positions, from either side of a chase.

The positions are those of cases of tests/data/repetition.toml; each game is played up to the last move of the second
round, which the rules judge.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from search_core.engine import Engine
from search_core.thinker import Limits
from tests.unit.ucci_engine.test_repetition_cases import ALL
from ucci_engine.points import move_text, parse_move
from ucci_engine.position import Position

NODES = 20_000
WON_BY_RULE = 27_000
VICTIM_TO_MOVE = ["as orange-xiangqi: Red's rook chases a cannon", "D33: Red's rook chases a cannon"]
CHASER_TO_MOVE = ["D36: Red's rook chases a cannon", "D42: Black's horse and cannon chase a rook"]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.close()


def almost_repeated(name: str, rule_set: str = "Computer") -> tuple[Position, str]:
    """The position before the last move of the case, and that move."""
    case = next(case for case in ALL if case.name == name and case.rule_set == "Computer")
    position = Position(case.fen)
    position.set_rules(rule_set)
    for move in case.moves[:-1]:
        position.push(parse_move(move))
    return position, case.moves[-1]


@pytest.mark.parametrize("name", VICTIM_TO_MOVE)
def test_who_is_chased_goes_on_and_wins(engine: Engine, name: str) -> None:
    position, last = almost_repeated(name)
    engine.new_game()
    result = engine.search(position, Limits(nodes=NODES))
    assert result.best is not None
    assert move_text(result.best) == last
    assert result.score > WON_BY_RULE


@pytest.mark.parametrize("name", CHASER_TO_MOVE)
def test_who_chases_breaks_off(engine: Engine, name: str) -> None:
    position, _last = almost_repeated(name)
    engine.new_game()
    for _ in range(12):
        result = engine.search(position, Limits(nodes=NODES))
        assert result.best is not None
        position.push(result.best)
        if position.result() != "ongoing":
            break
    assert not position.result().startswith("perpetual")


def test_the_search_keeps_no_score_of_a_rule_for_the_bare_position(engine: Engine) -> None:
    # The same board without the game before it is far from won.
    position, _last = almost_repeated(VICTIM_TO_MOVE[1])
    engine.new_game()
    engine.search(position, Limits(nodes=NODES))
    assert engine.search(Position(position.fen()), Limits(depth=1)).score < WON_BY_RULE


@pytest.mark.parametrize("nodes", [500, 1500, 3500, 5500, 6500])
def test_a_move_that_is_refuted_is_not_played_because_the_nodes_run_out(engine: Engine, nodes: int) -> None:
    """The check on h0 loses by the rules. The table had a better score for it, from before the repetition."""
    fen = "3akab2/9/4b1n2/5R2p/P8/2P4r1/9/N3BR3/r1C1A4/2B1K3c b - - 9 34"
    moves = ["f9e8", "a5b5", "i6i5", "f6g6", "h4h0", "e1f0", "g7e6", "g6g4"]
    moves += ["h0h2", "f0e1", "h2h0", "e1f0", "h0h1", "f0e1"]
    engine.new_game()
    position = Position(fen)
    for number, move in enumerate(moves):
        position.push(parse_move(move))
        if number >= 5 and number % 2:
            last = number == len(moves) - 1
            result = engine.search(position, Limits(nodes=nodes if last else NODES))
    assert result.best is not None
    assert move_text(result.best) != "h1h0"
    assert result.score > -WON_BY_RULE


@pytest.mark.parametrize("nodes", [1000, 3000, 5000, 7000])
def test_a_move_is_not_played_whose_reply_ends_the_game_by_a_rule(engine: Engine, nodes: int) -> None:
    """The rook on d5 loses by the Chinese rules after the reply e7. The table has its score from the rounds before."""
    moves = ["e9e8", "f6f5", "b6b2", "f5e5", "b2b6", "e5d5", "c9e7", "d5f5", "e7g5", "f5d5", "g5e7", "d5f5", "e7g5"]
    engine.new_game()
    position = Position("2bakP3/9/9/1r2nR3/2b6/9/9/4B4/4A4/3A1K3 b - - 0 62")
    position.set_rules("Chinese")
    for number, move in enumerate(moves):
        if number % 2:
            engine.search(position, Limits(nodes=NODES))
        position.push(parse_move(move))
    result = engine.search(position, Limits(nodes=nodes))
    assert result.best is not None
    assert move_text(result.best) != "f5d5"
