"""A person plays the engine in the terminal: the dialogue, for any game."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from search_core.clock import now_s
from search_core.line_protocol import OverlongLine, legible, printable, standard_input
from search_core.session import FIRST_WINS, SECOND_WINS, IllegalMove, Session, UnknownMove, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from search_core.display import GameDisplay
    from search_core.engine import Engine
    from search_core.levels import Level

_PLAYER = "sanqi"
_EVENT = "sanqi play"
_MOVE_MS = 1000
NO_NAME = "save where? expected: save FILE"


class Choice(NamedTuple):
    """The engine's choice of a move."""

    move: str | None
    """None: there is no legal move."""
    score: int | None
    """As in `search_core.engine.Result`, for the side to move; None: the opponent gives no score."""


class TerminalGame:
    """A game in progress between the person, who has `seat`, and the engine.

    The session holds the game; the display has its texts and draws its board. `opponent` finds the engine's moves
    from the session and the seed; None: the search does, at a `level` or at full strength. `movetime_ms` None: 1000 at
    full strength, as long as it takes at a level.
    """

    def __init__(
        self,
        session: Session,
        display: GameDisplay,
        seat: int,
        engine: Engine,
        movetime_ms: int | None = None,
        opponent: Callable[[Session, int], str] | None = None,
        level: Level | None = None,
        seed: int | None = None,
    ) -> None:
        self.session = session
        self.display = display
        self.person = seat
        self.engine = engine
        self.movetime_ms = movetime_ms
        self.opponent = opponent
        self.level = level
        self.seed = random.SystemRandom().getrandbits(32) if seed is None else seed
        """Of what the level overlooks and chooses, or the opponent. The game after `new` has the next number."""
        self.sides = [side.capitalize() for side in session.sides]
        self._last_words = "undo, new, save FILE or quit" if display.save_help else "undo, new or quit"
        """What can be typed when the game is over."""
        self.over = False
        self.resigned: Verdict | None = None
        """How the game ended, if the person has given up."""
        self.moved_at = now_s()
        self._typed = standard_input()

    @property
    def verdict(self) -> Verdict | None:
        """How the game ended, by the rules or because the person has given up; None while it goes on."""
        return self.resigned or self.session.verdict()

    @property
    def ending(self) -> str | None:
        """How the game ended, in one sentence or two; None while it goes on."""
        verdict = self.verdict
        if verdict is None:
            return None
        text = self.display.ending(self.session, verdict)
        if verdict.winner is None:
            return text
        return f"{text} You {'win' if verdict.winner == self.person else 'lose'}."

    # The dialogue

    def play(self) -> None:
        """Play until the person leaves. Raises EOFError at the end of the input."""
        self.show()
        while not self.over:
            if (ending := self.ending) is not None:
                say(ending)
                self.obey(self._ask(f"The game is over; {self._last_words}> "))
            elif self.session.to_move == self.person:
                self.obey(self._ask(f"{self.sides[self.person]} to move{self.display.note(self.session)}> "))
            else:
                self.answer()

    def answer(self) -> None:
        """Let the engine think and play."""
        side = self.session.to_move
        move, score = self.choose()
        assert move is not None  # no verdict: there is a legal move
        text = self.display.describe(self.session, move)
        self.make(move)
        self.show()
        say(f"{self.sides[side]} plays {text}{self.rating(side, score)}")

    def rating(self, side: int, score: int | None) -> str:
        """The engine's score for a side, as text after its move; none at a level, whose score tells what it sees."""
        from search_core.engine import mate_in_plies

        if score is None or self.level is not None:
            return ""
        plies = mate_in_plies(score)
        if plies is None:
            return f" (score {score / 100:+.2f} for {self.sides[side]})"
        winner = self.sides[side if plies > 0 else 1 - side]
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
        """Carry out one line of the person. A wrong line prints an error and changes nothing."""
        if isinstance(line, OverlongLine):
            say(line.fault)
            return
        word, _, rest = line.partition(" ")
        match word.lower():
            case "":
                pass
            case "quit" | "exit":
                self.over = True
            case "resign" if self.verdict is None:
                result = SECOND_WINS if self.person == 0 else FIRST_WINS
                self.resigned = Verdict(result, f"{self.sides[self.person]} resigned")
            case "undo":
                self.undo()
            case "new":
                self.engine.new_game()
                self.seed += 1
                self.take_back(self.session.ply)
            case "hint":
                self.hint()
            case "save":
                self.save(rest.strip())
            case "help":
                say(self.display.commands.rstrip())
            case _ if self.verdict is not None:
                say(f"{legible(word)}: the game is over; expected {self._last_words}")
            case _:
                self.move(line)

    def move(self, text: str) -> None:
        try:
            move = self.session.read_move(text)
        except UnknownMove as error:
            say(f"{error} ('help' lists the commands)")
        except IllegalMove as error:
            say(str(error))
        else:
            self.make(move)
            self.show()

    def make(self, move: str) -> None:
        """Play a legal move."""
        now = now_s()
        self.session.play(move, round((now - self.moved_at) * 1000))
        self.moved_at = now

    def undo(self) -> None:
        if self.resigned is not None:
            self.take_back(0)
            return
        count = 1 if self.session.to_move != self.person else 2
        if self.session.ply < count:
            say("there is no move of yours to take back")
        else:
            self.take_back(count)

    def take_back(self, plies: int) -> None:
        self.resigned = None
        self.session.undo(plies)
        self.moved_at = now_s()
        self.show()

    def hint(self) -> None:
        move = None if self.verdict is not None else self.choose(hint=True).move
        say("there is no move to hint at" if move is None else f"hint: {self.display.describe(self.session, move)}")

    def save(self, name: str) -> None:
        if not self.display.save_help:
            say(f"a game of {self.display.title} cannot be saved")
            return
        if not name:
            say(NO_NAME)
            return
        try:
            data = self.record(self.display.format_of(name))
        except ValueError as error:
            say(str(error))
            return
        say(save_new(name, data, self._count()))

    def save_interrupted(self, command: str) -> None:
        """Save the game to a new file in the current folder, if a move was played, and print how to go on with it.
        `command`: that of the game, without its seed."""
        if not self.session.ply or not self.display.saved_as:
            return
        if self.level is not None or self.opponent is not None:
            command += f" --seed {self.seed}"
        data = self.record(self.display.saved_as)
        save_numbered(self.display.name, self.display.saved_as, data, self._count(), command)

    def _count(self) -> str:
        return "1 move" if self.session.ply == 1 else f"{self.session.ply} moves"

    def record(self, format: str) -> bytes:
        """The game as a file of a format. Raises ValueError if the game does not have the format."""
        players = ["" if side == self.person else _PLAYER for side in range(len(self.sides))]
        return self.session.save(format, players, _EVENT, self.resigned)

    def choose(self, *, hint: bool = False) -> Choice:
        """The move that the engine would play; a hint at a level is the move at full strength."""
        if self.opponent is not None:
            return Choice(self.opponent(self.session, self.seed), None)
        from search_core.engine import Limits

        if self.level is None or hint:
            milliseconds = self.movetime_ms or _MOVE_MS
            limits = Limits(soft_ms=milliseconds, hard_ms=milliseconds)
        else:
            limits = Limits(hard_ms=self.movetime_ms or 0, level=self.level, seed=self.seed)
        with thinking():
            result = self.engine.search(self.session.position(), limits)
        return Choice(None if result.best is None else self.session.move_text(result.best), result.score)

    def show(self) -> None:
        """Draw the board if the person is to move or the game is over."""
        if self.session.to_move == self.person or self.verdict is not None:
            self.draw()

    def draw(self) -> None:
        """Print the board, in colour on a terminal."""
        parts = list(self.display.board(self.session, self.person))
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
    """On a terminal, show that the engine thinks until the block ends."""
    if sys.stdout.isatty():
        from rich.console import Console

        with Console().status("thinking"):
            yield
    else:
        yield


