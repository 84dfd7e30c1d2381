from ucci_engine.evaluator import XiangqiEvaluator
from ucci_engine.position import Position

class ExtraPiecesPosition(Position):
    """A Position with any number of pieces of each kind, at most 16 a side with the king, on any point. Slower than
    Position."""

    def copy(self) -> ExtraPiecesPosition: ...

def remark_on(position: Position) -> str:
    """What a person should know of a position that no game leads to: its pieces on odd points; '' if there are none."""

def open_position(fen: str, evaluator: XiangqiEvaluator | None = None) -> Position:
    """The position of a FEN: a Position, or an ExtraPiecesPosition if it has more pieces than a set, or a piece where
    no move leads."""
