"""A Junqi engine that looks for the other lineups: python prying_junqi_engine.py REPORT FOLDER

At each `go` it reads every file in FOLDER, and what it can see of itself and the program that started it: open files,
command line and environment. It then passes. After the game, REPORT has the name of each source that held a lineup of
another seat, one a line.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

REPORT, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
LINEUP = re.compile(r"[1-9BMF.]{5}(?:/[1-9BMF.]{5}){5}")


def say(line: str) -> None:
    print(line, flush=True)


def sources() -> Iterator[Path]:
    """Every file that may be worth reading."""
    yield from FOLDER.rglob("*")
    for process in (os.getpid(), os.getppid()):
        about = Path(f"/proc/{process}")
        yield from (about / "cmdline", about / "environ")
        try:
            yield from (about / "fd").iterdir()
        except OSError:
            continue


def pry(found: dict[str, set[str]]) -> None:
    """Add each lineup that a file holds, with the names of these files."""
    for path in sources():
        try:
            # Only files: to read from a pipe would take lines away from somebody.
            text = path.read_text("utf-8", "replace") if stat.S_ISREG(path.stat().st_mode) else ""
        except OSError:
            continue
        for lineup in LINEUP.findall(text):
            found.setdefault(lineup, set()).add(str(path))


def main() -> None:
    found: dict[str, set[str]] = {}
    own: list[str] = []
    over = False
    for line in sys.stdin:
        words = line.split()
        if words[0] == "junqi":
            say("junqiok 1")
        elif words[0] == "newgame":
            own = words[words.index("seats") + 1].split(",")
            over = False
            REPORT.touch()
        elif words[0] == "go":
            pry(found)
            say(f"bestmove pass ply {words[2]}")
        elif words[0] == "gameover":
            over = True
        elif words[0] == "lineup" and over and words[1] not in own:
            with REPORT.open("a") as report:
                report.writelines(f"{source}\n" for source in sorted(found.get(words[2], ())))
        elif words[0] == "quit":
            return


main()
