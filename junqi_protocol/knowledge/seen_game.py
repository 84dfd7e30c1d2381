"""A game of Junqi: the board, and what each player sees of it."""

from __future__ import annotations

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.rules.geometry import HOME_POINTS
from junqi_protocol.rules.position import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class SeenGame:
    """A game that is played move by move.

    Parameters
    ----------
    variant : str
    lineups : sequence of str
        One for each seat, legal.
    see : str
        As in `newgame`: under "team" a team is one player, who sees the pieces of both seats; under "own" each seat is
        a player.
    first, quiet, plies : int
        As of Position.

    Attributes
    ----------
    world : Position
        With all pieces.
    views : list of PlayerView
        Of each player, in the order of their first seats.
    """

    def __init__(
        self, variant: str, lineups: Sequence[str], *, see: str = "team", first: int = 0, quiet: int = 0, plies: int = 0
    ) -> None:
        self.world = Position(variant, first=first, quiet=quiet, plies=plies)
        self.world.deploy(lineups)
        board = self.world.variant
        players = [board.team(seat) if see == "team" else (seat,) for seat in range(board.seats)]
        self.views = [
            PlayerView(variant, seats, {seat: lineups[seat] for seat in seats}, first=first)
            for seats in dict.fromkeys(players)
        ]
        for view in self.views:
            view.quiet_limit = quiet
        self._flags = [seat * HOME_POINTS + lineup.index("F") for seat, lineup in enumerate(lineups)]

    @property
    def view(self) -> PlayerView:
        """Of the player on turn."""
        return self.views[self.world.turn % len(self.views)]

    def push(self, move: int) -> None:
        """Play a move. All see how it ends. Raises IllegalMove."""
        seat = self.world.turn
        result, shown, outs = self.world.push(move)
        for view in self.views:
            view.moved(seat, move, result, [(one, self._flags[one]) for one in shown], outs)
