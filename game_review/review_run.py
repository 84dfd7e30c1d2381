"""The work of `sanqi review`: all games at the same time as far as there are threads, and what is written of them."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from game_core.background import INTERRUPTED
from game_core.engine_analyst import EngineAnalyst
from game_core.json_fields import FieldError
from game_core.progress import progress_bar
from game_core.record_files import STANDARD_STREAM
from game_core.record_formats import remarks_of
from game_review.analyse import TABLE_MB
from game_review.analysis_pool import AnalystPool
from game_review.review_files import VERSION, BadRecord, read_document, read_games, write_document
from game_review.review_game import GameReview, Record, Settings
from game_review.review_hidden import HIDDEN_FIELDS, review_of, searched_positions
from game_review.review_search import Done, Searcher, Searches
from game_review.review_settings import settings_of
from game_review.review_summary import summary_of
from game_review.review_table import game_lines, side_lines, summary_lines, title
from game_review.review_values import left_out_text
from search_core.child_process import interrupt_by_any_signal, uninterrupted
from search_core.clock import now_s
from search_core.failures import reason_of
from search_core.line_protocol import excerpt, printable
from search_core.version import __version__
from search_core.whole_file import is_stream

_WAIT_S = 0.2
"""A signal does not interrupt a wait that begins at the same moment; on Windows, none at all."""
_SAVE_S = 10.0
"""Between two times that the document is written."""
_MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a document raises that has not the fields of a review."""


def run_review(args: argparse.Namespace) -> int:
    """Review the games of the command line. Returns the exit status. Raises FieldError."""
    interrupt_by_any_signal()
    earlier = read_document(args.json) if args.resume and Path(args.json).exists() else None
    settings = settings_of(args, earlier)
    kept = _kept(earlier)
    records: list[Record] = []
    errors: list[BadRecord] = []
    for found in read_games(args, args.registry, settings.notation):
        if isinstance(found, Record):
            records.append(found)
            for remark in remarks_of(found.reviewed.subject):
                doubt = BadRecord(found.source, found.number, printable(remark))
                print(f"sanqi review: {doubt.text()}", file=sys.stderr)
            if found.reviewed.left_out is not None:
                left_out = BadRecord(found.source, found.number, left_out_text(found.reviewed.left_out._asdict()))
                print(f"sanqi review: {left_out.text()}", file=sys.stderr)
        else:
            errors.append(found)
            print(f"sanqi review: {found.text()}", file=sys.stderr)
    if not records:
        return 2
    _check_kept(args, kept, records, errors)
    review = Review(records, errors, settings.of_games, settings.document(), kept)
    is_kept = args.json not in (None, STANDARD_STREAM) and not is_stream(args.json)
    is_whole = review.run(args.threads, args.hash or TABLE_MB, args.json if is_kept else None)
    return _written(args, review, is_whole)


def _kept(earlier: Mapping[str, Any] | None) -> Mapping[tuple[str, int], dict[str, Any]]:
    """The games of the document to go on with, by file and number."""
    return {
        (game["source"], game["number"]): game
        for game in ([] if earlier is None else earlier["games"])
        if isinstance(game.get("source"), str) and isinstance(game.get("number"), int)
    }


def _check_kept(
    args: argparse.Namespace,
    kept: Mapping[tuple[str, int], Mapping[str, Any]],
    records: Sequence[Record],
    errors: Sequence[BadRecord],
) -> None:
    """Raises FieldError if the document has a finished game that would be lost: none of the command line is it, or one
    by other rules."""
    files = {error.source for error in errors if error.number is None}
    named = {(record.source, record.number) for record in records} | {(error.source, error.number) for error in errors}
    for (source, number), game in kept.items():
        if game.get("complete") is True and source not in files and (source, number) not in named:
            lost = f"{excerpt(source)}, game {number}"
            raise FieldError(f"--resume: {excerpt(args.json)} has {lost}, too; name it, or another --json")
    for record in records:
        game = kept.get((record.source, record.number), {})
        if game.get("complete") is True and _has_moves_of(game, record) and not _starts_as(game, record):
            raise FieldError(f"--resume: {excerpt(args.json)} was made by other rules or with another --see")


