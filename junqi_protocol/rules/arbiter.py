"""One game as the referee knows it: judges answers, counts clocks and strikes, and writes the lines for the players.

It does no input or output. All lines to players come from here, so tests can check that nothing leaks: before the end
of the game, no line to a seat depends on a piece that the seat may not see.
"""

from __future__ import annotations

from dataclasses import dataclass

from junqi_protocol.rules.geometry import HOME_POINTS, move_text
from junqi_protocol.rules.lineup import FLAG, PIECES, text
from junqi_protocol.rules.messages import BestMove, Happening, Left, Moved, NewGame, Skipped, Spent, Terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_ILLEGAL = 3
"""A seat is out after this many illegal answers in a game."""


@dataclass
class _DrawOffer:
    """A team's offer of a draw, until every living seat of the other team has been asked."""

    unasked: set[int]
    declined: bool = False


class Refused(ValueError):
    """An answer that is no legal move; the seat must answer again. The text is the `illegal` line."""


class Arbiter:
    """A game in progress.

    Parameters
    ----------
    terms : Terms
    lineups : sequence of str
        One for each seat, legal.
    """

    def __init__(self, terms: Terms, lineups: Sequence[str]) -> None:
        self.terms = terms
        self.variant = terms.variant
        self.lineups = list(lineups)
        self.position = terms.position()
        self.position.deploy(self.lineups)
        self.happenings: list[Happening] = []
        self.clocks = [terms.clock] * self.variant.seats if terms.clock else None
        """Milliseconds left to each seat; None: a game without clocks."""
        self.strikes = [0] * self.variant.seats
        """Illegal answers of each seat."""
        self.refusals: list[tuple[int, str]] = []
        """Each refused answer: the ply it was for, and its `illegal` line."""
        self._offer: _DrawOffer | None = None
        self._is_agreed = False
        self._flags = [seat * HOME_POINTS + lineup.index("F") for seat, lineup in enumerate(self.lineups)]

    @property
    def turn(self) -> int:
        """The seat on turn."""
        return self.position.turn

    @property
    def next_ply(self) -> int:
        """The number that the next happening gets."""
        return self.position.ply + 1

    @property
    def outcome(self) -> str | None:
        """The words after `gameover`; None while the game goes on."""
        return "draw agreed" if self._is_agreed else self.position.outcome_text

    @property
    def asks_for_draw(self) -> bool:
        """Whether the seat on turn has to answer an offer of a draw."""
        return self._offer is not None and self.turn in self._offer.unasked

    # What happens. Each method returns the happening, which is sent to all players.

    def answer(self, answer: BestMove, used_ms: int | None = None) -> Happening:
        """Judge the answer of the seat on turn. Raises Refused if it is no legal move and the seat is not out."""
        if answer.word == "resign":
            return self.leave("resign", used_ms)
        if answer.word == "pass":
            return self.skip("pass", used_ms, answer.draw)
        seat = self.turn
        if answer.move is None or not self.position.is_legal(answer.move):
            return self.refuse(answer, used_ms)
        ply = self.next_ply
        result, shown, fallen = self.position.push(answer.move)
        flags = tuple((one, self._flags[one]) for one in shown)
        spent = self._spend(seat, used_ms, answer.draw)
        return self._happened(Moved(ply, seat, answer.move, result, flags, fallen, spent))

    def refuse(self, answer: BestMove, used_ms: int | None) -> Happening:
        """Count an illegal answer. Raises Refused, unless this puts the seat out."""
        seat = self.turn
        self.strikes[seat] += 1
        if self.strikes[seat] >= MAX_ILLEGAL:
            return self.leave("illegal", used_ms)
        name, reason = answer.word, "is no move"
        if answer.move is not None:
            name = move_text(self.variant, answer.move)
            reason = self.position.complaint(answer.move).removeprefix(name).strip()
        line = f"illegal {seat} {self.next_ply} {name} {reason}"
        self.refusals.append((self.next_ply, line))
        raise Refused(line)

    def skip(self, kind: str, used_ms: int | None = None, draw: bool = False) -> Happening:
        """The seat on turn does not move. `kind`: "pass", or "time" if its time for the move is used up. `draw`: as in
        BestMove."""
        seat, ply = self.turn, self.next_ply
        out = self.position.skip()
        spent = self._spend(seat, used_ms, draw)
        return self._happened(Skipped(ply, seat, self.position.skips_of(seat), kind, out, spent))

    def leave(self, reason: str, used_ms: int | None = None) -> Happening:
        """The seat on turn is out. `reason`: one of messages.DEPARTURES. Illegal answers that were not counted are."""
        seat, ply = self.turn, self.next_ply
        while reason == "illegal" and self.strikes[seat] < MAX_ILLEGAL - 1:
            self.strikes[seat] += 1
            self.refusals.append((ply, f"illegal {seat} {ply} -"))
        self.position.leave(reason)
        return self._happened(Left(ply, seat, reason, self._spend(seat, used_ms)))

    def repeat(self, happening: Happening) -> None:
        """Replay a happening of a record. Raises ValueError, naming what the rules say, if it cannot have happened."""
        if (happening.ply, happening.seat) != (self.next_ply, self.turn) or self.outcome is not None:
            raise ValueError(
                "the game was over" if self.outcome is not None else f"expected ply {self.next_ply} of seat {self.turn}"
            )
        used, draw = happening.spent.time, happening.spent.draw == 1
        if draw and not self.terms.draws:
            raise ValueError("newgame allows no draw by agreement")
        if isinstance(happening, Moved):
            if not self.position.is_legal(happening.move):
                raise ValueError(self.position.complaint(happening.move))
            found = self.answer(BestMove("", happening.move, happening.ply, draw), used)
        elif isinstance(happening, Skipped):
            found = self.skip(happening.kind, used, draw)
        else:
            if happening.reason == "illegal":
                self.strikes[happening.seat] += 1
                if self.strikes[happening.seat] < MAX_ILLEGAL:
                    raise ValueError(f"only the {MAX_ILLEGAL}rd illegal answer puts a seat out")
            found = self.leave(happening.reason, used)
        if found != happening:
            raise ValueError(f"by the rules: {found.text(self.variant)}")
        if happening.spent.clock not in (None, found.spent.clock):
            raise ValueError(f"by the clock: {found.spent.clock} ms are left")

    def _happened(self, happening: Happening) -> Happening:
        self.happenings.append(happening)
        self._consider_draw(happening.seat, happening.spent.draw == 1)
        return happening

    def _consider_draw(self, seat: int, draw: bool) -> None:
        """The draw that a seat has offered with its ply or has been asked for."""
        living = self.position.living
        if self._offer is None:
            if draw:
                self._offer = _DrawOffer({other for other in living if other % 2 != seat % 2})
            return
        if seat in self._offer.unasked:
            self._offer.unasked.remove(seat)
            self._offer.declined |= not draw
        self._offer.unasked.intersection_update(living)
        if not self._offer.unasked:
            self._is_agreed = not self._offer.declined and self.position.outcome_text is None
            self._offer = None

    def _spend(self, seat: int, used_ms: int | None, draw: bool = False) -> Spent:
        said = 1 if draw and self.terms.draws else None
        if used_ms is None:
            return Spent(draw=said)
        if self.clocks is None:
            return Spent(used_ms, draw=said)
        self.clocks[seat] = max(self.clocks[seat] - used_ms, 0) + self.terms.inc
        return Spent(used_ms, self.clocks[seat], said)

    # Lines for a player.

    def sees(self, seats: tuple[int, ...], see: str) -> list[int]:
        """The seats whose lineups a player of these seats is shown."""
        if see == "all":
            return list(range(self.variant.seats))
        return list(self.variant.team(seats[0])) if see == "team" else list(seats)

    def greeting(self, seats: tuple[int, ...], see: str) -> str:
        """The `newgame` line."""
        return NewGame(self.terms, seats, see).text()

    def opening(self, seats: tuple[int, ...], see: str) -> list[str]:
        """The lineups that the player is shown, and the start."""
        return [*(self.disclose(self.sees(seats, see))), f"start {self.terms.first}"]

    def so_far(self, seats: tuple[int, ...], see: str) -> list[str]:
        """All lines of the game so far."""
        return [
            self.greeting(seats, see),
            *self.opening(seats, see),
            *(happening.text(self.variant) for happening in self.happenings),
        ]

    def closing(self) -> list[str]:
        """The end, and the lineups of all seats."""
        return [f"gameover {self.outcome}", *self.disclose(range(self.variant.seats))]

    def disclose(self, seats: Iterable[int]) -> list[str]:
        """The lineups of some seats."""
        return [f"lineup {seat} {text(self.lineups[seat])}" for seat in seats]

    # What someone may see.

    def view(self, seats: tuple[int, ...] | None, see: str = "own") -> dict[int, tuple[int, str]]:
        """The pieces on the board by point, (seat, letter), as a player of these seats sees them; None: all."""
        visible = range(self.variant.seats) if seats is None else self.sees(seats, see)
        shown = {flag for happening in self.happenings if isinstance(happening, Moved) for flag in happening.flags}
        seen = {}
        for seat in range(self.variant.seats):
            for point, kind in self.position.pieces(seat):
                known = seat in visible or (kind == FLAG and (seat, point) in shown)
                seen[point] = (seat, PIECES[kind] if known else "?")
        return seen
