"""Read what follows the command `position`: a start and the moves from there. `--fen` of the commands takes it too.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

import contextlib
import sys

from search_core.failures import SetUpError
from search_core.fields import Fields
from search_core.line_protocol import excerpt
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, START_FEN, MoveTextError, parse_move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucci_engine.position import Position

_FEN_FIELDS = 6
_STARTS = (START_FEN, START_FEN.replace(" w ", " b "))
"""Where the games of hosts begin that send the current position and the moves that led to it."""

FEN_HELP = "a position as hosts write it: F, 'fen F moves ...' or 'startpos moves ...' (default: the start of a game)"
"""The help of an option `--fen`, which takes what read_argument() reads."""


class GameOver(SetUpError):
    """A position in which the side to move can take the king; `move` does so."""

    def __init__(self, text: str, move: int) -> None:
        super().__init__(text)
        self.move = move


class GivenPosition(Fields):
    """What a host described."""

    position: Position
    """After the moves."""
    start: str
    """The start as a full FEN."""
    moves: Sequence[int]
    ranks: str | None
    """How the host counts ranks, if the moves show it."""
    remark: str
    """What a person should know of the start, if no game leads to it."""
    ignored: str = ""
    """What stood behind the FEN and was not read."""
    led_to_fen: bool = False
    """Whether the moves led to the FEN and do not begin there."""


def read_position(
    words: Sequence[str],
    ranks: str = RANKS_FROM_0,
    *,
    or_ranks: str | None = None,
    starts: Iterable[str] = (),
    strict: bool = False,
) -> GivenPosition:
    """The position that ``fen F [moves ...]`` or ``startpos [moves ...]`` describes.

    ElephantEye's league sends the line of its settings as F, which may have counters and a comment, and counters of its
    own behind it. Both are left out, unless `strict`.

    pikafish-terminal sends the current position as F, and behind it the moves that led there. If the moves cannot be
    played from F, but lead to its board and side to move from the start of a game (either side may have begun) or from
    one of `starts`, the position is F with these moves as its history; never if `strict`.

    A move with rank 0 or rank 10 shows how the ranks of all moves are counted; without one, `ranks` says it, or
    `or_ranks` if the moves are legal only then. Raises SetUpError, which names what is wrong; GameOver if the king can
    be taken.
    """
    what = words[0].lower() if words else ""
    rest = words[1:]
    lowered = [word.lower() for word in rest]
    split = lowered.index("moves") if "moves" in lowered else len(rest)
    ignored: Sequence[str] = ()
    if what == "fen":
        end = split if strict else _end_of_fen(rest[:split])
        ignored = rest[end:split]
        fen = " ".join(rest[:end])
    elif what == "startpos":
        if split > 0:
            raise SetUpError(f"expected 'moves' after startpos, got {excerpt(rest[0])}")
        fen = START_FEN
    else:
        raise SetUpError(f"expected 'fen' or 'startpos', got {excerpt(words[0]) if words else 'nothing'}")
    moves = _MoveTexts(rest[split + 1 :], ranks, or_ranks)
    try:
        given = moves.played_from(fen)
    except _UnplayableMove:
        led = None if strict or what != "fen" else moves.leading_to(fen, (*_STARTS, *starts))
        if led is None:
            raise
        given = led
    given.ignored = " ".join(ignored)
    return given


def read_argument(text: str) -> GivenPosition:
    """The position of an option such as `--fen`: what read_position() takes, with or without `fen` or `position`.

    Raises SetUpError, which names what is wrong.
    """
    words = text.split()
    if words and words[0].lower() == "position":
        words = words[1:]
    if not words or words[0].lower() not in ("fen", "startpos"):
        words = ["fen", *words]
    return read_position(words, strict=True)


def position_argument(command: str, text: str) -> Position | None:
    """The position of the option `--fen` of a command, with a line on stderr for a remark on it, or for what is wrong:
    then None."""
    try:
        given = read_argument(text)
    except SetUpError as error:
        print(f"sanqi {command}: --fen: {error}", file=sys.stderr)
        return None
    if given.remark:
        print(f"sanqi {command}: {given.remark}", file=sys.stderr)
    return given.position


def _end_of_fen(fields: Sequence[str]) -> int:
    """How many of the fields belong to the FEN: six, if only counters or a comment come after its counters."""
    tail = fields[_FEN_FIELDS:]
    if tail and (tail[0].startswith(";") or all(field == "-" or field.isdecimal() for field in tail)):
        return _FEN_FIELDS
    return len(fields)


class _UnplayableMove(SetUpError):
    """One of the moves is none, or is not legal."""


class _MoveTexts:
    """The moves of a command, and the ways in which their ranks may be counted."""

    def __init__(self, texts: Sequence[str], ranks: str, or_ranks: str | None) -> None:
        self._texts = texts
        self._shown, self._showing = _shown_ranks(texts)
        if self._shown is not None:
            self._counts = [self._shown]
        else:
            self._counts = [ranks] if or_ranks is None else [ranks, or_ranks]

    def played_from(self, fen: str) -> GivenPosition:
        """The position after the moves, by the first way in which all are legal.

        Raises SetUpError; if there is no such way, what is wrong in the first.
        """
        try:
            return self._play(fen, self._counts[0])
        except _UnplayableMove:
            for ranks in self._counts[1:]:
                with contextlib.suppress(_UnplayableMove):
                    return self._play(fen, ranks)
            raise

    def leading_to(self, fen: str, starts: Iterable[str]) -> GivenPosition | None:
        """The position of a FEN with the moves as its history, if they lead there from one of the starts."""
        from ucci_engine.extra_pieces import open_position

        wanted = open_position(fen).fen().split()[:2]  # not the counters: those of hosts are often constant
        for start in starts:
            for ranks in self._counts:
                with contextlib.suppress(_UnplayableMove):
                    given = self._play(start, ranks)
                    if given.position.fen().split()[:2] == wanted:
                        given.led_to_fen = True
                        return given
        return None

    def _play(self, fen: str, ranks: str) -> GivenPosition:
        from ucci_engine.extra_pieces import open_position, remark_on
        from ucci_engine.position import FenError, IllegalMove, KingCapture

        try:
            position = open_position(fen)
        except KingCapture as error:
            if self._texts:
                raise SetUpError(f"move 1: {excerpt(self._texts[0])} comes too late, {error}") from None
            raise GameOver(str(error), error.move) from None
        except FenError as error:
            raise SetUpError(str(error)) from None
        start, remark = position.fen(), remark_on(position)
        moves = []
        for number, text in enumerate(self._texts, 1):
            try:
                move = parse_move(text, ranks)
                position.push(move)
            except MoveTextError as error:
                raise _UnplayableMove(f"move {number}: {error}") from None
            except IllegalMove:
                why = f", as in move {self._showing}" if self._shown and self._showing != number else ""
                raise _UnplayableMove(
                    f"move {number}: {excerpt(text)} is not legal there with ranks {ranks}{why}"
                ) from None
            moves.append(move)
        shown = self._shown or (None if ranks == self._counts[0] else ranks)
        return GivenPosition(position, start, moves, shown, remark)


def _shown_ranks(moves: Sequence[str]) -> tuple[str | None, int]:
    """How the ranks are counted, and the number of the first move that shows it; None if none does."""
    for number, text in enumerate(moves, 1):
        readable = []
        for ranks in (RANKS_FROM_0, RANKS_FROM_1):
            with contextlib.suppress(MoveTextError):
                parse_move(text, ranks)
                readable.append(ranks)
        if len(readable) == 1:
            return readable[0], number
    return None, 0
