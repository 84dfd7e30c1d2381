"""Xiangqi games as XQF, the file format of XQStudio (象棋演播室): one game with variations and comments.

Every version is read. Version 1.0 is written, whose layout its author published for this purpose; every XQStudio reads
it. The later versions scramble squares and texts with keys in the header.

A file has a header of 1,024 bytes, with texts in GB18030 behind a byte with their length, and then one record for each
move: first what follows a move, then the variation of it. A square is ten times the file from Red's left plus the
rank from Red's side. A file has no side to move: the first move shows it; without one it is Red's turn if it can be.

The options of `sanqi play`, for which there is no field, are the first line of the comment before the first move.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ucci_engine.extra_pieces import open_position
from ucci_engine.fen import LETTERS, FenError, parse_fen
from ucci_engine.game_record import (
    PLAY_COMMAND,
    PLAY_TAG,
    GameRecord,
    Node,
    RecordError,
    StoredMove,
    board_fen,
    stored_game,
)

_HEADER_SIZE = 0x400
_SLOTS = "RNBAKABNRCCPPPPP"
"""The piece of each byte from 0x10 on, first Red's, then Black's."""
_SQUARES_AT = 0x10
_NOWHERE = 0xFF
_PLAIN_VERSION = 0x0A
"""The last version without keys."""
_SHUFFLED_VERSION = 0x0C
"""The first version that shuffles the pieces."""

_TEXTS = {
    "Title": (0x50, 63),
    "Event": (0xD0, 63),
    "Date": (0x110, 15),
    "Site": (0x120, 15),
    "Red": (0x130, 15),
    "Black": (0x140, 15),
    "TimeControl": (0x150, 63),
    "RedTime": (0x190, 15),
    "BlackTime": (0x1A0, 15),
    "Annotator": (0x1D0, 15),
    "Author": (0x1E0, 15),
}
"""For each tag, where the length of its text is, and the most bytes of it."""
_ENCODING = "gb18030"

_SIDE_AT = 0x32
"""1: Black is to move. From the source of XQStudio by Dong Shiwei; older descriptions of the format do not know it."""
_RESULT_AT = 0x33
_RESULTS = {1: "1-0", 2: "0-1", 3: "1/2-1/2", 4: "1/2-1/2"}
_RESULT_BYTES = {"*": 0, "1-0": 1, "0-1": 2, "1/2-1/2": 3}

_FROM_SHIFT, _TO_SHIFT = 24, 32
_COPYRIGHT = b"[(C) Copyright Mr. Dong Shiwei.]"


class _Keys(NamedTuple):
    """What the bytes of a file are shifted by."""

    square: int = 0
    """For the squares in the header."""
    origin: int = 0
    target: int = 0
    length: int = 0
    """For the lengths of comments."""
    stream: bytes = b"\0" * 32
    """For everything after the header, byte by byte."""


def _keys(data: bytes) -> _Keys:
    if data[2] <= _PLAIN_VERSION:
        return _Keys()
    mask, *fixed, total, square, origin, target = data[3], *data[8:0x10]

    def scramble(byte: int) -> int:
        return ((((byte * byte) * 3 + 9) * 3 + 8) * 2 + 1) * 3 + 8

    for_square = scramble(square) * square & 255
    for_origin = scramble(origin) * for_square & 255
    words = [byte & mask | bits for byte, bits in zip((total, square, origin, target), fixed)]
    return _Keys(
        square=for_square,
        origin=for_origin,
        target=scramble(target) * for_origin & 255,
        length=(total * 256 + square) % 32000 + 767,
        stream=bytes(letter & words[at % 4] for at, letter in enumerate(_COPYRIGHT)),
    )


# Reading


def parse(data: bytes) -> GameRecord:
    """The game in a file. Raises RecordError, which names the offset."""
    if data[:2] != b"XQ":
        raise RecordError("offset 0x0: an XQF file begins with 'XQ'")
    if len(data) < _HEADER_SIZE + 4:
        raise RecordError(f"offset {len(data):#x}: the file ends in the header")
    keys = _keys(data)
    records = _records(data, keys)
    start = next(records)
    board = _board(data, keys)
    moves = records if start.goes_on else iter(())
    first = next(moves, None)
    if first is None:
        starts_black = not _can_move(board, red=True) or (data[_SIDE_AT] == 1 and _can_move(board, red=False))
    else:
        starts_black = board.get(first.origin, "").islower()
    texts = {name: _text(data[at + 1 :][: min(data[at], size)]) for name, (at, size) in _TEXTS.items()}
    whole = {name: text.rstrip("\ufffd ") for name, text in texts.items()}  # the last character may be cut
    tags = {name: text for name, text in whole.items() if text}
    comment = start.comment
    options, _, rest = comment.partition("\n")
    if options.startswith(PLAY_COMMAND):
        tags[PLAY_TAG], comment = options.removeprefix(PLAY_COMMAND), rest
    result = _RESULTS.get(data[_RESULT_AT], "*")
    all_moves = itertools.chain(filter(None, (first,)), moves)
    return stored_game(board, _SQUARES_AT, starts_black, comment, all_moves, tags, result)


def _records(data: bytes, keys: _Keys) -> Iterator[StoredMove]:
    """The records of a file, as long as they are asked for. Raises RecordError where it ends within one."""
    stream = bytes((byte - keys.stream[at % 32]) & 255 for at, byte in enumerate(data[_HEADER_SIZE:]))
    at = 0
    while True:
        offset = _HEADER_SIZE + at
        if len(stream) < at + 4:
            raise RecordError(f"offset {offset:#x}: the file ends before the last move")
        origin, target, flags = stream[at : at + 3]
        at += 4
        length = 0
        if data[2] <= _PLAIN_VERSION:
            goes_on, has_variation, has_length = flags & 0xF0, flags & 0x0F, True
        else:
            goes_on, has_variation, has_length = flags & 0x80, flags & 0x40, bool(flags & 0x20)
        if has_length:
            if len(stream) < at + 4:
                raise RecordError(f"offset {offset:#x}: the file ends within a move")
            length = int.from_bytes(stream[at : at + 4], "little") - keys.length
            at += 4
        if not 0 <= length <= len(stream) - at:
            raise RecordError(f"offset {offset:#x}: a comment of {length} bytes does not fit into the file")
        yield StoredMove(
            offset,
            _square((origin - _FROM_SHIFT - keys.origin) & 255),
            _square((target - _TO_SHIFT - keys.target) & 255),
            bool(goes_on),
            bool(has_variation),
            _text(stream[at : at + length]),
        )
        at += length


def _square(number: int) -> int:
    """A square as in `points`; -1 if it is not on the board."""
    file, rank = divmod(number, 10)
    return rank * 9 + file if file < 9 else -1


def _board(data: bytes, keys: _Keys) -> dict[int, str]:
    """FEN's letter of the piece on each square. Raises RecordError."""
    board: dict[int, str] = {}
    for index, number in enumerate(data[_SQUARES_AT : _SQUARES_AT + 32]):
        slot = (keys.square + index + 1) & 31 if data[2] >= _SHUFFLED_VERSION else index
        square = _square((number - keys.square) & 255)
        if square < 0:
            continue
        if square in board:
            raise RecordError(f"offset {_SQUARES_AT + index:#x}: two pieces are on one square")
        board[square] = _SLOTS[slot] if slot < 16 else _SLOTS[slot - 16].lower()
    return board


