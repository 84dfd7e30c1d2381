"""UCCI 3.0, the protocol of the Chinese-chess programs.

The protocol wants no error messages: unknown commands, unknown options, and
commands in the wrong state are ignored.
"""

from __future__ import annotations

from search_core.engine_protocol import SetUpError
from search_core.line_protocol import LineChannel
from search_core.options import (
    BUTTON,
    CHECK,
    COMBO,
    DEFAULT_HASH_MB,
    LARGEST_HASH_MB,
    LARGEST_THREADS,
    SPIN,
    STRING,
    Option,
    OptionError,
    OptionTable,
    tuning_options,
)
from search_core.uci_base import DEFAULT_OVERHEAD_MS, LARGEST_OVERHEAD_MS, UciBase
from search_core.version import __version__
from ucci_engine.adapter import XiangqiAdapter
from ucci_engine.points import move_text
from ucci_engine.settings import LARGEST_SEED, RANDOMNESS, STYLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from search_core.thinker import Info, Result

_MATE_SCORE = 10000  # of a mate now; each ply takes 1 away, as GUIs for UCCI expect
_LARGEST_SCORE = 9000  # of anything but a mate

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
        return max(min(score, _LARGEST_SCORE), -_LARGEST_SCORE)
    return _MATE_SCORE - plies if score > 0 else plies * -1 - _MATE_SCORE


