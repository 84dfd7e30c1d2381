"""A game drawn in the terminal while it is played."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from junqi_protocol.records.display import SEAT_STYLES, board_lines, happening_text, last_points
from junqi_protocol.referee.referee import Spectator
from junqi_protocol.referee.typed_lines import TypedLines

if TYPE_CHECKING:
    from junqi_protocol.rules.arbiter import Arbiter
    from junqi_protocol.rules.messages import Happening

_ALL = 1 << 60


class Watch(Spectator):
    """Shows the board, the seats with their clocks, and the last plies.

    Parameters
    ----------
    seats : tuple of int or None
        Show what a player of these seats sees; None: everything.
    delay_ms : int
        Time between two plies.
    step : bool
        Whether each ply waits until the user presses Enter.
    """

    _arbiter: Arbiter

    def __init__(self, seats: tuple[int, ...] | None, see: str = "own", delay_ms: int = 0, step: bool = False) -> None:
        self._seats = seats
        self._see = see
        self._delay_ms = delay_ms
        self._typed = TypedLines() if step else None
        self._steps = 0
        """Plies that do not wait for the user."""
        self._console = Console(highlight=False)
        # Lines that the user types would be in the way of a live display.
        self._live = None if step else Live(console=self._console, auto_refresh=False)
        self._plies: list[Text] = []

    def begins_again(self, number: int) -> None:
        self._console.print(f"game {number}: its record ends before the start; beginning it again")

    def begun(self, number: int, arbiter: Arbiter) -> None:
        self._arbiter = arbiter
        self._plies = []
        if self._live is not None:
            self._live.start()
        self._show()

    def happened(self, happening: Happening) -> None:
        line = f"{happening.ply}. {happening.seat}: {happening_text(self._arbiter.variant, happening)}"
        self._plies = [*self._plies[-4:], Text(line, style=SEAT_STYLES[happening.seat])]
        self._show()

    def over(self, number: int, arbiter: Arbiter) -> None:
        self._plies.append(Text(f"game {number}: {arbiter.outcome}", style="bold"))
        self._show()
        if self._live is not None:
            self._live.stop()

    async def pause(self) -> None:
        if self._arbiter.outcome is not None:
            return
        await asyncio.sleep(self._delay_ms / 1000)
        if self._typed is None:
            return
        self._typed.begin()
        if self._steps > 0:
            self._steps -= 1
            return
        self._console.print("Enter: next ply, N: next N plies, all: to the end> ", end="", markup=False)
        line = await self._typed.next()
        word = "all" if line is None or line.strip().lower() == "all" else line.strip()
        self._steps = _ALL if word == "all" else int(word) - 1 if word.isdecimal() and len(word) < 9 else 0

    def _show(self) -> None:
        arbiter = self._arbiter
        marked = last_points(arbiter.happenings[-1:])
        board = board_lines(arbiter.variant, arbiter.view(self._seats, self._see), marked)
        picture = Group(*board, self._seat_table(arbiter), *self._plies)
        if self._live is not None:
            self._live.update(picture, refresh=True)
        else:
            self._console.print(picture)

    @staticmethod
    def _seat_table(arbiter: Arbiter) -> Table:
        table = Table.grid(padding=(0, 2))
        for seat in range(arbiter.variant.seats):
            alive = seat in arbiter.position.living
            cells: list[Text | ProgressBar] = [
                Text(("* " if alive and seat == arbiter.turn else "  ") + f"seat {seat}", style=SEAT_STYLES[seat]),
                Text(f"{len(arbiter.position.pieces(seat))} pieces" if alive else "out"),
            ]
            if arbiter.clocks is not None:
                cells.append(ProgressBar(total=arbiter.terms.clock, completed=arbiter.clocks[seat], width=30))
                cells.append(Text(f"{arbiter.clocks[seat] / 1000:.1f} s"))
            table.add_row(*cells)
        return table
