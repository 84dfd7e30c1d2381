"""What the UCCI and the UCI adapter share: position, root moves, books, random choice, and background jobs.

Only the wording differs between the two; it is in ucci.py and uci.py. The
native modules are imported when first needed, never before the handshake.
"""

from __future__ import annotations

import threading

from search_core.levels import FULL
from search_core.line_protocol import LineChannel, excerpt
from search_core.options import CHECK, COMBO, SPIN, STRING, Option
from search_core.uci_base import UciBase
from ucci_engine.levels import CHOICES
from ucci_engine.own_book import DEFAULT_DEPTH, LARGEST_DEPTH, BookChoice, OwnBook
from ucci_engine.points import RANKS_FROM_0, START_FEN, MoveTextError, move_text, parse_move
from ucci_engine.position_command import GameOver, GivenPosition, read_position
from ucci_engine.rule_sets import (
    COMPUTER,
    MOVE_SPELLINGS,
    PIKAFISH_LIMITS,
    QUIET_LIMIT,
    QUIET_LIMITS,
    RULE_SETS,
    RULE_SPELLINGS,
)
from ucci_engine.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from search_core.go_command import GoRequest
    from search_core.thinker import Info, Limits, Result, Thinker
    from ucci_engine.classic_player import ClassicPlayer
    from ucci_engine.position import Position


_MOST_STARTS = 16


class Job:
    """A background job on a thread of its own, such as perft."""

    def __init__(self, work: Callable[[], None], cancel: Callable[[], None], done: Callable[[], None]) -> None:
        self.cancel = cancel
        self._work = work
        self._done = done
        threading.Thread(target=self._run, name="job", daemon=True).start()

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self._done()


