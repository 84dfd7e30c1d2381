"""How a game looks in the terminal of `sanqi play`: defaults for all games, which a game can override.

Imported with a game's display, before anything is played: it must stay light.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from game_core.session import Session, Verdict
    from search_core.levels import Level

ENGINE_NAME, EVENT = "sanqi", "sanqi play"
"""What a record of a game in the terminal calls the engine's side, and the game."""
STYLES_OF_SIDES = ("bold red", "bold green")

_COMMANDS = """\
at the prompt: {moves}, or one of
  undo       take back your last move and the answer
  hint       show the engine's move (at a level, its move at full strength)
  new        begin again
{save}  resign     give up; 'undo' goes on
  quit       {leave}
  help       show this list
"""


class InputError(ValueError):
    """A line or an argument of the user is not valid; the message is one line."""


class SavedGame:
    """The game in a file that the option --resume names."""

    def __init__(
        self,
        game: Any,
        options: str | None = None,
        data: bytes = b"",
        own: bool = False,
        names: tuple[str, ...] = (),
        result: str = "*",
    ) -> None:
        self.game = game
        """The game as the display's own reader has it."""
        self.options = options
        """The options of `sanqi play` that it was played with, as words; None: the file has none."""
        self.data = data
        """The file."""
        self.own = own
        """Whether `sanqi play` wrote all that is in the file."""
        self.names = names
        """Who played each side, '' if not known; (): the file is not of `sanqi play`."""
        self.result = result
        """As in a Verdict; `*`: not known."""


def encodable(text: str) -> str:
    """`text` if the terminal's encoding can write it, else ''."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ""
    return text


class GameDisplay:
    """A game in the terminal. This class can show any game; a subclass shows its own game better.

    `title` is the game's name for people; `open_session` begins a game at the start position.
    """

    sides: ClassVar[tuple[str, ...]] = ()
    """What the sides are called, as in the session, so that the help need not open one; (): it does."""
    examples: ClassVar[str] = ""
    """Command lines for the help, with what they do; '': one is made from the name."""
    typed_moves: ClassVar[str] = "a move"
    """How a move is typed, for the list of commands; it follows ``at the prompt:``."""
    save_help: ClassVar[str] = ""
    """Help text of `save FILE` in the list of commands; '': the game cannot be saved."""
    saved_as: ClassVar[str] = ""
    """The format in which an interrupted game is saved. A game that sets it has an option --resume, which reads it."""
    endings: ClassVar[Mapping[str, str]] = {}
    """The reasons of verdicts in words; `{mover}` is the side to move. '': the result alone is shown."""

    def __init__(self, name: str, title: str, open_session: Callable[[], Session]) -> None:
        self.name = name
        self.title = title
        self._open_session = open_session

    # The command line

    @property
    def example(self) -> str:
        """Command lines, with what they do, at the end of the help."""
        return self.examples or f"example:\n  sanqi play {self.name}\n"

    @property
    def commands(self) -> str:
        """What can be typed at the prompt."""
        return _COMMANDS.format(
            moves=self.typed_moves,
            save=f"  save FILE  {self.save_help}\n" if self.save_help else "",
            leave="save the game and leave; so do Ctrl-C and Ctrl-D" if self.saved_as else "leave without a result",
        )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the game's options. A subclass that adds options calls this too."""
        sides = self.sides or self._open_session().sides
        parser.add_argument("--side", choices=sides, default=sides[0], help=f"your side (default {sides[0]})")

    def load(self, file: str) -> SavedGame:
        """The game in the file of --resume, for open_session() as `args.saved`. Raises InputError."""
        return SavedGame(None)

    def settle(self, args: argparse.Namespace) -> None:
        """Set the options of the rules that neither the command line nor the file gives."""

    def open_session(self, args: argparse.Namespace) -> Session:
        """The game that the arguments ask for, which may be one to resume: `args.saved`. Raises InputError."""
        return self._open_session()

    def opponent(self, args: argparse.Namespace) -> Callable[[Session, int], str] | None:
        """What finds the engine's moves from the session and a seed, if the arguments choose that; None: the search."""
        return None

    def level(self, args: argparse.Namespace) -> Level | None:
        """The level at which the search plays; None: at full strength."""
        return None

    # The game

    def board(self, session: Session, seat: int) -> Iterable[tuple[str, str]]:
        """The board as seen from a seat: texts with their styles. The default shows all of the session's view."""
        import json

        for key, value in session.view(seat).items():
            yield f"{key:>10}  {value if isinstance(value, str) else json.dumps(value)}\n", ""

    def note(self, session: Session) -> str:
        """What the prompt says after the side to move."""
        return ""

    def describe(self, session: Session, move: str) -> str:
        """A legal move in words: in the notation for people, and as the protocol writes it."""
        name = encodable(next(iter(session.move_names(move).values())))
        return f"{name} ({move})" if name and name != move else move

    def ending(self, session: Session, verdict: Verdict) -> str:
        """How the game ended, in a sentence."""
        sides = [side.capitalize() for side in session.sides]
        reason = self.endings.get(verdict.reason, verdict.reason).format(mover=sides[session.to_move])
        text = "Draw" if verdict.winner is None else f"{sides[verdict.winner]} wins"
        return f"{text}: {reason}." if reason else f"{text}."

    # Files

    def format_of(self, file: str) -> str:
        """The format for a file's name. Raises ValueError if there is none."""
        return os.path.splitext(file)[1].lower().removeprefix(".")

    def kept_options(self, format: str, options: Mapping[str, str]) -> dict[str, str] | None:
        """The options of a game, by name, that Session.save() can write into a file of a format; None: a file of this
        format has no place for options."""
        return None
