"""Xiangqi games as PGN text: read in all forms that files have, written in any notation.

The format is chess's PGN with the tags of Xqbase's 中国象棋电脑应用规范(三): Game "Chinese Chess" first, Red and Black
for the players, Format for the notation. A move is in ICCS (H2-E2, h2e2), Chinese (炮二平五), WXF (C2.5) or chess's
algebraic notation (Che2). No text belongs to two of these, so each move shows its own notation, and the Format tag is
not needed. Algebraic moves of a game are read with ranks from 0, and all of them with ranks from 1 if that fails.

Comments and variations are kept. A bracket that holds no legal variation becomes a comment. Read and dropped: NAGs,
annotations like !?, and the lines of text that programs append after a game's result.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from search_core.failures import named
from search_core.line_protocol import legible
from search_core.text_file import unmarked
from ucci_engine.extra_pieces import open_position
from ucci_engine.game_record import RESULTS, GameRecord, Node, RecordError, TreeBuilder
from ucci_engine.notation import PATTERNS, NotationError, name_move, read_as
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, START_FEN
from ucci_engine.position import FenError

ENCODINGS = ("utf-8", "gb18030")
"""The encodings of files."""

_COLUMNS = 80
_LEADING_TAGS = ("Event", "Site", "Date", "Round", "RedTeam", "Red", "BlackTeam", "Black")
_MAX_TAGS = 1000
_OWN_TAGS = ("game", "result", "fen", "format")
"""Tags that game_text() makes itself."""
_FORMATS = {"iccs": "ICCS", "wxf": "WXF", "chinese": "Chinese", "traditional": "Chinese"}
"""The Format tag of each notation that has one."""

_MOVE_PATTERN = "|".join(PATTERNS.values())
_TOKEN = re.compile(
    rf"""
      (?P<blank>     \s+ )
    | (?P<escape>    ^%[^\n]* )
    | (?P<comment>   \{{[^}}]*\}} | ;[^\n]* )
    | (?P<unclosed>  \{{ )
    | (?P<open>      \( )
    | (?P<close>     \) )
    | (?P<tag>       \[\s*(?P<name>\w+)\s+"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\] )
    | (?P<loose_tag> ^\[[ \t]*(?P<loose_name>\w+)[ \t]+"(?P<loose_value>[^\n]*)"[ \t]*\][ \t]*$ )
    | (?P<result>    (?:1-0|0-1|1/2-1/2|½-½|\*)(?![\w/]) | 红胜 | 紅勝 | 黑胜 | 黑勝 | 和棋 | 和局 )
    | (?P<iccs>      {PATTERNS["iccs"]}(?![\w-]) )
    | (?P<wxf>       {PATTERNS["wxf"]}(?![\w.+=-]) )
    | (?P<algebraic> {PATTERNS["algebraic"]}(?![\w=-]) )
    | (?P<chinese>   {PATTERNS["chinese"]} )
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
_TAG_LINE = re.compile(r'[ \t]*\[\s*\w+\s+"')
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


class PgnError(RecordError):
    """A text that is not valid Xiangqi PGN; the message is one line with the line number and the token."""


class _TooLargeError(PgnError):
    """A game with more moves than are read. It does not become a comment, as a variation with an error does."""


class _AlgebraicError(PgnError):
    """An algebraic move that names no legal move; with ranks from 1 it might."""


def decode(data: bytes) -> str:
    """The text of a file in UTF-8 or GB18030, or with a byte order mark. Raises PgnError if it is in neither."""
    data = unmarked(data)
    for encoding in ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            at = error.start
    line = data.count(b"\n", 0, at) + 1
    raise PgnError(f"line {line}: byte {data[at]:#04x} is neither UTF-8 nor GB18030")


def read_games(text: str, first_line: int = 1) -> Iterator[GameRecord]:
    """The games of a text, one after another; each is read when it is asked for. Raises PgnError, which counts lines
    from `first_line`; the games after the next tags can still be asked for."""
    return _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), first_line)


def game_text(game: GameRecord, notation: str = "iccs") -> str:
    """A game as PGN text, moves in one of `notation.NOTATIONS`; in ICCS where that cannot name one. It ends with an
    empty line, so texts can follow each other in a file. Raises FenError or NotationError if the game is not legal."""
    return "\n".join([*_tag_lines(game, notation), "", *_filled(_MoveWriter(game, notation).parts), "", ""])


class _Bracket(NamedTuple):
    """A variation that is being read."""

    begin: int
    """The offset after its opening bracket."""
    line: int
    replaced: Node | None
    """The move in whose place it stands; None: the bracket stands where a move is expected."""
    ply: int
    """Where it begins."""
    siblings: int
    """How many moves were known from there before."""
    comments: list[str]
    """Its comments before its first move."""


class _Draft:
    """A game that has been read in part."""

    def __init__(self, ranks: str) -> None:
        self.ranks = ranks
        """How the ranks of algebraic moves are counted."""
        self.tags: dict[str, str] = {}
        self.tag_lines: dict[str, int] = {}
        self.line = 0
        self.brackets: list[_Bracket] = []
        """The variations that are open, the innermost last."""
        self._comments: dict[Node, list[str]] = {}
        self._early: list[str] = []
        """The comments before the first move."""
        self._spoiled = 0
        """How many of `brackets`, counted from the outermost, hold one that became a comment."""
        self._tree: TreeBuilder | None = None
        """None before the first move, while tags can still set the start."""

    @property
    def has_begun(self) -> bool:
        """Whether a move was read."""
        return self._tree is not None

    @property
    def empty(self) -> bool:
        return not self.tags and not self.has_begun

    def tag(self, name: str) -> str:
        """The value of a tag in any case of letters, '' if there is none."""
        return next((value for key, value in self.tags.items() if key.lower() == name), "")

    def ends_before_tag(self, name: str) -> bool:
        """Whether the tag, if it comes next, belongs to another game."""
        return self.has_begun or (name.lower() in ("game", "event") and name in self.tags)

    def tree(self) -> TreeBuilder:
        """The tree, at its start if it is new. Raises PgnError."""
        if self._tree is None:
            fen = self.tag("fen").strip()
            try:
                self._tree = TreeBuilder(fen or START_FEN)
            except FenError as error:
                line = next(line for name, line in self.tag_lines.items() if name.lower() == "fen")
                raise PgnError(f"line {line}: FEN {legible(fen)}: {error}") from None
            self.fen = self._tree.position.fen()
        return self._tree

    def play(self, kind: str, text: str, line: int) -> None:
        """Add a move. Raises PgnError."""
        self.line = self.line or line
        tree = self.tree()
        try:
            move = read_as(tree.position, kind, text, self.ranks)
        except NotationError as error:
            wrong = _AlgebraicError if kind == "algebraic" else PgnError
            raise wrong(f"line {line}: {error}, in {tree.position.fen()}") from None
        with named(f"line {line}", RecordError, _TooLargeError):
            node = tree.add(move)
        if self.brackets and tree.ply == self.brackets[-1].ply + 1:
            self._comments[node] = self.brackets[-1].comments

    def comment(self, text: str) -> None:
        if self._tree is None:
            self._early.append(text)
        elif self.brackets and self._tree.ply == self.brackets[-1].ply:
            self.brackets[-1].comments.append(text)
        else:
            self._comments.setdefault(self._tree.path[-1], []).append(text)

    def open(self, begin: int, line: int) -> None:
        """Begin a variation in place of the last move."""
        tree = self.tree()
        base = self.brackets[-1].ply if self.brackets else 0
        replaced = tree.take_back() if tree.ply > base else None
        self.brackets.append(_Bracket(begin, line, replaced, tree.ply, len(tree.path[-1].next), []))

    def close(self) -> None:
        """End the innermost variation."""
        tree, bracket = self.tree(), self.brackets.pop()
        self._spoiled = min(self._spoiled, len(self.brackets))
        unused = bracket.comments if tree.ply == bracket.ply else []
        tree.back_to(bracket.ply)
        if bracket.replaced is not None:
            tree.again(bracket.replaced)
        for text in unused:
            self.comment(text)

    def give_up(self) -> _Bracket:
        """Remove the innermost variation, which is not legal; the outermost, if the innermost holds one already that
        was not: so every text becomes a comment twice at most."""
        tree = self.tree()
        if self._spoiled == len(self.brackets):
            del self.brackets[1:]
        bracket = self.brackets[-1]
        tree.back_to(bracket.ply)
        del tree.path[-1].next[bracket.siblings :]
        bracket.comments.clear()
        self.close()
        self._spoiled = len(self.brackets)
        return bracket

    def finished(self, terminator: str) -> GameRecord:
        """The game. Its result is the terminator after the moves, or the tag's if that is `*`. Raises PgnError."""
        root = self.tree().path[0]
        self._comments[root] = self._early
        for node, texts in self._comments.items():
            node.comment = " ".join(filter(None, texts))
        tagged = self.tag("result").strip()
        tagged = _RESULT_WORDS.get(tagged, tagged)
        result = tagged if terminator == "*" and tagged in RESULTS else terminator
        return GameRecord(self.tags, self.fen, root, result, self.line)


class _Reader:
    """Reads a text from the front to the back, a game again where its ranks turn out to count from 1."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._half_width = text.translate(_HALF_WIDTH)
        self._offset = 0
        self._line = first_line
        self._counted = 0
        """The offset up to which `_line` counts line breaks."""
        self._in_moves = False
        """Whether a move of the game that is being read was read."""
        self._begin = 0
        """Where that game begins."""
        self._token_at = 0
        """Where its last token begins."""

    def __iter__(self) -> Iterator[GameRecord]:
        return self

    def __next__(self) -> GameRecord:
        """The next game. Raises PgnError. Unlike a generator, it goes on after an error."""
        try:
            game = self._next_game()
        except PgnError:
            self._skip_bad_game()
            raise
        if game is None:
            raise StopIteration
        return game

    def _next_game(self) -> GameRecord | None:
        begin = self._offset, self._line, self._counted
        self._begin = self._offset
        try:
            return self._game(RANKS_FROM_0)
        except _AlgebraicError as error:
            first, failed_at = error, self._offset
        self._offset, self._line, self._counted = begin
        try:
            return self._game(RANKS_FROM_1)
        except PgnError as error:
            raise (error if self._offset > failed_at else first) from None

    def _game(self, ranks: str) -> GameRecord | None:
        """The next game; None at the end."""
        draft = _Draft(ranks)
        self._in_moves = False
        while token := _TOKEN.match(self._half_width, self._offset):
            kind, line = token.lastgroup or "", self._line_at(token.start())
            self._token_at, self._offset = token.start(), token.end()
            written = self._text[token.start() : token.end()]
            if kind in ("tag", "loose_tag") and not draft.brackets:
                prefix = "" if kind == "tag" else "loose_"
                name, value = (self._text[slice(*token.span(prefix + part))] for part in ("name", "value"))
                if draft.ends_before_tag(name):
                    self._offset = token.start()
                    return draft.finished("*")
                draft.line = draft.line or line
                if len(draft.tags) == _MAX_TAGS:
                    raise PgnError(f"line {line}: more than {_MAX_TAGS:,} tags in a game")
                draft.tags[name] = re.sub(r'\\(["\\])', r"\1", value)
                draft.tag_lines[name] = line
            elif kind in PATTERNS:
                self._in_moves = True
                try:
                    draft.play(kind, token[0], line)
                except PgnError as error:
                    if not draft.brackets or isinstance(error, _TooLargeError):
                        raise
                    self._keep_as_comment(draft)
            elif kind == "comment":
                draft.comment(written[1 : -1 if written[0] == "{" else None].strip())
            elif kind == "result" and not draft.brackets:
                self._skip_to_game()
                if not draft.empty:
                    return draft.finished(_RESULT_WORDS.get(token[0], token[0]))
                draft = _Draft(ranks)
            elif kind == "open":
                if draft.has_begun:
                    draft.open(self._offset, line)
                else:
                    draft.comment(self._rest_of_bracket(self._offset, line, 1))
            elif kind == "close" and draft.brackets:
                draft.close()
            elif kind == "unclosed":
                raise _not_closed("comment", "{", line)
            elif kind in ("unknown", "close", "tag", "loose_tag"):
                if not draft.brackets:
                    raise PgnError(f"line {line}: {legible(written)} is no move, tag, comment or result")
                self._keep_as_comment(draft)
        if draft.brackets:
            raise _not_closed("variation", "(", draft.brackets[0].line)
        return None if draft.empty else draft.finished("*")

    def _line_at(self, offset: int) -> int:
        if offset < self._counted:  # after an error
            self._line -= self._text.count("\n", offset, self._counted)
        else:
            self._line += self._text.count("\n", self._counted, offset)
        self._counted = offset
        return self._line

    def _keep_as_comment(self, draft: _Draft) -> None:
        """Make a comment of the variation that is being read, and skip to its end."""
        depth = len(draft.brackets)
        bracket = draft.give_up()
        draft.comment(self._rest_of_bracket(bracket.begin, bracket.line, depth - len(draft.brackets)))

    def _rest_of_bracket(self, begin: int, line: int, depth: int) -> str:
        """Skip to the end of a bracket, `depth` closing ones away, and return its text from `begin`."""
        for token in _IN_VARIATION.finditer(self._half_width, self._offset):
            if token[0] == "{":
                raise _not_closed("comment", "{", self._line_at(token.start()))
            depth += (token[0] == "(") - (token[0] == ")")
            if depth == 0:
                self._offset = token.end()
                return " ".join(self._text[begin : token.start()].split())
        raise _not_closed("variation", "(", line)

    def _skip_bad_game(self) -> None:
        """After an error, go to the tags of the next game: the first ones that do not follow other tags."""
        line = self._text.rfind("\n", 0, self._token_at) + 1
        line_before = self._text[self._text.rfind("\n", 0, max(line - 1, 0)) + 1 : line]
        is_tag = self._text[line : self._token_at + 1].lstrip(" \t").startswith("[")
        is_among_tags = not self._in_moves and (is_tag or bool(line_before.strip()))  # moves come after an empty line
        if self._in_moves and line > self._begin:  # in an open bracket, the token may be a tag of that game
            self._offset = line
        else:
            self._offset = self._end_of_line()
        while self._offset < len(self._text):
            if _TAG_LINE.match(self._half_width, self._offset):
                if not is_among_tags:
                    return
            else:
                is_among_tags = False  # an empty line ends the tags, too
            self._offset = self._end_of_line()

    def _end_of_line(self) -> int:
        """The offset of the next line."""
        end = self._text.find("\n", self._offset)
        return len(self._text) if end < 0 else end + 1

    def _skip_to_game(self) -> None:
        """After a result, skip the lines that do not begin a game: advertisements of the writing program."""
        begin = _GAME_BEGINS.search(self._half_width, self._offset)
        self._offset = len(self._text) if begin is None else begin.start()


def _not_closed(what: str, begin: str, line: int) -> PgnError:
    return PgnError(f"line {line}: the {what} that begins with '{begin}' is not closed")


def _tag_lines(game: GameRecord, notation: str) -> Iterator[str]:
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
    if notation in _FORMATS:
        yield _tag_line("Format", _FORMATS[notation])


def _tag_line(name: str, value: str) -> str:
    clean = " ".join(value.splitlines()).replace("\\", r"\\").replace('"', r"\"")
    return f'[{name} "{clean}"]'


def _filled(parts: list[str]) -> Iterator[str]:
    """Lines of up to _COLUMNS; a comment keeps its own line breaks."""
    line = ""
    for part in parts:
        if line and len(line) + 1 + len(part.partition("\n")[0]) > _COLUMNS:
            yield line
            line = ""
        *whole, line = (f"{line} {part}" if line else part).split("\n")
        yield from whole
    yield line


class _MoveWriter:
    """Writes the tree of a game: a move, then the variations in its place, then what follows it.

    Attributes
    ----------
    parts : list of str
        The parts that stay together: a move with its number, a comment, the result.
    """

    def __init__(self, game: GameRecord, notation: str) -> None:
        self.parts: list[str] = []
        self._notation = notation
        self._position = open_position(game.fen)
        self._black_began = self._position.side
        self._at = game.root
        """The node of `_position`, `_ply` moves after the start."""
        self._ply = 0
        self._opened = ""
        self._numbered = True
        """Whether the next move has its number also if it is Black's."""
        self._add_comment(game.root)
        self._follow(game.root)
        self.parts.append(game.result)

    def _follow(self, root: Node) -> None:
        """Write all that comes after the start."""
        waiting: list[tuple[str, Node, int]] = [("after", root, 0)]  # the next is the last
        while waiting:
            what, node, ply = waiting.pop()
            if what == "close":
                self.parts[-1] += ")"
                self._numbered = True
                continue
            if what == "variation":
                self._opened = "("
                self._numbered = True
                self._add_move(node, ply)
            elif self._at is not node:  # variations came between
                self._push(node, ply)
            if node.next:
                main, *variations = node.next
                self._add_move(main, ply + 1)
                waiting.append(("after", main, ply + 1))
                for variation in reversed(variations):
                    waiting += [("close", variation, ply + 1), ("variation", variation, ply + 1)]

    def _push(self, node: Node, ply: int) -> None:
        """Go to a node, which follows one on the way from the start to here."""
        while self._ply >= ply:
            self._position.pop()
            self._ply -= 1
        self._position.push(node.move)
        self._at, self._ply = node, ply

    def _add_move(self, node: Node, ply: int) -> None:
        while self._ply >= ply:
            self._position.pop()
            self._ply -= 1
        written = name_move(self._position, node.move, self._notation)
        turn, is_black = divmod(ply - 1 + self._black_began, 2)
        if not is_black:
            written = f"{turn + 1}. {written}"
        elif self._numbered:
            written = f"{turn + 1}... {written}"
        self.parts.append(self._opened + written)
        self._opened, self._numbered = "", False
        self._push(node, ply)
        self._add_comment(node)

    def _add_comment(self, node: Node) -> None:
        clean = node.comment.replace("{", "(").replace("}", ")").strip()
        if clean:
            self.parts.append(f"{{{clean}}}")
            self._numbered = True
