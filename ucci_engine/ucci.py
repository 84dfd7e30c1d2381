"""UCCI 3.0, the protocol of the Chinese-chess programs.

The protocol wants no error messages: unknown commands, unknown options, and
commands in the wrong state are ignored.
"""

from __future__ import annotations

from functools import partial

from search_core.failures import SetUpError
from search_core.line_protocol import LineChannel, OverlongLine, first_word
from search_core.options import MAX_THREADS, Option, OptionError, OptionTable, setter, tuning_options
from search_core.search_driver import SearchProtocol, set_log
from search_core.uci import UciCommands
from search_core.version import __version__
from ucci_engine.host_game import HostGame
from ucci_engine.move_finder import MoveFinder
from ucci_engine.points import move_text
from ucci_engine.settings import MAX_SEED, RANDOMNESS, STYLES, XiangqiSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from search_core.thinker import Info, Result

_MATE_SCORE = 10000  # of a mate now; each ply takes 1 away, as GUIs for UCCI expect
_MAX_SCORE = 9000  # of anything but a mate

# Hosts send these even if they are not listed. They change nothing: there is no
# endgame table, and nothing that could be switched off.
_INERT_OPTIONS = (
    "debug",
    "usehash",
    "useegtb",
    "egtbpaths",
    "evalapi",
    "idle",
    "pruning",
    "knowledge",
    "selectivity",
)

_RESIGN_SCORE = -1500  # centipawns; the engine resigns when
_RESIGN_MOVES = 3  # this many searches in a row have no better score


def plain_score(score: int) -> int:
    """A score as UCCI wants it: a bare number, 100 for a pawn across the river, mates near 10000."""
    from search_core.engine import mate_in_plies

    plies = mate_in_plies(score)
    if plies is None:
        return max(min(score, _MAX_SCORE), -_MAX_SCORE)
    return _MATE_SCORE - plies if score > 0 else plies * -1 - _MATE_SCORE


_POSITION_WORDS = frozenset(("go", "ponderhit", "banmoves"))


