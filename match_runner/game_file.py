"""The file of a match's games; the match can be resumed from it. Each line is a JSON object: the first describes the
match, each other one is a game. docs/matches.md describes the file."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from game_core.session import DRAW, FIRST_WINS, SECOND_WINS
from match_runner.game import MatchGame, MoveStats, PlayedGame
from match_runner.match import MatchPlan
from match_runner.openings import Opening
from match_runner.schedule import ScheduledGame
from search_core.file_lock import lock
from search_core.growing_file import GrowingFile
from search_core.input_file import open_input
from search_core.line_protocol import excerpt, printable
from search_core.machine import now

FORMAT = 1
_MAX_NUMBER = 10**24
_MAX_LINE = 4 << 20  # in bytes; a game of 10,000 plies takes 0.5 MB


class GameFileError(ValueError):
    """The file of games cannot be used; the message names file and line."""


def kept_path(file: Path, kept: str) -> Path:
    """What a path in a match's file stands for: it begins at the file's folder."""
    return Path(file.resolve().parent, kept).resolve()


class CommandLine(NamedTuple):
    """A command line of a match: the words after `sanqi match`, and the folder where it was given."""

    words: Sequence[str]
    folder: str


class GameFile:
    """A file that gets the games of a match; each line is flushed."""

    def __init__(self, path: Path, plan: MatchPlan, command: CommandLine | None = None, resume: bool = False) -> None:
        """A new file, or with `resume` one that goes on after its last whole line, if it has the first one. `command`
        is written, for command_resume.py, if the match begins.

        Raises OSError, also if the file exists without `resume`; GameFileError if it belongs to another match, and then
        it stays unchanged.
        """
        self.path = path
        self.begun = now()
        """When the match began, as text; '': the file does not say."""
        self.fresh = True
        """Whether the file had no match in it before."""
        self.wrote: set[tuple[str, str]] = set()
        """The match's other outputs, as (option, resolved path); it may overwrite them."""
        self.played: list[tuple[ScheduledGame, PlayedGame]] = []
        """The games that it had before."""
        self._game = plan.config.game
        exists = False
        if resume:
            with contextlib.suppress(FileNotFoundError):
                open_input(path).close()
                exists = True
        self._file = GrowingFile(path, "r+b" if exists else "xb")
        try:
            try:
                lock(self._file.file)
            except OSError:
                raise OSError(f"{path} is being written to by another match") from None
            if exists and not _breaks_off(next(_lines_of(path), b""), plan):
                self.fresh = False
                self._read(plan)
            else:
                self._begin(plan, command)
        except BaseException:
            self._file.close()
            if not exists:
                path.unlink()
            raise

    def _begin(self, plan: MatchPlan, command: CommandLine | None) -> None:
        self._file.file.truncate(0)
        head = {"match": plan.identity(), "format": FORMAT, "begun": self.begun}
        self._write(head | self._command_fields(command))

    def _command_fields(self, command: CommandLine | None) -> dict[str, Any]:
        """What a line says of the command line that wrote it."""
        if command is None or not all(map(_is_unicode, (*command.words, command.folder))):
            return {}
        return {"options": list(command.words), "folder": self._kept(command.folder)}

    def _kept(self, place: str) -> str:
        """A path as kept_path() reads it: from the file's folder, since a match is moved and copied with its files."""
        try:
            return Path(os.path.relpath(place, self.path.resolve().parent)).as_posix()
        except ValueError:  # on another drive of Windows
            return place

    def _read(self, plan: MatchPlan) -> None:
        self.begun = _begun(self.path, plan)
        wrote: set[tuple[str, str]] = set()
        self.played += _games_of(self.path, plan, wrote)
        self.wrote = {(name, str(kept_path(self.path, place))) for name, place in wrote}
        self._file.file.truncate(sum(len(line) for line in _lines_of(self.path) if line.endswith(b"\n")))

    def will_write(self, places: dict[str, str], command: CommandLine | None = None) -> None:
        """Note the match's other outputs, as option and resolved path, before they are written; and the command line of
        a run that resumes it. Raises OSError."""
        added = {} if self.fresh else self._command_fields(command)
        if added or not self.wrote.issuperset(places.items()):
            self._write({"writes": {name: self._kept(place) for name, place in places.items()}, **added})
            self.wrote.update(places.items())

    def add(self, task: ScheduledGame, record: PlayedGame, duplicate: bool) -> None:
        """Write a game. Raises OSError."""
        self._write(game_line(self._game, task, record, duplicate))

    def _write(self, line: dict[str, Any]) -> None:
        self._file.append(_line_of(line))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _is_unicode(text: str) -> bool:
    """Whether a word can be written; one that is no text for the system has surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _breaks_off(head: bytes, plan: MatchPlan) -> bool:
    """Whether `head` is an incomplete first line of this match's file, or empty."""
    written = json.dumps({"match": plan.identity(), "format": FORMAT}, ensure_ascii=False)[:-1].encode()
    return b"\n" not in head and (written.startswith(head) or head.startswith(written))


