"""The ThinkingThread of the board games: it searches.

The threads of a search share one table and what they learn; each has a Search
of its own with a copy of the game. The calling thread never searches.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import NamedTuple, TypeAlias

from search_core.game import MATE, MATE_BOUND, Game
from search_core.line_protocol import taken
from search_core.options import DEFAULT_HASH_MB
from search_core.readable import readable_info, readable_result
from search_core.search import Search
from search_core.signals import Signals
from search_core.table_fill import TableFill
from search_core.thinker import Info, Limits, Result
from search_core.thinking_thread import MoveSignals, OnInfo, OnMessage, Think, ThinkingThread
from search_core.transposition_table import TranspositionTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["MATE", "MATE_BOUND", "Engine", "Info", "Limits", "Result", "mate_in_plies"]

_FILL_SHARE = 4  # a search waits for its table for at most 1 / _FILL_SHARE of its time
_STAND_IN_MB = 4  # the table of a search that has no time to wait for the real one
_STOPPED_MB = 1  # the table of a search that was stopped while it waited
_LATE_WIN_MB = 8  # the table of the search past a limit of quiet moves
_LATE_WIN_SHARE = 5  # that search has 1 / _LATE_WIN_SHARE of the turn
_CLEARLY_BETTER = 100  # centipawns above a draw, for which that win is left
_ANY_MATE = 127  # own moves
_SLOW_MS = 3000  # from then on, one line is reported while its iteration goes on


def mate_in_plies(score: int) -> int | None:
    """Plies to the mate that `score` announces: positive when mating, negative when mated, None otherwise.

    0 if the side to move is mated already (``score == -MATE``).
    """
    if score >= MATE_BOUND:
        return MATE - score
    if score <= -MATE_BOUND:
        return -(MATE + score)
    return None


Show: TypeAlias = "Callable[[Info], None]"


class _Task(NamedTuple):
    """A search at full strength."""

    game: Game
    limits: Limits
    fill: TableFill
    show: Show
    on_message: OnMessage
    signals: MoveSignals


class Engine(ThinkingThread[Game]):
    """Runs one search at a time on worker threads; a ThinkingThread for every Game.

    `hash_mb` and `threads` may be set at any time. They apply from the next
    ensure_table() or go(); nothing is allocated before that.
    """

    def __init__(self) -> None:
        super().__init__()
        self.hash_mb = DEFAULT_HASH_MB
        self.threads = 1
        self.full_width = False
        self.plays_late_wins = True
        """Whether it plays for a win that runs past the limit of quiet moves, which the opponent need not claim. One
        that judges positions does not: by the rules they are drawn."""
        self.parameters: dict[str, int] = {}
        """Search parameters that override the game's own, by name."""
        self._fill: TableFill | None = None
        self._table: TranspositionTable | None = None  # of the last search
        self._notices: list[str] = []
        self._threads_reported = (1, 1)
        self._searches: list[Search] = []
        self._stale_histories = False
        self._told_of_late_win = False
        self._plans: dict[int, int] = {}  # of a level: level_play.py

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new_game(self) -> None:
        """Clear all that was learnt. The next ensure_table() or go() does it, so it costs nothing now."""
        self._stale_histories = True
        self._told_of_late_win = False
        self._plans = {}
        if self._fill is not None and (self._fill.used or self.thinking):
            self._fill.stale = True

    def ensure_table(self, on_ready: Callable[[], None] | None = None) -> bool:
        """Begin to make the table ready in the background, so that the next go() need not wait. Return whether it is
        ready.

        If it is not, a worker thread calls `on_ready` once it is ready or has failed. During a search, this does
        nothing and returns True.
        """
        if self.thinking:
            return True
        fill = self._begin_fill()
        return fill.over if on_ready is None else fill.when_over(on_ready)

    def cancel(self) -> None:
        """End the work of ensure_table() soon; its `on_ready` is called."""
        if self._fill is not None:
            self._fill.cancel()

    def prepare(self, game: Game, limits: Limits, on_info: OnInfo, on_message: OnMessage) -> Think:
        """The search of `game`, which it plays on.

        If the table is not ready, the search waits for it, but not after stop(), and only for a part of its time. Then
        it uses a small table.
        """
        show = on_info or (lambda info: None)
        if limits.level is not None:
            return partial(self._search_at_level, game, limits, show)
        fill = self._begin_fill()
        return lambda signals: self._search_fully(_Task(game, limits, fill, show, on_message, signals))

    def search(self, game: Game, limits: Limits, on_info: OnInfo = None) -> Result:
        """Search a copy of `game` and return when it is done; `on_info` is called from a worker thread.

        Moves and scores have a readable repr, unlike those of go(). Raises what go() raises. Ctrl-C stops the search
        and raises KeyboardInterrupt at once.
        """
        results: SimpleQueue[Result] = SimpleQueue()
        show = None if on_info is None else lambda info: on_info(readable_info(game, info))
        self.go(game, limits, show, results.put)
        try:
            return readable_result(game, taken(results))
        except KeyboardInterrupt:
            self.stop()
            raise

    def close(self) -> None:
        """Stop, wait, and free the memory."""
        self.stop()
        self.wait()
        self._table = None
        self._searches = []
        if self._fill is not None:
            self._fill.cancel()
            self._fill.join()
            self._fill.release()
            self._fill = None

    def probe(self, game: Game) -> tuple[int | None, int, int, str] | None:
        """What the table knows of a position: (move, depth, score, bound), or None. Safe while thinking."""
        table = self._table
        return None if table is None else table.look_up(game)

    def _search_at_level(self, game: Game, limits: Limits, show: Show, signals: MoveSignals) -> Result:
        """A search below full strength; its only Info is that of the move that is played."""
        from search_core.level_play import search_at_level

        assert limits.level is not None
        result = search_at_level(game, limits.level, limits, signals.search, self._plans)
        for line in result.lines:
            show(line)
        return result

    def _search_fully(self, task: _Task) -> Result:
        """A search at full strength, and a search past a limit of quiet moves."""
        limits = task.limits
        late_win = self._find_late_win(task)
        if late_win is not None and limits.nodes:
            task = task._replace(limits=replace(limits, nodes=max(limits.nodes - late_win.nodes, 1)))
        result = self._search(task)
        least = limits.draw_score + _CLEARLY_BETTER
        if late_win is not None and late_win.score >= MATE_BOUND and result.score < least:
            result = self._play_late_win(task, late_win, result)
        return result

    def _search(self, task: _Task) -> Result:
        limits, signals = task.limits, task.signals
        lines: dict[int, Info] = {}
        shown: Info | None = None
        several = limits.multipv > 1

        def report(
            depth: int,
            seldepth: int,
            line: int,
            score: int,
            bound: str,
            nodes: int,
            time_ms: int,
            hashfull: int,
            pv: tuple[int, ...],
        ) -> None:
            nonlocal shown
            solved = sum(search.solver_nodes for search in searches)  # first: the helpers go on counting
            nodes = sum(search.nodes for search in searches)
            nps = nodes * 1000 // max(time_ms, 1)
            info = Info(depth, seldepth, line + 1, score, bound, nodes, time_ms, nps, hashfull, pv, solved)
            if bound == "exact":
                lines[line] = info
            # A failed window is reported only when the iteration takes long, and never among several lines: its
            # variation ends where the window failed, and hosts keep the first report of each line at a depth.
            if bound == "exact" or (time_ms > _SLOW_MS and not several):
                task.show(info)
                if line == 0:
                    shown = info

        table = self._await_table(task)
        table.next_age()
        searches = self._ready_searches(task.game, table, signals.search, report)
        first = searches[0]
        for search in searches:
            search.depth_limit = limits.depth or 127
            search.node_limit = limits.nodes
            search.soft_nodes = limits.soft_nodes
            search.soft_ns = limits.soft_ms * 1_000_000
            search.hard_ns = limits.hard_ms * 1_000_000
            search.mate_limit = limits.mate
            search.multipv = max(limits.multipv, 1)
            search.draw_score = limits.draw_score
            search.full_width = self.full_width
            search.init_root_moves(limits.root_moves, limits.excluded_moves)
        helpers: list[threading.Thread] = []
        try:
            for search in searches[1:]:
                helper = threading.Thread(target=search.run, name="helper", daemon=True)
                try:
                    helper.start()
                except RuntimeError:  # the system gives no more threads
                    break
                helpers.append(helper)
            del searches[1 + len(helpers) :]
            self._note_threads(len(searches))
            if task.on_message is not None:
                for notice in self._notices:
                    task.on_message(notice)
                self._notices.clear()
            first.run()
            signals.released.wait()
        finally:
            signals.search.stop()
            for helper in helpers:
                helper.join()
        nodes = sum(search.nodes for search in searches)
        solved = sum(search.solver_nodes for search in searches)
        best = ponder = unfinished = None
        score = 0
        if found := first.lines():
            score, pv = found[0]
            if several and lines and lines[0].pv[0] != pv[0]:
                # The unfinished iteration has found another move, but not yet the lines beside it: the answer is the
                # first of the lines that were shown.
                score, pv = lines[0].score, lines[0].pv
            best, ponder = pv[0], pv[1] if len(pv) > 1 else None
            last = lines.get(0, Info(1, 1, 1, score, "lower", nodes, signals.search.elapsed_ms, 0, 0, pv, solved))
            if last.pv[0] != best:
                last = replace(
                    last,
                    depth=first.completed_depth + 1,
                    score=score,
                    bound="lower",
                    nodes=nodes,
                    pv=pv,
                    solver_nodes=solved,
                )
            unfinished = None if last is lines.get(0) else last
            if not several and (shown is None or shown.pv[0] != best):
                # The unfinished iteration found another move, or refuted one that it had shown: the last line shown
                # must begin with the move that is played.
                task.show(last)
        exact = tuple(lines[line] for line in sorted(lines))
        searches.clear()  # report() refers to it, and the searches to report(): megabytes until the next collection
        depth, time_ms = first.completed_depth, signals.search.elapsed_ms
        return Result(best, ponder, score, depth, nodes, time_ms, exact, solved, unfinished)

    def _find_late_win(self, task: _Task) -> Info | None:
        """The best line of a short search past a limit of quiet moves, if that is near and the turn has an end."""
        limits, signals = task.limits, task.signals.search
        turn_ms = limits.soft_ms or limits.hard_ms
        has_end = bool(limits.nodes or turn_ms) and not (limits.infinite or limits.ponder)
        if not self.plays_late_wins or not has_end or limits.mate or limits.multipv > 1:
            return None
        unlimited = task.game.past_quiet_limit()
        if unlimited is None:
            return None
        if self.parameters:
            unlimited.tune(self.parameters)
        try:
            search = Search(unlimited, TranspositionTable(_LATE_WIN_MB), signals)
        except MemoryError:
            return None
        search.depth_limit = limits.depth or search.depth_limit
        search.node_limit = (limits.nodes + _LATE_WIN_SHARE - 1) // _LATE_WIN_SHARE  # 0: no limit
        search.hard_ns = turn_ms * 1_000_000 // _LATE_WIN_SHARE
        search.mate_limit = _ANY_MATE
        search.draw_score = limits.draw_score
        if not search.init_root_moves(limits.root_moves, limits.excluded_moves):
            return None
        search.run()
        score, pv = search.lines()[0]
        depth, nodes, time_ms = search.completed_depth, search.nodes, signals.elapsed_ms
        return Info(depth, depth, 1, score, "exact", nodes, time_ms, nodes * 1000 // max(time_ms, 1), 0, pv)

    def _play_late_win(self, task: _Task, win: Info, drawn: Result) -> Result:
        """The result that plays a win which runs past the limit of quiet moves: the opponent may not claim the draw."""
        if task.on_message is not None and not self._told_of_late_win:
            task.on_message(f"the win in {MATE - win.score} plies exceeds the quiet-move limit; playing it anyway")
            self._told_of_late_win = True
        nodes = drawn.nodes + win.nodes
        win = replace(win, nodes=nodes, time_ms=drawn.time_ms, nps=nodes * 1000 // max(drawn.time_ms, 1))
        task.show(win)
        ponder = win.pv[1] if len(win.pv) > 1 else None
        return Result(win.pv[0], ponder, win.score, win.depth, nodes, drawn.time_ms, (win,))

    def _begin_fill(self) -> TableFill:
        """The fill of a table with the current settings; a new one if the last does not fit."""
        megabytes = max(self.hash_mb, 1)
        fill = self._fill
        if fill is None or fill.megabytes != megabytes or fill.stale or (fill.over and not fill.ready):
            fill = self._fill = TableFill(megabytes, fill)
        return fill

    def _await_table(self, task: _Task) -> TranspositionTable:
        """The table when it is ready, or a small one when that takes too long."""
        fill, limits, signals = task.fill, task.limits, task.signals
        share_ms = (limits.soft_ms or limits.hard_ms) / _FILL_SHARE  # 0: no time limit
        waiting = not fill.when_over(signals.wake)
        while waiting and not signals.search.stopped:
            left_s = None
            if share_ms and not signals.search.pondering:
                left_s = max(share_ms - signals.search.clock_ms, 0) / 1000
            if not signals.sleep(left_s):
                break
            waiting = not fill.over
        if fill.notice:
            self._notices.append(fill.notice)
            fill.notice = ""
        if fill.ready:
            fill.used = True
            self._table = fill.table
        else:
            self._table = TranspositionTable(
                min(fill.megabytes, _STOPPED_MB if signals.search.stopped else _STAND_IN_MB)
            )
        return self._table

    def _ready_searches(
        self, game: Game, table: TranspositionTable, signals: Signals, report: Callable[..., None]
    ) -> list[Search]:
        """A Search for each thread asked for, but at most 4 per processor, as many as fit in memory; at least one."""
        threads = max(min(self.threads, 4 * (os.cpu_count() or 1)), 1)
        if self._searches and (
            self._searches[0].history_slots != game.history_slots or self._searches[0].max_moves != game.max_moves
        ):
            self._searches = []
        del self._searches[threads:]
        if self._stale_histories:
            self._stale_histories = False
            if self._searches:
                self._searches[0].learnt.clear()
        for index in range(threads):
            reporter = report if index == 0 else None
            try:
                copy = game if index == 0 else game.copy()
                if self.parameters:
                    copy.tune(self.parameters)
                if index < len(self._searches):
                    self._searches[index].set_root(copy, table, signals, reporter)
                    continue
                search = Search(copy, table, signals, reporter, self._searches[0].learnt if self._searches else None)
            except MemoryError:
                if index == 0:
                    raise
                del self._searches[index:]
                break
            search.thread_index = index
            self._searches.append(search)
        return list(self._searches)

    def _note_threads(self, used: int) -> None:
        """Tell the user, once, that there are fewer threads than asked for."""
        reported = (self.threads, used)
        if used < self.threads and reported != self._threads_reported:
            self._notices.append(f"threads: {self.threads} asked, using {used}")
        self._threads_reported = reported
