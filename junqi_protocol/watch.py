"""A game drawn in the terminal while it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from junqi_protocol.display import SEAT_STYLES, board_lines, happening_text
from junqi_protocol.messages import Moved
from junqi_protocol.referee import Spectator

if TYPE_CHECKING:
    from junqi_protocol.arbiter import Arbiter
    from junqi_protocol.messages import Happening


class Watch(Spectator):
    """Shows the board, the seats with their clocks, and the last plies.

    Parameters
    ----------
    seats : tuple of int or None
        Show what a player of these seats sees; None: everything.
    """

    def __init__(self, seats: tuple[int, ...] | None, see: str = "own") -> None:
        self._seats = seats
        self._see = see
        self._arbiter: Arbiter | None = None
        self._live = Live(console=Console(highlight=False), auto_refresh=False)
        self._plies: list[Text] = []

    def begins_again(self, number: int) -> None:
        self._live.console.print(f"game {number}: its record ends before the start; beginning it again")

    def begun(self, number: int, arbiter: Arbiter) -> None:
        self._arbiter = arbiter
        self._plies = []
        self._live.start()
        self._show()

    def happened(self, happening: Happening) -> None:
        assert self._arbiter is not None
        line = f"{happening.ply}. {happening.seat}: {happening_text(self._arbiter.variant, happening)}"
        self._plies = [*self._plies[-4:], Text(line, style=SEAT_STYLES[happening.seat])]
        self._show()

    def over(self, number: int, arbiter: Arbiter) -> None:
        self._plies.append(Text(f"game {number}: {arbiter.outcome}", style="bold"))
        self._show()
        self._live.stop()

    def _show(self) -> None:
        arbiter = self._arbiter
        assert arbiter is not None
        last = arbiter.happenings[-1] if arbiter.happenings else None
        marked = (last.move >> 8, last.move & 255) if isinstance(last, Moved) else ()
        board = board_lines(arbiter.variant, arbiter.view(self._seats, self._see), marked)
        self._live.update(Group(*board, self._seat_table(arbiter), *self._plies), refresh=True)

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
