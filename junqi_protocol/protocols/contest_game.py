"""The game that a referee of the contest tells of: the board by its lines, and its names of squares."""

from __future__ import annotations

from junqi_protocol.knowledge.knowledge import A_FLAG, BOTH_DIED, EAT, KILLED, MOVE
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.rules.geometry import HOME_POINTS, move_of
from junqi_protocol.rules.lineup import COMMANDER, FLAG
from junqi_protocol.rules.messages import MessageError, fields, number
from search_core.failures import named
from search_core.line_protocol import excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

_NO_MOVE, _NO_FLAG = "0000", "00"
_RESULTS = (KILLED, EAT, BOTH_DIED, MOVE)
_SQUARES = [row + column for row in "ABCDEFGHIJKL" for column in "01234"]
_NUMBERS = {square: place for place, square in enumerate(_SQUARES)}


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


class ContestGame:
    """A game as one seat sees it.

    Attributes
    ----------
    seat : int
        Ours.
    view : PlayerView
        The board by the referee's lines.
    sent : int or None
        Our last move, until its result comes.
    """

    def __init__(self, seat: int, lineup: str, quiet_limit: int) -> None:
        self.seat = seat
        self.view = PlayerView("duel", (seat,), {seat: lineup})
        self.view.quiet_limit, self.view.quiet_loses = quiet_limit, True
        self.sent: int | None = None
        self._lost = False
        """Whether track of the game is lost: the board stays as it was last known."""

    @property
    def awaits_result(self) -> bool:
        """Whether our last move is still to be judged."""
        return self.sent is not None and self.view.position.turn == self.seat and not self._lost

    def move_name(self, move: int | None) -> str:
        """A move in the referee's words. None: there is none."""
        return _NO_MOVE if move is None else square_of(move >> 8, self.seat) + square_of(move & 255, self.seat)

    def any_move(self, chance: random.Random) -> int | None:
        """A move that is legal on the board as last known; None if there is none."""
        position = self.view.position.copy()
        if position.turn != self.seat:
            position.skip(False)
        moves = position.legal_moves()
        return chance.choice(moves) if moves else None

    def follow(self, words: Sequence[str]) -> None:
        """Update the board by the words of a GO. Raises ValueError, changing nothing."""
        if self._lost:
            raise MessageError("track of the game is lost")
        if self.view.position.outcome_text is not None:
            raise MessageError("the game is over")
        fields(words, "the move")
        if self.view.position.turn == self.seat:
            if words[0] != _NO_MOVE:
                raise MessageError(f"{excerpt(words[0])}: we are on turn, expected {_NO_MOVE}")
            return
        move = self._move(words[0])
        result, flag = self._outcome(words[1:])
        with named(f"{excerpt(' '.join(words))} cannot be", ValueError, MessageError):
            self._learn(1 - self.seat, move, result, flag)
        self.sent = None

    def learn_result(self, words: Sequence[str]) -> None:
        """Update the board by the words of a RESULT. Raises MessageError."""
        result, flag = self._outcome(words)
        if self._lost:
            raise MessageError("track of the game is lost")
        if self.sent is None:
            raise MessageError("RESULT without a move of ours; nothing changed")
        move, self.sent = self.sent, None
        try:
            self._learn(self.seat, move, result, flag)
        except ValueError as error:
            self._lost = True
            reported = f"{self.move_name(move)}, RESULT {' '.join(words)}"
            raise MessageError(f"{excerpt(reported)} cannot be: {error}; track of the game is lost") from None

    def _move(self, word: str) -> int:
        try:
            return move_of(point_of(word[:2], self.seat), point_of(word[2:], self.seat))
        except KeyError:
            raise MessageError(f"{excerpt(word)} is no move, expected two squares such as F0G0") from None

    def _outcome(self, words: Sequence[str]) -> tuple[int, int | None]:
        """The result and the flag's point in a line. Some referees leave the flag square out if it is 00."""
        more = fields(words, "the result")
        result = _RESULTS[number(words[0], "the result", len(_RESULTS) - 1)]
        word = more[0] if more else _NO_FLAG
        try:
            return result, None if word == _NO_FLAG else point_of(word, self.seat)
        except KeyError:
            raise MessageError(f"{excerpt(word)} is no square, expected {_NO_FLAG} or the flag's such as A1") from None

    def _learn(self, mover: int, move: int, result: int, flag: int | None) -> None:
        """Play a move on the board. Raises ValueError, changing nothing, if it cannot have ended so.

        `flag`: where the other side's flag stands; given once its commander has died.
        """
        view, seat = self.view, self.seat
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
