"""`sanqi-train`: makes what sanqi plays with."""

from __future__ import annotations

import signal
import sys
from concurrent.futures import BrokenExecutor
from importlib import import_module

from game_core.command_parser import CommandParser
from search_core.child_process import ENDING_SIGNALS, interrupt_by_any_signal
from search_core.failures import failure_of

_COMMANDS = {
    "selfplay": ("sanqi_training.selfplay.command", "play games of the program against itself"),
    "samples": ("sanqi_training.nets.samples_command", "make samples of games: filtered, shuffled, split by opening"),
    "train": ("sanqi_training.nets.train_command", "learn a net from samples"),
}


def main() -> int:
    """Run a command of the command line. Its exit status: 0; 1 after Ctrl-C, which keeps what is done; 2 after an
    error, told on stderr."""
    interrupt_by_any_signal()
    parser = CommandParser(prog="sanqi-train", description="Make what sanqi plays with.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, purpose) in _COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name in sys.argv[1:2]:  # each needs other libraries
            import_module(module).add_arguments(command)
    args = parser.parse_args()
    try:
        import_module(_COMMANDS[args.command][0]).run(args)
    except KeyboardInterrupt:
        for number in ENDING_SIGNALS:  # a second Ctrl-C would interrupt the clean-up that Python does at its end
            signal.signal(number, signal.SIG_IGN)
        return 1
    except (OSError, ValueError, BrokenExecutor) as error:
        print(f"sanqi-train {args.command}: {failure_of(error)}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
