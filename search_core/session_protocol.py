"""UCI for any game that has a session. A game without hosts of its own needs no other protocol."""

from __future__ import annotations

from itertools import pairwise

from search_core import time_budget
from search_core.engine_protocol import EngineProtocol
from search_core.line_protocol import LineChannel, excerpt
from search_core.options import DEFAULT_HASH_MB, LARGEST_HASH_MB, LARGEST_THREADS, SPIN, Option, OptionTable
from search_core.uci_words import option_line, score_text
from search_core.version import __version__
from search_core.whole_number import whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from search_core.session import Session
    from search_core.thinker import Info, Result

_OVERHEAD_MS = 10
_NUMBERS = ("depth", "nodes", "movetime", "movestogo", "wtime", "btime", "winc", "binc")
# These change what a search starts from: they wait for the end of a running one.
_WAITING_WORDS = frozenset(("position", "go", "setoption", "ucinewgame"))


class Settings:
    """The values of the options; they apply from the next `go` on."""

    def __init__(self) -> None:
        self.hash_mb = DEFAULT_HASH_MB
        self.threads = 1
        self.parameters: dict[str, int] = {}


class SessionProtocol(EngineProtocol):
    """The engine of a game over UCI: ``position startpos [moves ...]`` and ``go``. A subclass opens the session."""

    name: str
    """The name in ``id name``. As a word, it greets the engine as ``uci`` does."""

    def __init__(self, channel: LineChannel) -> None:
        super().__init__(channel)
        self.settings: Settings = Settings()
        self._session = self.open_session()
        self._options = OptionTable(
            [
                Option("Hash", SPIN, self._set_hash, DEFAULT_HASH_MB, minimum=1, maximum=LARGEST_HASH_MB),
                Option("Threads", SPIN, self._set_threads, 1, minimum=1, maximum=LARGEST_THREADS),
            ],
            unknown="unknown option {}, ignored",
        )

    def open_session(self) -> Session:
        """A new game."""
        raise NotImplementedError

    # Lines

    def can_handle(self, line: str | None) -> bool:
        if not self.occupied or line is None or line.split()[0].lower() not in _WAITING_WORDS:
            return True
        if self.answer_on_request and not self.stopping:
            self.stop_search()
        return False

    def handle_out_of_order(self, line: str | None) -> bool:
        word = line.lower().strip() if line else ""
        if word == "stop":
            self.stop_waiting()
        if word in ("stop", "quit", "isready"):
            self.command(word)
            return True
        return super().handle_out_of_order(line)

    def command(self, line: str) -> None:
        words = line.split()
        match [words[0].lower(), *words[1:]]:
            case ["uci" | self.name, *_]:
                self._introduce()
            case ["isready"] if self.occupied:
                self.send("readyok")
            case ["isready"]:
                self.say_when_ready(lambda: self.send("readyok"))
            case ["setoption", *_]:
                remark = self._options.set(line.split(None, 1)[-1])
                if remark:
                    self.notify(remark)
            case ["ucinewgame"]:
                self.new_game()
            case ["position", "startpos"]:
                self._set_position([])
            case ["position", "startpos", "moves", *moves]:
                self._set_position(moves)
            case ["position", *_]:
                self.notify("position: expected 'startpos [moves ...]'; the position before stays")
            case ["go", *limits]:
                self._go(limits)
            case ["stop"]:
                self.stop_search()
            case ["quit"]:
                self.leave()
            case _:
                self.notify(f"unknown command {excerpt(words[0])}, ignored; expected a command of UCI")

    def answer_failure(self, line: str) -> None:
        if line.split()[0].lower() == "go":
            self.send("bestmove (none)")

    def notify(self, text: str) -> None:
        self.send(f"info string {text}")

    # Commands

    def _introduce(self) -> None:
        self.send(f"id name {self.name} {__version__}")
        for option in self._options.listed():
            self.send(option_line(option))
        self.send("uciok")

    def _set_hash(self, megabytes: int) -> None:
        self.settings.hash_mb = megabytes

    def _set_threads(self, threads: int) -> None:
        self.settings.threads = threads

    def _set_position(self, moves: list[str]) -> None:
        session = self.open_session()
        for number, move in enumerate(moves, 1):
            try:
                session.play(move)
            except ValueError as error:
                self.notify(f"position: move {number}: {error}; the position before stays")
                return
        self._session = session

    def _go(self, words: list[str]) -> None:
        from search_core.thinker import Limits

        numbers = dict.fromkeys(_NUMBERS, 0)
        for key, text in pairwise(words):
            if key in numbers:
                try:
                    numbers[key] = whole_number(text)
                except ValueError:
                    self.notify(f"go: {key} is {excerpt(text)}, expected a number; ignored")
        soft_ms, hard_ms = self._time_limits(numbers)
        depth, nodes = min(numbers["depth"], 127), numbers["nodes"]
        endless = "infinite" in words or not (depth or nodes or hard_ms)
        limits = Limits(depth=depth, nodes=nodes, soft_ms=soft_ms, hard_ms=hard_ms, infinite=endless)
        self.start(self._session.position(), limits, self._answer, self._show, endless=endless)

    def _time_limits(self, numbers: dict[str, int]) -> tuple[int, int]:
        """Soft and hard limit in milliseconds; 0: none."""
        if numbers["movetime"]:
            return time_budget.for_move(numbers["movetime"], _OVERHEAD_MS)
        side = "wb"[self._session.to_move]
        left_ms = numbers[f"{side}time"]
        if not left_ms:
            return 0, 0
        played = self._session.ply // 2
        return time_budget.for_clock(left_ms, numbers[f"{side}inc"], numbers["movestogo"], _OVERHEAD_MS, played)

    # Answers

    def _show(self, info: Info) -> None:
        bound = "" if info.bound == "exact" else f" {info.bound}bound"
        moves = "".join(f" {self._session.move_text(move)}" for move in info.pv)
        self.send(
            f"info depth {info.depth} seldepth {info.seldepth} score {score_text(info.score)}{bound} nodes {info.nodes}"
            f" nps {info.nps} hashfull {info.hashfull} time {info.time_ms} pv{moves}"
        )

    def _answer(self, result: Result) -> None:
        self.send(f"bestmove {'(none)' if result.best is None else self._session.move_text(result.best)}")
