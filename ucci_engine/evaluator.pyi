from search_core.evaluator import Evaluator

class Term:
    """One term of an evaluation: centipawns of middle game and end game, each side in its own view."""

    name: str
    red_mg: int
    red_eg: int
    black_mg: int
    black_eg: int
    def __init__(self, name: str, red_mg: int, red_eg: int, black_mg: int, black_eg: int) -> None: ...

class XiangqiEvaluator(Evaluator):
    """Gives positions their static score. Its native methods: evaluator.pyx."""
