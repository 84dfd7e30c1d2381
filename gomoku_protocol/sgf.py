"""Games of Gomoku in SGF, the format of https://www.red-bean.com/sgf/: game 4, "Gomoku + Renju".

The reader takes GM, SZ, RU, PB, PW, RE, ON (the opening), AB, AW and PL before
the first move, B, W and C. It ignores the rest (marks, clocks), except a GC of
`sanqi play`, which has the options of the game. RU is a name or the Gomocup
protocol's number, as c-gomoku-cli writes it.

Several Gomoku programs write the number of another game: GM[1], Go, GM[2] or
GM[11]. Such a file is read, with a remark, if nothing in it contradicts Gomoku:
no komi or handicap, no rules of Go, no pass, and no stone that Go would take.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from sgfmill import sgf_grammar  # type: ignore[import-untyped]

from gomoku_protocol import sgf_text
from gomoku_protocol.game_record import (
    BLACK,
    RULE_NAMES,
    RULES_BY_NAME,
    WHITE,
    GameRecord,
    Outcome,
    Points,
    RecordError,
    Stone,
    clean_name,
)
from gomoku_protocol.sgf_nodes import Node, Properties, line_at, next_game, nodes
from gomoku_protocol.sgf_points import letters, point_of_value
from gomoku_protocol.sgf_variations import VariationReader, comment_of, tree_of
from search_core.failures import named
from search_core.line_protocol import decode_line, excerpt

_GAME = b"4"
_MISNAMED = {b"1": "Go", b"2": "Othello", b"11": "Hex"}
"""Other games whose numbers Gomoku programs write."""
_OF_GO = ("KM", "HA", "TB", "TW", "KO")
"""Properties that no game of Gomoku has."""
_RULES_OF_GO = ("japanese", "chinese", "aga", "nz", "new zealand", "ing", "goe", "korean", "tromp-taylor")
_USUAL_SIZE = 15  # where SZ is missing
_SIZE = re.compile(r"(\d{1,5})(?:\s*:\s*(\d{1,5}))?", re.ASCII)
_SIDES = {"B": BLACK, "W": WHITE, "BLACK": BLACK, "WHITE": WHITE}
_OUTCOMES: dict[str, Outcome] = {"0": "draw", "1/2-1/2": "draw", "1-0": "black", "0-1": "white"}
_INITIALS: dict[str, Outcome] = {"B": "black", "W": "white", "D": "draw"}
_RESULTS = {"black": "B+", "white": "W+", "draw": "0"}
_RULES = RULES_BY_NAME | {str(rule): rule for rule in RULE_NAMES}

_PLAYED = "sanqi play gomoku "

_FORCE = "; --from sgf with --rule reads it all the same"


def parse(data: bytes, *, rule: str | None = None) -> GameRecord:
    """The first game in an SGF file, as read_games() reads it."""
    return next(read_games(data, rule=rule))


def read_games(data: bytes, *, rule: str | None = None) -> Iterator[GameRecord]:
    """The games of an SGF file; there is at least one. Raises RecordError, naming the property or, if it is no SGF, the
    line; then there are no further games, but they follow a game that is no Gomoku.

    `rule`: one of RULE_NAMES; the games are read as Gomoku by this rule, whatever GM says.
    """
    return _Collection(data, rule)


class _Collection(Iterator[GameRecord]):
    """The games of a file. An error does not end it, as it would a generator."""

    def __init__(self, data: bytes, rule: str | None) -> None:
        text, self._remarks = sgf_text.decode(data)
        self._data = text.encode("utf-8", "replace")
        self._rule = rule
        self._begin: int | None = 0
        """Of the next game; None: there is none."""

    def __next__(self) -> GameRecord:
        if self._begin is None:
            raise StopIteration
        place = "" if self._begin == 0 else f"the game from line {line_at(self._data, self._begin)} on"
        read, remarks = _GameNodes(self._data, self._begin), self._remarks
        self._begin, self._remarks = None, ()
        try:
            with named(place, RecordError):
                return _game(read, self._rule, remarks)
        finally:
            with contextlib.suppress(RecordError):
                for _ in read:  # what is left of a game that is no Gomoku
                    pass
                self._begin = None if read.end is None else next_game(self._data, read.end)


class _GameNodes(Iterator[Node]):
    """The nodes of a game; when they are all read without an error, `end` is the offset behind it."""

    def __init__(self, data: bytes, begin: int) -> None:
        self.end: int | None = None
        self._nodes = nodes(data, begin)

    def __next__(self) -> Node:
        try:
            return next(self._nodes)
        except StopIteration as stop:
            if stop.value is not None:
                self.end = stop.value
            raise


def _game(read: _GameNodes, rule: str | None, remarks: tuple[str, ...]) -> GameRecord:
    first = next(read)
    root = first.properties
    game = root["GM"][0].strip().lstrip(b"0") if "GM" in root else _GAME
    is_misnamed = game != _GAME and rule is None
    if is_misnamed and game not in _MISNAMED:
        raise RecordError(f"GM{_value(root, 'GM')} is not Gomoku, GM[4]{_FORCE}")
    points = _board(root)
    setup: list[Stone] = []
    moves: list[Stone] = []
    comments = [""]
    """Before the first move, and at each one."""
    to_move = None
    variations = VariationReader(points, setup, moves)
    for each in itertools.chain((first,), read):
        if not each.is_main:
            variations.add(each)
            continue
        node = each.properties
        if is_misnamed and (fault := _of_go(node, len(moves))):
            raise RecordError(f"GM{_value(root, 'GM')} is {_MISNAMED[game]}, and {fault}: not Gomoku, GM[4]{_FORCE}")
        if not moves:
            setup += _set_up(node, points)
            to_move = _to_move(node, to_move)
        elif unwanted := {"AB", "AW", "AE"} & node.keys():
            name = min(unwanted)
            raise RecordError(f"{name}{_value(node, name)} comes after move {len(moves)}, not before the first")
        if stone := _move(node, points, len(moves) + 1):
            moves.append(stone)
            comments.append("")
        comments[-1] = "\n".join(filter(None, (comments[-1], comment_of(node))))
        variations.add_main(each.number)
    if is_misnamed:
        if taken := _taken_by_go(points, setup, moves):
            raise RecordError(f"GM{_value(root, 'GM')} is {_MISNAMED[game]}, and {taken}: not Gomoku, GM[4]{_FORCE}")
        remarks += (
            f"GM{_value(root, 'GM')} is {_MISNAMED[game]}, but nothing in it contradicts Gomoku: read as Gomoku",
        )
    if moves:
        to_move = moves[0].side
    elif to_move is None:
        black = sum(stone.side == BLACK for stone in setup)
        to_move = WHITE if black > len(setup) - black else BLACK
    game_comment = _text(root, "GC") or ""
    return GameRecord(
        points.width,
        points.height,
        tuple(replace(stone, comment=comment) for stone, comment in zip(moves, comments[1:])),
        setup=tuple(setup),
        first=to_move,
        rule=_RULES.get((rule or _text(root, "RU") or "").lower()),
        names=(_text(root, "PB"), _text(root, "PW")),
        outcome=_outcome((_text(root, "RE") or "").upper()),
        comment=comments[0],
        opening=_text(root, "ON") or "",
        options=game_comment.removeprefix(_PLAYED) if game_comment.startswith(_PLAYED) else None,
        remarks=remarks + variations.remarks,
        side_lines=variations.lines,
    )


def _outcome(text: str) -> Outcome | None:
    """What RE says; some programs write it as in PGN."""
    return _OUTCOMES.get(text) or _INITIALS.get(text[:1])


def _of_go(node: Properties, moves: int) -> str:
    """What in a node, after this number of moves, belongs to Go; '' for nothing."""
    for name in _OF_GO:
        if name in node:
            return f"it has {name}{_value(node, name)}"
    if "RU" in node and (_text(node, "RU") or "").lower() in _RULES_OF_GO:
        return f"its rules are RU{_value(node, 'RU')}"
    for name in ("B", "W"):
        if name in node and decode_line(node[name][0]).lower() in ("", "tt"):
            return f"move {moves + 1} is a pass"
    return ""


def _taken_by_go(points: Points, setup: list[Stone], moves: list[Stone]) -> str:
    """Which move takes stones by the rules of Go; '' if none does. The points are different ones, so none is played
    again."""
    board = {(stone.x, stone.y): stone.side for stone in setup}
    for number, move in enumerate(moves, 1):
        board[move.x, move.y] = move.side
        for beside in _neighbours(points, move.x, move.y):
            if board.get(beside) == 1 - move.side and not _has_liberty(points, board, beside):
                return f"move {number} takes stones"
    return ""


def _has_liberty(points: Points, board: dict[tuple[int, int], int], begin: tuple[int, int]) -> bool:
    chain, waiting = {begin}, [begin]
    while waiting:
        for beside in _neighbours(points, *waiting.pop()):
            if beside not in board:
                return True
            if board[beside] == board[begin] and beside not in chain:
                chain.add(beside)
                waiting.append(beside)
    return False


def _neighbours(points: Points, x: int, y: int) -> list[tuple[int, int]]:
    return [
        (column, row)
        for column, row in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
        if 0 <= column < points.width and 0 <= row < points.height
    ]


def _value(node: Properties, name: str) -> str:
    """A property's first value as it stands in the file, for messages."""
    return f"[{excerpt(decode_line(node[name][0]))[1:-1]}]"


