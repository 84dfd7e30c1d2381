"""`sanqi setup`: shows how to add this program to a GUI or tournament manager."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from search_core.command_line import join_words, this_program

EXAMPLE = """\
example:
  sanqi setup xboard
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi setup`."""
    parser.epilog = EXAMPLE
    parser.add_argument("host", choices=list(HOSTS), metavar="HOST", help=", ".join(HOSTS))


def run(args: argparse.Namespace) -> int:
    """Print what the user has to do. Returns the exit status, 0."""
    print(HOSTS[args.host](this_program()))
    return 0


def _xboard(path: Path) -> str:
    # uci2wb splits its command at blanks and knows no quotes, so an option of XBoard sets the folder.
    if sys.platform == "win32":
        words = ["winboard", "-variant", "xiangqi", "-fd", str(path.parent), "-fcp", f"uci2wb -x {path.name}"]
        return (
            f"Put uci2wb.exe beside {path.name}, and start WinBoard, which is XBoard for Windows:\n"
            f"{join_words(words)}\n"
            "uci2wb connects it to UCCI; with -c in place of -x, to UCI."
        )
    board = "~~/themes/textures/xqboard-9x10.png"
    options = [
        ["-fd", str(path.parent), "-fcp", f"uci2wb -x ./{path.name}"],
        ["-pid", "~~/themes/xiangqi", "-trueColors", "true", "-overrideLineGap", "0"],
        ["-ubt", "true", "-lbtf", board, "-dbtf", board],
    ]
    command = " \\\n  ".join(["xboard -variant xiangqi", *map(shlex.join, options)])
    return (
        "# Debian and Ubuntu: sudo apt install xboard uci2wb\n"
        f"{command}\n"
        "# uci2wb connects XBoard to UCCI; with -c in place of -x, to UCI. The last two\n"
        "# lines show Chinese pieces and a Xiangqi board. XBoard keeps these settings."
    )


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
    return f"copy the program beside itself under that name,\n{join_words((command, str(path), str(brain)))}"


def _c_gomoku_cli(path: Path) -> str:
    escaped = re.sub(r"([\\ ])", r"\\\1", str(path))  # c-gomoku-cli splits the command at blanks; backslash escapes
    words = [
        "c-gomoku-cli", "-each", "tc=0/5", "-engine", "name=sanqi", f"cmd={escaped}", "-engine", "name=other",
        "cmd=./other", "-boardsize", "15", "-rule", "0", "-games", "2",
    ]  # a command line, many words a line  # fmt: skip
    return join_words(words)


def _lichess_bot(path: Path) -> str:
    # A JSON string is a valid YAML string for any path.
    import json

    return (
        "# lichess.org has no Xiangqi. www.pychess.org has; its bots run lichess-bot-variants, a\n"
        "# fork of lichess-bot (https://github.com/gbtami/lichess-bot-variants). Not tested here.\n"
        "# In its config.yml, with a token of your bot account:\n"
        'url: "https://www.pychess.org/"\n'
        "engine:\n"
        f"  dir: {json.dumps(str(path.parent), ensure_ascii=False)}\n"
        f"  name: {json.dumps(path.name, ensure_ascii=False)}\n"
        '  protocol: "uci"\n'
        "  uci_options:\n"
        '    Ranks: "1-10"\n'
        "    Move Overhead: 100\n"
        "    Threads: 1\n"
        "    Hash: 256\n"
        "challenge:\n"
        "  variants:\n"
        "    - xiangqi"
    )


HOSTS: dict[str, Callable[[Path], str]] = {
    "xboard": _xboard,
    "tchess": "TCHESS: in its list of engines (引擎管理) add this file; UCCI and UCI both work:\n{}".format,
    "xqwizard": "XQWizard: 电脑 -> 加载引擎 (Computer, Load Engine), and choose this file:\n{}".format,
    "piskvork": _piskvork,
    "c-gomoku-cli": _c_gomoku_cli,
    "lichess-bot": _lichess_bot,
}
