"""The command line of `sanqi`. Each command imports what it needs when it runs."""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Sequence

from gomoku_protocol.settings import FULL, LEVELS, STYLES, WEIGHTS
from junqi_protocol.levels import LEVELS as JUNQI_LEVELS
from sanqi.command_parser import CommandParser
from search_core.line_protocol import printable
from search_core.number_argument import number_argument
from search_core.version import __version__
from ucci_engine.adapter import DEFAULT_HASH_MB, LARGEST_HASH_MB, LARGEST_THREADS
from ucci_engine.perft import LARGEST_DEPTH, Perft
from ucci_engine.points import START_FEN, move_text

_NEGATIVE = re.compile(r"-\.?\d")
_OPTION = re.compile(r"--[^=]+")
_INTERRUPTED = 130  # the exit status of a program ended by Ctrl-C

_DESCRIPTION = (
    "An engine for Xiangqi (象棋) over UCCI and UCI, for Gomoku (五子棋) over the Gomocup protocol, and for Junqi"
    " (军棋) over a line protocol of its own and that of the Chinese university contest, with a referee for Junqi."
    " Without a command it detects the protocol from the first line."
)
_EXAMPLES = """\
examples (play a game; add the engine to a GUI; let it search over UCCI):
  sanqi play xiangqi
  sanqi setup xboard
  printf 'ucci\\nsetoption batch true\\nposition startpos\\ngo depth 8\\n' | sanqi

environment:
  SANQI_LOG=FILE   append everything that host and engine say to FILE
"""
_PROTOCOL_EXAMPLES = {
    "ucci": "(printf 'ucci\\nposition startpos\\ngo depth 8\\n'; sleep 2) | sanqi ucci",
    "uci": "(printf 'position startpos moves h2e2\\ngo depth 8\\n'; sleep 2) | sanqi uci",
}


_VERSION = f"sanqi {__version__}"
_ELSEWHERE = {
    "match": ("play games between engines", "match_runner.command"),
    "play": ("play against the engine in the terminal", "sanqi.play"),
    "convert": ("convert Gomoku game records between psq, SGF and hexadecimal", "sanqi.convert"),
    "referee": ("referee games of Junqi", "sanqi.referee"),
    "junqi-udp": ("play two seats of Junqi in the GUI of pfysw/JunQi", "sanqi.junqi_udp"),
    "junqi-verify": ("check Junqi game records", "sanqi.junqi_verify"),
    "junqi-show": ("draw a position of a Junqi game record", "sanqi.junqi_show"),
    "setup": ("show how to add sanqi to a GUI or tournament manager", "sanqi.setup_host"),
    "doctor": ("check an engine against the habits of real GUIs and hosts", "engine_doctor.command"),
    "replay": ("send a logged dialogue to an engine again", "engine_doctor.replay"),
}
"""Commands whose module declares their arguments: their purpose and their module."""
COMMANDS = frozenset(_ELSEWHERE)


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
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()  # here, since at exit Python could only complain
    except BrokenPipeError:
        _drop_output()  # nobody reads it
        return 0
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        _drop_output()
        if sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None:
            return 0  # so it says there that nobody reads
        where = "standard output" if error.filename is None else printable(str(error.filename))
        with contextlib.suppress(OSError):
            print(f"sanqi: {where}: {error.strerror or error}", file=sys.stderr)
        return 2