def save_new(name: str, data: bytes, count: str) -> str:
    """Save a game to a new file. Returns what to say about it; `count` says how much of the game it has."""
    try:
        write_new(Path(name), data)
    except FileExistsError:
        return f"{legible(name)} exists already; nothing was written"
    except OSError as error:
        return f"{legible(name)} cannot be written: {error.strerror}"
    except ValueError as error:  # a name that no system has
        return f"{legible(name)} cannot be written: {error}"
    return f"saved {count} to {printable(name)}"


def save_numbered(game: str, suffix: str, data: bytes, count: str, command: str) -> None:
    """Save a game to a new file in the current folder, and print the file's name. `count`: as for save_new();
    `command`: what goes on with the game, without `--resume`."""
    number = 1
    while True:
        name = f"sanqi-{game}-{number}.{suffix}"
        try:
            write_new(Path(name), data)
        except FileExistsError:
            number += 1
        except OSError as error:
            say(f"the game cannot be saved as '{name}': {error.strerror}")
            return
        else:
            say(f"saved {count} to {name}; go on with: {command} --resume {name}")
            return


def write_new(path: Path, data: bytes) -> None:
    """Write a file that does not exist yet. Raises FileExistsError and other kinds of OSError."""
    with path.open("xb") as file:
        file.write(data)
