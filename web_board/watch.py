"""Which of the games that others play is on the page: the one that was chosen, or the newest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from search_core.clock import now_s
from web_board.watched_games import FAULTS, LISTED

if TYPE_CHECKING:
    from web_board.watched_games import GameNow, MatchGames, RecordGames, WatchedGame

LOOK_S = 0.5
"""Between two looks at the files."""
_LINGER_S = 3.0
"""For how long a game that is over stays before a newer one is shown."""


class Watch:
    """Looks at the files when look() is called.

    Parameters
    ----------
    source : MatchGames or RecordGames
    show : callable
        Gets the key of the game that is to be shown, and the game as it is now.
    tell : callable
        Gets the message with the list of games.
    """

    def __init__(
        self,
        source: MatchGames | RecordGames,
        show: Callable[[str, GameNow], None],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self._source = source
        self._show = show
        self._tell = tell
        self._games: dict[str, WatchedGame] = {}
        self._chosen = ""
        """The key; '': the newest."""
        self._shown = ""
        self._version: object = None
        self._shown_s = 0.0
        """When the game that is shown has last gone on."""
        self.is_on = True
        """Whether the page shows these games."""

    def message(self) -> dict[str, Any]:
        latest = list(self._games.values())[-LISTED:]
        games = [["", "the newest game"], *([game.key, game.title] for game in latest)]
        return {"type": "watched", "games": games, "chosen": self._chosen if self.is_on else None}

    def choose(self, key: object) -> None:
        """Show a game; '': the newest. An unknown key changes nothing."""
        if isinstance(key, str) and (not key or key in self._games):
            self._chosen, self.is_on, self._version, self._shown = key, True, None, ""
            self._tell(self.message())
            self.look()

    def leave(self) -> None:
        """Another game is on the page."""
        self.is_on = False
        self._tell(self.message())

    def look(self) -> None:
        """Show what is new."""
        try:
            games = {game.key: game for game in self._source.games()}
        except FAULTS:
            return
        before, self._games = self._games, games
        if [game.title for game in before.values()] != [game.title for game in games.values()]:
            self._tell(self.message())
        wanted = games.get(self._chosen or self._newest())
        if not self.is_on or wanted is None or (wanted.key, wanted.version) == (self._shown, self._version):
            return
        try:
            now = wanted.read()
            self._show(wanted.key, now)
        except FAULTS:  # it has not begun
            return
        self._shown, self._version, self._shown_s = wanted.key, wanted.version, now_s()

    def _newest(self) -> str:
        """The game that is shown stays while it is played, and a little longer."""
        shown = self._games.get(self._shown)
        if shown is not None and (not shown.is_over or shown.version != self._version):
            return self._shown
        if shown is not None and now_s() - self._shown_s < _LINGER_S:
            return self._shown
        playing = [game.key for game in self._games.values() if not game.is_over]
        return (playing or list(self._games) or [""])[-1]
