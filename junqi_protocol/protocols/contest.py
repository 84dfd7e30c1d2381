"""The engine's side of the two-seat protocol of the Chinese university contest, docs/junqi-contest.md.

中国大学生计算机博弈大赛, 军棋, protocol version 1.0 of 2012-03-31.
"""

from __future__ import annotations

from junqi_protocol.knowledge.knowledge import A_FLAG, BOTH_DIED, EAT, KILLED, MOVE
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.levels import LEVELS
from junqi_protocol.players.thinking_time import CONTEST_MAX_MOVETIME_MS, LEAST_MS, limits
from junqi_protocol.protocols.move_finder import MoveFinder
from junqi_protocol.rules.geometry import HOME_POINTS, move_of
from junqi_protocol.rules.lineup import COMMANDER, FLAG, rated_lineup
from junqi_protocol.rules.messages import MessageError, fields, number
from search_core.line_protocol import OverlongLine, excerpt
from search_core.search_driver import SearchProtocol
from search_core.thinker import Limits, Result
from search_core.time_budget import Clock
from search_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from search_core.line_protocol import LineChannel

VERSION = "1.0"

_OVERHEAD_MS = 30  # of each move, between our clock and the referee's
_LIMIT_MARGIN_MS = 100  # a late move loses the game; at most a tenth of the limit
_NO_MOVE, _NO_FLAG = "0000", "00"
_RESULTS = (KILLED, EAT, BOTH_DIED, MOVE)
_LETTERS = str.maketrans("987654321MBF", "abcdefghijkl", ".")
_SQUARES = [row + column for row in "ABCDEFGHIJKL" for column in "01234"]
_NUMBERS = {square: place for place, square in enumerate(_SQUARES)}


def array(lineup: str) -> str:
    """The 25 letters of a lineup, front row first, without the camps."""
    return lineup.translate(_LETTERS)


def square_of(point: int, seat: int) -> str:
    """The name of a point of the duel for a seat, which sees itself at the bottom."""
    owner, index = divmod(point, HOME_POINTS)
    return _SQUARES[HOME_POINTS + index if owner == seat else HOME_POINTS - 1 - index]


def point_of(square: str, seat: int) -> int:
    """The inverse of square_of(). Raises KeyError."""
    place = _NUMBERS[square.upper()]
    if place >= HOME_POINTS:
        return seat * HOME_POINTS + place - HOME_POINTS
    return (1 - seat) * HOME_POINTS + HOME_POINTS - 1 - place


