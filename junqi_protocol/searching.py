"""The player that searches: from what it knows to the position that search_core plays on."""

from __future__ import annotations

from junqi_protocol.belief_position import BeliefPosition
from junqi_protocol.evaluation_weights import WEIGHTS
from junqi_protocol.knowledge import NUMBERS
from junqi_protocol.lineup import UNKNOWN
from junqi_protocol.marginals import scaled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from junqi_protocol.player_view import PlayerView


def believed(view: PlayerView, weights: Sequence[float] = WEIGHTS) -> BeliefPosition:
    """The position as the view's player knows it, ready for a search."""
    knowledge = view.knowledge
    position = BeliefPosition.of(view.position, view.quiet_limit, view.quiet_loses)
    for seat in range(view.position.variant.seats):
        army = knowledge.living[seat]
        if not army:
            continue
        if all(types & (types - 1) == 0 for types in army.values()):
            continue
        rows = [[float(types >> kind & 1) for kind in range(UNKNOWN)] for types in knowledge.army(seat)]
        for point, row in zip(army, scaled(rows, NUMBERS)):
            position.believe(point, row)
    for seat in view.position.living:
        if any(knowledge.homes.get(point) in view.exposure for point in knowledge.living[seat]):
            exposed = view.exposure.probabilities(seat)
            for point in knowledge.living[seat]:
                position.expose(point, exposed[knowledge.homes[point]])
    position.settle(weights)
    return position
