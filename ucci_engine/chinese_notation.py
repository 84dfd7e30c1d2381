"""Moves in Chinese notation, both ways: h2e2 <-> 炮二平五.

Four characters: piece, its file, action, target. Each side counts files 1 to 9 from its own right; Red writes 一 to 九,
Black 1 to 9. 平 moves along the rank and 进 (forward) and 退 (back) change it. The last character is the target file,
except for 进 and 退 of pieces that stay on their file: then it is the number of ranks.

If several pieces of a kind are on one file, the first two characters name one by its order, as its side sees it:
前炮 (front), 后炮 (rear), of three pawns 前兵 中兵 后兵, of four or five 一兵 to 五兵 from the front. If two files have
several pawns each, all of these are numbered together, right file first, each from the front. Advisors and elephants
need no order: of two on a file only one can advance and only the other retreat.

Written: simplified characters (traditional on request), Black's digits half-width. Read: either character set,
either side's names and digits, full-width digits, 前/后 where they are not needed.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from search_core.line_protocol import legible
from ucci_engine.points import CHARACTERS
from ucci_engine.position import Position

_WRITTEN = {
    False: {"R": "车", "N": "马", "C": "炮", "B": "相", "A": "仕", "K": "帅", "P": "兵"}
    | {"r": "车", "n": "马", "c": "炮", "b": "象", "a": "士", "k": "将", "p": "卒"},
    True: CHARACTERS,
}
_READ = {
    character: kind
    for kind, characters in {
        "R": "车車俥",
        "N": "马馬傌",
        "C": "炮砲包",
        "B": "相象",
        "A": "仕士",
        "K": "帅将帥將",
        "P": "兵卒",
    }.items()
    for character in characters
}
_ACTIONS = {"平": "=", "进": "+", "進": "+", "退": "-"}
_ACTION_TEXT = {False: {"=": "平", "+": "进", "-": "退"}, True: {"=": "平", "+": "進", "-": "退"}}
_NUMERALS = "一二三四五六七八九"
_ORDERS = {"前": "front", "中": "middle", "后": "rear", "後": "rear"}
_SLANTED = "NBA"
"""Pieces whose 进 and 退 are written with the target file, not with a number of ranks."""

_DIGIT_CLASS = f"[1-9１-９{_NUMERALS}]"
_PIECE_CLASS = f"[{''.join(_READ)}]"
PATTERN = (
    f"(?:{_PIECE_CLASS}{_DIGIT_CLASS}|(?:{_DIGIT_CLASS}|[{''.join(_ORDERS)}]){_PIECE_CLASS})"
    f"[{''.join(_ACTIONS)}]{_DIGIT_CLASS}"
)
"""Regular expression for a possible move in this notation, without blanks around it."""


class NotationError(ValueError):
    """A text that is not in the notation, or does not name exactly one legal move; the message names the token."""


class NoSuchMove(NotationError):
    """A text in the notation that names no legal move here, or more than one."""


class _Reading(NamedTuple):
    kind: str
    file: int | None
    """1 to 9 from the mover's right; None when `order` locates the piece."""
    order: str | int | None
    """'front', 'middle', 'rear' or a number from 1."""
    action: str
    number: int


def move_to_chinese(position: Position, move: int, *, traditional: bool = False) -> str:
    """The notation of a legal move of the side to move. Raises NotationError if the move is not legal."""
    if not position.is_legal(move):
        raise NotationError(f"move {move:#x} is not legal in {position.fen()}")
    side = position.side
    origin = move & 127
    letter = position.piece_at(origin)
    action, number = _describe(side, letter.upper(), move)
    locator = _locator(position, origin, traditional)
    written = _WRITTEN[traditional][letter]
    name = f"{locator}{written}" if locator else f"{written}{_digit(side, _file(side, origin))}"
    return f"{name}{_ACTION_TEXT[traditional][action]}{_digit(side, number)}"


def chinese_to_move(position: Position, text: str) -> int:
    """The one legal move that the text names. Raises NotationError."""
    reading = _read(text)
    side = position.side
    letter = reading.kind if side == 0 else reading.kind.lower()
    if not any(position.piece_at(square) == letter for square in range(90)):
        raise NoSuchMove(f"{legible(text)}: {'Red' if side == 0 else 'Black'} has no '{_piece_character(text)}'")
    found = [
        move
        for move in position.legal_moves()
        if position.piece_at(move & 127) == letter
        and _describe(side, reading.kind, move) == (reading.action, reading.number)
        and _located(position, move & 127, reading)
    ]
    if not found:
        raise NoSuchMove(f"{legible(text)} names no legal move here")
    if len(found) > 1:
        spellings = ", ".join(move_to_chinese(position, move) for move in found)
        raise NoSuchMove(f"{legible(text)} is ambiguous here: {spellings}")
    return found[0]