class ContestProtocol(SearchProtocol):
    """An engine under the contest's referee.

    Parameters
    ----------
    channel : LineChannel
    level : str
        One of LEVELS.
    max_movetime_ms : int
        Longest time for a move in milliseconds, whatever START gives for the game.
    """

    def __init__(
        self, channel: LineChannel, level: str = LEVELS[0], max_movetime_ms: int = CONTEST_MAX_MOVETIME_MS
    ) -> None:
        super().__init__(channel)
        self.finder = MoveFinder(self.driver, self.lines, self.notify, level)
        self._max_ms = max(max_movetime_ms - min(_LIMIT_MARGIN_MS, max_movetime_ms // 10), LEAST_MS)
        self._greeted = False
        self._view: PlayerView | None = None
        """The board by the referee's lines; None before the start."""
        self._sent: int | None = None
        """Our last move, until its result comes."""
        self._lost = False
        """Whether track of the game is lost: the board stays as it was last known."""
        self._left_ms = 0
        """What is left of the time for the game, as we count it."""
        self._over = False
        """Whether the referee has ended the game."""

    # Lines

    def can_handle(self, line: str | None) -> bool:
        return not self.busy or line is None or self._ends(line)

    def handle_out_of_order(self, line: str | None) -> bool:
        if line is not None and self._ends(line):
            self.command(line)
            return True
        if line is None:  # a dialogue from a file gets all its answers
            self.driver.stop()
            self.lines.stop_waiting()
        return False

    def interrupt(self) -> None:
        if self._over:
            self.driver.abandon()
        else:
            self.driver.interrupt()

    def close(self) -> None:
        self.finder.close()

    @staticmethod
    def _ends(line: str) -> bool:
        """Whether a line ends the game. All other lines wait until our answer is sent."""
        return line.split()[0].upper() in ("END", "QUIT") and not isinstance(line, OverlongLine)

    def command(self, line: str) -> None:
        words = line.split()
        keyword = words[0].upper()
        try:
            if keyword == "QUIT":
                self.lines.leave()
            elif keyword == "INFO":
                self._introduce(words[1:])
            elif keyword == "END":
                self._end(words[1:])
            elif keyword not in ("START", "GO", "RESULT"):
                raise MessageError(f"{excerpt(words[0])} is no command; nothing changed")
            elif not self._greeted:
                raise MessageError(f"{excerpt(line)} before 'INFO {VERSION}'; nothing changed")
            elif keyword == "START":
                self._start(words[1:])
            elif self._view is None:
                raise MessageError(f"{excerpt(line)} before the start; nothing changed")
            elif keyword == "GO":
                self._go(self._view, words[1:])
            else:
                self._learn_result(self._view, words[1:])
        except MessageError as error:
            self.notify(str(error))

    def notify(self, text: str) -> None:
        self.lines.send(f"ERROR {text}")

    def refuse_overlong(self, line: OverlongLine) -> None:
        super().refuse_overlong(line)
        self.answer_failure(line)

    def answer_failure(self, line: str) -> None:
        if line.split()[0].upper() == "GO" and self._view is not None:
            self._answer_anyhow(self._view)

    # A game

    def _introduce(self, words: Sequence[str]) -> None:
        if list(words) != [VERSION]:
            raise MessageError(f"INFO {excerpt(' '.join(words))}: expected version {VERSION}; nothing changed")
        if self._view is not None:
            raise MessageError(f"INFO {VERSION} during a game; nothing changed")
        self.lines.send(f"NAME sanqi {__version__}")
        self._greeted = True

    def _start(self, words: Sequence[str]) -> None:
        fields(words, "first", "the time", "the number of steps")
        seat = number(words[0], "first", 1)
        seconds = number(words[1], "the time")
        steps = number(words[2], "the number of steps")
        if self._view is not None:
            raise MessageError("START during a game; nothing changed")
        lineup = rated_lineup(self.finder.chance_of(seat))
        self._view = PlayerView("duel", (seat,), {seat: lineup})
        self._view.quiet_limit, self._view.quiet_loses = steps, True
        self._left_ms = 1000 * seconds
        self.lines.send(f"ARRAY {array(lineup)}")
        self.finder.load()

    def _end(self, words: Sequence[str]) -> None:
        fields(words, "the end")
        number(words[0], "the end", 2)
        self._over = True
        self.lines.leave()

    # Lines of the referee in a game

    def _go(self, view: PlayerView, words: Sequence[str]) -> None:
        [seat] = view.seats
        if self._sent is not None and view.position.turn == seat and not self._lost:
            self.notify(f"GO before the RESULT of {self._name(view, self._sent)}; the answer stands")
            self._say(view, self._sent)
            return
        try:
            self._follow(view, words)
        except ValueError as error:
            # A missing answer loses at once; any other loses only if the referee finds it illegal.
            self.notify(f"{error}; the board stays as it was")
            self._answer_anyhow(view)
        else:
            time_ms = min(limits(Clock(self._left_ms))[1], self._max_ms)
            self.finder.start(view, Limits(soft_ms=time_ms, hard_ms=time_ms), self._answer)

    def _follow(self, view: PlayerView, words: Sequence[str]) -> None:
        """Update the board by the words of a GO. Raises ValueError, changing nothing."""
        [seat] = view.seats
        if self._lost:
            raise MessageError("track of the game is lost")
        if view.position.outcome_text is not None:
            raise MessageError("the game is over")
        fields(words, "the move")
        if view.position.turn == seat:
            if words[0] != _NO_MOVE:
                raise MessageError(f"{excerpt(words[0])}: we are on turn, expected {_NO_MOVE}")
            return
        move = self._move(words[0], seat)
        result, flag = self._outcome(words[1:], seat)
        try:
            self._learn(view, 1 - seat, move, result, flag)
        except ValueError as error:
            raise MessageError(f"{excerpt(' '.join(words))} cannot be: {error}") from None
        self._sent = None

    def _learn_result(self, view: PlayerView, words: Sequence[str]) -> None:
        [seat] = view.seats
        result, flag = self._outcome(words, seat)
        if self._lost:
            raise MessageError("track of the game is lost")
        if self._sent is None:
            raise MessageError("RESULT without a move of ours; nothing changed")
        move, self._sent = self._sent, None
        try:
            self._learn(view, seat, move, result, flag)
        except ValueError as error:
            self._lost = True
            reported = f"{self._name(view, move)}, RESULT {' '.join(words)}"
            raise MessageError(f"{excerpt(reported)} cannot be: {error}; track of the game is lost") from None

    @staticmethod
    def _move(word: str, seat: int) -> int:
        try:
            return move_of(point_of(word[:2], seat), point_of(word[2:], seat))
        except KeyError:
            raise MessageError(f"{excerpt(word)} is no move, expected two squares such as F0G0") from None

    @staticmethod
    def _outcome(words: Sequence[str], seat: int) -> tuple[int, int | None]:
        """The result and the flag's point in a line. Some referees leave the flag square out if it is 00."""
        more = fields(words, "the result")
        result = _RESULTS[number(words[0], "the result", len(_RESULTS) - 1)]
        word = more[0] if more else _NO_FLAG
        try:
            return result, None if word == _NO_FLAG else point_of(word, seat)
        except KeyError:
            raise MessageError(f"{excerpt(word)} is no square, expected {_NO_FLAG} or the flag's such as A1") from None

    @staticmethod
    def _learn(view: PlayerView, mover: int, move: int, result: int, flag: int | None) -> None:
        """Play a move on the board. Raises ValueError, changing nothing, if it cannot have ended so.

        `flag`: where the other side's flag stands; given once its commander has died.
        """
        [seat] = view.seats
        other, victim, target = 1 - seat, 1 - mover, move & 255
        fell = result in (EAT, BOTH_DIED) and (
            view.knowledge.living[victim].get(target) == A_FLAG or (victim == other and target == flag)
        )
        flags = []
        if flag is not None and not fell and view.position.piece_at(flag) != (other, FLAG):
            flags.append((other, flag))
        # The referee does not report our own commander's death: only the result of the clash shows it.
        ours, deadly = (move >> 8, KILLED) if mover == seat else (target, EAT)
        if result in (deadly, BOTH_DIED) and view.knowledge.living[seat].get(ours) == 1 << COMMANDER:
            flags.append((seat, seat * HOME_POINTS + view.lineups[seat].index("F")))
        view.moved(mover, move, result, flags, ((victim, "flag"),) if fell else ())

    # Answers

    def _answer(self, result: Result) -> None:
        assert self._view is not None
        self._left_ms -= result.time_ms + _OVERHEAD_MS
        if result.best is None:
            self._answer_anyhow(self._view)
        else:
            self._say(self._view, result.best)

    def _answer_anyhow(self, view: PlayerView) -> None:
        """Send a move that is legal on the board as last known."""
        position = view.position.copy()
        if position.turn not in view.seats:
            position.skip(False)
        moves = position.legal_moves()
        self._say(view, self.finder.chance_of(view.seats[0]).choice(moves) if moves else None)

    def _say(self, view: PlayerView, move: int | None) -> None:
        self._sent = move
        self.lines.send(f"BESTMOVE {_NO_MOVE if move is None else self._name(view, move)}")

    @staticmethod
    def _name(view: PlayerView, move: int) -> str:
        [seat] = view.seats
        return square_of(move >> 8, seat) + square_of(move & 255, seat)
