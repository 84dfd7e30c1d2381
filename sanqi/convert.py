"""`sanqi convert`: converts Gomoku records between formats."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gomoku_protocol.game_record import RecordError
from gomoku_protocol.records import FORMATS, SUFFIXES, format_of, parse_record, serialise_record
from search_core.line_protocol import excerpt

STANDARD_STREAM = "-"

_EXAMPLE = f"""\
examples:
  sanqi convert game.psq game.sgf
  sanqi convert game.sgf - --to hex

formats, by the file's suffix ({", ".join(SUFFIXES)}) or --from and --to:
  psq   Piskvork: board, names, moves with their times; no rule, no result
  sgf   SGF, game 4: board, rule, names, set-up, moves, result; no times
  hex   three digits a move: column, row, player, as in 881 782; boards up to
        15x15
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi convert`."""
    parser.epilog = _EXAMPLE
    parser.add_argument("source", metavar="IN", help="the record to read; - is the standard input")
    parser.add_argument("target", metavar="OUT", help="the new file to write; - is the standard output")
    parser.add_argument("--from", dest="source_format", choices=FORMATS, help="the format of IN")
    parser.add_argument("--to", dest="target_format", choices=FORMATS, help="the format of OUT")


def run(args: argparse.Namespace) -> int:
    """Convert one record. Returns the exit status: 0, or 2 with one line on stderr and nothing written."""
    try:
        source_format = args.source_format or _format_of(args.source, "--from")
        target_format = args.target_format or _format_of(args.target, "--to")
        if args.source == STANDARD_STREAM and sys.stdin is None:
            raise RecordError("the standard input is closed")
        try:
            data = sys.stdin.buffer.read() if args.source == STANDARD_STREAM else Path(args.source).read_bytes()
        except OSError as error:
            raise RecordError(f"{excerpt(args.source)} cannot be read: {error.strerror}") from None
        try:
            record = parse_record(data, source_format)
        except RecordError as error:
            raise RecordError(f"{excerpt(args.source)}: {error}") from None
        _write(serialise_record(record, target_format), args.target)
    except RecordError as error:
        print(f"sanqi convert: {error}", file=sys.stderr)
        return 2
    return 0


def _format_of(file: str, option: str) -> str:
    if file == STANDARD_STREAM:
        raise RecordError(f"- has no format of its own; give {option} {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    return format_of(file)


def _write(data: bytes, target: str) -> None:
    if target == STANDARD_STREAM:
        sys.stdout.buffer.write(data)
        return
    try:
        with Path(target).open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise RecordError(f"{excerpt(target)} exists already; nothing was written") from None
    except OSError as error:
        raise RecordError(f"{excerpt(target)} cannot be written: {error.strerror}") from None
