"""The man page and the completions that the installed package brings."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from sanqi.cli import COMMAND_NAMES, command_line
from search_core.version import __version__

SHARE = Path(sysconfig.get_path("data")) / "share"
MACROS = {".TH", ".SH", ".SS", ".B", ".nf", ".fi"}


def test_the_man_page_has_every_command_s_help_as_it_is() -> None:
    page = (SHARE / "man" / "man1" / "sanqi.1").read_text(encoding="utf-8")
    assert f'"sanqi {__version__}"' in page
    for name, command in command_line(COMMAND_NAMES).commands.items():
        section = page.split(f"\n.SS sanqi {name}\n".replace("-", "\\-"))[1].split("\n.S")[0]
        plain = section.replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")
        for line in (command.epilog or "").splitlines():
            assert line in plain
    headings = [line.removeprefix(".SH ") for line in page.splitlines() if line.startswith(".SH ")]
    assert headings == ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXAMPLES AND ENVIRONMENT"]
    for line in page.splitlines():
        assert line[:1] not in (".", "'") or line.split()[0] in MACROS, line


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["pl"], {"play"}),
        (["junqi"], {"junqi", "junqi-udp", "junqi-record"}),
        (["junqi-record", "s"], {"show"}),
        (["match-"], set()),
        (["setup", "x"], {"xboard", "xqwizard"}),
        (["perft", "--d"], {"--divide"}),
        (["play", "g"], {"gomoku"}),
        (["play", "xiangqi", "--side", ""], {"red", "black"}),
    ],
)
def test_bash_completes(words: list[str], expected: set[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    script = (
        f"source {SHARE / 'bash-completion' / 'completions' / 'sanqi'}\n"
        'function=$(complete -p sanqi | sed "s/.*-F \\([^ ]*\\).*/\\1/")\n'
        'COMP_WORDS=(sanqi "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}\n'
        '"$function" sanqi "${COMP_WORDS[$#]}" "${COMP_WORDS[$#-1]}"\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    completed = subprocess.run(
        [bash, "-c", script, "bash", *words], capture_output=True, text=True, timeout=60, check=True
    )
    assert set(completed.stdout.split()) == expected


def test_files_are_completed_for_arguments_that_are_files() -> None:
    completion = (SHARE / "zsh" / "site-functions" / "_sanqi").read_text(encoding="utf-8")
    assert completion.startswith("#compdef sanqi\n")
    assert re.search(r'"--resume\[[^\n]*:_files"', completion)
