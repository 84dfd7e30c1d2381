"""`sanqi play gomoku`: the board, the moves and the words of Gomoku in the terminal."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gomoku_protocol.game_record import BLACK, RULE_NAMES, SIDE_NAMES, WHITE, GameRecord, Outcome, RecordError, Stone
from gomoku_protocol.points import (
    FREESTYLE,
    LARGEST_SIZE,
    RENJU,
    SMALLEST_SIZE,
    PointError,
    move_at,
    parse_point,
    point_of,
    point_text,
)
from gomoku_protocol.records import SUFFIXES, format_of, parse_record, serialise_record
from sanqi.terminal_game import STYLES_OF_SIDES, Choice, InputError, TerminalGame
from search_core.clock import now_s
from search_core.line_protocol import excerpt
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from gomoku_protocol.position import Position
    from search_core.engine import Engine

PURPOSE = "play Gomoku (五子棋)"
HAS_MOVETIME = True
EXAMPLE = """\
examples (you have White in a game of renju; go on with a saved game):
  sanqi play gomoku --rule renju --side white
  sanqi play gomoku --resume game.psq
"""
COMMANDS = f"""\
at the prompt: a move as h8 (column, and row from the bottom) or 7,7 (x,y from
0 at the top left), or one of
  undo       take back your last move and the answer
  hint       show the move that the engine would play
  new        begin again
  save FILE  write the game; the format is that of the suffix:
             {", ".join(SUFFIXES)}
  resign     give up
  quit       leave without a result
  help       show this list
Ctrl-C saves the game to a new file in the current folder and leaves.
"""
_USUAL_SIZE = 15
_WON: tuple[Outcome, Outcome] = ("black", "white")
_STONES = ".XO#"  # empty, Black, White, blocked
_ENGINE_NAME = "sanqi"
_LETTERS = "abcdefghijklmnopqrstuv"
_MOVE = re.compile(r"([a-v])([0-9]{1,2})")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that are Gomoku's own."""
    parser.add_argument(
        "--side", choices=["black", "white"], default="black", help="your side (default black, who begins)"
    )
    parser.add_argument(
        "--size",
        type=number_argument(SMALLEST_SIZE, LARGEST_SIZE),
        metavar="N",
        help=f"points a side of the board, {SMALLEST_SIZE} to {LARGEST_SIZE} (default {_USUAL_SIZE})",
    )
    parser.add_argument(
        "--rule", choices=list(RULE_NAMES.values()), help=f"(default {RULE_NAMES[FREESTYLE]}, or that of the record)"
    )
    parser.add_argument(
        "--level",
        choices=["search", "weights"],
        default="search",
        help="who plays you: the search, or weights, a beginner that does not look ahead",
    )
    parser.add_argument("--resume", metavar="FILE", help=f"go on with the game in FILE ({', '.join(SUFFIXES)})")


def open_game(args: argparse.Namespace, engine: Engine) -> GomokuGame:
    """The game that the arguments ask for. Raises InputError."""
    if args.resume is None:
        size = _USUAL_SIZE if args.size is None else args.size
        record = GameRecord(size, size, ())
    elif args.size is not None:
        raise InputError(f"--size {args.size} does not go with --resume: the record has a board")
    else:
        record = _read(args.resume)
    if args.rule is not None:
        [rule] = [number for number, name in RULE_NAMES.items() if name == args.rule]
    else:
        rule = FREESTYLE if record.rule is None else record.rule
    game = GomokuGame(engine, int(args.side == "white"), args.movetime, record, rule, args.level == "weights")
    try:
        game.replay()
    except InputError as error:
        raise InputError(f"--resume {excerpt(args.resume)}: {error}") from None
    return game


def _read(file: str) -> GameRecord:
    try:
        form = format_of(file)
        record = parse_record(Path(file).read_bytes(), form)
        record.require_turns()
    except OSError as error:
        raise InputError(f"--resume {excerpt(file)} cannot be read: {error.strerror}") from None
    except RecordError as error:
        raise InputError(f"--resume {excerpt(file)}: {error}") from None
    return record


