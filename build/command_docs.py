"""Writes sanqi's man page and its completions for bash, zsh and tcsh: command_docs.py FOLDER

setup.py runs it at the end of a build. It needs shtab, but none of sanqi's run-time dependencies.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import shtab

from game_core.command_parser import CommandParser
from sanqi.cli import COMMAND_NAMES, command_line
from search_core.version import __version__

COMPLETIONS = {"bash": "sanqi", "zsh": "_sanqi", "tcsh": "sanqi.csh"}
FILES = {"FILE", "PATH", "LOG", "RECORD", "IN", "OUT", "CMD"}
FOLDERS = {"DIR"}
"""Metavars of arguments that take a file or a folder."""


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["COLUMNS"] = "76"  # the man page's lines are indented
    parser = command_line(COMMAND_NAMES)
    write(folder / "sanqi.1", "\n".join(man_page(parser)) + "\n")
    mark_files(parser)
    for shell, name in COMPLETIONS.items():
        write(folder / name, shtab.complete(parser, shell))
    return 0


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def man_page(parser: CommandParser) -> Iterator[str]:
    """The lines of the page, with the unchanged help of each command."""
    purpose = "engine for Xiangqi, Gomoku and Junqi"
    yield f'.TH SANQI 1 "" "sanqi {__version__}" "User Commands"'
    yield from (".SH NAME", rf"sanqi \- {purpose}")
    yield from (".SH SYNOPSIS", ".B sanqi", r"[\-h] [\-V] [COMMAND ...]")
    yield from (".SH DESCRIPTION", roff(parser.description or ""))
    yield ".SH COMMANDS"
    for command in commands(parser):
        yield f".SS {roff(command.prog)}"
        yield from verbatim(command.format_help())
    yield from (".SH EXAMPLES AND ENVIRONMENT", *verbatim(parser.epilog or ""))


def commands(parser: CommandParser) -> Iterator[CommandParser]:
    for command in parser.commands.values():
        yield command
        yield from commands(command)


def verbatim(text: str) -> Iterator[str]:
    yield ".nf"
    yield from map(roff, text.rstrip().splitlines())
    yield ".fi"


def roff(line: str) -> str:
    """A line of text, escaped for roff: a dot or quote at its beginning, backslashes and hyphens become literal."""
    escaped = line.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped[:1] in (".", "'") else escaped


def mark_files(parser: CommandParser) -> None:
    """Mark the arguments that are files or folders, for completion."""
    for action in parser._actions:
        names = {action.metavar} if isinstance(action.metavar, str) else set()
        if names & FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif names & FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    for command in parser.commands.values():
        mark_files(command)


if __name__ == "__main__":
    sys.exit(main())