def game_line(game: MatchGame, task: ScheduledGame, record: PlayedGame, duplicate: bool) -> dict[str, Any]:
    """The game's line in the file, for JSON."""
    first, second = game.sides
    line = {
        "game": task.number + 1,
        first: record.names[0],
        second: record.names[1],
        "result": record.result,
        "reason": record.reason,
        "detail": record.detail,
        "opening_line": record.opening.line,
        "opening_plies": len(record.opening.moves),
        "start": record.opening.start,
        "duplicate": duplicate,
        "date": record.date,
        "moves": list(record.moves),
        "thoughts": [
            [side, round(time_ms, 2), depth, nodes, round(nodes_ms, 2), score]
            for side, time_ms, depth, nodes, nodes_ms, score in record.move_stats
        ],
    }
    if record.notation:
        line["notation"] = record.notation
    return line


def read_record(game: MatchGame, line: dict[str, Any]) -> PlayedGame:
    """The game of a line of game_line(). Raises KeyError, TypeError, ValueError or OverflowError for a wrong line."""
    first, second = game.sides
    moves = tuple(game.read_move(_text(move)) for move in _list(line["moves"]))
    if line["result"] not in (FIRST_WINS, SECOND_WINS, DRAW):
        raise ValueError(f"result {_shown(line['result'])}")
    return PlayedGame(
        (_text(line[first]), _text(line[second])),
        Opening(moves[: _count(line["opening_plies"])], _count(line["opening_line"]), _text(line["start"])),
        moves,
        line["result"],
        _text(line["reason"]),
        _text(line["detail"]),
        tuple(map(_thought, _list(line["thoughts"]))),
        _text(line.get("notation", "")),
        _date(line.get("date", "")),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{_shown(value)} is no text")
    value.encode()  # JSON can have half of a surrogate pair, a file cannot
    return value


def _date(value: object) -> str:
    """A day as machine.today() writes it, or '': not known."""
    text = _text(value)
    if text and date.fromisoformat(text).isoformat() != text:
        raise ValueError(f"{_shown(text)} is no date")
    return text


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{_shown(value)} is no list")
    return value


def _count(value: object, least: int = 0) -> int:
    """A whole number; 1.5, true and 10^400 are refused."""
    if type(value) is not int or not least <= value <= _MAX_NUMBER:
        raise ValueError(f"{_shown(value)} is no whole number from {least} to {_MAX_NUMBER}")
    return value


def _milliseconds(value: object) -> float:
    if type(value) not in (int, float) or not 0 <= value <= _MAX_NUMBER:  # type: ignore[operator]
        raise ValueError(f"{_shown(value)} is no time in ms")
    return float(value)  # type: ignore[arg-type]


def _shown(value: object) -> str:
    """A JSON value, as it is in the file, for a message."""
    text = json.dumps(value)
    return excerpt(value) if isinstance(value, str) else text if len(text) <= 40 else text[:40] + "..."


def _thought(values: object) -> MoveStats:
    side, time_ms, depth, nodes, nodes_ms, score = _list(values)
    if type(side) is not int or side not in (0, 1):
        raise ValueError(f"side {_shown(side)}")
    return MoveStats(
        side,
        _milliseconds(time_ms),
        _count(depth),
        _count(nodes),
        _milliseconds(nodes_ms),
        None if score is None else _count(score, -_MAX_NUMBER),
    )


def played_games(
    path: Path, game: MatchGame, wrote: set[tuple[str, str]] | None = None
) -> Iterator[tuple[int, PlayedGame]]:
    """The games in the whole lines of a file: number from 1, and record. `wrote` gets the match's other outputs, as the
    file has them. Raises OSError, GameFileError."""
    for number, raw in itertools.islice(enumerate(_lines_of(path), 1), 1, None):
        if not raw.endswith(b"\n"):
            return
        try:
            line = json.loads(raw)
            if "writes" in line:
                if wrote is not None:
                    wrote.update((str(name), str(place)) for name, place in dict(line["writes"]).items())
                continue
            yield _count(line["game"], 1), read_record(game, line)
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            what = printable(f"{type(error).__name__}: {error}")
            raise GameFileError(f"{path}, line {number}: no game of this match: {what}") from None


def _line_of(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False) + "\n").encode()


