"""The files of `sanqi review`: the games to read, the document to go on with, its settings, and how it is written."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from game_core.json_fields import FieldError
from game_core.record_files import STANDARD_STREAM, NamedFormat, formats_of, read_record_file, reading_options
from game_core.record_formats import RecordError
from game_review.analysis_request import MAX_MS, MAX_NODES
from game_review.analysis_table import readable_notation
from game_review.json_parts import WrongPart, read_part, write_part
from game_review.review_document import (
    SECOND_SEARCH,
    VERSION,
    BadRecord,
    Document,
    GameReport,
    ReviewSettings,
    read_game,
)
from game_review.review_figures import MARKS
from game_review.review_game import Record
from search_core.failures import reason_of
from search_core.input_file import read_input
from search_core.line_protocol import shown_path
from search_core.parts import load_part
from search_core.whole_file import write_whole

if TYPE_CHECKING:
    from game_core.games import GamesWith

_MAX_DOCUMENT = 1 << 30
"""In bytes. A ply takes some 1.5 kB, so the review of 1,000 games is larger than other files that are read."""
_MAX_VALUES = 20_000_000


def read_games(args: argparse.Namespace, games: GamesWith, notation: str | None) -> Iterator[Record | BadRecord]:
    """The games of the command line, and what cannot be read. `notation`: the wanted one; None: the first that the
    terminal can show. Raises FieldError for a notation that a game lacks."""
    known = formats_of(games.values())
    given = set()
    for source in args.games:
        if source != STANDARD_STREAM and os.path.isdir(source):  # not so of an empty name
            closed: list[OSError] = []
            files = list(_files_in(Path(source), known, closed.append))
            for error in closed:
                yield BadRecord(error.filename, None, f"cannot be read: {reason_of(error)}")
            if not files and not closed:
                yield BadRecord(source, None, "there is no record in this folder")
        else:
            files = [source]
        for file in map(str, files):
            place = os.path.realpath(file)
            if place in given:
                print(f"sanqi review: {shown_path(file)}: given twice, reviewed once", file=sys.stderr)
            else:
                given.add(place)
                yield from _games_of(file, args, games, known, notation)


def _files_in(folder: Path, known: Sequence[NamedFormat], on_error: Callable[[OSError], None]) -> Iterator[Path]:
    """The records in a folder and its folders, in the order of their names: the files with the first suffix of a
    format that is not a later one of another, since these are suffixes of all sorts of files. `on_error` gets each
    folder that cannot be read."""
    suffixes = {each.form.suffixes[0] for each in known} - {
        suffix for each in known for suffix in each.form.suffixes[1:]
    }
    for path, folders, files in os.walk(folder, onerror=on_error):
        folders.sort()
        for file in (Path(path, name) for name in sorted(files)):
            # Reading a pipe or a device may never end.
            if file.suffix.lower() in suffixes and (os.path.isfile(file) or not os.path.exists(file)):
                yield file


def _games_of(
    source: str, args: argparse.Namespace, games: GamesWith, known: Sequence[NamedFormat], notation: str | None
) -> Iterator[Record | BadRecord]:
    """The games of a file."""
    try:
        form, data = read_record_file(known, source, args.source_format)
        game = games[form.game]
        if not game.review:
            raise RecordError(f"games of {game.title} cannot be reviewed yet")
        records = form.form.read(data, **reading_options(form.form, args))
    except RecordError as error:
        text = str(error).removeprefix(f"{shown_path(source)} ")
        yield BadRecord(source, None, text)
        return
    notations = load_part(game.analysis).NOTATIONS
    if notation not in (None, *notations):
        raise FieldError(f"--notation {notation}: {game.name} has {', '.join(notations)}")
    open_game = load_part(game.review).open_game
    for number in count(1):
        try:
            record = next(records)
            if args.game in (None, number):
                opened = open_game(record, args)
                first = notation or readable_notation(opened.subject, notations)
                names = [first, *(name for name in notations if name != first)]
                yield Record(game.name, source, number, opened, names)
        except StopIteration:
            break
        except (ValueError, RecursionError, MemoryError) as error:
            if args.game in (None, number):
                yield BadRecord(source, number if form.form.holds_many else None, reason_of(error))
        if args.game == number:
            return
    if args.game is not None:
        yield BadRecord(source, None, f"it has no game {args.game}")
    elif number == 1:
        yield BadRecord(source, None, "there is no game in it")


class Kept(NamedTuple):
    """A game of an earlier document. `game`: None if its fields are not those of a review."""

    is_complete: bool
    game: GameReport | None


KeptGames = Mapping[tuple[str, int], Kept]
"""By file and number."""


class Earlier(NamedTuple):
    """What --resume goes on with: the settings, not yet checked, and the games."""

    settings: Any
    games: KeptGames


class NotAReview(ValueError):
    """A file is no document of a review; the message is one line."""


def read_document(file: str) -> Earlier:
    """The document that --resume goes on with. Raises FieldError."""
    try:
        return document_of(file)
    except OSError as error:
        raise FieldError(f"--json {shown_path(file)}: {reason_of(error)}") from None
    except NotAReview as error:
        raise FieldError(f"--json {shown_path(file)}: {error}, nothing was changed") from None


def document_of(file: str) -> Earlier:
    """An earlier document. Raises OSError, NotAReview."""
    data = read_input(file, _MAX_DOCUMENT)
    if data.count(b"{") + data.count(b"[") > _MAX_VALUES:
        raise NotAReview(f"more than {_MAX_VALUES:,} objects and lists")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise NotAReview("not a review") from None
    games = document.get("games") if isinstance(document, dict) and document.get("version") == VERSION else None
    if not isinstance(games, list) or not all(isinstance(game, dict) for game in games):
        raise NotAReview(f"not a review of version {VERSION}")
    kept = {
        (game["source"], game["number"]): _kept(game)
        for game in games
        if isinstance(game.get("source"), str) and isinstance(game.get("number"), int)
    }
    return Earlier(document.get("settings"), kept)


def _kept(value: dict[str, Any]) -> Kept:
    try:
        game = read_game(value)
    except WrongPart:
        game = None
    return Kept(value.get("complete") is True, game)


def settings_of(args: argparse.Namespace, earlier: Earlier | None) -> ReviewSettings:
    """The settings of a review. `earlier`: the document to go on with; what the command line does not say is as there.

    Raises FieldError for damaged ones, for thresholds in a wrong order, and if the command line says something else.
    """
    known = ReviewSettings() if earlier is None else _read_settings(args.json, earlier.settings)
    chosen = known
    if args.movetime is not None or args.nodes is not None:
        chosen = chosen._replace(time_ms=args.movetime, nodes=args.nodes)
    given = {mark: getattr(args, mark) for mark in MARKS if getattr(args, mark) is not None}
    chosen = chosen._replace(thresholds=chosen.thresholds._replace(**given))
    if args.notation is not None:
        chosen = chosen._replace(notation=args.notation)
    if earlier is not None and chosen != known:
        raise FieldError(f"--resume: {shown_path(args.json)} was made with other settings")
    if not chosen.thresholds.are_sound:
        raise FieldError("--inaccuracy, --mistake and --blunder must grow from one to the next")
    return chosen


def _read_settings(file: str, earlier: object) -> ReviewSettings:
    """The settings of a document. Raises FieldError."""
    try:
        said = read_part(ReviewSettings, earlier)
        limits = [(said.time_ms, MAX_MS), (said.nodes, MAX_NODES)]
        known = [1 <= limit <= most // SECOND_SEARCH for limit, most in limits if limit is not None]
        is_sound = known == [True] and said.thresholds.are_sound and write_part(said) == earlier
    except WrongPart:
        is_sound = False
    if not is_sound:
        raise FieldError(f"--json {shown_path(file)}: its settings are none of a review, nothing was changed")
    if said.second_search != SECOND_SEARCH:
        raise FieldError(f"--resume: {shown_path(file)} was made with other settings")
    return said


def write_document(document: Document, file: str) -> None:
    """Write a document. Raises OSError."""
    text = json.dumps(write_part(document), ensure_ascii=False, indent=1)
    # In JSON, a backslash is how the name of a file that is no text is written.
    write_whole(file, text.encode("utf-8", "backslashreplace") + b"\n", replace=True)