class UcciProtocol(XiangqiAdapter):
    """The UCCI adapter and its three states: boot (until ``ucci``), idle, thinking."""

    position_words = UciBase.position_words | {"probe", "banmoves"}
    withholds_infinite = False
    uses_books = True  # the protocol's default; there is none before the host names one

    def __init__(self, channel: LineChannel) -> None:
        super().__init__(channel)
        self._booted = False
        self._batch = False
        self._time_unit_ms = 1
        self._may_resign = False
        self._may_draw = False
        self._draw_offered = False
        self._lost_searches = 0
        self.options = OptionTable(
            [
                Option("usemillisec", CHECK, self._set_usemillisec, True),
                Option("batch", CHECK, self._set_batch, False),
                Option("ponder", CHECK, self.settings.set_ponder, False),
                Option(
                    "hashsize",
                    SPIN,
                    self.set_hash,
                    DEFAULT_HASH_MB,
                    minimum=0,
                    maximum=LARGEST_HASH_MB,
                    aliases=("hash",),
                ),
                Option("threads", SPIN, self.settings.set_threads, 1, minimum=0, maximum=LARGEST_THREADS),
                Option("style", COMBO, self.settings.set_style, "normal", choices=STYLES),
                self.level_option("level"),
                Option("randomness", COMBO, self.settings.set_randomness, "none", choices=RANDOMNESS),
                Option("seed", SPIN, self.settings.set_seed, 0, minimum=0, maximum=LARGEST_SEED),
                *self.rule_options("repetitionrule", "quietlimit"),
                *self.book_options("usebook", "bookfiles", "bookdepth", "bestbookmove"),
                Option("resign", CHECK, self._set_resign, False),
                Option("draw", CHECK, self._set_draw, False),
                Option(
                    "overhead",
                    SPIN,
                    self.settings.set_overhead,
                    DEFAULT_OVERHEAD_MS,
                    minimum=0,
                    maximum=LARGEST_OVERHEAD_MS,
                    aliases=("move overhead",),
                ),
                Option("debuglogfile", STRING, self.set_log, "", aliases=("debug log file",)),
                Option("newgame", BUTTON, self._new_game, aliases=("clear hash", "clearhash")),
                Option("promotion", CHECK, self._refuse_promotion, False, listed=False),
                *(Option(name, STRING, lambda value: None, listed=False) for name in _INERT_OPTIONS),
                *tuning_options(self.settings.set_parameter),
            ]
        )  # no message for an unknown one: hosts send options without looking at the list

    # Lines

    def can_handle(self, line: str | None) -> bool:
        if not self.occupied:
            return True
        if self._batch and not self.answer_on_request:
            return False  # in a batch, each `go` is finished before the next line is obeyed
        # After a `stop` the answer is due at once. Hosts that do not wait for
        # it, but send the next position straight away, lose nothing.
        return not self.stopping or line is None or line.split()[0].lower() == "quit"

    def handle_out_of_order(self, line: str | None) -> bool:
        if self._batch and not self.stopping:
            return False
        return super().handle_out_of_order(line)

    def command(self, line: str) -> None:
        words = line.split()
        word = words[0].lower()
        if word == "quit":
            self.leave()
        elif not self._booted:
            if word == "ucci":
                self._boot()
        elif self.lacks_position(word):
            self.refuse_without_position(word)
        elif not self.occupied and self.obey_at_end(word):
            pass
        elif word == "isready":
            self.answer_ready()
        elif word == "probe":
            self._probe(words[1:])
        elif word == "stop":
            if self.occupied:
                self.stop_search()
            else:
                self.send("nobestmove")
        elif self.occupied:
            if word == "ponderhit":
                self._draw_offered = "draw" in (word.lower() for word in words[1:])
                self.ponderhit()
        elif word == "setoption":
            self.set_option(line[len(word) :].strip())
        elif word == "position":
            self.obey_position(words[1:])
        elif word == "banmoves":
            faults = self.set_banned_moves(words[1:])
            if faults:
                self.notify("banmoves: " + "; ".join(faults) + "; the other moves are banned")
        elif word == "go":
            self.go(words[1:])

    def answer_nothing(self, word: str) -> None:
        if word in ("go", "ponderhit"):
            self.send("nobestmove")
        elif word == "probe":
            self.send("pophash")

    def notify(self, text: str) -> None:
        self.send(f"info message {text}")

    def on_exit(self) -> None:
        self.send("bye")

    # Commands

    def _boot(self) -> None:
        self.send("id name sanqi")
        self.send(f"id version {__version__}")
        self.send("id copyright GPL-3.0-or-later")
        self.send("id author the sanqi authors")
        for option in self.options.listed():
            self.send(option_line(option))
        self.send("ucciok")
        self._booted = True
        self.warm_up()

    def _probe(self, words: list[str]) -> None:
        try:
            found = self.engine.probe(self.read_position(words))
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
        self.send(reply)

    def go(self, words: list[str]) -> None:
        request = self.read_go(words, self._time_unit_ms)
        if request.depth == 0:
            self.tell_faults(request)
            self.send(f"info depth 0 score {plain_score(self.position.evaluate_cp())}")
            self.send("nobestmove")
            return
        self._draw_offered = request.draw
        self.start_search(request)

    # Answers

    def show_info(self, info: Info) -> None:
        if info.bound != "exact":
            return  # UCCI has no word for a bound
        moves = " ".join(move_text(move, self.output_ranks) for move in info.pv)
        # GUIs want nps in the line, the moves last, and the score right before them.
        self.send(
            f"info depth {info.depth} time {info.time_ms} nodes {info.nodes} nps {info.nps}"
            f" score {plain_score(info.score)} pv {moves}"
        )

    def show_result(self, best: int | None, ponder: int | None, result: Result) -> None:
        if best is None:
            self.send("nobestmove")
            return
        answer = f"bestmove {move_text(best, self.output_ranks)}"
        self._lost_searches = self._lost_searches + 1 if result.score <= _RESIGN_SCORE else 0
        if self._may_resign and self._lost_searches >= _RESIGN_MOVES:
            answer += " resign"
        else:
            if ponder is not None:
                answer += f" ponder {move_text(ponder, self.output_ranks)}"
            if self._may_draw and self._draw_offered and result.score <= 0:
                answer += " draw"
        self.send(answer)

    def show_book_move(self, move: int) -> None:
        self._lost_searches = 0
        self.send(f"bestmove {move_text(move, self.output_ranks)}")

    # Options

    def _set_usemillisec(self, milliseconds: bool) -> None:
        self._time_unit_ms = 1 if milliseconds else 1000

    def _set_batch(self, batch: bool) -> None:
        self._batch = batch

    def _set_resign(self, resign: bool) -> None:
        self._may_resign = resign

    def _set_draw(self, draw: bool) -> None:
        self._may_draw = draw

    def _new_game(self, value: None) -> None:
        self._lost_searches = 0
        self.new_game()

    def _refuse_promotion(self, promotion: bool) -> None:
        if promotion:
            raise OptionError("promotion: the variant with promotion is not played here; it stays off")


def option_line(option: Option) -> str:
    """How UCCI lists an option."""
    line = f"option {option.name} type {option.kind}"
    if option.kind == SPIN:
        line += f" min {option.minimum} max {option.maximum}"
    line += "".join(f" var {choice}" for choice in option.choices)
    if option.kind == BUTTON:
        return line
    if option.kind == CHECK:
        return f"{line} default {'true' if option.default else 'false'}"
    return f"{line} default {option.default if option.default != '' else '<empty>'}"