def _read(text: str) -> _Reading:
    characters = unicodedata.normalize("NFKC", text).strip()  # full-width digits become plain ones
    if len(characters) != 4:
        raise NotationError(f"{legible(text)}: expected four characters as in 炮二平五, got {len(characters)}")
    first, second, action, target = list(characters)
    if action not in _ACTIONS:
        raise NotationError(f"{legible(text)}: {legible(action)} is no action, expected 平, 进 or 退")
    number = _value(target)
    if number is None:
        raise NotationError(f"{legible(text)}: {legible(target)} is no number from 1 to 9")
    if first in _READ:
        file = _value(second)
        if file is None:
            raise NotationError(f"{legible(text)}: {legible(second)} is no file from 1 to 9")
        return _Reading(_READ[first], file, None, _ACTIONS[action], number)
    if second not in _READ:
        raise NotationError(f"{legible(text)}: neither {legible(first)} nor {legible(second)} is a piece")
    order = _ORDERS.get(first) or _value(first)
    if order is None:
        raise NotationError(f"{legible(text)}: {legible(first)} is no order, expected 前, 中, 后 or a number")
    return _Reading(_READ[second], None, order, _ACTIONS[action], number)


def _piece_character(text: str) -> str:
    return next(character for character in unicodedata.normalize("NFKC", text) if character in _READ)


def _value(character: str) -> int | None:
    if character in _NUMERALS:
        return _NUMERALS.index(character) + 1
    return int(character) if character in "123456789" else None


def _digit(side: int, number: int) -> str:
    return _NUMERALS[number - 1] if side == 0 else str(number)


def _file(side: int, square: int) -> int:
    """1 to 9 from the right hand of the side."""
    return 9 - square % 9 if side == 0 else square % 9 + 1


def _advance(side: int, square: int) -> int:
    """How far forward a square lies, 0 (own home rank) to 9."""
    return square // 9 if side == 0 else 9 - square // 9


def _describe(side: int, kind: str, move: int) -> tuple[str, int]:
    """Action ('=', '+', '-') and number of a move."""
    origin, target = move & 127, move >> 7
    ranks = _advance(side, target) - _advance(side, origin)
    if ranks == 0:
        return "=", _file(side, target)
    return "+" if ranks > 0 else "-", _file(side, target) if kind in _SLANTED else abs(ranks)


def _columns(position: Position, letter: str, side: int) -> dict[int, list[int]]:
    """The squares of the pieces like `letter`, by file from the right, each file from the front."""
    columns: dict[int, list[int]] = {}
    for square in sorted(range(90), key=lambda square: (_file(side, square), -_advance(side, square))):
        if position.piece_at(square) == letter:
            columns.setdefault(_file(side, square), []).append(square)
    return columns


def _numbered(columns: dict[int, list[int]]) -> list[int]:
    """The squares of files with several pieces, in the order in which they are numbered together."""
    return [square for column in columns.values() if len(column) > 1 for square in column]


def _locator(position: Position, square: int, traditional: bool) -> str:
    """前, 中, 后 or a number; '' if the piece is named by its file."""
    side = position.side
    letter = position.piece_at(square)
    columns = _columns(position, letter, side)
    column = columns[_file(side, square)]
    if len(column) == 1 or letter.upper() in "AB":
        return ""
    crowded = _numbered(columns)
    rear = "後" if traditional else "后"
    if len(crowded) > len(column) or len(column) > 3:
        return _digit(side, crowded.index(square) + 1)
    names = ["前", rear] if len(column) == 2 else ["前", "中", rear]
    return names[column.index(square)]


def _located(position: Position, square: int, reading: _Reading) -> bool:
    side = position.side
    if reading.file is not None:
        return reading.file == _file(side, square)
    columns = _columns(position, position.piece_at(square), side)
    column = columns[_file(side, square)]
    if len(column) == 1:
        return False
    if isinstance(reading.order, int):
        crowded = _numbered(columns)
        return reading.order <= len(crowded) and crowded[reading.order - 1] == square
    if reading.order == "front":
        return square == column[0]
    if reading.order == "rear":
        return square == column[-1]
    return len(column) == 3 and square == column[1]
