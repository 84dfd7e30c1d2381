"""The evaluators of Junqi positions, by name. BeliefPosition computes what is linear in their weights."""

from __future__ import annotations

import random
from functools import lru_cache

from junqi_protocol.players.evaluation_weights import NODES, WEIGHTS
from junqi_protocol.rules.lineup import WORTH
from search_core.evaluator import Evaluator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HAND_MADE = "hand-made"


class JunqiEvaluator(Evaluator):
    """Weights in the order of evaluation.pyx."""

    def __init__(self, weights: Sequence[float] = WEIGHTS) -> None:
        self.weights = tuple(weights)

    def copy(self) -> JunqiEvaluator:
        return self  # it keeps nothing

    def weakened(self, seed: int, permille: int, side: int) -> JunqiEvaluator:
        """Each weight is too high or too low for the whole of a game, the worths of a type alike."""
        return JunqiEvaluator(_prejudiced(self.weights, seed, permille))


@lru_cache(maxsize=8)
def _prejudiced(weights: tuple[float, ...], seed: int, permille: int) -> tuple[float, ...]:
    chance = random.Random(seed)

    def factor() -> float:
        return 1 + permille / 1000 * chance.uniform(-1, 1)

    types = [factor() for _ in WORTH]
    worths = [weight * types[i // NODES] for i, weight in enumerate(weights[: len(WORTH) * NODES])]
    return (*worths, *(weight * factor() for weight in weights[len(worths) :]))


EVALUATORS = {HAND_MADE: JunqiEvaluator}
"""Each with what makes it."""


def default_evaluator(name: str = HAND_MADE) -> JunqiEvaluator:
    """A new evaluator of this name, one of EVALUATORS."""
    return EVALUATORS[name]()
