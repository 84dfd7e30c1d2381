"""Xiangqi games in files: the formats."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from game_core.record_formats import RecordError, RecordFormat, RecordOption, reader_of_one, writer_of_one
from search_core.text_file import unmarked
from ucci_engine import ccbridge, pgn, position_file, wxf_file, xqf
from ucci_engine.game_record import GameRecord

_NOTATIONS = ("iccs", "wxf", "chinese", "traditional", "algebraic")
_ENCODINGS = ("utf-8", "gb18030")
_PGN_BEGINS = rb"""(?x)\s*(?:
    \[\s*\w+\s+" | \d{1,4}\s*[.\x80-\xff] | [;%] | \{(?!\s*")  # a tag, a number, a comment (and no JSON)
  | [A-Ia-i]\d-?[A-Ia-i]\d(?![A-Va-v0-9]) | [A-Za-z+=-]?[1-9][-+=.][1-9] | [\x80-\xff]  # a move: ICCS, WXF, Chinese
)"""


def _read_pgn(data: bytes) -> Iterator[GameRecord]:
    text = pgn.decode(data)
    games = pgn.read_games(text)

    def next_game(_: None) -> GameRecord:
        """An error in what looks like a game of Western chess says so."""
        try:
            return next(games)
        except RecordError as error:
            from ucci_engine.western_chess import is_western

            line = re.match(r"line (\d+): ", str(error))
            if line is not None and is_western(text, int(line[1])):
                raise RecordError(f"{line[0]}this looks like a game of Western chess, not of Xiangqi") from None
            raise

    return map(next_game, itertools.repeat(None))  # unlike a generator, it goes on after an error


def _write_pgn(games: Sequence[GameRecord], *, notation: str = "iccs", encoding: str = "utf-8") -> bytes:
    return "".join(pgn.game_text(game, notation) for game in games).encode(encoding)


_PGN = RecordFormat(
    "pgn",
    (".pgn",),
    "games with variations and comments, UTF-8 or GB18030, every notation",
    _read_pgn,
    _write_pgn,
    holds_many=True,
    options=(
        RecordOption("notation", _NOTATIONS, "how the moves of a PGN file are written"),
        RecordOption("encoding", _ENCODINGS, "the encoding of a PGN file"),
    ),
    begins=re.compile(_PGN_BEGINS),
)
POSITION = RecordFormat(
    "position",
    (".txt",),
    "a `position` line of engines, also a FEN alone: no tags, comments, variations",
    reader_of_one(position_file.parse),
    writer_of_one(position_file.serialise),
    begins=re.compile(position_file.BEGINS.encode()),
)
RECORD_FORMATS = (
    _PGN,
    RecordFormat(
        "xqf",
        (".xqf",),
        "XQStudio: a game with variations and comments; some tags only, no counters",
        reader_of_one(xqf.parse),
        writer_of_one(xqf.serialise),
        options=(RecordOption("shorten", (), "cut the texts that are too long for an XQF file"),),
        begins=re.compile(b"XQ"),
    ),
    RecordFormat(
        "wxf",
        (".wxf",),
        "the World Xiangqi Federation's, of PlayOK and XieXie; read only",
        lambda data: wxf_file.read_games(pgn.decode(data)),
        holds_many=True,
        begins=re.compile(rb"\s*FORMAT[ \t]"),
    ),
    RecordFormat(
        "cbr",
        (".cbr",),
        "CCBridge (象棋桥): a game; read only",
        reader_of_one(ccbridge.parse_game),
        begins=re.compile(b"CCBridge Record"),
    ),
    RecordFormat(
        "cbl",
        (".cbl",),
        "CCBridge: a library of games; read only",
        ccbridge.read_library,
        holds_many=True,
        begins=re.compile(b"CCBridgeLibrary"),
    ),
    POSITION,
)
"""The formats."""


def read_file(data: bytes, file: str) -> Iterator[GameRecord]:
    """The games of a file, whose name shows the format; PGN if it shows none, or if a text does not begin as a position
    does. Raises RecordError."""
    form = next((each for each in RECORD_FORMATS if file.lower().endswith(each.suffixes)), _PGN)
    if form is POSITION and not form.begins.match(unmarked(data)):
        form = _PGN
    return form.read(data)


__all__ = ["POSITION", "RECORD_FORMATS", "RecordError", "read_file"]
