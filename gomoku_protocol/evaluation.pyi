from gomoku_protocol.evaluator import GomokuEvaluator

class HandCraftedEvaluator(GomokuEvaluator):
    """The evaluation of docs/gomoku.md."""

    def copy(self) -> HandCraftedEvaluator: ...
    def weakened(self, seed: int, permille: int, side: int) -> HandCraftedEvaluator: ...
