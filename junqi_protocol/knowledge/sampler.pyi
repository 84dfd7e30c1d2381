from collections.abc import Callable, Sequence

from typing_extensions import Self

class ArmySampler:
    """The armies of one seat: exact marginals, and what a WorldSampler draws them by."""

    def __new__(cls, weights: Sequence[Sequence[float]], numbers: Sequence[int]) -> Self: ...
    @property
    def states(self) -> int: ...
    def marginals(self) -> list[list[float]]: ...

class WorldSampler:
    """Several hidden armies, some of whose pieces have met each other."""

    acceptance: float
    exact: bool
    def __new__(
        cls,
        samplers: Sequence[ArmySampler],
        clashes: Sequence[tuple[int, int, int, int, Sequence[int]]],
        seed: int = ...,
    ) -> Self: ...
    def draw(self, number: int, is_due: Callable[[], bool] | None = ...) -> bytes: ...
    def estimate(
        self, number: int, is_due: Callable[[], bool] | None = ...
    ) -> tuple[list[list[list[float]]], float]: ...
