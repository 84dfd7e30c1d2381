"""Gomoku for people at a terminal, in `sanqi play`."""

from __future__ import annotations

from dataclasses import replace

from game_core.display import ENGINE_NAME, STYLES_OF_SIDES, GameDisplay, InputError, SavedGame
from game_core.session import DRAW, FIRST_WINS, SECOND_WINS, IllegalMove
from gomoku_protocol.game_record import BLACK, RULE_NAMES, WHITE, GameRecord, Stone
from gomoku_protocol.levels import CHOICES, LEVELS, WEIGHTS
from gomoku_protocol.points import COLUMNS, FREESTYLE, MAX_SIZE, MIN_SIZE, RENJU, parse_point
from gomoku_protocol.records import SUFFIXES, format_of, parse_record, serialise_record
from gomoku_protocol.renju_openings import CHOICES as OPENINGS
from gomoku_protocol.renju_openings import FREE, RENJU_OPENINGS, SWAP2, is_swap2, read_opening, stones_of
from search_core.failures import becoming
from search_core.line_protocol import excerpt
from search_core.number_argument import add_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from game_core.chooser import OwnEngineChooser
    from game_core.session import Session
    from game_core.table import Moved
    from gomoku_protocol.session import GomokuSession
    from search_core.engine import Engine
    from search_core.thinking_thread import ThinkingThread

_RESULTS = {"black": FIRST_WINS, "white": SECOND_WINS, "draw": DRAW}
_SEARCH = "search"  # an older name of FULL
_USUAL_SIZE = 15
_STONES = {"black": ("X", STYLES_OF_SIDES[0]), "white": ("O", STYLES_OF_SIDES[1])}


