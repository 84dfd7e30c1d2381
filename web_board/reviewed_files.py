"""The games of a file of `sanqi review --json`, whose mistakes are practised."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from game_core.record_files import STANDARD_STREAM, formats_of, read_record_file
from game_core.record_formats import RecordError
from game_core.table import movers_of
from game_review.review_files import NotAReview, document_of
from search_core.failures import named, reason_of
from search_core.line_protocol import excerpt
from search_core.parts import load_part
from web_board.choice_plies import with_choices
from web_board.games import PageGame, reopen
from web_board.practice import PracticeError, Reviewed

if TYPE_CHECKING:
    from game_review.review_document import GameReport

_IDENTITY_DIGITS = 16


def read_reviewed(file: Path, player: str | None, games: Mapping[str, PageGame]) -> dict[str, Reviewed]:
    """The games of a file by identities, which they keep when they are reviewed again. `player`: whose mistakes are to
    be practised; None: everybody's. Raises PracticeError."""
    try:
        kept = document_of(str(file)).games
    except OSError as error:
        raise PracticeError(f"--practise {excerpt(str(file))}: {reason_of(error)}") from None
    except NotAReview as error:
        raise PracticeError(f"--practise {excerpt(str(file))}: {error}") from None
    records = _Records(games)
    reports = [each.game for each in kept.values() if each.game is not None and each.game.game in games]
    found, faults = {}, []
    for report in reports:
        try:
            identity, game = _reviewed(report, player, games[report.game], records)
        except _NotPlayable as error:
            faults.append(error)
        else:
            found[identity] = game
    if faults and not found:
        raise faults[0]
    for fault in faults:
        print(f"sanqi board: {fault}; left out", file=sys.stderr)
    if not any(game.persons for game in found.values()):
        whose = "" if player is None else f" of --player {excerpt(player)}"
        raise PracticeError(f"--practise {excerpt(str(file))}: there is no game{whose} in it")
    return found


class _NotPlayable(PracticeError):
    """The rules of a table do not allow a game: it goes on after its end, or was reviewed by other rules."""


class _Records:
    """The games that were reviewed. Each file is read once."""

    def __init__(self, games: Mapping[str, PageGame]) -> None:
        self._games = games
        self._known = formats_of(game.description for game in games.values())
        self._files: dict[str, tuple[str, Iterator[Any], list[Any]]] = {}
        """The game that a file has, its records, and those that are read; an error for one that cannot be."""

    def record(self, report: GameReport) -> Any:
        """That of a game. Raises ValueError."""
        if report.source == STANDARD_STREAM:
            raise ValueError("the standard input cannot be read again; review a file")
        if report.source not in self._files:
            form, data = read_record_file(self._known, report.source, None)
            names = [option.name for option in form.form.reading if option.name in report.start]
            chosen = {name: _word(report.start[name]) for name in names}
            self._files[report.source] = form.game, form.form.read(data, **chosen), []
        game, records, read = self._files[report.source]
        while len(read) < report.number:
            try:
                read.append(next(records))
            except StopIteration:
                break
            except RecordError as error:  # the review has counted it, too
                read.append(error)
        if 1 <= report.number <= len(read) and isinstance(read[report.number - 1], RecordError):
            raise read[report.number - 1]
        if game != report.game or not 1 <= report.number <= len(read):
            raise ValueError("there is no such game in it")
        part = load_part(self._games[game].description.review)
        record = read[report.number - 1]
        return part.as_reviewed(record, report.start) if hasattr(part, "as_reviewed") else record


def _word(value: Any) -> str:
    """A field of a game's start as an option of a reader; of a board's size [15, 15] the first."""
    return str(value[0] if isinstance(value, list) else value)


def _reviewed(report: GameReport, player: str | None, game: PageGame, records: _Records) -> tuple[str, Reviewed]:
    """A game and its identity. Raises PracticeError if its record is not as it was reviewed."""
    form = game.record_format
    assert form.write is not None
    where = f"--practise: {excerpt(report.source)}, game {report.number}"
    with named(where, ValueError, PracticeError):
        data = base64.b64encode(form.write([records.record(report)])).decode("ascii")
    beginning = {"file": f"game{form.suffixes[0]}", "data": data, "seed": 1}
    with named(where, ValueError, _NotPlayable):
        opened = reopen(game, beginning)
    view = opened.session.view()
    with named(where, ValueError, PracticeError):
        report = with_choices(report, view["moves"], game.page_board(opened.session))
        moves = [ply.move for ply in report.plies]
        if moves != view["moves"][: len(moves)]:
            raise ValueError("the record has other moves than the review")
    movers = movers_of(view)[: len(moves)]
    content = json.dumps([report.game, report.start, [*report.names], moves], sort_keys=True).encode()
    identity = hashlib.sha256(content).hexdigest()[:_IDENTITY_DIGITS]
    persons = {mover for mover, ply in zip(movers, report.plies) if player in (None, _name_of(report, ply.side))}
    return identity, Reviewed([{"table": identity, **beginning}], report, movers, sorted(persons))


def _name_of(report: GameReport, side: str) -> str:
    """The name of the player of a side."""
    return report.names[report.players.index(side)]
