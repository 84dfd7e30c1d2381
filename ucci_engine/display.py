"""Xiangqi for people at a terminal: `sanqi play`, and positions and evaluations as lines of ASCII."""

from __future__ import annotations

import re
from functools import partial

from game_core.display import ENGINE_NAME, EVENT, STYLES_OF_SIDES, GameDisplay, InputError, SavedGame, encodable
from search_core.failures import SetUpError, named
from search_core.line_protocol import excerpt
from ucci_engine.evaluators import HAND_MADE, NET, default_evaluator
from ucci_engine.levels import CHOICES, CLASSIC_PLAYERS, LEVELS
from ucci_engine.points import CHARACTERS, SIMPLIFIED, START_FEN, square_text
from ucci_engine.position_command import FEN_HELP, read_argument
from ucci_engine.rule_sets import COMPUTER, QUIET_LIMIT, add_rule_arguments, rules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from game_core.session import Session
    from search_core.thinking_thread import ThinkingThread
    from ucci_engine.evaluator import Term
    from ucci_engine.game_record import GameRecord
    from ucci_engine.position import Position
    from ucci_engine.session import XiangqiSession


def board_lines(position: Position) -> list[str]:
    """The board as Red sees it, then the other facts of the position."""
    lines = []
    for rank in range(9, -1, -1):
        pieces = " ".join(position.piece_at(rank * 9 + file) or "." for file in range(9))
        lines.append(f"{rank}  {pieces}")
        if rank == 5:
            lines.append("   -----------------")
    lines += [
        "",
        "   a b c d e f g h i",
        "",
        f"fen    {position.fen()}",
        f"key    {position.key:016x}",
        f"turn   {'Black' if position.side else 'Red'}{', in check' if position.checked else ''}",
        f"result {position.result()}",
    ]
    return lines


def hand_made_terms(position: Position) -> tuple[list[Term], int]:
    """The terms of the hand-made evaluation of a position, and its score for the side to move, in centipawns."""
    return _with_evaluator(position, HAND_MADE).trace()


def _with_evaluator(position: Position, name: str) -> Position:
    twin = position.copy()
    twin.use_evaluator(default_evaluator(name))
    return twin


def evaluation_lines(position: Position) -> list[str]:
    """Every term of the hand-made evaluation, in centipawns: middle game and end game of either side, their sum, and
    the net's score."""
    terms, total = hand_made_terms(position)
    lines = [
        f"{'':24}{'Red':^14} {'Black':^14} {'Red - Black':^14}",
        f"{'term':24}{'mg':>7}{'eg':>7} {'mg':>7}{'eg':>7} {'mg':>7}{'eg':>7}",
    ]
    for term in terms:
        lines.append(
            f"{term.name:24}{term.red_mg:7}{term.red_eg:7} {term.black_mg:7}{term.black_eg:7}"
            f" {term.red_mg - term.black_mg:7}{term.red_eg - term.black_eg:7}"
        )
    side = "Black" if position.side else "Red"
    net = _with_evaluator(position, NET).evaluate_cp()
    return [*lines, "", f"net   {net:+}, at full strength", f"total {total:+} centipawns for the side to move ({side})"]