def _text(node: Properties, name: str) -> str | None:
    if name not in node:
        return None
    return clean_name(decode_line(sgf_grammar.simpletext_value(node[name][0])))


def _board(root: Properties) -> Points:
    if "SZ" not in root:
        return Points(_USUAL_SIZE, _USUAL_SIZE)
    size = _SIZE.fullmatch(decode_line(root["SZ"][0]))
    if size is None:
        raise RecordError(f"SZ{_value(root, 'SZ')} is no size; expected SZ[15] or SZ[15:12]")
    return Points(int(size[1]), int(size[2] or size[1]))


def _set_up(node: Properties, points: Points) -> list[Stone]:
    if "AE" in node:
        raise RecordError(f"AE{_value(node, 'AE')}: Gomoku never takes stones away")
    stones = []
    for side, name in ((BLACK, "AB"), (WHITE, "AW")):
        for value in node.get(name, []):
            first, second = sgf_grammar.parse_compose(value)
            left, top = point_of_value(first, name)
            right, bottom = (left, top) if second is None else point_of_value(second, name)
            for y in range(top, bottom + 1):
                for x in range(left, right + 1):
                    points.take(x, y, f"{name}[{letters(x, y)}]")
                    stones.append(Stone(side, x, y))
    return stones


def _to_move(node: Properties, before: int | None) -> int | None:
    if "PL" not in node:
        return before
    side = _SIDES.get(decode_line(node["PL"][0]).upper())
    if side is None:
        raise RecordError(f"PL{_value(node, 'PL')} is no side; expected PL[B] or PL[W]")
    return side


