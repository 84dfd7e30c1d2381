"""`sanqi play xiangqi`: the board, the moves and the words of Xiangqi in the terminal."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sanqi.terminal_game import STYLES_OF_SIDES, InputError, TerminalGame, encodable
from search_core.line_protocol import excerpt
from ucci_engine.points import START_FEN, move_text

if TYPE_CHECKING:
    from search_core.engine import Engine
    from ucci_engine.pgn import PgnGame
    from ucci_engine.position import Position

PURPOSE = "play Xiangqi (象棋)"
HAS_MOVETIME = True
EXAMPLE = """\
examples (you have Black and the engine two seconds a move; go on with a saved
game):
  sanqi play xiangqi --side black --movetime 2000
  sanqi play xiangqi --resume game.pgn
"""
COMMANDS = """\
at the prompt: a move as h2e2, 炮二平五 or C2.5, or one of
  undo       take back your last move and the answer
  hint       show the move that the engine would play
  new        begin again
  save FILE  write the game: PGN if the name ends in .pgn, otherwise a
             `position` line for engines and the moves in Chinese notation
  resign     give up
  quit       leave without a result
  help       show this list
Ctrl-C saves the game to a new file in the current folder and leaves.
"""
# Two sets of characters, so that the sides differ without colour.
_CHINESE = dict(zip("RNBAKCPrnbakcp", "俥傌相仕帥炮兵車馬象士將砲卒"))
_LOST = {
    "mate": "checkmate",
    "stalemate": "stalemate, which loses",
    "perpetual-loss": "perpetual check or chase, which loses",
}
_WON = {"perpetual-win": "perpetual check or chase, which loses"}
_DRAWN = {"repetition": "the position was repeated", "no-capture": "120 plies without a capture"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that are Xiangqi's own."""
    parser.add_argument("--side", choices=["red", "black"], default="red", help="your side (default red)")
    begin = parser.add_mutually_exclusive_group()
    begin.add_argument("--fen", default=START_FEN, help="position to begin with (default: the start of a game)")
    begin.add_argument("--resume", metavar="FILE", help="go on with the first game in FILE, a PGN file")


def open_game(args: argparse.Namespace, engine: Engine) -> XiangqiGame:
    """The game that the arguments ask for. Raises InputError."""
    from ucci_engine.position import FenError, Position

    person = int(args.side == "black")
    if args.resume is not None:
        saved = _read(args.resume)
        game = XiangqiGame(engine, person, args.movetime, saved.fen)
        for move in saved.moves:
            game.make(move)
        return game
    try:
        fen = Position(args.fen).fen()
    except FenError as error:
        raise InputError(f"--fen: {error}") from None
    return XiangqiGame(engine, person, args.movetime, fen)


def _read(file: str) -> PgnGame:
    """The first game of a file. Raises InputError."""
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


class XiangqiGame(TerminalGame):
    """Xiangqi from the position `fen` on."""

    sides = ("Red", "Black")
    help = COMMANDS
    saved_as = "sanqi-xiangqi-{}.pgn"
    position: Position

    def __init__(self, engine: Engine, person: int, movetime_ms: int, fen: str) -> None:
        super().__init__(engine, person, movetime_ms)
        self.fen = fen
        self.begin()

    @property
    def verdict(self) -> str | None:
        result = self.position.result()
        side = self.position.side
        if result == "ongoing":
            return None
        if result in _LOST:
            return f"{self.sides[1 - side]} wins: {_LOST[result]}."
        if result in _WON:
            return f"{self.sides[side]} wins: {_WON[result]}."
        return f"Draw: {_DRAWN[result]}."

    @property
    def warning(self) -> str:
        return " (check!)" if self.position.checked else ""

    def begin(self) -> None:
        from ucci_engine.position import Position

        self.position = Position(self.fen)
        self.moves = []

    def parse(self, text: str) -> int:
        from ucci_engine.chinese_notation import NotationError
        from ucci_engine.notation import read_move

        try:
            return read_move(self.position, text)
        except NotationError as error:
            raise InputError(f"{error} ('help' lists the commands)") from None

    def describe(self, move: int) -> str:
        from ucci_engine.chinese_notation import move_to_chinese

        return f"{move_text(move)} {encodable(move_to_chinese(self.position, move))}".rstrip()

    def make(self, move: int) -> None:
        self.position.push(move)
        self.moves.append(move)

    def take_back(self) -> None:
        self.position.pop()
        self.moves.pop()

    def record(self, name: str) -> bytes:
        from ucci_engine.chinese_notation import move_to_chinese
        from ucci_engine.position import Position

        if name.lower().endswith(".pgn"):
            return self._pgn().encode()
        replay = Position(self.fen)
        notation = []
        for move in self.moves:
            notation.append(move_to_chinese(replay, move))
            replay.push(move)
        lines = [f"# {' '.join(notation)}"] if notation else []
        moves = " ".join(["moves", *map(move_text, self.moves)]) if self.moves else ""
        lines.append(f"position fen {self.fen} {moves}".rstrip())
        return "\n".join([*lines, ""]).encode()

    def _pgn(self) -> str:
        from ucci_engine.pgn import PgnGame, game_text

        players = ("?", "sanqi") if self.person == 0 else ("sanqi", "?")
        tags = {"Event": "sanqi play", "Date": datetime.date.today().strftime("%Y.%m.%d")}
        tags |= {"Red": players[0], "Black": players[1]}
        moves = tuple(self.moves)
        return game_text(PgnGame(tags, self.fen, moves, ("",) * len(moves), self._result(), 0))

    def _result(self) -> str:
        """The result as PGN writes it."""
        result, mover = self.position.result(), self.position.side
        if result == "ongoing":
            return "*"
        if result in _DRAWN:
            return "1/2-1/2"
        winner = mover if result in _WON else 1 - mover
        return "0-1" if winner else "1-0"

    def board(self) -> Iterator[tuple[str, str]]:
        """The board, with the last move's squares in brackets."""
        last = {self.moves[-1] & 127, self.moves[-1] >> 7} if self.moves else set()
        ranks = range(9, -1, -1) if self.person == 0 else range(10)
        files = range(9) if self.person == 0 else range(8, -1, -1)
        letters = "    " + "   ".join("abcdefghi"[file] for file in files) + "\n"
        yield "\n" + letters, ""
        for rank in ranks:
            yield f"{rank:>2} ", ""
            for file in files:
                yield from self._cell(rank * 9 + file, last)
            yield f" {rank}\n", ""
            if rank == (5 if self.person == 0 else 4):
                yield "   " + "  ~ " * 9 + "\n", "blue"
        yield letters, ""

    def _cell(self, square: int, last: set[int]) -> Iterator[tuple[str, str]]:
        """A point of the board, four columns wide."""
        piece = self.position.piece_at(square)
        text = (piece and encodable(_CHINESE[piece])) or piece or "."
        left, right = ("[", "]") if square in last else (" ", " ")
        yield left, ""
        yield text, STYLES_OF_SIDES[piece.islower()] if piece else ""
        yield right + " " * (text.isascii()), ""
