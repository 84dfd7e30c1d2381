"""`sanqi junqi-replay`: steps through a Junqi record."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from junqi_protocol.rules.messages import MAX_NUMBER
from search_core.failures import failure_of
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from junqi_protocol.rules.geometry import Variant

EXAMPLE = """\
example:
  sanqi junqi-replay games/game00001.jgr --seat 0

at the prompt: Enter for the next ply, or one of
  N           go to the position after ply N
  back        one ply back
  clash       go to the next ply with a clash
  start  end  go to the first or last position
  seat SEAT   show what this seat sees, or seats 0,2; all: all pieces
  legend      show what letters and signs mean
  quit  help
"""
_COMMANDS = EXAMPLE.split("\n\n")[1]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi junqi-replay`."""
    parser.epilog = EXAMPLE
    parser.add_argument("record", type=Path, metavar="RECORD", help="the game")
    parser.add_argument(
        "--ply", type=number_argument(0, MAX_NUMBER), default=0, metavar="N", help="begin after N plies (default 0)"
    )
    parser.add_argument("--seat", metavar="SEAT", help="show what this seat sees, or seats 0,2 (default: all pieces)")


def run(args: argparse.Namespace) -> int:
    """Step through a record. Returns the exit status: 0, or 2 for a wrong argument or record."""
    from junqi_protocol.records.records import RecordError
    from junqi_protocol.rules.messages import MessageError, seat_list
    from search_core.input_file import read_input

    try:
        stepper = Stepper(read_input(args.record))
        if args.ply > stepper.plies:
            raise RecordError(f"--ply {args.ply}: the game has {stepper.plies} plies")
        stepper.ply = args.ply
        stepper.seats = None if args.seat is None else seat_list(args.seat, stepper.variant)
    except (RecordError, MessageError) as error:
        print(f"sanqi junqi-replay: {args.record}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"sanqi junqi-replay: {failure_of(error)}", file=sys.stderr)
        return 2
    stepper.run()
    return 0


class Stepper:
    """A record, and the position in it that is shown.

    Attributes
    ----------
    ply : int
        How many plies have been played.
    seats : tuple of int or None
        Whose view is shown; None: all pieces.
    """

    def __init__(self, data: bytes) -> None:
        """Raises RecordError."""
        from junqi_protocol.records.records import Replay

        self._data = data
        self._whole = Replay(data).arbiter
        self.ply = 0
        self.seats: tuple[int, ...] | None = None

    @property
    def plies(self) -> int:
        """The plies of the game."""
        return len(self._whole.happenings)

    @property
    def variant(self) -> Variant:
        return self._whole.variant

    def run(self) -> None:
        """Obey the user until the end of the input."""
        from search_core.line_protocol import standard_input

        read = standard_input()
        self._show()
        while True:
            print(f"ply {self.ply} of {self.plies}> ", end="", flush=True)
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
        from junqi_protocol.records.display import names_legend
        from junqi_protocol.rules.messages import MessageError, seat_list
        from search_core.line_protocol import legible

        wanted = self.ply
        match words:
            case []:
                wanted += 1
            case ["back"]:
                wanted -= 1
            case ["start"]:
                wanted = 0
            case ["end"]:
                wanted = self.plies
            case ["clash"]:
                wanted = self._next_clash()
            case [number] if number.isascii() and number.isdecimal() and len(number) < 10:
                wanted = int(number)
            case ["seat", "all"]:
                self.seats = None
            case ["seat", seats]:
                try:
                    self.seats = seat_list(seats, self.variant)
                except MessageError as error:
                    return str(error)
            case ["legend"]:
                return "\n".join(names_legend())
            case ["help"]:
                return _COMMANDS.rstrip()
            case _:
                return f"{legible(' '.join(words))} is no command; type help for the commands"
        if not 0 <= wanted <= self.plies:
            return f"there is no ply {wanted}; the game has {self.plies}" if wanted > 0 else "this is the start"
        self.ply = wanted
        self._show()
        return ""

    def _next_clash(self) -> int:
        from junqi_protocol.rules.messages import Moved
        from junqi_protocol.rules.position import RESULTS

        for happening in self._whole.happenings[self.ply :]:
            if isinstance(happening, Moved) and RESULTS[happening.result] != "MOVE":
                return happening.ply
        return self.plies

    def _show(self) -> None:
        from junqi_protocol.records.records import Replay
        from junqi_protocol.records.show_command import print_position

        print_position(Replay(self._data, self.ply), self.seats)
