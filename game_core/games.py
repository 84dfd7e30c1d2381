"""The games that the program knows: built-in ones, and those of other distributions by their entry points.

Read before the first answer to a host: it must stay light.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from game_core.description import GameDescription, protocol_of_line
from search_core.parts import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from game_core.description import ProtocolDescription

ENTRY_POINTS = "sanqi.games"
"""The group: ``NAME = package.module:GAME``, a GameDescription."""


class Games(Mapping[str, GameDescription]):
    """Games by their names.

    The installed ones, which are not built in, are read when a name is asked for that is not built in; from then on
    they are listed too. `taken`: names of commands that no game can have.
    """

    def __init__(self, built_in: Iterable[str], taken: Iterable[str]) -> None:
        self._games: dict[str, GameDescription] = {}
        self._taken = set(taken)
        self._has_read = False
        for part in built_in:
            self._add(load_part(part), part)

    def __getitem__(self, name: str) -> GameDescription:
        if name not in self._games:
            self.read_installed()
        return self._games[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._games)

    def __len__(self) -> int:
        return len(self._games)

    def protocol_of_line(self, line: str) -> ProtocolDescription | None:
        """The protocol that a host's first line begins; None if it begins none. As for names, the installed games are
        read when it is not a known one's."""
        found = protocol_of_line(line, self.values())
        if found is None and not self._has_read:
            self.read_installed()
            found = protocol_of_line(line, self.values())
        return found

    def read_installed(self) -> None:
        """Read the games of other distributions, once. One that is broken costs a line on stderr."""
        if self._has_read:
            return
        self._has_read = True
        from importlib.metadata import entry_points  # takes twice as long as the start to `ucciok`

        for entry_point in entry_points(group=ENTRY_POINTS):
            try:
                self._add(entry_point.load(), entry_point.value)
            except Exception as error:  # noqa: BLE001 - it is another's code
                distribution = entry_point.dist.name if entry_point.dist is not None else entry_point.value
                reason = " ".join(f"{type(error).__name__}: {error}".split())
                sys.stderr.write(f"sanqi: the game of the distribution {distribution} cannot be used: {reason}\n")

    def _add(self, game: object, part: str) -> None:
        """List a game. Raises TypeError if `part` names something else, ValueError for a name that is taken."""
        if not isinstance(game, GameDescription):
            raise TypeError(f"{part} is no GameDescription")
        if game.name in self._games:
            raise ValueError(f"there is a game {game.name!r} already")
        names = game.command_names()
        for index, name in enumerate(names):
            if name in self._taken or name in names[:index]:
                raise ValueError(f"there is a command {name!r} already")
        self._taken.update(names)
        self._games[game.name] = game


class GamesWith(Mapping[str, GameDescription]):
    """The games that have a part, by their names. `named`: the game on the command line; None: it may be any."""

    def __init__(self, games: Games, part: str, named: str | None = None) -> None:
        self.named = named
        self._games = games
        self._part = part

    def __getitem__(self, name: str) -> GameDescription:
        game = self._games[name]
        if not getattr(game, self._part):
            raise KeyError(name)
        return game

    def __iter__(self) -> Iterator[str]:
        return (name for name, game in self._games.items() if getattr(game, self._part))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def protocol_of_line(self, line: str) -> ProtocolDescription | None:
        """The protocol that a host's first line begins, of any game."""
        return self._games.protocol_of_line(line)

    def read_installed(self) -> None:
        """Read the games of other distributions; from then on they are listed, too."""
        self._games.read_installed()
