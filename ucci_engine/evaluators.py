"""The evaluators of Xiangqi positions, by name."""

from __future__ import annotations

import os
from functools import lru_cache

from search_core.parts import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ucci_engine.evaluator import XiangqiEvaluator
    from ucci_engine.net import NetWeights

HAND_MADE = "hand-made"
NET = "net"

EVALUATORS = {
    HAND_MADE: "ucci_engine.evaluation:HandCraftedEvaluator",
    NET: "ucci_engine.evaluators:built_in_net",
}
"""Each with what makes it."""

NET_FILE = "xiangqi-2dcde47f2580.net"
"""The built-in net, in data/. The card of each net is in training/nets."""


def default_evaluator(name: str = NET) -> XiangqiEvaluator:
    """A new evaluator for a position that is opened: one of EVALUATORS, or that of a net's file. Raises NetError,
    OSError."""
    made: XiangqiEvaluator = load_part(EVALUATORS[name])() if name in EVALUATORS else net_evaluator(name)
    return made


def built_in_net() -> XiangqiEvaluator:
    """An evaluator with the built-in net."""
    return net_evaluator(os.path.join(os.path.dirname(__file__), "data", NET_FILE))


def net_evaluator(path: str) -> XiangqiEvaluator:
    """An evaluator with the net of a file. Raises NetError, OSError."""
    made: XiangqiEvaluator = load_part("ucci_engine.net:NetEvaluator")(_weights(path))
    return made


@lru_cache(maxsize=2)
def _weights(path: str) -> NetWeights:
    weights: NetWeights = load_part("ucci_engine.net:NetWeights")(*load_part("ucci_engine.net_file:read_net")(path))
    return weights
