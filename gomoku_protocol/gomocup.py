"""The Gomocup protocol, as Piskvork and the other managers speak it, with the Yixin words that analysis programs use.

A command is answered by one line: a move, OK, ERROR or UNKNOWN; INFO by none.
A command that is refused changes nothing. MESSAGE lines may come before an
answer. SUGGEST is never sent: every manager takes a move, not every one a
suggestion.

The native modules are imported with the first game, so that ABOUT and INFO before it are answered at once.
"""

from __future__ import annotations

import contextlib
import time
from functools import partial

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
    WANT_A_MOVE,
    Block,
)
from gomoku_protocol.host_game import HostGame
from gomoku_protocol.move_finder import MoveFinder
from gomoku_protocol.points import MAX_SIZE, MIN_SIZE, PointError, parse_numbers, point_text
from gomoku_protocol.settings import GomokuSettings
from gomoku_protocol.stones import Stones
from search_core.failures import SetUpError
from search_core.line_protocol import LineChannel, OverlongLine, excerpt, first_word
from search_core.options import MAX_HASH_MB, MAX_THREADS
from search_core.search_driver import SearchProtocol
from search_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gomoku_protocol.yixin_openings import Reply
    from search_core.thinker import Info

_MAX_MULTIPV = 128
_START_UP_FACTOR = 2  # wall time over processor time of our start, on a machine that is busy


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
        self.settings = GomokuSettings(changed=lambda: self.driver.new_game())
        super().__init__(channel, self.settings)
        self.game = HostGame(self.settings)
        self.finder = MoveFinder(self, self.driver, self.settings, self.game)
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
            **dict.fromkeys(("stop", "yxstop"), lambda rest: self.driver.stop()),
            "yxnbest": self._n_best,
            "yxsearchdefend": self._search_defend,
            "yxbalanceone": partial(self._balance, 1),
            "yxbalancetwo": partial(self._balance, 2),
            "yxblockreset": lambda rest: self.game.blocked.clear(),
            "yxshowforbid": self._show_forbidden,
            "yxshowinfo": self._show_capacity,
            "yxhashclear": lambda rest: self.driver.new_game(),
            "yxshowhashusage": self._show_hash_usage,
            "yxdraw": self._weigh_draw,
            "yxresign": self._accept_resignation,
            **dict.fromkeys(("yxdbcheck", "yxdbfix", "yxsavedatabase"), lambda rest: self.notify(NO_DATABASE)),
            **{word: partial(self._open_file, word) for word in FILE_WORDS},
            **{word: partial(self._step, word, []) for word in STEPS},
        }
        self._blocks: dict[str, Callable[[list[str]], None]] = {
            "board": self._board,
            "yxboard": self._yixin_board,
            "swap2board": self._swap2,
            "yxblock": self._block_points,
            "yxblockundo": self._unblock,
            **dict.fromkeys(DATABASE_BLOCKS, lambda lines: self.notify(NO_DATABASE)),
            "yxquerydatabaseall": self._query_database,
        }
        self._block: Block | None = None
        self._bill_start = bill_start
        self._silent = False
        self._host_is_yixin = False
        """Yixin-Board asks YXSHOWINFO. If its person takes a move back during a search, it passes over one of ours."""
        self._told_of_database = False
        self._awaits_file = False
        """Whether the next line is the name of a file."""

    # Lines

    def can_handle(self, line: str | None) -> bool:
        if not self.busy:
            return True
        word = first_word(line)
        if self.driver.is_preparing:
            if any(first_word(each) in WANT_A_MOVE for each in (line, *self.lines.waiting)):
                self.driver.say_owed()  # a host that does not wait for OK has begun to count
            return line is None or not self.busy
        # A move that comes now would be read as the answer to this; one that STOP asks for is owed.
        if self._begins_anew(line):
            self._end_game()
        elif line is not None and not self.driver.stopping:
            if self._is_refused(line):
                return True
            if word == "takeback" and not isinstance(line, OverlongLine):
                self.finder.abandon()
        return word not in NEW_GAME and word not in WAITING

    def _begins_anew(self, line: str | None) -> bool:
        """Whether a line ends the game for a new one."""
        if line is None or isinstance(line, OverlongLine):
            return False
        return first_word(line) in NEW_GAME and not self._is_refused(line)

    def _is_refused(self, line: str) -> bool:
        """Whether a line that would end the running search cannot be obeyed."""
        word = first_word(line)
        rest = line[len(word) :].strip()
        try:
            if word == "start":
                self._square(rest)
            elif word == "rectstart":
                self._rectangle(rest)
            elif word == "takeback":
                self.game.stones.copy().take_back(rest)
        except (PointError, SetUpError):
            return True
        return False

    def handle_out_of_order(self, line: str | None) -> bool:
        word = first_word(line)
        if word == "end":
            self._end("")
            return True
        if self._begins_anew(line):
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
                self.refuse(f"{self._block.word.upper()}: no DONE before {word.upper()}; nothing has changed")
                self._block = None
        if self._block is None and not self.busy:
            self.finder.begin_turn()
        if word.startswith("yx"):
            self.settings.yixin = True
        with self._refusals(word):
            if word in BLOCKS:
                self._block = Block(word, rest)
            elif known:
                self._commands[word](rest)
            else:
                self._send(f"UNKNOWN {excerpt(line)}")

    @contextlib.contextmanager
    def _refusals(self, word: str) -> Iterator[None]:
        """Refuses the command `word` where the block raises an error that is one line for the user."""
        try:
            yield
        except (PointError, SetUpError) as error:
            self.refuse(f"{word.upper()}: {error}; nothing has changed")

    def refuse_overlong(self, line: OverlongLine) -> None:
        word = first_word(line)
        if word == "info":  # is never answered
            self.settings.remark(f"{line.fault}; nothing has changed")
        elif self._block is not None and word not in self._commands and word not in BLOCKS:
            self._block.fault = self._block.fault or line.fault
        else:
            self._block = None
            self.refuse(f"{line.fault}; nothing has changed")

    def answer_failure(self, line: str) -> None:
        word = first_word(line)
        if self.busy or word == "info":
            return
        if word in OWED_A_MOVE and self.game.begun:
            self.finder.play_anything()
        else:
            self.refuse(f"{word.upper()} failed")

    def notify(self, text: str) -> None:
        self._send(f"MESSAGE {text}")

    def _send(self, line: str) -> None:
        if not self._silent:
            self.lines.send(line)

    def on_search_end(self) -> None:
        if not self.busy:
            self.driver.prepare_table()  # INFO may have changed its size meanwhile

    # Answers

    @property
    def answer_is_unwanted(self) -> bool:
        """Whether nobody waits for the answer of a search that is about to begin: a new game follows its stop."""
        begins_anew = any(map(self._begins_anew, self.lines.waiting))
        return self.lines.stop_follows and begins_anew and not self._host_is_yixin

    def refuse(self, text: str) -> None:
        """Say that a command was not obeyed, and why."""
        self._send(f"ERROR {text}")

    def show_info(self, lines: int, info: Info) -> None:
        """Print one of the `lines` best lines of a search that goes on."""
        if info.bound != "exact":
            return
        line = f" MULTIPV {info.multipv}" if lines > 1 else ""
        moves = " ".join(map(point_text, info.pv))
        self.notify(
            f"DEPTH {info.depth}-{info.seldepth}{line} EV {score_text(info.score)}"
            f" N {info.nodes} N/MS {info.nps // 1000} TM {info.time_ms} PV {moves}"
        )

    def show_move(self, move: int) -> None:
        """Print the answer: the move that is played."""
        self._send(point_text(move))

    # Games and moves

    def _start(self, rest: str) -> None:
        size = self._square(rest)
        self._begin_game(size, size)

    @staticmethod
    def _square(rest: str) -> int:
        """The size of the board of START. Raises SetUpError."""
        words = rest.split()
        try:
            # Yixin-Board says the size of a square board twice.
            [size] = {parse_numbers(word, 1)[0] for word in words} if len(words) < 3 else {0}
        except (PointError, ValueError):
            size = 0
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise SetUpError(f"expected a size from {MIN_SIZE} to {MAX_SIZE}, got {excerpt(rest)}")
        return size

    def _rect_start(self, rest: str) -> None:
        self._begin_game(*self._rectangle(rest))

    @staticmethod
    def _rectangle(rest: str) -> tuple[int, int]:
        """The width and height of the board of RECTSTART. Raises SetUpError."""
        try:
            width, height = parse_numbers(rest, 2)
        except PointError:
            width = height = 0
        if not all(MIN_SIZE <= size <= MAX_SIZE for size in (width, height)):
            raise SetUpError(f"expected width,height from {MIN_SIZE} to {MAX_SIZE}, got {excerpt(rest)}")
        return width, height

    def _restart(self, rest: str) -> None:
        stones = self.game.stones
        self._begin_game(stones.width, stones.height)

    def _begin_game(self, width: int, height: int) -> None:
        first = not self.game.begun
        self.game.stones = Stones(width, height)
        self.finder.new_game()
        # What a search needs is made ready before OK, since the clock of the first move may run from then on: modules
        # (20 ms), a net (14 ms), and an empty table. The first game's is made ready in the background: managers write
        # what it may take just after START, and wait least then.
        import gomoku_protocol.opening
        import gomoku_protocol.position  # noqa: F401
        import search_core.engine  # noqa: F401

        with contextlib.suppress(ValueError, OSError, MemoryError):  # the first search will report it
            self.game.position()
        if first:
            if self._bill_start:
                # The manager's clock may have run since it started us; processor time leaves out what we slept, and
                # what it held us up. Not later: the threads that fill a large table use much of it beside the game.
                self.finder.bill(time.process_time() * _START_UP_FACTOR)
            self.driver.prepare_table()
            self._send("OK")
        else:
            self.driver.say_when_ready(lambda: self._send("OK"))

    def _begin(self, rest: str) -> None:
        if len(self.game.stones) > 0:
            raise SetUpError("the board is not empty, expected TURN or BOARD")
        self.finder.think()

    def _turn(self, rest: str) -> None:
        self.game.place_opponent(rest)
        self.finder.think()

    def _play(self, rest: str) -> None:
        self.finder.play(self.game.vacant_move(rest))

    def _take_back(self, rest: str) -> None:
        self.game.stones.take_back(rest)
        self._send("OK")

    # Commands of several lines

    def _done(self, rest: str) -> None:
        block = self._block
        if block is None:
            raise SetUpError("expected BOARD, YXBOARD or SWAP2BOARD first")
        self._block = None
        with self._refusals(block.word):
            if block.fault:
                raise SetUpError(block.fault)
            if block.word in STEP_BLOCKS:
                self._step(block.word, block.lines, block.rest)
            else:
                self._blocks[block.word](block.lines)

    def _board(self, lines: list[str]) -> None:
        self.game.set_board(lines, own_last=False)
        self.finder.think()

    def _yixin_board(self, lines: list[str]) -> None:
        self.game.set_board(lines, own_last=True)

    def _block_points(self, lines: list[str]) -> None:
        self.game.blocked |= self.game.points(lines)

    def _unblock(self, lines: list[str]) -> None:
        self.game.blocked -= self.game.points(lines)

    # Answers that need several searches

    def _swap2(self, lines: list[str]) -> None:
        stones = Stones.from_moves(self.game.stones.width, self.game.stones.height, lines)
        if len(stones) not in (0, 3, 5):
            raise SetUpError(f"expected 0, 3 or 5 stones, got {len(stones)}")
        from gomoku_protocol.opening import answer

        position = self.game.going_on(stones)
        questions = answer(position, len(stones), self.finder.remaining_ms, self.settings.chance)
        self.finder.ask(questions, self._answer_swap2, stones)

    def _answer_swap2(self, moves: list[int] | None) -> None:
        self.finder.charge()
        self._send("SWAP" if moves is None else " ".join(map(point_text, moves)))

    def _balance(self, stones: int, rest: str) -> None:
        """Put one or two stones that leave the position balanced."""
        from gomoku_protocol.opening import balance_one, balance_two

        bias, position = self._bias(rest), self.game.playable()
        terms = position, bias, self.finder.remaining_ms, self.game.blocked
        questions = balance_one(*terms) if stones == 1 else balance_two(*terms, self.settings.chance)
        self.finder.ask(questions, self._put_all, self.game.stones)

    @staticmethod
    def _bias(rest: str) -> int:
        """Centipawns by which a balanced position may favour a side; none said: 0."""
        if not rest:
            return 0
        digits = rest[1:] if rest[0] in "+-" else rest
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 6):
            raise SetUpError(f"expected centipawns, got {excerpt(rest)}")
        return int(rest)

    def _put_all(self, moves: list[int]) -> None:
        """Play the moves that were found and say them."""
        for move in moves:
            self.game.stones.place(move)
        self._answer_swap2(moves)

    def _step(self, word: str, lines: list[str], rest: str) -> None:
        """A step of an opening in Yixin-Board."""
        from gomoku_protocol.yixin_openings import begin

        finder, game = self.finder, self.game
        stones, questions = begin(
            word, lines, rest, game.stones, game.going_on, finder.remaining_ms, self.settings.chance
        )
        finder.ask(questions, partial(self._reply, stones), stones)

    def _reply(self, stones: Stones, reply: Reply) -> None:
        for move in reply.moves:
            stones.place(move)
        self.game.stones = stones
        self.finder.charge()
        for line in reply.lines:
            self.notify(line)

    # Settings and words about ourselves

    def _info(self, rest: str) -> None:
        self.settings.set(rest)
        self.finder.shorten()
        if self.game.begun and not self.busy:
            self.driver.prepare_table()

    def _about(self, rest: str) -> None:
        self._send(f'name="sanqi", version="{__version__}", author="the sanqi authors", country="International"')

    def _end(self, rest: str) -> None:
        self._silent = True
        self.lines.leave(at_once=True)

    # The words of Yixin

    def _n_best(self, rest: str) -> None:
        try:
            [lines] = parse_numbers(rest, 1)
        except PointError:
            lines = 0
        if not 1 <= lines <= _MAX_MULTIPV:
            raise SetUpError(f"expected a number from 1 to {_MAX_MULTIPV}, got {excerpt(rest)}")
        self.finder.think(self.game.going_on(), lines)

    def _search_defend(self, rest: str) -> None:
        """Show what each move leads to, and play the best."""
        position = self.game.playable()
        self.finder.think(position, len(position.legal_moves()))

    def _show_forbidden(self, rest: str) -> None:
        self._send("FORBID " + "".join(f"{x:02}{y:02}" for x, y in self.game.forbidden_points()) + ".")

    def _show_capacity(self, rest: str) -> None:
        self._host_is_yixin = True
        self._send(f"MESSAGE sanqi {__version__}")
        self._send(f"MESSAGE INFO MAX_THREAD_NUM {MAX_THREADS}")
        self._send(f"MESSAGE INFO MAX_HASH_SIZE {(MAX_HASH_MB << 10).bit_length() - 1}")  # of a power of two of KB

    def _show_hash_usage(self, rest: str) -> None:
        permille = self.finder.last.lines[0].hashfull if self.finder.last is not None and self.finder.last.lines else 0
        self.notify(f"hash usage {permille / 10} % of {self.settings.hash_mb} MiB")

    def _weigh_draw(self, rest: str) -> None:
        """A person offers a draw. It is accepted when the last search for our move did not find us better."""
        accepted = self.finder.last is not None and self.finder.last.score <= 0
        self.notify(f"draw {'accepted' if accepted else 'declined'}")

    def _accept_resignation(self, rest: str) -> None:
        self.finder.abandon()
        self.notify("the game is over: you have resigned")

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

    def _end_game(self) -> None:
        """A new game begins: nobody waits for the move, but for a host that counts them."""
        if self._host_is_yixin:
            self.driver.stop()
        else:
            self.finder.abandon()
