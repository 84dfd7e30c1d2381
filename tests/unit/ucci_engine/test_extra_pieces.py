"""Positions with more pieces of a kind than a set has, and that they are judged as Position judges a set."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from types import ModuleType

import pyffish
import pytest

from search_core.engine import Engine, Limits, mate_in_plies
from search_core.perft import Perft
from tests.helpers.xiangqi_crowds import random_fen
from ucci_engine.evaluation import HandCraftedEvaluator
from ucci_engine.extra_pieces import ExtraPiecesPosition, open_position
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import FenError, KingCapture, Position
from ucci_engine.session import XiangqiSession

THREE_ROOKS = "3k5/9/9/9/4R4/4R4/4R4/9/9/4K4 w - - 0 1"

LARGEST = [
    "rrrrkrrrr/4r4/9/9/9/9/9/9/4R4/RRRRKRRRR w - - 0 1",
    "4k4/9/9/9/9/9/R3p4/RRR3RRR/RRRR1RRRR/4K4 b - - 0 1",
    "3k5/4c4/9/c7c/1c2c2c1/2c3c2/c2c1c2c/1c2c2c1/9/5K3 b - - 0 1",
    "3k5/3r5/9/R7R/1R2R2R1/2R3R2/R2R1R2R/1R2R2R1/9/4K4 w - - 0 1",
    "4k4/9/PPPPPPPPP/PPPPPP3/9/9/ppp3ppp/ppppppppp/9/3K5 w - - 0 1",
    "4k4/9/9/N1N1N1N1N/9/N1N1N1N1N/9/N1N1N1N1N/9/3K5 w - - 0 1",
]


def crowds(seed: int, count: int) -> Iterator[Position]:
    """Random positions that go on, one after another."""
    chance = random.Random(seed)
    while count:
        try:
            yield open_position(random_fen(chance))
        except KingCapture:
            continue
        count -= 1


def with_ranks_from_1(move: int) -> str:
    return move_text(move, "1-10")


def score_of_terms(position: Position) -> int:
    """The evaluation for the side to move, from the terms alone."""
    terms, _ = position.trace()
    middle = sum(term.red_mg - term.black_mg for term in terms)
    end = sum(term.red_eg - term.black_eg for term in terms)
    total = middle * position.phase + end * (48 - position.phase)
    return (abs(total) // 48) * (1 if total >= 0 else -1) * (-1 if position.side else 1)


@pytest.mark.parametrize("number", [24, pytest.param(60, marks=pytest.mark.long)])
def test_perft_2_by_move_equals_pyffish(number: int) -> None:
    extra = 0
    for position in crowds(1, number):
        fen = position.fen()
        extra += isinstance(position, ExtraPiecesPosition)
        ours = {with_ranks_from_1(move): count for move, count in Perft(position, 2).divide(position.legal_moves())}
        theirs = {
            move: len(pyffish.legal_moves("xiangqi", fen, [move])) for move in pyffish.legal_moves("xiangqi", fen, [])
        }
        assert ours == theirs, fen
    assert extra >= 2 * number // 3


@pytest.mark.parametrize("fen", LARGEST)
def test_full_boards_stay_within_their_limits(fen: str, probe: ModuleType) -> None:
    position = open_position(fen)
    assert {with_ranks_from_1(move) for move in position.legal_moves()} == set(pyffish.legal_moves("xiangqi", fen, []))
    assert len(probe.stage_moves(position, "evasion")) <= position.max_moves
    assert abs(position.evaluate_cp()) < 20000
    hand_made = open_position(fen, HandCraftedEvaluator())
    assert hand_made.evaluate_cp() == hand_made.trace()[1] == score_of_terms(hand_made)
    with Engine() as engine:
        engine.hash_mb = 1
        result = engine.search(position, Limits(nodes=3000))
    assert result.best in position.legal_moves()


def test_there_is_room_for_the_most_moves() -> None:
    """Fifteen rooks with 17 moves each, and a king with 4."""
    assert open_position(THREE_ROOKS).max_moves == 15 * 17 + 4
    assert Position().max_moves == 128


def test_a_set_is_judged_as_position_judges_it(probe: ModuleType) -> None:
    chance = random.Random(2)
    compared = 0
    for _ in range(30):
        position, slow = Position(), ExtraPiecesPosition(START_FEN)
        for _ in range(80):
            assert (slow.fen(), slow.key, slow.checked) == (position.fen(), position.key, position.checked)
            assert slow.evaluate_cp() == position.evaluate_cp()
            assert slow.result() == position.result()
            for stage in ("noisy", "quiet"):
                moves = probe.stage_moves(position, stage)
                assert set(probe.stage_moves(slow, stage)) == set(moves)
                for move in chance.sample(moves, min(len(moves), 5)):
                    assert probe.history_slot(slow, move) == probe.history_slot(position, move)
                    for threshold in (-400, -100, 0, 1, 100, 300, 900):
                        judged = probe.see_ge(slow, move, threshold)
                        assert judged == probe.see_ge(position, move, threshold), (slow.fen(), move_text(move))
                        compared += 1
            legal = position.legal_moves()
            assert set(slow.legal_moves()) == set(legal)
            if not legal:
                break
            captures = [move for move in legal if position.piece_at(move >> 7)]
            move = chance.choice(captures if captures and chance.random() < 0.3 else legal)
            position.push(move)
            slow.push(move)
    assert compared > 50_000


def test_the_evaluation_is_the_same_for_both_colours() -> None:
    for position in crowds(3, 60):
        board, turn = position.fen().split()[:2]
        swapped = "/".join(reversed(board.swapcase().split("/")))
        twin = open_position(f"{swapped} {'b' if turn == 'w' else 'w'}")
        assert twin.evaluate_cp() == position.evaluate_cp(), board
        position.use_evaluator(HandCraftedEvaluator())
        assert position.evaluate_cp() == score_of_terms(position), board


def test_every_surplus_piece_counts() -> None:
    boards = ["3k5/9/9/9/9/9/9/9/9/4K4 w", "3k5/9/9/9/9/9/9/R8/9/4K4 w", "3k5/9/9/9/9/9/9/RR7/9/4K4 w"]
    boards += ["3k5/9/9/9/9/9/9/RRR6/9/4K4 w", "3k5/9/9/9/9/9/9/RRR6/R8/4K4 w"]
    scores = [open_position(board, HandCraftedEvaluator()).evaluate_cp() for board in boards]
    assert all(more > less + 500 for less, more in itertools.pairwise(scores))
    rows = ["9", "4R4", "3RR4", "3RRR3", "3RRRR2"]
    boards = [f"rnbakabnr/9/1c5c1/p1p1p1p1p/R8/R8/4P4/9/{row}/2BAKAB2 w" for row in rows]
    scores = [open_position(board).evaluate_cp() for board in boards]
    assert all(more > less + 500 for less, more in itertools.pairwise(scores))


def test_a_mate_with_three_rooks() -> None:
    with Engine() as engine:
        engine.hash_mb = 1
        result = engine.search(open_position("3k5/9/9/9/9/9/6R2/7R1/8R/4K4 w"), Limits(depth=4))
    assert mate_in_plies(result.score) == 1


def test_moves_and_copies() -> None:
    position = open_position(THREE_ROOKS)
    move = parse_move("e5a5")
    twin = position.copy()
    twin.push(move)
    assert isinstance(twin, ExtraPiecesPosition)
    assert (position.fen(), position.plies, twin.plies) == (THREE_ROOKS, 0, 1)
    assert twin.piece_at(45) == "R"
    twin.pop()
    assert (twin.fen(), twin.key) == (THREE_ROOKS, position.key)


def test_a_session_with_three_rooks() -> None:
    session = XiangqiSession(THREE_ROOKS)
    session.play("e5d5")
    verdict = session.verdict()
    assert verdict is not None and verdict.reason == "mate"
    assert session.save("txt").decode().splitlines()[-1] == f"position fen {THREE_ROOKS} moves e5d5"


@pytest.mark.parametrize(
    ("fen", "complaint"),
    [
        ("4k4/9/9/9/9/9/9/9/3K5/3K5 w", "more than 1 of Red king"),
        ("rrrrkrrrr/rrrrrrrr1/9/9/9/9/9/9/9/4K4 b", "more than 16 of Black rook|17 pieces of Black, more than 16"),
        ("4k4/9/9/9/9/9/9/NNNNNNNNN/CCCCCCC2/3K5 w", "17 pieces of Red, more than 16"),
        ("4k4/9/9/9/9/9/9/9/9/2K6 w", "Red king where none can stand, outside its palace"),
    ],
)
def test_what_is_refused(fen: str, complaint: str) -> None:
    with pytest.raises(FenError, match=complaint):
        open_position(fen)


def test_position_takes_a_set_only() -> None:
    assert type(open_position(START_FEN)) is Position
    with pytest.raises(FenError, match="more than 2 of Red rook"):
        Position(THREE_ROOKS)
    with pytest.raises(FenError, match="Red advisor where none can stand"):
        Position("4k4/9/9/9/9/9/9/9/3A5/3K5 w")
