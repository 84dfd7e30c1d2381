"""The command line of `sanqi`. Each command imports what it needs when it runs."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from game_core.background import INTERRUPTED
from game_core.command_parser import CommandParser
from game_core.description import CommandDescription, ProtocolDescription
from game_core.games import GamesWith
from sanqi.registry import COMMANDS, GAMES, SHORT_COMMANDS
from search_core.failures import failure_of
from search_core.line_protocol import printable, series
from search_core.parts import load_part
from search_core.version import __version__
from search_core.whole_file import NamedFile

_NEGATIVE = re.compile(r"-\.?\d")
_OPTION = re.compile(r"--[^=]+")
_EXAMPLES = """\
examples (play a game; add the engine to a GUI; let it search over UCCI):
  sanqi play {game}
  sanqi setup xboard
  printf 'ucci\\nsetoption batch true\\nposition startpos\\ngo depth 8\\n' | sanqi

environment:
  SANQI_LOG=FILE   append everything that host and engine say to FILE
"""
_VERSION = f"sanqi {__version__}"


_Commands: TypeAlias = "argparse._SubParsersAction[CommandParser]"


COMMAND_NAMES = frozenset(
    (*(command.name for command in COMMANDS), *(name for game in GAMES.values() for name in game.command_names()))
)
"""The commands of the built-in games, and those for all games: they have their options only where they are wanted."""


def _joined(words: Sequence[str]) -> list[str]:
    """The words of a command line, a value such as `-5,0` joined to the option before it: argparse would take it for
    an option itself."""
    joined: list[str] = []
    for word in words:
        if _NEGATIVE.match(word) and joined and _OPTION.fullmatch(joined[-1]):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def run(arguments: list[str]) -> int:
    """Obey the arguments; returns the exit status: 0, 2 for wrong input or lost output, 130 when interrupted."""
    if sys.stdout is None:
        print("sanqi: standard output is closed", file=sys.stderr)
        return 2
    _name_output()
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()  # here, since at exit Python could only complain
    except BrokenPipeError:
        _drop_output()  # nobody reads it
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except MemoryError:
        print("sanqi: not enough memory", file=sys.stderr)
        return 2
    except OSError as error:
        _drop_output()
        if sys.platform == "win32" and error.errno == errno.EINVAL and error.filename in (None, "standard output"):
            return 0  # so it says there that nobody reads
        with contextlib.suppress(OSError):
            print(f"sanqi: {printable(failure_of(error))}", file=sys.stderr)
        return 2


def _name_output() -> None:
    """Let the errors of the standard output name it, so that other errors are not taken for its own."""
    out = sys.stdout
    if type(out) is not io.TextIOWrapper or type(getattr(out.buffer, "raw", out.buffer)) is not io.FileIO:
        return  # a console of Windows, or none of ours
    raw = NamedFile(out.fileno(), "standard output", closefd=False)
    buffer = io.BufferedWriter(raw) if hasattr(out.buffer, "raw") else raw  # PYTHONUNBUFFERED has none
    sys.stdout = io.TextIOWrapper(
        buffer, out.encoding, out.errors, line_buffering=out.line_buffering, write_through=out.write_through
    )


def _drop_output() -> None:
    """Throw away what is still buffered for the standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a console that cannot show Chinese must not end us
    named = next((word for word in arguments[1:] if not word.startswith("-")), "")
    if arguments[:1] == ["play"] and named:
        GAMES.get(named)  # if it is an installed one, it is listed from here on
    for command in (command for game in GAMES.values() for command in game.commands):
        if arguments[:1] and arguments[0] in command.old_names:
            action = command.old_names[arguments[0]]
            print(f"sanqi: {arguments[0]} is called {command.name} {action} now", file=sys.stderr)
            arguments = [command.name, action, *arguments[1:]]
    args = command_line(arguments[:1], named).parse_args(_joined(arguments))
    if args.command is None:
        return _serve(argparse.Namespace(protocol=None))
    status: int = args.run(args)
    return status


def command_line(wanted: Iterable[str], named: str | None = None) -> CommandParser:
    """The parser of the program; of commands that are not `wanted` it may know only the name. `named`: the game on the
    command line, the only one that `play` knows more of than the name; None: it knows all games."""
    wanted = frozenset(wanted)
    if any(not name.startswith("-") for name in wanted.difference(COMMAND_NAMES, SHORT_COMMANDS)):
        GAMES.read_installed()
    parser = CommandParser(prog="sanqi", description=_description(), epilog=_EXAMPLES.format(game=next(iter(GAMES))))
    parser.add_argument("-V", "--version", action="version", version=_VERSION, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for game in GAMES.values():
        for protocol in game.protocols:
            _add_protocol(commands, protocol, protocol.name in wanted)
    for command in (*COMMANDS, *(command for game in GAMES.values() for command in game.commands)):
        _add(commands, command, command.name in wanted, named)
    commands.add_parser("match-worker").set_defaults(run=_work_for_match)  # of the bundle; nothing for a user
    purpose = "print the version"
    version = commands.add_parser("version", help=purpose, description=_sentence(purpose))
    version.epilog = "example:\n  sanqi version"
    version.set_defaults(run=_version)
    return parser


def _description() -> str:
    games = "; ".join(
        f"{game.title}, over {series((each.title for each in game.protocols), 'and')}" for game in GAMES.values()
    )
    return f"An engine for board games: {games}. Without a command it detects the protocol from the first line."


def _sentence(purpose: str) -> str:
    return purpose[0].upper() + purpose[1:] + "."


def _add(commands: _Commands, command: CommandDescription, is_wanted: bool, named: str | None) -> None:
    parser = commands.add_parser(command.name, help=command.purpose, description=_sentence(command.purpose))
    if is_wanted:
        module = load_part(command.module)
        module.add_arguments(parser, *([GamesWith(GAMES, command.part, named)] if command.part else []))
        parser.set_defaults(run=module.run)


def _add_protocol(commands: _Commands, protocol: ProtocolDescription, is_wanted: bool) -> None:
    purpose = f"speak {protocol.title} only, without detecting it"
    parser = commands.add_parser(protocol.name, help=purpose, description=_sentence(purpose))
    examples = "\n".join(f"  {line}" for line in (protocol.example or f"sanqi {protocol.name}").splitlines())
    parser.epilog = f"example:\n{examples}"
    parser.set_defaults(run=_serve, protocol=protocol)
    if protocol.options and is_wanted:
        module = load_part(protocol.options)
        module.add_arguments(parser)
        parser.set_defaults(run=module.run)


def _serve(args: argparse.Namespace) -> int:
    from sanqi.detect import serve

    return serve(args.protocol)


def _version(args: argparse.Namespace) -> int:
    print(_VERSION)
    return 0


def _work_for_match(args: argparse.Namespace) -> int:
    from match_runner.worker import main

    return main()