def _written(args: argparse.Namespace, review: Review, is_whole: bool) -> int:
    """Write what was found. Returns the exit status."""
    if not is_whole:
        print("sanqi review: interrupted; what is known is being written", file=sys.stderr)
    with uninterrupted():  # it may take seconds, and Ctrl-C is often pressed twice
        document = review.document()
        status = 1 if document["errors"] else 0
        for file, write in _outputs(args):  # first, since nobody may read the standard output
            try:
                write(document)
            except OSError as error:
                print(f"sanqi review: {excerpt(file)}: {reason_of(error)}", file=sys.stderr)
                status = 2
    if args.json == STANDARD_STREAM:
        print(json.dumps(document))
    else:
        for line in _lines(document):
            print(line)
    if not is_whole:
        done = sum(game["complete"] for game in document["games"])
        hint = "; continue with --resume" if args.json not in (None, STANDARD_STREAM) else ""
        print(f"sanqi review: interrupted after {done} of {review.count} games{hint}", file=sys.stderr)
        return INTERRUPTED
    return status


def _outputs(args: argparse.Namespace) -> Iterator[tuple[str, Callable[[dict[str, Any]], None]]]:
    """The files to write, and how."""
    if args.json not in (None, STANDARD_STREAM):
        yield args.json, lambda document: write_document(document, args.json)
    if args.html is not None:
        from game_review.review_page import write_page

        yield args.html, lambda document: write_page(document, Path(args.html), args.registry)


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    """The text for people. Nothing of games of which nothing is known."""
    games = document["games"]
    known = [game for game in games if game["complete"] or any(ply["loss"] is not None for ply in game["plies"])]
    if document["summary"] is None:
        for game in known:
            yield from game_lines(game)
        return
    for game in known:
        yield title(game)
        yield from side_lines(game)
        yield ""
    yield from summary_lines(document["summary"], games)


