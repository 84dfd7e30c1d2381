from search_core.evaluator import Evaluator

class GomokuEvaluator(Evaluator):
    """Gives Gomoku positions their static score, and perhaps an order of their quiet moves.

    evaluator.pyx has the native methods.
    """
