"""Records of games (.jgr): the referee's log, flushed line by line. A game can be continued from it or verified."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from pathlib import Path

from game_core.record_formats import RecordError as RecordError
from game_core.record_formats import RecordFormat, reader_of_one, writer_of_one
from junqi_protocol.rules import lineup
from junqi_protocol.rules.arbiter import MAX_ILLEGAL, Arbiter
from junqi_protocol.rules.messages import (
    HAPPENINGS,
    Happening,
    MessageError,
    NewGame,
    Terms,
    fields,
    game_over,
    number,
    seat_number,
)
from search_core.growing_file import GrowingFile
from search_core.input_file import read_input
from search_core.line_protocol import excerpt
from search_core.whole_file import write_whole

SUFFIX = ".jgr"
_VERSION = "1"
_MAX_PLIES = 50_000


class NotBegun(RecordError):
    """A record that ends before the start of the game."""


def record_text(arbiter: Arbiter) -> str:
    """The record of a game as far as it was played."""
    lines = _head(arbiter)
    refusals = list(arbiter.refusals)
    for happening in arbiter.happenings:
        while refusals and refusals[0][0] == happening.ply:
            lines.append(refusals.pop(0)[1])
        lines.append(happening.text(arbiter.variant) + happening.spent.text())
    lines += [line for _, line in refusals]
    if arbiter.outcome is not None:
        lines.append(f"gameover {arbiter.outcome}")
    return "".join(line + "\n" for line in lines)


def write_record(path: Path, arbiter: Arbiter) -> None:
    """Write the whole record of a game to the disk. Raises OSError, which names the file."""
    write_whole(path, record_text(arbiter).encode("ascii"), replace=True)


def _head(arbiter: Arbiter) -> list[str]:
    """The lines of a record before the first ply."""
    terms = arbiter.terms
    return [
        f"record {_VERSION}",
        NewGame(terms).text(),
        *arbiter.disclose(range(terms.variant.seats)),
        f"start {terms.first}",
    ]


class RecordWriter:
    """Writes one game. Only its owner can read the file before finish()."""

    def __init__(self, path: Path, arbiter: Arbiter, *, goes_on: bool = False) -> None:
        """Begin the record of a game, or continue it after its last whole line. Raises OSError."""
        self._arbiter = arbiter
        if goes_on:
            os.truncate(path, read_input(path).rfind(b"\n") + 1)
            self._file = GrowingFile(path, "ab")
            return
        self._file = GrowingFile(path, "wb", 0o600)
        try:
            self.write(*_head(arbiter))
        except OSError:  # a game that has not begun cannot be continued
            self._file.close()
            path.unlink()
            raise

    def happened(self, happening: Happening) -> None:
        """Add a ply."""
        self.write(happening.text(self._arbiter.variant) + happening.spent.text())

    def finish(self) -> None:
        """Add the end of the game, and write everything to the disk."""
        self.write(f"gameover {self._arbiter.outcome}")
        self._file.sync()
        if sys.platform != "win32":  # which has no such permissions
            os.fchmod(self._file.file.fileno(), 0o644)
        self._file.close()

    def close(self) -> None:
        """Leave the record as it is."""
        self._file.close()

    def write(self, *lines: str) -> None:
        """Add lines such as `illegal`."""
        self._file.append("".join(line + "\n" for line in lines).encode("ascii"))


class Replay:
    """A record read and checked line by line.

    Attributes
    ----------
    arbiter : Arbiter
        The game as far as it was read.
    finished : bool
        Whether the record has its `gameover`.
    """

    arbiter: Arbiter

    def __init__(self, data: bytes, most_plies: int | None = None) -> None:
        """Read a record; an incomplete last line is ignored. Raises RecordError at the first line that is wrong.

        `most_plies`: stop after this many plies.
        """
        self.finished = False
        self._terms: Terms | None = None
        self._lineups: dict[int, str] = {}
        self._has_begun = False
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # a resumed game could not go on in it
            raise RecordError("line 1: a text in UTF-16, expected UTF-8 or ASCII")
        at = -1
        lines = io.BytesIO(data.removeprefix(codecs.BOM_UTF8))
        for at, raw in enumerate(line for line in lines if line.endswith(b"\n")):
            try:
                line = raw.decode("ascii").rstrip("\r\n")
                self._read(at, line.split(), line)
            except ValueError as error:
                text = raw.decode("ascii", "replace").rstrip("\r\n")
                raise RecordError(f"line {at + 1}: {excerpt(text)}: {error}") from None
            if most_plies is not None and self._has_begun and len(self.arbiter.happenings) >= most_plies:
                return
        if not self._has_begun:
            raise NotBegun(f"line {at + 2}: the record ends before the start of the game")

    def _read(self, at: int, words: list[str], line: str) -> None:
        keyword = words[0].lower() if words else ""
        if at == 0:
            if words != ["record", _VERSION]:
                raise MessageError(f"expected record {_VERSION}")
        elif keyword.startswith("#"):
            pass
        elif self.finished:
            raise MessageError("comes after the end of the game")
        elif self._terms is None:
            if keyword != "newgame":
                raise MessageError("expected newgame")
            self._terms = NewGame.parse(words[1:]).terms
        elif not self._has_begun:
            self._prepare(self._terms, keyword, words)
        elif keyword in HAPPENINGS:
            if len(self.arbiter.happenings) == _MAX_PLIES:
                raise MessageError(f"more than {_MAX_PLIES:,} plies in a game")
            self.arbiter.repeat(HAPPENINGS[keyword](words[1:], self.arbiter.variant))
        elif keyword == "illegal":
            self._count_refusal(self.arbiter, words, line)
        elif keyword == "gameover":
            outcome = game_over(" ".join(words[1:]), self.arbiter.variant)
            if outcome != self.arbiter.outcome:
                raise MessageError(f"by the rules: {self.arbiter.outcome or 'the game goes on'}")
            self.finished = True
        else:
            raise MessageError("expected moved, skipped, left, illegal or gameover")

    def _prepare(self, terms: Terms, keyword: str, words: list[str]) -> None:
        if keyword == "lineup":
            fields(words, "lineup", "the seat", "the lineup")
            seat = seat_number(words[1], terms.variant)
            if seat in self._lineups:
                raise MessageError(f"seat {seat} has a lineup already")
            self._lineups[seat] = lineup.parse(words[2])
        elif keyword == "start":
            fields(words, "start", "the seat")
            missing = [seat for seat in range(terms.variant.seats) if seat not in self._lineups]
            if missing:
                raise MessageError(f"seat {missing[0]} has no lineup")
            if number(words[1], "the seat") != terms.first:
                raise MessageError(f"expected start {terms.first}")
            self._has_begun = True
            self.arbiter = Arbiter(terms, [self._lineups[seat] for seat in range(terms.variant.seats)])
        else:
            raise MessageError("expected lineup or start")

    @staticmethod
    def _count_refusal(arbiter: Arbiter, words: list[str], line: str) -> None:
        fields(words, "illegal", "the seat", "the ply", "the move")
        if (words[1], words[2]) != (str(arbiter.turn), str(arbiter.next_ply)) or arbiter.outcome is not None:
            raise MessageError(f"expected seat {arbiter.turn}, ply {arbiter.next_ply}")
        arbiter.strikes[arbiter.turn] += 1
        arbiter.refusals.append((arbiter.next_ply, line))
        if arbiter.strikes[arbiter.turn] >= MAX_ILLEGAL:
            raise MessageError(f"the {MAX_ILLEGAL}rd illegal answer of a seat puts it out")


RECORD_FORMATS = (
    RecordFormat(
        "jgr",
        (SUFFIX,),
        "the referee's record, checked; comments and a broken last line go",
        reader_of_one(lambda data: Replay(data).arbiter),
        writer_of_one(lambda arbiter: record_text(arbiter).encode("ascii")),
        begins=re.compile(rb"(?:\s|#[^\n]*\n)*record\s"),
    ),
)
"""The formats, for `sanqi convert`."""
