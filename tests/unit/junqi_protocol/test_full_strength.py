"""What full strength sees besides the levels below it: pieces that hang, what a clash shows, captures anywhere."""

from __future__ import annotations

import pytest

from junqi_protocol.knowledge.knowledge import EAT
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.belief_position import BeliefPosition
from junqi_protocol.players.evaluators import HAND_MADE, JunqiEvaluator, default_evaluator
from junqi_protocol.players.full_strength import FullStrengthPosition
from junqi_protocol.players.likely_line import endings
from junqi_protocol.players.searching import believed
from search_core.engine import Engine
from search_core.thinker import Limits
from tests.unit.junqi_protocol.test_junqi_searching import move, played, set_up

FULL_STRENGTH = JunqiEvaluator(full_strength=True)


@pytest.mark.parametrize("variant", ["siguo", "duel"])
def test_the_default_evaluator_alone_plays_at_full_strength(variant: str) -> None:
    _, (view,) = played(variant, (0,), 4, 1)
    assert type(believed(view)) is type(believed(view).copy()) is FullStrengthPosition
    assert type(believed(view, default_evaluator(variant, HAND_MADE))) is BeliefPosition


FLAGS = "0:h1=F 1:q8=F 2:h17=F 3:a8=F 0:k5=4 1:l10=4 2:i12=4 3:f10=4"


def evaluations(evaluator: JunqiEvaluator, text: str, target: str) -> tuple[int, int]:
    """For seat 1 after our 师长 has moved from g4 to a point, and of the same position without that move."""
    moved = believed(set_up(f"variant siguo turn 0 pieces {FLAGS} 0:g4=7 {text}"), evaluator)
    moved.push(move("siguo", f"g4{target}"))
    still = believed(set_up(f"variant siguo turn 1 pieces {FLAGS} 0:{target}=7 {text}"), evaluator)
    return moved.evaluate_cp(), still.evaluate_cp()


@pytest.mark.parametrize(
    ("text", "target", "hangs"),
    [
        ("3:f7=9", "g5", True),  # round the corner of the rails
        ("3:f7=9", "h4", False),  # in a camp
        ("3:f7=9 0:g6=1", "g5", False),  # behind another piece
        ("3:f7=6", "g5", False),  # a 旅长 would lose
        ("2:f7=9", "g5", False),  # our partner's
        ("1:f7=9", "g5", False),  # on turn: its attack is a move of the search
    ],
)
def test_a_piece_that_an_enemy_can_take_before_it_moves_again_counts_less(text: str, target: str, hangs: bool) -> None:
    moved, still = evaluations(FULL_STRENGTH, text, target)
    assert moved > still + 1000 if hangs else moved == still
    moved, still = evaluations(JunqiEvaluator(), text, target)
    assert moved == still


@pytest.mark.parametrize(
    ("text", "moves", "sees_it"),
    [
        # After our move on the other wing their 司令 takes our 军长.
        ("turn 0 pieces 0:b1=F 0:a6=8 0:d2=4 1:b12=F 1:a7=9 1:d11=4", ["d2e2"], True),
        ("turn 0 pieces 0:b1=F 0:a6=9 0:d2=4 1:b12=F 1:a7=9 1:d11=4", ["d2e2"], False),  # an exchange of equals
        # Their piece attacks our 军长 if it is the 司令; if not, our 军长 takes it.
        ("turn 0 pieces 0:b1=F 0:a6=8 0:d2=4 1:b12=F 1:a7=?{69} 1:d11=4", ["d2e2", "a7a6"], True),
    ],
)
def test_what_wins_clearly_is_taken_after_the_last_ply(text: str, moves: list[str], sees_it: bool) -> None:
    scores = []
    for full_strength in (False, True):
        position = believed(set_up(f"variant duel {text}"), JunqiEvaluator(full_strength=full_strength))
        *before, last = (move("duel", one) for one in moves)
        for one in before:
            position.push(one)
        engine = Engine()
        scores.append(engine.search(position, Limits(depth=1, root_moves=(last,))).score)
        engine.close()
    plain, full = scores
    assert full < plain - 200 if sees_it else full == plain


@pytest.mark.parametrize("variant", ["siguo", "duel"])
def test_a_capture_shows_in_the_tree_what_it_shows_in_the_game(variant: str) -> None:
    """How probably hidden pieces leave a piece alone that has just taken another."""

    def declined(view: PlayerView, evaluator: JunqiEvaluator, moves: list[int]) -> float:
        position = believed(view, evaluator)
        for one in moves[:-1]:
            position.push(one)
        return sum(end.chance for end in endings(position, moves[-1]) if end.declined)

    errors = {True: 0.0, False: 0.0}
    replies = 0
    for seed in range(40):
        world, views = played(variant, (0, 1), 40, seed)
        if world.outcome_text is not None or world.turn > 1:
            continue
        view = views[world.turn]
        for attack in world.legal_moves():
            if not world.piece_at(attack & 255):
                continue
            after, later = world.copy(), view.copy()
            result, _, outs = after.push(attack)
            if result != EAT or after.outcome_text is not None:
                continue
            later.moved(world.turn, attack, result, [], outs)
            if endings(believed(view), attack)[0].result != EAT:  # push() takes the likeliest end
                continue
            for reply in after.legal_moves():
                if reply & 255 != attack & 255 or after.turns_on_rails(reply):
                    continue
                replies += 1
                for full_strength in errors:
                    evaluator = JunqiEvaluator(full_strength=full_strength)
                    in_tree = declined(view, evaluator, [attack, reply])
                    errors[full_strength] += abs(in_tree - declined(later, evaluator, [reply]))
    assert replies > 50
    assert errors[True] < 0.6 * errors[False]
