"""The files of a table: saves its game, and says how to go on with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from game_core.display import ENGINE_NAME, EVENT
from game_core.kept_options import listed, words_of
from game_core.session import FIRST_WINS, SECOND_WINS
from search_core.child_process import uninterrupted
from search_core.command_line import join_words
from search_core.failures import named
from search_core.input_file import read_input
from search_core.line_protocol import legible, printable
from search_core.whole_file import write_whole

if TYPE_CHECKING:
    from game_core.display import GameDisplay, SavedGame
    from game_core.table import Table

_NUMBERED = re.compile(r"-[0-9]{1,3}\Z")


class SaveError(Exception):
    """The game cannot be saved; the message is one line."""


class TableFiles:
    """Saves the game of a table with one person. It writes a file again only as long as nobody else has changed it.

    Parameters
    ----------
    options : mapping
        Those that the game is played with, but for the seed.
    saved : SavedGame or None
        The file that the game was resumed from; `name` is its name.
    """

    def __init__(
        self,
        table: Table,
        display: GameDisplay,
        options: Mapping[str, str],
        saved: SavedGame | None = None,
        name: str = "",
    ) -> None:
        self.options = dict(options)
        self._table = table
        self._display = display
        self._content: dict[Path, bytes] = {}
        """What this program has written to each of the game's files."""
        self._fuller: Path | None = None
        """The file of the resumed game, if it has more than this program wrote."""
        self._latest: str | None = None
        """The file that was written last, as it was named; None: no file of ours has the game."""
        self._unnamed: str | None = None
        """The file that the game is saved to if the person names none: the one that it was resumed from, or of its own
        name. What the person has named is written again only by that name."""
        self._kept: tuple[object, ...] | None = None
        """The state of the game that a file has."""
        self._person = ""
        """The person's name, in records."""
        if saved is not None:
            self._go_on(saved, name)

    def _go_on(self, saved: SavedGame, name: str) -> None:
        """Take over what the file of a resumed game says besides its moves and options."""
        names = [each for each in saved.names if each not in ("", ENGINE_NAME)]
        self._person = names[0] if names else ""
        [seat] = self._table.persons
        if saved.names and saved.result == (SECOND_WINS, FIRST_WINS)[seat] and self._table.verdict is None:
            self._table.resign(seat)
        if saved.own:
            self._content[Path(name).resolve()] = saved.data
            self._latest = self._unnamed = name
        else:
            self._fuller = Path(name).resolve()
        if not saved.own or saved.options == self._written_options(self._display.format_of(name)):
            self._kept = self._state()

    def new(self) -> None:
        """Another game begins: it has no file, and the files of this one are not written again."""
        self._content.clear()
        self._latest = self._unnamed = self._kept = None

    def save(self, name: str) -> str:
        """Save the game to the file that the person names. Returns what to say about it."""
        if not self._display.save_help:
            return f"a game of {self._display.title} cannot be saved"
        if not name:
            return "save where? expected: save FILE"
        try:
            return self._save(name)
        except (SaveError, ValueError) as error:  # ValueError: not in this format
            return str(error)

    def keep(self) -> tuple[bool, str]:
        """Save the game if it has a move that no file has. Returns whether no move is lost, and what to say; '':
        nothing."""
        if not self._table.session.ply or not self._display.saved_as:
            return True, ""
        if self._kept == self._state():
            latest = self._latest
            return True, "" if latest is None else f"{printable(latest)} has the game{self._next_step(latest)}"
        with uninterrupted():
            try:
                return True, self._save(None)
            except (SaveError, ValueError) as error:
                return False, f"the game is not saved: {error}"

    @property
    def all_options(self) -> dict[str, str]:
        """The options of the game, with the seed if it has an effect."""
        return {**self.options, "seed": str(self._table.seed)} if self._table.has_chance else self.options

    def _save(self, name: str | None) -> str:
        """Save the game to a file; returns what to say about it. None: the file that the person need not name. Raises
        SaveError; ValueError if it does not have the format."""
        file = name or self._unnamed or f"sanqi-{self._display.name}-1.{self._display.saved_as}"
        format = self._display.format_of(file)
        latest, written = self._write(file, self._record(format))
        if name is None:
            if self._unnamed is None:
                written = printable(latest)  # that there are others needs no word
            self._unnamed = latest
        self._latest, self._kept = latest, self._state()
        lost = ""
        if self.options and self._written_options(format) is None:
            lost = f", which cannot hold {listed(self.all_options, values=False)}"
        count = self._display.count(self._table.session.ply)
        return f"saved {count} to {written}{lost}{self._next_step(latest)}"

    def _write(self, name: str, data: bytes) -> tuple[str, str]:
        """Write a file, or one beside it if it has anything else. Returns its name, and what to say about it. Raises
        SaveError."""
        # ValueError: a name that no system has; RuntimeError: the folder of a person who has none.
        with named(f"{legible(name)} cannot be written", (OSError, ValueError, RuntimeError), SaveError):
            path = Path(name).expanduser()
            if path.is_dir():
                raise SaveError(f"{legible(name)} is a folder; expected the name of a file")
            if not path.parent.is_dir():
                raise SaveError(f"{legible(name)} cannot be written: there is no folder {legible(str(path.parent))}")
            known, written = self._content.get(path.resolve()), path
            if known is None or (path.exists() and read_input(path) != known):
                written = _write_new(path, data)
            else:
                write_whole(path, data, replace=True)
        self._content[written.resolve()] = data
        if written == path:
            return str(written), printable(str(written))
        if known is not None:
            why = "was changed by another program"
        elif path.resolve() == self._fuller:
            why = "exists already and has more in it than 'save' would write"
        else:
            why = "exists already and is not of this game"
        return str(written), f"{printable(str(written))} ({printable(path.name)} {why})"

    def _next_step(self, name: str) -> str:
        """What can be done with a game that is saved in a file, to follow what was said of it; '': nothing."""
        if not self._display.saved_as:
            return ""
        format = self._display.format_of(name)
        is_reviewed = format == self._display.saved_as == Path(name).suffix.lower()[1:]
        if self._table.verdict is not None and is_reviewed:
            return f"; review it with: {join_words(['sanqi', 'review', name])}"
        options = words_of(self.all_options) if self._written_options(format) is None else []
        file = f"./{name}" if name.startswith("-") else name
        words = ["sanqi", "play", self._display.name, *options, "--resume", file]
        return f"; go on with: {join_words(words)}"

    def _written_options(self, format: str) -> str | None:
        """The options as a file of a format has them; None: it has none."""
        kept = self._display.kept_options(format, self.all_options) if self.options else None
        return None if kept is None else " ".join(words_of(kept))

    def _state(self) -> tuple[object, ...]:
        """What a file has of the game."""
        return tuple(self._table.session.view()["moves"]), self._table.resigned

    def _record(self, format: str) -> bytes:
        """The game as a file of a format. Raises ValueError if the game does not have the format."""
        session, resigned = self._table.session, self._table.resigned
        players = [self._person if side in self._table.persons else ENGINE_NAME for side in range(len(session.sides))]
        options = self._written_options(format)
        save: Callable[..., bytes] = session.save
        return save(format, players, EVENT, resigned, **({} if options is None else {"options": options}))


def _write_new(path: Path, data: bytes) -> Path:
    """Write a file that does not exist yet: of this name, or of the next one. Returns its path. Raises OSError."""
    stem, number = _NUMBERED.sub("", path.stem), 1
    while True:
        try:
            write_whole(path, data)
        except FileExistsError:
            number += 1
            path = path.with_name(f"{stem}-{number}{path.suffix}")
        else:
            return path
