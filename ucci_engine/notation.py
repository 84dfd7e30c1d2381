"""Moves in the notations of Xiangqi, read and written. A person may type any of them; each shows which one it is.

ICCS: squares, H2-E2 or h2e2. Ranks are counted from 0.

Chinese: 炮二平五. Four characters: piece, its file, action, target. Each side counts files 1 to 9 from its own right;
Red writes 一 to 九, Black 1 to 9. 平 moves along the rank; 进 (forward) and 退 (back) change it. The last character is
the target file, except for 进 and 退 of pieces that stay on their file: then it is the number of ranks. If several
pieces of a kind are on one file, the first two characters name one by its order, as its side sees it: 前炮 (front),
后炮 (rear), of three pawns 前兵 中兵 后兵, of four or five 一兵 to 五兵 from the front. If two files have several pawns
each, all of these are numbered together, right file first, each from the front. Advisors and elephants need no order:
of two on a file only one can advance and only the other retreat. Also read: either script, either side's names and
digits, full-width digits, an order that is not needed, 前 二 三 四 后 or 末 of four or five, 中 of five, a number that
is counted on one file, and an order with the file in place of the piece, 前六平五: the front pawn of file 6.

WXF, the World Xiangqi Federation's: C2.5 is 炮二平五 in letters K A E (B) H (N) R C P, of either case. The actions are
`.` or `=`, `+` and `-`. + and - also mean 前 and 后, after the piece or before it (R+.3, +R.3). Several pawns on a
file, by the Federation's table: two are P+ P-, three P+ P3 P- (front, middle, rear, here on file 3), four ++ P+ P- --,
five ++ P+ P3 P- --. If two files have several pawns, 3+ 33 3- name the file in place of the piece. Also read: place
from the front and file, as Fairy-Stockfish writes (25.4: second pawn of file 5; if 33 could be both, it is the
Federation's), and Xqbase's Pa to Pe for 一兵 to 五兵 and P. for 中兵.

Algebraic, as in chess: Che2 is the cannon of file h that goes to e2. XBoard and servers of chess variants save games in
it. A move is the piece, then its file, rank or both if others of its kind can go there too, then the target square; `x`
and `-` before the target mean nothing. A pawn needs no letter: c5 and xc5 go straight, cd5 and cxd5 sideways (XBoard);
a pawn that alone can go there needs no file. Nothing in a move says whether ranks are counted from 0 (XBoard; written
so) or from 1 (Fairy-Stockfish, pychess).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import NamedTuple

from search_core.failures import becoming
from search_core.line_protocol import excerpt, legible
from ucci_engine.points import (
    CHARACTERS,
    RANKS_FROM_0,
    SIMPLIFIED,
    MoveTextError,
    move_text,
    parse_move,
    square_text,
)
from ucci_engine.position import Position


class NotationError(ValueError):
    """A text that is not in the notation, or does not name exactly one legal move; the message names the token."""


class NoSuchMove(NotationError):
    """A text in the notation that names no legal move here, or more than one.

    Attributes
    ----------
    meant : tuple of int
        The moves that it may mean, none of them legal.
    """

    def __init__(self, message: str, meant: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.meant = meant


# What the characters of the Chinese notation mean

_WRITTEN = {False: SIMPLIFIED, True: CHARACTERS}
"""The pieces in simplified and in traditional characters."""
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
_ORDERS = {"前": "front", "中": "middle", "后": "rear", "後": "rear", "末": "rear"}
_REAR = {False: "后", True: "後"}
_SLANTED = "NBA"
"""Pieces whose 进 and 退 are written with the target file, not with a number of ranks."""
_NEVER_IN_ORDER = "AB"
"""Pieces that are always named by their file: of two on a file only one can advance, where a game can have led."""

_WXF_KINDS = {"K": "K", "A": "A", "E": "B", "B": "B", "H": "N", "N": "N", "R": "R", "C": "C", "P": "P"}
_WXF_ACTIONS = {".": "=", "=": "=", "+": "+", "-": "-"}
_WXF_ORDERS = {"+": "front", ".": "middle", "=": "middle", "-": "rear"}
_LETTERS = {"B": "E", "N": "H"}
"""The letters of WXF and algebraic notation that differ from FEN's."""

