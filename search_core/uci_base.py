"""What adapters of UCI and of its relatives share for any game: waiting lines, `isready`, options, and `go`.

Where the relatives differ, this is UCI. Imported before the first answer is given: it must stay light. The native
modules are imported when first needed.
"""

from __future__ import annotations

import contextlib
import os

from search_core.engine_protocol import EngineProtocol, SetUpError
from search_core.line_protocol import LineChannel, OverlongLine, excerpt
from search_core.options import DEFAULT_HASH_MB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from search_core.game import Game
    from search_core.go_command import GoRequest
    from search_core.options import OptionTable
    from search_core.thinker import Info, Limits, Result

DEFAULT_OVERHEAD_MS = 10
LARGEST_OVERHEAD_MS = 10_000

_POSITION_WORDS = ("position", "fen", "startpos")

_ANY_MATE = 400  # moves; more than any search can see
_FALLBACK_MS = 1000  # for a `go` with only unreadable limits


class UciSettings:
    """The values of the options that set how much to think; they apply from the next `go` on."""

    def __init__(self) -> None:
        self.hash_mb = DEFAULT_HASH_MB
        self.threads = 1
        self.parameters: dict[str, int] = {}
        self.overhead_ms = DEFAULT_OVERHEAD_MS
        """What is lost on each move between our clock and the host's."""
        self.plans_to_ponder = False
        """Whether the time plan counts on thinking in the opponent's time too."""

    def set_hash(self, megabytes: int) -> None:
        """The size of the hash table in MiB; 0: the default."""
        self.hash_mb = megabytes or DEFAULT_HASH_MB

    def set_threads(self, threads: int) -> None:
        """How many threads search; 0: one for each processor."""
        self.threads = threads or os.cpu_count() or 1

    def set_parameter(self, name: str, value: int) -> None:
        """A parameter of the search."""
        self.parameters[name] = value

    def set_overhead(self, milliseconds: int) -> None:
        """What is lost on each move between our clock and the host's."""
        self.overhead_ms = milliseconds

    def set_ponder(self, ponder: bool) -> None:
        """Whether the time plan counts on thinking in the opponent's time too."""
        self.plans_to_ponder = ponder


