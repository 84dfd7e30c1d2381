"""How long a side may think: the limits of a match or of one engine, and the clock that runs in a game."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from search_core.line_protocol import excerpt

NODES_S = 600.0
"""A search limited by nodes has no clock; an engine that is silent for this long hangs."""

_TIME_CONTROL = re.compile(r"(?:(\d{1,3})/)?(\d{1,6}(?:\.\d{1,3})?)(?:\+(\d{1,4}(?:\.\d{1,3})?))?", re.ASCII)


class TimeControl(NamedTuple):
    """`base_ms` for a game, or for every `moves` moves (0: for the whole game), and `increment_ms` for each move."""

    base_ms: int
    increment_ms: int = 0
    moves: int = 0


def parse_time_control(text: str) -> TimeControl:
    """Read `60`, `60+0.5`, `40/60` or `40/60+0.5`, in seconds. Raises ValueError, which names the text."""
    match = _TIME_CONTROL.fullmatch(text)
    if match is None or float(match[2]) == 0 or (match[1] is not None and int(match[1]) == 0):
        raise ValueError(
            f"{excerpt(text)} is no time control; expected seconds, as in 60+0.5, or moves and seconds, as in 40/60"
        )
    return TimeControl(round(1000 * float(match[2])), round(1000 * float(match[3] or 0)), int(match[1] or 0))


@dataclass(frozen=True, slots=True)
class ThinkingLimit:
    """How long a side may think. 0: not limited in this way.

    With a clock: `movetime_ms` per move, or `match_ms` for all its moves in a game (or for every `period_moves` moves),
    plus `increment_ms` per move, or both; `margin_ms` is the tolerance. Without a clock: `nodes` or `depth` (plies) per
    move. `ponder`: it may think on the opponent's time.
    """

    movetime_ms: int = 0
    nodes: int = 0
    margin_ms: int = 0
    match_ms: int = 0
    increment_ms: int = 0
    depth: int = 0
    ponder: bool = False
    period_moves: int = 0

    def __str__(self) -> str:
        if self.nodes:
            return f"{self.nodes} nodes a move"
        if self.depth:
            return f"{self.depth} plies deep"
        whole = f"{self.match_ms / 1000:g}+{self.increment_ms / 1000:g} s" if self.match_ms else ""
        if whole:
            whole += f" for every {self.period_moves} moves" if self.period_moves else " a game"
        each = f"{self.movetime_ms} ms a move" if self.movetime_ms else ""
        return ", ".join(part for part in (each, whole, "pondering" if self.ponder else "") if part)

    @property
    def has_clock(self) -> bool:
        """Whether it is a limit of time."""
        return bool(self.movetime_ms or self.match_ms)

    def identity(self) -> dict[str, Any]:
        """The limit for JSON. `period_moves` is left out if 0, so files from before it existed stay valid."""
        values = {name: getattr(self, name) for name in self.__slots__}
        if not self.period_moves:
            del values["period_moves"]
        return values

    def pgn_text(self) -> str:
        """The value of PGN's TimeControl tag; '-' means no clock."""
        if self.match_ms:
            moves = f"{self.period_moves}/" if self.period_moves else ""
            increment = f"+{self.increment_ms / 1000:g}" if self.increment_ms else ""
            return f"{moves}{self.match_ms / 1000:g}{increment}"
        return f"1/{self.movetime_ms / 1000:g}" if self.movetime_ms else "-"

    def allowed_ms(self, clocks: Clocks | None) -> float:
        """Milliseconds after which a move is too late."""
        limits = [float(self.movetime_ms)] if self.movetime_ms else []
        if clocks is not None:
            limits.append(clocks.own.left_ms)
        return min(limits) + self.margin_ms if limits else NODES_S * 1000


class Clock:
    """One side's clock in one game. `left_ms` is negative if the side has used a part of the margin, which applies once
    per game, not per move. With periods, `moves_to_go` counts down to the next period; otherwise it is 0."""

    def __init__(self, limit: ThinkingLimit) -> None:
        self.left_ms = float(limit.match_ms)
        self.increment_ms = limit.increment_ms
        self.moves_to_go = limit.period_moves
        self._limit = limit

    def count(self, elapsed_ms: float) -> None:
        """Count a move of this side. Moves of the opening are not counted."""
        self.left_ms += self.increment_ms - elapsed_ms
        if self.moves_to_go:
            self.moves_to_go -= 1
            if not self.moves_to_go:
                self.left_ms += self._limit.match_ms
                self.moves_to_go = self._limit.period_moves


class Clocks(NamedTuple):
    """The clock of the side to move, and the opponent's (None: no clock). `side` is the side to move, 0 or 1."""

    own: Clock
    other: Clock | None
    side: int = 0