class XiangqiDisplay(GameDisplay):
    """Xiangqi in `sanqi play`."""

    sides = ("red", "black")
    examples = """\
examples (you have Black and the engine two seconds a move; an easier opponent;
go on with a saved game):
  sanqi play xiangqi --side black --movetime 2000
  sanqi play xiangqi --level 3
  sanqi play xiangqi --resume game.pgn
"""
    typed_moves = "a move as h2e2, 炮二平五, C2.5 or Che2"
    save_help = """\
write the game: XQF if the name ends in .xqf; if in .txt,
                 a `position` line for engines and the moves in Chinese;
                 otherwise PGN"""
    saved_as = "pgn"
    level_names = CHOICES
    levels_by_number = LEVELS
    other_players = f", {' or '.join(CLASSIC_PLAYERS)}, which know nothing but material"
    rules = """\
Xiangqi, Chinese chess. Red begins. Who cannot move, in check or not, has lost.
  K  king      帥 將  one point along a line; stays in the palace (files d to f,
                     three ranks); the kings never face each other on an open
                     file
  A  advisor   仕 士  one point diagonally; stays in the palace
  B  elephant  相 象  two points diagonally, not if a piece stands between (the
                     eye); does not cross the river
  N  horse     傌 馬  one point along a line, then one diagonally outwards; not
                     if a piece stands on the first point (the leg)
  R  rook      俥 車  any number of free points along a line
  C  cannon    炮 砲  as the rook, but it captures over exactly one other piece
  P  pawn      兵 卒  one point forward; beyond the river also sideways
Your king may not be left in check. Endless check, or an endless chase of a
piece, loses; other positions that come again draw, and so do 120 plies without
a capture (--repetition-rule and --quiet-limit change this).
Chinese notation, 炮二平五: piece, its file, 平 sideways, 進 forward or 退 back,
then the new file or the number of points. Each side counts files from its own
right, as at the board's edges.
"""
    endings = {  # noqa: RUF012 - a constant
        "mate": "checkmate",
        "stalemate": "stalemate, which loses",
        "perpetual-loss": "perpetual check or chase, which loses",
        "perpetual-win": "perpetual check or chase, which loses",
        "repetition": "the position was repeated",
        "no-capture": "too many plies without a capture",
        "material": "no piece is left that could win",
    }

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        begin = parser.add_mutually_exclusive_group()
        begin.add_argument("--fen", default=START_FEN, help=FEN_HELP)
        begin.add_argument(
            "--resume", metavar="FILE", help="go on with the first game in FILE (.pgn, .xqf, .wxf, .cbr, .cbl or .txt)"
        )
        parser.add_argument(
            "--script",
            choices=("traditional", "simplified"),
            default="traditional",
            help="the Chinese characters of the board and the moves (default traditional)",
        )
        self.add_level(parser)
        add_rule_arguments(parser)

    def player(self, level: str) -> Callable[[int], ThinkingThread[Any]] | None:
        if level not in CLASSIC_PLAYERS:
            return None
        from ucci_engine.classic_player import ClassicPlayer

        return partial(ClassicPlayer, level)

    def read_saved(self, file: str) -> SavedGame:
        from search_core.input_file import read_input
        from ucci_engine.game_record import PLAY_TAG
        from ucci_engine.records import read_file

        data = read_input(file)
        if (game := next(read_file(data, file), None)) is None:
            raise InputError("there is no game in it")
        names = tuple("" if (name := game.tags.get(side, "?")) == "?" else name for side in ("Red", "Black"))
        is_position_line = [*game.tags] == [PLAY_TAG]
        is_ours = is_position_line or (game.tags.get("Event") == EVENT and ENGINE_NAME in names)
        played = PLAY_TAG in game.tags or is_ours
        own = is_ours and set(game.tags) <= {*_TAGS, PLAY_TAG} and _is_whole(game, data, self.format_of(file))
        return SavedGame(game, game.tags.get(PLAY_TAG), data, own, names if played else (), game.result)

    def settle(self, args: argparse.Namespace) -> None:
        args.repetition_rule = args.repetition_rule or COMPUTER
        args.quiet_limit = args.quiet_limit or str(QUIET_LIMIT)

    def open_session(self, args: argparse.Namespace) -> XiangqiSession:
        from game_core.session import IllegalMove
        from ucci_engine.points import move_text
        from ucci_engine.session import XiangqiSession

        moves: Sequence[int]
        remarks: tuple[str, ...]
        date = ""
        if args.saved is None:
            with named("--fen", SetUpError, InputError):
                given = read_argument(args.fen)
            source, start, moves, remarks = "--fen", given.start, given.moves, ()
        else:
            game: GameRecord = args.saved.game
            source, start, moves = f"--resume {excerpt(args.resume)}", game.fen, game.moves
            if args.saved.names:
                date = game.tags.get("Date", "")
            remarks = game.remarks
        repetition_rule, quiet_limit = rules_of(args)
        session = XiangqiSession(
            start,
            traditional=args.script == "traditional",
            repetition_rule=repetition_rule,
            quiet_limit=quiet_limit,
            date=date,
        )
        session.remarks += remarks
        for number, move in enumerate(moves, 1):
            # The game may have gone on under other rules for repetitions.
            with named(f"{source}: move {number}", IllegalMove, InputError):
                session.play(move_text(move))
        return session

    def board(self, session: Session, seat: int) -> Iterator[tuple[str, str]]:
        """The board, with the last move's squares in brackets. In simplified characters, where both sides have some in
        common, Black's pieces are in brackets too, round ones, or braces if they moved last."""
        is_traditional: bool = getattr(session, "traditional", True)
        view = session.view(seat)
        last = {view["moves"][-1][:2], view["moves"][-1][2:]} if view["moves"] else set()
        ranks = range(9, -1, -1) if seat == 0 else range(10)
        files = range(9) if seat == 0 else range(8, -1, -1)
        letters = "    " + "   ".join("abcdefghi"[file] for file in files) + "\n"
        edges = [_numerals(side, files) for side in ((1, 0) if seat == 0 else (0, 1))]
        yield f"\n{edges[0]}", "dim"
        yield letters, ""
        for rank in ranks:
            yield f"{rank:>2} ", ""
            for file in files:
                square = square_text(rank * 9 + file)
                brackets = "!!" if square == view["mated"] else "[]" if square in last else ""
                yield from _cell(view["pieces"].get(square, ""), brackets, is_traditional)
            yield f" {rank}\n", ""
            if rank == (5 if seat == 0 else 4):
                yield "    " + "   ".join("~" * 9) + "\n", "blue"
        yield letters, ""
        yield edges[1], "dim"
        if view["mated"]:
            yield "! ! the mated king\n", "bold"

    def prompt(self, session: Session, seat: int) -> str:
        return super().prompt(session, seat) + (" (check!)" if session.view()["check"] else "")

    def describe(self, move: str, names: Mapping[str, str]) -> str:
        return f"{move} {encodable(names['chinese'])}".rstrip()

    def moves(self, session: Session, seat: int, point: str) -> Iterator[str]:
        moves = session.legal_moves()
        point = point.lower()
        if not point:
            for origin in sorted({move[:2] for move in moves}):
                piece = session.view()["pieces"][origin]
                name = encodable((CHARACTERS if getattr(session, "traditional", True) else SIMPLIFIED)[piece])
                targets = " ".join(sorted(move[2:] for move in moves if move.startswith(origin)))
                yield f"{name or piece.upper()} {origin}: {targets}"
        elif not re.fullmatch("[a-i][0-9]", point):
            raise InputError(f"there is no point {excerpt(point)}; files are a to i, ranks 0 to 9")
        elif point not in session.view()["pieces"]:
            raise InputError(f"no piece stands on {point}")
        else:
            of_piece = sorted(move for move in moves if move.startswith(point))
            found = [self.describe(move, session.move_names(move)) for move in of_piece]
            yield ", ".join(found) or f"the piece on {point} has no legal move"

    def format_of(self, file: str) -> str:
        from ucci_engine.records import RECORD_FORMATS

        suffix = super().format_of(file)
        known = next((form for form in RECORD_FORMATS if f".{suffix}" in form.suffixes), None)
        if known is not None and known.write is None:
            raise InputError(f"a game cannot be saved as {known.name}; a name in .pgn, .xqf or .txt can be written")
        return suffix if suffix in ("xqf", "txt") else "pgn"

    def kept_options(self, format: str, options: Mapping[str, str]) -> dict[str, str] | None:
        return dict(options)


