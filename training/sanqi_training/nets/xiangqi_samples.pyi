from typing_extensions import Self

REASONS: tuple[str, ...]
SAMPLE_BYTES: int

class XiangqiReplay:
    """Replays games."""

    tally: list[int]
    def __new__(cls) -> Self: ...
    def samples(self, record: bytes) -> bytes: ...