def _can_move(board: dict[int, str], *, red: bool) -> bool:
    """Whether a side can be to move."""
    try:
        open_position(board_fen(board, black_to_move=not red))
    except FenError:
        return False
    return True


def _text(data: bytes) -> str:
    text = data.partition(b"\0")[0].decode(_ENCODING, "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


# Writing


def serialise(game: GameRecord, *, shorten: bool = False) -> bytes:
    """The game as a file. `shorten`: cut the header's texts that are too long.

    Raises RecordError if the format cannot hold the game.
    """
    header = bytearray(_HEADER_SIZE)
    header[:3] = b"XQ" + bytes((_PLAIN_VERSION,))
    start = parse_fen(game.fen, composed=True)
    header[_SIDE_AT] = start.black_to_move
    header[_SQUARES_AT : _SQUARES_AT + 32] = _squares(start.pieces)
    header[_RESULT_AT] = _RESULT_BYTES[game.result]
    for name, (at, size) in _TEXTS.items():
        value = " ".join(game.tags.get(name, "").splitlines()).strip()
        text = _encoded("" if value == "?" else value, name)
        if len(text) > size:
            if not shorten:
                raise RecordError(f"XQF holds {size} bytes of the tag {name}, which has {len(text)}")
            text = text[:size].decode(_ENCODING, "ignore").encode(_ENCODING)
        header[at : at + 1 + len(text)] = bytes((len(text),)) + text
    return b"".join((header, *_written_records(game)))


def _written_records(game: GameRecord) -> Iterator[bytes]:
    start = game.root
    if options := game.tags.get(PLAY_TAG):
        start = Node(0, f"{PLAY_COMMAND}{options}\n{start.comment}", start.next)
    yield _record(_FROM_SHIFT, _TO_SHIFT, start, False, 0xFF)
    last: set[Node] = {game.root.next[-1]} if game.root.next else set()
    for _, node in game.walk():
        origin, target = (file * 10 + rank for rank, file in (divmod(node.move & 127, 9), divmod(node.move >> 7, 9)))
        yield _record(origin + _FROM_SHIFT, target + _TO_SHIFT, node, node not in last, 0)
        last.discard(node)
        if node.next:
            last.add(node.next[-1])


def _record(origin: int, target: int, node: Node, has_variation: bool, last_byte: int) -> bytes:
    comment = _encoded(node.comment.strip().replace("\r\n", "\n").replace("\n", "\r\n"), "comment")
    flags = (0xF0 if node.next else 0) | (0x0F if has_variation else 0)
    return struct.pack("<BBBBI", origin, target, flags, last_byte, len(comment)) + comment


def _encoded(text: str, what: str) -> bytes:
    try:
        return text.replace("\0", "").encode(_ENCODING)
    except UnicodeEncodeError as error:
        raise RecordError(f"the {what} has a character that is no text: {text[error.start]!a}") from None


def _squares(pieces: Iterable[tuple[int, int]]) -> bytes:
    """The bytes of the start position, each kind from its side's right. Raises RecordError."""
    found: dict[str, list[int]] = {}
    for square, kind in pieces:
        found.setdefault(LETTERS[kind], []).append(square % 9 * 10 + square // 9)
    squares = []
    for slots in (_SLOTS, _SLOTS.lower()):
        for letter in set(slots):
            found.setdefault(letter, []).sort(reverse=letter.isupper())
            room, wanted = slots.count(letter), len(found[letter])
            if wanted > room:
                raise RecordError(f"XQF has room for {room} pieces '{letter}', not for {wanted}")
        squares += [found[letter].pop(0) if found[letter] else _NOWHERE for letter in slots]
    return bytes(squares)