class Review:
    """The review of several games.

    Parameters
    ----------
    records : list of Record
    errors : list of BadRecord
        Games that could not be read; those that cannot be searched are added.
    settings : Settings
    said : dict
        The settings, as the document has them.
    kept : dict
        What an earlier review has left, by file and number.
    """

    def __init__(
        self,
        records: Sequence[Record],
        errors: list[BadRecord],
        settings: Settings,
        said: Mapping[str, Any],
        kept: Mapping[tuple[str, int], dict[str, Any]],
    ) -> None:
        self._records = records
        self._errors = errors
        self._settings = settings
        self._said = said
        self._documents: dict[int, dict[str, Any]] = {}
        """Of the games that are complete or were begun earlier, by their index."""
        for index, record in enumerate(records):
            game = kept.get((record.source, record.number))
            if game is not None and _is_of(game, record):
                self._documents[index] = game
        self._active: dict[int, GameReview] = {}
        self._failed: set[int] = set()

    @property
    def count(self) -> int:
        """How many games there are."""
        return len(self._records)

    def document(self, *, with_unfinished: bool = True) -> dict[str, Any]:
        """What is known, for JSON. Games that are not finished take long: every position is set up for the names."""
        for index, game in self._active.items() if with_unfinished else ():
            self._documents[index] = game.document(is_interrupted=True)
        games = [self._documents[index] for index in sorted(self._documents) if index not in self._failed]
        errors = [error._asdict() for error in self._errors]
        return {
            "version": VERSION,
            "program": f"sanqi {__version__}",
            "settings": dict(self._said),
            "games": games,
            "errors": errors,
            "summary": summary_of(games, errors) if self.count > 1 else None,
        }

    def run(self, threads: int, hash_mb: int, file: str | None) -> bool:
        """Search. Returns whether all is done; False: it was interrupted. `hash_mb`: the table of each thread, so that
        what is found does not depend on their number. `file`: where the document is kept."""
        waiting = [index for index in range(self.count) if not self._is_complete(index)]
        total = sum(searched_positions(self._records[index]) for index in waiting)
        waiting.reverse()
        if not waiting:
            return True
        found: SimpleQueue[Done] = SimpleQueue()
        with progress_bar(total) as progress:
            pool = AnalystPool[Searcher]([EngineAnalyst(hash_mb) for _ in range(threads)], found.put)

            def submit(wanted: Iterable[Searches]) -> None:
                for searches in wanted:
                    progress.expect(searches.steps)
                    pool.submit(Searcher(searches, progress.advance))

            def begin(index: int) -> None:
                progress.expect(-searched_positions(self._records[index]))
                submit(self._begin(index))

            saved_s = now_s()
            try:
                while waiting or self._active:
                    while waiting and len(self._active) <= threads:
                        begin(waiting.pop())
                    self._end_games()
                    with contextlib.suppress(Empty):
                        submit(self._take(found.get(timeout=_WAIT_S if self._active else 0)))
                    if file is not None and now_s() - saved_s > _SAVE_S:
                        with contextlib.suppress(OSError):  # at the end it is tried again, and reported
                            write_document(self.document(with_unfinished=False), file)
                        saved_s = now_s()
            except KeyboardInterrupt:
                return False
            finally:
                with uninterrupted():
                    pool.close()
        return True

    def _is_complete(self, index: int) -> bool:
        return index in self._documents and self._documents[index]["complete"]

    def _begin(self, index: int) -> list[Searches]:
        """Begin to review a game. Returns its first searches."""
        record, kept = self._records[index], self._documents.get(index)
        try:
            game = review_of(index, record, self._settings, kept)
            searches = list(game.first_searches())
        except _MALFORMED:
            if kept is None:
                raise
            game = review_of(index, record, self._settings)
            searches = list(game.first_searches())
        self._active[index] = game
        return searches

    def _take(self, done: Done) -> Iterator[Searches]:
        """Take a result. Returns further searches of the game."""
        game = self._active.get(done.key[0])
        if game is not None and done.error:
            self._fail(game, done.error)
        elif game is not None:
            yield from game.take(done.key, done.found)

    def _end_games(self) -> None:
        for index, game in list(self._active.items()):
            if game.is_done:
                self._documents[index] = game.document()
                del self._active[index]

    def _fail(self, game: GameReview, error: str) -> None:
        record = game.record
        del self._active[game.index]
        self._failed.add(game.index)
        self._errors.append(BadRecord(record.source, record.number, error))
        print(f"sanqi review: {self._errors[-1].text()}", file=sys.stderr)


def _has_moves_of(kept: Mapping[str, Any], record: Record) -> bool:
    try:
        return kept["game"] == record.game and [ply["move"] for ply in kept["plies"]] == record.moves
    except _MALFORMED:
        return False


def _starts_as(kept: Mapping[str, Any], record: Record) -> bool:
    """Whether the first position and the rules are the same."""
    return bool(kept.get("start") == json.loads(json.dumps(record.reviewed.start)))


def _is_of(kept: Mapping[str, Any], record: Record) -> bool:
    """Whether what an earlier review has left is of the same game, and has the fields of a review."""
    left_out = record.reviewed.left_out
    try:
        same = (
            _has_moves_of(kept, record)
            and kept.get("leftOut") == (None if left_out is None else left_out._asdict())
            and _starts_as(kept, record)
        )
        if same and kept["complete"]:
            list(game_lines(kept))
            list(summary_lines(summary_of([kept], []), [kept]))
            same = [ply["ply"] for ply in kept["plies"]] == list(range(1, len(kept["plies"]) + 1))
            if record.reviewed.hidden is not None:
                same = same and all(ply.keys() >= HIDDEN_FIELDS for ply in kept["plies"])
    except _MALFORMED:
        return False
    return same
