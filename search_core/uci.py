"""UCI for any game, and the commands that its relatives share with it.

Imported before the first answer is given: it must stay light. The native modules are imported when first needed.
"""

from __future__ import annotations

import contextlib
import os
import threading

from search_core.failures import SetUpError
from search_core.line_protocol import LineChannel, OverlongLine, excerpt, first_word
from search_core.options import DEFAULT_HASH_MB, MAX_HASH_MB, Option, setter
from search_core.search_driver import SearchProtocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from search_core.options import OptionTable

    class HostGame(Protocol):
        """The game that a host has set up."""

        refused: bool
        """Whether the last position was refused. The one before is not the host's any more."""

        def load(self) -> None:
            """Import what a search needs. May raise ImportError."""

        def set_position(self, words: list[str]) -> list[str]:
            """Make the position that the words after `position` describe the current one; returns what the user should
            know. Raises SetUpError, and is left as it was."""


_OVERHEAD_MS = 10
_MAX_OVERHEAD_MS = 10_000

_POSITION_WORDS = ("position", "fen", "startpos")


class UciSettings:
    """The values of the options that set how much to think; they apply from the next `go` on."""

    uses_table = True

    def __init__(self) -> None:
        self.hash_mb = DEFAULT_HASH_MB
        self.threads = 1
        self.parameters: dict[str, int] = {}
        self.overhead_ms = _OVERHEAD_MS
        """What is lost on each move between our clock and the host's."""
        self.plans_to_ponder = False
        """Whether the time plan counts on thinking in the opponent's time too."""

    def set_threads(self, threads: int) -> None:
        """How many threads search; 0: one for each processor."""
        self.threads = threads or os.cpu_count() or 1

    def overhead_option(self, name: str, *aliases: str) -> Option:
        """The option that takes the overhead of a move, under this name."""
        apply = setter(self, "overhead_ms")
        return Option(name, apply, _OVERHEAD_MS, maximum=_MAX_OVERHEAD_MS, aliases=aliases)


class UciCommands:
    """What UCI and its relatives do alike, for one of them."""

    def __init__(self, protocol: SearchProtocol, settings: UciSettings, game: HostGame) -> None:
        self._protocol = protocol
        self._driver = protocol.driver
        self._lines = protocol.lines
        self._settings = settings
        self._game = game

    def preload(self) -> None:
        """Load the game. Returns when all is imported, even if another thread began."""
        with contextlib.suppress(ImportError):  # the next import reports the error
            self._game.load()

    def warm_up(self) -> None:
        """Load the game in the background, so that the first `go` need not spend its time on it."""
        threading.Thread(target=self.preload, name="warm-up", daemon=True).start()

    def answer_ready(self) -> None:
        """Say `readyok`: at once during a search, else when all is loaded and the table is ready.

        The host may start its clock on it.
        """
        if not self._driver.occupied:
            self.preload()
        self._driver.say_when_ready(lambda: self._lines.send("readyok"))

    def hash_option(self, name: str, minimum: int = 1, *aliases: str) -> Option:
        """The option that takes the size of the hash table in MiB, 0: the default, under this name."""

        def resize(megabytes: int) -> None:
            self._settings.hash_mb = megabytes or DEFAULT_HASH_MB
            if self._driver.is_preparing:
                self._driver.prepare_table()

        return Option(name, resize, DEFAULT_HASH_MB, minimum=minimum, maximum=MAX_HASH_MB, aliases=aliases)

    def set_option(self, options: OptionTable, text: str) -> None:
        """Set an option as OptionTable.set() does, and tell the user what was wrong."""
        remark = options.set(text)
        if remark:
            self._protocol.notify(remark)

    def set_position(self, words: list[str]) -> None:
        """Set up a position, and tell the user what was wrong."""
        try:
            remarks = self._game.set_position(words)
        except SetUpError as error:
            self._refuse_position(f"position: {error}")
        else:
            self._game.refused = False
            for remark in remarks:
                self._protocol.notify(f"position: {remark}")

    def refuse_overlong(self, line: OverlongLine) -> None:
        """Tell the user that a line was dropped."""
        if first_word(line) in _POSITION_WORDS and not self._driver.occupied:
            self._refuse_position(line.fault)
        else:
            self._protocol.notify(f"{line.fault}; nothing changed")

    def _refuse_position(self, fault: str) -> None:
        self._game.refused = True
        self._protocol.notify(f"{fault}; there is no position now")

    def refuse_without_position(self, word: str, words: frozenset[str]) -> bool:
        """If the command `word` needs a position, as these `words` do, but the last one was refused and nothing is
        searched: say so and return True."""
        if word not in words or not self._game.refused or self._driver.occupied:
            return False
        self._protocol.notify(f"{word}: the last position was refused")
        return True

    def fail(self, line: str) -> bool:
        """An internal error came at a line; return whether the line still needs an answer."""
        if first_word(line) in _POSITION_WORDS:
            self._game.refused = True
            return False
        return not self._driver.occupied

    def handle_out_of_order(self, line: str | None) -> bool:
        """Obey at once, while others wait, what does not wait."""
        word = first_word(line)
        if line is None or word == "quit":
            self._lines.leave()
        elif word == "stop":
            self._driver.stop()
            self._lines.stop_waiting()
        elif word == "isready":
            self.answer_ready()
        else:
            return False
        return True


