"""The engine's Junqi player: it thinks on a thread of its own, and answers by callback.

It sees a game as a PlayerView. The level "search" and those from 1 to 20 have a Searcher; each other level has a
function in CHOOSERS that finds its move.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.levels import LEVELS, SEARCH, WEAKNESSES
from junqi_protocol.players.players import best_attack, choose, flag_captures
from junqi_protocol.players.searching import Searcher
from junqi_protocol.rules.lineup import WORTH
from search_core.clock import now_s
from search_core.thinker import Limits, Result
from search_core.thinking_thread import MoveSignals, OnInfo, OnMessage, Think, ThinkingThread, report_failure

_STEP_MS = 30
"""What the level "expect" may take between two looks at the clock, on a machine that does nothing else."""

Chooser = Callable[[PlayerView, Limits, random.Random, MoveSignals], int]
"""Finds a level's move for the seat on turn, which has a legal one. Returns soon after the move is due.

What it ignores of the view's knowledge, such as `Belief.remarks`, it adds to `knowledge.remarks`.
"""


def _choose(level: str, view: PlayerView, limits: Limits, chance: random.Random, signals: MoveSignals) -> int:
    asked, step_ms = now_s(), float(_STEP_MS)

    def is_due() -> bool:
        """Whether there is no time for a step as long as the longest so far."""
        nonlocal asked, step_ms
        step_ms = max(step_ms, 1000 * (now_s() - asked))
        asked = now_s()
        return signals.is_due(step_ms)

    return choose(level, view, chance, is_due)


CHOOSERS: dict[str, Chooser] = {level: partial(_choose, level) for level in LEVELS if level != SEARCH}
"""How each level that does not search finds its move."""
_LEAVE_FLAGS = ("events", "random")
"""Levels that do not always take a flag that they can take."""


class JunqiPlayer(ThinkingThread[PlayerView]):
    """A ThinkingThread for Junqi: finds moves for PlayerViews.

    Parameters
    ----------
    level : str
        One of levels.CHOICES.
    chance : random.Random or None
        Makes a level's random choices; None: not repeatable.

    Attributes
    ----------
    on_remark : callable or None
        Gets what a level ignored of a view's knowledge, one line each, before the result and from another thread.
    level, chance, on_remark
        May be set at any time; they take effect at the next go().
    searcher : Searcher
        What the levels that look ahead think with.
    """

    def __init__(self, level: str = LEVELS[0], chance: random.Random | None = None) -> None:
        super().__init__()
        self.level = level
        self.chance = chance or random.Random()
        self.on_remark: Callable[[str], None] | None = None
        self.searcher = Searcher()

    def prepare(self, view: PlayerView, limits: Limits, on_info: OnInfo, on_message: OnMessage) -> Think:
        """What finds a move for the seat on turn, which is one of the view's.

        If a level fails, the result has a random legal move. Only levels that look ahead call `on_info`.
        """
        level, chance, on_remark, searcher = self.level, self.chance, self.on_remark, self.searcher

        def think(signals: MoveSignals) -> Result:
            try:
                moves = _allowed(view, limits)
                best = _forced(level, view, moves, chance)
                if moves and best is None:
                    if level == SEARCH:
                        return searcher.find(view, limits, signals, on_info, on_message)
                    if level in WEAKNESSES:
                        weakness = WEAKNESSES[level]
                        return searcher.find_weaker(view, limits, weakness, chance, signals, on_info, on_message)
                    known = len(view.knowledge.remarks)
                    best = CHOOSERS[level](view, limits, chance, signals)
                    if on_remark is not None:
                        for remark in view.knowledge.remarks[known:]:
                            on_remark(remark)
                    if best not in moves:
                        best = chance.choice(moves)
            except Exception as error:  # noqa: BLE001 - a move must be found
                report_failure(error, on_message)
                moves = _allowed(view, limits)
                best = chance.choice(moves) if moves else None
            return Result(best, None, 0, 0, 0, signals.search.elapsed_ms, ())

        return think

    def close(self) -> None:
        """Stop, wait, and free the memory."""
        self.stop()
        self.wait()
        self.searcher.close()


def _allowed(view: PlayerView, limits: Limits) -> list[int]:
    """The moves that the limits allow."""
    moves = limits.root_moves or view.position.legal_moves()
    return [move for move in moves if move not in limits.excluded_moves]


def _forced(level: str, view: PlayerView, moves: list[int], chance: random.Random) -> int | None:
    """A move that needs no thought."""
    if len(moves) == 1:
        return chance.choice(moves)
    if level not in _LEAVE_FLAGS:
        captures = [move for move in flag_captures(view) if move in moves]
        if captures:
            return _least_captor(view, captures, chance)
    if view.quiet_loses and 0 < view.quiet_limit <= view.position.quiet + 1:
        attack = best_attack(view, chance)
        return attack if attack in moves else None
    return None


def _least_captor(view: PlayerView, captures: list[int], chance: random.Random) -> int:
    """One of the moves by the piece that is worth least: in a headquarters it can never move again."""
    types = dict(view.position.pieces(view.position.turn))
    worths = [WORTH[types[move >> 8]] for move in captures]
    return chance.choice([move for move, worth in zip(captures, worths) if worth == min(worths)])
