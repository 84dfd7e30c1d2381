"""Read moves in the World Xiangqi Federation's notation: C2.5 is 炮二平五 in letters.

A move is piece, file from the mover's right, action (`+` forward, `-` back, `.` or `=` along the rank) and target. It
is `chinese_notation` in other characters, so a text is rewritten and read there. + and - mean 前 and 后, after the
piece or before it (R+.3, +R.3). Letters of either case: K A E (B) H (N) R C P.

Several pawns on a file, by the Federation's table: three are P+ P3 P- (front, middle, rear, here on file 3), four
++ P+ P- --, five ++ P+ P3 P- --. If two files have several pawns, 3+ 33 3- name the file in place of the piece.
Also read: place from the front and file, as Fairy-Stockfish writes (25.4: second pawn of file 5; if 33 could be
both, it is the Federation's), and Xqbase's Pa to Pe for 一兵 to 五兵 and P. for 中兵.
"""

from __future__ import annotations

from search_core.line_protocol import legible
from ucci_engine.chinese_notation import NoSuchMove, NotationError, chinese_to_move
from ucci_engine.position import Position

PATTERN = r"(?:[KABENHRCPkabenhrcp][-+.1-9]|[-+][KABENHRCPkabenhrcp]|[Pp][A-Ea-e]|[+][+]|--|[1-9][-+1-9])[-+.=][1-9]"
"""Regular expression for a possible move in this notation."""

_PIECES = {"K": "帅", "A": "仕", "E": "相", "B": "相", "H": "马", "N": "马", "R": "车", "C": "炮", "P": "兵"}
_ACTIONS = {".": "平", "=": "平", "+": "进", "-": "退"}
_ORDERS = {"+": "前", ".": "中", "-": "后"}
_NUMBERED = {"A": "1", "B": "2", "C": "3", "D": "4", "E": "5"}


def wxf_to_move(position: Position, text: str) -> int:
    """The one legal move that the text names. Raises NotationError."""
    chinese = _respelled(position, text)
    try:
        return chinese_to_move(position, chinese)
    except NotationError as error:
        raise type(error)(f"{legible(text)}, read as {chinese}: {error}") from None


def _respelled(position: Position, text: str) -> str:
    """The same move in Chinese characters."""
    symbols = text.upper()
    if len(symbols) != 4 or symbols[2] not in _ACTIONS or symbols[3] not in "123456789":
        raise NotationError(f"{legible(text)}: expected piece, file, action and number, as in C2.5")
    first, second, ending = symbols[0], symbols[1], _ACTIONS[symbols[2]] + symbols[3]
    if first in "+-" and second in _PIECES:
        first, second = second, first
    if first not in _PIECES:
        return f"{_pawn_number(position, text, first, second)}兵{ending}"
    piece = _PIECES[first]
    if first == "P":
        if second in _NUMBERED:
            return f"{_NUMBERED[second]}兵{ending}"
        number = _tandem_number(position, second)
        if number:
            return f"{number}兵{ending}"
    if second in _ORDERS:
        return f"{_ORDERS[second]}{piece}{ending}"
    if second in "123456789":
        return f"{piece}{second}{ending}"
    raise NotationError(f"{legible(text)}: {legible(second)} is no file from 1 to 9")


def _tandem_number(position: Position, locator: str) -> int | None:
    """The number of the pawn P+, P- or P3 among all pawns of crowded files; None if this does not name one."""
    columns = _crowded_columns(position)
    if locator in "+-":
        if len(columns) != 1:
            return None
        (column,) = columns.values()
        inner = len(column) > 3  # ++ and -- are the outer ones then
        return _number(columns, column[inner] if locator == "+" else column[-1 - inner])
    column = columns.get(locator, [])
    return _number(columns, column[len(column) // 2]) if len(column) in (3, 5) else None


def _pawn_number(position: Position, text: str, first: str, second: str) -> int:
    """The number, among all pawns of crowded files, of a pawn named without a piece: ++, --, 3+, 33 or 25."""
    columns = _crowded_columns(position)
    if first in "+-":
        column = next(iter(columns.values()), []) if first == second and len(columns) == 1 else []
        place = 0 if first == "+" else len(column) - 1
    elif second in "+-":
        column = columns.get(first, [])
        place = 0 if second == "+" else len(column) - 1
    else:
        column = columns.get(second, [])
        middle = first == second and len(columns) > 1 and len(column) == 3
        place = 1 if middle else int(first) - 1 if first in "12345" else len(column)
    if not 0 <= place < len(column):
        raise NoSuchMove(f"{legible(text)}: {legible(text[:2])} names no pawn here")
    return _number(columns, column[place])


def _crowded_columns(position: Position) -> dict[str, list[int]]:
    """The squares of the mover's pawns on files with several: by file from the right, each from the front."""
    letter, squares = ("P", range(89, -1, -1)) if position.side == 0 else ("p", range(90))
    columns: dict[str, list[int]] = {}
    for square in squares:
        if position.piece_at(square) == letter:
            file = square % 9 + 1 if position.side else 9 - square % 9
            columns.setdefault(str(file), []).append(square)
    return {file: column for file, column in sorted(columns.items()) if len(column) > 1}


def _number(columns: dict[str, list[int]], square: int) -> int:
    return [pawn for column in columns.values() for pawn in column].index(square) + 1
