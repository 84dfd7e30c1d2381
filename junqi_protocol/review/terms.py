"""What the evaluation of a Junqi position counts, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from junqi_protocol.players.evaluation_weights import NODES, ZONES
from junqi_protocol.players.evaluators import default_evaluator
from junqi_protocol.records.display import ENGLISH, NAMES
from junqi_protocol.rules.lineup import ENGINEER, PIECES, UNKNOWN

if TYPE_CHECKING:
    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.players.belief_position import BeliefPosition


class Term(NamedTuple):
    """A part of the evaluation."""

    name: str
    more: float | None
    """How many more pieces of the type, or in the zone, the team has than the enemies have, as it expects."""
    points: float
    """For the team of the view: 100 times logits of the evaluation."""


def terms(view: PlayerView, position: BeliefPosition) -> list[Term]:
    """The parts of what the level `search` starts from, those that count most first. `position`: believed(view)."""
    weights = default_evaluator(view.position.variant.name).weights
    sign = -1 if view.seats[0] & 1 else 1
    features = [sign * feature for feature in position.features()]

    def term(name: str, places: range) -> Term:
        return Term(name, sum(features[at] for at in places), 100 * sum(weights[at] * features[at] for at in places))

    start = len(PIECES) * NODES
    found = [
        *(
            term(f"{NAMES[PIECES[kind]]} ({ENGLISH[PIECES[kind]]})", range(kind * NODES, (kind + 1) * NODES))
            for kind in range(ENGINEER, UNKNOWN)
        ),
        *(term(name, range(start + zone, len(weights) - 1, len(ZONES))) for zone, name in enumerate(ZONES)),
        Term("on turn", None, 100 * weights[-1] * features[-1]),
        Term("how the pieces stand together (net)", None, 100 * sign * position.net_term()),
    ]
    return sorted(found, key=lambda one: -abs(one.points))
