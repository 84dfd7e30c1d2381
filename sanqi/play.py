"""`sanqi play xiangqi`: a person plays the engine in the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ucci_engine.squares import START_FEN, MoveTextError, move_text, parse_move

if TYPE_CHECKING:
    from search_core.engine import Engine, Result
    from ucci_engine.position import Position

EXAMPLE = """\
example (you have Black, the engine takes two seconds a move):
  sanqi play xiangqi --side black --movetime 2000

at the prompt: a move as h2e2 or 炮二平五, or one of
  undo      take back your last move and the answer
  hint      show the move that the engine would play
  save FILE write the game: a `position` line for any engine, and the moves in Chinese notation as a comment
  resign    give up          quit    leave without a result          help    show this list
"""
_HELP = EXAMPLE[EXAMPLE.index("at the prompt") :]
_SIDES = ("Red", "Black")
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
    """Declare the options of `sanqi play`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLE
    parser.add_argument("game", choices=["xiangqi"], help="the game to play")
    parser.add_argument("--side", choices=["red", "black"], default="red", help="your side (default red)")
    parser.add_argument(
        "--movetime", type=int, default=1000, metavar="MS", help="milliseconds the engine thinks a move (default 1000)"
    )
    parser.add_argument("--fen", default=START_FEN, help="position to begin with (default: the start of a game)")


def run(args: argparse.Namespace) -> int:
    """Play one game. Returns the exit status: 0, or 2 for a wrong argument."""
    from search_core.engine import Engine
    from ucci_engine.position import FenError, Position

    if args.movetime <= 0:
        print(f"sanqi play: --movetime {args.movetime} must be above 0", file=sys.stderr)
        return 2
    try:
        position = Position(args.fen)
    except FenError as error:
        print(f"sanqi play: --fen: {error}", file=sys.stderr)
        return 2
    if sys.stdin.isatty():
        import contextlib

        with contextlib.suppress(ImportError):  # Windows has its own line editing
            import readline  # noqa: F401 - gives input() a history
    engine = Engine()
    try:
        _Game(engine, position, args.side == "black", args.movetime).play()
    except (EOFError, KeyboardInterrupt):
        print()
    finally:
        engine.close()
    return 0


