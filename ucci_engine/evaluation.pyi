from typing_extensions import Self

from ucci_engine.evaluator import Evaluator

class HandCraftedEvaluator(Evaluator):
    """The evaluation of docs/evaluation.md."""

    def __new__(cls, attack_percent: int = ...) -> Self: ...
    @property
    def attack_percent(self) -> int: ...
    def copy(self) -> HandCraftedEvaluator: ...
