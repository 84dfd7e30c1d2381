"""The contract of Game with the search: every game keeps it, and the check finds each clause broken."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from gomoku_protocol.points import RULES, move_at
from gomoku_protocol.position import Position as GomokuPosition
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.position import Position as JunqiPosition
from search_core.conformance import CLAUSES, ContractBroken, check_game
from ucci_engine.evaluation import HandCraftedEvaluator
from ucci_engine.evaluator import XiangqiEvaluator
from ucci_engine.extra_pieces import ExtraPiecesPosition, open_position
from ucci_engine.points import START_FEN
from ucci_engine.position import Position as XiangqiPosition

from . import test_search_chance
from .test_search_toy import WIDTH, random_graph

# ---------------------------------------------------------------- the toy games


def heaps(module: ModuleType, fault: str) -> Callable[[random.Random], Any]:
    def make(chance: random.Random) -> Any:
        coins = [chance.randint(2, 7) for _ in range(5)]
        turn = chance.randrange(2)
        coins[turn] = chance.randint(1, 7)
        return module.Heaps(coins, turn, fault)

    return make


def check_heaps(
    module: ModuleType, fault: str, *, generates_all: bool = True, exact_checks: bool = True
) -> dict[str, int]:
    return check_game(
        heaps(module, fault),
        40,
        1,
        generates_all=generates_all,
        exact_checks=exact_checks,
        fresh=lambda game: module.Heaps(game.heaps, game.side, fault),
        result=lambda game: game.result(),
    )


def test_a_sound_game_passes_and_is_checked_in_every_clause(heaps_game: ModuleType) -> None:
    checked = check_heaps(heaps_game, "")
    assert list(checked) == list(CLAUSES)
    assert min(checked.values()) >= 30, checked


FAULTS = {
    "side out of range": "facts",
    "move twice": "stages",
    "move in both stages": "stages",
    "check is missing": "stages",
    "move of 21 bits": "stages",
    "generate writes beyond max_moves": "room",
    "order writes beyond its moves": "room",
    "order forgets the slot": "order",
    "huge order": "order",
    "policy writes beyond its moves": "room",
    "huge policy": "policy",
    "refused policy changes scores": "policy",
    "huge slot": "slots",
    "noisy is wrong": "noisy",
    "generated move refused": "pseudo_legal",
    "wild move accepted": "pseudo_legal",
    "refusal changes the key": "make",
    "legality hangs on a question": "make",
    "unmake forgets a heap": "unmake",
    "unmake forgets the key": "unmake",
    "question changes the score": "questions",
    "answer hangs on the order": "questions",
    "gives_check is wrong": "gives_check",
    "evasion is missing": "evasion",
    "null move forgets the key": "null",
    "null move keeps the key": "null",
    "key without a heap": "key",
    "key hangs on the way": "key",
    "key of 32 bits": "key",
    "huge score": "evaluate",
    "exchange is not monotonic": "see_ge",
    "outcome is wrong": "outcome",
    "legal moves lack one": "legal_moves",
    "count is wrong": "count_legal",
    "copy shares its heaps": "copy",
    "copy without its moves": "copy",
    "threads share a variable": "threads",
    "solver forgets the key": "solver",
    "solver names no move": "solver",
}
"""Each way to break the toy game, and the clause that it breaks."""


def test_every_clause_can_be_broken_and_every_fault_is_tried(heaps_game: ModuleType) -> None:
    assert {*FAULTS.values(), *CHANCE_FAULTS.values()} == set(CLAUSES)
    assert {"", *FAULTS} == set(heaps_game.FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_clause_is_named(heaps_game: ModuleType, fault: str) -> None:
    with pytest.raises(ContractBroken) as caught:
        check_heaps(heaps_game, fault)
    broken = caught.value
    assert broken.clause == FAULTS[fault], broken
    assert str(broken).startswith(f"{broken.clause}: {broken.detail}\nthe contract: {CLAUSES[broken.clause]}\n")
    assert f"after the moves {' '.join(map(str, broken.moves)) or '(none)'}\n" in str(broken)
    assert f"from: {broken.start}" in str(broken)


def test_the_moves_named_lead_to_the_position_named(heaps_game: ModuleType) -> None:
    with pytest.raises(ContractBroken) as caught:
        check_heaps(heaps_game, "outcome is wrong")
    *counts, turn = caught.value.start.replace("[", "").replace("]", "").replace(",", "").split()
    coins = list(map(int, counts))
    assert caught.value.moves
    for move in caught.value.moves:
        coins[(move - 1) // 8] -= (move - 1) % 8 + 1
    assert caught.value.position == f"{coins} {(int(turn) + len(caught.value.moves)) % 2}"


def test_moves_that_a_selective_game_accepts_must_be_safe_to_play(heaps_game: ModuleType) -> None:
    with pytest.raises(ContractBroken) as caught:
        check_heaps(heaps_game, "wild move accepted", generates_all=False)
    assert caught.value.clause == "pseudo_legal"
    assert "after the accepted move" in caught.value.detail


def test_a_game_that_only_estimates_checks_may_be_wrong_about_them(heaps_game: ModuleType) -> None:
    assert check_heaps(heaps_game, "gives_check is wrong", exact_checks=False)["gives_check"] == 0


@pytest.mark.parametrize("plies", [0, 113])
def test_a_bad_number_of_plies_is_refused(heaps_game: ModuleType, plies: int) -> None:
    with pytest.raises(ValueError, match="expected 1 to 112"):
        check_game(heaps(heaps_game, ""), 1, 1, plies=plies)


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "twice running"])
def test_the_walk_keeps_the_contract(toy_game: ModuleType, alternating: bool) -> None:
    graph = random_graph(5, alternating=alternating)
    # Its checks are random: gives_check() cannot know them.
    checked = check_game(lambda chance: toy_game.Walk(graph, chance.randrange(3 * WIDTH)), 50, 2, exact_checks=False)
    assert min(checked[clause] for clause in ("make", "unmake", "evasion", "copy", "threads")) >= 40, checked


CHANCE_FAULTS = {
    "chances are too small": "chances",
    "chance of zero": "chances",
    "too many outcomes": "chances",
    "certain move has half a chance": "certain",
    "outcomes without chance": "certain",
    "outcome refused": "make_outcome",
    "make plays the last outcome": "make_outcome",
    "unmake forgets the key": "make_outcome",
    "outcome keeps the key": "key",
}
"""Each way to break the dice game, and the clause that it breaks."""


def check_dice(module: ModuleType, fault: str) -> dict[str, int]:
    graph = test_search_chance.random_graph(3, alternating=False)
    starts = 2 * test_search_chance.WIDTH
    return check_game(
        lambda chance: module.Dice(graph, chance.randrange(starts), fault=fault), 40, 1, exact_checks=False
    )


def test_the_dice_game_keeps_the_contract(dice_game: ModuleType) -> None:
    checked = check_dice(dice_game, "")
    assert min(checked[clause] for clause in ("chances", "certain", "make_outcome", "unmake", "copy")) >= 100, checked
    assert ("", *CHANCE_FAULTS) == dice_game.FAULTS


@pytest.mark.parametrize("fault", CHANCE_FAULTS)
def test_a_broken_clause_of_chance_is_named(dice_game: ModuleType, fault: str) -> None:
    with pytest.raises(ContractBroken) as caught:
        check_dice(dice_game, fault)
    assert caught.value.clause == CHANCE_FAULTS[fault], caught.value


# ---------------------------------------------------------------- Xiangqi

HOSTILE = [
    "3k5/9/9/9/9/9/9/9/4A4/4K4 w - - 0 1",  # very few moves
    "3k5/4r4/9/9/9/9/9/9/4p4/5K3 w - - 0 1",
    "R2akab2/9/4b4/9/9/9/9/4C4/9/3AKAB1c b - - 0 1",
    "4k4/4a4/4P4/9/9/9/9/4p4/4A4/4K4 w - - 0 1",  # pawns in the palaces
    "3ak1bnr/4a4/2n1b4/p1R1p1p1p/4c4/2P6/P3P3P/4C1N2/9/1NBAKABR1 w - - 0 1",  # a cannon in the centre
    "2bak4/4a4/4b4/9/9/2R6/9/4C4/4r4/3K5 w - - 110 60",  # soon drawn without a capture
    "r1RCkC1R1/3P1P3/2P3P2/2P1N1N2/9/2B3B2/9/3A1A3/9/3K5 w - - 0 1",  # many moves
    "4k4/9/4n4/9/4C4/9/9/9/9/3K1R3 b - - 0 1",
    "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 118 60",
]

EXTRA_PIECES = [
    "4k4/9/9/9/4r4/4R4/4R4/4R4/9/3K5 w - - 0 1",
    "rrr1k1rrr/r7r/9/9/9/9/9/9/R2R1R2R/RRRK2RRR w - - 0 1",
    "4k4/9/9/c1c1c1c1c/9/9/C1C1C1C1C/9/4A4/4K4 b - - 0 1",
    "3k5/9/2P1P1P2/1P2P2P1/9/9/9/n1n1n1n2/9/4K4 w - - 110 60",
    "2bakab2/4a4/b2aba2b/9/2b3b2/2B3B2/9/B2ABA2B/4A4/2BAKAB2 w - - 0 1",
    "3k5/9/R8/1R7/2R6/9/9/9/9/4K4 b - - 0 1",  # lost
]

XIANGQI_RESULTS = {
    "ongoing": "ongoing",
    "mate": "lost",
    "stalemate": "lost",
    "perpetual-win": "won",
    "perpetual-loss": "lost",
    "repetition": "drawn",
    "no-capture": "drawn",
    "material": "drawn",
}


def check_xiangqi(
    fens: list[str],
    games: int,
    plies: int,
    evaluator: Callable[[], XiangqiEvaluator] = HandCraftedEvaluator,
    fresh: Callable[[str, XiangqiEvaluator], XiangqiPosition] = XiangqiPosition,
) -> dict[str, int]:
    return check_game(
        lambda chance: open_position(chance.choice(fens), evaluator()),
        games,
        3,
        plies=plies,
        fresh=lambda position: fresh(position.fen(), evaluator()),
        result=lambda position: XIANGQI_RESULTS[position.result()],
    )


def test_xiangqi_from_the_start() -> None:
    checked = check_xiangqi([START_FEN], 12, 100)
    assert min(checked[clause] for clause in ("make", "null", "evasion", "pseudo_legal")) >= 20, checked


def test_xiangqi_from_hostile_positions() -> None:
    checked = check_xiangqi(HOSTILE, 30, 40)
    assert min(checked[clause] for clause in ("make", "null", "evasion", "pseudo_legal")) >= 20, checked


def test_xiangqi_with_more_pieces_than_a_set() -> None:
    checked = check_xiangqi(EXTRA_PIECES, 20, 40, fresh=ExtraPiecesPosition)
    assert min(checked[clause] for clause in ("make", "null", "evasion", "pseudo_legal", "see_ge")) >= 20, checked


def test_xiangqi_with_more_pieces_than_a_set_and_an_evaluator_that_keeps_sums(xiangqi_evaluators: ModuleType) -> None:
    weights = random.Random(5).randbytes(14 * 90)
    evaluator = functools.partial(xiangqi_evaluators.AccumulatorEvaluator, weights)
    checked = check_xiangqi(EXTRA_PIECES, 20, 40, evaluator, ExtraPiecesPosition)
    assert min(checked[clause] for clause in ("evaluate", "key", "null", "copy", "threads")) >= 20, checked


def test_xiangqi_with_another_evaluator(xiangqi_evaluators: ModuleType) -> None:
    checked = check_xiangqi([START_FEN, *HOSTILE], 20, 30, xiangqi_evaluators.MaterialEvaluator)
    assert min(checked[clause] for clause in ("evaluate", "key", "copy", "threads")) >= 20, checked


def test_xiangqi_with_an_evaluator_that_keeps_sums(xiangqi_evaluators: ModuleType) -> None:
    weights = random.Random(4).randbytes(14 * 90)
    evaluator = functools.partial(xiangqi_evaluators.AccumulatorEvaluator, weights)
    checked = check_xiangqi([START_FEN, *HOSTILE], 20, 60, evaluator)
    assert min(checked[clause] for clause in ("evaluate", "key", "null", "copy", "threads")) >= 20, checked


# ---------------------------------------------------------------- Gomoku


def gomoku_start(chance: random.Random, rule: int, width: int, height: int) -> GomokuPosition:
    """An empty board, or one with stones and blocked points anywhere on which nobody has won."""
    position = GomokuPosition(width, height, rule)
    points = [move_at(x, y) for x in range(width) for y in range(height)]
    while chance.random() < 0.75:
        chance.shuffle(points)
        count = chance.choice((3, len(points) // 6, len(points) // 2, len(points) - 6))
        black = set(chance.sample(points[:count], count // 2))
        blocked = points[count : count + chance.choice((0, 2))]
        position.set_up(black, set(points[:count]) - black, blocked, side=chance.randrange(2))
        if position.winner is None:
            return position
    return GomokuPosition(width, height, rule)


def stones(position: GomokuPosition) -> list[tuple[int, int, int]]:
    """(stone_at(), x, y) of every point."""
    return [(position.stone_at(x, y), x, y) for y in range(position.height) for x in range(position.width)]


def gomoku_afresh(position: GomokuPosition) -> GomokuPosition:
    fresh = GomokuPosition(position.width, position.height, position.rule)
    black, white, blocked = (
        [move_at(x, y) for content, x, y in stones(position) if content == kind] for kind in range(3)
    )
    fresh.set_up(black, white, blocked, side=position.side)
    return fresh


def gomoku_drawing(position: GomokuPosition) -> str:
    letters = "".join("xo#."[content] + ("\n" if x == position.width - 1 else "") for content, x, _ in stones(position))
    return f"rule {position.rule}, side {position.side} to move\n{letters}"


@pytest.mark.parametrize(("width", "height"), [(5, 5), (5, 9), (13, 9), (15, 15), (22, 22)])
@pytest.mark.parametrize("rule", RULES)
def test_gomoku(rule: int, width: int, height: int) -> None:
    checked = check_game(
        functools.partial(gomoku_start, rule=rule, width=width, height=height),
        4 if width * height < 100 else 2,
        4,
        plies=40,
        generates_all=False,
        exact_checks=False,
        fresh=gomoku_afresh,
        show=gomoku_drawing,
        result=lambda position: "lost" if position.winner is not None else "drawn" if position.full else "ongoing",
    )
    assert min(checked[clause] for clause in ("evasion", "outcome", "threads")) >= 1, checked


# ---------------------------------------------------------------- Junqi


def junqi_start(chance: random.Random, variant: str, rules: dict[str, Any], known: bool) -> JunqiPosition:
    """The beginning, or the middle of a game; or a player's board, on which the others' pieces are unknown."""
    while True:
        position = JunqiPosition(variant, **rules)
        seats = range(position.variant.seats)
        position.deploy([random_lineup(chance) if known or not seat else None for seat in seats])
        if known and chance.random() < 0.75:
            position.play_random(chance.getrandbits(60), chance.choice((5, 40, 150, 400)))
        if position.outcome_text is None:
            return position


def junqi_afresh(position: JunqiPosition) -> JunqiPosition:
    fresh = JunqiPosition(position.variant.name)
    for seat in range(position.variant.seats):
        for point, kind in position.pieces(seat):
            fresh.place(seat, point, kind)
    fresh.set_state(position.turn, position.quiet, [0] * position.variant.seats)
    return fresh


def junqi_result(position: JunqiPosition) -> str:
    if position.outcome_text is None:
        return "ongoing"
    return "drawn" if position.winner is None else "won" if position.winner == position.side else "lost"


@pytest.mark.parametrize("known", [True, False], ids=["world", "player's board"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_junqi(variant: str, known: bool) -> None:
    for rules in ({"quiet": 20}, {"quiet": 12, "quiet_loses": True}, {"plies": 500}):
        checked = check_game(
            functools.partial(junqi_start, variant=variant, rules=rules, known=known),
            2,
            5,
            fresh=junqi_afresh,
            result=junqi_result,
        )
        assert min(checked[clause] for clause in ("pseudo_legal", "outcome", "threads")) >= 2, checked