def _numerals(side: int, files: Sequence[int]) -> str:
    """The numbers of the files in a side's notation, above or below the board."""
    numbers = [encodable("一二三四五六七八九"[8 - file]) or str(9 - file) for file in files]
    if side == 1:
        numbers = [str(file + 1) for file in files]
    return "    " + "".join(number + " " * (4 - (1 if number.isascii() else 2)) for number in numbers).rstrip() + "\n"


def _cell(piece: str, brackets: str, is_traditional: bool) -> Iterator[tuple[str, str]]:
    """A point of the board, four columns wide; '': there is no piece."""
    characters = CHARACTERS if is_traditional else SIMPLIFIED
    text = (piece and encodable(characters[piece])) or piece or "."
    if piece.islower() and not is_traditional and not text.isascii():
        brackets = {"": "()", "[]": "{}"}.get(brackets, brackets)
    left, right = tuple(brackets or "  ")
    yield left, ""
    yield text, STYLES_OF_SIDES[piece.islower()] if piece else ""
    yield right + " " * (text.isascii()), ""


_TAGS = {"Game", "Event", "Date", "Red", "Black", "Result", "FEN", "Format"}
"""The tags of a game that `sanqi play` has saved, besides the one for its options."""


def _is_whole(game: GameRecord, data: bytes, format: str) -> bool:
    """Whether a file has only this game, without side lines and comments, as this program writes it."""
    from ucci_engine import position_file, xqf
    from ucci_engine.pgn import game_text

    nodes = [node for _, node in game.walk()]
    if game.root.comment or any(node.comment for node in nodes) or len(nodes) != len(game.moves):
        return False
    try:
        if format == "txt":
            return data in (position_file.serialise(game), position_file.serialise(game, "traditional"))
        return (xqf.serialise(game) if format == "xqf" else game_text(game).encode()) == data
    except ValueError:  # it cannot be written in this format
        return False
