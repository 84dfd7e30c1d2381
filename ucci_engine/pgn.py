"""Xiangqi games as PGN text: read in all forms that files have, written as the Chinese programs read them.

The format is chess's PGN with the tags of Xqbase's 中国象棋电脑应用规范(三): Game "Chinese Chess" first, Red and Black
for the players, Format for the notation. A move is in ICCS (H2-E2, h2e2), Chinese (炮二平五), WXF (C2.5) or chess's
algebraic notation (Che2). No text belongs to two of these, so each move shows its own notation, and the Format tag is
not needed. Algebraic moves of a game are read with ranks from 0, and all of them with ranks from 1 if that fails.

Read and dropped: variations, NAGs, annotations like !?, comments before the first move, and the lines of text that
programs append after a game's result.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from search_core.line_protocol import legible
from ucci_engine import algebraic_notation, chinese_notation, wxf_notation
from ucci_engine.chinese_notation import NotationError
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, START_FEN, MoveTextError, move_text, parse_move
from ucci_engine.position import FenError, IllegalMove, Position

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""Red won, Black won, draw, unknown."""

_COLUMNS = 80
_LEADING_TAGS = ("Event", "Site", "Date", "Round", "RedTeam", "Red", "BlackTeam", "Black")
_OWN_TAGS = ("game", "result", "fen", "format")
"""Tags that game_text() makes itself."""

_ICCS_PATTERN = "(?:[A-I][0-9][-–]?[A-I][0-9]|[a-i][0-9][-–]?[a-i][0-9])"
_MOVE_PATTERN = "|".join([_ICCS_PATTERN, wxf_notation.PATTERN, algebraic_notation.PATTERN, chinese_notation.PATTERN])
_TOKEN = re.compile(
    rf"""
      (?P<blank>     \s+ )
    | (?P<escape>    ^%[^\n]* )
    | (?P<comment>   \{{[^}}]*\}} | ;[^\n]* )
    | (?P<unclosed>  \{{ )
    | (?P<variation> \( )
    | (?P<tag>       \[\s*(?P<name>\w+)\s+"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\] )
    | (?P<loose_tag> ^\[[ \t]*(?P<loose_name>\w+)[ \t]+"(?P<loose_value>[^\n]*)"[ \t]*\][ \t]*$ )
    | (?P<result>    (?:1-0|0-1|1/2-1/2|½-½|\*)(?![\w/]) | 红胜 | 紅勝 | 黑胜 | 黑勝 | 和棋 | 和局 )
    | (?P<iccs>      {_ICCS_PATTERN}(?![\w-]) )
    | (?P<wxf>       (?:{wxf_notation.PATTERN})(?![\w.+=-]) )
    | (?P<algebraic> {algebraic_notation.PATTERN}(?![\w=-]) )
    | (?P<chinese>   {chinese_notation.PATTERN} )
    | (?P<number>    \d{{1,4}}(?:[.:。、：…]+|(?=\s|\Z)) )
    | (?P<mark>      [.…]+ | [!?！？+#]+ | [,，] | \$\d+ )
    | (?P<unknown>   [^\s{{}}()\[\];]+ | . )
    """,
    re.VERBOSE | re.MULTILINE,
)
_HALF_WIDTH = {
    ord(character) + 0xFEE0: character
    for character in (*string.ascii_letters, *string.digits, "+", "-", "=", ".", "(", ")")
}
"""Full-width characters, which occur in moves, numbers and results too."""
_GAME_BEGINS = re.compile(
    rf"""
    ^[ \t]*(?:
      \[\s*\w+\s+"(?:[^"\\\n]|\\.)*"\s*\]
    | \[[ \t]*\w+[ \t]+"[^\n]*"[ \t]*\][ \t]*$
    | \d{{1,4}}[.:。、：…]*\s*(?:{_MOVE_PATTERN})(?![\w=-])
    )
    """,
    re.VERBOSE | re.MULTILINE,
)
_RESULT_WORDS = {
    "½-½": "1/2-1/2",
    "红胜": "1-0",
    "紅勝": "1-0",
    "黑胜": "0-1",
    "黑勝": "0-1",
    "和棋": "1/2-1/2",
    "和局": "1/2-1/2",
}
_IN_VARIATION = re.compile(r"\{[^}]*\}|;[^\n]*|[(){]")


class PgnError(ValueError):
    """A text that is not valid Xiangqi PGN; the message is one line with the line number and the token."""


