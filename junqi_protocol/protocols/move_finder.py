"""Finds the moves of the seats that the Junqi protocols play: it has their players and their random numbers.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

import random

from junqi_protocol.players.levels import HASH_MB, LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.players.player import JunqiPlayer
    from search_core.line_protocol import LineLoop
    from search_core.search_driver import SearchDriver
    from search_core.thinker import Info, Limits, Result


class MoveFinder:
    """Has JunqiPlayers think about PlayerViews.

    Two seats that must not know of each other have a PlayerView each. Then each also has a player of its own, so that
    they share nothing. Every seat has its own random numbers.

    Attributes
    ----------
    level : str
        One of levels.CHOICES.
    hash_mb : int
        Megabytes of the transposition tables of all players.
    strength : float
        From 0 to 1, of the level "search".
    """

    def __init__(
        self, driver: SearchDriver, lines: LineLoop, remark: Callable[[str], None], level: str = LEVELS[0]
    ) -> None:
        self.level = level
        self.hash_mb = HASH_MB
        self.strength = 1.0
        self._driver = driver
        self._lines = lines
        self._remark = remark
        self._seed = 0
        self._chances: dict[int, random.Random] = {}
        self._players: dict[int, JunqiPlayer] = {}
        """By mind: 1 for the second of two seats that have a view each, else 0."""

    @staticmethod
    def load() -> None:
        """Import what thinking needs. Called when a game is announced, before any clock runs."""
        import junqi_protocol.players.player  # noqa: F401

    def chance_of(self, seat: int) -> random.Random:
        """The source of the random numbers of a seat."""
        if seat not in self._chances:
            self._chances[seat] = random.Random(f"{self._seed} {seat}" if self._seed else None)
        return self._chances[seat]

    def set_seed(self, seed: int) -> None:
        """Begin the random numbers of all seats anew. 0: they are not repeatable."""
        self._seed = seed
        self._chances.clear()
        if not self._driver.occupied:
            self.new_game()

    def new_game(self) -> None:
        """Clear what was learnt in the game before."""
        for player in self._players.values():
            player.searcher.new_game()

    def start(
        self,
        view: PlayerView,
        limits: Limits,
        answer: Callable[[Result], None],
        show: Callable[[Info], None] | None = None,
        *,
        minds: int = 1,
        endless: bool = False,
    ) -> None:
        """Begin to think about the move of the seat on turn, as SearchDriver.start() does. `minds`: how many players
        share the memory."""
        for remark in view.knowledge.remarks:
            self._remark_once(view, remark)
        player = self._player_of(view.seats[0] // 2 if minds > 1 else 0)
        player.level = self.level
        player.chance = self.chance_of(view.position.turn)
        # A source of its own: a game that is resumed, whose lineups are drawn already, is played in the same way.
        weaknesses = random.Random(f"{self._seed} {view.seats[0]} weaknesses") if self._seed else None
        player.searcher.weakness_chance = weaknesses
        player.searcher.hash_mb = max(self.hash_mb // minds, 1)
        player.searcher.strength = self.strength
        player.on_remark = lambda remark: self._lines.post(lambda: self._remark_once(view, remark))
        self._driver.start(view, limits, answer, show, thinker=player, endless=endless)

    def _player_of(self, mind: int) -> JunqiPlayer:
        """Made when first needed."""
        if mind not in self._players:
            from junqi_protocol.players.player import JunqiPlayer

            self._players[mind] = JunqiPlayer()
        return self._players[mind]

    def _remark_once(self, view: PlayerView, remark: str) -> None:
        """Tell the user of a report that does not fit the ones before. It was followed on the board."""
        if remark not in view.told:
            view.told.add(remark)
            self._remark(remark)

    def close(self) -> None:
        """Free threads and memory."""
        for player in self._players.values():
            player.close()
