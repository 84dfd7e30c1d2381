from struct import Struct

HEAD: Struct

class SelfPlayer:
    """Plays games of one kind."""

    def play(self, seed: str) -> bytes: ...
