from gomoku_protocol.position import Position as GomokuPosition
from search_core.engine import Engine as Engine
from search_core.engine import mate_in_plies as mate_in_plies
from search_core.thinker import Info as Info
from search_core.thinker import Limits as Limits
from search_core.thinker import Result as Result
from search_core.version import __version__ as __version__
from ucci_engine.position import Position as XiangqiPosition
from ucci_engine.xiangqi_board import XiangqiBoard as XiangqiBoard

__all__ = [
    "Engine",
    "GomokuPosition",
    "Info",
    "Limits",
    "Result",
    "XiangqiBoard",
    "XiangqiPosition",
    "__version__",
    "mate_in_plies",
]
