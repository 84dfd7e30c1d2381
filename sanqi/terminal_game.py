"""A person plays the engine in the terminal: the dialogue, whatever the game."""

from __future__ import annotations

import contextlib
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from search_core.line_protocol import OverlongLine, legible, printable, standard_input

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from search_core.engine import Engine
    from search_core.game import Game

STYLES_OF_SIDES = ("bold red", "bold green")


class InputError(ValueError):
    """A line of the person that cannot be obeyed; the message is one line."""


class Choice(NamedTuple):
    """What the engine would play."""

    move: int | None
    """None: there is no legal move."""
    score: int | None
    """As in `search_core.engine.Result`, for the side to move; None: the player knows no score."""


class TerminalGame(ABC):
    """A game in progress between the person and the engine.

    A subclass has the position and its words; this class has the loop, the
    commands and the engine's thinking. `person` is the side, 0 or 1.
    """

    sides: ClassVar[tuple[str, str]]
    """What the sides are called; the first one begins a game."""
    help: ClassVar[str]
    """What can be typed at the prompt."""
    saved_as: ClassVar[str]
    """How a file is called into which an interrupted game is saved; `{}` is a number."""
    position: Game
    moves: list[int]
    """Those that can be taken back."""

    def __init__(self, engine: Engine, person: int, movetime_ms: int) -> None:
        self.engine = engine
        self.person = person
        self.movetime_ms = movetime_ms
        self.over = False
        self._typed = standard_input()

    # What a game is made of

    @property
    @abstractmethod
    def verdict(self) -> str | None:
        """How the game ended, in a sentence; None while it goes on."""

    @property
    def warning(self) -> str:
        """What the prompt adds to whose turn it is."""
        return ""

    @abstractmethod
    def begin(self) -> None:
        """Set up the position that the game began with."""

    @abstractmethod
    def parse(self, text: str) -> int:
        """A legal move from what the person typed. Raises InputError."""

    @abstractmethod
    def describe(self, move: int) -> str:
        """A move of this position in words."""

    @abstractmethod
    def make(self, move: int) -> None:
        """Play a legal move."""

    @abstractmethod
    def take_back(self) -> None:
        """Take back the last move."""

    @abstractmethod
    def record(self, name: str) -> bytes:
        """The game as the content of a file of this name. Raises InputError."""

    @abstractmethod
    def board(self) -> Iterable[tuple[str, str]]:
        """The board as the person sits at it: texts with their styles."""

    # The dialogue

    def play(self) -> None:
        """Play until the person leaves. Raises EOFError at the end of the input."""
        self.show()
        while not self.over:
            if (verdict := self.verdict) is not None:
                say(verdict)
                self.obey(self._ask("The game is over; undo, new, save FILE or quit> "))
            elif self.position.side == self.person:
                self.obey(self._ask(f"{self.sides[self.person]} to move{self.warning}> "))
            else:
                self.answer()

    def answer(self) -> None:
        """Let the engine think and play."""
        move, score = self.choose()
        assert move is not None  # no verdict: there is a legal move
        text = self.describe(move)
        self.make(move)
        self.show()
        say(f"{self.sides[1 - self.person]} plays {text}{self.rating(score)}")

    def rating(self, score: int | None) -> str:
        """What the engine thinks of its side, as an addition to its move."""
        from search_core.engine import mate_in_plies

        if score is None:
            return ""
        plies = mate_in_plies(score)
        if plies is None:
            return f" (score {score / 100:+.2f} for {self.sides[1 - self.person]})"
        winner = self.sides[1 - self.person if plies > 0 else self.person]
        moves = (abs(plies) + 1) // 2
        return f" ({winner} wins in {moves} {'move' if moves == 1 else 'moves'})"

    def _ask(self, prompt: str) -> str:
        """What the person types. Raises EOFError at the end of the input."""
        if sys.stdin is not None and sys.stdin.isatty():
            return input(prompt).strip()  # with a history
        print(prompt, end="", flush=True)
        line = self._typed()
        if line is None:
            raise EOFError
        return line

    def obey(self, line: str) -> None:
        """Carry out one line of the person. A wrong one prints what was wrong and changes nothing."""
        if isinstance(line, OverlongLine):
            say(line.fault)
            return
        word, _, rest = line.partition(" ")
        match word.lower():
            case "":
                pass
            case "quit" | "exit":
                self.over = True
            case "resign":
                say(f"{self.sides[1 - self.person]} wins: {self.sides[self.person]} resigned.")
                self.over = True
            case "undo":
                self.undo()
            case "new":
                self.begin()
                self.show()
            case "hint":
                self.hint()
            case "save":
                self.save(rest.strip())
            case "help":
                say(self.help.rstrip())
            case _ if self.verdict is not None:
                say(f"{legible(word)}: the game is over; expected undo, new, save FILE or quit")
            case _:
                self.move(line)

    def move(self, text: str) -> None:
        try:
            move = self.parse(text)
        except InputError as error:
            say(str(error))
        else:
            self.make(move)
            self.show()

    def undo(self) -> None:
        count = 1 if self.position.side != self.person else 2
        if len(self.moves) < count:
            say("there is no move of yours to take back")
            return
        for _ in range(count):
            self.take_back()
        self.show()

    def hint(self) -> None:
        move = None if self.verdict is not None else self.choose().move
        say("there is no move to hint at" if move is None else f"hint: {self.describe(move)}")

    def save(self, name: str) -> None:
        if not name:
            say("save where? expected: save FILE")
            return
        try:
            write_new(Path(name), self.record(name))
        except InputError as error:
            say(str(error))
        except FileExistsError:
            say(f"{legible(name)} exists already; nothing was written")
        except OSError as error:
            say(f"{legible(name)} cannot be written: {error.strerror}")
        else:
            say(f"saved {self._count()} to {printable(name)}")

    def save_interrupted(self) -> None:
        """Save the game into a new file of the current folder, if a move has been played, and say where it is."""
        if not self.moves:
            return
        number = 1
        while True:
            name = self.saved_as.format(number)
            try:
                write_new(Path(name), self.record(name))
            except FileExistsError:
                number += 1
            except OSError as error:
                say(f"the game cannot be saved as '{name}': {error.strerror}")
                return
            else:
                say(f"saved {self._count()} to {name}; `--resume {name}` goes on with the game")
                return

    def _count(self) -> str:
        return "1 move" if len(self.moves) == 1 else f"{len(self.moves)} moves"

    def choose(self) -> Choice:
        """The move that the engine would play."""
        from search_core.engine import Limits

        limits = Limits(soft_ms=self.movetime_ms, hard_ms=self.movetime_ms)
        with thinking():
            result = self.engine.search(self.position, limits)
        return Choice(result.best, result.score)

    def show(self) -> None:
        """Draw the board where the person has to look at it: not while it is the engine's turn."""
        if self.position.side == self.person or self.verdict is not None:
            self.draw()

    def draw(self) -> None:
        """Print the board, in colour on a terminal."""
        parts = list(self.board())
        if sys.stdout.isatty():
            from rich.console import Console
            from rich.text import Text

            Console().print(Text.assemble(*parts), end="")
        else:
            print("".join(text for text, _ in parts), end="")


def say(text: str) -> None:
    """Print a message, on a terminal wrapped at words."""
    if sys.stdout.isatty():
        from rich.console import Console

        Console().print(text, markup=False, highlight=False, emoji=False)
    else:
        print(text)


@contextlib.contextmanager
def thinking() -> Iterator[None]:
    """Show on a terminal, until the block ends, that the engine thinks."""
    if sys.stdout.isatty():
        from rich.console import Console

        with Console().status("thinking"):
            yield
    else:
        yield


def write_new(path: Path, data: bytes) -> None:
    """Write a file that does not exist yet. Raises FileExistsError and other kinds of OSError."""
    with path.open("xb") as file:
        file.write(data)


def encodable(text: str) -> str:
    """`text` if the terminal's encoding has it, else nothing."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ""
    return text