class _Game:
    """A game in progress: the position, its moves, and whose they are."""

    def __init__(self, engine: Engine, position: Position, person: int, movetime_ms: int) -> None:
        self.engine = engine
        self.position = position
        self.fen = position.fen()
        self.person = int(person)
        self.movetime_ms = movetime_ms
        self.moves: list[int] = []
        self.over = False

    def play(self) -> None:
        from ucci_engine.chinese_notation import move_to_chinese

        self.draw()
        while not self.over:
            if self.ended():
                self.ask_after_end()
            elif self.position.side == self.person:
                self.ask()
            else:
                move = self.think().best
                assert move is not None  # ended() saw a legal move
                text = move_to_chinese(self.position, move)
                self.make(move)
                self.draw()
                print(f"{_SIDES[1 - self.person]} plays {move_text(move)} {self.shown(text)}".rstrip())

    def make(self, move: int) -> None:
        self.position.push(move)
        self.moves.append(move)

    def ended(self) -> bool:
        return self.position.result() != "ongoing"

    def announce(self) -> None:
        result = self.position.result()
        side = self.position.side
        if result in _LOST:
            print(f"{_SIDES[1 - side]} wins: {_LOST[result]}.")
        elif result in _WON:
            print(f"{_SIDES[side]} wins: {_WON[result]}.")
        else:
            print(f"Draw: {_DRAWN[result]}.")

    def ask_after_end(self) -> None:
        self.announce()
        self.obey(input("The game is over; undo, save FILE or quit> ").strip())

    def ask(self) -> None:
        check = " (check!)" if self.position.checked else ""
        self.obey(input(f"{_SIDES[self.person]} to move{check}> ").strip())

    def obey(self, line: str) -> None:
        """Carry out one line of the person. A wrong one prints what was wrong and changes nothing."""
        word, _, rest = line.partition(" ")
        match word.lower():
            case "":
                pass
            case "quit" | "exit":
                self.over = True
            case "resign":
                print(f"{_SIDES[1 - self.person]} wins: {_SIDES[self.person]} resigned.")
                self.over = True
            case "undo":
                self.undo()
            case "hint":
                self.hint()
            case "save":
                self.save(rest.strip())
            case "help":
                print(_HELP)
            case _ if self.ended():
                print(f"'{word}': the game is over; expected undo, save FILE or quit")
            case _:
                self.move(line)

    def move(self, text: str) -> None:
        from ucci_engine.chinese_notation import NotationError, chinese_to_move
        from ucci_engine.position import IllegalMove

        try:
            move = parse_move(text.lower()) if text.isascii() else chinese_to_move(self.position, text)
            self.make(move)
        except (MoveTextError, NotationError) as error:
            print(f"{error} (moves are h2e2 or {self.shown('炮二平五') or 'in Chinese'}; 'help' lists the commands)")
        except IllegalMove:
            print(f"'{text}' is not legal here")
        else:
            self.draw()

    def undo(self) -> None:
        count = 1 if self.position.side != self.person else 2
        if len(self.moves) < count:
            print("there is no move of yours to take back")
            return
        for _ in range(count):
            self.position.pop()
            self.moves.pop()
        self.draw()

    def hint(self) -> None:
        from ucci_engine.chinese_notation import move_to_chinese

        move = None if self.ended() else self.think().best
        if move is None:
            print("there is no move to hint at")
        else:
            print(f"hint: {move_text(move)} {self.shown(move_to_chinese(self.position, move))}")

    def save(self, name: str) -> None:
        from ucci_engine.chinese_notation import move_to_chinese

        if not name:
            print("save where? expected: save FILE")
            return
        from ucci_engine.position import Position

        replay = Position(self.fen)
        notation = []
        for move in self.moves:
            notation.append(move_to_chinese(replay, move))
            replay.push(move)
        lines = [f"# {' '.join(notation)}"] if notation else []
        moves = " ".join(["moves", *map(move_text, self.moves)]) if self.moves else ""
        lines.append(f"position fen {self.fen} {moves}".rstrip())
        try:
            with Path(name).open("x", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        except FileExistsError:
            print(f"'{name}' exists already; nothing was written")
        except OSError as error:
            print(f"'{name}' cannot be written: {error.strerror}")
        else:
            print(f"saved {len(self.moves)} moves to {name}")

    def think(self) -> Result:
        from search_core.engine import Limits

        # The answer comes from another thread, so that Ctrl-C is taken while we wait.
        results: SimpleQueue[Result] = SimpleQueue()
        limits = Limits(soft_ms=self.movetime_ms, hard_ms=self.movetime_ms)
        self.engine.go(self.position, limits, on_result=results.put)
        return results.get()

    def draw(self) -> None:
        """The board as the person sits at it, the last move's squares in brackets."""
        last = {self.moves[-1] & 127, self.moves[-1] >> 7} if self.moves else set()
        ranks = range(9, -1, -1) if self.person == 0 else range(10)
        files = range(9) if self.person == 0 else range(8, -1, -1)
        letters = "    " + "   ".join("abcdefghi"[file] for file in files) + "\n"
        parts = [("\n" + letters, "")]
        for rank in ranks:
            parts.append((f"{rank:>2} ", ""))
            for file in files:
                parts += self.cell(rank * 9 + file, last)
            parts.append((f" {rank}\n", ""))
            if rank == (5 if self.person == 0 else 4):
                parts.append(("   " + "  ~ " * 9 + "\n", "blue"))
        parts.append((letters, ""))
        if sys.stdout.isatty():
            from rich.console import Console
            from rich.text import Text

            Console().print(Text.assemble(*parts), end="")
        else:
            print("".join(text for text, _ in parts), end="")

    def cell(self, square: int, last: set[int]) -> list[tuple[str, str]]:
        """A point of the board, four columns wide, as texts with their styles."""
        piece = self.position.piece_at(square)
        text = (piece and self.shown(_CHINESE[piece])) or piece or "."
        style = ("bold red" if piece.isupper() else "bold green") if piece else ""
        left, right = ("[", "]") if square in last else (" ", " ")
        return [(left, ""), (text, style), (right + " " * (text.isascii()), "")]

    @staticmethod
    def shown(text: str) -> str:
        """`text` if the terminal's encoding has it, else nothing."""
        try:
            text.encode(sys.stdout.encoding or "ascii")
        except UnicodeEncodeError:
            return ""
        return text