_DIGIT_CLASS = f"[1-9１-９{_NUMERALS}]"
_PIECE_CLASS = f"[{''.join(_READ)}]"
PATTERNS = {
    "iccs": "(?:[A-I][0-9][-–x]?[A-I][0-9]|[a-i][0-9][-–x]?[a-i][0-9])",
    "wxf": r"(?:(?:[KABENHRCPkabenhrcp][-+.=1-9]|[-+][KABENHRCPkabenhrcp]|[Pp][A-Ea-e]|[+][+]|--|[1-9][-+1-9])"
    r"[-+.=][1-9])",
    "algebraic": r"(?:(?:[KABENHRCP][a-i]?(?:10|[0-9])?[-x]?|[a-i]?x?)[a-i](?:10|[0-9]))",
    "chinese": (
        f"(?:(?:{_PIECE_CLASS}{_DIGIT_CLASS}|(?:{_DIGIT_CLASS}|[{''.join(_ORDERS)}])(?:{_PIECE_CLASS}|{_DIGIT_CLASS}))"
        f"[{''.join(_ACTIONS)}]{_DIGIT_CLASS})"
    ),
}
"""For each notation that is read, a regular expression of its possible moves. No text belongs to two of them."""

_ALGEBRAIC = re.compile(
    r"(?P<piece>[A-Z]?)(?P<file>[a-i]?)(?P<rank>10|[0-9])?[-x]?(?P<target>[a-i](?:10|[0-9]))", re.ASCII
)


# Reading


def read_move(position: Position, text: str, *, traditional: bool = False) -> int:
    """The one legal move that a text in any notation names; ranks are counted from 0. Raises NotationError, with a
    message in simplified or in traditional characters."""
    word = unicodedata.normalize("NFKC", text).strip()  # full-width letters and digits become plain ones
    if not word.isascii() and not re.fullmatch(PATTERNS["iccs"], word):
        return chinese_to_move(position, word, traditional=traditional)
    if re.fullmatch(PATTERNS["wxf"], word):
        return wxf_to_move(position, word, traditional=traditional)
    for kind in ("iccs", "algebraic"):
        if re.fullmatch(PATTERNS[kind], word):
            return read_as(position, kind, word)
    if re.fullmatch(PATTERNS["iccs"], word.lower()):  # the cases of letters mixed
        return read_as(position, "iccs", word)
    raise NotationError(
        f"{excerpt(word)} is not a move; expected a notation such as h2e2, C2.5, Che2 or the Chinese one"
    )


def read_as(position: Position, kind: str, text: str, ranks: str = RANKS_FROM_0) -> int:
    """The one legal move that a text in a notation of PATTERNS names. `ranks`: as in `points`, for algebraic moves.

    Raises NotationError.
    """
    if kind == "algebraic":
        return algebraic_to_move(position, text, ranks)
    return {"iccs": iccs_to_move, "wxf": wxf_to_move, "chinese": chinese_to_move}[kind](position, text)


def iccs_to_move(position: Position, text: str) -> int:
    """The legal move that two squares name, with or without a dash. Raises NotationError."""
    with becoming(MoveTextError, NotationError):  # from a square to itself
        move = parse_move(re.sub("[-–x]", "", text))
    if not position.is_legal(move):
        raise NoSuchMove(f"{legible(text)} is not legal here", (move,))
    return move


