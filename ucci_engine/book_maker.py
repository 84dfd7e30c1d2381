"""Makes an opening book by the engine's own searches, from the start of a game.

Searched are the positions that good moves of both sides reach, the likeliest first. The scores are then followed back
from the ends of the lines, so that a move is judged by the best play after it.
"""

from __future__ import annotations

import heapq
import io
import itertools
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from search_core.clock import now_s
from search_core.engine import MATE, MATE_BOUND, Engine, Info, Limits
from search_core.failures import named
from search_core.growing_file import GrowingFile
from search_core.input_file import read_input
from search_core.line_protocol import excerpt
from ucci_engine.book_files import new_book
from ucci_engine.books import BookError, BookMove, mirrored_move
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position

LOG_SUFFIX = ".searches"
"""Of the file beside the book that keeps the searches."""
TOP_WEIGHT = 1000
"""Of the best move of a position."""

_HALF_CP = 10  # a move that loses this many centipawns gets half of the weight
_PLY_CP = 10  # a ply makes a position as unlikely as a loss of this many centipawns
_LINES = 4  # moves of a position that are searched
_TRIAL_NODES = 100_000  # of a search that shows how fast the machine is
_AHEAD = 16  # searches that are begun before the result of the first one is used, with any number of jobs

Scored: TypeAlias = "list[tuple[int, int]]"
"""Moves of a position and their scores in centipawns, the best one first."""


class SearchLog:
    """The searches made so far, in a file. Raises BookError.

    Parameters
    ----------
    path : str
    nodes : int
        Of each search.
    resumed : bool
        Whether the file is read if it exists; else it must be new. What a killed program left at its end is cut off.
    """

    def __init__(self, path: str, nodes: int, resumed: bool) -> None:
        self._known: dict[str, Scored] = {}
        self._head = f"sanqi book searches: {nodes} nodes, {_LINES} moves\n"
        self._name = excerpt(path)
        is_new = not os.path.exists(path)
        if not is_new and not resumed:
            raise BookError(f"{self._name}: the file of the searches exists already; continue with --resume")
        with named(self._name, OSError, BookError):
            size = 0 if is_new else self._read(path)
            self._file = GrowingFile(path, "xb" if is_new else "r+b")
        try:
            self._file.file.truncate(size)
            if not size:
                self._write(self._head)
        except BaseException:
            self._file.close()
            if is_new:
                os.remove(path)
            raise

    def __len__(self) -> int:
        return len(self._known)

    def __enter__(self) -> SearchLog:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def get(self, place: str) -> Scored | None:
        """The search of a place; None: it was not made yet."""
        return self._known.get(place)

    def add(self, place: str, scored: Scored) -> None:
        """Write a search."""
        self._known[place] = scored
        self._write(" ".join([f"{place}:", *(f"{move_text(move)} {score}" for move, score in scored)]) + "\n")

    def _write(self, line: str) -> None:
        with named(self._name, OSError, BookError):
            self._file.append(line.encode())

    def _read(self, path: str) -> int:
        """Read the whole lines. Returns their size in bytes. Raises OSError, too."""
        size = 0
        for number, line in enumerate(io.BytesIO(read_input(path)), 1):
            if not line.endswith(b"\n"):
                break
            size += len(line)
            if number == 1:
                if line != self._head.encode():
                    raise BookError(f"{self._name}: its searches are none of this program with as many nodes")
                continue
            place, _, rest = line.decode("ascii", "replace").partition(":")
            try:
                self._known[place] = _read_search(place, rest.split())
            except ValueError:
                raise BookError(f"{self._name}: line {number} of its searches is damaged") from None
        return size


def _read_search(place: str, words: list[str]) -> Scored:
    """The search of a place. Raises ValueError if it cannot be one."""
    position = Position(place)
    scored = [(parse_move(move), int(score)) for move, score in zip(words[::2], words[1::2], strict=True)]
    scores = [score for _, score in scored]
    if (
        _place_of(position) != place
        or len(dict(scored)) != len(scored)
        or not all(position.is_legal(move) for move, _ in scored)
        or scores != sorted(scores, reverse=True)
        or any(abs(score) > MATE for score in scores)
    ):
        raise ValueError(place)
    return scored


class _Place(NamedTuple):
    """A position that is searched."""

    level: int
    """Plies from the start of a game, on the likeliest way."""
    scored: Scored


