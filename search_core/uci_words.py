"""Words of UCI that do not depend on the game."""

from __future__ import annotations

from search_core.options import BUTTON, CHECK, SPIN, Option


def score_text(score: int) -> str:
    """A score in the words of UCI: centipawns, or moves to the mate."""
    from search_core.engine import mate_in_plies

    plies = mate_in_plies(score)
    if plies is None:
        return f"cp {score}"
    return f"mate {(plies + 1) // 2 if score > 0 else -(abs(plies) // 2)}"


def option_line(option: Option) -> str:
    """How UCI lists an option."""
    line = f"option name {option.name} type {option.kind}"
    if option.kind == BUTTON:
        return line
    if option.kind == CHECK:
        return f"{line} default {'true' if option.default else 'false'}"
    # Some GUIs stop reading after a line that ends in `default`.
    line += f" default {option.default if option.default != '' else '<empty>'}"
    if option.kind == SPIN:
        line += f" min {option.minimum} max {option.maximum}"
    return line + "".join(f" var {choice}" for choice in option.choices)
