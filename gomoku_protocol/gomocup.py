"""The Gomocup protocol, as Piskvork and the other managers speak it, with the Yixin words that analysis programs use.

A command is answered by one line: a move, OK, ERROR or UNKNOWN; INFO by none.
A command that is refused changes nothing. MESSAGE lines may come before an
answer. SUGGEST is never sent: every manager takes a move, not every one a
suggestion.

The native modules are imported with the first game, so that ABOUT and INFO before it are answered at once.
"""

from __future__ import annotations

import time
from functools import partial

from gomoku_protocol.evaluators import default_evaluator
from gomoku_protocol.gomocup_words import (
    BLOCKS,
    DATABASE_BLOCKS,
    FILE_WORDS,
    NEW_GAME,
    NO_DATABASE,
    OWED_A_MOVE,
    STEP_BLOCKS,
    STEPS,
    WAITING,
    Block,
)
from gomoku_protocol.levels import WEIGHTS
from gomoku_protocol.points import (
    LARGEST_SIZE,
    RENJU,
    SMALLEST_SIZE,
    PointError,
    parse_numbers,
    parse_point,
    point_of,
    point_text,
)
from gomoku_protocol.settings import STEADY, Settings
from gomoku_protocol.stones import BLACK, Stones
from search_core.clock import now_s
from search_core.failures import SetUpError
from search_core.line_protocol import LineChannel, OverlongLine, excerpt, first_word
from search_core.options import LARGEST_HASH_MB, LARGEST_THREADS
from search_core.search_driver import SearchProtocol
from search_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from gomoku_protocol.opening import Questions
    from gomoku_protocol.yixin_openings import Reply

    A = TypeVar("A")
    from gomoku_protocol.position import Position
    from search_core.thinker import Info, Result

_LARGEST_MULTIPV = 128
_START_UP_FACTOR = 2  # wall time over processor time of our start, on a machine that is busy
_LONGEST_ANSWER_MS = 10_000  # for what needs several searches: SWAP2BOARD, YXBALANCEONE


class Refusal(ValueError):
    """A command that cannot be obeyed; the message is one line for the user."""


def score_text(score: int) -> str:
    """A score as analysis programs read it: centipawns, or the plies to a win (``+M5``) or a loss (``-M4``)."""
    from search_core.engine import mate_in_plies

    plies = mate_in_plies(score)
    if plies is None:
        return str(score)
    return f"{'+' if score > 0 else '-'}M{abs(plies)}"