@dataclass(frozen=True, slots=True)
class PgnGame:
    """A game. The readers make sure that the moves are legal one after another from `fen`."""

    tags: dict[str, str]
    """As the text has them, in its order."""
    fen: str
    """The start position; START_FEN if there is no tag for it."""
    moves: tuple[int, ...]
    comments: tuple[str, ...]
    """The comment after each move, '' for none; as long as `moves`."""
    result: str
    """One of RESULTS."""
    line: int
    """Where the game's first tag or move is in its text, from 1."""


def decode(data: bytes) -> str:
    """The text of a file in UTF-8, with or without a byte order mark, or in GB18030. Raises PgnError if in neither."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("gb18030")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PgnError(f"line {line}: byte {data[error.start]:#04x} is neither UTF-8 nor GB18030") from None


def read_games(text: str) -> Iterator[PgnGame]:
    """The games of a text, one after another; each is read when it is asked for. Raises PgnError."""
    return _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")).games()


def game_text(game: PgnGame) -> str:
    """A game as PGN text with moves in ICCS. It ends with an empty line, so texts can follow each other in a file."""
    return "\n".join([*_tag_lines(game), "", *_move_lines(game), "", ""])


class _Written(NamedTuple):
    """A move as the text has it."""

    kind: str
    """The group of _TOKEN."""
    text: str
    line: int


@dataclass(slots=True)
class _Draft:
    """A game that has been read in part."""

    tags: dict[str, str] = field(default_factory=dict)
    tag_lines: dict[str, int] = field(default_factory=dict)
    written: list[_Written] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    """What `written` means, if the ranks of algebraic moves are counted as in `ranks`."""
    ranks: str = RANKS_FROM_0
    comments: list[list[str]] = field(default_factory=list)
    """The comments after each move."""
    line: int = 0
    fen: str = START_FEN
    position: Position | None = None
    """After the last move; None before the first, while tags can still set the start."""

    @property
    def empty(self) -> bool:
        return not self.tags and not self.moves

    def tag(self, name: str) -> str:
        """The value of a tag in any case of letters, '' if there is none."""
        return next((value for key, value in self.tags.items() if key.lower() == name), "")

    def ends_before_tag(self, name: str) -> bool:
        """Whether the tag, if it comes next, belongs to another game."""
        return bool(self.moves) or (name.lower() in ("game", "event") and name in self.tags)

    def start(self) -> Position:
        """Set up the position, if it has not been done. Raises PgnError."""
        if self.position is None:
            fen = self.tag("fen").strip()
            try:
                self.position = Position(fen or START_FEN)
            except FenError as error:
                line = next(line for name, line in self.tag_lines.items() if name.lower() == "fen")
                raise PgnError(f"line {line}: FEN {legible(fen)}: {error}") from None
            self.fen = self.position.fen()
        return self.position

    def play(self, written: _Written) -> None:
        """Add a move. Raises PgnError."""
        position = self.start()
        try:
            self.moves.append(_played(position, written, self.ranks))
        except PgnError:
            if written.kind != "algebraic" or self.ranks == RANKS_FROM_1 or not self._counts_from_1(written):
                raise
        self.written.append(written)
        self.comments.append([])

    def _counts_from_1(self, written: _Written) -> bool:
        """Whether all moves and this one are legal with ranks from 1. If so, the game is read that way from now on."""
        position = Position(self.fen)
        try:
            self.moves = [_played(position, each, RANKS_FROM_1) for each in (*self.written, written)]
        except PgnError:
            return False
        self.position, self.ranks = position, RANKS_FROM_1
        return True

    def finished(self, terminator: str) -> PgnGame:
        """The game. Its result is the terminator after the moves, or the tag's if that is `*`. Raises PgnError."""
        self.start()
        tagged = self.tag("result").strip()
        result = tagged if terminator == "*" and tagged in RESULTS else terminator
        comments = tuple(" ".join(filter(None, parts)) for parts in self.comments)
        return PgnGame(self.tags, self.fen, tuple(self.moves), comments, result, self.line)


