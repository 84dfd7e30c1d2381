"""The files of a table: saves its game, and says how to go on with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from game_core.display import ENGINE_NAME, EVENT
from game_core.game_files import NO_NAME, GameFiles, SaveError
from game_core.kept_options import listed, words_of
from game_core.session import FIRST_WINS, SECOND_WINS
from search_core.child_process import uninterrupted
from search_core.command_line import join_words
from search_core.line_protocol import printable

if TYPE_CHECKING:
    from game_core.display import GameDisplay, SavedGame
    from game_core.table import Table


class TableFiles:
    """Saves the game of a table with one person.

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
        self._files = GameFiles(display.name, display.saved_as)
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
        self._files.found(name, saved.data if saved.own else None)
        if not saved.own or saved.options == self._written_options(self._display.format_of(name)):
            self._kept = self._state()

    def new(self) -> None:
        """Another game begins: it has no file."""
        self._files.forget()
        self._kept = None

    def save(self, name: str) -> str:
        """Save the game to the file that the person names. Returns what to say about it."""
        if not self._display.save_help:
            return f"a game of {self._display.title} cannot be saved"
        if not name:
            return NO_NAME
        try:
            return self._write(name)
        except (SaveError, ValueError) as error:  # ValueError: not in this format
            return str(error)

    def keep(self) -> tuple[bool, str]:
        """Save the game if it has a move that no file has. Returns whether no move is lost, and what to say; '':
        nothing."""
        if not self._table.session.ply or not self._display.saved_as:
            return True, ""
        if self._kept == self._state():
            latest = self._files.latest
            return True, "" if latest is None else f"{printable(latest)} has the game; {self._next_step(latest)}"
        with uninterrupted():
            try:
                return True, self._write(None)
            except (SaveError, ValueError) as error:
                return False, f"the game is not saved: {error}"

    @property
    def all_options(self) -> dict[str, str]:
        """The options of the game, with the seed if it has an effect."""
        return {**self.options, "seed": str(self._table.seed)} if self._table.has_chance else self.options

    def _write(self, name: str | None) -> str:
        """Save the game to a file; returns what to say about it. Raises SaveError; ValueError if it does not have the
        format."""
        format = self._display.format_of(name or self._files.unnamed)
        data = self._record(format)
        written = self._files.write_unnamed(data) if name is None else self._files.write(name, data)
        self._kept = self._state()
        assert self._files.latest is not None
        lost = ""
        if self.options and self._written_options(format) is None:
            lost = f", which cannot hold {listed(self.all_options, values=False)}"
        count = self._display.count(self._table.session.ply)
        return f"saved {count} to {written}{lost}; {self._next_step(self._files.latest)}"

    def _next_step(self, name: str) -> str:
        """What can be done with a game that is saved in a file."""
        format = self._display.format_of(name)
        is_reviewed = format == self._display.saved_as == Path(name).suffix.lower()[1:]
        if self._table.verdict is not None and is_reviewed:
            return f"review it with: {join_words(['sanqi', 'review', name])}"
        is_bare = self._written_options(format) is None
        return f"go on with: {self._files.command(self.all_options if is_bare else {})}"

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
        if options is None:
            return session.save(format, players, EVENT, resigned)
        save: Callable[..., bytes] = session.save
        return save(format, players, EVENT, resigned, options=options)
