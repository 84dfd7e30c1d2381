"""A person plays at a table in the terminal: reads lines, and prints what happens. One dialogue for all games."""

from __future__ import annotations

import contextlib
import select
import sys
import threading
from collections import deque
from queue import SimpleQueue
from typing import TYPE_CHECKING

from game_core.display import InputError
from game_core.session import SeatedSession
from game_core.table import Changed, Event, Failed, Hinted, Moved, Refused, Said, Table
from search_core.line_protocol import OverlongLine, legible, standard_input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from game_core.display import GameDisplay
    from game_core.table_files import TableFiles

_LOOK_S = 0.2
"""How often to look for a typed line while the engine thinks."""
_AT_ONCE = ("undo", "new", "resign", "level", "save", "board", "rules", "help", "quit", "exit")
"""Commands that are obeyed while the engine thinks. Other lines wait for the person's turn."""


class TypedLines:
    """What the person types: at a prompt, or while the engine thinks."""

    def __init__(self, read: Callable[[], str | None] | None = None) -> None:
        self._read = read or standard_input()
        self._ahead: deque[str] = deque()
        """Lines that wait for the next prompt."""
        self._coming: SimpleQueue[str | None] | None = None
        """Gets the line that a thread reads; None: no thread reads."""

    def ask(self, prompt: str) -> str:
        """The next line. Raises EOFError at the end of the input."""
        if self._ahead:
            line = self._ahead.popleft()
            print(prompt + line)
            return line
        if self._coming is None and _is_terminal():
            return input(prompt).strip()  # with a history
        print(prompt, end="", flush=True)
        return self.next()

    def wait(self, line: str) -> None:
        """Keep a line for the next prompt."""
        self._ahead.append(line)

    def has_line(self, *, waits_for_turn: bool) -> bool:
        """Whether next() returns at once. `waits_for_turn`: lines of a pipe are left for the prompt that will come."""
        if _is_terminal() and sys.platform != "win32":
            return bool(select.select([sys.stdin], [], [], 0)[0])
        if waits_for_turn:
            return False
        if self._coming is None:
            coming: SimpleQueue[str | None] = SimpleQueue()
            self._coming = coming
            # A daemon: at the end only another line could wake it up.
            threading.Thread(target=lambda: coming.put(self._read()), name="typed line", daemon=True).start()
        return not self._coming.empty()

    def next(self) -> str:
        """The next line, without a prompt. Raises EOFError at the end of the input."""
        if self._coming is None:
            line = self._read()
        else:
            line = self._coming.get()
            self._coming = None
        if line is None:
            raise EOFError
        return line


