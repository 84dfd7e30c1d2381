"""A game of Junqi in progress, for the table. Moves are the line protocol's text: ``g6g9``, ``pass``, ``resign``."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from game_core.chooser import Choice, OwnEngineChooser
from game_core.session import DRAW, FIRST_WINS, PUBLIC, SECOND_WINS, IllegalMove, Session, UnknownMove, Verdict
from junqi_protocol.knowledge.player_view import PlayerView, view_of
from junqi_protocol.players.levels import SEARCH
from junqi_protocol.players.player import JunqiPlayer
from junqi_protocol.players.thinking_time import THINK_TIME_MS, limits
from junqi_protocol.records.notes import Notes
from junqi_protocol.records.records import Replay, record_text
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import VARIANTS, move_text, parse_move
from junqi_protocol.rules.lineup import rated_lineup
from junqi_protocol.rules.lineup import text as lineup_text
from junqi_protocol.rules.messages import DEPARTURES, BestMove, Happening, Left, Moved, Skipped, Terms
from search_core.failures import becoming
from search_core.line_protocol import excerpt
from search_core.thinker import Limits, Result
from search_core.time_budget import Clock

PLAY_COMMENT = "# sanqi play junqi "
"""Begins the line of a saved game that has its options."""
_QUIET_PLIES, _SKIPS = 70, 5
_DRAW = " draw"
"""After a move: it offers a draw, or agrees to one."""


class JunqiSession:
    """A game under the arbiter, with hidden pieces. It is a SeatedSession: each seat moves, passes or leaves.

    Parameters
    ----------
    variant : str
    seed : int
        Of the lineups.
    lineups : dict of int to str
        Those that are chosen, by seat; the others are drawn.
    arbiter : Arbiter or None
        A game to go on with.
    """

    def __init__(
        self,
        variant: str = "siguo",
        seed: int = 1,
        lineups: dict[int, str] | None = None,
        arbiter: Arbiter | None = None,
    ) -> None:
        self._variant = VARIANTS[variant]
        self._chosen = dict(lineups or {})
        self._views: dict[int, PlayerView] = {}
        """What each seat knows, as far as somebody has asked."""
        self._wants_draw = False
        """Whether the next move offers a draw or agrees to one."""
        self.notes = Notes()
        """The person's, of enemies' pieces."""
        if arbiter is None:
            self.deal(seed)
        else:
            self.arbiter = arbiter

    @property
    def sides(self) -> tuple[str, ...]:
        return tuple(f"seat {seat}" for seat in range(self._variant.seats))

    @property
    def ply(self) -> int:
        return len(self.arbiter.happenings)

    @property
    def to_move(self) -> int:
        return self.arbiter.turn

    def player_view(self, seat: int) -> PlayerView:
        """What a seat knows: all that an engine there, or the person, may use."""
        if seat not in self._views:
            self._views[seat] = view_of(self.arbiter, seat, "own")
        return self._views[seat]

    def deal(self, seed: int) -> None:
        """Begin another game: the chosen lineups stay, the others are drawn."""
        variant = self._variant
        drawn = [rated_lineup(variant.name, random.Random(f"{seed} {seat}")) for seat in range(variant.seats)]
        lineups = [self._chosen.get(seat, lineup) for seat, lineup in enumerate(drawn)]
        self.notes = Notes()
        self._continue(Arbiter(Terms(self._variant, quiet=_QUIET_PLIES, skips=_SKIPS, draws=True, id="game1"), lineups))

    def is_out(self, seat: int) -> bool:
        return self.arbiter.outcome is None and seat not in self.arbiter.position.living

    def offer_draw(self) -> str:
        if not self.arbiter.terms.draws:
            raise ValueError("no draw can be agreed in this game")
        self._wants_draw = not self._wants_draw
        deed = "agrees to" if self.arbiter.asks_for_draw else "offers"
        return f"your next move {deed} a draw" if self._wants_draw else f"it no longer {deed} a draw"

    def legal_moves(self) -> list[str]:
        if self.arbiter.outcome is not None:
            return []
        return [*(move_text(self._variant, move) for move in self.arbiter.position.legal_moves()), "pass", "resign"]

    def play(self, move: str, ms: int | None = None) -> None:
        word, offers, _ = move.partition(_DRAW)
        if self.arbiter.outcome is not None:
            raise IllegalMove(f"{excerpt(move)} comes after the end of the game")
        clock = None if self.arbiter.clocks is None else self.arbiter.clocks[self.to_move]
        number = None if word == "pass" or word in DEPARTURES else self._number(word)
        if clock is not None and ms is not None and ms > clock:
            happening = self.arbiter.leave("time", ms)
        elif word in DEPARTURES:  # nobody can choose them, but for "resign": they come from records
            happening = self.arbiter.leave(word, ms)
        elif number is not None and not self.arbiter.position.is_legal(number):
            raise IllegalMove(self.arbiter.position.complaint(number))
        else:
            draw = bool(offers) or self._wants_draw
            happening = self.arbiter.answer(BestMove(word, number, self.arbiter.next_ply, draw), ms)
        self._wants_draw = False
        for view in self._views.values():
            view.follow(happening)

    def undo(self, plies: int = 1) -> None:
        kept = self.ply - plies
        if not 0 <= kept <= self.ply:
            raise ValueError(f"there are {self.ply} plies to take back, not {plies}")
        if plies:
            arbiter = Arbiter(self.arbiter.terms, self.arbiter.lineups)
            if kept:
                arbiter = Replay(record_text(self.arbiter).encode("ascii"), kept).arbiter
            self._continue(arbiter)
            self.notes.take_back(kept)

    def verdict(self) -> Verdict | None:
        """The result of seats 0 and 2; the reason is the arbiter's outcome."""
        outcome = self.arbiter.outcome
        if outcome is None:
            return None
        words = outcome.split()
        return Verdict(DRAW if words[0] == "draw" else (FIRST_WINS, SECOND_WINS)[int(words[1][0]) % 2], outcome)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Besides what every game has: `pieces` by square, as seat and letter, `?` for one that the seat may not know;
        `variant`; `living`, the seats that are not out. After the end everything is shown."""
        verdict = self.verdict()
        seats = None if seat is None or verdict is not None else () if seat == PUBLIC else (seat,)
        return {
            "sides": list(self.sides),
            "ply": self.ply,
            "to_move": self.to_move,
            "moves": [self._text(happening) for happening in self.arbiter.happenings],
            "movers": [happening.seat for happening in self.arbiter.happenings],
            "verdict": None if verdict is None else list(verdict),
            "pieces": {
                self._variant.squares[point]: list(piece) for point, piece in sorted(self.arbiter.view(seats).items())
            },
            "variant": self._variant.name,
            "living": self.arbiter.position.living,
        }

    def position(self) -> NoReturn:
        raise TypeError("a search of Junqi needs the view of a seat: player_view()")

    def move_text(self, move: int) -> str:
        return move_text(self._variant, move)

    def read_move(self, text: str) -> str:
        """A move as two squares, ``pass`` or ``resign``. It is judged by what the seat knows."""
        text = text.lower()
        if text in ("pass", "resign"):
            return text
        move = self._number(text)
        position = self.player_view(self.to_move).position
        if not position.is_legal(move):
            raise IllegalMove(position.complaint(move))
        return move_text(self._variant, move)

    def move_names(self, move: str) -> dict[str, str]:
        return {"squares": move}

    def save(
        self,
        format: str,
        players: Sequence[str] = (),
        event: str = "",
        ended: Verdict | None = None,
        options: str | None = None,
    ) -> bytes:
        """``jgr``, the referee's record; it names no players."""
        comment = "" if options is None else f"{PLAY_COMMENT}{options}\n"
        return f"{record_text(self.arbiter)}{comment}".encode("ascii", "replace")

    def lineup_lines(self) -> list[str]:
        """The lineups that the game began with, for its end."""
        return [f"seat {seat} began with {lineup_text(lineup)}" for seat, lineup in enumerate(self.arbiter.lineups)]

    def _continue(self, arbiter: Arbiter) -> None:
        self.arbiter = arbiter
        self._views.clear()
        self._wants_draw = False

    def _number(self, text: str) -> int:
        with becoming(ValueError, UnknownMove):
            return parse_move(self._variant, text)

    def _text(self, happening: Happening) -> str:
        if isinstance(happening, Moved):
            return move_text(self._variant, happening.move)
        assert isinstance(happening, Skipped | Left)
        return "pass" if isinstance(happening, Skipped) else happening.reason


