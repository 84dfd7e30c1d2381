"""The base class of the Junqi adapters: it has the players, whose answers come between two commands.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

import random

from junqi_protocol.players.levels import HASH_MB, LEVELS
from junqi_protocol.players.thinking_time import THINK_TIME_MS
from search_core.line_protocol import LineChannel
from search_core.search_driver import SearchProtocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.players.player import JunqiPlayer
    from search_core.thinker import Info, Limits, Result


class JunqiAdapter(SearchProtocol):
    """An adapter whose moves a JunqiPlayer finds.

    Two seats that must not know of each other have a PlayerView each. Then each also has a player of its own, so that
    they share nothing. Every seat has its own random numbers.

    Parameters
    ----------
    channel : LineChannel
    level : str
        One of levels.CHOICES.
    think_time_ms : int
        Milliseconds for a move, if there is no clock.
    """

    def __init__(self, channel: LineChannel, level: str = LEVELS[0], think_time_ms: int = THINK_TIME_MS) -> None:
        super().__init__(channel)
        self._level = level
        self._think_time_ms = think_time_ms
        self._hash_mb = HASH_MB
        self._strength = 1.0
        self._seed = 0
        self._chances: dict[int, random.Random] = {}
        self._players: dict[int, JunqiPlayer] = {}
        self._mind = 0
        """Which mind thinks, or thought last: 1 for the second of two seats that have a view each, else 0."""

    @property
    def thinker(self) -> JunqiPlayer:
        """The player of the mind that thinks; made when first needed."""
        if self._mind not in self._players:
            from junqi_protocol.players.player import JunqiPlayer

            self._players[self._mind] = JunqiPlayer()
        return self._players[self._mind]

    def chance_of(self, seat: int) -> random.Random:
        """The source of the random numbers of a seat."""
        if seat not in self._chances:
            self._chances[seat] = random.Random(f"{self._seed} {seat}" if self._seed else None)
        return self._chances[seat]

    def set_seed(self, seed: int) -> None:
        """Begin the random numbers of all seats anew. 0: they are not repeatable."""
        self._seed = seed
        self._chances.clear()
        if not self.driver.occupied:
            self.forget_game()

    def start(
        self,
        position: PlayerView,
        limits: Limits,
        answer: Callable[[Result], None],
        show: Callable[[Info], None] | None = None,
        *,
        endless: bool = False,
    ) -> None:
        self._mind = position.seats[0] // 2
        for remark in position.knowledge.remarks:
            self._tell_once(position, remark)
        player = self.thinker
        player.level = self._level
        player.chance = self.chance_of(position.position.turn)
        # A source of its own: a game that is resumed, whose lineups are drawn already, is played in the same way.
        weaknesses = random.Random(f"{self._seed} {position.seats[0]} weaknesses") if self._seed else None
        player.searcher.weakness_chance = weaknesses
        player.searcher.hash_mb = max(self._hash_mb // self.minds, 1)
        player.searcher.strength = self._strength
        player.on_remark = lambda remark: self.lines.post(lambda: self._tell_once(position, remark))
        self.driver.start(position, limits, answer, show, thinker=player, endless=endless)

    @property
    def minds(self) -> int:
        """How many players share the memory."""
        return 1

    def forget_game(self) -> None:
        """Clear what was learnt in the game before."""
        for player in self._players.values():
            player.searcher.new_game()

    def tell(self, remark: str) -> None:
        """Tell the user of a report that does not fit the ones before. It was followed on the board."""
        self.notify(remark)

    def _tell_once(self, view: PlayerView, remark: str) -> None:
        if remark not in view.told:
            view.told.add(remark)
            self.tell(remark)

    @staticmethod
    def load_player() -> None:
        """Import what thinking needs. Called when a game is announced, before any clock runs."""
        import junqi_protocol.players.player  # noqa: F401

    def close(self) -> None:
        for player in self._players.values():
            player.close()
