"""The game that a referee of the Junqi line protocol tells of: who plays, and what each of our seats knows."""

from __future__ import annotations

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.rules import lineup
from junqi_protocol.rules.messages import HAPPENINGS, MessageError, fields, seat_number
from search_core.failures import becoming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from junqi_protocol.rules.geometry import Variant
    from junqi_protocol.rules.messages import Go, NewGame


class JlpGame:
    """A game, or a position for analysis. Methods raise MessageError, changing nothing.

    Attributes
    ----------
    playing : bool
        Whether it is a game that has not ended.
    lost : bool
        Whether track of the game is lost: the referee must send it again.
    views : dict of PlayerView
        What each of our seats knows; none before the start. Both seats of a team have the same view if the game shows
        them each other's lineup.
    """

    def __init__(self, terms: NewGame, view: PlayerView | None = None) -> None:
        self.playing = view is None
        self.lost = False
        self.views = dict.fromkeys(view.seats, view) if view is not None else {}
        self._new_game = terms
        self._lineups: dict[int, str] = {}
        self._set_terms(*self.views.values())

    def _set_terms(self, *views: PlayerView) -> None:
        terms = self._new_game.terms
        for view in views:
            view.quiet_limit, view.quiet_loses = terms.quiet, terms.quiet_loses

    @property
    def variant(self) -> Variant:
        """The board."""
        return self._new_game.terms.variant

    @property
    def different_views(self) -> list[PlayerView]:
        """Each view once."""
        return list(dict.fromkeys(self.views.values()))

    def learn_lineup(self, words: Sequence[str]) -> None:
        """Take a `lineup`: before the start one of ours, after the game the disclosure."""
        fields(words, "the seat", "the lineup")
        seat = seat_number(words[0], self.variant)
        with becoming(lineup.LineupError, MessageError):
            placed = lineup.parse(words[1])
        if self.playing:
            if self.views:
                raise MessageError("lineup after the start; nothing changed")
            self._lineups[seat] = placed

    def deployed_seat(self, words: Sequence[str]) -> int:
        """Our seat that `deploy` asks for its lineup."""
        fields(words, "the seat")
        seat = seat_number(words[0], self.variant)
        if seat not in self._new_game.seats or self.views:
            raise MessageError(f"deploy {seat}: not the time, or not our seat")
        return seat

    def start(self, words: Sequence[str]) -> None:
        """The first ply follows."""
        terms, own = self._new_game.terms, self._new_game.see == "own"
        fields(words, "the seat")
        if self.views:
            raise MessageError("the game has started already")
        if seat_number(words[0], terms.variant) != terms.first:
            raise MessageError(f"start {words[0]}: newgame said first {terms.first}")
        missing = [seat for seat in self._new_game.seats if seat not in self._lineups]
        if missing:
            raise MessageError(f"start before the lineup of seat {missing[0]}")
        # No seat may use what only another one sees.
        for seats in [(seat,) for seat in self._new_game.seats] if own else [self._new_game.seats]:
            lineups = {seat: self._lineups[seat] for seat in seats} if own else self._lineups
            view = PlayerView(terms.variant.name, seats, lineups, first=terms.first)
            self._set_terms(view)
            self.views.update(dict.fromkeys(seats, view))

    def follow(self, keyword: str, words: Sequence[str]) -> None:
        """Update the board by what has happened. If it cannot have happened, track of the game is lost."""
        try:
            happening = HAPPENINGS[keyword](words, self.variant)
            for view in self.different_views:
                if happening.ply != view.position.ply + 1:
                    raise MessageError(f"ply {happening.ply}: expected {view.position.ply + 1}")
                view.follow(happening)
        except ValueError as error:
            self.lost = True
            raise MessageError(f"{error}; track of the game is lost") from None

    def asked_view(self, go: Go) -> PlayerView:
        """What the seat knows that a `go` asks."""
        view = self.views.get(go.seat) or self.different_views[0]
        if go.seat != view.position.turn or go.seat not in view.seats:
            raise MessageError(f"go {go.seat}: seat {view.position.turn} is on turn; nothing changed")
        if self.playing and go.ply != view.position.ply + 1:
            raise MessageError(f"go {go.seat} {go.ply}: ply {view.position.ply + 1} is next; nothing changed")
        return view

    def end(self) -> None:
        """Forget all but the terms."""
        self.playing = self.lost = False
        self.views, self._lineups = {}, {}
