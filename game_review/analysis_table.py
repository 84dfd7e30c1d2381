"""`sanqi analyse` for people: the positions of a game, or the best moves of one, as a table."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from game_core.analysis import Subject
from game_core.background import INTERRUPTED
from game_core.command_parser import columns
from game_core.display import encodable
from game_core.json_fields import FieldError
from game_core.record_files import formats_of, read_record_file, reading_options
from game_core.record_formats import RecordError, remarks_of
from game_review.analysis_job import TurnJob, jobs_of
from game_review.analysis_pool import AnalystPool
from game_review.analysis_request import FIRST_SIDE, Query, search_limits
from search_core.child_process import interrupt_by_any_signal
from search_core.failures import becoming, named
from search_core.line_protocol import printable, shown_path
from search_core.parts import load_part

if TYPE_CHECKING:
    from types import ModuleType

    from game_core.analysis import Analyst

_WIDTH = 100
"""Columns of a table that is not shown on a terminal."""
_WAIT_S = 0.2
"""A signal does not interrupt a wait that begins at the same moment; on Windows, none at all."""
_NOT_OF_TABLES = ("given_words", "record", "threads", "hash", "engine", "protocol", "set", "timeout")
"""What the command line may say when programs send requests."""


class TableRequest(NamedTuple):
    """What the command line asks to show: turns of a game, with the part of the game and its name."""

    game: str
    part: ModuleType
    subject: Subject
    turns: tuple[int, ...]


def table_request(args: argparse.Namespace) -> TableRequest | None:
    """What to show in a table; None: programs send requests. Raises FieldError."""
    found: TableRequest | None = None
    for name, game in args.registry.items():
        part = load_part(game.analysis)
        subject = part.subject_of_arguments(args)
        if subject is not None:
            found = TableRequest(name, part, subject, (subject.last_turn,))
    if args.record is not None:
        if found is not None:
            raise FieldError("give a record or a position, not both")
        found = _record(args)
    elif args.source_format is not None or args.game is not None:
        raise FieldError(f"--{'game' if args.source_format is None else 'from'} needs a record")
    if found is None:
        for name, usual in args.usual.items():
            if name not in _NOT_OF_TABLES and getattr(args, name) != usual:
                raise FieldError(
                    f"--{name.replace('_', '-')} needs a record or a position; a request has fields of its own"
                )
        return None
    if args.turn is not None:
        if args.turn > found.subject.last_turn:
            raise FieldError(f"--turn {args.turn}: there are {found.subject.last_turn} moves")
        found = found._replace(turns=(args.turn,))
    if args.notation is not None and args.notation not in found.part.NOTATIONS:
        raise FieldError(f"--notation {args.notation}: expected one of {', '.join(found.part.NOTATIONS)}")
    return found


def _record(args: argparse.Namespace) -> TableRequest:
    """All turns of the recorded game. Raises FieldError."""
    with becoming(RecordError, FieldError):
        source, data = read_record_file(formats_of(args.registry.values()), args.record, args.source_format)
    part = load_part(args.registry[source.game].analysis)
    with named(shown_path(args.record), ValueError, FieldError):
        games = source.form.read(data, **reading_options(source.form, args))
        number = args.game or 1
        for _ in range(1, number):
            with contextlib.suppress(RecordError):  # that game is not the wanted one
                if next(games, None) is None:
                    break
        record = next(games, None)
        if record is None:
            raise RecordError(f"it has no game {number}")
        subject = part.subject_of_record(record, args)
    return TableRequest(source.game, part, subject, tuple(range(subject.last_turn + 1)))


def print_table(args: argparse.Namespace, request: TableRequest, analysts: Sequence[Analyst]) -> int:
    """Analyse, and print each row as soon as those before it are there. Returns the exit status."""
    query = Query(
        id="",
        subject=request.subject,
        turns=request.turns,
        limits=search_limits(args.nodes or 0, args.movetime or 0, args.depth or 0, args.multipv or 1),
        notations=(args.notation or readable_notation(request.subject, request.part.NOTATIONS),),
        perspective=args.perspective or FIRST_SIDE,
    )
    for remark in remarks_of(request.subject):
        print(f"sanqi analyse: {printable(remark)}", file=sys.stderr)
    interrupt_by_any_signal()
    found: SimpleQueue[dict[str, Any]] = SimpleQueue()
    pool = AnalystPool[TurnJob](analysts, found.put)
    try:
        pool.submit(*jobs_of(query, found.put))
        return _print(_Table(query, request), found)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        pool.close()


def _print(table: _Table, found: SimpleQueue[dict[str, Any]]) -> int:
    """Print the rows in order. Returns the exit status: 1 if one of them could not be analysed."""
    answers: dict[int, dict[str, Any]] = {}
    status = 0
    print(table.head(), flush=True)
    for number in table.query.turns:
        while number not in answers:
            try:
                answer = found.get(timeout=_WAIT_S)
            except Empty:
                continue
            if "warning" in answer:
                print(f"sanqi analyse: {printable(answer['warning'])}", file=sys.stderr)
            else:
                answers[answer["turnNumber"]] = answer
        answer = answers.pop(number)
        if "error" in answer:
            print(f"sanqi analyse: turn {number}: {printable(answer['error'])}", file=sys.stderr)
            status = 1
        else:
            for row in table.rows(answer):
                print(row, flush=True)
    print(table.foot())
    return status


def readable_notation(subject: Subject, names: Sequence[str]) -> str:
    """The game's first notation that the terminal can show."""
    turn = subject.at(0)
    moves = turn.legal_moves()[:1]
    return next((name for name in names if all(map(encodable, turn.names(moves, name)))), names[-1])


