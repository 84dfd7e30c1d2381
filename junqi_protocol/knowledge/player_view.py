"""What a player knows of a game: its seats, the lineups that it was shown, and what the referee has sent since."""

from __future__ import annotations

import copy

from junqi_protocol.knowledge.behaviour import Behaviour
from junqi_protocol.knowledge.exposure import Exposure
from junqi_protocol.knowledge.knowledge import MOVE, Knowledge, clash_pairs
from junqi_protocol.rules.lineup import check
from junqi_protocol.rules.messages import Moved, Skipped
from junqi_protocol.rules.position import Contradiction, Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Self

    from junqi_protocol.rules.arbiter import Arbiter
    from junqi_protocol.rules.messages import Happening


class PlayerView:
    """A game as the player of some seats sees it.

    A report that cannot be followed on the board raises Contradiction or IllegalMove and changes nothing. What only
    contradicts other knowledge is ignored, and reported in `knowledge.remarks`.

    Parameters
    ----------
    variant : str
    seats : tuple of int
        One, or both of a team.
    lineups : mapping of int to str
        The lineup of each seat that the player is shown, at least of its own.
    first : int
        The seat that begins.

    Attributes
    ----------
    position : Position
        Pieces of hidden seats are UNKNOWN until a move reveals them. A move replaces this object.
    knowledge : Knowledge
        What else is known of these pieces. A move replaces this object too.
    behaviour : Behaviour
        How these pieces have behaved, and what that makes of their types.
    quiet_limit : int
        The game ends after this many plies in a row without a clash; 0: no such rule.
    quiet_loses : bool
        Whether the seat that made the last one then loses. If not, the game is drawn.
    clash_plies : dict of int to int
        By the point where a piece began, the ply of its last clash.
    told : set of str
        The remarks that the user was told. Copies of the view share it.
    """

    quiet_limit = 0
    quiet_loses = False
    last_target = -1
    """Where the last move went; -1: there was none."""

    def __init__(self, variant: str, seats: tuple[int, ...], lineups: Mapping[int, str], *, first: int = 0) -> None:
        self.position = Position(variant, first=first)
        team = self.position.variant.team(seats[0])
        if not set(seats) <= set(team) or not set(seats) <= set(lineups):
            raise ValueError(f"seats {seats} are not of one team, or the lineup of one is not shown")
        for lineup in lineups.values():
            check(lineup)
        self.seats = seats
        self.lineups = dict(lineups)
        self.told: set[str] = set()
        self.clash_plies: dict[int, int] = {}
        self.position.deploy([lineups.get(seat) for seat in range(self.position.variant.seats)])
        self.knowledge = Knowledge(self.position.variant, seats, lineups)
        self.exposure = Exposure([home for seat in lineups for home in self.knowledge.living[seat]])
        hidden = [seat for seat in range(self.position.variant.seats) if seat not in lineups]
        self.behaviour = Behaviour(self.position.variant, hidden)

    @classmethod
    def of(cls, position: Position, seats: tuple[int, ...], types: Mapping[int, int]) -> Self:
        """A view in the middle of a game. `types`: by point, the types that each piece may have, as in Knowledge."""
        view = cls.__new__(cls)
        view.position = position
        view.seats = seats
        view.lineups = {}
        view.told = set()
        view.clash_plies = {}
        living = [{point: types[point] for point, _ in position.pieces(seat)} for seat in range(position.variant.seats)]
        view.knowledge = Knowledge.of(position.variant, seats, living)
        view.exposure = Exposure(())
        view.behaviour = Behaviour(position.variant, ())
        return view

    def copy(self) -> Self:
        """An independent copy."""
        twin = copy.copy(self)
        twin.position, twin.knowledge = self.position.copy(), self.knowledge.copy()
        twin.exposure = self.exposure.copy()
        twin.behaviour = self.behaviour.copy()
        twin.clash_plies = dict(self.clash_plies)
        return twin

    def follow(self, happening: Happening) -> None:
        """A ply has happened. Raises ValueError, changing nothing, if it cannot have happened."""
        if isinstance(happening, Moved):
            self.moved(happening.seat, happening.move, happening.result, happening.flags, happening.outs)
        elif isinstance(happening, Skipped):
            self.skipped(happening.seat, happening.number, happening.out)
        else:
            self.left(happening.seat, happening.reason)

    def moved(
        self,
        seat: int,
        move: int,
        result: int,
        flags: Iterable[tuple[int, int]] = (),
        outs: Iterable[tuple[int, str]] = (),
    ) -> None:
        """A seat has moved. The other parameters are those of Position.report()."""
        self._must_be_on_turn(seat)
        flags, outs = tuple(flags), tuple(outs)
        position, knowledge = self.position.copy(), self.knowledge.copy()
        position.report(move, result, flags, outs)
        # A piece that turns on the rails shows that it is an engineer.
        turned = self.position.turns_on_rails(move)
        knowledge.moved(seat, move, result, flags, outs, engineer=turned)
        self._expose(seat, move, result, flags, outs, turned)
        self.behaviour.moved(seat, move, result, self.position, position, self.knowledge)
        self.last_target = move & 255
        if result != MOVE:
            for point in (move >> 8, move & 255):
                if point in self.knowledge.homes:
                    self.clash_plies[self.knowledge.homes[point]] = position.ply
        self.position, self.knowledge = position, knowledge

    def _expose(
        self,
        seat: int,
        move: int,
        result: int,
        flags: tuple[tuple[int, int], ...],
        outs: tuple[tuple[int, str], ...],
        turned: bool,
    ) -> None:
        """Note what the enemies can see of our pieces in a move."""
        knowledge = self.knowledge
        origin, target = move >> 8, move & 255
        attacker, defender = knowledge.homes.get(origin, -1), knowledge.homes.get(target, -1)
        if attacker in self.exposure:
            self.exposure.moved(attacker, engineer=turned)
        if result != MOVE and (attacker in self.exposure) != (defender in self.exposure):
            other = next(owner for owner, army in enumerate(knowledge.living) if target in army)
            shown = dict(flags)
            pairs = clash_pairs(result, seat in shown, other in shown, dict(outs).get(other) == "flag")
            if attacker in self.exposure:
                self.exposure.met(attacker, knowledge.living[other][target], pairs, attacks=True)
            else:
                self.exposure.met(defender, knowledge.living[seat][origin], pairs, attacks=False)
        for _owner, point in flags:
            if knowledge.homes.get(point, -1) in self.exposure:
                self.exposure.shown(knowledge.homes[point])

    def skipped(self, seat: int, number: int, out: bool) -> None:
        """A seat has skipped its turn for the `number`-th time. `out`: whether this puts it out."""
        self._must_be_on_turn(seat)
        expected = self.position.skips_of(seat) + 1
        if number != expected:
            raise Contradiction(f"seat {seat} skips for time {expected}, not {number}")
        self.position.skip(out)
        if out:
            self.knowledge.fell(seat)

    def left(self, seat: int, reason: str) -> None:
        """A seat has left the game. Raises KeyError as Position.leave() does."""
        self._must_be_on_turn(seat)
        self.position.leave(reason)
        self.knowledge.fell(seat)

    @property
    def is_behind(self) -> bool:
        """Whether the team has fewer pieces left than the enemies: then an engine agrees to a draw."""
        counts = [0, 0]
        for seat in range(self.position.variant.seats):
            counts[seat % 2] += len(self.position.pieces(seat))
        own = self.seats[0] % 2
        return counts[own] < counts[1 - own]

    def _must_be_on_turn(self, seat: int) -> None:
        if self.position.outcome_text is not None:
            raise Contradiction("the game is over")
        if seat != self.position.turn:
            raise Contradiction(f"seat {self.position.turn} is on turn, not {seat}")


def view_of(arbiter: Arbiter, seat: int, see: str) -> PlayerView:
    """What a seat knows of a game. `see`: as in `newgame`."""
    shown = {one: arbiter.lineups[one] for one in arbiter.sees((seat,), see)}
    view = PlayerView(arbiter.variant.name, (seat,), shown, first=arbiter.terms.first)
    view.quiet_limit, view.quiet_loses = arbiter.terms.quiet, arbiter.terms.quiet_loses
    for happening in arbiter.happenings:
        view.follow(happening)
    return view
