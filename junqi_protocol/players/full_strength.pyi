from collections.abc import Sequence

from typing_extensions import Self

from junqi_protocol.players.belief_position import BeliefPosition

class FullStrengthPosition(BeliefPosition):
    def expose(self, point: int, row: Sequence[float]) -> None: ...
    def copy(self) -> Self: ...