class _Table:
    """Words a table of turns, or of the best moves in one turn."""

    def __init__(self, query: Query, request: TableRequest) -> None:
        self.query = query
        self._subject = request.subject
        self._is_game = len(request.turns) > 1
        self._width = table_width()
        sides = {str(request.subject.at(number).to_move) for number in request.turns[:4]}
        self._side_width = max(len("side"), *map(len, sides))

    def head(self) -> str:
        """The heading. A table of a game says which moves were played."""
        return self._row("", "side", "played" if self._is_game else "move", "score", "win %", "best line")

    def foot(self) -> str:
        """What the numbers mean."""
        whose = "the side to move"
        if self.query.perspective == FIRST_SIDE:
            first = self._subject.at(0).to_move
            whose = f"the team of seat {first}" if isinstance(first, int) else first
        return f"\nScores and win probabilities are those of {whose}."

    def rows(self, answer: dict[str, Any]) -> list[str]:
        """The rows of a turn."""
        number, side = answer["turnNumber"], str(answer["toMove"])
        ended = answer["ended"]
        played = self._played(number) if self._is_game else ""
        label = str(number + 1) if self._is_game and self._subject.played(number) is not None else ""
        if ended is not None:
            result = f"{ended['result']}, {ended['reason']}"
            return [self._row(label, side, played, "", _percent(answer["rootInfo"]), result)]
        rows = []
        for info in answer["moveInfos"]:
            (line,) = info["pvNames"].values()
            if self._is_game:
                first = played if info["order"] == 0 else ""
            else:
                label, first = str(info["order"] + 1), line[0]
            rows.append(self._row(label, side, first, _score(info), _percent(info), " ".join(line)))
            if self._is_game:
                label = side = ""
        return rows or [self._row(label, side, played, "", "", "nothing to search: another side is on turn")]

    def _played(self, number: int) -> str:
        """What was played, in the reader's notation."""
        text = self._subject.played(number)
        if text is None:
            return ""
        turn = self._subject.at(number)
        try:
            return turn.names([turn.read_move(text)], self.query.notations[0])[0]
        except ValueError:  # not a move: a pass, or a seat that left
            return text

    def _row(self, label: str, side: str, move: str, score: str, percent: str, line: str) -> str:
        return table_row((label, side, move, score, percent, line), (-4, self._side_width, 14, -7, -6), self._width)


def table_width() -> int:
    """The columns of a table on the standard output."""
    return shutil.get_terminal_size((_WIDTH, 24)).columns if sys.stdout.isatty() else _WIDTH


def table_row(cells: Sequence[str], widths: Sequence[int], width: int) -> str:
    """A row of a table of `width` columns. A cell with a negative width is written to the right; the last one has what
    is left."""
    head = "  ".join(cell.rjust(-each) if each < 0 else padded(cell, each) for cell, each in zip(cells, widths))
    return f"{head}  {cut(cells[-1], width - columns(head) - 2)}".rstrip()


def padded(text: str, width: int) -> str:
    """A text with blanks up to a width in columns."""
    return text + " " * (width - columns(text))


def cut(text: str, width: int) -> str:
    """The words of a text that fit, at least the first one; dots stand for the others."""
    words = text.split(" ")
    shown = text
    while columns(shown) > width and len(words) > 1:
        words.pop()
        shown = " ".join([*words, "..."])
    return shown


def _score(info: dict[str, Any]) -> str:
    if "mate" in info:
        return f"mate {info['mate']}"
    if "ruleWin" in info:
        return f"rule {info['ruleWin']}"
    return f"{info['scoreCp']:+d}" if "scoreCp" in info else "-"


def _percent(info: dict[str, Any]) -> str:
    return f"{100 * info['winrate']:.1f}" if "winrate" in info else "-"
