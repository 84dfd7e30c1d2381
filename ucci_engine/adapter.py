"""What the UCCI and the UCI adapter share: position, root moves, random choice, and background jobs.

Only the wording differs between the two; it is in ucci.py and uci.py. The
native modules are imported when first needed, never before the handshake.
"""

from __future__ import annotations

import threading

from search_core.engine_protocol import SetUpError
from search_core.line_protocol import LineChannel, excerpt
from search_core.uci_base import UciBase
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, START_FEN, MoveTextError, parse_move
from ucci_engine.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from search_core.go_command import GoRequest
    from search_core.thinker import Info, Limits, Result
    from ucci_engine.position import Position


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

    def __init__(self, channel: LineChannel) -> None:
        super().__init__(channel)
        self.ranks = RANKS_FROM_0
        self.multipv = 1
        self.settings: Settings = Settings(changed=self.new_game)
        self._position: Position | None = None
        self._written_ranks: str | None = None
        self._banned: tuple[int, ...] = ()
        self._job: Job | None = None

    # The wording, given by the subclasses

    def show_info(self, info: Info) -> None:
        """Print one line of a search that goes on, of the `multipv` best."""
        raise NotImplementedError

    def show_result(self, best: int | None, ponder: int | None, result: Result) -> None:
        """Print the answer to a `go`. `best` None: there is no move that may be played."""
        raise NotImplementedError

    # Position

    @property
    def position(self) -> Position:
        """The position of the last good `position` command; the start position before the first."""
        if self._position is None:
            self._position = self._set_up(START_FEN, [], RANKS_FROM_0)
        return self._position

    @property
    def position_given(self) -> bool:
        """Whether a `position` command has been obeyed yet."""
        return self._position is not None

    @property
    def output_ranks(self) -> str:
        """How to count the ranks of moves: as in the host's own moves if it sent any, else as the option says."""
        return self._written_ranks or self.ranks

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
        return self._read_position(words)[0]

    def set_position(self, words: list[str]) -> None:
        """Make the described position the current one. Raises SetUpError; nothing has changed then."""
        self._position, self._written_ranks = self._read_position(words)
        self._banned = ()

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

    def _read_position(self, words: list[str]) -> tuple[Position, str | None]:
        what = words[0].lower() if words else ""
        rest = words[1:]
        lowered = [word.lower() for word in rest]
        split = lowered.index("moves") if "moves" in lowered else len(rest)
        moves = rest[split + 1 :]
        if what == "fen":
            fen = " ".join(rest[:split])
        elif what == "startpos":
            if split > 0:
                raise SetUpError(f"expected 'moves' after startpos, got {excerpt(rest[0])}")
            fen = START_FEN
        else:
            raise SetUpError(f"expected 'fen' or 'startpos', got {excerpt(words[0]) if words else 'nothing'}")
        try:
            return self._set_up(fen, moves, self.ranks), None
        except SetUpError:
            # Hosts made for Fairy-Stockfish count the ranks from 1. A whole
            # game is legal in only one of the two ways.
            other = RANKS_FROM_1 if self.ranks == RANKS_FROM_0 else RANKS_FROM_0
            if moves:
                try:
                    return self._set_up(fen, moves, other), other
                except SetUpError:
                    pass
            raise

    def _set_up(self, fen: str, moves: list[str], ranks: str) -> Position:
        from ucci_engine.position import FenError, IllegalMove, Position

        try:
            position = Position(fen)
        except FenError as error:
            raise SetUpError(str(error)) from None
        for number, text in enumerate(moves, 1):
            try:
                position.push(parse_move(text, ranks))
            except MoveTextError as error:
                raise SetUpError(f"move {number}: {error}") from None
            except IllegalMove:
                raise SetUpError(f"move {number}: {excerpt(text)} is not legal there") from None
        return position

    # Searching

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
        root_moves = []
        for move in request.moves:
            if position.is_legal(move):
                root_moves.append(move)
            else:
                request.note("searchmoves: a move is not legal here, ignored")
        if request.moves and not root_moves:
            request.note("searchmoves: none is left, searching all moves")
        request.moves = root_moves
        self.search(request, position, position.move_number - 1)

    def limits(self, request: GoRequest, side: int, moves_played: int) -> Limits:
        from dataclasses import replace

        return replace(
            super().limits(request, side, moves_played),
            multipv=max(self.multipv, self.settings.random_lines),
            excluded_moves=self._banned,
            draw_score=self.settings.draw_score,
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
        if not self.settings.random_margin or best is None or mate_in_plies(result.score) is not None:
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
