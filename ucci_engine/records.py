"""Xiangqi games in files: the formats. Their modules are imported when they are first needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from game_core.record_formats import RecordError, RecordFormat, RecordOption
from ucci_engine.game_record import GameRecord

_NOTATIONS = ("iccs", "wxf", "chinese", "traditional", "algebraic")
_ENCODINGS = ("utf-8", "gb18030")
_PGN_BEGINS = rb"""(?x)\s*(?:
    \[\s*\w+\s+" | \d{1,4}\s*[.\x80-\xff] | [;%] | \{(?!\s*")  # a tag, a number, a comment (and no JSON)
  | [A-Ia-i]\d-?[A-Ia-i]\d(?![A-Va-v0-9]) | [A-Za-z+=-]?[1-9][-+=.][1-9] | [\x80-\xff]  # a move: ICCS, WXF, Chinese
)"""


def _read_pgn(data: bytes) -> Iterator[GameRecord]:
    from ucci_engine.pgn import decode, read_games

    text = decode(data)
    return _Doubting(read_games(text), text)


class _Doubting:
    """The games of a PGN text; an error in one that looks like Western chess says so."""

    def __init__(self, games: Iterator[GameRecord], text: str) -> None:
        self._games = games
        self._text = text

    def __iter__(self) -> _Doubting:
        return self

    def __next__(self) -> GameRecord:
        try:
            return next(self._games)
        except RecordError as error:
            from ucci_engine.western_chess import is_western

            line = re.match(r"line (\d+): ", str(error))
            if line is not None and is_western(self._text, int(line[1])):
                raise RecordError(f"{line[0]}this looks like a game of Western chess, not of Xiangqi") from None
            raise


def _write_pgn(games: Sequence[GameRecord], *, notation: str = "iccs", encoding: str = "utf-8") -> bytes:
    from ucci_engine.pgn import game_text

    return "".join(game_text(game, notation) for game in games).encode(encoding)


def _read_wxf(data: bytes) -> Iterator[GameRecord]:
    from ucci_engine.pgn import decode
    from ucci_engine.wxf_file import read_games

    return read_games(decode(data))


def _read_xqf(data: bytes) -> Iterator[GameRecord]:
    from ucci_engine.xqf import parse

    yield parse(data)


def _write_xqf(games: Sequence[GameRecord], *, shorten: bool = False) -> bytes:
    from ucci_engine.xqf import serialise

    (game,) = games
    return serialise(game, shorten=shorten)


def _read_cbr(data: bytes) -> Iterator[GameRecord]:
    from ucci_engine.ccbridge import parse_game

    yield parse_game(data)


def _read_cbl(data: bytes) -> Iterator[GameRecord]:
    from ucci_engine.ccbridge import read_library

    return read_library(data)


RECORD_FORMATS = (
    RecordFormat(
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
    ),
    RecordFormat(
        "xqf",
        (".xqf",),
        "XQStudio: a game with variations and comments; some tags only, no counters",
        _read_xqf,
        _write_xqf,
        options=(RecordOption("shorten", (), "cut the texts that are too long for an XQF file"),),
        begins=re.compile(b"XQ"),
    ),
    RecordFormat(
        "wxf",
        (".wxf",),
        "the World Xiangqi Federation's, of PlayOK and XieXie; read only",
        _read_wxf,
        holds_many=True,
        begins=re.compile(rb"\s*FORMAT[ \t]"),
    ),
    RecordFormat(
        "cbr",
        (".cbr",),
        "CCBridge (象棋桥): a game; read only",
        _read_cbr,
        begins=re.compile(b"CCBridge Record"),
    ),
    RecordFormat(
        "cbl",
        (".cbl",),
        "CCBridge: a library of games; read only",
        _read_cbl,
        holds_many=True,
        begins=re.compile(b"CCBridgeLibrary"),
    ),
)
"""The formats."""


def read_file(data: bytes, file: str) -> Iterator[GameRecord]:
    """The games of a file, whose name shows the format; PGN if it shows none. Raises RecordError."""
    for each in RECORD_FORMATS:
        if file.lower().endswith(each.suffixes):
            return each.read(data)
    return _read_pgn(data)


__all__ = ["RECORD_FORMATS", "RecordError", "read_file"]
