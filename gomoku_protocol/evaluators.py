"""The evaluators of Gomoku positions, by name."""

from __future__ import annotations

import os
from functools import lru_cache

from gomoku_protocol.points import FREESTYLE, RENJU, STANDARD
from search_core.parts import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gomoku_protocol.evaluator import GomokuEvaluator
    from gomoku_protocol.net import NetWeights

HAND_MADE = "hand-made"
NET = "net"

EVALUATORS = {HAND_MADE: "gomoku_protocol.evaluation:HandCraftedEvaluator"}
"""Those that are no nets, each with its class."""

NET_FILES = {
    FREESTYLE: "gomoku-4271437690f7.net",
    STANDARD: "gomoku-d762e0ac8d3e.net",
    RENJU: "gomoku-82b7e220d720.net",
}
"""The built-in nets, in data/, by rule. Their cards are in training/nets."""


def default_evaluator(rule: int, name: str = NET) -> GomokuEvaluator:
    """A new evaluator for a position of this rule that is opened: one of EVALUATORS, that of a net's file, or NET. NET
    is hand-made where there is no net of the rule. Raises NetError, OSError."""
    if name == NET:
        name = os.path.join(os.path.dirname(__file__), "data", NET_FILES[rule]) if rule in NET_FILES else HAND_MADE
    made: GomokuEvaluator = load_part(EVALUATORS[name])() if name in EVALUATORS else net_evaluator(name)
    return made


def net_evaluator(path: str) -> GomokuEvaluator:
    """An evaluator with the net of a file. Raises NetError, OSError."""
    made: GomokuEvaluator = load_part("gomoku_protocol.net:NetEvaluator")(_weights(path))
    return made


@lru_cache(maxsize=4)
def _weights(path: str) -> NetWeights:
    net = load_part("gomoku_protocol.net_file:read_net")(path)
    weights: NetWeights = load_part("gomoku_protocol.net:NetWeights")(*net)
    return weights
