"""Words of UCI that do not depend on the game."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from search_core.options import Option
    from search_core.thinker import Info


def score_text(score: int) -> str:
    """A score in the words of UCI: centipawns, or moves to the mate."""
    from search_core.engine import mate_in_plies

    plies = mate_in_plies(score)
    if plies is None:
        return f"cp {score}"
    return f"mate {(plies + 1) // 2 if score > 0 else -(abs(plies) // 2)}"


def info_line(info: Info, move_text: Callable[[int], str], *, multipv: str = "", wdl: str = "") -> str:
    """A line of a search. `multipv`, `wdl`: these fields, if they are wanted, each with a blank before it."""
    bound = "" if info.bound == "exact" else f" {info.bound}bound"
    moves = "".join(f" {move_text(move)}" for move in info.pv)
    return (
        f"info depth {info.depth} seldepth {info.seldepth}{multipv} score {score_text(info.score)}{bound}{wdl}"
        f" nodes {info.nodes} nps {info.nps} hashfull {info.hashfull} time {info.time_ms}{moves and ' pv'}{moves}"
    )


def option_line(option: Option) -> str:
    """How UCI lists an option."""
    default, values = option.listing()
    return f"option name {option.name} type {option.kind}{default}{values}"
