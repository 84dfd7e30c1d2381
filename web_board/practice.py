"""Practice: the person's own mistakes in games that were reviewed, one position at a time. A try is judged by a search
as long as the review's second ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from game_core.display import ENGINE_NAME, InputError
from game_core.session import IllegalMove
from search_core.failures import reason_of
from search_core.whole_file import write_whole
from web_board.games import PERSON, reopen
from web_board.hosted_table import HostedTable, Message, text_of
from web_board.table_log import entries_of, newest_first

if TYPE_CHECKING:
    from game_review.analysis_pool import AnalystPool
    from game_review.review_document import GameReport, Ply
    from game_review.review_game import Record
    from game_review.review_search import Done, Searcher
    from web_board.games import PageGame

RIGHT, SHOWN = "right", "shown"
"""What is known of an exercise: the better move was found, or it was shown."""
_PRACTISED = ("mistake", "blunder")
"""An inaccuracy is no mistake to practise: what is better is often a matter of taste."""
_MOST_TABLES = 200
"""So many of the latest games are practised."""
_FILE = "practice.json"


class PracticeError(ValueError):
    """The mistakes of a file cannot be practised; the message is one line."""


Key = tuple[str, int]
"""Of an exercise: the identity of its table, and the ply of the mistake, from 1."""


class Reviewed(NamedTuple):
    """A table's log with a review."""

    entries: list[dict[str, Any]]
    """The first says how the game began."""
    report: GameReport
    movers: list[int]
    """Who made each ply."""
    persons: list[int]


