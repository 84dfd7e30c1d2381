"""A person plays the engine in the terminal: the dialogue, whatever the game."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from search_core.engine import Engine
    from search_core.game import Game

STYLES_OF_SIDES = ("bold red", "bold green")


class InputError(ValueError):
    """A line of the person that cannot be obeyed; the message is one line."""


class TerminalGame(ABC):
    """A game in progress between the person and the engine.

    A subclass has the position and its words; this class has the loop, the
    commands and the engine's thinking. `person` is the side, 0 or 1.
    """

    sides: ClassVar[tuple[str, str]]
    """What the sides are called; the first one begins a game."""
    help: ClassVar[str]
    """What can be typed at the prompt."""
    position: Game
    moves: list[int]
    """Those that can be taken back."""

    def __init__(self, engine: Engine, person: int, movetime_ms: int) -> None:
        self.engine = engine
        self.person = person
        self.movetime_ms = movetime_ms
        self.over = False

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
        self.draw()
        while not self.over:
            if (verdict := self.verdict) is not None:
                print(verdict)
                self.obey(input("The game is over; undo, new, save FILE or quit> ").strip())
            elif self.position.side == self.person:
                self.obey(input(f"{self.sides[self.person]} to move{self.warning}> ").strip())
            else:
                move = self.choose()
                assert move is not None  # no verdict: there is a legal move
                text = self.describe(move)
                self.make(move)
                self.draw()
                print(f"{self.sides[1 - self.person]} plays {text}")

    def obey(self, line: str) -> None:
        """Carry out one line of the person. A wrong one prints what was wrong and changes nothing."""
        word, _, rest = line.partition(" ")
        match word.lower():
            case "":
                pass
            case "quit" | "exit":
                self.over = True
            case "resign":
                print(f"{self.sides[1 - self.person]} wins: {self.sides[self.person]} resigned.")
                self.over = True
            case "undo":
                self.undo()
            case "new":
                self.begin()
                self.draw()
            case "hint":
                self.hint()
            case "save":
                self.save(rest.strip())
            case "help":
                print(self.help)
            case _ if self.verdict is not None:
                print(f"'{word}': the game is over; expected undo, new, save FILE or quit")
            case _:
                self.move(line)

    def move(self, text: str) -> None:
        try:
            move = self.parse(text)
        except InputError as error:
            print(error)
        else:
            self.make(move)
            self.draw()

    def undo(self) -> None:
        count = 1 if self.position.side != self.person else 2
        if len(self.moves) < count:
            print("there is no move of yours to take back")
            return
        for _ in range(count):
            self.take_back()
        self.draw()

    def hint(self) -> None:
        move = None if self.verdict is not None else self.choose()
        print("there is no move to hint at" if move is None else f"hint: {self.describe(move)}")

    def save(self, name: str) -> None:
        if not name:
            print("save where? expected: save FILE")
            return
        try:
            data = self.record(name)
            with Path(name).open("xb") as file:
                file.write(data)
        except InputError as error:
            print(error)
        except FileExistsError:
            print(f"'{name}' exists already; nothing was written")
        except OSError as error:
            print(f"'{name}' cannot be written: {error.strerror}")
        else:
            print(f"saved {len(self.moves)} moves to {name}")

    def choose(self) -> int | None:
        """The move that the engine would play; None if there is none."""
        from search_core.engine import Limits

        limits = Limits(soft_ms=self.movetime_ms, hard_ms=self.movetime_ms)
        return self.engine.search(self.position, limits).best

    def draw(self) -> None:
        """Print the board, in colour on a terminal."""
        parts = list(self.board())
        if sys.stdout.isatty():
            from rich.console import Console
            from rich.text import Text

            Console().print(Text.assemble(*parts), end="")
        else:
            print("".join(text for text, _ in parts), end="")


def shown(text: str) -> str:
    """`text` if the terminal's encoding has it, else nothing."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ""
    return text
