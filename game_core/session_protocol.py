"""UCI for any game that has a session. A game without hosts of its own needs no other protocol.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.failures import SetUpError, named
from search_core.line_protocol import LineChannel
from search_core.options import MAX_THREADS, Option, OptionTable, tuning_options
from search_core.uci import UciSettings, UciWording
from search_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from game_core.session import Session
    from search_core.thinker import Info, Result


class SessionGame:
    """The game that a host has set up, as a session."""

    def __init__(self, open_session: Callable[[], Session]) -> None:
        self.refused = False
        self._open_session = open_session
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The game of the last good `position` command; a new one before the first."""
        if self._session is None:
            self._session = self._open_session()
        return self._session

    def load(self) -> None:
        """Import what a search needs."""
        import search_core.engine
        import search_core.go_command  # noqa: F401

        self.session  # noqa: B018 - opening it imports the game

    def set_position(self, words: list[str]) -> list[str]:
        """Open the session that ``startpos [moves ...]`` describes. Raises SetUpError."""
        match [word.lower() for word in words[:2]]:
            case ["startpos"] | ["startpos", "moves"]:
                moves = words[2:]
            case _:
                raise SetUpError("expected 'startpos [moves ...]'")
        session = self._open_session()
        for number, move in enumerate(moves, 1):
            with named(f"move {number}", ValueError, SetUpError):
                session.play(move)
        self._session = session
        return []


class SessionProtocol(UciWording):
    """The engine of a game over UCI: ``position startpos [moves ...]`` and ``go``. A subclass opens the session."""

    name: str
    """The name in ``id name``. As a word, it greets the engine as ``uci`` does."""

    def __init__(self, channel: LineChannel) -> None:
        self.settings = UciSettings()
        self.game = SessionGame(self.open_session)
        super().__init__(channel, self.settings, self.game)
        self.commands[self.name.lower()] = self.commands["uci"]
        self.options = OptionTable(
            [
                self.common.hash_option("Hash"),
                Option("Threads", self.settings.set_threads, 1, minimum=1, maximum=MAX_THREADS),
                *tuning_options(self.settings.parameters),
            ],
            unknown="unknown option {}, ignored",
        )

    def open_session(self) -> Session:
        """A new game. First called after the handshake."""
        raise NotImplementedError

    def introduce(self) -> None:
        self.lines.send(f"id name {self.name} {__version__}")
        self.list_options()

    def go(self, words: list[str]) -> None:
        from search_core.go_command import parse_go

        request, session = parse_go(words), self.game.session
        position = session.position()
        request.complete(position.side)
        if request.fault:
            self.notify(request.fault)
        limits = request.limits(position.side, session.ply // 2, self.settings)
        self.driver.start(position, limits, self._answer, self._show, endless=request.endless(position.side))

    def _show(self, info: Info) -> None:
        from search_core.uci_words import info_line

        self.lines.send(info_line(info, self.game.session.move_text))

    def _answer(self, result: Result) -> None:
        self.lines.send(f"bestmove {'(none)' if result.best is None else self.game.session.move_text(result.best)}")
