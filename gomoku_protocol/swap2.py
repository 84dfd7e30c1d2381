"""A game of Gomoku that begins with Swap2, in which the players choose their colours.

The first player puts three stones: black, white, black. The second player takes White, takes Black, or puts two more
stones, white and black; then the first player takes a colour. White plays next.

A choice is a ply of its own. So undo, the log and a record know it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from game_core.session import IllegalMove
from gomoku_protocol.points import FREESTYLE
from gomoku_protocol.renju_openings import SWAP2, is_swap2
from gomoku_protocol.session import COLOURS, GomokuSession
from search_core.line_protocol import excerpt

FIRST, SECOND = 0, 1
"""The seats: who puts the first stones, and who may choose first."""
SEATS = ("first player", "second player")
"""What the seats are called until they have their colours."""
TAKE_BLACK, TAKE_WHITE, TWO_MORE = "black", "white", "two"
NAMES = {TAKE_BLACK: "Take Black", TAKE_WHITE: "Take White", TWO_MORE: "Place two more"}
"""The choices, as plies, and in words."""
_NUMBERS = {TAKE_BLACK: -1, TAKE_WHITE: -2, TWO_MORE: -3}
"""As moves of a search; no point has a negative one."""
_FIRST_STONES, _ALL_STONES = 3, 5


class Stage(NamedTuple):
    """How far the opening has come."""

    stones: int
    """How many the seat has to put on the board, with those that are there; 0: it has to choose."""
    seat: int
    """Who is to act."""


class Swap2Session(GomokuSession):
    """A game that begins with Swap2. `sides` are the seats' names, at last their colours: a seat keeps its number.

    play() also takes a stone where a colour is to be chosen: who plays White's next stone has White.
    """

    def __init__(self, width: int = 15, height: int = 15, rule: int = FREESTYLE) -> None:
        super().__init__(width, height, rule)
        self._plies: list[str] = []
        """Stones and choices, in order."""
        self._movers: list[int] = []
        """Who made each of them."""

    # The opening

    @property
    def _choices(self) -> list[str]:
        return [ply for ply in self._plies if ply in NAMES]

    @property
    def black_seat(self) -> int | None:
        """The seat that has Black; None: that is not chosen."""
        choices = self._choices
        if len(self._moves) > (_ALL_STONES if TWO_MORE in choices else _FIRST_STONES):
            choices.append(TAKE_WHITE)  # if nothing else was chosen
        return black_seat_of(choices)

    @property
    def stage(self) -> Stage | None:
        """What comes next; None: the opening is over."""
        if self.black_seat is not None:
            return None
        stones, has_two_more = len(self._moves), TWO_MORE in self._choices
        if stones < _FIRST_STONES:
            return Stage(_FIRST_STONES, FIRST)
        if has_two_more and stones < _ALL_STONES:
            return Stage(_ALL_STONES, SECOND)
        return Stage(0, FIRST if has_two_more else SECOND)

    def stones(self) -> list[int]:
        """The stones on the board in the order in which they were put, as moves of a search."""
        return list(self._moves)

    @property
    def choices(self) -> list[str]:
        """What the seat to move can choose now; none: it puts a stone."""
        stage = self.stage
        if stage is None or stage.stones:
            return []
        return [TAKE_BLACK, TAKE_WHITE] if stage.seat == FIRST else [TAKE_BLACK, TAKE_WHITE, TWO_MORE]

    @property
    def task(self) -> str:
        """What the seat to move has to do, in words; '': the opening is over."""
        stage = self.stage
        if stage is None:
            return ""
        if stage.stones:
            return f"Place stone {len(self._moves) + 1} of {stage.stones}: {COLOURS[self.colour]}."
        return "Choose your colour." if TWO_MORE in self._choices else "Choose your colour, or place two more stones."

    # The session

    @property
    def sides(self) -> tuple[str, ...]:  # type: ignore[override]
        black = self.black_seat
        return SEATS if black is None else (COLOURS[black != FIRST], COLOURS[black == FIRST])

    @property
    def ply(self) -> int:
        return len(self._plies)

    @property
    def to_move(self) -> int:
        stage = self.stage
        return self.seat_of(self.colour) if stage is None else stage.seat

    def seat_of(self, colour: int) -> int:
        return colour if self.black_seat in (None, FIRST) else 1 - colour

    def legal_moves(self) -> list[str]:
        return self.choices or super().legal_moves()

    def play(self, move: str, ms: int | None = None) -> None:
        mover = self.to_move
        if move not in NAMES:
            super().play(move, ms)
        elif move not in self.choices:
            raise IllegalMove(f"{excerpt(move)} cannot be chosen now")
        self._plies.append(move)
        self._movers.append(mover)

    def undo(self, plies: int = 1) -> None:
        if not 0 <= plies <= self.ply:
            raise ValueError(f"there are {self.ply} moves to take back, not {plies}")
        for _ in range(plies):
            if self._plies[-1] not in NAMES:
                super().undo()
            self._plies.pop()
            self._movers.pop()

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Also `movers`, who made each ply."""
        return {
            **super().view(seat),
            "moves": list(self._plies),
            "movers": list(self._movers),
            "task": self.task,
            "choices": self.choices,
        }

    def move_text(self, move: int) -> str:
        return next((choice for choice, number in _NUMBERS.items() if number == move), "") or super().move_text(move)

    def read_move(self, text: str) -> str:
        word = text.lower().strip()
        choice = next((choice for choice, name in NAMES.items() if word in (choice, name.lower())), None)
        if choice is None and not self.choices:
            return super().read_move(text)
        if choice is None:
            raise IllegalMove(f"choose first: {', '.join(self.choices)}")
        if choice not in self.choices:
            raise IllegalMove(f"{excerpt(text)} cannot be chosen now")
        return choice

    def move_names(self, move: str) -> dict[str, str]:
        if move in NAMES:
            return {"letters": NAMES[move], "gomocup": move}
        return super().move_names(move)

    @property
    def opening(self) -> str:  # type: ignore[override]
        """For the record: `swap2`, and the choices."""
        return " ".join([SWAP2, *self._choices])


def black_seat_of(choices: Sequence[str]) -> int | None:
    """The seat that has chosen or got Black; None: no colour was chosen."""
    chooser = FIRST if TWO_MORE in choices else SECOND
    if TAKE_BLACK in choices:
        return chooser
    return 1 - chooser if TAKE_WHITE in choices else None


def choice_number(choice: str) -> int:
    """A choice as a move of a search; Swap2Session.move_text() reads it."""
    return _NUMBERS[choice]


def choices_of(opening: str) -> Sequence[str]:
    """The choices, by the opening of a record."""
    return opening.split()[1:]


def opening_stones(opening: str) -> int:
    """How many stones belong to the opening of a record, not to play: they were put for both sides."""
    if not is_swap2(opening):
        return 0
    return _ALL_STONES if choices_of(opening)[:1] == [TWO_MORE] else _FIRST_STONES


def choices_before(opening: str, stones: int) -> Sequence[str]:
    """What was chosen when so many stones were on the board, by the opening of a record."""
    choices = choices_of(opening)
    if stones == _FIRST_STONES:
        return choices[:1]
    return choices[1:2] if stones == _ALL_STONES and choices[:1] == [TWO_MORE] else []