class UciBase(EngineProtocol):
    """An engine behind UCI or a relative of it. A subclass gives the `settings`, the `options` and the game."""

    settings: UciSettings
    options: OptionTable
    waiting_words: ClassVar[frozenset[str]] = frozenset(("position", "go", "setoption", "ucinewgame"))
    """Commands that change what a search starts from. They wait for the end of a running search; if only a `stop`
    would end it, they end it themselves."""
    position_words: ClassVar[frozenset[str]] = frozenset(("go", "ponderhit"))
    """Commands that need a position. After a refused one they find no move until the next good one."""
    withholds_infinite: ClassVar[bool] = True
    """Whether a search without limits gives its answer only after a `stop`; otherwise also when it has found a
    mate."""

    def __init__(self, channel: LineChannel) -> None:
        super().__init__(channel)
        self.position_refused = False
        """Whether the last position was refused. The one before is not the host's any more."""

    # The game, given by the subclasses

    def load(self) -> None:
        """Import what a search needs. May raise ImportError."""
        import search_core.engine
        import search_core.go_command  # noqa: F401

    def introduce(self) -> None:
        """Answer `uci`."""
        raise NotImplementedError

    def set_position(self, words: list[str]) -> None:
        """Make the position that the words after `position` describe the current one.

        Raises SetUpError; there is no position then.
        """
        raise NotImplementedError

    def go(self, words: list[str]) -> None:
        """Obey `go` with these words: read them with parse_go() and begin a search() of the current position."""
        raise NotImplementedError

    def show(self, info: Info) -> None:
        """Print one line of a search that goes on."""
        raise NotImplementedError

    def answer(self, result: Result) -> None:
        """Print the answer to a `go`."""
        raise NotImplementedError

    # Lines

    def can_handle(self, line: str | None) -> bool:
        if not self.occupied or line is None or line.split()[0].lower() not in self.waiting_words:
            return True
        if self.answer_on_request and not self.stopping:
            self.stop_search()
        return False

    def handle_out_of_order(self, line: str | None) -> bool:
        word = line.split()[0].lower() if line else ""
        if word == "quit":
            self.leave()
            return True
        if word == "stop":
            self.stop_search()
            self.stop_waiting()
            return True
        if word == "isready":
            self.answer_ready()
            return True
        return super().handle_out_of_order(line)

    def command(self, line: str) -> None:
        words = line.split()
        word = words[0].lower()
        if self.lacks_position(word):
            self.refuse_without_position(word)
        elif word == "uci":
            self.introduce()
        elif word == "isready":
            self.answer_ready()
        elif word == "setoption":
            self.set_option(line[len(word) :].strip())
        elif word == "ucinewgame":
            self.new_game()
        elif word == "position":
            self.obey_position(words[1:])
        elif word == "go":
            self.go(words[1:])
        elif word == "stop":
            self.stop_search()
        elif word == "ponderhit":
            self.ponderhit()
        elif word == "quit":
            self.leave()
        elif word not in ("debug", "register"):
            self.notify(f"unknown command {excerpt(words[0])}, ignored; expected a command of UCI")

    def refuse_overlong(self, line: OverlongLine) -> None:
        if line.split()[0].lower() in _POSITION_WORDS and not self.occupied:
            self._refuse_position(line.fault)
        else:
            super().refuse_overlong(line)

    def answer_failure(self, line: str) -> None:
        word = line.split()[0].lower()
        if word in _POSITION_WORDS:
            self.position_refused = True
        elif not self.occupied:
            self.answer_nothing(word)

    def answer_nothing(self, word: str) -> None:
        """Give the answer without a move or value that the command `word` must have, if it must have one."""
        if word in ("go", "ponderhit"):
            self.send("bestmove (none)")

    def notify(self, text: str) -> None:
        self.send(f"info string {text}")

    # For subclasses to call

    def list_options(self) -> None:
        """Send the options and `uciok`."""
        from search_core.uci_words import option_line

        for option in self.options.listed():
            self.send(option_line(option))
        self.send("uciok")

    def answer_ready(self) -> None:
        """Say `readyok`: at once during a search, else when all is loaded and the table is ready.

        The host may start its clock on it.
        """
        if self.occupied:
            self.send("readyok")
            return
        self.preload()
        self.say_when_ready(lambda: self.send("readyok"))

    def preload(self) -> None:
        """Call load(). Returns when all is imported, even if another thread began."""
        with contextlib.suppress(ImportError):  # the next import reports the error
            self.load()

    def set_option(self, text: str) -> None:
        """Set an option as OptionTable.set() does, and tell the user what was wrong."""
        remark = self.options.set(text)
        if remark:
            self.notify(remark)

    def set_hash(self, megabytes: int) -> None:
        """The size of the hash table in MiB; 0: the default."""
        self.settings.set_hash(megabytes)
        if self.is_preparing:
            self.prepare_table()

    def obey_position(self, words: list[str]) -> None:
        """Call set_position() and tell the user what was wrong."""
        try:
            self.set_position(words)
        except SetUpError as error:
            self._refuse_position(f"position: {error}")
        else:
            self.position_refused = False

    def _refuse_position(self, fault: str) -> None:
        self.position_refused = True
        self.notify(f"{fault}; there is no position now")

    def lacks_position(self, word: str) -> bool:
        """Whether the command `word` needs a position, but the last one was refused and nothing is searched."""
        return self.position_refused and word in self.position_words and not self.occupied

    def refuse_without_position(self, word: str) -> None:
        """Answer the command `word`, which lacks_position()."""
        self.notify(f"{word}: the last position was refused")
        self.answer_nothing(word)

    def new_game(self) -> None:
        super().new_game()
        if self._engine is not None:
            self.prepare_table()

    # Searching

    def search(self, request: GoRequest, position: Game, moves_played: int) -> None:
        """Begin the search that a `go` asked for. `answer` always follows, at once if a stop follows.

        `moves_played`: by the side to move, for the time plan.
        """
        if request.depth == 0:
            request.depth = 1
        if request.perft is not None:
            request.spoilt = True
            request.note("perft is not known here, ignored")
        if request.lost_limit(position.side):
            request.movetime = _FALLBACK_MS
            request.note(f"no limit is left, searching {_FALLBACK_MS} ms")
        self.tell_faults(request)
        endless = request.infinite or request.unlimited(position.side) or request.mate is not None
        limits = self.limits(request, position.side, moves_played)
        self.start(position, limits, self.answer, self.show, endless=endless)

    def limits(self, request: GoRequest, side: int, moves_played: int) -> Limits:
        """What a `go` says about the end of its search. A subclass may add more."""
        from search_core import time_budget
        from search_core.thinker import Limits

        settings = self.settings
        clock = request.clock(side, moves_played, settings.overhead_ms, settings.plans_to_ponder)
        soft_ms, hard_ms = time_budget.limits(clock)
        infinite = request.infinite or (request.unlimited(side) and not request.ponder)
        mate = request.mate or 0
        if infinite and not self.withholds_infinite:
            mate = mate or _ANY_MATE
        return Limits(
            depth=min(request.depth or 0, 127),
            nodes=request.nodes or 0,
            soft_ms=0 if infinite else soft_ms,
            hard_ms=0 if infinite else hard_ms,
            mate=min(mate, _ANY_MATE),
            infinite=infinite and self.withholds_infinite,
            ponder=request.ponder,
            root_moves=tuple(request.moves),
        )

    def tell_faults(self, request: GoRequest) -> None:
        """Say in one line what was wrong with a `go`."""
        if request.faults:
            self.notify("go: " + "; ".join(request.faults))
