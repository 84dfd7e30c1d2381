"""The hand-made Xiangqi evaluation: symmetries, trace, and what single terms see."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ucci_engine.evaluation import HandCraftedEvaluator
from ucci_engine.points import START_FEN
from ucci_engine.position import Position

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "evaluation.md"


def hand_made(fen: str = START_FEN) -> Position:
    """A position with this evaluation."""
    return Position(fen, HandCraftedEvaluator())


def random_positions(seed: int, games: int, greed: float) -> list[Position]:
    """All positions of random games; with probability `greed` a move is a capture where there is one."""
    dice = random.Random(seed)
    positions = []
    for _ in range(games):
        position = hand_made()
        for _ in range(160):
            moves = position.legal_moves()
            if not moves:
                break
            captures = [move for move in moves if position.piece_at(move >> 7)]
            position.push(dice.choice(captures if captures and dice.random() < greed else moves))
            positions.append(position.copy())
    return positions


POSITIONS = random_positions(1, 5, 0.1) + random_positions(2, 5, 0.5)
"""From full boards to bare kings."""


def colours_exchanged(fen: str) -> str:
    board, side = fen.split()[:2]
    return "/".join(reversed(board.swapcase().split("/"))) + (" b" if side == "w" else " w")


def sides_exchanged(fen: str) -> str:
    """The mirror image: left becomes right."""
    board, side = fen.split()[:2]
    return "/".join(row[::-1] for row in board.split("/")) + " " + side


def rounded_quotient(numerator: int, denominator: int) -> int:
    """Towards zero."""
    return abs(numerator) // denominator * (1 if numerator > 0 else -1)


def traced_score(position: Position) -> int:
    """The evaluation for the side to move, from the terms alone."""
    terms, _ = position.trace()
    middle = sum(term.red_mg - term.black_mg for term in terms)
    end = sum(term.red_eg - term.black_eg for term in terms)
    phase = position.phase
    score = rounded_quotient(middle * phase + end * (48 - phase), 48)
    return -score if position.side else score


def red_term(fen: str, name: str) -> tuple[int, int]:
    """Middle game and end game value of one of Red's terms."""
    terms, _ = hand_made(fen).trace()
    (term,) = (term for term in terms if term.name == name)
    return term.red_mg, term.red_eg


@pytest.mark.parametrize("attack_percent", [0, 70, 100, 133, 200])
def test_the_trace_sums_to_the_evaluation(attack_percent: int) -> None:
    for position in POSITIONS:
        position = Position(position.fen(), HandCraftedEvaluator(attack_percent))
        assert traced_score(position) == position.trace()[1] == position.evaluate_cp(), position.fen()


def test_incremental_sums_equal_those_of_the_board() -> None:
    for position in POSITIONS:
        assert hand_made(position.fen()).evaluate_cp() == position.evaluate_cp(), position.fen()


@pytest.mark.parametrize("attack_percent", [100, 133])
def test_exchanging_the_colours_changes_nothing_for_the_side_to_move(attack_percent: int) -> None:
    for position in POSITIONS:
        position = Position(position.fen(), HandCraftedEvaluator(attack_percent))
        twin = Position(colours_exchanged(position.fen()), HandCraftedEvaluator(attack_percent))
        assert twin.evaluate_cp() == position.evaluate_cp(), position.fen()


def test_the_mirror_image_is_worth_the_same() -> None:
    for position in POSITIONS:
        assert hand_made(sides_exchanged(position.fen())).evaluate_cp() == position.evaluate_cp(), position.fen()


def test_passing_the_turn_costs_only_the_tempo() -> None:
    fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR"
    score = hand_made(f"{fen} w").evaluate_cp()
    assert score == hand_made(f"{fen} b").evaluate_cp()
    assert 0 < score < 50


@pytest.mark.parametrize("attack_percent", [0, 100, 1000])
def test_the_score_stays_below_every_mate(attack_percent: int) -> None:
    fen = "3k5/9/1R1P1P1R1/1C1PPP1C1/2N3N2/9/9/4B4/4A4/2B1KA3 w"
    position = Position(fen, HandCraftedEvaluator(attack_percent))
    assert 3000 < position.evaluate_cp() < 20000


@pytest.mark.parametrize(
    ("fen", "most"),
    [
        ("3k5/9/9/9/9/9/9/4B4/4A4/2BAK4 w", 30),  # guards alone
        ("2bakab2/9/9/9/9/9/9/9/9/2CK5 w", 60),  # a cannon without a screen of its own
        ("2bak4/4a4/4b4/9/4N4/9/9/9/9/4K4 w", 120),  # a horse against everything
        ("2bak4/4a4/4b4/9/R8/9/9/9/9/4K4 w", 220),  # a rook against everything
    ],
)
def test_material_that_cannot_win_is_nearly_a_draw(fen: str, most: int) -> None:
    assert abs(hand_made(fen).evaluate_cp()) <= most
    assert abs(hand_made(colours_exchanged(fen)).evaluate_cp()) <= most


def test_a_pawn_that_can_win_is_no_draw() -> None:
    assert hand_made("3k5/9/9/9/4P4/9/9/9/9/4K4 w").evaluate_cp() > 60


