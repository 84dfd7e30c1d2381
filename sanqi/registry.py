"""The games that the program knows: the built-in ones here, others by the entry points of their distributions.

Read before the first answer to a host: it must stay light.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from gomoku_protocol.description import GOMOKU
from junqi_protocol.description import JUNQI
from search_core.description import CommandDescription, GameDescription, HostDescription, protocol_of_line
from ucci_engine.description import XIANGQI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from search_core.description import ProtocolDescription

ENTRY_POINTS = "sanqi.games"
"""The group: ``NAME = package.module:GAME``, a GameDescription."""
COMMANDS_FOR_ALL = frozenset(
    (
        "analyse",
        "bench",
        "convert",
        "doctor",
        "match",
        "match-worker",
        "openings",
        "play",
        "replay",
        "review",
        "setup",
        "version",
    )
)
"""The commands that are not of one game; cli.py has them. No game's command can be called so."""


def _hosts(checks: str, *names: str) -> tuple[HostDescription, ...]:
    return tuple(HostDescription(name, f"engine_doctor.{checks}") for name in names)


def _commands(game: GameDescription) -> list[str]:
    """As in `sanqi NAME`."""
    return [*(protocol.name for protocol in game.protocols), *(command.name for command in game.commands)]


class Games(Mapping[str, GameDescription]):
    """Games by their names.

    The installed ones, which are not built in, are read when a name is asked for that is not built in; from then on
    they are listed too.
    """

    def __init__(self, built_in: tuple[GameDescription, ...]) -> None:
        self._games = {game.name: game for game in built_in}
        self._has_read = False

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
        from importlib.metadata import entry_points

        for entry_point in entry_points(group=ENTRY_POINTS):
            try:
                game = entry_point.load()
                if not isinstance(game, GameDescription):
                    raise TypeError(f"{entry_point.value} is no GameDescription")
                if game.name in self._games:
                    raise ValueError(f"there is a game {game.name!r} already")
                taken = {*COMMANDS_FOR_ALL, *(name for other in self._games.values() for name in _commands(other))}
                for name in _commands(game):
                    if name in taken:
                        raise ValueError(f"there is a command {name!r} already")
                    taken.add(name)
            except Exception as error:  # noqa: BLE001 - it is another's code
                distribution = entry_point.dist.name if entry_point.dist is not None else entry_point.value
                reason = " ".join(f"{type(error).__name__}: {error}".split())
                sys.stderr.write(f"sanqi: the game of the distribution {distribution} cannot be used: {reason}\n")
            else:
                self._games[game.name] = game


class GamesWith(Mapping[str, GameDescription]):
    """The games that have a part, by their names. `named`: the game on the command line; None: it may be any."""

    def __init__(self, games: Games, part: Callable[[GameDescription], object], named: str | None = None) -> None:
        self.named = named
        self._games = games
        self._part = part

    def __getitem__(self, name: str) -> GameDescription:
        game = self._games[name]
        if not self._part(game):
            raise KeyError(name)
        return game

    def __iter__(self) -> Iterator[str]:
        return (name for name, game in self._games.items() if self._part(game))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def protocol_of_line(self, line: str) -> ProtocolDescription | None:
        """The protocol that a host's first line begins, of any game."""
        return self._games.protocol_of_line(line)


# Each with what the higher packages have for it.
GAMES = Games(
    (
        XIANGQI.with_parts(
            match="match_runner.xiangqi_options",
            openings="match_runner.xiangqi_openings",
            drawing="match_runner.xiangqi_drawing:draw",
            analysts="match_runner.xiangqi_analyst:open_analyst",
            commands=(
                CommandDescription("perft", "count the leaves of the move tree", "sanqi.perft"),
                CommandDescription("eval", "print every term of the static evaluation, per side", "sanqi.evaluation"),
                CommandDescription("book", "show, merge, convert and make opening books of Xiangqi", "sanqi.book"),
            ),
            hosts=(
                *_hosts("xiangqi_checks", "tchess", "xqwizard", "league", "cyclone", "cchess", "pikafish-terminal"),
                *_hosts("python_chess_checks", "python-chess", "lichess-bot"),
            ),
        ),
        GOMOKU.with_parts(
            match="match_runner.gomoku_options",
            openings="match_runner.gomoku_openings",
            drawing="match_runner.gomoku_drawing:draw",
            analysts="match_runner.gomoku_analyst:open_analyst",
            hosts=_hosts("gomocup_checks", "piskvork", "gomocup-judge", "qpiskvork"),
        ),
        JUNQI.with_parts(
            play="sanqi.play_junqi",
            match="match_runner.junqi_options",
            drawing="match_runner.junqi_drawing:draw",
            commands=(
                CommandDescription("referee", "referee games of Junqi", "sanqi.referee"),
                CommandDescription("junqi-udp", "play two seats of Junqi in the GUI of pfysw/JunQi", "sanqi.junqi_udp"),
                CommandDescription("junqi-verify", "check Junqi game records", "sanqi.junqi_verify"),
                CommandDescription("junqi-replay", "step through a Junqi game record", "sanqi.junqi_replay"),
                CommandDescription("junqi-explain", "show a player's belief and moves", "sanqi.junqi_explain"),
                CommandDescription("junqi-show", "draw a position of a Junqi game record", "sanqi.junqi_show"),
            ),
            hosts=_hosts("junqi_checks", "junqi-referee"),
        ),
    )
)
