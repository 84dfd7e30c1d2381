"""The evaluators of Xiangqi positions, by name."""

from __future__ import annotations

from search_core.parts import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ucci_engine.evaluator import XiangqiEvaluator

HAND_MADE = "hand-made"

EVALUATORS = {HAND_MADE: "ucci_engine.evaluation:HandCraftedEvaluator"}
"""Each with what makes it."""


def default_evaluator(name: str = HAND_MADE) -> XiangqiEvaluator:
    """A new evaluator of this name, one of EVALUATORS, for a position that is opened."""
    made: XiangqiEvaluator = load_part(EVALUATORS[name])()
    return made
