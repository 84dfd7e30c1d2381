"""A person who plays for the referee in the terminal. Gets only the protocol's lines, so that nothing leaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from junqi_protocol.display import MORE_COMMANDS, RULES, TYPED_MOVES
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.records.display import (
    SEAT_STYLES,
    board_lines,
    ending_text,
    last_pieces,
    last_points,
    moves_text,
    names_legend,
    ply_text,
    view_lines,
)
from junqi_protocol.records.notes import Notes
from junqi_protocol.referee.connections import Connection, Gone, NoLine, within
from junqi_protocol.referee.typed_lines import TypedLines
from junqi_protocol.rules import lineup
from junqi_protocol.rules.geometry import move_text, parse_move
from junqi_protocol.rules.lineup import rated_lineup
from junqi_protocol.rules.messages import HAPPENINGS, BestMove, Go, NewGame
from search_core.clock import now_s
from search_core.line_protocol import OverlongLine

if TYPE_CHECKING:
    from random import Random

    from junqi_protocol.rules.messages import Happening, Terms

_HELP = f"""\
at the prompt: {TYPED_MOVES}, or one of
  moves [SQUARE] list the pieces that may move, or where the piece on a square
                 may go
{MORE_COMMANDS}  board          show the board again
  rules          show the rules
  resign         give up
  quit           leave: your seat is out
  help           show this list
"""


class Person(Connection):
    """Shows the game and asks for moves. No other code may read the terminal's input after open(). `chance` draws the
    lineups."""

    _terms: Terms
    _view: PlayerView

    def __init__(self, seats: tuple[int, ...], chance: Random) -> None:
        super().__init__(seats)
        self._console = Console(highlight=False)
        self._chance = chance
        self._typed = TypedLines()
        self._answers: list[str] = []
        self._asked: Go | None = None
        self._was_late = False
        """Whether the last question got no answer in time: what is typed before the next one was meant for it."""

    async def open(self) -> None:
        self.ready = True
        self._typed.begin()

    def send(self, line: str) -> None:
        keyword, *words = line.split()
        if keyword == "newgame":
            self._terms = NewGame.parse(words).terms
            self._lineups: dict[int, str] = {}
            self._happenings: list[Happening] = []
            self._notes = Notes()
            self._is_over = self._offered_draw = False
        elif keyword == "deploy":
            self._answers.append(
                f"lineup {words[0]} {lineup.text(rated_lineup(self._terms.variant.name, self._chance))}"
            )
        elif keyword == "lineup":
            seat = int(words[0])
            self._lineups[seat] = lineup.parse(words[1])
            if self._is_over:
                self._disclose(seat, words[1])
        elif keyword == "start":
            self._explain()
            self._view = PlayerView(self._terms.variant.name, self.seats, self._lineups, first=self._terms.first)
        elif keyword in HAPPENINGS:
            self._follow(HAPPENINGS[keyword](words, self._terms.variant))
        elif keyword == "go":
            self._ask(Go.parse(words, self._terms.variant))
        elif keyword == "illegal":
            self._console.print(f"not legal: {' '.join(words[2:])}", style="red")
            self._prompt()
        elif keyword == "gameover":
            self._is_over, self._lineups = True, {}
            self._console.print(ending_text(" ".join(words), self.seats, self._happenings), style="bold")

    async def receive(self, deadline: float) -> str:
        while not self._answers:
            left = deadline - now_s()
            if left <= 0:
                self._console.print("\ntoo late", style="red")
                self._was_late = True
                raise NoLine
            try:
                line = await within(left, self._typed.next())
            except NoLine:
                continue
            if line is None:
                raise Gone
            if self._asked is None and not isinstance(line, OverlongLine):
                continue
            try:
                self._obey(line)
            except ValueError as error:
                self._console.print(str(error), style="red", markup=False)
            self._prompt()
        return self._answers.pop(0)

    # What the person is shown

    def _follow(self, happening: Happening) -> None:
        self._happenings.append(happening)
        self._view.follow(happening)
        self._console.print(ply_text(self._terms.variant, happening), style=SEAT_STYLES[happening.seat])

    def _draw(self) -> None:
        guesses = self._notes.guesses(self._happenings)
        self._console.print()
        for line in view_lines(self._view, last_points(self._happenings), guesses, self._console.width):
            self._console.print(line)

    def _explain(self) -> None:
        for line in names_legend():
            self._console.print(line, style="dim", markup=False)

    def _disclose(self, seat: int, letters: str) -> None:
        """A lineup after the game; the last of them shows all pieces."""
        variant = self._terms.variant
        self._console.print(f"seat {seat} began with {letters}", style=SEAT_STYLES[seat])
        if len(self._lineups) == variant.seats:
            pieces = last_pieces(self._lineups, self._happenings)
            for line in board_lines(variant, pieces, last_points(self._happenings), has_characters=True):
                self._console.print(line)

    def _ask(self, go: Go) -> None:
        if self._was_late:
            self._typed.drop()
            self._was_late = False
        self._asked = go
        self._wants_draw = False
        self._draw()
        if self._offered_draw:
            self._console.print("Your offer of a draw was not accepted.")
        if go.draw:
            self._console.print("The enemies offer a draw. To agree, type draw and then your move.", style="bold")
        self._prompt()

    def _prompt(self) -> None:
        if self._asked is not None:
            limit = self._asked.clock if self._asked.clock is not None else self._asked.movetime
            time_left = "" if limit is None else f" ({limit / 1000:.0f} s)"
            self._console.print(f"ply {self._asked.ply}, you are seat {self._asked.seat}{time_left}> ", end="")

    # What the person types

    def _obey(self, line: str) -> None:
        """Carry out a line. Raises ValueError, which says why that cannot be done, and Gone."""
        if isinstance(line, OverlongLine):
            raise ValueError(line.fault)
        word, *words = line.split() or [""]
        position = self._view.position
        match word.lower():
            case "pass" | "resign" as answer:
                self._say(answer)
            case "quit":
                raise Gone
            case "draw":
                self._want_draw()
            case "help":
                self._console.print(_HELP, end="", markup=False)
            case "rules":
                self._console.print(RULES, end="", markup=False)
            case "board":
                self._draw()
            case "legend":
                self._explain()
            case "mark":
                self._notes.mark(position, words)
                self._draw()
            case "moves":
                self._console.print(moves_text(position, *words[:1]))
            case text if text:
                try:
                    move = parse_move(position.variant, text)
                except ValueError as error:
                    raise ValueError(f"{error}; type help for the commands") from None
                if not position.is_legal(move):
                    raise ValueError(position.complaint(move))
                self._say(move_text(position.variant, move))

    def _want_draw(self) -> None:
        assert self._asked is not None
        if not self._terms.draws:
            raise ValueError("no draw can be agreed in this game")
        self._wants_draw = not self._wants_draw
        deed = "agrees to" if self._asked.draw else "offers"
        self._console.print(f"your next move {deed} a draw" if self._wants_draw else f"it no longer {deed} a draw")

    def _say(self, word: str) -> None:
        assert self._asked is not None
        self._offered_draw = self._wants_draw and not self._asked.draw
        self._answers.append(BestMove(word, None, self._asked.ply, self._wants_draw).text(self._terms.variant))
        self._asked = None