class Practice:
    """The exercises of all tables, and of files.

    Parameters
    ----------
    games : mapping of str to PageGame
    folder : Path
        Where the logs of tables are.
    send : callable
        Gets each message for all pages.
    on_ready : callable
        Called on another thread when take_over() has something to do.
    reviewed : mapping of str to Reviewed
        Games of files by identities: if there are any, these are practised, unless those of a table are asked for.
    """

    def __init__(
        self,
        games: Mapping[str, PageGame],
        folder: Path,
        send: Callable[[Message], None],
        on_ready: Callable[[], None],
        reviewed: Mapping[str, Reviewed],
    ) -> None:
        self._games = games
        self._of_files = reviewed
        self._folder = folder
        self._send = send
        self._on_ready = on_ready
        self._file = folder.parent / _FILE
        self._tables: dict[str, Reviewed] = {}
        """The reviewed games by the identity of their table."""
        self._results = _read_results(self._file)
        self._shown: set[Key] = set()
        """Exercises whose answer this visit has seen."""
        self._pool: AnalystPool[Searcher] | None = None
        self._found: SimpleQueue[Done] = SimpleQueue()
        self._asked: Message | None = None
        """The try that is being judged."""

    @property
    def is_judging(self) -> bool:
        return self._asked is not None

    def obey(self, message: Message) -> list[Message]:
        """Obey a message; what this page alone is answered. Raises InputError."""
        match message["type"]:
            case "practise":
                return [self._list(message.get("table"))]
            case "exercise":
                return [self._exercise(message)]
            case "solution":
                return [self._solution(message)]
            case "try":
                return self._try(message)
        raise InputError("practice has no such message")

    def take_over(self) -> None:
        """Take over what a search has found."""
        while not self._found.empty():
            done, answer = self._found.get(), self._asked
            self._asked = None
            assert answer is not None
            if done.error:
                self._send({"type": "refused", "reason": f"the move cannot be judged: {done.error}"})
            else:
                self._tell(answer, done.found)

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.close()

    # Messages

    def _list(self, table: object) -> Message:
        """The exercises, the latest game first. `table`: of this game alone; None: of the games of files, or if
        there are none, of all tables."""
        if not isinstance(table, str | None):
            raise InputError("there is no such table")
        self._read_tables()
        wanted = self._of_files or self._tables if table is None else (table,)
        exercises = [
            {
                "table": identity,
                "ply": ply.ply,
                "game": game.report.game,
                "mark": ply.mark,
                "result": self._results.get(_text_of((identity, ply.ply)), ""),
            }
            for identity, game in self._tables.items()
            if identity in wanted
            for ply, seat in zip(game.report.plies, game.movers)
            if _is_exercise(ply) and seat in game.persons
        ]
        return {"type": "practice", "exercises": exercises}

    def _exercise(self, message: Message) -> Message:
        """The position before a mistake."""
        key, game, ply = self._exercise_of(message)
        self._shown.discard(key)
        hosted = self._table_of(key, game)
        try:
            geometry, state = hosted.geometry(), hosted.state()
        finally:
            hosted.close()
        return {**_head("exercise", key), "mark": ply.mark, "geometry": geometry, "state": state}

    def _solution(self, message: Message) -> Message:
        """The mistake and what was better."""
        from game_review.review_page import GamePage
        from web_board.hosted_review import open_at_start
        from web_board.review_message import line_names, ply_message

        key, game, ply = self._exercise_of(message)
        self._shown.add(key)
        if self._results.get(_text_of(key)) != RIGHT:
            self._keep(key, SHOWN)
        hosted = self._table_of(key, game)
        try:
            board, report = hosted.page_board, game.report
            opened = reopen(self._games[report.game], game.entries[0])
            names = line_names(report, board, partial(open_at_start, opened))
            found = ply_message(ply, GamePage(report, 1, board.drawing), names)
        finally:
            hosted.close()
        return {**_head("solution", key), "found": found}

    def _try(self, message: Message) -> list[Message]:
        """Judge a move: at once if it is the mistake or the best move, else by a search."""
        from web_board.hosted_review import record_of_line

        key, game, ply = self._exercise_of(message)
        if self._asked is not None:
            raise InputError("the last try is still being judged")
        hosted = self._table_of(key, game)
        try:
            session = hosted.table.session
            move = session.read_move(text_of(message, "text"))
            points, names = hosted.page_board.points_of(move), session.move_names(move)
        except IllegalMove as error:
            return [{"type": "refused", "reason": str(error)}]
        finally:
            hosted.close()
        if not points:
            raise InputError("play a move on the board")
        answer = {**_head("tried", key), "text": move, "names": names, "points": points}
        assert ply.best is not None and ply.before is not None
        if move in (ply.move, ply.best.move):
            self._tell(answer, move != ply.move)
            return []
        page_game = self._games[game.report.game]
        opened = reopen(page_game, game.entries[0])
        record = record_of_line(page_game, opened, opened.session.view()["moves"], ply.ply - 1, [move])
        self._asked = answer
        self._search(record, ply.before.winrate)
        return [_head("judging", key)]

    def _search(self, record: Record, before: float) -> None:
        """Judge the last move of a game."""
        from game_core.engine_analyst import EngineAnalyst
        from game_review.analyse import TABLE_MB
        from game_review.analysis_pool import AnalystPool
        from game_review.review_hidden import review_of
        from game_review.review_search import Searcher
        from web_board.table_review import SETTINGS

        review = review_of(0, record, SETTINGS)

        def is_good(searcher: Searcher) -> bool:
            return SETTINGS.thresholds.mark(review.loss_of_last(before, searcher)) is None

        if self._pool is None:
            self._pool = AnalystPool([EngineAnalyst(TABLE_MB)], self._deliver)
        self._pool.submit(Searcher((0, 0), is_good))

    def _deliver(self, done: Done) -> None:
        self._found.put(done)
        self._on_ready()

    def _tell(self, answer: Message, is_right: bool) -> None:
        """Say whether a try is right, and keep it."""
        key = answer["table"], answer["ply"]
        if is_right and key not in self._shown:
            self._keep(key, RIGHT)
        self._send({**answer, "isRight": is_right})

    # Exercises

    def _exercise_of(self, message: Message) -> tuple[Key, Reviewed, Ply]:
        """The exercise that a message names. Raises InputError."""
        table, number = message.get("table"), message.get("ply")
        game = self._tables.get(table) if isinstance(table, str) else None
        if game is None or type(number) is not int or not 1 <= number <= len(game.report.plies):
            raise InputError("there is no such exercise")
        ply = game.report.plies[number - 1]
        if not _is_exercise(ply) or game.movers[number - 1] not in game.persons:
            raise InputError("there is no such exercise")
        return (str(table), number), game, ply

    def _table_of(self, key: Key, game: Reviewed) -> HostedTable:
        """The table as it was before a mistake, with a person to move."""
        identity, number = key
        page_game = self._games[game.report.game]
        opened = reopen(page_game, game.entries[0])
        mover, hides = game.movers[number - 1], page_game.page_board.hides_pieces
        players = [PERSON if seat == mover or not hides else ENGINE_NAME for seat in range(len(opened.session.sides))]
        seats = page_game.seats(opened, [{"player": player} for player in players])
        table = HostedTable(page_game, opened, seats, f"{identity} {number}", None, self._send, lambda message: None)
        table.restore([entry for entry in game.entries[1:] if entry.keys() & {"move", "plies", "draw"}])
        table.restore([{"plies": number - 1}])
        return table

    def _read_tables(self) -> None:
        """The games of files, and those whose review the logs have. A log that cannot be read has none."""
        self._tables = dict(self._of_files)
        for path in newest_first(self._folder)[:_MOST_TABLES]:
            try:
                data = path.read_bytes()
                if b'{"review":' in data:
                    identity, game = _reviewed(entries_of(data))
                    if game is not None and game.report.game in self._games:
                        self._tables[identity] = game
            except (OSError, ValueError, KeyError, TypeError):
                continue

    def _keep(self, key: Key, result: str) -> None:
        """Keep what is known of an exercise."""
        # Another board may have kept more since.
        for one, known in (*_read_results(self._file).items(), (_text_of(key), result)):
            if self._results.get(one) != RIGHT:
                self._results[one] = known
        try:
            write_whole(self._file, json.dumps(self._results, indent=0).encode("ascii"), replace=True)
        except OSError as error:
            self._send({"type": "error", "reason": f"what you practise is not kept: {reason_of(error)}"})


def _reviewed(entries: list[dict[str, Any]]) -> tuple[str, Reviewed | None]:
    """The identity of a log's table, and its game if its last review is still true. Raises ValueError, KeyError or
    TypeError if the log is damaged."""
    from game_review.review_document import read_game

    found = None
    for entry in entries[1:]:
        if "review" in entry:
            found = entry
        elif "move" in entry or "plies" in entry:
            found = None
    if found is None:
        return entries[0]["table"], None
    report, movers = read_game(found["review"]), [int(seat) for seat in found["movers"]]
    if len(movers) != len(report.plies):
        raise ValueError("not the movers of the game")
    return entries[0]["table"], Reviewed(entries, report, movers, [int(seat) for seat in found["persons"]])


def _is_exercise(ply: Ply) -> bool:
    return ply.mark in _PRACTISED and ply.before is not None and ply.best is not None and ply.best.move is not None


def _read_results(file: Path) -> dict[str, str]:
    """What is known of exercises; nothing if the file is none."""
    try:
        results = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    known = results.items() if isinstance(results, dict) else ()
    return {key: result for key, result in known if result in (RIGHT, SHOWN)}


def _text_of(key: Key) -> str:
    table, ply = key
    return f"{table} {ply}"


def _head(kind: str, key: Key) -> Message:
    table, ply = key
    return {"type": kind, "table": table, "ply": ply}