class GomocupProtocol(SearchProtocol):
    """A Gomoku engine behind the Gomocup protocol.

    Parameters
    ----------
    channel : LineChannel
        To the manager.
    bill_start : bool
        Whether the start of the process is taken from the time of the first move.
    """

    def __init__(self, channel: LineChannel, bill_start: bool = False) -> None:
        self.settings: Settings = Settings(changed=lambda: self.driver.new_game())
        super().__init__(channel, self.settings)
        self._commands: dict[str, Callable[[str], None]] = {
            "start": self._start,
            "rectstart": self._rect_start,
            "restart": self._restart,
            "begin": self._begin,
            "turn": self._turn,
            "done": self._done,
            "takeback": self._take_back,
            "play": self._play,
            "info": self._info,
            "about": self._about,
            "end": self._end,
            "stop": self._stop,
            "yxstop": self._stop,
            "yxnbest": self._n_best,
            "yxsearchdefend": self._search_defend,
            "yxbalanceone": self._balance_one,
            "yxbalancetwo": self._balance_two,
            "yxblockreset": self._unblock_all,
            "yxshowforbid": self._show_forbidden,
            "yxshowinfo": self._show_capacity,
            "yxhashclear": self._clear_hash,
            "yxshowhashusage": self._show_hash_usage,
            "yxdraw": self._weigh_draw,
            "yxresign": self._accept_resignation,
            "yxdbcheck": self._say_no_database,
            "yxdbfix": self._say_no_database,
            "yxsavedatabase": self._say_no_database,
            **{word: partial(self._open_file, word) for word in FILE_WORDS},
            **{word: partial(self._step, word, []) for word in STEPS},
        }
        self._blocks: dict[str, Callable[[list[str]], None]] = {
            "board": self._board,
            "yxboard": self._yixin_board,
            "swap2board": self._swap2,
            "yxblock": self._block_points,
            "yxblockundo": self._unblock,
            **dict.fromkeys(DATABASE_BLOCKS, lambda lines: self._say_no_database("")),
            "yxquerydatabaseall": self._query_database,
        }
        self._stones: Stones | None = None
        self._blocked: set[int] = set()  # moves that the next searches may not begin with
        self._block: Block | None = None
        self._read_at = 0.0  # when the first line of the command was read: the turn clock runs from there
        self._bill_start = bill_start
        self._start_up_s = 0.0  # still to be counted for the first move
        self._silent = False
        self._host_is_yixin = False
        """Yixin-Board asks YXSHOWINFO. If its person takes a move back during a search, it passes over one of ours."""
        self._told_of_database = False
        self._awaits_file = False
        """Whether the next line is the name of a file."""
        self._questions: Questions[Any] | None = None
        self._answer: Callable[[Any], None] = self._answer_swap2
        self._last: Result | None = None
        """Of the last search for a move in this game."""
        self._deadline = 0.0
        self._style = STEADY, 0  # of the searches so far, and for which side

    # Lines

    def can_handle(self, line: str | None) -> bool:
        if not self.busy:
            return True
        word = first_word(line)
        if self.driver.is_preparing:
            return line is None
        # A move that comes now would be read as the answer to this; one that STOP asks for is owed.
        if not isinstance(line, OverlongLine):
            if word in NEW_GAME:
                self._end_game()
            elif word == "takeback" and not self.driver.stopping:
                self._abandon()
        return word not in NEW_GAME and word not in WAITING

    def handle_out_of_order(self, line: str | None) -> bool:
        word = first_word(line)
        if word == "end":
            self._end("")
            return True
        if word in NEW_GAME:
            self._end_game()
            self.lines.stop_waiting()
        elif word in ("stop", "yxstop"):
            self.driver.say_owed()  # who wants a move now does not wait for a table
            self.driver.stop()
            self.lines.stop_waiting()  # it waits itself, since it may end a board that has no DONE
        return super().handle_out_of_order(line)

    def command(self, line: str) -> None:
        word = first_word(line)
        rest = line[len(word) :].strip()
        known = word in self._commands or word in BLOCKS
        awaits_file, self._awaits_file = self._awaits_file, False
        if awaits_file and not known:
            return
        if self._block is not None:
            if not known:
                self._block.add(line)
                return
            if word not in ("done", "info", "end"):
                self._refuse(f"{self._block.word.upper()}: no DONE before {word.upper()}; nothing has changed")
                self._block = None
        if self._block is None and not self.busy:
            self._read_at = now_s()
        if word.startswith("yx"):
            self.settings.yixin = True
        try:
            if word in BLOCKS:
                self._block = Block(word, rest)
            elif known:
                self._commands[word](rest)
            else:
                self.send(f"UNKNOWN {excerpt(line)}")
        except (Refusal, PointError, SetUpError) as error:
            self._refuse(f"{word.upper()}: {error}; nothing has changed")

    def refuse_overlong(self, line: OverlongLine) -> None:
        word = first_word(line)
        if word == "info":  # is never answered
            self.settings.remark(f"{line.fault}; nothing has changed")
        elif self._block is not None and word not in self._commands and word not in BLOCKS:
            self._block.fault = self._block.fault or line.fault
        else:
            self._block = None
            self._refuse(f"{line.fault}; nothing has changed")

    def answer_failure(self, line: str) -> None:
        word = first_word(line)
        if self.busy or word == "info":
            return
        if word in OWED_A_MOVE and self._stones is not None:
            self._play_anything(self._stones)
        else:
            self._refuse(f"{word.upper()} failed")

    def notify(self, text: str) -> None:
        self.send(f"MESSAGE {text}")

    def send(self, line: str) -> None:
        if not self._silent:
            self.lines.send(line)

    def _refuse(self, text: str) -> None:
        self.send(f"ERROR {text}")

    # Games and moves

    def _start(self, rest: str) -> None:
        words = rest.split()
        try:
            # Yixin-Board says the size of a square board twice.
            [size] = {parse_numbers(word, 1)[0] for word in words} if len(words) < 3 else {0}
        except (PointError, ValueError):
            size = 0
        if not SMALLEST_SIZE <= size <= LARGEST_SIZE:
            raise Refusal(f"expected a size from {SMALLEST_SIZE} to {LARGEST_SIZE}, got {excerpt(rest)}")
        self._begin_game(size, size)

    def _rect_start(self, rest: str) -> None:
        try:
            width, height = parse_numbers(rest, 2)
        except PointError:
            width = height = 0
        if not all(SMALLEST_SIZE <= size <= LARGEST_SIZE for size in (width, height)):
            raise Refusal(f"expected width,height from {SMALLEST_SIZE} to {LARGEST_SIZE}, got {excerpt(rest)}")
        self._begin_game(width, height)

    def _restart(self, rest: str) -> None:
        stones = self._board_in_use
        self._begin_game(stones.width, stones.height)

    def _begin_game(self, width: int, height: int) -> None:
        first = self._stones is None
        self._stones = Stones(width, height)
        self._last = None
        self.settings.clock.start_match()
        self.settings.new_game()
        self.driver.new_game()
        # What a search needs is made ready before OK, since the clock of the first move may run from then on: modules
        # (20 ms), and an empty table. The first game's is made ready in the background: managers write what it may
        # take just after START, and wait least then.
        import gomoku_protocol.opening
        import gomoku_protocol.position  # noqa: F401
        import search_core.engine  # noqa: F401

        if first:
            if self._bill_start:
                # The manager's clock may have run since it started us; processor time leaves out what we slept, and
                # what it held us up. Not later: the threads that fill a large table use much of it beside the game.
                self._start_up_s = time.process_time() * _START_UP_FACTOR
            self.driver.prepare_table()
            self.send("OK")
        else:
            self.driver.say_when_ready(lambda: self.send("OK"))

    @property
    def _board_in_use(self) -> Stones:
        if self._stones is None:
            raise Refusal("there is no board yet, expected START first")
        return self._stones

    def _begin(self, rest: str) -> None:
        if len(self._board_in_use) > 0:
            raise Refusal("the board is not empty, expected TURN or BOARD")
        self._think()

    def _turn(self, rest: str) -> None:
        stones = self._board_in_use
        move = stones.vacant_point(rest, self.settings.rule)
        self._going_on(stones)
        if len(stones) + 1 == stones.width * stones.height:
            raise Refusal("the board is full then")
        stones.place(move)
        self._think()

    def _play(self, rest: str) -> None:
        stones = self._board_in_use
        move = stones.vacant_point(rest, self.settings.rule)
        self._going_on(stones)
        self._put(stones, move)

    def _take_back(self, rest: str) -> None:
        self._board_in_use.take_back(rest)
        self.send("OK")

    def _position(self, stones: Stones) -> Position:
        return stones.position(self.settings.rule)

    def _going_on(self, stones: Stones) -> Position:
        """The position, in which nobody has won."""
        position = self._position(stones)
        if position.winner is not None:
            raise Refusal("the game is over")
        return position

    # Commands of several lines

    def _done(self, rest: str) -> None:
        block = self._block
        if block is None:
            raise Refusal("expected BOARD, YXBOARD or SWAP2BOARD first")
        self._block = None
        try:
            if block.fault:
                raise Refusal(block.fault)
            if block.word in STEP_BLOCKS:
                self._step(block.word, block.lines, block.rest)
            else:
                self._blocks[block.word](block.lines)
        except (Refusal, PointError, SetUpError) as error:
            self._refuse(f"{block.word.upper()}: {error}; nothing has changed")

    def _board(self, lines: list[str]) -> None:
        width, height = self._board_in_use.width, self._board_in_use.height
        stones = Stones.from_board(width, height, lines, own_last=False)
        if len(stones) == width * height:
            raise Refusal("the board is full")
        self._stones = stones
        self._think()

    def _yixin_board(self, lines: list[str]) -> None:
        stones = self._board_in_use
        self._stones = Stones.from_board(stones.width, stones.height, lines, own_last=True)

    def _block_points(self, lines: list[str]) -> None:
        self._blocked |= self._points(lines)

    def _unblock(self, lines: list[str]) -> None:
        self._blocked -= self._points(lines)

    def _unblock_all(self, rest: str) -> None:
        self._blocked.clear()

    def _points(self, lines: list[str]) -> set[int]:
        stones = self._board_in_use
        points = set()
        for number, line in enumerate(lines, 1):
            try:
                points.add(stones.point_on_board(*parse_point(line)))
            except PointError as error:
                raise Refusal(f"line {number}: {error}") from None
        return points

    # Answers that need several searches

    def _swap2(self, lines: list[str]) -> None:
        stones = Stones.from_moves(self._board_in_use.width, self._board_in_use.height, lines)
        if len(stones) not in (0, 3, 5):
            raise Refusal(f"expected 0, 3 or 5 stones, got {len(stones)}")
        from gomoku_protocol.opening import answer

        questions = answer(self._going_on(stones), len(stones), self._remaining_ms, self.settings.chance)
        self._begin_questions(questions, self._answer_swap2, stones)

    def _answer_swap2(self, moves: list[int] | None) -> None:
        self._charge()
        self.send("SWAP" if moves is None else " ".join(map(point_text, moves)))

    def _balance_one(self, rest: str) -> None:
        from gomoku_protocol.opening import balance_one

        bias, position = self._bias(rest), self._playable()
        questions = balance_one(position, bias, self._remaining_ms, self._blocked)
        self._begin_questions(questions, self._put_all, self._board_in_use)

    def _balance_two(self, rest: str) -> None:
        from gomoku_protocol.opening import balance_two

        bias, position = self._bias(rest), self._playable()
        questions = balance_two(position, bias, self._remaining_ms, self.settings.chance, self._blocked)
        self._begin_questions(questions, self._put_all, self._board_in_use)

    @staticmethod
    def _bias(rest: str) -> int:
        """Centipawns by which a balanced position may favour a side; none said: 0."""
        if not rest:
            return 0
        digits = rest[1:] if rest[0] in "+-" else rest
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 6):
            raise Refusal(f"expected centipawns, got {excerpt(rest)}")
        return int(rest)

    def _playable(self) -> Position:
        """The position, in which a move can be made."""
        position = self._going_on(self._board_in_use)
        if not position.legal_moves():
            raise Refusal("there is no legal move")
        return position

    def _put_all(self, moves: list[int] | None) -> None:
        """Play the moves that were found and say them."""
        assert moves is not None
        for move in moves:
            self._board_in_use.place(move)
        self._charge()
        self.send(" ".join(map(point_text, moves)))

    def _step(self, word: str, lines: list[str], rest: str) -> None:
        """A step of an opening in Yixin-Board."""
        from gomoku_protocol.yixin_openings import begin

        stones, questions = begin(
            word, lines, rest, self._board_in_use, self._going_on, self._remaining_ms, self.settings.chance
        )
        self._begin_questions(questions, partial(self._reply, stones), stones)

    def _reply(self, stones: Stones, reply: Reply) -> None:
        for move in reply.moves:
            stones.place(move)
        self._stones = stones
        self._charge()
        for line in reply.lines:
            self.notify(line)

    def _begin_questions(self, questions: Questions[A], answer: Callable[[A], None], stones: Stones) -> None:
        self._tell_remarks()
        soft_ms, _ = self._time_limits(stones)
        self._deadline = now_s() + min(soft_ms, _LONGEST_ANSWER_MS) / 1000
        self._questions, self._answer = questions, answer
        self._ask(None)

    def _ask(self, result: Result | None) -> None:
        """Go on with the questions, the last search having come to `result`."""
        assert self._questions is not None
        try:
            question = next(self._questions) if result is None else self._questions.send(result)
        except StopIteration as end:
            self._questions = None
            self._answer(end.value)
            return
        limit_ms = max(min(question.milliseconds, self._remaining_ms()), 1)
        self._search(question.position, limit_ms, limit_ms, question.lines)

    def _remaining_ms(self) -> int:
        return 0 if self.driver.stopping else int((self._deadline - now_s()) * 1000)

    # Settings and words about ourselves

    def _info(self, rest: str) -> None:
        self.settings.set(rest)
        if self._stones is not None and not self.busy:
            self.driver.prepare_table()

    def _about(self, rest: str) -> None:
        self.send(f'name="sanqi", version="{__version__}", author="the sanqi authors", country="International"')

    def _end(self, rest: str) -> None:
        self._silent = True
        self.lines.leave(at_once=True)

    # The words of Yixin

    def _stop(self, rest: str) -> None:
        self.driver.stop()

    def _n_best(self, rest: str) -> None:
        try:
            [lines] = parse_numbers(rest, 1)
        except PointError:
            lines = 0
        if not 1 <= lines <= _LARGEST_MULTIPV:
            raise Refusal(f"expected a number from 1 to {_LARGEST_MULTIPV}, got {excerpt(rest)}")
        self._think(self._going_on(self._board_in_use), lines)

    def _search_defend(self, rest: str) -> None:
        """Show what each move leads to, and play the best."""
        position = self._playable()
        self._think(position, len(position.legal_moves()))

    def _show_forbidden(self, rest: str) -> None:
        stones = self._board_in_use
        rule = self.settings.rule
        points = []
        if rule == RENJU and stones.side == BLACK:
            position = self._position(stones)
            points = sorted(point_of(move) for move in stones.vacant(rule) if position.is_forbidden(move))
        self.send("FORBID " + "".join(f"{x:02}{y:02}" for x, y in points) + ".")

    def _show_capacity(self, rest: str) -> None:
        self._host_is_yixin = True
        self.send(f"MESSAGE sanqi {__version__}")
        self.send(f"MESSAGE INFO MAX_THREAD_NUM {LARGEST_THREADS}")
        self.send(f"MESSAGE INFO MAX_HASH_SIZE {(LARGEST_HASH_MB << 10).bit_length() - 1}")  # of a power of two of KB

    def _clear_hash(self, rest: str) -> None:
        self.driver.new_game()

    def _show_hash_usage(self, rest: str) -> None:
        permille = self._last.lines[0].hashfull if self._last is not None and self._last.lines else 0
        self.notify(f"hash usage {permille / 10} % of {self.settings.hash_mb} MiB")

    def _weigh_draw(self, rest: str) -> None:
        """A person offers a draw. It is accepted when the last search for our move did not find us better."""
        accepted = self._last is not None and self._last.score <= 0
        self.notify(f"draw {'accepted' if accepted else 'declined'}")

    def _accept_resignation(self, rest: str) -> None:
        self._abandon()
        self.notify("the game is over: you have resigned")

    def _say_no_database(self, rest: str) -> None:
        self.notify(NO_DATABASE)

    def _query_database(self, lines: list[str]) -> None:
        """Yixin-Board asks after each move; MESSAGE DATABASE is the form that it does not show."""
        if not self._told_of_database:
            self._told_of_database = True
            self.notify(NO_DATABASE)
        self.notify("DATABASE REFRESH")
        self.notify("DATABASE DONE")

    def _open_file(self, word: str, rest: str) -> None:
        self._awaits_file = not rest
        self.notify(FILE_WORDS[word])

    # Thinking

    def _abandon(self) -> None:
        if self.driver.occupied:
            self.driver.abandon()
            self._questions = None
            self._charge()

    def _end_game(self) -> None:
        """A new game begins: nobody waits for the move, but for a host that counts them."""
        if self._host_is_yixin:
            self.driver.stop()
        else:
            self._abandon()

    def _think(self, position: Position | None = None, lines: int = 1) -> None:
        """Find a move for the side to move, play it and say it; `lines` are shown when there is more than one.

        `position`: that of the stones, where it was made already.
        """
        self._tell_remarks()
        stones = self._board_in_use
        position = position or self._position(stones)
        if self.settings.level == WEIGHTS and lines == 1 and position.legal_moves():
            from gomoku_protocol import weights

            self._put(stones, weights.choose(position, self._excluded(position)))
            return
        soft_ms, hard_ms = self._time_limits(stones)
        self._search(position, soft_ms, hard_ms, lines)

    def _tell_remarks(self) -> None:
        for remark in self.settings.remarks():
            self.notify(remark)

    def _time_limits(self, stones: Stones) -> tuple[int, int]:
        self._read_at -= self._start_up_s
        self._start_up_s = 0.0
        return self.settings.clock.limits(self._spent_ms(), len(stones) // 2)

    def _spent_ms(self) -> int:
        return int((now_s() - self._read_at) * 1000)

    def _charge(self) -> None:
        """Charge the time since the command was read, or since the last charge."""
        self.settings.clock.charge(self._spent_ms())
        self._read_at = now_s()

    def _search(self, position: Position, soft_ms: int, hard_ms: int, lines: int = 1) -> None:
        from search_core.thinker import Limits

        begins_anew = any(first_word(line) in NEW_GAME for line in self.lines.waiting)
        if self.lines.stop_follows and begins_anew and not self._host_is_yixin:
            self._questions = None  # nobody waits for the answer any more
            return
        settings = self.settings
        excluded: tuple[int, ...] = ()
        detailed = False
        level = None
        if self._questions is None:  # whose answers favour no side and no move, and show nothing
            self._set_style(position, settings.style)
            excluded = self._excluded(position)
            detailed = lines > 1 or settings.show_detail
            level = settings.played_level if lines == 1 else None
        else:
            self._set_style(position, STEADY)
        limits = Limits(
            depth=settings.depth,
            nodes=settings.nodes,
            soft_ms=soft_ms,
            hard_ms=hard_ms,
            multipv=lines,
            excluded_moves=excluded,
            level=level,
            seed=settings.level_seed,
        )
        try:
            self.driver.start(position, limits, self._answer_search, partial(self._show, lines) if detailed else None)
        except BaseException:
            self._questions = None
            raise

    def _set_style(self, position: Position, style: str) -> None:
        """Play in a style for the side to move."""
        style_and_side = style, 0 if style == STEADY else position.side
        if style_and_side != self._style:
            self._style = style_and_side
            self.driver.new_game()  # the scores in the table are those of another style
        position.use_evaluator(default_evaluator(self.settings.evaluator))
        if not position.evaluator.set_style(*style_and_side) and style != STEADY:
            self.notify(f"the evaluator {self.settings.evaluator} has no style {style}, playing without")

    def _excluded(self, position: Position) -> tuple[int, ...]:
        """The moves that YXBLOCK forbids the search; none, if they are all that is left."""
        if not self._blocked or self._blocked.issuperset(position.legal_moves()):
            return ()
        return tuple(self._blocked)

    def _show(self, lines: int, info: Info) -> None:
        if info.bound != "exact":
            return
        line = f" MULTIPV {info.multipv}" if lines > 1 else ""
        moves = " ".join(map(point_text, info.pv))
        self.send(
            f"MESSAGE DEPTH {info.depth}-{info.seldepth}{line} EV {score_text(info.score)}"
            f" N {info.nodes} N/MS {info.nps // 1000} TM {info.time_ms} PV {moves}"
        )

    def _answer_search(self, result: Result) -> None:
        if self._questions is not None:
            try:
                self._ask(result)
            except (RuntimeError, MemoryError) as error:  # no thread or no memory for one more search
                self._questions = None
                self._refuse(f"the search failed: {type(error).__name__}: {excerpt(str(error))}")
        elif result.best is None:
            self._play_anything(self._board_in_use)
        else:
            self._last = result
            self._put(self._board_in_use, result.best)

    def on_search_end(self) -> None:
        if not self.busy:
            self.driver.prepare_table()  # INFO may have changed its size meanwhile

    def _put(self, stones: Stones, move: int) -> None:
        """Play a move and say it."""
        stones.place(move)
        self._charge()
        self.send(point_text(move))

    def _play_anything(self, stones: Stones) -> None:
        """Play a move where the search has found none: a legal one if there is any, else any vacant point."""
        vacant = list(stones.vacant(self.settings.rule))
        try:
            position = self._position(stones)
            legal = [move for move in vacant if position.is_legal(move)]
        except Exception as error:  # noqa: BLE001 - whatever failed, a move is owed
            self.notify(f"the rules failed: {type(error).__name__}: {excerpt(str(error))}")
            legal = []
        if vacant:
            free = [move for move in legal if move not in self._blocked]
            self._put(stones, (free or legal or vacant)[0])
        else:
            self._refuse("the board is full")
