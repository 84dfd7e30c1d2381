"""How a game looks in the terminal of `sanqi play`: defaults for all games, which a game can override.

Imported with a game's display, before anything is played: it must stay light.
"""

from __future__ import annotations

import os
import sys

from search_core.fields import Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar

    from game_core.chooser import OwnEngineChooser
    from game_core.session import Session, Verdict
    from game_core.table import Moved
    from search_core.engine import Engine
    from search_core.levels import Level
    from search_core.thinking_thread import ThinkingThread

ENGINE_NAME, EVENT = "sanqi", "sanqi play"
"""What a record of a game in the terminal calls the engine's side, and the game."""
STYLES_OF_SIDES = ("bold red", "bold green")

_COMMANDS = """\
at the prompt: {moves}, or one of
  undo           take back your last move and the answer
  hint           show the engine's move at full strength
  moves [POINT]  list your legal moves, or those of the piece on a point
{more}  board          show the board again
{level}{rules}  new            begin again
{save}  resign         give up; 'undo' goes on
  quit           {leave}
  help           show this list
"""
_LEVEL = "  level [LEVEL]  show the engine's level, or change it\n"
_RULES = "  rules          show the rules\n"
_MOVE_MS, _MAX_MOVE_MS = 1000, 10**9


class InputError(ValueError):
    """A line or an argument of the user is not valid; the message is one line."""


