"""UCI for the game, and the positions of `sanqi bench`. It loads nothing native before the handshake is answered."""

from game_core.bench import Bench
from game_core.session import Session
from game_core.session_protocol import SessionProtocol


class BreakthroughProtocol(SessionProtocol):
    """UCI over the session."""

    name = "breakthrough"

    def open_session(self) -> Session:
        from breakthrough.session import BreakthroughSession

        return BreakthroughSession()


def bench(depth: int | None, threads: int, hash_mb: int) -> Bench:
    """The start position."""
    from breakthrough.position import Position

    return Bench([Position()], depth or 8, threads, hash_mb)