def chinese_to_move(position: Position, text: str, *, traditional: bool = False) -> int:
    """The one legal move that a text in Chinese names, in either script. Raises NotationError, as read_move() does."""
    characters = unicodedata.normalize("NFKC", text).strip()  # full-width digits become plain ones
    if len(characters) != 4:
        raise NotationError(f"{legible(text)}: expected four characters as in 炮二平五, got {len(characters)}")
    first, second, action, target = tuple(characters)
    if action not in _ACTIONS:
        level, forward, back = _ACTION_TEXT[traditional].values()
        raise NotationError(f"{legible(text)}: {legible(action)} is no action, expected {level}, {forward} or {back}")
    number = _value(target)
    if number is None:
        raise NotationError(f"{legible(text)}: {legible(target)} is no number from 1 to 9")
    if first in _READ:
        kind, file = _READ[first], _value(second)
        if file is None:
            raise NotationError(f"{legible(text)}: {legible(second)} is no file from 1 to 9")
        located = [_columns(position, kind).get(file, [])]
    else:
        of_file = _value(second)
        if second not in _READ and of_file is None:
            raise NotationError(f"{legible(text)}: neither {legible(first)} nor {legible(second)} is a piece")
        kind, order = _READ.get(second, "P"), _ORDERS.get(first) or _value(first)
        if order is None:
            rear = _REAR[traditional]
            raise NotationError(f"{legible(text)}: {legible(first)} is no order, expected 前, 中, {rear} or a number")
        columns = _columns(position, kind)
        located = _in_order(columns if of_file is None else {of_file: columns.get(of_file, [])}, order)
    return _only_move(position, text, _Reading(kind, located, _ACTIONS[action], number), traditional)


def wxf_to_move(position: Position, text: str, *, traditional: bool = False) -> int:
    """The one legal move that a text in WXF names. Raises NotationError, as read_move() does."""
    symbols = text.upper()
    if len(symbols) != 4 or symbols[2] not in _WXF_ACTIONS or symbols[3] not in "123456789":
        raise NotationError(f"{legible(text)}: expected piece, file, action and number, as in C2.5")
    first, second, action, number = symbols[0], symbols[1], _WXF_ACTIONS[symbols[2]], int(symbols[3])
    if first in "+-" and second in _WXF_KINDS:
        first, second = second, first
    kind = _WXF_KINDS.get(first, "P")
    columns = _columns(position, kind)
    if first not in _WXF_KINDS:
        located = [[pawn] for pawn in _named_pawns(_crowded(columns), first, second)]
        if not located:
            raise NoSuchMove(f"{legible(text)}: {legible(text[:2])} names no pawn here")
    else:
        tandem = _tandem_pawn(_crowded(columns), second) if kind == "P" else None
        if tandem is not None:
            located = [[tandem]]
        elif kind == "P" and second in "ABCDE":
            located = _in_order(columns, "ABCDE".index(second) + 1)
        elif second in _WXF_ORDERS:
            located = _in_order(columns, _WXF_ORDERS[second])
        elif second in "123456789":
            located = [columns.get(int(second), [])]
        else:
            raise NotationError(f"{legible(text)}: {legible(second)} is no file from 1 to 9")
    return _only_move(position, text, _Reading(kind, located, action, number), traditional)


def algebraic_to_move(position: Position, text: str, ranks: str = RANKS_FROM_0) -> int:
    """The one legal move that a text in algebraic notation names; `ranks` as in `points`. Raises NotationError."""
    parts = re.fullmatch(PATTERNS["algebraic"], text) and _ALGEBRAIC.fullmatch(text)
    if not parts:
        raise NotationError(f"{legible(text)}: expected a piece, its file or rank if need be, and a square, as in Che2")
    letter = _WXF_KINDS[parts["piece"] or "P"]
    named = []
    for move in position.legal_moves():
        origin = square_text(move & 127, ranks)
        if (
            position.piece_at(move & 127).upper() == letter
            and square_text(move >> 7, ranks) == parts["target"]
            and origin.startswith(parts["file"])
            and parts["rank"] in (None, origin[1:])
        ):
            named.append(move)
    if letter == "P" and not parts["file"] and len(named) > 1:
        named = [move for move in named if (move & 127) % 9 == (move >> 7) % 9] or named
    if len(named) != 1:
        found = "several legal moves" if named else "no legal move"
        raise NoSuchMove(f"{legible(text)} names {found}, ranks {ranks}")
    return named[0]