class SavedGame(Fields):
    """The game in the file that the option --resume names."""

    game: Any
    """The game as the display's own reader has it."""
    options: str | None = None
    """The options of `sanqi play` that it was played with, as words; None: the file has none."""
    data: bytes = b""
    """The file."""
    own: bool = False
    """Whether `sanqi play` wrote all that is in the file."""
    names: tuple[str, ...] = ()
    """Who played each side, '' if not known; (): the file is not of `sanqi play`."""
    result: str = "*"
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
    more_commands: ClassVar[str] = ""
    """Lines of the list of commands for those that command() obeys."""
    save_help: ClassVar[str] = ""
    """Help text of `save FILE` in the list of commands; '': the game cannot be saved."""
    saved_as: ClassVar[str] = ""
    """The format in which an interrupted game is saved. A game that sets it has an option --resume, which reads it."""
    ply_names: ClassVar[tuple[str, str]] = ("move", "moves")
    """What one move and several are called where they are counted."""
    rules: ClassVar[str] = ""
    """The rules for a newcomer, on one screen of 24 lines; '': the game has no such text."""
    seed_help: ClassVar[str] = "of a level or a classic player: the same number and moves give the same game"
    """What --seed does."""
    level_names: ClassVar[tuple[str, ...]] = ()
    """What --level takes; (): the engine always plays at full strength."""
    levels_by_number: ClassVar[Sequence[Level]] = ()
    """The levels 1 to 20."""
    other_players: ClassVar[str] = ""
    """The other names of a level, for the help."""
    tells_at_once: ClassVar[bool] = False
    """Whether every move is told when it is made, above the next board; if not, the engine's alone, below it."""
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
            more=self.more_commands,
            level=_LEVEL if self.level_names else "",
            rules=_RULES if self.rules else "",
            save=f"  save FILE      {self.save_help}\n" if self.save_help else "",
            leave="save the game and leave; so do Ctrl-C and Ctrl-D" if self.saved_as else "leave without a result",
        )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the game's options. A subclass that adds options calls this too."""
        from search_core.number_argument import add_number

        sides = self.sides or self._open_session().sides
        parser.add_argument("--side", choices=sides, default=sides[0], help=f"your side (default {sides[0]})")
        help = f"milliseconds the engine thinks a move, at most (default {_MOVE_MS}; at a level no limit)"
        add_number(parser, "--movetime", 1, _MAX_MOVE_MS, "MS", help)

    def add_level(self, parser: argparse.ArgumentParser) -> None:
        """Declare the option --level, for a subclass whose game has levels."""
        from search_core.levels import FULL, level_argument

        help = f"how well the engine plays: 1 (a beginner) to 20, {FULL}{self.other_players} (default {FULL})"
        names = level_argument(*self.level_names)
        parser.add_argument("--level", type=names, default=FULL, metavar="LEVEL", help=help)

    def load(self, file: str) -> SavedGame:
        """The game in the file of --resume, for open_session() as `args.saved`. Raises InputError."""
        from search_core.failures import reason_of
        from search_core.line_protocol import excerpt

        try:
            return self.read_saved(file)
        except OSError as error:
            raise InputError(f"--resume {excerpt(file)} cannot be read: {reason_of(error)}") from None
        except ValueError as error:  # also a name that no system has
            raise InputError(f"--resume {excerpt(file)}: {error}") from None

    def read_saved(self, file: str) -> SavedGame:
        """The game in a file. Raises OSError or ValueError."""
        return SavedGame(None)

    def settle(self, args: argparse.Namespace) -> None:
        """Set the options of the rules that neither the command line nor the file gives."""

    def open_session(self, args: argparse.Namespace) -> Session:
        """The game that the arguments ask for, which may be one to resume: `args.saved`. Raises InputError."""
        return self._open_session()

    def seat(self, args: argparse.Namespace, session: Session) -> int:
        """The person's seat."""
        return session.sides.index(args.side)

    def levels(self, args: argparse.Namespace, session: Session) -> list[str]:
        """The level of the engine at each seat."""
        return [getattr(args, "level", "")] * len(session.sides)

    def player(self, level: str) -> Callable[[int], ThinkingThread[Any]] | None:
        """What makes the player of a level that is no search; called with the seed. None: the engine plays."""
        return None

    def chooser(self, args: argparse.Namespace, engine: Engine, level: str) -> OwnEngineChooser:
        """What finds moves at a level; `levels.FULL` is there in every game."""
        from game_core.chooser import OwnEngineChooser
        from search_core.levels import by_name
        from search_core.thinker import Limits

        if (player := self.player(level)) is not None:
            return OwnEngineChooser(player, Limits(), level, has_chance=True, has_score=False)
        plays_at, ms = by_name(self.levels_by_number, level), args.movetime
        if plays_at is None:
            limits = Limits(soft_ms=ms or _MOVE_MS, hard_ms=ms or _MOVE_MS)
        else:
            limits = Limits(hard_ms=ms or 0, level=plays_at)
        has_level = plays_at is not None
        return OwnEngineChooser(lambda seed: engine, limits, level, has_chance=has_level, has_score=not has_level)

    def read_level(self, text: str) -> str:
        """The level that a person names. Raises InputError."""
        from argparse import ArgumentTypeError

        from search_core.failures import named
        from search_core.levels import level_argument

        if not self.level_names:
            raise InputError(f"the engine has no levels in {self.title}")
        with named("level", ArgumentTypeError, InputError):
            return level_argument(*self.level_names)(text)

    def options_at_level(self, options: Mapping[str, str], level: str) -> dict[str, str]:
        """The options of a game whose level was changed."""
        return {name: level if name == "level" else text for name, text in options.items()}

    def ask(self, args: argparse.Namespace, read: Callable[[], str | None]) -> None:
        """Ask the person what has to be known before the game begins. Raises EOFError if the person leaves."""

    # The game

    def board(self, session: Session, seat: int) -> Iterable[tuple[str, str]]:
        """The board as seen from a seat: texts with their styles. The default shows all of the session's view."""
        import json

        for key, value in session.view(seat).items():
            yield f"{key:>10}  {value if isinstance(value, str) else json.dumps(value)}\n", ""

    def opening(self, session: Session, seat: int, level: str) -> str:
        """What is said before the first board: who plays what, and how to get help."""
        sides = [side.capitalize() for side in session.sides]
        at_level = f", level {level}" if level else ""
        return f"{self.title.partition(' (')[0]}{at_level}: you have {sides[seat]}, the engine {sides[1 - seat]}."

    def introduction(self, session: Session) -> Iterable[tuple[str, str]]:
        """What explains the board, before the first one: texts with their styles."""
        return ()

    def prompt(self, session: Session, seat: int) -> str:
        """What asks for the person's move."""
        return f"{session.sides[seat].capitalize()} to move"

    def told(self, session: Session, moved: Moved, seat: int) -> tuple[str, str]:
        """The move that was just made, in words, and the style of the line. `seat`: the person's."""
        from search_core.engine import mate_in_plies

        sides = [side.capitalize() for side in session.sides]
        rating, mover = "", sides[moved.seat]
        if moved.score is not None:
            plies = mate_in_plies(moved.score)
            rating = f" (score {moved.score / 100:+.2f} for {mover})"
            if plies is not None:
                winner = sides[moved.seat if plies > 0 else 1 - moved.seat]
                moves = (abs(plies) + 1) // 2
                rating = f" ({winner} wins in {moves} {'move' if moves == 1 else 'moves'})"
        return f"{mover} plays {self.describe(moved.move, moved.names)}{rating}", ""

    def describe(self, move: str, names: Mapping[str, str]) -> str:
        """A move in words: in the notation for people, and as the protocol writes it. `names`: Session.move_names()."""
        name = encodable(next(iter(names.values())))
        return f"{name} ({move})" if name and name != move else move

    def moves(self, session: Session, seat: int, point: str) -> Iterable[str]:
        """The legal moves of the side to move, in lines. `point`: only of the piece there; '': all. Raises
        InputError."""
        moves = session.legal_moves()
        if point:
            raise InputError("moves takes no point in this game")
        yield " ".join(moves)

    def command(self, session: Session, seat: int, word: str, rest: str) -> str | None:
        """Obey a command that only this game has. Returns what to say; '': the board is shown again; None: there is no
        such command. Raises InputError."""
        return None

    def count(self, plies: int) -> str:
        """How many moves were played, as text."""
        return f"{plies} {self.ply_names[plies != 1]}"

    def ending(self, session: Session, verdict: Verdict, seat: int | None = None) -> str:
        """How the game ended, in a sentence; for the person who has the `seat`, in one more."""
        sides = [side.capitalize() for side in session.sides]
        words = self.endings.get(verdict.reason)
        reason = verdict.reason if words is None else words.format(mover=sides[session.to_move])
        text = "Draw" if verdict.winner is None else f"{sides[verdict.winner]} wins"
        text = f"{text}: {reason}." if reason else f"{text}."
        if seat is None or verdict.winner is None:
            return text
        return f"{text} You {'win' if verdict.winner == seat else 'lose'}."

    # Files

    def format_of(self, file: str) -> str:
        """The format for a file's name. Raises ValueError if there is none."""
        return os.path.splitext(file)[1].lower().removeprefix(".")

    def kept_options(self, format: str, options: Mapping[str, str]) -> dict[str, str] | None:
        """The options of a game, by name, that Session.save() can write into a file of a format; None: a file of this
        format has no place for options."""
        return None