def _lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file, the last one perhaps without its end. Raises OSError, GameFileError."""
    with open_input(path) as file:
        for number, line in enumerate(iter(functools.partial(file.readline, _MAX_LINE + 1), b""), 1):
            if len(line) > _MAX_LINE:
                raise GameFileError(f"{path}, line {number}: longer than {_MAX_LINE >> 20} MiB")
            yield line


def _begun(path: Path, plan: MatchPlan) -> str:
    """When the match of a file began; '': an old file does not say. Raises OSError; GameFileError if it is another
    match."""
    try:
        line = json.loads(next(_lines_of(path), b""))
        found, form = line["match"], line["format"]
        expected = json.loads(json.dumps(plan.identity()))
        if not isinstance(found, dict):
            raise TypeError
    except (KeyError, TypeError, ValueError, RecursionError):
        raise GameFileError(f"{path}, line 1: does not describe a match") from None
    if type(form) is not int or form != FORMAT:
        raise GameFileError(f"{path}, line 1: format {_shown(form)}, this program reads format {FORMAT}")
    for key in expected:
        # Compared as text: otherwise 1.0 and true equal 1.
        there, here = (json.dumps(values.get(key), sort_keys=True) for values in (found, expected))
        if there != here:
            raise GameFileError(f"{path}: of another match: {key} is {_short(there)} in the file, {_short(here)} here")
    begun = line.get("begun", "")
    return begun if isinstance(begun, str) else ""


def _games_of(path: Path, plan: MatchPlan, wrote: set[tuple[str, str]]) -> Iterator[tuple[ScheduledGame, PlayedGame]]:
    tasks = {task.number: task for task in plan.schedule}
    seen: set[int] = set()
    for number, record in played_games(path, plan.config.game, wrote):
        task = tasks.get(number - 1)
        if task is None:
            raise GameFileError(f"{path}: has a game {number}; this match has {len(plan.schedule)} games")
        if task.number in seen:
            raise GameFileError(f"{path}: game {number} is there twice")
        seen.add(task.number)
        if record.names != tuple(plan.engines[player].name for player in task.players):
            raise GameFileError(f"{path}: game {number} is of {' and '.join(map(excerpt, record.names))} there")
        if (record.opening.start, record.opening.moves) != (task.opening.start, task.opening.moves):
            raise GameFileError(f"{path}: of another match: game {number} has another opening there")
        yield task, record


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "..."
