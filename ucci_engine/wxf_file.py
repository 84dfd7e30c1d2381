"""Xiangqi games in the World Xiangqi Federation's file format, as PlayOK and XieXie write it: read, not written.

    FORMAT  WXF
    RED     lin ; 1200 ;;
    BLACK   ;mei;;0
    RESULT  1-0
    FEN     4kaer1/4a2c1/2h1e1h2/3Rp1C1p/2C6/5rP2/1pP1P3P/8E/9/1cEAKA1R1 b
    START{
     1. C2.5 h8+7   2. H2+3 r9.8
    }END

A header is a word and its value on a line. A player is team, name, title and rating, separated by semicolons; PlayOK
writes name and rating. A start position is a FEN, or SETUP{ } with a letter and a square for each piece. The moves are
in WXF, of either case for both sides, or in another notation that PGN has. A file may hold several games, each from
its FORMAT on.

The reader turns a game into PGN, line by line, and lets the reader of PGN do the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from search_core.failures import named
from search_core.line_protocol import legible
from ucci_engine.game_record import GameRecord, RecordError, board_fen
from ucci_engine.pgn import read_games as read_pgn

_FORMAT = re.compile(r"^[ \t]*FORMAT\b", re.MULTILINE | re.IGNORECASE)
_HEADER = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9_]*)[ \t:]*(.*)")
_BLOCK = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9_]*)[ \t]*\{")
_END = re.compile(r"\}[ \t]*END\b|\}\s*\Z", re.IGNORECASE)
_BLOCK_ENDS = re.compile(r"\}[ \t]*\w*")
_PIECE = re.compile(r"\b([A-Za-z])([a-i])([0-9])\b")
_TURN = re.compile(r"\b(RED|BLACK|WHITE)\b", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:\s.*)?")
_TAGS = {
    "GAME": "Title",
    "EVENT": "Event",
    "SITE": "Site",
    "DATE": "Date",
    "ROUND": "Round",
    "RESULT": "Result",
    "TIME": "TimeControl",
    "OPEN": "Opening",
    "OPENING": "Opening",
    "FEN": "FEN",
}
_PLAYERS = {"RED": "Red", "WHITE": "Red", "BLACK": "Black"}
_RESULTS = {"1-0": "1-0", "0-1": "0-1", "1/2-1/2": "1/2-1/2", "1/2": "1/2-1/2", "0.5-0.5": "1/2-1/2", "DRAW": "1/2-1/2"}
_LETTERS = str.maketrans("HEGMhegm", "NBABnbab")
"""The letters of this format's start positions that differ from FEN's; G and M are those of its first description."""


def is_wxf(text: str) -> bool:
    """Whether a text is in this format, rather than in PGN."""
    first = _FORMAT.search(text)
    return first is not None and not text[: first.start()].strip() and "START{" in text.upper().replace(" ", "")


def read_games(text: str) -> Iterator[GameRecord]:
    """The games of a text, each when it is asked for. Raises RecordError; the games after it can still be asked for."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not is_wxf(text):
        raise RecordError("line 1: a WXF file begins with FORMAT and has its moves between START{ and }END")
    return _Reader(text)


class _Reader:
    """Reads one game after the other. Unlike a generator, it goes on after an error."""

    def __init__(self, text: str) -> None:
        self._texts = _games(text)
        self._games: Iterator[GameRecord] = iter(())
        """What is left of the game that is being read."""

    def __iter__(self) -> Iterator[GameRecord]:
        return self

    def __next__(self) -> GameRecord:
        """The next game. Raises RecordError."""
        while (game := next(self._games, None)) is None:
            line, text = next(self._texts)
            with named(f"line {line}", RecordError):
                pgn = _as_pgn(text)
            self._games = read_pgn(pgn, line)
        return game


def _games(text: str) -> Iterator[tuple[int, str]]:
    """The line on which each game begins, and its text."""
    begins = [found.start() for found in _FORMAT.finditer(text)]
    begins[0] = 0
    line = 1
    for begin, end in zip(begins, [*begins[1:], len(text)]):
        yield line, text[begin:end]
        line += text.count("\n", begin, end)


def _as_pgn(text: str) -> str:
    """The PGN of a game, of as many lines."""
    lines = []
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if block := _BLOCK.match(text, at, end):
            name = block[1].upper()
            closing = (_END if name == "START" else _BLOCK_ENDS).search(text, block.end())
            lines.append(_block(name, text[block.end() : len(text) if closing is None else closing.start()]))
            at = len(text) if closing is None else closing.end()
        else:
            lines.append(_header(text[at:end]) + "\n" * (end < len(text)))
            at = end + 1
    return "".join(lines)


def _header(line: str) -> str:
    """The tags of a header, on one line."""
    found = _HEADER.fullmatch(line)
    if found is None:
        return ""
    name, value = found[1].upper(), " ".join(found[2].split())
    if name == "FORMAT":
        return '[Game "Chinese Chess"]'
    if name in _PLAYERS:
        return _player(_PLAYERS[name], value)
    if name not in _TAGS or not value:
        return ""
    if name == "FEN":
        board, _, rest = value.partition(" ")
        value = f"{board.translate(_LETTERS)} {rest}"
    elif name == "DATE" and (date := _DATE.fullmatch(value)):
        value = f"{date[1]}.{int(date[2]):02}.{int(date[3]):02}"
    elif name == "RESULT":
        value = _RESULTS.get(value.upper().replace(":", "-").replace(" ", ""), "*")
    return _tag(_TAGS[name], value)


def _player(side: str, value: str) -> str:
    fields = [field.strip() for field in value.split(";")]
    if len(fields) == 1:
        return _tag(side, value)
    names = [field for field in fields if field and not field.isdecimal()]
    ratings = [field for field in fields[1:] if field.isdecimal() and int(field[:9]) > 0]
    has_team = bool(fields[0]) and bool(fields[1]) and not fields[1].isdecimal()
    team = fields[0] if has_team else ""
    name = fields[1] if has_team else fields[0] or (names[0] if names else "")
    return _tag(f"{side}Team", team) + _tag(side, name) + _tag(f"{side}Elo", ratings[0] if ratings else "")


def _tag(name: str, value: str) -> str:
    escaped = value.replace("\\", r"\\").replace('"', r"\"")
    return f'[{name} "{escaped}"]' if value else ""


def _block(name: str, body: str) -> str:
    """The PGN of what stands between the braces of a block."""
    breaks = "\n" * body.count("\n")
    if name == "START":
        # Brackets in a comment are a part of it.
        return re.sub(r"(\{[^}]*\})|\[([^\]{}]*)\]", lambda found: found[1] or f"{{{found[2]}}}", body) + " *"
    if name == "SETUP":
        return _tag("FEN", _set_up(body)) + breaks
    if name.startswith(("COMMENT", "REMARK")):
        return "{" + body.replace("{", "(") + "}"
    return breaks


def _set_up(body: str) -> str:
    """The FEN of pieces and squares. Raises RecordError."""
    board = {}
    for letter, file, rank in _PIECE.findall(body):
        square = int(rank) * 9 + ord(file) - ord("a")
        if square in board:
            raise RecordError(f"SETUP has two pieces on {legible(file + rank)}")
        board[square] = letter.translate(_LETTERS)
    turn = _TURN.search(body)
    return board_fen(board, turn is not None and turn[1].upper() == "BLACK")
