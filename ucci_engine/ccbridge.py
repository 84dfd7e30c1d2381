"""Xiangqi games as CBR and CBL, the files of 象棋桥 (CCBridge): read, not written.

A CBR file is one game with variations and comments. A CBL file is a library: many games, each at a multiple of 4,096
bytes after the first one. The moves are in the order of XQF. Texts are in UTF-16.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from search_core.failures import named
from ucci_engine.game_record import GameRecord, RecordError, StoredMove, stored_game

_LIBRARY = b"CCBridgeLibrary\0"
_GAME = b"CCBridge Record\0"
_BLOCK = 4096

# Offsets in a game
_TEXTS = {"Title": (180, 128), "Event": (692, 64), "Red": (1076, 64), "Black": (1300, 64)}
"""For each tag, where its text is, and the bytes that it can have."""
_RESULT_AT = 2076
_RESULTS = {1: "1-0", 2: "0-1", 3: "1/2-1/2", 4: "1/2-1/2"}
_SIDE_AT = 2116
_RED_TO_MOVE = 1
_BOARD_AT = 2120
_COMMENT_AT = 2214
"""Where it says whether there is a comment on the start. The moves follow this and the comment."""

_KINDS = "RNBAKCP"
"""The pieces from 0x11 on for Red, from 0x21 on for Black."""
_LINE_ENDS, _HAS_VARIATION, _HAS_COMMENT = 1, 2, 4
_MAX_COMMENT = 1 << 20
_ENCODING = "utf-16-le"


def parse_game(data: bytes) -> GameRecord:
    """The game in a CBR file. Raises RecordError, which names the offset."""
    if not data.startswith(_GAME):
        raise RecordError("offset 0x0: a CBR file begins with 'CCBridge Record'")
    return _game(data, 0, len(data))


def read_library(data: bytes) -> Iterator[GameRecord]:
    """The games of a CBL file, each read when it is asked for. Entries with an empty board, which are headings, are
    left out. Raises RecordError, which names game and offset; the games after it can still be asked for."""
    if not data.startswith(_LIBRARY):
        raise RecordError("offset 0x0: a CBL file begins with 'CCBridgeLibrary'")
    first = data.find(_GAME)
    if first < 0:
        return iter(())
    begins = [at for at in range(first, len(data), _BLOCK) if data.startswith(_GAME, at)]
    spans = itertools.pairwise([*begins, len(data)])
    games = [span for span in spans if any(data[span[0] + _BOARD_AT : span[0] + _BOARD_AT + 90])]

    def read(number: int) -> GameRecord:
        with named(f"game {number}", RecordError):
            return _game(data, *games[number - 1])

    return map(read, range(1, len(games) + 1))  # unlike a generator, it goes on after an error


def _game(data: bytes, begin: int, end: int) -> GameRecord:
    if end - begin < _COMMENT_AT + 4:
        raise RecordError(f"offset {end:#x}: the file ends in the header of a game")
    board = _board(data, begin + _BOARD_AT)
    stored = _Moves(data, begin + _COMMENT_AT, end)
    comment = stored.start_comment()
    moves = iter(stored)
    first = next(moves, None)
    if first is not None and first.origin in board:
        starts_black = board[first.origin].islower()
    else:
        starts_black = _number(data, begin + _SIDE_AT, 2) != _RED_TO_MOVE
    texts = {name: _text(data[begin + at : begin + at + size]) for name, (at, size) in _TEXTS.items()}
    tags = {name: text for name, text in texts.items() if text}
    result = _RESULTS.get(data[begin + _RESULT_AT], "*")
    all_moves = itertools.chain(filter(None, (first,)), moves)
    return stored_game(board, begin + _BOARD_AT, starts_black, comment, all_moves, tags, result)


def _board(data: bytes, begin: int) -> dict[int, str]:
    """FEN's letter of the piece on each square. Raises RecordError."""
    board = {}
    for index in range(90):
        side, kind = divmod(data[begin + index], 16)
        if not side and not kind:
            continue
        if side not in (1, 2) or not 1 <= kind <= len(_KINDS):
            raise RecordError(f"offset {begin + index:#x}: {data[begin + index]:#04x} is no piece")
        letter = _KINDS[kind - 1]
        board[_square(index)] = letter if side == 1 else letter.lower()
    return board


class _Moves:
    """The moves of a game, in the order of the file. Raises RecordError where it ends within one."""

    def __init__(self, data: bytes, begin: int, end: int) -> None:
        self._data = data
        self._at = begin
        self._end = end

    def start_comment(self) -> str:
        """The comment on the start position, which comes before the moves."""
        return self._comment() if self._take(4) else ""

    def __iter__(self) -> Iterator[StoredMove]:
        while True:
            at = self._at
            if at == self._end:
                return
            flags, _, origin, target = self._take(4).to_bytes(4, "little")
            if not flags and origin == target == 0:
                return
            yield StoredMove(
                at,
                _square(origin),
                _square(target),
                not flags & _LINE_ENDS,
                bool(flags & _HAS_VARIATION),
                self._comment() if flags & _HAS_COMMENT else "",
            )

    def _comment(self) -> str:
        at = self._at
        length = self._take(4)
        if length > min(_MAX_COMMENT, self._end - self._at):
            raise RecordError(f"offset {at:#x}: a comment of {length} bytes does not fit into the game")
        self._at += length
        return _text(self._data[self._at - length : self._at])

    def _take(self, size: int) -> int:
        if self._at + size > self._end:
            raise RecordError(f"offset {self._at:#x}: the game ends before its last move")
        self._at += size
        return _number(self._data, self._at - size, size)


def _square(index: int) -> int:
    """The square of a number that counts from a9 to i9, then the next rank; -1 if there is none."""
    return (9 - index // 9) * 9 + index % 9 if index < 90 else -1


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _text(data: bytes) -> str:
    text = data.decode(_ENCODING, "replace").partition("\0")[0]
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
