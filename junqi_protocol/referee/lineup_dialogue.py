"""A person chooses a lineup in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from game_core.display import encodable
from junqi_protocol.records.display import NAMES
from junqi_protocol.rules import lineup
from junqi_protocol.rules.lineup import LineupError
from search_core.failures import failure_of
from search_core.line_protocol import OverlongLine, legible, printable
from search_core.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

HELP = """\
choose your lineup: press Enter to take it, or type one of
  draw          draw another one
  swap A1 B2    exchange two points; a column A to E and a row, 1 is the front
  load FILE     read one from a .jql file, or from a file with one lineup a line
  save FILE     write it to a new .jql file
  a lineup      as 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21, front row first
  help  quit
"""
_COLUMNS = "abcde"


def choose(read: Callable[[], str | None], console: Console, draw: Callable[[], str]) -> str:
    """The lineup that the person has chosen, in the end or at the end of the input. `draw` proposes one. Raises
    EOFError if the person quits."""
    chosen = draw()
    console.print(HELP, end="", markup=False)
    while True:
        _show(chosen, console)
        console.print("lineup> ", end="")
        line = read()
        if line is None or not line.strip():
            return chosen
        if line.strip().lower() == "quit":
            raise EOFError
        if line.strip().lower() == "help":
            console.print(HELP, end="", markup=False)
            continue
        try:
            chosen = _obey(line, chosen, draw)
        except (LineupError, OSError) as error:
            console.print(printable(failure_of(error)), style="red", markup=False)


def _obey(line: str, chosen: str, draw: Callable[[], str]) -> str:
    """The lineup after one line of the person. Raises LineupError or OSError."""
    if isinstance(line, OverlongLine):
        raise LineupError(line.fault)
    word, _, rest = line.strip().partition(" ")
    match word.lower():
        case "draw":
            return draw()
        case "swap":
            return _swap(chosen, rest.split())
        case "load" | "save" if not rest.strip():
            raise LineupError(f"{word.lower()} which file?")
        case "load":
            return lineup.from_file(Path(rest.strip()))[0]
        case "save":
            write_whole(rest.strip(), lineup.to_jql(chosen))
            return chosen
        case _:
            return lineup.parse(line.strip())


def _swap(chosen: str, names: list[str]) -> str:
    points = []
    for name in names:
        column, row = _COLUMNS.find(name[:1].lower()), name[1:]
        if column < 0 or row not in tuple("123456"):
            raise LineupError(f"{legible(name)} is no point, expected A1 to E6")
        points.append(5 * (int(row) - 1) + column)
    if len(points) != 2:
        raise LineupError("swap which points? expected two, such as swap A2 C6")
    letters = list(chosen)
    letters[points[0]], letters[points[1]] = letters[points[1]], letters[points[0]]
    swapped = "".join(letters)
    lineup.check(swapped)
    return swapped


def _show(chosen: str, console: Console) -> None:
    console.print(Text("    " + "".join(f"{column:<8}" for column in _COLUMNS.upper()), style="dim"))
    for row in range(6):
        cells = [f"{letter} {encodable(NAMES.get(letter, '')) or '    '}" for letter in chosen[5 * row : 5 * row + 5]]
        console.print(Text(f"{row + 1:>2}  " + "  ".join(cells)))
    console.print(Text(lineup.text(chosen), style="dim"))
