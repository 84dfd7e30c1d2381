"""Results of a search as a person reads them: moves of the game's own type, scores that say what they mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from search_core.score import Score

if TYPE_CHECKING:
    from search_core.game import Game
    from search_core.thinker import Info, Result


def readable_info(game: Game, info: Info) -> Info:
    """A line of a search of `game`."""
    return replace(info, score=_score(game, info.score), pv=tuple(map(game.named_move, info.pv)))


def readable_result(game: Game, result: Result) -> Result:
    """The result of a search of `game`."""
    return replace(
        result,
        best=None if result.best is None else game.named_move(result.best),
        ponder=None if result.ponder is None else game.named_move(result.ponder),
        score=_score(game, result.score),
        lines=tuple(readable_info(game, line) for line in result.lines),
    )


def _score(game: Game, score: int) -> int:
    return score if game.has_chance else Score(score)  # win probabilities are no centipawns
