from collections.abc import Sequence

from game_core.bench import Bench
from game_core.session import FIRST_WINS, SECOND_WINS, IllegalMove, UnknownMove, Verdict
from game_core.session_analysis import SessionAnalysis
from game_core.session_protocol import SessionProtocol
from nim.position import Position


class NimSession:
    """A move is a heap and how many stones it takes from there: a1 to c5."""

    sides = ("first", "second")

    def __init__(self) -> None:
        self._position, self.ply = Position(), 0
        self._moves: list[str] = []

    @property
    def to_move(self) -> int:
        return self._position.side

    def legal_moves(self) -> list[str]:
        return [f"{heap}{n}" for heap, size in zip("abc", self._position.heaps) for n in range(1, size + 1)]

    def play(self, move: str, ms: int | None = None) -> None:
        self._position.push(16 * "abc".index(self.read_move(move)[0]) + int(move[1]))
        self._moves.append(move)
        self.ply += 1

    def undo(self, plies: int = 1) -> None:
        if plies > self.ply:
            raise ValueError(f"there are only {self.ply} moves to take back")
        for _ in range(plies):
            self._position.pop()
            self._moves.pop()
        self.ply -= plies

    def verdict(self) -> Verdict | None:
        return None if self.legal_moves() else Verdict((SECOND_WINS, FIRST_WINS)[self.to_move], "last-stone")

    def view(self, seat: int | None = None) -> dict[str, object]:
        game = {"sides": self.sides, "ply": self.ply, "to_move": self.to_move, "verdict": self.verdict()}
        return {**game, "moves": self._moves[:], **{h: "|" * n for h, n in zip("abc", self._position.heaps)}}

    def position(self) -> Position:
        return self._position.copy()

    def move_text(self, move: int) -> str:
        return f"{'abc'[move >> 4]}{move & 15}"

    def read_move(self, text: str) -> str:
        if text not in self.legal_moves():
            is_move = len(text) == 2 and text[0] in "abc" and text[1] in "12345"
            raise (IllegalMove if is_move else UnknownMove)(f"{text!r} is no move here")
        return text

    def move_names(self, move: str) -> dict[str, str]:
        return {"nim": move}

    def save(self, format: str, players: Sequence[str] = (), event: str = "", ended: Verdict | None = None) -> bytes:
        if format != "txt":
            raise ValueError(f"a game is saved as .txt, not .{format}")
        return f"{' '.join(self._moves)}\n".encode("ascii")


class NimProtocol(SessionProtocol):
    name = "nim"
    open_session = NimSession


ANALYSIS = SessionAnalysis(NimSession)


def bench(depth: int | None, threads: int, hash_mb: int) -> Bench:
    return Bench([Position()], depth or 8, threads, hash_mb)
