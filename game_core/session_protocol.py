"""UCI for any game that has a session. A game without hosts of its own needs no other protocol.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.engine_protocol import SetUpError
from search_core.line_protocol import LineChannel
from search_core.options import (
    DEFAULT_HASH_MB,
    LARGEST_HASH_MB,
    LARGEST_THREADS,
    SPIN,
    Option,
    OptionTable,
    tuning_options,
)
from search_core.uci_base import UciBase, UciSettings
from search_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from game_core.session import Session
    from search_core.thinker import Info, Result


class SessionProtocol(UciBase):
    """The engine of a game over UCI: ``position startpos [moves ...]`` and ``go``. A subclass opens the session."""

    name: str
    """The name in ``id name``. As a word, it greets the engine as ``uci`` does."""

    def __init__(self, channel: LineChannel) -> None:
        super().__init__(channel)
        self.settings: UciSettings = UciSettings()
        self._session: Session | None = None
        self.options = OptionTable(
            [
                Option("Hash", SPIN, self.set_hash, DEFAULT_HASH_MB, minimum=1, maximum=LARGEST_HASH_MB),
                Option("Threads", SPIN, self.settings.set_threads, 1, minimum=1, maximum=LARGEST_THREADS),
                *tuning_options(self.settings.set_parameter),
            ],
            unknown="unknown option {}, ignored",
        )

    def open_session(self) -> Session:
        """A new game. First called after the handshake."""
        raise NotImplementedError

    @property
    def session(self) -> Session:
        """The game of the last good `position` command; a new one before the first."""
        if self._session is None:
            self._session = self.open_session()
        return self._session

    def load(self) -> None:
        super().load()
        self.session  # noqa: B018 - opening it imports the game

    # Commands

    def command(self, line: str) -> None:
        if line.split()[0].lower() == self.name.lower():
            self.introduce()
        else:
            super().command(line)

    def introduce(self) -> None:
        self.send(f"id name {self.name} {__version__}")
        self.list_options()

    def set_position(self, words: list[str]) -> None:
        match [word.lower() for word in words[:2]]:
            case ["startpos"] | ["startpos", "moves"]:
                moves = words[2:]
            case _:
                raise SetUpError("expected 'startpos [moves ...]'")
        session = self.open_session()
        for number, move in enumerate(moves, 1):
            try:
                session.play(move)
            except ValueError as error:
                raise SetUpError(f"move {number}: {error}") from None
        self._session = session

    def go(self, words: list[str]) -> None:
        from search_core.go_command import parse_go

        self.search(parse_go(words), self.session.position(), self.session.ply // 2)

    # Answers

    def show(self, info: Info) -> None:
        from search_core.uci_words import score_text

        bound = "" if info.bound == "exact" else f" {info.bound}bound"
        moves = "".join(f" {self.session.move_text(move)}" for move in info.pv)
        self.send(
            f"info depth {info.depth} seldepth {info.seldepth} score {score_text(info.score)}{bound} nodes {info.nodes}"
            f" nps {info.nps} hashfull {info.hashfull} time {info.time_ms} pv{moves}"
        )

    def answer(self, result: Result) -> None:
        self.send(f"bestmove {'(none)' if result.best is None else self.session.move_text(result.best)}")
