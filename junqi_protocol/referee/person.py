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
    happening_text,
    last_pieces,
    last_points,
    moves_text,
    names_legend,
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
    from collections.abc import Callable
    from random import Random

    from junqi_protocol.rules.messages import Happening

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
    """Shows the game and asks for moves. No other code may read the terminal's input after open().

    Parameters
    ----------
    seats : tuple of int
    chance : random.Random
        Draws a lineup if the person has chosen none.
    chosen : str or None
        The lineup that the person has chosen.
    read : callable or None
        Reads the next line of the terminal's input; None: one is made.
    """

    def __init__(
        self,
        seats: tuple[int, ...],
        chance: Random,
        chosen: str | None = None,
        read: Callable[[], str | None] | None = None,
    ) -> None:
        super().__init__(seats)
        self._chosen = chosen
        self._console = Console(highlight=False)
        self._chance = chance
        self._typed = TypedLines(read)
        self._new_game: NewGame | None = None
        self._lineups: dict[int, str] = {}
        self._view: PlayerView | None = None
        self._asked: Go | None = None
        self._answers: list[str] = []
        self._wants_draw = False
        self._offered_draw = False
        """Whether the person's last move did."""
        self._happenings: list[Happening] = []
        self._notes = Notes()
        self._disclosed: dict[int, str] | None = None
        """The lineups that are disclosed after the game; None: the game goes on."""

    async def open(self) -> None:
        self.ready = True
        self._typed.begin()

    def send(self, line: str) -> None:
        words = line.split()
        keyword = words[0]
        if keyword == "newgame":
            self._happenings, self._notes, self._disclosed = [], Notes(), None
            self._new_game = NewGame.parse(words[1:])
            self._lineups, self._view = {}, None
            self._offered_draw = False
        elif keyword == "deploy":
            self._answers.append(f"lineup {words[1]} {lineup.text(self._chosen or rated_lineup(self._chance))}")
        elif self._new_game is None:
            return
        elif keyword == "lineup" and self._disclosed is not None:
            self._disclose(int(words[1]), words[2])
        elif keyword == "lineup":
            self._lineups[int(words[1])] = lineup.parse(words[2])
        elif keyword == "start":
            self._explain()
            self._view = PlayerView(
                self._new_game.terms.variant.name, self.seats, self._lineups, first=self._new_game.terms.first
            )
        elif keyword in HAPPENINGS and self._view is not None:
            self._follow(HAPPENINGS[keyword](words[1:], self._new_game.terms.variant))
        elif keyword == "go":
            self._ask(Go.parse(words[1:], self._new_game.terms.variant))
        elif keyword == "illegal":
            self._console.print(f"not legal: {' '.join(words[3:])}", style="red")
            self._prompt()
        elif keyword == "gameover":
            self._disclosed = {}
            ending = ending_text(" ".join(words[1:]), self.seats, self._happenings)
            self._console.print(ending, style="bold")

    async def receive(self, deadline: float) -> str:
        while not self._answers:
            left = deadline - now_s()
            if left <= 0:
                self._console.print("\ntoo late", style="red")
                raise NoLine
            try:
                line = await within(left, self._typed.next())
            except NoLine:
                continue
            if line is None:
                raise Gone
            if isinstance(line, OverlongLine):
                self._console.print(line.fault, style="red", markup=False)
                self._prompt()
            else:
                self._dispatch(line.split())
        return self._answers.pop(0)

    # What the person is shown

    def _follow(self, happening: Happening) -> None:
        assert self._view is not None
        self._happenings.append(happening)
        self._view.follow(happening)
        self._console.print(
            f"{happening.ply}. seat {happening.seat}: {happening_text(self._view.position.variant, happening)}",
            style=SEAT_STYLES[happening.seat],
        )

    def _draw(self) -> None:
        assert self._view is not None
        guesses = self._notes.guesses(self._happenings)
        self._console.print()
        for line in view_lines(self._view, last_points(self._happenings), guesses, self._console.width):
            self._console.print(line)

    def _explain(self) -> None:
        for line in names_legend():
            self._console.print(line, style="dim", markup=False)

    def _disclose(self, seat: int, letters: str) -> None:
        """A lineup after the game; the last of them shows all pieces."""
        assert self._new_game is not None
        assert self._disclosed is not None
        variant = self._new_game.terms.variant
        self._disclosed[seat] = lineup.parse(letters)
        self._console.print(f"seat {seat} began with {letters}", style=SEAT_STYLES[seat])
        if len(self._disclosed) == variant.seats:
            pieces = last_pieces(variant, self._disclosed, self._happenings)
            for line in board_lines(variant, pieces, last_points(self._happenings), has_characters=True):
                self._console.print(line)

    def _ask(self, go: Go) -> None:
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

    def _dispatch(self, words: list[str]) -> None:
        if self._asked is None or self._view is None:
            return
        word = words[0].lower() if words else ""
        position = self._view.position
        variant = position.variant
        if word in ("pass", "resign"):
            self._say(BestMove(word, None, self._asked.ply, self._wants_draw))
            return
        if word == "quit":
            raise Gone
        if word == "draw":
            self._want_draw()
        elif word == "help":
            self._console.print(_HELP, end="", markup=False)
        elif word == "rules":
            self._console.print(RULES, end="", markup=False)
        elif word == "board":
            self._draw()
        elif word == "legend":
            self._explain()
        elif word == "mark":
            self._mark(words[1:])
        elif word == "moves":
            try:
                self._console.print(moves_text(position, *words[1:2]))
            except ValueError as error:
                self._console.print(str(error), style="red", markup=False)
        elif word:
            try:
                move = parse_move(variant, word)
            except ValueError as error:
                self._console.print(f"{error}; type help for the commands", style="red", markup=False)
            else:
                if position.is_legal(move):
                    self._say(BestMove(move_text(variant, move), move, self._asked.ply, self._wants_draw))
                    return
                self._console.print(position.complaint(move), style="red", markup=False)
        self._prompt()

    def _mark(self, words: list[str]) -> None:
        assert self._view is not None
        try:
            self._notes.mark(self._view.position, words)
        except ValueError as error:
            self._console.print(str(error), style="red", markup=False)
        else:
            self._draw()

    def _want_draw(self) -> None:
        assert self._new_game is not None
        assert self._asked is not None
        if not self._new_game.terms.draws:
            self._console.print("no draw can be agreed in this game", style="red")
            return
        self._wants_draw = not self._wants_draw
        deed = "agrees to" if self._asked.draw else "offers"
        self._console.print(f"your next move {deed} a draw" if self._wants_draw else f"it no longer {deed} a draw")

    def _say(self, answer: BestMove) -> None:
        assert self._view is not None
        assert self._asked is not None
        self._offered_draw = self._wants_draw and not self._asked.draw
        self._asked = None
        self._answers.append(answer.text(self._view.position.variant))
