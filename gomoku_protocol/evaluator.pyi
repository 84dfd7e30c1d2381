from search_core.evaluator import Evaluator

class GomokuEvaluator(Evaluator):
    """Computes the static score of a position. evaluator.pyx has the native methods."""