class UcciProtocol(SearchProtocol):
    """UCCI and its three states: boot (until ``ucci``), idle, thinking."""

    withholds_infinite = False

    def __init__(self, channel: LineChannel) -> None:
        self.settings = XiangqiSettings(changed=lambda: self.finder.clear())
        self.game = HostGame(self.settings)
        super().__init__(channel, self.settings)
        # Books are used by default; there is none before the host names one.
        self.finder = MoveFinder(self, self.driver, self.settings, self.game, uses_books=True)
        self._common = UciCommands(self, self.settings, self.game)
        self._booted = False
        self._batch = False
        self._time_unit_ms = 1
        self._may_resign = False
        self._may_draw = False
        self._draw_offered = False
        self._withheld: Info | None = None
        """The last line of the search, if it is a bound."""
        self._lost_searches = 0
        self._options = OptionTable(
            [
                Option("usemillisec", self._set_usemillisec, True),
                Option("batch", setter(self, "_batch"), False),
                Option("ponder", setter(self.settings, "plans_to_ponder"), False),
                self._common.hash_option("hashsize", 0, "hash"),
                Option("threads", self.settings.set_threads, 1, minimum=0, maximum=MAX_THREADS),
                Option("style", partial(self.settings.change, "style"), "normal", choices=STYLES),
                self.settings.evaluator_option("evalfile"),
                self.settings.level_option("level"),
                Option("randomness", setter(self.settings, "randomness"), "none", choices=RANDOMNESS),
                Option("seed", setter(self.settings, "given_seed"), 0, maximum=MAX_SEED),
                *self.settings.rule_options("repetitionrule", "quietlimit", self.notify),
                *self.finder.book.options("usebook", "bookfiles", "bookdepth", "bestbookmove"),
                Option("resign", setter(self, "_may_resign"), False),
                Option("draw", setter(self, "_may_draw"), False),
                self.settings.overhead_option("overhead", "move overhead"),
                Option("debuglogfile", lambda path: set_log(channel, path), "", aliases=("debug log file",)),
                Option("newgame", self._new_game, None, aliases=("clear hash", "clearhash")),
                Option("promotion", self._refuse_promotion, False, listed=False),
                *(Option(name, lambda value: None, listed=False) for name in _INERT_OPTIONS),
                *tuning_options(self.settings.parameters),
            ]
        )  # no message for an unknown one: hosts send options without looking at the list

    # Lines

    def can_handle(self, line: str | None) -> bool:
        driver = self.driver
        if not driver.occupied:
            return True
        if self._batch and not driver.answer_on_request:
            return False  # in a batch, each `go` is finished before the next line is obeyed
        # After a `stop` the answer is due at once. Hosts that do not wait for
        # it, but send the next position straight away, lose nothing.
        return not driver.stopping or line is None or first_word(line) == "quit"

    def handle_out_of_order(self, line: str | None) -> bool:
        if self._batch and not self.driver.stopping:
            return False
        return self._common.handle_out_of_order(line)

    def command(self, line: str) -> None:
        first, *words = line.split()
        word = first.lower()
        occupied = self.driver.occupied
        if word == "quit":
            self.lines.leave()
        elif not self._booted:
            if word == "ucci":
                self._boot()
        elif self._common.refuse_without_position(word, _POSITION_WORDS):
            self._answer_nothing(word)
        elif not occupied and self.finder.obey_at_end(word, _POSITION_WORDS):
            pass
        elif word == "isready":
            self.finder.prepare()
            self._common.answer_ready()
        elif word == "probe":
            self._probe(words)
        elif word == "stop":
            if occupied:
                self.driver.stop()
            else:
                self.lines.send("nobestmove")
        elif occupied:
            if word == "ponderhit":
                self._draw_offered = "draw" in (word.lower() for word in words)
                self.driver.ponderhit()
        elif word == "setoption":
            self._common.set_option(self._options, line[len(word) :].strip())
        elif word == "position":
            self._common.set_position(words)
        elif word == "banmoves":
            faults = self.game.ban(words)
            if faults:
                self.notify("banmoves: " + "; ".join(faults) + "; the other moves are banned")
        elif word == "go":
            self._go(words)

    def refuse_overlong(self, line: OverlongLine) -> None:
        self._common.refuse_overlong(line)

    def answer_failure(self, line: str) -> None:
        if self._common.fail(line):
            self._answer_nothing(first_word(line))

    def _answer_nothing(self, word: str) -> None:
        if word in ("go", "ponderhit"):
            self.lines.send("nobestmove")
        elif word == "probe":
            self.lines.send("pophash")

    def notify(self, text: str) -> None:
        self.lines.send(f"info message {text}")

    def on_exit(self) -> None:
        self.lines.send("bye")

    def close(self) -> None:
        self.driver.close()
        self.finder.close()

    # Commands

    def _boot(self) -> None:
        self.lines.send("id name sanqi")
        self.lines.send(f"id version {__version__}")
        self.lines.send("id copyright GPL-3.0-or-later")
        self.lines.send("id author the sanqi authors")
        for option in self._options.listed():
            self.lines.send(option_line(option))
        self.lines.send("ucciok")
        self._booted = True
        self._common.warm_up()

    def _probe(self, words: list[str]) -> None:
        try:
            found = self.driver.engine.probe(self.game.read(words).position)
        except SetUpError as error:
            self.notify(f"probe: {error}")
            found = None
        reply = "pophash"
        if found is not None:
            move, depth, score, bound = found
            if move:
                reply += f" bestmove {move_text(move)}"
            if bound in ("lower", "exact"):
                reply += f" lowerbound {plain_score(score)} depth {depth}"
            if bound in ("upper", "exact"):
                reply += f" upperbound {plain_score(score)} depth {depth}"
        self.lines.send(reply)

    def _go(self, words: list[str]) -> None:
        request = self.game.read_go(words, self._time_unit_ms)
        if request.depth == 0:
            if request.fault:
                self.notify(request.fault)
            self.lines.send(f"info depth 0 score {plain_score(self.finder.static_score())}")
            self.lines.send("nobestmove")
            return
        self._draw_offered = request.draw
        self._withheld = None
        self.finder.start(request)

    # Answers

    def show_info(self, info: Info) -> None:
        if info.bound != "exact":
            self._withheld = info  # UCCI has no word for a bound
            return
        self._withheld = None
        self._send_info(info)

    def _send_info(self, info: Info) -> None:
        moves = " ".join(map(self.game.move_text, info.pv))
        # GUIs want nps in the line, the moves last, and the score right before them.
        self.lines.send(
            f"info depth {info.depth} time {info.time_ms} nodes {info.nodes} nps {info.nps}"
            f" score {plain_score(info.score)} pv {moves}"
        )

    def show_result(self, best: int | None, ponder: int | None, result: Result) -> None:
        if best is None:
            self.lines.send("nobestmove")
            return
        if self._withheld is not None and self._withheld.pv[:1] == (best,):
            self._send_info(self._withheld)  # else the last line would have another move than the answer
        answer = f"bestmove {self.game.move_text(best)}"
        self._lost_searches = self._lost_searches + 1 if result.score <= _RESIGN_SCORE else 0
        if self._may_resign and self._lost_searches >= _RESIGN_MOVES:
            answer += " resign"
        else:
            if ponder is not None:
                answer += f" ponder {self.game.move_text(ponder)}"
            if self._may_draw and self._draw_offered and result.score <= 0:
                answer += " draw"
        self.lines.send(answer)

    def show_book_move(self, move: int) -> None:
        self._lost_searches = 0
        self.lines.send(f"bestmove {self.game.move_text(move)}")

    # Options

    def _set_usemillisec(self, milliseconds: bool) -> None:
        self._time_unit_ms = 1 if milliseconds else 1000

    def _new_game(self, value: None) -> None:
        self._lost_searches = 0
        self.finder.new_game()

    def _refuse_promotion(self, promotion: bool) -> None:
        if promotion:
            raise OptionError("promotion: the variant with promotion is not played here; it stays off")


def option_line(option: Option) -> str:
    """How UCCI lists an option."""
    default, values = option.listing()
    return f"option {option.name} type {option.kind}{values}{default}"