_Columns = dict[int, list[int]]
"""The squares of the mover's pieces of a kind: by file from its right, 1 to 9, each file from the front."""


class _Reading(NamedTuple):
    """What a text in Chinese or WXF says."""

    kind: str
    """FEN's letter, in upper case."""
    located: list[list[int]]
    """The squares where the piece can be; if there is no legal move from there, the next ones count."""
    action: str
    """'=', '+' or '-'."""
    number: int


def _only_move(position: Position, text: str, reading: _Reading, traditional: bool) -> int:
    if not _columns(position, reading.kind):
        side = "Black" if position.side else "Red"
        raise NoSuchMove(f"{legible(text)}: {side} has no '{_WRITTEN[traditional][_letter(position, reading.kind)]}'")
    legal = position.legal_moves()
    meant: list[int] = []
    for squares in reading.located:
        found = [
            move
            for move in legal
            if move & 127 in squares and _describe(position.side, reading.kind, move) == reading[2:]
        ]
        if len(found) > 1:
            notation = "traditional" if traditional else "chinese"
            spellings = ", ".join(name_move(position, move, notation) for move in found)
            raise NoSuchMove(f"{legible(text)} is ambiguous here: {spellings}")
        if found:
            return found[0]
        moves = (square | target << 7 for square in squares for target in range(90) if target != square)
        of_text = [move for move in moves if _describe(position.side, reading.kind, move) == reading[2:]]
        stays = reading.kind not in _SLANTED and reading.action != "="  # on its file
        meant += (move for move in of_text if not stays or (move >> 7) % 9 == (move & 127) % 9)
    raise NoSuchMove(f"{legible(text)} names no legal move here", tuple(meant))