class UciWording(SearchProtocol):
    """UCI. A subclass gives the game, makes the `options`, and adds its commands.

    Attributes
    ----------
    commands : dict
        What obeys each command, called with the words behind it.
    waiting_words : frozenset of str
        Commands that change what a search starts from. They wait for the end of a running search; if only a `stop`
        would end it, they end it themselves.
    position_words : frozenset of str
        Commands that need a position. After a refused one they find no move until the next good one.
    """

    waiting_words = frozenset(("position", "go", "setoption", "ucinewgame"))
    position_words = frozenset(("go", "ponderhit"))
    options: OptionTable

    def __init__(self, channel: LineChannel, settings: UciSettings, game: HostGame) -> None:
        super().__init__(channel, settings)
        self.common = UciCommands(self, settings, game)
        self.commands: dict[str, Callable[[list[str]], None]] = {
            "uci": lambda words: self.introduce(),
            "isready": lambda words: self.common.answer_ready(),
            "ucinewgame": lambda words: self.driver.new_game(),
            "position": self.common.set_position,
            "go": self.go,
            "stop": lambda words: self.driver.stop(),
            "ponderhit": lambda words: self.driver.ponderhit(),
            "quit": lambda words: self.lines.leave(),
            "debug": lambda words: None,
            "register": lambda words: None,
        }

    def introduce(self) -> None:
        """Answer `uci`."""
        raise NotImplementedError

    def go(self, words: list[str]) -> None:
        """Obey `go` with these words."""
        raise NotImplementedError

    def can_handle(self, line: str | None) -> bool:
        if not self.driver.occupied or first_word(line) not in self.waiting_words:
            return True
        if self.driver.answer_on_request and not self.driver.stopping:
            self.driver.stop()
        return False

    def handle_out_of_order(self, line: str | None) -> bool:
        return self.common.handle_out_of_order(line)

    def command(self, line: str) -> None:
        first, *words = line.split()
        word = first.lower()
        if self.common.refuse_without_position(word, self.position_words):
            self.answer_nothing(word)
        elif word == "setoption":
            self.common.set_option(self.options, line[len(word) :].strip())
        elif word in self.commands:
            self.commands[word](words)
        else:
            self.notify(f"unknown command {excerpt(first)}, ignored; expected a command of UCI")

    def refuse_overlong(self, line: OverlongLine) -> None:
        self.common.refuse_overlong(line)

    def answer_failure(self, line: str) -> None:
        if self.common.fail(line):
            self.answer_nothing(first_word(line))

    def answer_nothing(self, word: str) -> None:
        """Give the answer without a move that the command `word` must have, if it must have one."""
        if word in ("go", "ponderhit"):
            self.lines.send("bestmove (none)")

    def notify(self, text: str) -> None:
        self.lines.send(f"info string {text}")

    def list_options(self) -> None:
        """Send the options and `uciok`."""
        from search_core.uci_words import option_line

        for option in self.options.listed():
            self.lines.send(option_line(option))
        self.lines.send("uciok")
