"""The base class of the Junqi adapters: it has the player, whose answers come between two commands.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

import random

from junqi_protocol.levels import LEVELS
from search_core.line_protocol import LineChannel
from search_core.thinking_protocol import ThinkingProtocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from junqi_protocol.player import JunqiPlayer
    from junqi_protocol.player_view import PlayerView
    from search_core.thinker import Info, Limits, Result


class JunqiAdapter(ThinkingProtocol):
    """An adapter whose moves a JunqiPlayer finds.

    Parameters
    ----------
    channel : LineChannel
    level : str
        One of LEVELS.
    """

    def __init__(self, channel: LineChannel, level: str = LEVELS[0]) -> None:
        super().__init__(channel)
        self._level = level
        self._chance = random.Random()
        self._player: JunqiPlayer | None = None

    @property
    def thinker(self) -> JunqiPlayer:
        """The player; made when first needed."""
        if self._player is None:
            from junqi_protocol.player import JunqiPlayer

            self._player = JunqiPlayer()
        return self._player

    def start(
        self,
        position: PlayerView,
        limits: Limits,
        answer: Callable[[Result], None],
        show: Callable[[Info], None] | None = None,
        *,
        endless: bool = False,
    ) -> None:
        for remark in position.knowledge.remarks:
            self._tell_once(position, remark)
        player = self.thinker
        player.level = self._level
        player.chance = self._chance
        player.on_remark = lambda remark: self.post(lambda: self._tell_once(position, remark))
        super().start(position, limits, answer, show, endless=endless)

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
        import junqi_protocol.player  # noqa: F401
        import search_core.time_budget  # noqa: F401

    def close(self) -> None:
        if self._player is not None:
            self._player.close()