def _move(node: Properties, points: Points, number: int) -> Stone | None:
    """The move in a node, if any. `number`: its number in the game, from 1."""
    values = [(side, name, value) for side, name in ((BLACK, "B"), (WHITE, "W")) for value in node.get(name, [])]
    if not values:
        return None
    if len(values) > 1:
        raise RecordError(f"move {number}: a node has more than one move")
    [(side, name, value)] = values
    with named(f"move {number}", RecordError):
        x, y = point_of_value(value, name)
        points.take(x, y, f"{name}[{letters(x, y)}]")
    return Stone(side, x, y)


def serialise(record: GameRecord) -> bytes:
    """The game as SGF, in UTF-8: the whole record except the milliseconds, and variations after the last move, which
    would be the game."""
    size = str(record.width) if record.width == record.height else f"{record.width}:{record.height}"
    root: Properties = {"FF": [b"4"], "CA": [b"UTF-8"], "GM": [_GAME], "SZ": [size.encode()]}
    if record.rule is not None:
        root["RU"] = [RULE_NAMES[record.rule].encode()]
    for name, player in zip(("PB", "PW"), record.names):
        if player is not None:
            root[name] = [sgf_grammar.escape_text(player.encode("utf-8", "replace"))]
    if record.outcome is not None:
        root["RE"] = [_RESULTS[record.outcome].encode()]
    if record.comment:
        root["C"] = [sgf_grammar.escape_text(record.comment.encode("utf-8", "replace"))]
    if record.opening:
        root["ON"] = [sgf_grammar.escape_text(record.opening.encode())]
    if record.options is not None:
        root["GC"] = [sgf_grammar.escape_text(f"{_PLAYED}{record.options}".encode())]
    for side, name in ((BLACK, "AB"), (WHITE, "AW")):
        if stones := [letters(stone.x, stone.y).encode() for stone in record.setup if stone.side == side]:
            root[name] = stones
    if record.setup or record.first == WHITE:
        root["PL"] = [b"BW"[record.first : record.first + 1]]
    data: bytes = sgf_grammar.serialise_game_tree(tree_of(record, root))
    return data
