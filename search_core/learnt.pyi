from typing_extensions import Self

class Learnt:
    """What the threads of a search learn together."""

    def __new__(cls, slots: int) -> Self: ...
    def clear(self) -> None: ...