class GomokuDisplay(GameDisplay):
    """Gomoku in `sanqi play`."""

    sides = ("black", "white")
    examples = """\
examples (play White under renju; continue a saved game):
  sanqi play gomoku --rule renju --side white
  sanqi play gomoku --resume game.psq
"""
    typed_moves = """\
a move as h8 (column, and row from the bottom) or 7,7 (x,y from
0 at the top left)"""
    save_help = f"""\
write the game in the format of the suffix:
                 {", ".join(SUFFIXES)}; without a suffix as SGF"""
    level_names = (*CHOICES, _SEARCH)
    levels_by_number = LEVELS
    other_players = f", or {WEIGHTS}, which knows no look-ahead"
    rules = """\
Gomoku, five in a row. Black begins; the sides put a stone each on a free point
in turn. Stones are never moved. Who has five in a row, along a line or
diagonally, wins; a full board is a draw. --rule says what counts:
  freestyle  five or more
  standard   exactly five; six or more do not win
  caro       five that are not closed by enemy stones at both ends, or six and
             more
  caro-exact exactly five that are not closed at both ends
  renju      White wins with five or more, Black with exactly five. Black may
             not play a point that makes, without a five:
               3-3       two open threes (three that can become an open four)
               4-4       two fours (four that can become five)
               overline  six or more in a row
             Such points are marked with ! on the board.
Words: a four needs one more stone for five; an open four has two points for
it, so it cannot be stopped; an open three can become an open four.
"""
    saved_as = "sgf"  # the only format that records the rule and the options
    endings = {  # noqa: RUF012 - a constant
        "five": "",
        "full-board": "the board is full",
        "no-point": "{mover} has no point to play",
    }

    _board = _USUAL_SIZE, _USUAL_SIZE
    """Width and height of the board that is played on."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        size = f"size of the board, {MIN_SIZE} to {MAX_SIZE} (default {_USUAL_SIZE})"
        add_number(parser, "--size", MIN_SIZE, MAX_SIZE, "N", size)
        parser.add_argument(
            "--rule",
            choices=list(RULE_NAMES.values()),
            help=f"(default {RULE_NAMES[FREESTYLE]}, or that of the opening or of the record)",
        )
        parser.add_argument(
            "--opening",
            type=read_opening,
            choices=list(OPENINGS),
            metavar="NAME",
            help="swap2 (black puts the first stones), or an opening of renju: d1 to d13, i1 to i13 (default free)",
        )
        self.add_level(parser)
        parser.add_argument("--resume", metavar="FILE", help=f"continue the game in FILE ({', '.join(SUFFIXES)})")

    def read_saved(self, file: str) -> SavedGame:
        from search_core.input_file import read_input

        form = self._record_format(file)
        data = read_input(file)
        record = parse_record(data, form)
        record.require_turns()
        names = tuple(name or "" for name in record.names)
        played = form != "hex" and (record.options is not None or (ENGINE_NAME in names and "" in names))
        has_comments = record.comment or any(stone.comment for stone in record.moves)
        is_plain = not record.side_lines and not has_comments
        own = played and is_plain and serialise_record(record, form) == data
        result = "*" if record.outcome is None else _RESULTS[record.outcome]
        if _is_swap2(record):
            from gomoku_protocol.swap2 import black_seat_of, choices_of

            if black_seat_of(choices_of(record.opening)):
                result = {FIRST_WINS: SECOND_WINS, SECOND_WINS: FIRST_WINS}.get(result, result)
        return SavedGame(record, record.options, data, own, names if played else (), result)

    def settle(self, args: argparse.Namespace) -> None:
        if args.saved is not None and args.opening is not None:
            raise InputError("--opening does not go with --resume: the record has its stones")
        if args.rule is None:
            rule = (RENJU if args.opening in RENJU_OPENINGS else None) if args.saved is None else args.saved.game.rule
            args.rule = RULE_NAMES[FREESTYLE if rule is None else rule]

    def open_session(self, args: argparse.Namespace) -> GomokuSession:
        from game_core.session import IllegalMove
        from gomoku_protocol.session import GomokuSession
        from gomoku_protocol.swap2 import Swap2Session, choices_before

        if args.saved is None:
            size = _USUAL_SIZE if args.size is None else args.size
            record = _opened(GameRecord(size, size, ()), args.opening or FREE)
            if record.setup and args.rule != RULE_NAMES[RENJU]:
                raise InputError(f"{args.opening} is an opening of renju: choose the rule renju")
        elif args.size is not None:
            raise InputError(f"--size {args.size} does not go with --resume: the record has a board")
        else:
            record = args.saved.game
        self._board = record.width, record.height
        [rule] = [number for number, name in RULE_NAMES.items() if name == args.rule]
        has_choices = _is_swap2(record)
        if has_choices:
            session: GomokuSession = Swap2Session(record.width, record.height, rule)
        else:
            session = GomokuSession(record.width, record.height, rule, record.setup, record.first)
            session.opening = record.opening
        session.remarks = record.remarks
        for number, stone in enumerate((*record.moves, None)):
            try:
                for choice in choices_before(record.opening, number) if has_choices else ():
                    session.play(choice)
                if stone is not None:
                    session.play(f"{stone.x},{stone.y}", stone.ms)
            except IllegalMove as error:
                reason = f"move {number + 1}: {error} ({RULE_NAMES[rule]})"
                raise InputError(f"--resume {excerpt(args.resume)}: {reason}" if args.resume else reason) from None
        return session

    def seat(self, args: argparse.Namespace, session: Session) -> int:
        return self.sides.index(args.side)

    def chooser(self, args: argparse.Namespace, engine: Engine, level: str) -> OwnEngineChooser:
        from gomoku_protocol.swap2_player import Swap2Chooser

        plain = super().chooser(args, engine, level)
        if not (args.opening == SWAP2 if args.saved is None else _is_swap2(args.saved.game)):
            return plain
        return Swap2Chooser(plain.make, plain.limits, level, True, plain.has_score, engine=engine)

    def player(self, level: str) -> Callable[[int], ThinkingThread[Any]] | None:
        if level != WEIGHTS:
            return None
        from gomoku_protocol.weights import WeightsPlayer

        return lambda seed: WeightsPlayer()

    def board(self, session: Session, seat: int) -> Iterator[tuple[str, str]]:
        """The board. The last move is in brackets, and so is a five; forbidden points are marked when it is this
        person's turn."""
        view = session.view(seat)
        last = next((move for move in reversed(view["moves"]) if "," in move), "")
        marked = set(view["forbidden"]) if seat == view["to_move"] else set()
        letters = "   " + "".join(f" {letter} " for letter in COLUMNS[: view["width"]]) + "\n"
        yield "\n" + letters, ""
        for y in range(view["height"]):
            row = view["height"] - y
            yield f"{row:>2} ", ""
            for x in range(view["width"]):
                point = f"{x},{y}"
                text, style = _STONES.get(view["pieces"].get(point), ("!" if point in marked else ".", ""))
                left, right = tuple("[]" if point == last else "()" if point in view["five"] else "  ")
                yield left, ""
                yield text, style
                yield right, ""
            yield f" {row}\n", ""
        yield letters, ""
        if marked:
            yield "! forbidden to Black\n", ""
        if view["five"]:
            yield f"[ ] ( ) the {'five' if len(view['five']) == 5 else 'row'} that has won\n", ""

    def opening(self, session: Session, seat: int, level: str) -> str:
        if not session.view()["task"]:
            return super().opening(session, seat, level)
        first = (
            "you put the first three stones, the engine chooses",
            "the engine puts the first three stones, you choose",
        )
        return f"Gomoku{level and f', level {level}'}, swap2: {first[seat]}."

    def prompt(self, session: Session, seat: int) -> str:
        view = session.view()
        choices = f" ({', '.join(view['choices'])})" if view["choices"] else ""
        return f"{view['task'][:-1]}{choices}" if view["task"] else super().prompt(session, seat)

    def told(self, session: Session, moved: Moved, seat: int) -> tuple[str, str]:
        if "," in moved.move:
            return super().told(session, moved, seat)
        words = {
            "black": "The engine takes Black: you have White.",
            "white": "The engine takes White: you have Black.",
            "two": "The engine places two more stones; then you choose your colour.",
        }
        return words[moved.move], ""

    def moves(self, session: Session, seat: int, point: str) -> Iterator[str]:
        if point:
            with becoming(IllegalMove, InputError):
                move = session.read_move(point)
            yield f"{self.describe(move, session.move_names(move))} is free"
            return
        view = session.view(seat)
        if view["choices"]:
            yield f"choose: {', '.join(view['choices'])}"
            return
        yield f"you may play on any of {len(session.legal_moves())} free points"
        if view["forbidden"]:
            names = (f"{COLUMNS[x]}{view['height'] - y}" for x, y in map(parse_point, view["forbidden"]))
            yield f"forbidden to Black: {' '.join(names)}"

    def format_of(self, file: str) -> str:
        form = self._record_format(file)  # its message names the file
        width, height = self._board
        if form == "hex" and (width, height) != (_USUAL_SIZE, _USUAL_SIZE):
            raise InputError(f"a hexadecimal record is of a board of 15x15, not of {width}x{height}")
        return super().format_of(file) or self.saved_as

    def _record_format(self, file: str) -> str:
        """The name of a file's format. Raises RecordError."""
        return format_of(file) if super().format_of(file) else self.saved_as

    def kept_options(self, format: str, options: Mapping[str, str]) -> dict[str, str] | None:
        if format != "sgf":
            return None
        return {name: text for name, text in options.items() if name != "rule"}  # which RU has


def _opened(record: GameRecord, opening: str) -> GameRecord:
    """An empty record with the stones of an opening."""
    if opening == SWAP2:
        return replace(record, opening=opening)
    if opening not in RENJU_OPENINGS:
        return record
    points = stones_of(opening, record.width, record.height)
    setup = tuple(Stone(side, x, y) for side, (x, y) in zip((BLACK, WHITE, BLACK), points))
    return replace(record, setup=setup, first=WHITE, opening=opening)


def _is_swap2(record: GameRecord) -> bool:
    """Whether a game began with Swap2 on an empty board."""
    return is_swap2(record.opening) and not record.setup and record.first == BLACK
