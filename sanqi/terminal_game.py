"""A person plays the engine in the terminal: the dialogue, for any game."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from game_core.display import ENGINE_NAME, EVENT
from game_core.session import FIRST_WINS, SECOND_WINS, IllegalMove, Session, UnknownMove, Verdict
from sanqi.play_files import NO_NAME, GameFiles, SaveError
from sanqi.play_options import listed, words_of
from search_core.child_process import uninterrupted
from search_core.clock import now_s
from search_core.command_line import join_words
from search_core.line_protocol import OverlongLine, legible, printable, standard_input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_core.display import GameDisplay, SavedGame
    from search_core.engine import Engine, Limits
    from search_core.levels import Level

_MOVE_MS = 1000
_REHEARSED = 10
"""A level's moves that it thinks about again when a game is resumed."""


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
    full strength, as long as it takes at a level. `options` are those that the game is played with, but for the seed,
    for its files; `saved` is the file that it was resumed from, and `saved_name` its name.
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
        options: Mapping[str, str] | None = None,
        saved: SavedGame | None = None,
        saved_name: str = "",
    ) -> None:
        self.session = session
        self.display = display
        self.person = seat
        self.engine = engine
        self.movetime_ms = movetime_ms
        self.opponent = opponent
        self.level = level
        self.seed = random.SystemRandom().getrandbits(32) or 1 if seed is None else seed
        """Of what the level overlooks and chooses, or the opponent. The game after `new` has the next number."""
        self.sides = [side.capitalize() for side in session.sides]
        self._last_words = "undo, new, save FILE or quit" if display.save_help else "undo, new or quit"
        """What can be typed when the game is over."""
        self.over = False
        self.resigned: Verdict | None = None
        """How the game ended, if the person has given up."""
        self.moved_at = now_s()
        self._typed = standard_input()
        self._options = dict(options or {})
        self._files = GameFiles(display.name, display.saved_as)
        self._kept: tuple[object, ...] | None = None
        """The state of the game that a file has."""
        self._was_warned = False
        """Whether `quit` has failed to save the game."""
        self._name = ""
        """The person's, in records."""
        self.remarks: list[str] = []
        """What to say before the game."""
        if saved is not None:
            self._go_on(saved, saved_name)

    def _go_on(self, saved: SavedGame, name: str) -> None:
        """Take over what the file of a resumed game says besides its moves and options."""
        names = [each for each in saved.names if each not in ("", ENGINE_NAME)]
        self._name = names[0] if names else ""
        lost = SECOND_WINS if self.person == 0 else FIRST_WINS
        if saved.names and saved.result == lost and self.session.verdict() is None:
            self.resign()
        self._files.found(name, saved.data if saved.own else None)
        if not saved.own or saved.options == self._written_options(self.display.format_of(name)):
            self._kept = self._state()

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
        for remark in self.remarks:
            say(remark)
        self.moved_at = now_s()
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
                self.leave()
            case "resign" if self.verdict is None:
                self.resign()
            case "undo":
                self.undo()
            case "new":
                self.begin_again()
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

    def resign(self) -> None:
        result = SECOND_WINS if self.person == 0 else FIRST_WINS
        self.resigned = Verdict(result, f"{self.sides[self.person]} resigned")

    def begin_again(self) -> None:
        """Begin another game; what was played is lost, but for the files that have it."""
        self.engine.new_game()
        self.seed += 1
        self._files.forget()
        self._kept = None
        self.take_back(self.session.ply)

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

    # Files

    def save(self, name: str) -> None:
        """Save the game to the file that the person names, and print how to go on with it."""
        if not self.display.save_help:
            say(f"a game of {self.display.title} cannot be saved")
            return
        if not name:
            say(NO_NAME)
            return
        try:
            self._write(name)
        except ValueError as error:  # not in this format
            say(str(error))
        except SaveError as error:
            say(str(error))

    def leave(self) -> None:
        """End the dialogue if the game is saved; else only when asked again."""
        self.over = self.keep() or self._was_warned
        if not self.over:
            self._was_warned = True
            say("'quit' again leaves without saving")

    def keep(self) -> bool:
        """Save the game if it has a move that no file has, and print how to go on with it. Returns whether no move is
        lost."""
        if not self.session.ply or not self.display.saved_as:
            return True
        if self._kept == self._state():
            if self._files.latest is not None:
                say(f"{printable(self._files.latest)} has the game; {self._next_step(self._files.latest)}")
            return True
        with uninterrupted():
            try:
                self._write(None)
            except (SaveError, ValueError) as error:
                say(f"the game is not saved: {error}")
                return False
        return True

    def _write(self, name: str | None) -> None:
        """Save the game to a file, and print how to go on with it. Raises SaveError; ValueError if it does not have the
        format."""
        format = self.display.format_of(name or self._files.unnamed)
        data = self.record(format)
        written = self._files.write_unnamed(data) if name is None else self._files.write(name, data)
        self._kept = self._state()
        assert self._files.latest is not None
        lost = ""
        if self._options and self._written_options(format) is None:
            lost = f", which cannot hold {listed(self.all_options, values=False)}"
        say(f"saved {self.count} to {written}{lost}; {self._next_step(self._files.latest)}")

    def _next_step(self, name: str) -> str:
        """What can be done with a game that is saved in a file."""
        format = self.display.format_of(name)
        if self.verdict is not None and format == self.display.saved_as == Path(name).suffix.lower()[1:]:
            return f"review it with: {join_words(['sanqi', 'review', name])}"
        is_bare = self._written_options(format) is None
        return f"go on with: {self._files.command(self.all_options if is_bare else {})}"

    @property
    def count(self) -> str:
        """How many moves were played, as text."""
        return "1 move" if self.session.ply == 1 else f"{self.session.ply} moves"

    @property
    def all_options(self) -> dict[str, str]:
        """The options of the game, with the seed if it has an effect."""
        has_chance = self.level is not None or self.opponent is not None
        return {**self._options, "seed": str(self.seed)} if has_chance else self._options

    def _written_options(self, format: str) -> str | None:
        """The options as a file of a format has them; None: it has none."""
        kept = self.display.kept_options(format, self.all_options) if self._options else None
        return None if kept is None else " ".join(words_of(kept))

    def _state(self) -> tuple[object, ...]:
        """What a file has of the game."""
        return tuple(self.session.view()["moves"]), self.resigned

    def record(self, format: str) -> bytes:
        """The game as a file of a format. Raises ValueError if the game does not have the format."""
        players = [self._name if side == self.person else ENGINE_NAME for side in range(len(self.sides))]
        options = self._written_options(format)
        if options is None:
            return self.session.save(format, players, EVENT, self.resigned)
        save: Callable[..., bytes] = self.session.save
        return save(format, players, EVENT, self.resigned, options=options)

    def choose(self, *, hint: bool = False) -> Choice:
        """The move that the engine would play; a hint at a level is the move at full strength."""
        if self.opponent is not None:
            return Choice(self.opponent(self.session, self.seed), None)
        with thinking():
            result = self.engine.search(self.session.position(), self.limits(hint=hint))
        return Choice(None if result.best is None else self.session.move_text(result.best), result.score)

    def limits(self, *, hint: bool = False) -> Limits:
        """What ends a search of the engine, and its level; a hint is at full strength."""
        from search_core.engine import Limits

        if self.level is None or hint:
            milliseconds = self.movetime_ms or _MOVE_MS
            return Limits(soft_ms=milliseconds, hard_ms=milliseconds)
        return Limits(hard_ms=self.movetime_ms or 0, level=self.level, seed=self.seed)

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
    """Print a message, on a terminal wrapped at words, but for a command that the person may copy."""
    if sys.stdout.isatty():
        from rich.console import Console

        is_copied = " with: " in text
        Console().print(text, markup=False, highlight=False, emoji=False, soft_wrap=is_copied)
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


def rehearse(game: TerminalGame, session: Session) -> None:
    """Let a level think again about its last moves of a resumed game: what it has planned since is a part of its next
    move. `session`: the same game once more, which is used up."""
    if not game.level or not game.level.root_window:  # the others have no plans
        return
    moves = session.view()["moves"][-2 * _REHEARSED :]
    session.undo(len(moves))
    with thinking():
        for move in moves:
            if session.to_move != game.person:
                game.engine.search(session.position(), game.limits())
            session.play(move)