class BookMaker:
    """Searches positions for a book.

    Parameters
    ----------
    log : SearchLog
    nodes : int
        Of each search.
    margin_cp : int
        How much worse than the best one a move of the book may be.
    jobs : int
        Searches at the same time. The book does not depend on it.
    """

    def __init__(self, log: SearchLog, nodes: int, margin_cp: int, jobs: int) -> None:
        self._log = log
        self._limits = Limits(nodes=nodes, multipv=_LINES)
        self._margin_cp = margin_cp
        self._jobs = jobs
        self._cancelled = threading.Event()
        self._of_thread = threading.local()
        self._engines: list[Engine] = []
        self._places: dict[str, _Place] = {}

    def cancel(self) -> None:
        """End search() soon. Any thread may call it."""
        self._cancelled.set()
        for engine in self._engines:
            engine.stop()

    def estimate_s(self, count: int) -> float:
        """About how many seconds search() will take for `count` positions, by a short search on each job."""
        missing = max(count - len(self._log), 0)
        limits = replace(self._limits, nodes=min(self._limits.nodes, _TRIAL_NODES))

        def trial(_: int) -> float:
            with Engine() as engine:
                self._engines.append(engine)
                begun_s = now_s()
                for _ in range(2):  # the first one waits for memory
                    begun_s = now_s()
                    engine.new_game()
                    if not self._cancelled.is_set():
                        engine.search(Position(START_FEN), limits)
                self._engines.remove(engine)
                return now_s() - begun_s

        with ThreadPoolExecutor(self._jobs) as pool:
            slowest_s = max(pool.map(trial, range(self._jobs if missing else 0)), default=0.0)
        return slowest_s * self._limits.nodes / limits.nodes * missing / self._jobs

    def search(self, count: int, on_position: Callable[[], None]) -> None:
        """Search `count` positions, fewer after cancel(); `on_position` is called for each. Raises BookError."""
        start = _place_of(Position(START_FEN))
        costs = {start: 0}  # in centipawns, of all places that were seen
        heap = [(0, 0, start, 0)]  # with a number that keeps equal ones in order, and the level
        numbers = itertools.count(1)
        waiting: deque[tuple[str, int, Future[Scored]]] = deque()
        begun: set[str] = set()
        with ThreadPoolExecutor(self._jobs) as pool:
            try:
                while len(self._places) < count and (heap or waiting):
                    while heap and len(waiting) < _AHEAD and len(begun) < count:
                        _, _, place, level = heapq.heappop(heap)
                        if place not in begun:
                            begun.add(place)
                            waiting.append((place, level, pool.submit(self._scored, place)))
                    place, level, future = waiting.popleft()
                    scored = future.result()
                    if self._cancelled.is_set():
                        return
                    if self._log.get(place) is None:
                        self._log.add(place, scored)
                    self._places[place] = _Place(level, scored)
                    on_position()
                    for move, score in self._good(scored):
                        child = _after(place, move)
                        cost = costs[place] + scored[0][1] - score + _PLY_CP
                        if child not in begun and cost < costs.get(child, cost + 1):
                            costs[child] = cost
                            heapq.heappush(heap, (cost, next(numbers), child, level + 1))
            finally:
                self._cancelled.set()  # for those that still wait

    def close(self) -> None:
        """Free the memory of the searches."""
        for engine in self._engines:
            engine.close()

    def write(self, target: str) -> tuple[int, int]:
        """Write the book, in the format of the suffix; a file of this name is replaced.
        Returns the number of moves and of positions. Raises BookError."""
        judged = self._judged()
        moves = 0
        with new_book(target, replace=True) as writer:
            reached = _reached(judged)
            for place in reached:
                position = Position(place)
                entries = dict(judged[place])
                if _is_symmetric(place):  # such a place is looked up once
                    entries |= {mirrored_move(move): weight for move, weight in entries.items()}
                writer.add(position, [BookMove(move, weight) for move, weight in entries.items()])
                moves += len(entries)
        return moves, len(reached)

    def _scored(self, place: str) -> Scored:
        """A search; on a thread of the pool."""
        known = self._log.get(place)
        if known is not None or self._cancelled.is_set():
            return known or []
        if not hasattr(self._of_thread, "engine"):
            self._of_thread.engine = Engine()
            self._engines.append(self._of_thread.engine)
        engine: Engine = self._of_thread.engine
        engine.new_game()  # so that the scores depend on nothing else
        position = Position(place)
        limits = self._limits
        if _is_symmetric(place):
            legal = sorted(position.legal_moves())
            one_side = tuple(move for move in legal if move <= mirrored_move(move))
            limits = Limits(nodes=limits.nodes, multipv=limits.multipv, root_moves=one_side)
        scores: dict[int, dict[int, int]] = {}  # of the moves, by depth

        def on_info(info: Info) -> None:
            if info.bound == "exact":
                scores.setdefault(info.depth, {})[info.pv[0]] = info.score

        engine.search(position, limits, on_info)
        # An unfinished iteration has not all moves.
        complete = max(scores.items(), key=lambda item: (len(item[1]), item[0]), default=(0, {}))[1]
        return sorted(complete.items(), key=lambda entry: -entry[1])

    def _good(self, scored: Scored) -> Scored:
        """The moves within the margin; none if the game is decided."""
        if not scored or abs(scored[0][1]) >= MATE_BOUND:
            return []
        return [(move, score) for move, score in scored if score >= scored[0][1] - self._margin_cp]

    def _judged(self) -> dict[str, list[tuple[int, int]]]:
        """The moves of each place with their weights, after the scores were followed back."""
        values: dict[str, int] = {}
        judged: dict[str, list[tuple[int, int]]] = {}
        for place, (level, scored) in sorted(self._places.items(), key=lambda item: -item[1].level):
            good = []
            for move, score in self._good(scored):
                child = _after(place, move)
                if child in values and self._places[child].level > level:  # else the moves could go round in a circle
                    score = -values[child]
                good.append((move, score))
            if good:
                values[place] = best = max(score for _, score in good)
                judged[place] = [
                    (move, round(TOP_WEIGHT * 0.5 ** ((best - score) / _HALF_CP)))
                    for move, score in good
                    if score >= best - self._margin_cp
                ]
        return judged


def _reached(judged: dict[str, list[tuple[int, int]]]) -> list[str]:
    """The places that the moves reach from the start of a game."""
    places = [_place_of(Position(START_FEN))]
    seen = set(places)
    for place in places:  # it grows
        for move, _ in judged[place]:
            child = _after(place, move)
            if child in judged and child not in seen:
                seen.add(child)
                places.append(child)
    return places


def _place_of(position: Position) -> str:
    """Board and side as in a FEN; the same for a position and its mirror image."""
    board, side = position.fen().split()[:2]
    return f"{min(board, _mirrored(board))} {side}"


def _after(place: str, move: int) -> str:
    position = Position(place)
    position.push(move)
    return _place_of(position)


def _is_symmetric(place: str) -> bool:
    board = place.split()[0]
    return board == _mirrored(board)


def _mirrored(board: str) -> str:
    return "/".join(rank[::-1] for rank in board.split("/"))
