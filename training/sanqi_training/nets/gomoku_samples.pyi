from typing_extensions import Self

REASONS: tuple[str, ...]

class GomokuReplay:
    """Replays games."""

    tally: list[int]
    def __new__(cls, rule: int, size: int) -> Self: ...
    def samples(self, record: bytes) -> bytes: ...
