"""Xiangqi for people at a terminal: `sanqi play`, and positions and evaluations as lines of ASCII."""

from __future__ import annotations

from search_core.display import STYLES_OF_SIDES, GameDisplay, InputError, encodable
from search_core.line_protocol import excerpt
from ucci_engine.points import CHARACTERS, START_FEN, square_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from search_core.session import Session
    from ucci_engine.pgn import PgnGame
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


def evaluation_lines(position: Position) -> list[str]:
    """Every term of the static evaluation, in centipawns: middle game and end game of either side, and their sum."""
    terms, total = position.trace()
    lines = [
        f"{'':24}{'Red':^14} {'Black':^14} {'Red - Black':^14}",
        f"{'term':24}{'mg':>7}{'eg':>7} {'mg':>7}{'eg':>7} {'mg':>7}{'eg':>7}",
    ]
    for term in terms:
        lines.append(
            f"{term.name:24}{term.red_mg:7}{term.red_eg:7} {term.black_mg:7}{term.black_eg:7}"
            f" {term.red_mg - term.black_mg:7}{term.red_eg - term.black_eg:7}"
        )
    lines += ["", f"total {total:+} centipawns for the side to move ({'Black' if position.side else 'Red'})"]
    return lines


class XiangqiDisplay(GameDisplay):
    """Xiangqi in `sanqi play`."""

    sides = ("red", "black")
    examples = """\
examples (you have Black and the engine two seconds a move; go on with a saved
game):
  sanqi play xiangqi --side black --movetime 2000
  sanqi play xiangqi --resume game.pgn
"""
    typed_moves = "a move as h2e2, 炮二平五 or C2.5"
    save_help = """\
write the game: PGN if the name ends in .pgn, otherwise a
             `position` line for engines and the moves in Chinese notation"""
    saved_as = "pgn"
    endings = {  # noqa: RUF012 - a constant
        "mate": "checkmate",
        "stalemate": "stalemate, which loses",
        "perpetual-loss": "perpetual check or chase, which loses",
        "perpetual-win": "perpetual check or chase, which loses",
        "repetition": "the position was repeated",
        "no-capture": "120 plies without a capture",
    }

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        begin = parser.add_mutually_exclusive_group()
        begin.add_argument("--fen", default=START_FEN, help="position to begin with (default: the start of a game)")
        begin.add_argument("--resume", metavar="FILE", help="go on with the first game in FILE, a PGN file")

    def open_session(self, args: argparse.Namespace) -> XiangqiSession:
        from search_core.session import IllegalMove
        from ucci_engine.points import move_text
        from ucci_engine.position import FenError
        from ucci_engine.session import XiangqiSession

        if args.resume is None:
            try:
                return XiangqiSession(args.fen)
            except FenError as error:
                raise InputError(f"--fen: {error}") from None
        saved = _read(args.resume)
        session = XiangqiSession(saved.fen)
        for number, move in enumerate(saved.moves, 1):
            try:
                session.play(move_text(move))
            except IllegalMove as error:  # the game went on under other rules for repetitions
                raise InputError(f"--resume {excerpt(args.resume)}: move {number}: {error}") from None
        return session

    def board(self, session: Session, seat: int) -> Iterator[tuple[str, str]]:
        """The board, with the last move's squares in brackets."""
        view = session.view(seat)
        last = {view["moves"][-1][:2], view["moves"][-1][2:]} if view["moves"] else set()
        ranks = range(9, -1, -1) if seat == 0 else range(10)
        files = range(9) if seat == 0 else range(8, -1, -1)
        letters = "    " + "   ".join("abcdefghi"[file] for file in files) + "\n"
        yield "\n" + letters, ""
        for rank in ranks:
            yield f"{rank:>2} ", ""
            for file in files:
                yield from _cell(view["pieces"], square_text(rank * 9 + file), last)
            yield f" {rank}\n", ""
            if rank == (5 if seat == 0 else 4):
                yield "    " + "   ".join("~" * 9) + "\n", "blue"
        yield letters, ""

    def note(self, session: Session) -> str:
        return " (check!)" if session.view()["check"] else ""

    def describe(self, session: Session, move: str) -> str:
        return f"{move} {encodable(session.move_names(move)['chinese'])}".rstrip()

    def format_of(self, file: str) -> str:
        return "pgn" if file.lower().endswith(".pgn") else "txt"


def _cell(pieces: dict[str, Any], square: str, last: set[str]) -> Iterator[tuple[str, str]]:
    """A point of the board, four columns wide."""
    piece: str = pieces.get(square, "")
    text = (piece and encodable(CHARACTERS[piece])) or piece or "."
    left, right = ("[", "]") if square in last else (" ", " ")
    yield left, ""
    yield text, STYLES_OF_SIDES[piece.islower()] if piece else ""
    yield right + " " * (text.isascii()), ""


def _read(file: str) -> PgnGame:
    """The first game of a PGN file. Raises InputError."""
    from pathlib import Path

    from ucci_engine.pgn import PgnError, decode, read_games

    try:
        game = next(read_games(decode(Path(file).read_bytes())), None)
    except OSError as error:
        raise InputError(f"--resume {excerpt(file)} cannot be read: {error.strerror}") from None
    except PgnError as error:
        raise InputError(f"--resume {excerpt(file)}: {error}") from None
    if game is None:
        raise InputError(f"--resume {excerpt(file)}: there is no game in it")
    return game