def _in_order(columns: _Columns, order: str | int) -> list[list[int]]:
    """Where a piece can be that is 'front', 'middle' or 'rear' on its file, or has a number."""
    crowded = _crowded(columns).values()
    if isinstance(order, int):
        numbered = [square for column in crowded for square in column]
        return [numbered[order - 1 : order], [square for column in crowded for square in column[order - 1 : order]]]
    if order == "middle":
        return [[column[len(column) // 2] for column in columns.values() if len(column) in (3, 5)]]
    return [[column[0 if order == "front" else -1] for column in crowded]]


def _tandem_pawn(columns: _Columns, locator: str) -> int | None:
    """The pawn P+, P- or P3 on files with several; None if it does not name one of these."""
    if locator in "+-":
        if len(columns) != 1:
            return None
        (column,) = columns.values()
        inner = len(column) > 3  # ++ and -- are the outer ones then
        return column[inner] if locator == "+" else column[-1 - inner]
    column = columns.get(int(locator), []) if locator in "123456789" else []
    return column[len(column) // 2] if len(column) in (3, 5) else None


def _named_pawns(columns: _Columns, first: str, second: str) -> list[int]:
    """The pawns that may be named without a piece by ++, --, 3+, 33 or 25, the Federation's first."""
    if first in "+-":
        column = next(iter(columns.values()), []) if first == second and len(columns) == 1 else []
        places = [0 if first == "+" else len(column) - 1]
    elif second in "+-":
        column = columns.get(int(first), [])
        places = [0 if second == "+" else len(column) - 1]
    else:
        column = columns.get(int(second), []) if second in "123456789" else []
        middle = first == second and len(columns) > 1 and len(column) == 3
        places = [1] if middle else []
        if first in "123456789":
            places.append(int(first) - 1)
    return [column[place] for place in places if 0 <= place < len(column)]


# Writing


def move_to_iccs(position: Position, move: int) -> str:
    """A legal move as in H2-E2. Raises NotationError if it is not legal, as the other writers do."""
    _require_legal(position, move)
    text = move_text(move).upper()
    return f"{text[:2]}-{text[2:]}"


def move_to_chinese(position: Position, move: int, *, traditional: bool = False) -> str:
    """A legal move in Chinese, Black's digits half-width. Raises NotationError also for a tenth piece in order, and
    where two misplaced pieces of a file have the same name."""
    _require_legal(position, move)
    side, square = position.side, move & 127
    letter = position.piece_at(square)
    action, number = _describe(side, letter.upper(), move)
    written = _WRITTEN[traditional][letter]
    order = _order(position, square, traditional)
    if not order:
        _require_only_one(position, move)
    name = f"{order}{written}" if order else f"{written}{_digit(side, _file(side, square))}"
    return f"{name}{_ACTION_TEXT[traditional][action]}{_digit(side, number)}"


def move_to_wxf(position: Position, move: int) -> str:
    """A legal move in WXF, as in C2.5. Raises NotationError also for a piece that WXF has no name for."""
    _require_legal(position, move)
    side, square = position.side, move & 127
    kind = position.piece_at(square).upper()
    columns, file = _columns(position, kind), _file(side, square)
    letter, column = _LETTERS.get(kind, kind), columns[file]
    if len(column) == 1 or kind in _NEVER_IN_ORDER:
        _require_only_one(position, move)
        name = f"{letter}{file}"
    else:
        names = _tandem_names(letter, file, len(column), len(_crowded(columns)))
        if not names:
            raise NotationError(f"WXF has no name for '{letter}' on {square_text(square)} in {position.fen()}")
        name = names[column.index(square)]
    action, number = _describe(side, kind, move)
    return f"{name}{action.replace('=', '.')}{number}"


def move_to_algebraic(position: Position, move: int) -> str:
    """A legal move as XBoard writes it, Che2: ranks from 0, `x` for a capture, no sign for check or mate."""
    _require_legal(position, move)
    square, target = move & 127, move >> 7
    kind, origin = position.piece_at(square).upper(), square_text(square)
    capture = "x" if position.piece_at(target) else ""
    if kind == "P":
        straight = square % 9 == target % 9
        return f"{'' if straight and not capture else origin[0]}{capture}{square_text(target)}"
    others = [
        square_text(other & 127)
        for other in position.legal_moves()
        if other >> 7 == target and other != move and position.piece_at(other & 127).upper() == kind
    ]
    name = ""
    if others:
        same_file = any(other[0] == origin[0] for other in others)
        same_rank = any(other[1] == origin[1] for other in others)
        name = origin if same_file and same_rank else origin[1] if same_file else origin[0]
    return f"{_LETTERS.get(kind, kind)}{name}{capture}{square_text(target)}"


_WRITERS: dict[str, Callable[[Position, int], str]] = {
    "iccs": move_to_iccs,
    "chinese": move_to_chinese,
    "traditional": lambda position, move: move_to_chinese(position, move, traditional=True),
    "wxf": move_to_wxf,
    "algebraic": move_to_algebraic,
}
NOTATIONS = tuple(_WRITERS)
"""The notations that are written. `traditional` is Chinese in the other script."""


def write_move(position: Position, move: int, notation: str) -> str:
    """A legal move in one of NOTATIONS. Raises NotationError if it is not legal or the notation cannot name it."""
    return _WRITERS[notation](position, move)


def name_move(position: Position, move: int, notation: str) -> str:
    """As write_move(), but in ICCS where the notation cannot name the move."""
    try:
        return write_move(position, move, notation)
    except NotationError:
        return move_to_iccs(position, move)


def _require_legal(position: Position, move: int) -> None:
    if not position.is_legal(move):
        raise NotationError(f"move {move:#x} is not legal in {position.fen()}")


def _require_only_one(position: Position, move: int) -> None:
    """Raises NotationError if another piece of the same kind and file has a legal move of the same action and number:
    of two elephants or advisors that no game can have led there."""
    side, origin = position.side, move & 127
    letter = position.piece_at(origin)
    kind = letter.upper()
    if kind not in _NEVER_IN_ORDER or len(_columns(position, kind)[_file(side, origin)]) == 1:
        return
    for other in position.legal_moves():
        is_of_file = (other & 127) % 9 == origin % 9 and position.piece_at(other & 127) == letter
        if is_of_file and other != move and _describe(side, kind, other) == _describe(side, kind, move):
            raise NotationError(f"two pieces '{_LETTERS.get(kind, kind)}' of a file can move so in {position.fen()}")


def _order(position: Position, square: int, traditional: bool) -> str:
    """前, 中, 后 or a number; '' if the piece is named by its file."""
    side = position.side
    kind = position.piece_at(square).upper()
    columns = _columns(position, kind)
    column = columns[_file(side, square)]
    if len(column) == 1 or kind in _NEVER_IN_ORDER:
        return ""
    numbered = [square for column in _crowded(columns).values() for square in column]
    rear = _REAR[traditional]
    if len(numbered) > len(column) or len(column) > 3:
        if numbered.index(square) >= len(_NUMERALS):
            raise NotationError(f"there is no Chinese number for the piece on {square_text(square)}, more than nine")
        return _digit(side, numbered.index(square) + 1)
    names = ["前", rear] if len(column) == 2 else ["前", "中", rear]
    return names[column.index(square)]


def _tandem_names(letter: str, file: int, pieces: int, files: int) -> tuple[str, ...]:
    """The names in WXF of `pieces` on a file, from the front, if `files` files have several; (): there are none."""
    if letter != "P":
        return (f"{letter}+", f"{letter}-") if (pieces, files) == (2, 1) else ()
    front, middle, rear = (f"{file}+", f"{file}{file}", f"{file}-") if files > 1 else ("P+", f"P{file}", "P-")
    if pieces <= 3:
        return (front, rear) if pieces == 2 else (front, middle, rear)
    if files > 1 or pieces > 5:
        return ()
    return ("++", front, rear, "--") if pieces == 4 else ("++", front, middle, rear, "--")


# Files and orders, as the mover sees them


def _letter(position: Position, kind: str) -> str:
    return kind.lower() if position.side else kind


def _columns(position: Position, kind: str) -> _Columns:
    letter = _letter(position, kind)
    squares: Iterable[int] = range(90) if position.side else range(89, -1, -1)
    columns: _Columns = {}
    for square in squares:
        if position.piece_at(square) == letter:
            columns.setdefault(_file(position.side, square), []).append(square)
    return dict(sorted(columns.items()))


def _crowded(columns: _Columns) -> _Columns:
    """The files with several pieces."""
    return {file: column for file, column in columns.items() if len(column) > 1}


def _value(character: str) -> int | None:
    if character in _NUMERALS:
        return _NUMERALS.index(character) + 1
    return int(character) if character in "123456789" else None


def _digit(side: int, number: int) -> str:
    return _NUMERALS[number - 1] if side == 0 else str(number)


def _file(side: int, square: int) -> int:
    """1 to 9 from the right hand of the side."""
    return 9 - square % 9 if side == 0 else square % 9 + 1


def _describe(side: int, kind: str, move: int) -> tuple[str, int]:
    """Action ('=', '+', '-') and number of a move."""
    origin, target = move & 127, move >> 7
    ranks = (target // 9 - origin // 9) * (-1 if side else 1)
    if ranks == 0:
        return "=", _file(side, target)
    return "+" if ranks > 0 else "-", _file(side, target) if kind in _SLANTED else abs(ranks)