@pytest.mark.parametrize(
    ("term", "with_it", "without"),
    [
        # a hollow cannon, and the same cannon behind a black pawn and an elephant
        (
            "cannon on the file",
            "rnb1kabnr/9/1c5c1/p1p3p1p/4C4/9/P1P1P1P1P/7C1/9/RNBAKABNR b",
            "rn2kabnr/9/1c2b2c1/p1p3p1p/3C5/9/P1P1P1P1P/7C1/9/RNBAKABNR b",
        ),
        # a cannon with two screens before the king
        (
            "cannon on the file",
            "r2akab1r/9/2n1b1n2/p1p1p1p1p/9/9/P1P3P1P/2N1C1N2/9/R1BAKAB1R w",
            "r2akab1r/9/2n1b1n2/p1p1p1p1p/9/9/P1P3P1P/2NC2N2/9/R1BAKAB1R w",
        ),
        # a rook that pins an advisor to the king's file
        ("rook on the file", "4ka3/4a4/9/9/9/4R4/9/9/9/3K5 w", "4ka3/4a4/9/9/9/3R5/9/9/9/3K5 w"),
        # a horse one move from a check
        ("horse before check", "3akab2/9/4b4/9/4N4/9/9/9/9/3K5 w", "3akab2/9/4b4/9/9/9/3N5/9/9/3K5 w"),
        ("exposed to rooks", "4k4/9/9/9/9/9/9/9/9/R2K5 w", "3ak4/4a4/9/9/9/9/9/9/9/R2K5 w"),
        ("linked pawns", "4k4/9/9/3PP4/9/9/9/9/9/4K4 w", "4k4/9/9/2P1P4/9/9/9/9/9/4K4 w"),
        # a horse that a rook attacks, with and without a guard
        ("hanging pieces", "3k5/9/4r4/9/9/R3N4/9/9/9/4K4 b", "3k5/9/4r4/9/9/4N4/R8/9/9/4K4 b"),
        # a rook that a horse attacks and a rook guards; and out of the horse's reach
        ("threatened pieces", "3k5/9/4n4/9/4R4/9/9/9/9/R3K4 b", "3k5/9/4n4/9/5R3/9/9/9/9/4KR3 b"),
        ("horse mobility", "4k4/9/9/9/9/9/9/4N4/9/3K5 w", "4k4/9/9/9/9/9/4P4/4N4/9/3K5 w"),
    ],
)
def test_a_pattern_raises_its_term(term: str, with_it: str, without: str) -> None:
    assert red_term(with_it, term) > red_term(without, term)


def test_the_style_scales_only_the_king_attack() -> None:
    quiet = hand_made("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w")
    attack = hand_made("rnb1kabnr/9/1c5c1/p1p3p1p/9/4C4/P1P3P1P/4C4/9/RNBAKABNR b")
    before = quiet.evaluate_cp(), attack.evaluate_cp()
    for position in quiet, attack:
        position.evaluator.set_style("risky", 0)
    assert quiet.evaluate_cp() == before[0]
    assert attack.evaluate_cp() < before[1]


def test_kept_scores_are_those_of_the_position() -> None:
    """The scores of 160 plies, forth and back, with the same evaluator and with a new one."""
    dice = random.Random(7)
    position = hand_made()
    scores: list[int] = []
    while len(scores) < 160 and (moves := position.legal_moves()):
        position.push(dice.choice(moves))
        scores.append(position.evaluate_cp())
        assert scores[-1] == hand_made(position.fen()).evaluate_cp()
    for score in reversed(scores):
        assert position.evaluate_cp() == score
        position.pop()


def test_another_style_forgets_the_kept_scores() -> None:
    position = hand_made("4k4/9/9/4C4/9/9/9/9/9/3KR4 b")
    normal = position.evaluate_cp()
    position.evaluator.set_style("risky", 0)
    risky = position.evaluate_cp()
    assert risky != normal
    assert risky == Position(position.fen(), HandCraftedEvaluator(130)).evaluate_cp()
    position.evaluator.set_style("normal", 0)
    assert position.evaluate_cp() == normal


def test_every_term_is_documented() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    terms, _ = hand_made().trace()
    assert len({term.name for term in terms}) == len(terms)
    for term in terms:
        assert f"**{term.name}**" in document, term.name


@pytest.mark.parametrize(
    ("guards", "own_guards", "kept"),
    [
        ("3k5/9/9", "4K4", 59),
        ("2bk5/9/4b4", "4K4", 39),
        ("3k5/4a4/9", "4K4", 25),
        ("3k5/4a4/9", "3AKA3", 41),
        ("3k1a3/4a4/9", "4K4", 12),
        ("3k1a3/4a4/9", "3AKA3", 12),
    ],
)
def test_advisors_hold_rook_and_pawn_against_a_rook_better_than_elephants(
    guards: str, own_guards: str, kept: int
) -> None:
    position = hand_made(f"{guards}/3P5/4R4/9/9/9/r8/{own_guards} w")
    plain = drawish = 0
    for term in position.trace()[0]:
        if term.name == "drawish":
            drawish = term.red_eg - term.black_eg
        elif term.name != "tempo":
            plain += term.red_eg - term.black_eg
    assert plain > 64
    assert plain + drawish == plain * kept // 64
