"""`sanqi-train`: makes what sanqi plays with."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

_COMMANDS = {
    "selfplay": ("sanqi_training.selfplay.command", "play games of the program against itself"),
    "samples": ("sanqi_training.nets.samples_command", "make samples of games: filtered, shuffled, split by opening"),
    "train": ("sanqi_training.nets.train_command", "learn a net from samples"),
}


def main() -> int:
    """Run a command of the command line; its exit status."""
    parser = argparse.ArgumentParser(prog="sanqi-train", description="Make what sanqi plays with.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module, purpose) in _COMMANDS.items():
        import_module(module).add_arguments(commands.add_parser(name, help=purpose, description=purpose))
    args = parser.parse_args()
    status: int = import_module(_COMMANDS[args.command][0]).run(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