class TerminalGame:
    """The dialogue of a person, who has one seat of a table. The display has the game's texts and draws its board.

    Attributes
    ----------
    remarks : list of str
        What to say before the game.
    """

    def __init__(self, table: Table, display: GameDisplay, files: TableFiles, typed: TypedLines | None = None) -> None:
        self.table = table
        self.display = display
        self.remarks: list[str] = []
        [self._seat] = table.persons
        self._files = files
        self._typed = typed or TypedLines()
        self._said: list[tuple[str, str]] = []
        """What happened and was not printed yet: texts with their styles."""
        self._below: list[tuple[str, str]] = []
        """What is printed below the next board."""
        self._is_stale = True
        """Whether the last board that was drawn does not show the game as it is."""
        self._over = False
        self._was_out = False
        """Whether the person has been told that the seat is out."""
        self._was_warned = False
        """Whether `quit` has failed to save the game."""
        self._last_words = "undo, new, save FILE or quit" if display.save_help else "undo, new or quit"
        """What can be typed when the game is over."""
        table.on_event = self._note

    def play(self) -> None:
        """Play until the person leaves. Raises EOFError at the end of the input."""
        table, session = self.table, self.table.session
        for remark in self.remarks:
            say(remark)
        level = self._level()
        say(f"{self.display.opening(session, self._seat, level)} Type a move, or 'help'.")
        show(self.display.introduction(session))
        table.start()
        while not self._over:
            self._tell()
            if table.is_thinking:
                self._await()
                continue
            if self._is_stale:
                self._draw()
            if (verdict := table.verdict) is not None:
                say(self.display.ending(table.session, verdict, self._seat))
                prompt = f"The game is over; {self._last_words}> "
            else:
                prompt = f"{self.display.prompt(table.session, self._seat)}> "
            self._obey(self._typed.ask(prompt))

    def keep(self) -> bool:
        """Save the game if it has a move that no file has, and print how to go on with it. Returns whether no move is
        lost."""
        is_kept, text = self._files.keep()
        if text:
            say(text)
        return is_kept

    # What happens

    def _await(self) -> None:
        """Wait until the engine has moved, or the person has typed a line."""
        session = self.table.session
        is_out = isinstance(session, SeatedSession) and session.is_out(self._seat)
        if is_out and not self._was_out:
            self._was_out = True
            say("Your seat is out, and the others play on. You can still type undo, board, save, new or quit.")
        with thinking():
            while not (has_line := self._typed.has_line(waits_for_turn=not is_out)) and not self.table.wait(_LOOK_S):
                pass
        if has_line:
            line = self._typed.next()
            if is_out or line.partition(" ")[0].lower() in _AT_ONCE:
                self._obey(line)
            else:
                self._typed.wait(line)

    def _note(self, event: Event) -> None:
        """Note what an event changes, and word it."""
        session = self.table.session
        match event:
            case Moved():
                self._is_stale = True
                if self.display.tells_at_once:
                    self._said.append(self.display.told(session, event, self._seat))
                elif event.seat != self._seat:
                    self._below.append(self.display.told(session, event, self._seat))
            case Changed():
                self._is_stale, self._was_out = True, False
                self._below.clear()
            case Hinted(None):
                self._said.append(("there is no move to hint at", ""))
            case Hinted(move, names) if move is not None:
                self._said.append((f"hint: {self.display.describe(move, names)}", ""))
            case Refused(reason, is_unknown):
                self._said.append((f"{reason} ('help' lists the commands)" if is_unknown else reason, ""))
            case Said(text) | Failed(text):
                self._said.append((text, ""))

    def _tell(self) -> None:
        """Print what has happened."""
        said, self._said = self._said, []
        for text, style in said:
            say(text, style)

    def _draw(self) -> None:
        """Print the board, and the engine's move below it."""
        show(self.display.board(self.table.session, self._seat))
        self._is_stale = False
        below, self._below = self._below, []
        for text, style in below:
            say(text, style)

    # What the person types

    def _obey(self, line: str) -> None:
        """Carry out one line of the person. A wrong line prints an error and changes nothing."""
        if isinstance(line, OverlongLine):
            say(line.fault)
            return
        table, session = self.table, self.table.session
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        try:
            match word.lower():
                case "":
                    pass
                case "quit" | "exit":
                    self._leave()
                case "resign" if table.verdict is None:
                    table.resign(self._seat)
                case "undo":
                    table.undo(self._seat)
                case "new":
                    table.new()
                    self._files.new()
                case "hint":
                    table.hint()
                case "level":
                    self._set_level(rest)
                case "save":
                    say(self._files.save(rest))
                case "board":
                    self._draw()
                case "rules":
                    say(self.display.rules.rstrip() or f"there is no text of the rules of {self.display.title}")
                case "help":
                    say(self.display.commands.rstrip())
                case _ if table.verdict is not None:
                    say(f"{legible(word)}: the game is over; expected {self._last_words}")
                case "draw":
                    table.draw()
                case "moves":
                    for text in self.display.moves(session, self._seat, rest):
                        say(text)
                case command:
                    answer = self.display.command(session, self._seat, command, rest)
                    if answer is None:
                        table.move(line.strip())
                    elif answer:
                        say(answer)
                    else:
                        self._draw()
        except InputError as error:
            say(str(error))

    def _level(self) -> str:
        """The engine's level as text; if its seats have several, for each of them."""
        levels = self.table.levels
        sides = self.table.session.sides
        if len(set(levels.values())) == 1:
            return next(iter(levels.values()))
        return ", ".join(f"{level} ({sides[seat]})" for seat, level in levels.items())

    def _set_level(self, text: str) -> None:
        if text:
            level = self.display.read_level(text)
            self.table.set_level(level)
            self._files.options = self.display.options_at_level(self._files.options, level)
        if self._level():
            say(f"the engine plays at level {self._level()}")
        else:
            self.display.read_level("")  # raises InputError: there are none

    def _leave(self) -> None:
        """End the dialogue if the game is saved; else only when asked again."""
        self._over = self.keep() or self._was_warned
        if not self._over:
            self._was_warned = True
            say("'quit' again leaves without saving")


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def say(text: str, style: str = "") -> None:
    """Print a message, on a terminal wrapped at words, but for a command that the person may copy."""
    show([(f"{text}\n", style)], soft_wrap=" with: " in text)


def show(parts: Iterable[tuple[str, str]], *, soft_wrap: bool = False) -> None:
    """Print texts in their styles, which a terminal shows."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text

        Console().print(Text.assemble(*parts), end="", soft_wrap=soft_wrap)
    else:
        print("".join(text for text, _ in parts), end="")


@contextlib.contextmanager
def thinking() -> Iterator[None]:
    """On a terminal, show that the engine thinks until the block ends."""
    if sys.stdout.isatty():
        from rich.live import Live
        from rich.spinner import Spinner

        with Live(Spinner("dots", "thinking"), transient=True, redirect_stdout=False, redirect_stderr=False):
            yield
    else:
        yield
