"""The work of `sanqi review`: all games at the same time as far as there are threads, and what is written of them."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
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
from game_review.json_parts import write_part
from game_review.review_document import VERSION, BadRecord, Document, Ended, GameReport, ReviewSettings
from game_review.review_files import KeptGames, read_document, read_games, settings_of, write_document
from game_review.review_game import GameReview, Record
from game_review.review_hidden import review_of, searched_positions
from game_review.review_search import Done, Searcher
from game_review.review_summary import summary_of
from game_review.review_table import document_lines
from game_review.review_words import left_out_text
from search_core.child_process import interrupt_by_any_signal, uninterrupted
from search_core.clock import now_s
from search_core.failures import reason_of
from search_core.line_protocol import printable, shown_path
from search_core.version import __version__
from search_core.whole_file import is_stream

_WAIT_S = 0.2
"""A signal does not interrupt a wait that begins at the same moment; on Windows, none at all."""
_SAVE_S = 10.0
"""The least time between two times that the document is written."""
_SAVE_SHARE = 20
"""Writing takes at most this part of the time: a document of 1,000 games takes seconds."""


def run_review(args: argparse.Namespace) -> int:
    """Review the games of the command line. Returns the exit status. Raises FieldError."""
    interrupt_by_any_signal()
    earlier = read_document(args.json) if args.resume and Path(args.json).exists() else None
    settings = settings_of(args, earlier)
    kept = {} if earlier is None else earlier.games
    records: list[Record] = []
    errors: list[BadRecord] = []
    for found in read_games(args, args.registry, settings.notation):
        if isinstance(found, BadRecord):
            errors.append(found)
            _report(found)
            continue
        records.append(found)
        remarks = list(map(printable, remarks_of(found.reviewed.subject)))
        if found.reviewed.left_out is not None:
            remarks.append(left_out_text(found.reviewed.left_out))
        for remark in remarks:
            _report(BadRecord(found.source, found.number, remark))
    if not records:
        return 2
    taken = _taken_over(records, kept)
    _check_kept(args, kept, records, taken)
    review = Review(records, errors, settings, {index: game for index, (_, game) in taken.items()})
    is_kept = args.json not in (None, STANDARD_STREAM) and not is_stream(args.json)
    is_whole = review.run(args.threads, args.hash or TABLE_MB, args.json if is_kept else None)
    return _written(args, review, is_whole)


def _report(record: BadRecord) -> None:
    print(f"sanqi review: {record.text()}", file=sys.stderr)


_Taken = Mapping[int, tuple[tuple[str, int], GameReport]]
"""What an earlier review has left of the games, by their index: file and number there, and the game."""


def _taken_over(records: Sequence[Record], kept: KeptGames) -> _Taken:
    """Find each game in the earlier review: by its file and number, else, as games may have been added before it, by
    its moves."""
    taken: dict[int, tuple[tuple[str, int], GameReport]] = {}
    for index, record in enumerate(records):
        key = record.source, record.number
        found = kept.get(key)
        if found is not None and found.game is not None and _is_of(found.game, record):
            taken[index] = key, _as_recorded(found.game, record)
    used = {key for key, _ in taken.values()}
    others = defaultdict(list)
    for key, found in kept.items():
        if key not in used and found.game is not None:
            others[tuple(ply.move for ply in found.game.plies)].append((key, found.game))
    for index, record in enumerate(records):
        same = others.get(tuple(record.moves), []) if index not in taken else []
        for found_as in same:
            if _is_of(found_as[1], record):
                same.remove(found_as)
                taken[index] = found_as[0], _as_recorded(found_as[1], record)
                break
    return taken


def _as_recorded(report: GameReport, record: Record) -> GameReport:
    """A report with what the record says now beside the moves: names, result, comments and times may be others."""
    game = record.reviewed
    last = report.plies[-1].played if report.plies else None
    ended = (last and last.ended) or Ended("*", game.reason)
    return replace(
        report,
        source=record.source,
        number=record.number,
        headers=game.headers,
        names=game.names,
        opening=game.opening,
        plies=[
            replace(ply, comment=note.comment, spent_ms=note.spent_ms) for ply, note in zip(report.plies, game.notes)
        ],
        result=ended if game.result == "*" else ended._replace(result=game.result),
    )


def _check_kept(args: argparse.Namespace, kept: KeptGames, records: Sequence[Record], taken: _Taken) -> None:
    """Raises FieldError if the document has a finished game that would be lost: none of the command line is it, or one
    by other rules."""
    named = {(each.source, each.number) for each in records} | {key for key, _ in taken.values()}
    for (source, number), earlier in kept.items():
        if earlier.is_complete and (source, number) not in named:
            lost = f"{shown_path(source)}, game {number}"
            raise FieldError(f"--resume: {shown_path(args.json)} has {lost}, too; name it, or another --json")
    for record in records:
        found = kept.get((record.source, record.number))
        game = None if found is None else found.game
        if game is not None and game.complete and _has_moves_of(game, record) and not _starts_as(game, record):
            raise FieldError(f"--resume: {shown_path(args.json)} was made by other rules or with another --see")


def _written(args: argparse.Namespace, review: Review, is_whole: bool) -> int:
    """Write what was found. Returns the exit status."""
    if not is_whole:
        print("sanqi review: interrupted; what is known is being written", file=sys.stderr)
    with uninterrupted():  # it may take seconds, and Ctrl-C is often pressed twice
        document = review.document()
        status = 1 if document.errors else 0
        writers: dict[str, Callable[[Document, str], None]] = {}
        if args.json not in (None, STANDARD_STREAM):
            writers[args.json] = write_document
        if args.html is not None:
            from game_review.review_page import write_page

            writers[args.html] = partial(write_page, known=args.registry)
        for file, write in writers.items():  # first, since nobody may read the standard output
            try:
                write(document, file)
            except OSError as error:
                print(f"sanqi review: {shown_path(file)}: {reason_of(error)}", file=sys.stderr)
                status = 2
    if args.json == STANDARD_STREAM:
        print(json.dumps(write_part(document)))
    else:
        for line in document_lines(document):
            print(line)
    if not is_whole:
        done = sum(game.complete for game in document.games)
        hint = "; continue with --resume" if args.json not in (None, STANDARD_STREAM) else ""
        print(f"sanqi review: interrupted after {done} of {len(review.records)} games{hint}", file=sys.stderr)
        return INTERRUPTED
    return status


class Review:
    """The review of several games.

    Parameters
    ----------
    records : list of Record
    errors : list of BadRecord
        Games that could not be read; those that cannot be searched are added.
    settings : ReviewSettings
    kept : dict
        What an earlier review has left of them, by their index.
    """

    def __init__(
        self,
        records: Sequence[Record],
        errors: list[BadRecord],
        settings: ReviewSettings,
        kept: Mapping[int, GameReport],
    ) -> None:
        self.records = records
        self._errors = errors
        self._settings = settings
        self._games = dict(kept)
        """Those that are complete or were begun earlier, by their index."""
        self._active: dict[int, GameReview[Any, Any]] = {}

    def document(self, *, with_unfinished: bool = True) -> Document:
        """What is known. Games that are not finished take long: every position is set up for the names."""
        for index, game in self._active.items() if with_unfinished else ():
            self._games[index] = game.document(is_interrupted=True)
        games = [self._games[index] for index in sorted(self._games)]
        summary = summary_of(games, len(self._errors)) if len(self.records) > 1 else None
        return Document(VERSION, f"sanqi {__version__}", self._settings, games, self._errors, summary)

    def run(self, threads: int, hash_mb: int, file: str | None) -> bool:
        """Search. Returns whether all is done; False: it was interrupted. `hash_mb`: the table of each thread, so that
        what is found does not depend on their number. `file`: where the document is kept."""
        indices = reversed(range(len(self.records)))
        waiting = [index for index in indices if index not in self._games or not self._games[index].complete]
        total = sum(searched_positions(self.records[index]) for index in waiting)
        if not waiting:
            return True
        found: SimpleQueue[Done] = SimpleQueue()
        with progress_bar(total) as progress:
            pool = AnalystPool[Searcher]([EngineAnalyst(hash_mb) for _ in range(threads)], found.put)

            def submit(wanted: Iterable[Searcher]) -> None:
                for searcher in wanted:
                    searcher.advance = progress.advance
                    progress.expect(searcher.steps)
                    pool.submit(searcher)

            save_s = now_s() + _SAVE_S
            try:
                while waiting or self._active:
                    while waiting and len(self._active) <= threads:
                        index = waiting.pop()
                        progress.expect(-searched_positions(self.records[index]))
                        submit(self._begin(index))
                    self._end_games()
                    with contextlib.suppress(Empty):
                        submit(self._take(found.get(timeout=_WAIT_S if self._active else 0)))
                    if file is not None and (began_s := now_s()) > save_s:
                        with contextlib.suppress(OSError):  # at the end it is tried again, and reported
                            write_document(self.document(with_unfinished=False), file)
                        save_s = (ended_s := now_s()) + max(_SAVE_S, _SAVE_SHARE * (ended_s - began_s))
            except KeyboardInterrupt:
                return False
            finally:
                with uninterrupted():
                    pool.close()
        return True

    def _begin(self, index: int) -> list[Searcher]:
        """Begin to review a game. Returns its first searches."""
        record, kept = self.records[index], self._games.get(index)
        try:
            game = review_of(index, record, self._settings, None if kept is None else kept.searches)
        except ValueError:  # its searches are damaged
            game = review_of(index, record, self._settings)
        self._active[index] = game
        return game.wanted()

    def _take(self, done: Done) -> list[Searcher]:
        """Take a result. Returns further searches of the game."""
        game = self._active.get(done.key[0])
        if game is None:
            return []
        if not done.error:
            return game.take(done.key, done.found)
        del self._active[game.index]
        self._games.pop(game.index, None)
        self._errors.append(BadRecord(game.record.source, game.record.number, done.error))
        _report(self._errors[-1])
        return []

    def _end_games(self) -> None:
        for index, game in list(self._active.items()):
            if game.is_done:
                self._games[index] = game.document()
                game.forget()
                del self._active[index]


def _has_moves_of(kept: GameReport, record: Record) -> bool:
    return kept.game == record.game and [ply.move for ply in kept.plies] == record.moves


def _starts_as(kept: GameReport, record: Record) -> bool:
    """Whether the first position and the rules are the same."""
    return bool(kept.start == json.loads(json.dumps(record.reviewed.start)))


def _is_of(kept: GameReport, record: Record) -> bool:
    """Whether what an earlier review has left is of the same game."""
    hides = record.reviewed.hidden is not None
    return (
        _has_moves_of(kept, record)
        and kept.left_out == record.reviewed.left_out
        and _starts_as(kept, record)
        and all((ply.hidden is not None) == hides for ply in kept.plies)
    )
