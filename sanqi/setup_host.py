"""`sanqi setup`: the command, file or menu entry by which a host takes up this program."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

EXAMPLE = """\
example:
  sanqi setup xboard
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi setup`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLE
    parser.add_argument("host", choices=HOSTS, metavar="HOST", help=", ".join(HOSTS))


def run(args: argparse.Namespace) -> int:
    """Print what the user has to do. Returns the exit status, 0."""
    print(HOSTS[args.host](program()))
    return 0


def program() -> Path:
    """The file that a host has to start: the bundle's executable, or the installed script."""
    return Path(sys.executable if getattr(sys, "frozen", False) else sys.argv[0]).resolve()


def _xboard(path: Path) -> str:
    engine = shlex.quote(f"uci2wb -x {path}")
    return (
        f"xboard -variant xiangqi -fcp {engine}\n"
        "# uci2wb turns XBoard's protocol into UCCI; with -c in place of -x into UCI."
    )


def _tchess(path: Path) -> str:
    return f"TCHESS: in its list of engines (引擎管理) add this file; UCCI and UCI both do:\n{path}"


def _xqwizard(path: Path) -> str:
    return f"XQWizard: choose this file as the UCCI engine:\n{path}"


def _piskvork(path: Path) -> str:
    brain = path.with_name("pbrain-sanqi64" + path.suffix)
    return (
        f"Piskvork takes programs whose name begins with pbrain-: {_copied(path, brain)}\n"
        "then Players -> Settings, and choose this file for a player:\n"
        f"{brain}"
    )


def _copied(path: Path, brain: Path) -> str:
    if brain.exists():
        return f"{brain.name} is there already,"
    command = "copy" if sys.platform == "win32" else "cp"
    return f"copy the program beside itself under that name,\n{shlex.join((command, str(path), str(brain)))}"


def _c_gomoku_cli(path: Path) -> str:
    return shlex.join(
        (
            "c-gomoku-cli", "-each", "tc=0/5", "-engine", "name=sanqi", f"cmd={path}", "-engine", "name=other",
            "cmd=./other", "-boardsize", "15", "-rule", "0", "-games", "2",
        )
    )  # fmt: skip


def _lichess_bot(path: Path) -> str:
    # A string of JSON is one of YAML, whatever is in the path.
    import json

    return (
        "# in lichess-bot's config.yml\n"
        "engine:\n"
        f"  dir: {json.dumps(str(path.parent), ensure_ascii=False)}\n"
        f"  name: {json.dumps(path.name, ensure_ascii=False)}\n"
        "  protocol: \"uci\"\n"
        "  uci_options:\n"
        "    Move Overhead: 100\n"
        "    Threads: 1\n"
        "    Hash: 256\n"
        "    SyzygyPath: \"\"\n"
        "    UCI_ShowWDL: true"
    )


HOSTS: dict[str, Callable[[Path], str]] = {
    "xboard": _xboard,
    "tchess": _tchess,
    "xqwizard": _xqwizard,
    "piskvork": _piskvork,
    "c-gomoku-cli": _c_gomoku_cli,
    "lichess-bot": _lichess_bot,
}