class JunqiChooser(OwnEngineChooser):
    """An OwnEngineChooser for one seat, or for hints. It knows what the seat on turn knows; no two share anything.

    `think_time_ms`: milliseconds for a move, in a game without clocks.
    """

    def __init__(self, level: str = SEARCH, think_time_ms: int = THINK_TIME_MS) -> None:
        self._player = player = JunqiPlayer(level)
        super().__init__(lambda seed: player, Limits(), level, has_chance=True)
        self._thinker = player
        self._think_time_ms = think_time_ms
        self._arbiter: Arbiter | None = None
        self._chance = random.Random()

    def go(self, session: Session, seed: int, on_choice: Callable[[Choice], None], clock: Clock | None = None) -> None:
        assert isinstance(session, JunqiSession)
        arbiter, seat = session.arbiter, session.to_move
        view = session.player_view(seat)
        if arbiter is not self._arbiter:  # another game, or moves were taken back
            self._arbiter = arbiter
            self._chance = random.Random(f"{seed} {seat}")
            self._player.searcher.new_game()
        left_ms = None if arbiter.clocks is None else arbiter.clocks[seat]
        soft_ms, hard_ms = limits(Clock(left_ms=left_ms, increment_ms=arbiter.terms.inc), self._think_time_ms)
        agrees = arbiter.asks_for_draw and view.is_behind

        def deliver(result: Result) -> None:
            move = "pass" if result.best is None else session.move_text(result.best)
            on_choice(Choice(move + _DRAW * agrees, None))

        self._player.chance = self._chance
        # A source of its own: a game that is resumed, whose lineups are drawn already, is played in the same way.
        self._player.searcher.weakness_chance = random.Random(f"{seed} {seat} weaknesses")
        self._player.go(view, Limits(soft_ms=soft_ms, hard_ms=hard_ms), on_result=deliver)