class _Reader:
    """Reads a text from the front to the back, once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._half_width = text.translate(_HALF_WIDTH)
        self._offset = 0
        self._line = 1
        self._counted = 0
        """The offset up to which `_line` counts line breaks."""

    def games(self) -> Iterator[PgnGame]:
        draft = _Draft()
        while token := _TOKEN.match(self._half_width, self._offset):
            kind, line = token.lastgroup or "", self._line_at(token.start())
            self._offset = token.end()
            written = self._text[token.start() : token.end()]
            if kind in ("tag", "loose_tag"):
                prefix = "" if kind == "tag" else "loose_"
                name, value = (self._text[slice(*token.span(prefix + part))] for part in ("name", "value"))
                if draft.ends_before_tag(name):
                    yield draft.finished("*")
                    draft = _Draft()
                draft.line = draft.line or line
                draft.tags[name] = re.sub(r'\\(["\\])', r"\1", value)
                draft.tag_lines[name] = line
            elif kind in ("iccs", "wxf", "algebraic", "chinese"):
                draft.line = draft.line or line
                draft.play(_Written(kind, token[0], line))
            elif kind == "comment":
                if draft.moves:
                    draft.comments[-1].append(written[1 : -1 if written[0] == "{" else None].strip())
            elif kind == "result":
                if not draft.empty:
                    yield draft.finished(_RESULT_WORDS.get(token[0], token[0]))
                draft = _Draft()
                self._skip_to_game()
            elif kind == "variation":
                self._skip_variation(line)
            elif kind == "unclosed":
                raise PgnError(f"line {line}: the comment that begins with '{{' is not closed")
            elif kind == "unknown":
                raise PgnError(f"line {line}: {legible(written)} is no move, tag, comment or result")
        if not draft.empty:
            yield draft.finished("*")

    def _line_at(self, offset: int) -> int:
        self._line += self._text.count("\n", self._counted, offset)
        self._counted = offset
        return self._line

    def _skip_variation(self, line: int) -> None:
        """Skip to the end of the variation whose opening bracket was just read, in `line`."""
        depth = 1
        for token in _IN_VARIATION.finditer(self._half_width, self._offset):
            if token[0] == "{":
                line = self._line_at(token.start())
                raise PgnError(f"line {line}: the comment that begins with '{{' is not closed")
            depth += (token[0] == "(") - (token[0] == ")")
            if depth == 0:
                self._offset = token.end()
                return
        raise PgnError(f"line {line}: the variation that begins with '(' is not closed")

    def _skip_to_game(self) -> None:
        """After a result, skip the lines that do not begin a game: advertisements of the writing program."""
        begin = _GAME_BEGINS.search(self._half_width, self._offset)
        self._offset = len(self._text) if begin is None else begin.start()


def _played(position: Position, written: _Written, ranks: str) -> int:
    """Read the move, play it in the position and return it. Raises PgnError."""
    kind, text, line = written
    try:
        if kind == "iccs":
            move = parse_move(re.sub("[-–]", "", text))
        elif kind == "wxf":
            move = wxf_notation.wxf_to_move(position, text)
        elif kind == "algebraic":
            move = algebraic_notation.algebraic_to_move(position, text, ranks)
        else:
            move = chinese_notation.chinese_to_move(position, text)
        position.push(move)
    except IllegalMove:
        raise PgnError(f"line {line}: {legible(text)} is not legal in {position.fen()}") from None
    except MoveTextError as error:
        raise PgnError(f"line {line}: {error}") from None
    except NotationError as error:
        raise PgnError(f"line {line}: {error}, in {position.fen()}") from None
    return move


def _tag_lines(game: PgnGame) -> Iterator[str]:
    tags = {name: value for name, value in game.tags.items() if name.lower() not in _OWN_TAGS}
    yield _tag_line("Game", "Chinese Chess")
    for name in _LEADING_TAGS:
        if name in tags:
            yield _tag_line(name, tags.pop(name))
    yield _tag_line("Result", game.result)
    for name, value in tags.items():
        yield _tag_line(name, value)
    if game.fen != START_FEN:
        yield _tag_line("FEN", game.fen)
    yield _tag_line("Format", "ICCS")


def _tag_line(name: str, value: str) -> str:
    clean = " ".join(value.splitlines()).replace("\\", r"\\").replace('"', r"\"")
    return f'[{name} "{clean}"]'


def _move_lines(game: PgnGame) -> Iterator[str]:
    """The moves, comments and the result, filled up to _COLUMNS; a comment keeps its own line breaks."""
    line = ""
    for part in _move_parts(game):
        if line and len(line) + 1 + len(part.partition("\n")[0]) > _COLUMNS:
            yield line
            line = ""
        *whole, line = (f"{line} {part}" if line else part).split("\n")
        yield from whole
    yield line


def _move_parts(game: PgnGame) -> Iterator[str]:
    """The parts that stay together: a move with its number, a comment, the result."""
    black_began = game.fen.split()[1:2] == ["b"]
    numbered = True
    for ply, (move, comment) in enumerate(zip(game.moves, game.comments), start=int(black_began)):
        text = move_text(move).upper()
        written = f"{text[:2]}-{text[2:]}"
        if ply % 2 == 0:
            yield f"{ply // 2 + 1}. {written}"
        else:
            yield f"{ply // 2 + 1}... {written}" if numbered else written
        numbered = False
        clean = comment.replace("{", "(").replace("}", ")").strip()
        if clean:
            yield f"{{{clean}}}"
            numbered = True
    yield game.result
