"""The engine's side of the two-seat protocol of the Chinese university contest, docs/junqi-contest.md.

中国大学生计算机博弈大赛, 军棋, protocol version 1.0 of 2012-03-31.
"""

from __future__ import annotations

from functools import partial

from junqi_protocol.players.levels import LEVELS
from junqi_protocol.players.thinking_time import CONTEST_MAX_MOVETIME_MS, MIN_MS, limits
from junqi_protocol.protocols.contest_game import ContestGame
from junqi_protocol.protocols.move_finder import MoveFinder
from junqi_protocol.rules.lineup import rated_lineup
from junqi_protocol.rules.messages import MessageError, fields, number
from search_core.line_protocol import OverlongLine, excerpt, first_word
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
_LETTERS = str.maketrans("987654321MBF", "abcdefghijkl", ".")


def array(lineup: str) -> str:
    """The 25 letters of a lineup, front row first, without the camps."""
    return lineup.translate(_LETTERS)


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
        self._max_ms = max(max_movetime_ms - min(_LIMIT_MARGIN_MS, max_movetime_ms // 10), MIN_MS)
        self._greeted = False
        self.game: ContestGame | None = None
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
        return first_word(line) in ("end", "quit") and not isinstance(line, OverlongLine)

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
            elif self.game is None:
                raise MessageError(f"{excerpt(line)} before the start; nothing changed")
            elif keyword == "GO":
                self._go(self.game, words[1:])
            else:
                self.game.learn_result(words[1:])
        except MessageError as error:
            self.notify(str(error))

    def notify(self, text: str) -> None:
        self.lines.send(f"ERROR {text}")

    def refuse_overlong(self, line: OverlongLine) -> None:
        super().refuse_overlong(line)
        self.answer_failure(line)

    def answer_failure(self, line: str) -> None:
        if first_word(line) == "go" and self.game is not None:
            self._answer_anyhow(self.game)

    # A game

    def _introduce(self, words: Sequence[str]) -> None:
        if list(words) != [VERSION]:
            raise MessageError(f"INFO {excerpt(' '.join(words))}: expected version {VERSION}; nothing changed")
        if self.game is not None:
            raise MessageError(f"INFO {VERSION} during a game; nothing changed")
        self.lines.send(f"NAME sanqi {__version__}")
        self._greeted = True

    def _start(self, words: Sequence[str]) -> None:
        fields(words, "first", "the time", "the number of steps")
        seat = number(words[0], "first", 1)
        seconds = number(words[1], "the time")
        steps = number(words[2], "the number of steps")
        if self.game is not None:
            raise MessageError("START during a game; nothing changed")
        lineup = rated_lineup("duel", self.finder.chance_of(seat))
        self.game = ContestGame(seat, lineup, steps)
        self._left_ms = 1000 * seconds
        self.lines.send(f"ARRAY {array(lineup)}")
        self.finder.load()

    def _end(self, words: Sequence[str]) -> None:
        fields(words, "the end")
        number(words[0], "the end", 2)
        self._over = True
        self.lines.leave()

    def _go(self, game: ContestGame, words: Sequence[str]) -> None:
        if game.awaits_result:
            self.notify(f"GO before the RESULT of {game.move_name(game.sent)}; the answer stands")
            self._say(game, game.sent)
            return
        try:
            game.follow(words)
        except ValueError as error:
            # A missing answer loses at once; any other loses only if the referee finds it illegal.
            self.notify(f"{error}; the board stays as it was")
            self._answer_anyhow(game)
        else:
            time_ms = min(limits(Clock(self._left_ms))[1], self._max_ms)
            self.finder.start(game.view, Limits(soft_ms=time_ms, hard_ms=time_ms), partial(self._answer, game))

    # Answers

    def _answer(self, game: ContestGame, result: Result) -> None:
        self._left_ms -= result.time_ms + _OVERHEAD_MS
        if result.best is None:
            self._answer_anyhow(game)
        else:
            self._say(game, result.best)

    def _answer_anyhow(self, game: ContestGame) -> None:
        self._say(game, game.any_move(self.finder.chance_of(game.seat)))

    def _say(self, game: ContestGame, move: int | None) -> None:
        game.sent = move
        self.lines.send(f"BESTMOVE {game.move_name(move)}")