class XiangqiAdapter(UciBase):
    """A Xiangqi engine behind a line protocol. Subclasses word what goes in and out."""

    uses_books: ClassVar[bool] = False
    """Whether the books that a host names are used before it says so."""

    def __init__(self, channel: LineChannel) -> None:
        super().__init__(channel)
        self.ranks = RANKS_FROM_0
        """How the ranks are counted, if the host's moves do not show it."""
        self.or_ranks: str | None = None
        """How they are counted, if the host's moves are legal only then."""
        self.multipv = 1
        self.settings: Settings = Settings(changed=self.new_game)
        self.book = OwnBook(self.notify, self.uses_books)
        self.analyses = False
        self._position: Position | None = None
        self._written_ranks: str | None = None
        self._banned: tuple[int, ...] = ()
        self._told_of_limit = False
        self._told_of_tail = False
        self._told_of_order = False
        self._starts: dict[str, None] = {}
        """The starts of the last _MOST_STARTS games that did not begin as all games do."""
        self._told_remark = ""
        self._game_over: GameOver | None = None
        """Why the current position has no next one, if the king can be taken in it."""
        self._job: Job | None = None
        self._classic_player: ClassicPlayer | None = None
        """Who finds the current move in the engine's place."""

    # The wording, given by the subclasses

    def show_info(self, info: Info) -> None:
        """Print one line of a search that goes on, of the `multipv` best."""
        raise NotImplementedError

    def show_result(self, best: int | None, ponder: int | None, result: Result) -> None:
        """Print the answer to a `go`. `best` None: there is no move that may be played."""
        raise NotImplementedError

    def show_book_move(self, move: int) -> None:
        """Print the answer to a `go` that a book gave."""
        raise NotImplementedError

    # Options

    def book_options(self, use: str, files: str, depth: str, best_only: str) -> list[Option]:
        """The options of the books, under these names and under those of the other protocol."""
        book = self.book
        return [
            Option(use, CHECK, book.set_enabled, book.enabled, aliases=("usebook", "ownbook")),
            Option(files, STRING, book.set_files, aliases=("bookfiles", "bookfile", "book file")),
            Option(depth, SPIN, book.set_depth, DEFAULT_DEPTH, minimum=0, maximum=LARGEST_DEPTH),
            Option(best_only, CHECK, book.set_best_only, book.best_only, aliases=("best book move",)),
        ]

    def rule_options(self, repetition: str, quiet_limit: str) -> list[Option]:
        """The options of the game's end, under these names, those of the other protocol and those of old hosts."""
        return [
            Option(
                repetition,
                COMBO,
                self._set_repetition_rule,
                COMPUTER,
                choices=RULE_SETS,
                spellings=RULE_SPELLINGS,
                aliases=("repetition rule", "repetitionrule", "repetition"),
            ),
            Option(
                quiet_limit,
                COMBO,
                self.settings.set_quiet_limit,
                str(QUIET_LIMIT),
                choices=tuple(QUIET_LIMITS),
                spellings=MOVE_SPELLINGS,
                aliases=("quiet limit", "quietlimit", "drawmoves"),
            ),
            # Pikafish's names of the same limit. A host that sent both names' defaults would undo what it has set, so
            # they are not listed.
            Option("Sixty Move Rule", CHECK, self._set_sixty_move_rule, True, listed=False),
            Option(
                "Rule60MaxPly",
                COMBO,
                self.settings.set_quiet_limit,
                str(QUIET_LIMIT),
                choices=PIKAFISH_LIMITS,
                listed=False,
            ),
        ]

    def _set_sixty_move_rule(self, applies: bool) -> None:
        self.settings.set_quiet_limit(str(QUIET_LIMIT) if applies else "none")

    def _set_repetition_rule(self, rule_set: str) -> None:
        self.settings.set_repetition_rule(rule_set)
        if rule_set == "Chinese":
            self.notify("Repetition Rule Chinese: mate threats are judged at the root only, deeper as by Computer")

    def level_option(self, name: str) -> Option:
        """The option that takes a level, under this name."""
        return Option(name, COMBO, self.settings.set_level, FULL, choices=CHOICES)

    def set_analysis(self, analyses: bool) -> None:
        """Whether the host analyses: then no book is used."""
        self.analyses = analyses

    # Position

    @property
    def position(self) -> Position:
        """The position of the last good `position` command; the start position before the first."""
        if self._position is None:
            self._position = read_position(["startpos"]).position
        self._position.set_rules(self.settings.repetition_rule, self.settings.quiet_limit)
        return self._position

    @property
    def position_given(self) -> bool:
        """Whether a `position` command has been obeyed yet."""
        return self._position is not None

    @property
    def output_ranks(self) -> str:
        """How to count the ranks of moves: as the host's moves show it, else as the option says."""
        return self._written_ranks or self.ranks

    def new_game(self) -> None:
        super().new_game()
        self.settings.new_game()
        self._told_of_limit = False
        self._told_remark = ""

    def load(self) -> None:
        super().load()
        import ucci_engine.position  # noqa: F401

    def warm_up(self) -> None:
        """Load the native modules in the background, so that the first `go` need not spend its time on it."""
        threading.Thread(target=self.preload, name="warm-up", daemon=True).start()

    def read_position(self, words: list[str]) -> Position:
        """The position that ``fen F [moves ...]`` or ``startpos [moves ...]`` describes.

        Raises SetUpError.
        """
        return self._read(words).position

    def _read(self, words: list[str]) -> GivenPosition:
        return read_position(words, self.ranks, or_ranks=self.or_ranks, starts=reversed(self._starts))

    def set_position(self, words: list[str]) -> None:
        """Make the described position the current one. Raises SetUpError; there is none until the next good one."""
        self._game_over = None
        self._banned = ()
        try:
            given = self._read(words)
        except GameOver as end:
            self._game_over, self._written_ranks = end, None
        else:
            self._position, self._written_ranks = given.position, given.ranks
            self._note_start(given.start)
            if given.led_to_fen and not self._told_of_order:
                self._told_of_order = True
                self.notify("position: the moves lead to the FEN and do not begin there; searching the FEN")
            if given.ignored and not self._told_of_tail:
                self._told_of_tail = True
                self.notify(f"position: {excerpt(given.ignored)} behind the FEN is not read")
            if given.remark and given.remark != self._told_remark:
                self._told_remark = given.remark
                self.notify(f"position: {given.remark}")

    def _note_start(self, start: str) -> None:
        """Keep the start of a game: a host may send it once, and then current positions with the moves so far."""
        if start != START_FEN:
            self._starts.pop(start, None)
            self._starts[start] = None
            if len(self._starts) > _MOST_STARTS:
                del self._starts[next(iter(self._starts))]

    def obey_at_end(self, word: str) -> bool:
        """Obey a command that needs the current position, if the king can be taken in it; return whether it is so.

        The answer to `go` is the move that takes the king. All other commands get a message.
        """
        end = self._game_over
        if end is None or word not in self.position_words - {"ponderhit", "probe"}:
            return False
        if word == "go":
            self._take_king(end.move)
        else:
            self.notify(f"{word}: {end}")
        return True

    def _take_king(self, move: int) -> None:
        from search_core.game import MATE
        from search_core.thinker import Info, Result

        line = Info(1, 1, 1, MATE - 1, "exact", 1, 0, 0, 0, (move,))
        self.show_info(line)
        self.show_result(move, None, Result(move, None, line.score, line.depth, line.nodes, 0, (line,)))

    def set_banned_moves(self, words: list[str]) -> list[str]:
        """Forbid moves at the root until the next set_position(). Returns the first MOST_FAULTS faults."""
        from search_core.go_command import MOST_FAULTS

        faults: list[str] = []
        banned: dict[int, None] = {}
        for word in dict.fromkeys(words):
            try:
                move = parse_move(word, self.output_ranks)
            except MoveTextError as error:
                if len(faults) < MOST_FAULTS:
                    faults.append(str(error))
                continue
            if self.position.is_legal(move):
                banned[move] = None
            elif len(faults) < MOST_FAULTS:
                faults.append(f"{excerpt(word)} is not legal here")
        self._banned = tuple(banned)
        return faults

    def close(self) -> None:
        super().close()
        if self._classic_player is not None:
            self._classic_player.close()
        self.book.close()

    # Searching

    @property
    def thinker(self) -> Thinker[Any]:
        return self._classic_player or self.engine

    @property
    def occupied(self) -> bool:
        """Whether a search or a job is running."""
        return super().occupied or self._job is not None

    def stop_search(self) -> None:
        """End the running search or job at once."""
        super().stop_search()
        if self._job is not None:
            self._job.cancel()

    def read_go(self, words: list[str], time_unit_ms: int = 1) -> GoRequest:
        """The words after `go`."""
        from search_core.go_command import parse_go

        ranks = self.output_ranks
        return parse_go(words, time_unit_ms, lambda text: parse_move(text, ranks))

    def start_search(self, request: GoRequest) -> None:
        """Begin the search that a `go` asked for. `show_result` always follows, at once if a stop follows."""
        if not self.position_given:
            self.notify("go: no position was given, searching the start position")
        position = self.position
        position.evaluator.set_style(self.settings.style)
        if position.is_past_quiet_limit and position.legal_moves():
            # The host goes on, so it does not count them; with the limit every move would be a draw.
            position.set_rules(self.settings.repetition_rule, None)
            if not self._told_of_limit:
                self.new_game()  # the table's scores are those with the limit
                self.notify(f"{self.settings.quiet_limit} plies without a capture draw; searching on without the limit")
                self._told_of_limit = True
        root_moves = []
        for move in request.moves:
            if position.is_legal(move):
                root_moves.append(move)
            else:
                request.note("searchmoves: a move is not legal here, ignored")
        if request.moves and not root_moves:
            request.note("searchmoves: none is left, searching all moves")
        request.moves = root_moves
        if (choice := self._book_choice(request, position)) is not None:
            self.tell_faults(request)
            self.notify(self._book_text(choice))
            self.show_book_move(choice.move)
            return
        self._choose_thinker()
        self.search(request, position, position.move_number - 1)

    def _choose_thinker(self) -> None:
        """Give the next move to the classic player that the host has named, or to the engine."""
        name = self.settings.classic_player
        if name is None:
            self._classic_player = None
            return
        from ucci_engine.classic_player import ClassicPlayer

        if self._classic_player is None:
            self._classic_player = ClassicPlayer()
        self._classic_player.name, self._classic_player.seed = name, self.settings.level_seed

    def _book_choice(self, request: GoRequest, position: Position) -> BookChoice | None:
        """A move from a book; none if the host wants to know what a search thinks."""
        asks_search = request.infinite or request.ponder or request.mate is not None or request.unlimited(position.side)
        if asks_search or request.moves or self.multipv > 1 or self.analyses:
            return None
        return self.book.choose(position, self._banned, str(self.settings.seed))

    def _book_text(self, choice: BookChoice) -> str:
        text = f"book {choice.book}: {move_text(choice.move, self.output_ranks)}"
        return f"{text}, weight {choice.weight} of {choice.weights}" if choice.weight > 0 else text

    def limits(self, request: GoRequest, side: int, moves_played: int) -> Limits:
        from dataclasses import replace

        settings = self.settings
        return replace(
            super().limits(request, side, moves_played),
            multipv=max(self.multipv, settings.random_lines),
            excluded_moves=self._banned,
            draw_score=settings.draw_score,
            level=settings.level,
            seed=settings.level_seed,
        )

    def start_job(self, work: Callable[[], None], cancel: Callable[[], None]) -> None:
        """Do `work` on a thread of its own; `busy` until it ends. `cancel` must end it soon."""
        self._begin_work()
        self._job = Job(work, cancel, lambda: self.post(self._end_job))
        if self.stop_follows:
            self.stop_search()

    def show(self, info: Info) -> None:
        if info.multipv <= self.multipv:
            self.show_info(info)

    def answer(self, result: Result) -> None:
        best, ponder = self._choose(result)
        self.show_result(best, ponder, result)

    def _end_job(self) -> None:
        self._job = None
        self._stopping = False

    def _choose(self, result: Result) -> tuple[int | None, int | None]:
        from search_core.engine import mate_in_plies

        best, ponder = result.best, result.ponder
        if (
            not self.settings.random_margin
            or self.settings.level
            or best is None
            or mate_in_plies(result.score) is not None
        ):
            return best, ponder
        floor = result.score - self.settings.random_margin
        pool = [line.pv for line in result.lines if line.pv and line.score >= floor]
        if len(pool) < 2:
            return best, ponder
        import random

        # The choice depends only on seed and position, so that a game can be
        # replayed from its seed whatever was searched in between.
        chance = random.Random(f"{self.settings.seed} {self.position.key}")
        pv = chance.choice(pool)
        return pv[0], pv[1] if len(pv) > 1 else None
