"""UCI for Xiangqi, with the UCI-Cyclone dialect and the usual extra commands for people at a terminal."""

from __future__ import annotations

from functools import partial

from search_core.levels import FULL_SKILL
from search_core.line_protocol import LineChannel, excerpt, first_word
from search_core.options import (
    DEFAULT_HASH_MB,
    MAX_HASH_MB,
    MAX_PERFT_DEPTH,
    MAX_THREADS,
    Option,
    OptionTable,
    setter,
    tuning_options,
)
from search_core.parts import load_part
from search_core.search_driver import set_log
from search_core.uci import UciWording
from search_core.uci_words import info_line
from search_core.version import __version__
from search_core.whole_number import whole_number
from ucci_engine.host_game import HostGame
from ucci_engine.levels import LEVELS
from ucci_engine.move_finder import MoveFinder
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, by_points
from ucci_engine.settings import MAX_SEED, RANDOMNESS, STYLES, XiangqiSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from search_core.thinker import Info, Result

_MAX_MULTIPV = 128


class UciProtocol(UciWording):
    """UCI for Xiangqi."""

    waiting_words = UciWording.waiting_words | {"fen", "startpos", "perft", "bench"}
    position_words = UciWording.position_words | {"d", "eval", "perft"}
    withholds_infinite = True

    def __init__(self, channel: LineChannel) -> None:
        self.settings = XiangqiSettings(changed=lambda: self.finder.clear())
        self.game = HostGame(self.settings)
        super().__init__(channel, self.settings, self.game)
        self.finder = MoveFinder(self, self.driver, self.settings, self.game)
        self.commands.update(
            {
                "ucinewgame": lambda words: self.finder.new_game(),
                # UCI-Cyclone leaves out `position`
                "fen": lambda words: self.common.set_position(["fen", *words]),
                "startpos": lambda words: self.common.set_position(["startpos", *words]),
                "isready": self._answer_ready,
                "d": lambda words: self._print("ucci_engine.display:board_lines"),
                "eval": lambda words: self._print("ucci_engine.display:evaluation_lines"),
                "perft": self._start_perft,
                "bench": self._start_bench,
                "compiler": lambda words: self._print_compiler(),
            }
        )
        self._show_wdl = False
        self._has_set_ranks = False
        highest = LEVELS[-1].elo
        self.options = OptionTable(
            [
                self.common.hash_option("Hash", 1, "hashsize"),
                Option("Threads", self.settings.set_threads, 1, minimum=1, maximum=MAX_THREADS),
                Option("Clear Hash", self.finder.new_game, None),
                Option("MultiPV", setter(self.finder, "multipv"), 1, minimum=1, maximum=_MAX_MULTIPV),
                Option("Ponder", setter(self.settings, "plans_to_ponder"), False),
                self.settings.overhead_option("Move Overhead"),
                Option("UCI_Variant", self._set_variant, "xiangqi", choices=("xiangqi",)),
                Option("Ranks", self._set_ranks, RANKS_FROM_0, choices=(RANKS_FROM_0, RANKS_FROM_1)),
                Option("UCI_ShowWDL", setter(self, "_show_wdl"), False),
                Option("Style", partial(self.settings.change, "style"), "normal", choices=STYLES),
                self.settings.evaluator_option("EvalFile"),
                self.settings.level_option("Level"),
                Option("Skill Level", setter(self.settings, "skill"), FULL_SKILL, maximum=FULL_SKILL),
                Option("UCI_LimitStrength", setter(self.settings, "limits_strength"), False),
                Option("UCI_Elo", setter(self.settings, "elo"), highest, minimum=LEVELS[0].elo, maximum=highest),
                Option("Randomness", setter(self.settings, "randomness"), "none", choices=RANDOMNESS),
                Option("Seed", setter(self.settings, "given_seed"), 0, maximum=MAX_SEED),
                *self.settings.rule_options("Repetition Rule", "Quiet Limit", self.notify),
                *self.finder.book.options("OwnBook", "BookFiles", "BookDepth", "BestBookMove"),
                Option("Debug Log File", lambda path: set_log(channel, path)),
                # Xiangqi has no such files, but lichess-bot refuses engines without this option.
                Option("SyzygyPath", lambda path: None),
                Option("UCI_AnalyseMode", setter(self.finder, "analyses"), False, listed=False),
                Option("UCI_Opponent", lambda opponent: None, listed=False),
                *tuning_options(self.settings.parameters),
            ],
            unknown="unknown option {}, ignored",
        )

    # Commands

    def command(self, line: str) -> None:
        if self.game.refused or not self.finder.obey_at_end(first_word(line), self.position_words):
            super().command(line)

    def introduce(self) -> None:
        self.lines.send(f"id name sanqi {__version__}")
        self.lines.send("id author the sanqi authors")
        self.list_options()
        self.common.warm_up()

    def go(self, words: list[str]) -> None:
        request = self.game.read_go(words)
        if request.perft is not None:
            self._start_perft([str(request.perft)])
        else:
            self.finder.start(request)

    def _answer_ready(self, words: list[str]) -> None:
        self.finder.prepare()
        self.common.answer_ready()

    def close(self) -> None:
        self.driver.close()
        self.finder.close()

    # Answers

    def show_info(self, info: Info) -> None:
        wdl = ""
        if self._show_wdl:
            from game_core.win_probability import per_mille
            from ucci_engine.win_probability import chances

            win, draw, loss = per_mille(chances(info.score, self.game.position))
            wdl = f" wdl {win} {draw} {loss}"
        self.lines.send(info_line(info, self.game.move_text, multipv=f" multipv {info.multipv}", wdl=wdl))

    def show_result(self, best: int | None, ponder: int | None, result: Result) -> None:
        if best is None:
            self.lines.send("bestmove (none)")
        elif ponder is None:
            self.lines.send(f"bestmove {self.game.move_text(best)}")
        else:
            self.lines.send(f"bestmove {self.game.move_text(best)} ponder {self.game.move_text(ponder)}")

    def show_book_move(self, move: int) -> None:
        self.lines.send(f"bestmove {self.game.move_text(move)}")

    # Extras

    def _print(self, part: str) -> None:
        """Send what a function says of the position."""
        for line in load_part(part)(self.game.position):
            self.lines.send(line)

    def _start_perft(self, words: list[str]) -> None:
        try:
            depth = whole_number(words[0]) if words else 0
        except ValueError:
            depth = 0
        if not 1 <= depth <= MAX_PERFT_DEPTH:
            got = excerpt(words[0]) if words else "nothing"
            self.notify(f"perft: expected a depth from 1 to {MAX_PERFT_DEPTH}, got {got}; nothing counted")
            return
        from search_core.perft import Perft

        perft, moves = Perft(self.game.position, depth), by_points(self.game.position.legal_moves())

        def work() -> None:
            total = 0
            for move, count in perft.divide(moves):
                total += count
                self._post_line(f"{self.game.move_text(move)}: {count}")
            if perft.cancelled:
                self._post_line(f"info string perft stopped after {total} leaves")
            else:
                self._post_line("")
                self._post_line(f"Nodes searched: {total}")

        self.driver.start_job(work, perft.cancel)

    def _start_bench(self, words: list[str]) -> None:
        from ucci_engine.bench import DEFAULT_DEPTH, bench

        numbers = [DEFAULT_DEPTH, 1, DEFAULT_HASH_MB]
        for index, word in enumerate(words[:3]):
            try:
                numbers[index] = whole_number(word)
            except ValueError:
                numbers[index] = 0
            if not 1 <= numbers[index] <= (127, MAX_THREADS, MAX_HASH_MB)[index]:
                self.notify(f"bench: expected depth, threads and hash in MB, got {excerpt(word)}; nothing searched")
                return
        job = bench(*numbers)

        def work() -> None:
            result = job.run()
            for line in result.lines() if result is not None else ["info string bench stopped"]:
                self._post_line(line)

        self.driver.start_job(work, job.cancel)

    def _print_compiler(self) -> None:
        import platform

        self.lines.send(
            f"info string sanqi {__version__}, Python {platform.python_version()}, {platform.python_compiler()},"
            f" {platform.system()} {platform.machine()}"
        )

    def _post_line(self, line: str) -> None:
        self.lines.post(lambda: self.lines.send(line))

    # Options

    def _set_variant(self, variant: str) -> None:
        # The option is Fairy-Stockfish's, and so is the convention of the hosts that set it: they count from 1.
        if not self._has_set_ranks:
            self.game.ranks, self.game.or_ranks = RANKS_FROM_1, RANKS_FROM_0

    def _set_ranks(self, ranks: str) -> None:
        self._has_set_ranks = True
        self.game.ranks, self.game.or_ranks = ranks, None