class GomokuGame(TerminalGame):
    """Gomoku on the board and from the set-up of a record, under a rule of `points.RULES`."""

    sides = SIDE_NAMES
    help = COMMANDS
    saved_as = "sanqi-gomoku-{}.sgf"  # of the formats, the one that has the rule
    position: Position

    def __init__(
        self, engine: Engine, person: int, movetime_ms: int, record: GameRecord, rule: int, by_weights: bool
    ) -> None:
        super().__init__(engine, person, movetime_ms)
        self.start = record
        self.rule = rule
        self.by_weights = by_weights
        self.begin()

    @property
    def verdict(self) -> str | None:
        winner = self.position.winner
        if winner is not None:
            return f"{self.sides[winner]} wins."
        if self.position.full:
            return "Draw: the board is full."
        if not self.position.legal_moves():
            return f"Draw: {self.sides[self.position.side]} has no point to play."
        return None

    def begin(self) -> None:
        from gomoku_protocol.position import Position

        self.position = Position(self.start.width, self.start.height, self.rule)
        black, white = (
            [move_at(stone.x, stone.y) for stone in self.start.setup if stone.side == side] for side in (BLACK, WHITE)
        )
        self.position.set_up(black, white, side=self.start.first)
        self.moves = []
        self.times_ms: list[int | None] = []
        self.moved_at = now_s()

    def replay(self) -> None:
        """Play the record's moves. Raises InputError, naming the one that the rule forbids."""
        from gomoku_protocol.position import IllegalMove

        for number, stone in enumerate(self.start.moves, 1):
            move = move_at(stone.x, stone.y)
            try:
                self.position.push(move)
            except IllegalMove as error:
                raise InputError(f"move {number}: {error} ({RULE_NAMES[self.rule]})") from None
            self.moves.append(move)
            self.times_ms.append(stone.ms)

    def parse(self, text: str) -> int:
        named = _MOVE.fullmatch(text.lower())
        if named:
            x, y = _LETTERS.index(named[1]), self.position.height - int(named[2])
        else:
            try:
                x, y = parse_point(text)
            except PointError:
                forms = "expected a move as h8 or 7,7"
                raise InputError(f"{forms}, got {excerpt(text)} ('help' lists the commands)") from None
        if not (0 <= x < self.position.width and 0 <= y < self.position.height):
            raise InputError(f"{excerpt(text)} is not on the board of {self.position.width}x{self.position.height}")
        move = move_at(x, y)
        if self.position.stone_at(x, y) >= 0:
            raise InputError(f"{excerpt(text)} is not empty")
        if not self.position.is_legal(move):
            raise InputError(f"{excerpt(text)} is forbidden to {self.sides[self.position.side]}")
        return move

    def describe(self, move: int) -> str:
        x, y = point_of(move)
        return f"{_LETTERS[x]}{self.position.height - y} ({point_text(move)})"

    def make(self, move: int) -> None:
        self.position.push(move)
        self.moves.append(move)
        now = now_s()
        self.times_ms.append(round((now - self.moved_at) * 1000))
        self.moved_at = now

    def take_back(self) -> None:
        self.position.pop()
        self.moves.pop()
        self.times_ms.pop()
        self.moved_at = now_s()

    def choose(self) -> Choice:
        if self.by_weights:
            from gomoku_protocol.weights import choose

            return Choice(choose(self.position), None)
        return super().choose()

    def record(self, name: str) -> bytes:
        moves = tuple(
            Stone((self.start.first + number) % 2, *point_of(move), ms)
            for number, (move, ms) in enumerate(zip(self.moves, self.times_ms))
        )
        outcome: Outcome | None = None
        if self.verdict is not None:
            winner = self.position.winner
            outcome = "draw" if winner is None else _WON[winner]
        record = GameRecord(
            self.position.width,
            self.position.height,
            moves,
            setup=self.start.setup,
            first=self.start.first,
            rule=self.rule,
            names=(None, _ENGINE_NAME) if self.person == BLACK else (_ENGINE_NAME, None),
            outcome=outcome,
        )
        try:
            return serialise_record(record, format_of(name))
        except RecordError as error:
            raise InputError(str(error)) from None

    def board(self) -> Iterator[tuple[str, str]]:
        """The board, with the last move in brackets; forbidden points are marked when they bind the person."""
        last = point_of(self.moves[-1]) if self.moves else None
        letters = "   " + "".join(f" {letter} " for letter in _LETTERS[: self.position.width]) + "\n"
        yield "\n" + letters, ""
        for y in range(self.position.height):
            row = self.position.height - y
            yield f"{row:>2} ", ""
            for x in range(self.position.width):
                yield from self._cell(x, y, (x, y) == last)
            yield f" {row}\n", ""
        yield letters, ""

    def _cell(self, x: int, y: int, is_last: bool) -> Iterator[tuple[str, str]]:
        """A point of the board, three columns wide."""
        stone = self.position.stone_at(x, y)
        text, style = _STONES[stone + 1], STYLES_OF_SIDES[stone] if stone in (BLACK, WHITE) else ""
        if self.rule == RENJU and self.person == self.position.side == BLACK and stone < 0:
            text = "!" if self.position.is_forbidden(move_at(x, y)) else text
        left, right = ("[", "]") if is_last else (" ", " ")
        yield left, ""
        yield text, style
        yield right, ""
