"""The evaluators of Junqi positions, by name. BeliefPosition computes what they say."""

from __future__ import annotations

import os
import random
from functools import lru_cache
from itertools import chain

from junqi_protocol.players.evaluation_weights import NODES, WEIGHTS
from junqi_protocol.players.tuned_weights import SCALE, TUNED_WEIGHTS
from junqi_protocol.rules.lineup import WORTH
from search_core.evaluator import Evaluator
from search_core.parts import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from junqi_protocol.players.net import JunqiNet

HAND_MADE = "hand-made"
NET = "net"
NET_FILES = {"duel": "junqi-duel-ab6ca39315b2.net"}
"""The built-in nets by variant, in data/. The card of each is in training/nets."""


class JunqiEvaluator(Evaluator):
    """Weights in the order of evaluation.pyx, the net whose output is added to what they say, and whether the position
    is a FullStrengthPosition."""

    def __init__(
        self, weights: Iterable[float] = WEIGHTS, net: JunqiNet | None = None, *, full_strength: bool = False
    ) -> None:
        self.weights = tuple(weights)
        self.net = net
        self.full_strength = full_strength

    def copy(self) -> JunqiEvaluator:
        return self  # it keeps nothing

    def weakened(self, seed: int, permille: int, side: int) -> JunqiEvaluator:
        """Each weight is too high or too low for the whole of a game, the worths of a type alike; without the net."""
        return JunqiEvaluator(_prejudiced(self.weights, seed, permille))


@lru_cache(maxsize=8)
def _prejudiced(weights: tuple[float, ...], seed: int, permille: int) -> tuple[float, ...]:
    chance = random.Random(seed)

    def factor() -> float:
        return 1 + permille / 1000 * chance.uniform(-1, 1)

    types = [factor() for _ in WORTH]
    worths = [weight * types[i // NODES] for i, weight in enumerate(weights[: len(WORTH) * NODES])]
    return (*worths, *(weight * factor() for weight in weights[len(worths) :]))


def default_evaluator(variant: str, name: str = NET) -> JunqiEvaluator:
    """The evaluator of this name for a board: `net`, that of full strength, which with four seats is the tuned weights
    alone; `hand-made`; or that of a net's file. Raises NetError, OSError."""
    if name == HAND_MADE:
        return JunqiEvaluator()
    return _full_strength(variant, name)


@lru_cache(maxsize=4)
def _full_strength(variant: str, name: str) -> JunqiEvaluator:
    learnt = learnt_evaluator(variant) if name == NET else _net_evaluator(name, variant)
    weights: Iterable[float] = learnt.weights
    if name == NET and variant in TUNED_WEIGHTS:
        weights = (weight / SCALE for weight in chain.from_iterable(TUNED_WEIGHTS[variant]))
    return JunqiEvaluator(weights, learnt.net, full_strength=True)


def learnt_evaluator(variant: str) -> JunqiEvaluator:
    """That of the file of a board's built-in net; the hand-made one where there is none. Raises NetError, OSError."""
    if variant not in NET_FILES:
        return JunqiEvaluator()
    folder = os.path.dirname(os.path.dirname(__file__))
    return _net_evaluator(os.path.join(folder, "data", NET_FILES[variant]), variant)


@lru_cache(maxsize=4)
def _net_evaluator(path: str, variant: str) -> JunqiEvaluator:
    evaluator: JunqiEvaluator = load_part("junqi_protocol.players.net_file:read_evaluator")(path, variant)
    return evaluator
