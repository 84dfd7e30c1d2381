"""The evaluators of Gomoku positions, by name."""

from __future__ import annotations

from search_core.parts import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gomoku_protocol.evaluator import GomokuEvaluator

HAND_MADE = "hand-made"

EVALUATORS = {HAND_MADE: "gomoku_protocol.evaluation:HandCraftedEvaluator"}
"""Each with what makes it."""


def default_evaluator(name: str = HAND_MADE) -> GomokuEvaluator:
    """A new evaluator of this name, one of EVALUATORS, for a position that is opened."""
    made: GomokuEvaluator = load_part(EVALUATORS[name])()
    return made
