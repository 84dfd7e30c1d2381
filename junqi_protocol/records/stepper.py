"""The positions of a Junqi record in the terminal: one of them, or one after the other as the user asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junqi_protocol.records.display import board_lines, last_points, names_legend, ply_text
from junqi_protocol.records.records import Replay
from junqi_protocol.rules.messages import MessageError, Moved, seat_list
from junqi_protocol.rules.position import RESULTS
from search_core.line_protocol import legible, standard_input

if TYPE_CHECKING:
    from junqi_protocol.rules.arbiter import Arbiter

COMMANDS = """\
at the prompt: Enter for the next ply, or one of
  N           go to the position after ply N
  back        one ply back
  clash       go to the next ply with a clash
  start  end  go to the first or last position
  seat SEAT   show what this seat sees, or seats 0,2; all: all pieces
  legend      show what letters and signs mean
  quit  help
"""


def title(arbiter: Arbiter) -> str:
    """What position it is."""
    state = f"gameover {arbiter.outcome}" if arbiter.outcome else f"seat {arbiter.turn} on turn"
    return f"{arbiter.variant.name}, after ply {len(arbiter.happenings)}: {state}"


def print_position(arbiter: Arbiter, seats: tuple[int, ...] | None) -> None:
    """Print the position that a game has come to, as a player of these seats sees it; None: with all pieces."""
    from rich.console import Console

    console = Console(highlight=False)
    last = arbiter.happenings[-1:]
    for line in board_lines(arbiter.variant, arbiter.view(seats), last_points(last)):
        console.print(line)
    for happening in last:
        console.print(ply_text(arbiter.variant, happening))
    console.print(title(arbiter))


class Stepper:
    """A record, the game in it, and the position that is shown: after `ply` plies, as `seats` see it."""

    def __init__(self, data: bytes, whole: Arbiter, ply: int, seats: tuple[int, ...] | None) -> None:
        self._data = data
        self._whole = whole
        self._plies = len(whole.happenings)
        self._ply = ply
        self._seats = seats

    def run(self) -> None:
        """Obey the user until the end of the input."""
        read = standard_input()
        self._show()
        while True:
            print(f"ply {self._ply} of {self._plies}> ", end="", flush=True)
            line = read()
            if line is None:
                print()
                return
            words = line.lower().split()
            if words == ["quit"]:
                return
            complaint = self._obey(words)
            if complaint:
                print(complaint)

    def _obey(self, words: list[str]) -> str:
        """Carry out one line; returns what to say if it cannot be done, or instead of a board."""
        wanted = self._ply
        match words:
            case []:
                wanted += 1
            case ["back"]:
                wanted -= 1
            case ["start"]:
                wanted = 0
            case ["end"]:
                wanted = self._plies
            case ["clash"]:
                wanted = self._next_clash()
            case [number] if number.isascii() and number.isdecimal() and len(number) < 10:
                wanted = int(number)
            case ["seat", "all"]:
                self._seats = None
            case ["seat", seats]:
                try:
                    self._seats = seat_list(seats, self._whole.variant)
                except MessageError as error:
                    return str(error)
            case ["legend"]:
                return "\n".join(names_legend())
            case ["help"]:
                return COMMANDS.rstrip()
            case _:
                return f"{legible(' '.join(words))} is no command; type help for the commands"
        if not 0 <= wanted <= self._plies:
            return f"there is no ply {wanted}; the game has {self._plies}" if wanted > 0 else "this is the start"
        self._ply = wanted
        self._show()
        return ""

    def _next_clash(self) -> int:
        for happening in self._whole.happenings[self._ply :]:
            if isinstance(happening, Moved) and RESULTS[happening.result] != "MOVE":
                return happening.ply
        return self._plies

    def _show(self) -> None:
        print_position(Replay(self._data, self._ply).arbiter, self._seats)
