"""The files of a game of `sanqi play`: where it is saved, and the command that goes on with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from game_core.kept_options import words_of
from search_core.command_line import join_words
from search_core.input_file import read_input
from search_core.line_protocol import legible, printable
from search_core.whole_file import write_whole

_NUMBERED = re.compile(r"-[0-9]{1,3}\Z")
NO_NAME = "save where? expected: save FILE"


class SaveError(Exception):
    """The game cannot be saved; the message is one line."""


class GameFiles:
    """Writes a game to files. It writes a file again only as long as nobody else has changed it."""

    def __init__(self, game: str, suffix: str) -> None:
        """`game`: its name on the command line. `suffix`: that of a file without a name from the person."""
        self._game = game
        self._suffix = suffix
        self._content: dict[Path, bytes] = {}
        """What this program has written to each of the game's files."""
        self._fuller: Path | None = None
        """The file of the resumed game, if it has more than this program wrote."""
        self.latest: str | None = None
        """The file that was written last, as it was named; None: no file of ours has the game."""
        self._unnamed: str | None = None
        """The file that the game is saved to if the person names none: the one that it was resumed from, or of its own
        name. What the person has named is written again only by that name."""

    def found(self, name: str, data: bytes | None) -> None:
        """The game was resumed from a file. `data`: its content, if this program wrote all of it."""
        if data is None:
            self._fuller = Path(name).resolve()
        else:
            self._content[Path(name).resolve()] = data
            self.latest = self._unnamed = name

    def forget(self) -> None:
        """Another game begins: the files of this one are not written again."""
        self._content.clear()
        self.latest = self._unnamed = None

    def write(self, name: str, data: bytes) -> str:
        """Save the game to the file that the person named, or beside it if that has anything else. Returns what to say
        about it. Raises SaveError."""
        try:
            path = Path(name).expanduser()
            if path.is_dir():
                raise SaveError(f"{legible(name)} is a folder; expected the name of a file")
            if not path.parent.is_dir():
                raise SaveError(f"{legible(name)} cannot be written: there is no folder {legible(str(path.parent))}")
            known = self._content.get(path.resolve())
            if known is None or (path.exists() and read_input(path) != known):
                written = _write_new(path, data)
            else:
                write_whole(path, data, replace=True)
                written = path
        except OSError as error:
            raise SaveError(f"{legible(name)} cannot be written: {error.strerror}") from None
        except ValueError as error:  # a name that no system has
            raise SaveError(f"{legible(name)} cannot be written: {error}") from None
        self._content[written.resolve()] = data
        self.latest = str(written)
        if written == path:
            return printable(str(written))
        if known is not None:
            why = "was changed by another program"
        elif path.resolve() == self._fuller:
            why = "exists already and has more in it than 'save' would write"
        else:
            why = "exists already and is not of this game"
        return f"{printable(str(written))} ({printable(path.name)} {why})"

    @property
    def unnamed(self) -> str:
        """The name for a game that the person gives none."""
        return self._unnamed or f"sanqi-{self._game}-1.{self._suffix}"

    def write_unnamed(self, data: bytes) -> str:
        """Save the game under `unnamed`. As write()."""
        said = self.write(self.unnamed, data)
        if self._unnamed is None:
            said = printable(self.latest or "")  # that there are others needs no word
        self._unnamed = self.latest
        return said

    def command(self, options: Mapping[str, str]) -> str:
        """The command line that goes on with the saved game."""
        assert self.latest is not None
        name = self.latest if not self.latest.startswith("-") else f"./{self.latest}"
        return join_words(["sanqi", "play", self._game, *words_of(options), "--resume", name])


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
