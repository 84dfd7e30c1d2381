"""The games of a match in a file, from which it can go on: a line that says what match it is, then a line a game, each
a JSON object. docs/matches.md describes it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from match_runner.game import DRAW, FIRST_WINS, SECOND_WINS, Game, GameRecord, Thought
from match_runner.match import MatchPlan
from match_runner.openings import Opening
from match_runner.schedule import Task

if sys.platform != "win32":
    import fcntl

FORMAT = 1


class GameFileError(ValueError):
    """A file of games that cannot be used; the message names file and line."""


class GameFile:
    """A file that games are added to, its lines flushed one by one."""

    def __init__(self, path: Path, file: IO[str], game: Game) -> None:
        self.path = path
        self._file = file
        self._game = game

    @classmethod
    def create(cls, path: Path, plan: MatchPlan) -> GameFile:
        """Begin a file. Raises OSError, also if there is one."""
        file = path.open("x", encoding="utf-8")
        _lock(path, file)
        file.write(json.dumps({"match": plan.identity(), "format": FORMAT}, ensure_ascii=False) + "\n")
        file.flush()
        return cls(path, file, plan.setting.game)

    @classmethod
    def go_on(cls, path: Path, plan: MatchPlan) -> tuple[GameFile, list[tuple[Task, GameRecord]]]:
        """Go on with a file behind its last whole line; also returns the games that it has.

        Raises OSError, and GameFileError if it is of another match; it is not changed then.
        """
        file = path.open("r+", encoding="utf-8")
        try:
            _lock(path, file)
            played = list(_games_of(path, plan))
            whole = path.read_bytes().rfind(b"\n") + 1
            file.truncate(whole)
            file.seek(whole)
        except BaseException:
            file.close()
            raise
        return cls(path, file, plan.setting.game), played

    def add(self, task: Task, record: GameRecord, duplicate: bool) -> None:
        """Write a game. Raises OSError."""
        line = game_line(self._game, task, record, duplicate)
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Leave the file as it is."""
        self._file.close()


def game_line(game: Game, task: Task, record: GameRecord, duplicate: bool) -> dict[str, Any]:
    """A game as JSON has it."""
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
        "moves": [game.move_text(move) for move in record.moves],
        "thoughts": [
            [side, round(time_ms, 2), depth, nodes, round(nodes_ms, 2), score]
            for side, time_ms, depth, nodes, nodes_ms, score in record.thoughts
        ],
    }
    if record.notation:
        line["notation"] = record.notation
    return line


def read_record(game: Game, line: dict[str, Any]) -> GameRecord:
    """The game that game_line() wrote. Raises KeyError, TypeError or ValueError if it did not."""
    moves = tuple(game.read_move_text(text) for text in line["moves"])
    if line["result"] not in (FIRST_WINS, SECOND_WINS, DRAW):
        raise ValueError(f"result '{line['result']}'")
    return GameRecord(
        (line[game.sides[0]], line[game.sides[1]]),
        Opening(moves[: line["opening_plies"]], line["opening_line"], line["start"]),
        moves,
        line["result"],
        line["reason"],
        line["detail"],
        tuple(Thought(*thought) for thought in line["thoughts"]),
        line.get("notation", ""),
    )


def played_games(path: Path, game: Game) -> Iterator[tuple[int, GameRecord]]:
    """The whole lines of a file of this game: number from 1, and record. Raises OSError, GameFileError."""
    with path.open("rb") as file:
        next(file, b"")
        for number, raw in enumerate(file, 2):
            if not raw.endswith(b"\n"):
                return
            try:
                line = json.loads(raw)
                yield int(line["game"]), read_record(game, line)
            except (KeyError, TypeError, ValueError) as error:
                raise GameFileError(f"{path}, line {number}: no game of this match: {error!r}") from None


def _games_of(path: Path, plan: MatchPlan) -> Iterator[tuple[Task, GameRecord]]:
    with path.open("rb") as file:
        head = file.readline()
    try:
        found = json.loads(head)["match"]
        expected = json.loads(json.dumps(plan.identity()))
        if not isinstance(found, dict):
            raise TypeError
    except (KeyError, TypeError, ValueError):
        raise GameFileError(f"{path}, line 1: says of no match that it is one") from None
    for key in expected:
        if found.get(key) != expected[key]:
            there, here = json.dumps(found.get(key)), json.dumps(expected[key])
            raise GameFileError(f"{path}: of another match: {key} is {_short(there)} there, {_short(here)} here")
    tasks = {task.number: task for task in plan.schedule}
    seen: set[int] = set()
    for number, record in played_games(path, plan.setting.game):
        task = tasks.get(number - 1)
        if task is None:
            raise GameFileError(f"{path}: has a game {number}; this match has {len(plan.schedule)} games")
        if task.number in seen:
            raise GameFileError(f"{path}: game {number} is there twice")
        seen.add(task.number)
        if (record.opening.start, record.opening.moves) != (task.opening.start, task.opening.moves):
            raise GameFileError(f"{path}: of another match: game {number} has another opening there")
        yield task, record


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "..."


def _lock(path: Path, file: IO[str]) -> None:
    """Keep other matches away from a file as long as it is open. Raises OSError. Does nothing on Windows."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OSError(f"{path} is being written to by another match") from None
