"""Junqi on the page of `sanqi board`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from board_pages.page_board import PageBoard
from junqi_protocol.records.display import happening_text
from junqi_protocol.referee.playback import draw
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import parse
from junqi_protocol.rules.lineup import text as lineup_text
from junqi_protocol.rules.messages import Moved
from junqi_protocol.rules.position import RESULTS

if TYPE_CHECKING:
    import argparse

    from game_core.analysis import Subject
    from game_core.session import Session
    from junqi_protocol.rules.messages import Happening

_SIDES = {"siguo": [f"seat {seat}" for seat in range(4)], "duel": [f"seat {seat}" for seat in range(2)]}


class JunqiPageBoard(PageBoard):
    """A session of Junqi as the page draws it: what the referee tells all seats, and the pieces of one."""

    options = ("variant", "movetime")
    level_steps = (1, 3, 7, 11, 15, 19)
    rare_options = ("movetime",)
    sides_by = ("variant", _SIDES)
    clocks = ()
    hides_pieces = True
    set_up_title = "Arrange your pieces"
    notations = ("squares",)
    formats = ("jgr",)

    def __init__(self, session: Session) -> None:
        from junqi_protocol.session import JunqiSession

        assert isinstance(session, JunqiSession)
        self._session = session
        lineups = [lineup_text(lineup) for lineup in session.arbiter.lineups]
        self.drawing = draw({"variant": session.arbiter.variant.name, "lineups": lineups}, "")

    def start_text(self, view: Mapping[str, Any], seat: int | None) -> str:
        """The seat's lineup."""
        return lineup_text(self._session.arbiter.lineups[_own(seat)])

    def text_of(self, pieces: Sequence[tuple[int, int]], to_move: int, seat: int | None) -> str:
        """The seat's pieces alone count."""
        lineup = ["."] * HOME_POINTS
        for point, kind in pieces:
            if point // HOME_POINTS == seat:
                lineup[point % HOME_POINTS] = self.drawing.board.letters[kind]
        return lineup_text("".join(lineup))

    @classmethod
    def is_start(cls, text: str) -> bool:
        return text.count("/") == 5

    @classmethod
    def begin_from(cls, text: str, args: argparse.Namespace, seat: int | None) -> None:
        args.seat = own = _own(seat)
        squares = VARIANTS[args.variant or "siguo"].squares[HOME_POINTS * own : HOME_POINTS * (own + 1)]
        args.lineup = lineup_text(parse(text.strip(), squares))

    def turns(self, seats: int) -> list[int]:
        return [0, 1, 2, 3] if seats == 4 else [0, 2]

    def task(self, view: Mapping[str, Any]) -> str:
        return "The enemies offer a draw." if self._session.arbiter.asks_for_draw else ""

    def codes(self, view: Mapping[str, Any]) -> list[str]:
        happenings = self._session.arbiter.happenings
        return [self._code(move, happening) for move, happening in zip(view["moves"], happenings, strict=True)]

    def _code(self, move: str, happening: Happening) -> str:
        assert self.drawing.reveal_code is not None
        what = RESULTS[happening.result] if isinstance(happening, Moved) else move
        outs = "".join(f" out {seat}" for seat, _ in happening.outs)
        code = self.drawing.ply_code(move, str(happening.seat), what + outs)
        if isinstance(happening, Moved):
            squares = self._session.arbiter.variant.squares
            # A dead commander shows the flag.
            code += "".join(self.drawing.reveal_code(squares[point], str(seat), "F") for seat, point in happening.flags)
        return code

    def last_move_names(self, session: Session, names: Mapping[str, str]) -> Mapping[str, str]:
        """As the referee tells all seats of it."""
        from junqi_protocol.session import JunqiSession

        assert isinstance(session, JunqiSession)
        return {"squares": happening_text(session.arbiter.variant, session.arbiter.happenings[-1])}

    def partner(self, seat: int) -> str:
        partners = [other for other in self._session.arbiter.variant.team(seat) if other != seat]
        return f"partner of seat {partners[0]}" if partners else ""

    def subject(self, open_session: Callable[[], Session], moves: Sequence[str]) -> Subject:
        """Each position as the seat on turn knows it: pieces that it does not know count as hidden."""
        from junqi_protocol.review.analysis import JunqiSubject
        from junqi_protocol.rules.messages import SEES
        from junqi_protocol.session import JunqiSession

        session = open_session()
        assert isinstance(session, JunqiSession)
        for move in moves:
            session.play(move)
        return JunqiSubject(session.arbiter, None, SEES[0])


def _own(seat: int | None) -> int:
    """The seat of the person at the page. Raises ValueError if there is none."""
    if seat is None:
        raise ValueError("a lineup is for a person at this page, who has no seat here")
    return seat
