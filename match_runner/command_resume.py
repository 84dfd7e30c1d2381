"""`sanqi match --resume FILE`: the options of the match, from its file."""

from __future__ import annotations

import argparse
import json
import os
from functools import partial
from pathlib import Path
from typing import Any

from game_core.given_options import GivenOptions
from match_runner.command_options import add_arguments
from match_runner.game_file import CommandLine, kept_path
from match_runner.refusal import Refused
from search_core.failures import failure_of
from search_core.input_file import open_input
from search_core.line_protocol import printable

_NOT_KEPT = ("out", "registry", "resume")
"""What belongs to one run of a match alone."""
_ONE_OF = (("movetime", "tc", "nodes", "depth"), ("concurrency", "scheduler"))
"""Options of which a match has one: a new one replaces the others."""
_LIMITS = {"movetime_ms": "movetime", "nodes": "nodes", "depth": "depth", "margin_ms": "margin"}
"""Options by the names of ThinkingLimit."""
_PATHS = ("engines", "openings", "records", "report", "stderr")


def take_over(args: argparse.Namespace) -> None:
    """With --resume and without an engine, set the options that the command line does not give to those of the match
    in the file. Raises Refused."""
    args.shown_out, args.given_in = str(args.out), os.getcwd()
    if args.resume is None:
        return
    if isinstance(args.resume, Path):
        if args.out is not None and args.out.resolve() != args.resume.resolve():
            raise Refused(f"--out {args.out} and --resume {args.resume} name two files")
        args.out, args.resume = args.resume, True
    if args.out is None:
        raise Refused("--resume needs the file of the match, as --resume FILE")
    args.shown_out = str(args.out)
    if args.engine:
        return
    identity, runs = _read(args.out)
    if not runs:
        raise Refused(f"{args.out}: begun by an older version, which kept no options; give {_missing(identity)}")
    parser = GivenOptions(partial(add_arguments, games=args.registry))
    found: dict[str, Any] = {}
    folder: Path | None = None
    try:
        for words, place in runs:
            run = parser.given(words)
            if "engine" in run:  # a whole command
                found.clear()
                folder = place
            elif place is not None and place != folder:
                run |= {name: place / run[name] for name in _PATHS if name in run}
            _replace(found, run)
    except ValueError as error:
        raise Refused(f"{args.out}, line 1: its options cannot be used: {printable(str(error))}") from None
    given = parser.given(_given_words(args))
    _replace(found, given)
    _go_to(folder, args, given)
    for name, value in found.items():
        if name not in given and name not in _NOT_KEPT:
            setattr(args, name, value)


def command_to_keep(args: argparse.Namespace) -> CommandLine | None:
    """This run's command line, for the file of the match; None if it says nothing about the match."""
    words = _given_words(args)
    given = GivenOptions(partial(add_arguments, games=args.registry)).given(words)
    return CommandLine(words, args.given_in) if given.keys() - set(_NOT_KEPT) else None


def _given_words(args: argparse.Namespace) -> list[str]:
    """As the program's parser keeps them; another parser keeps none."""
    words: list[str] = getattr(args, "given_words", [])
    return words


def _replace(found: dict[str, Any], given: dict[str, Any]) -> None:
    for group in _ONE_OF:
        if given.keys() & set(group):
            for name in group:
                found.pop(name, None)
    found.update(given)


def _go_to(folder: Path | None, args: argparse.Namespace, given: dict[str, Any]) -> None:
    """Work in the folder of the match, where its paths lead to what they did."""
    if folder is None or not folder.is_dir() or folder == Path.cwd():
        return
    for name in ("out", *(name for name in _PATHS if name in given)):
        setattr(args, name, getattr(args, name).absolute())
    os.chdir(folder)


def _read(path: Path) -> tuple[dict[str, Any], list[tuple[list[str], Path | None]]]:
    """MatchPlan.identity() of the match in a file, as far as it can be read; the command lines of its runs, each as
    words after `sanqi match` and the folder where it was given, if that is known; none if an older version began it.
    Raises Refused."""
    try:
        with open_input(path) as file:
            head = json.loads(file.readline())
            later = [json.loads(line) for line in file if line.startswith(b'{"writes"') and line.endswith(b"\n")]
        runs = [(line["options"], _folder(path, line, head)) for line in (head, *later) if line.get("options")]
        if all(_is_text(words) for words, _ in runs) and isinstance(head["match"], dict):
            return head["match"], runs
    except OSError as error:
        raise Refused(failure_of(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        pass
    raise Refused(f"{path}, line 1: does not describe a match")


def _folder(path: Path, line: dict[str, Any], head: dict[str, Any]) -> Path | None:
    """The folder of a line's command line. An older version kept the first one only, and not from the file's folder."""
    folder = line.get("folder", head.get("folder"))
    return kept_path(path, folder) if isinstance(folder, str) and folder else None


def _is_text(words: object) -> bool:
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def _missing(identity: dict[str, Any]) -> str:
    """The options that a match of an older version had, as far as its file shows them."""
    engines = [each.get("name") for each in identity.get("engines", []) if isinstance(each, dict)]
    options = [f"--engine for {' and '.join(printable(str(name)) for name in engines)}"]
    for key in ("terms", "limit"):
        values = identity.get(key)
        for name, value in values.items() if isinstance(values, dict) else ():
            if value and (key == "terms" or name in _LIMITS):
                option = str(_LIMITS.get(name, name)).replace("_", "-")
                options.append(f"--{printable(option)} {printable(str(value))}")
    if identity.get("max_plies"):
        options.append(f"--max-plies {printable(str(identity['max_plies']))}")
    return f"{', '.join(options)}, --games, and --openings, --sprt and others if it had them"