def _drop_output() -> None:
    """Throw away what is still buffered for the standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a console that cannot show Chinese must not end us
    args = command_line(arguments[:1]).parse_args(_joined(arguments))
    if args.command is None:
        return _serve(argparse.Namespace(protocol=None))
    status: int = args.run(args)
    return status


def command_line(wanted: Iterable[str]) -> CommandParser:
    """The parser of the program; of commands that are not `wanted` it may know only the name."""
    parser = CommandParser(prog="sanqi", description=_DESCRIPTION, epilog=_EXAMPLES)
    parser.add_argument("-V", "--version", action="version", version=_VERSION, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for name, example in _PROTOCOL_EXAMPLES.items():
        command = _add(commands, name, f"speak {name.upper()} only, without detecting the protocol", example)
        command.set_defaults(run=_serve, protocol=name)
    _add_gomocup(commands)
    _add_junqi(commands)
    _add_contest(commands)
    _add_bench(commands)
    _add_perft(commands)
    _add_eval(commands)
    commands.add_parser("match-worker").set_defaults(run=_work_for_match)  # of the bundle; nothing for a user
    for name, (purpose, module) in _ELSEWHERE.items():
        _add_elsewhere(commands, name, purpose, module if name in wanted else None)
    _add(commands, "version", "print the version", "sanqi version").set_defaults(run=_version)
    return parser


def _add(
    commands: argparse._SubParsersAction[CommandParser], name: str, purpose: str, examples: str
) -> argparse.ArgumentParser:
    """A command; `examples` are its lines in the help, one each."""
    return commands.add_parser(name, help=purpose, description=_sentence(purpose), epilog=f"example:\n  {examples}")


def _sentence(purpose: str) -> str:
    return purpose[0].upper() + purpose[1:] + "."


def _add_gomocup(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _add(
        commands,
        "gomocup",
        "speak the Gomocup protocol only, without detecting it",
        "printf 'START 15\\nBEGIN\\n' | sanqi gomocup --style aggressive",
    )
    parser.add_argument("--level", choices=LEVELS, help=f"the search ({FULL}) or points without look-ahead ({WEIGHTS})")
    parser.add_argument("--style", choices=STYLES, help="how much attack and defence weigh")
    parser.set_defaults(run=_serve_gomocup)


def _add_junqi(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _add(
        commands,
        "junqi",
        "speak the Junqi line protocol only, without detecting it",
        "sanqi junqi --level events\n  sanqi junqi --connect 127.0.0.1:7000 --secret-env SECRET",
    )
    _add_junqi_level(parser)
    parser.add_argument("--connect", metavar="HOST:PORT", help="play for a referee that listens there")
    secrets = parser.add_mutually_exclusive_group()
    secrets.add_argument(
        "--secret",
        metavar="S",
        help="what the referee admits this player by, seen by all users of this machine; '-': the first line of stdin",
    )
    secrets.add_argument("--secret-env", metavar="NAME", help="the environment variable that holds the secret")
    parser.set_defaults(run=_serve_junqi)


def _add_contest(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _add(
        commands,
        "contest",
        "speak the Junqi protocol of the Chinese university contest",
        "printf 'INFO 1.0\\nSTART 0 1800 31\\nGO 0000 0 00\\nEND 1\\n' | sanqi contest",
    )
    _add_junqi_level(parser)
    parser.set_defaults(run=_serve_contest)


def _add_junqi_level(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--level", choices=JUNQI_LEVELS, default=JUNQI_LEVELS[0], help="who plays (default %(default)s)"
    )


def _add_bench(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _add(
        commands,
        "bench",
        "search fixed positions; print time, nodes, nodes/s and signature",
        "sanqi bench xiangqi --depth 8",
    )
    parser.add_argument("game", choices=["xiangqi", "gomoku"], help="the game to search")
    parser.add_argument(
        "--depth", type=number_argument(1, 127), metavar="N", help="plies (default: that of the signature)"
    )
    parser.add_argument(
        "--threads", type=number_argument(1, LARGEST_THREADS), default=1, metavar="N", help="search threads (default 1)"
    )
    parser.add_argument(
        "--hash",
        type=number_argument(1, LARGEST_HASH_MB),
        default=DEFAULT_HASH_MB,
        metavar="MB",
        help=f"table size (default {DEFAULT_HASH_MB})",
    )
    parser.set_defaults(run=_bench)


def _add_perft(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _add(commands, "perft", "count the leaves of the move tree", "sanqi perft 4 --divide")
    parser.add_argument("depth", type=number_argument(1, LARGEST_DEPTH), metavar="N", help="plies")
    parser.add_argument("--fen", default=START_FEN, help="the position (default: the start of a game)")
    parser.add_argument("--divide", action="store_true", help="also print the count below each move")
    parser.set_defaults(run=_perft)


def _add_eval(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _add(
        commands,
        "eval",
        "print every term of the static evaluation, per side",
        'sanqi eval --fen "3k5/9/9/4p4/9/9/9/9/4R4/4K4 w"',
    )
    parser.add_argument("--fen", default=START_FEN, help="the position (default: the start of a game)")
    parser.set_defaults(run=_eval)


def _add_elsewhere(
    commands: argparse._SubParsersAction[CommandParser], name: str, purpose: str, module: str | None
) -> None:
    """A command that is in a module of its own, which is imported only where it is wanted."""
    parser = commands.add_parser(name, help=purpose, description=_sentence(purpose))
    if module is not None:
        command = importlib.import_module(module)
        command.add_arguments(parser)
        parser.set_defaults(run=command.run)


def _version(args: argparse.Namespace) -> int:
    print(_VERSION)
    return 0


def _serve(args: argparse.Namespace) -> int:
    from sanqi.detect import serve

    return serve(args.protocol)


def _serve_gomocup(args: argparse.Namespace) -> int:
    from sanqi.detect import serve

    wishes = {"level": args.level, "style": args.style}
    return serve("gomocup", preset=tuple(f"INFO {key} {value}" for key, value in wishes.items() if value is not None))


def _serve_junqi(args: argparse.Namespace) -> int:
    from sanqi.junqi import serve_junqi

    return serve_junqi(args.level, args.connect, args.secret, args.secret_env)


def _serve_contest(args: argparse.Namespace) -> int:
    from junqi_protocol.contest import ContestProtocol
    from sanqi.detect import on_standard_channel

    return on_standard_channel(lambda channel: ContestProtocol(channel, args.level).run())


def _work_for_match(args: argparse.Namespace) -> int:
    from match_runner.worker import main

    return main()


def _bench(args: argparse.Namespace) -> int:
    from search_core.bench import Bench

    package = {"xiangqi": "ucci_engine", "gomoku": "gomoku_protocol"}[args.game]
    bench: Bench = importlib.import_module(f"{package}.bench").bench(args.depth, args.threads, args.hash)

    def work() -> int:
        result = bench.run()
        if result is not None:
            print("\n".join(result.lines()))
        return 0

    return _in_background(work, bench.cancel)


def _perft(args: argparse.Namespace) -> int:
    from ucci_engine.position import FenError, Position

    try:
        perft = Perft(Position(args.fen), args.depth)
    except FenError as error:
        return _refuse_fen("perft", error)

    def work() -> int:
        total = 0
        for move, count in perft.divide():
            total += count
            if args.divide:
                print(f"{move_text(move)}: {count}", flush=True)
        if not perft.cancelled:
            print(f"total: {total}" if args.divide else total)
        return 0

    return _in_background(work, perft.cancel)


def _eval(args: argparse.Namespace) -> int:
    from ucci_engine.display import evaluation_lines
    from ucci_engine.position import FenError, Position

    try:
        position = Position(args.fen)
    except FenError as error:
        return _refuse_fen("eval", error)
    print("\n".join(evaluation_lines(position)))
    return 0


def _refuse_fen(command: str, error: ValueError) -> int:
    print(f"sanqi {command}: --fen: {error}", file=sys.stderr)
    return 2


def _in_background(work: Callable[[], int], cancel: Callable[[], None]) -> int:
    """Do `work` on another thread, so that Ctrl-C is heard at once; returns its status, 130 when interrupted."""
    outcome: list[int | BaseException] = []

    def catch() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again on the main thread
            outcome.append(error)

    thread = threading.Thread(target=catch, name="command", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.2)  # a wait without end cannot be interrupted on Windows
    except KeyboardInterrupt:
        cancel()
        thread.join()
        return _INTERRUPTED
    [result] = outcome
    if isinstance(result, BaseException):
        raise result
    return result
