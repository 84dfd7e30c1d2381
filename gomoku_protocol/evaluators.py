"""The evaluators of Gomoku positions, by name."""

from __future__ import annotations

import os
from functools import lru_cache

from search_core.parts import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gomoku_protocol.evaluator import GomokuEvaluator
    from gomoku_protocol.net import NetWeights

HAND_MADE = "hand-made"
NET = "net"

EVALUATORS = {
    HAND_MADE: "gomoku_protocol.evaluation:HandCraftedEvaluator",
    NET: "gomoku_protocol.evaluators:built_in_net",
}
"""Each with what makes it."""

NET_FILE = "gomoku-4271437690f7.net"
"""The built-in net, in data/. Its card is in training/nets."""


def default_evaluator(name: str = NET) -> GomokuEvaluator:
    """A new evaluator for a position that is opened: one of EVALUATORS, or that of a net's file. Raises NetError,
    OSError."""
    made: GomokuEvaluator = load_part(EVALUATORS[name])() if name in EVALUATORS else net_evaluator(name)
    return made


def built_in_net() -> GomokuEvaluator:
    """An evaluator with the built-in net."""
    return net_evaluator(os.path.join(os.path.dirname(__file__), "data", NET_FILE))


def net_evaluator(path: str) -> GomokuEvaluator:
    """An evaluator with the net of a file. Raises NetError, OSError."""
    made: GomokuEvaluator = load_part("gomoku_protocol.net:NetEvaluator")(_weights(path))
    return made


@lru_cache(maxsize=2)
def _weights(path: str) -> NetWeights:
    net = load_part("gomoku_protocol.net_file:read_net")(path)
    weights: NetWeights = load_part("gomoku_protocol.net:NetWeights")(*net)
    return weights
