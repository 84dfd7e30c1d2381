from sanqi_training.nets.gradients import Gradients

class XiangqiGradients(Gradients):
    """What samples of Xiangqi say of a net."""

    def __init__(self, width: int, threads: int, result_share: float, score_scale: float) -> None: ...
