"""A game in progress on the page of `sanqi board`: what the page needs of it besides the session. Each game has its own
subclass; its description names it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from board_pages.page_subject import PageSubject
from game_core.session import PUBLIC

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from board_pages.playback import Drawing
    from game_core.analysis import Subject
    from game_core.session import Session, SideLines, Verdict
    from game_core.win_probability import Chances

Texts = Sequence[tuple[float, float, str]]
"""Texts around a board, as BoardDrawing has them."""


class PageBoard(ABC):
    """A session as the page draws it.

    Parameters
    ----------
    session : Session
        The game in progress.

    Attributes
    ----------
    drawing : Drawing
        The board, and the start of the game, for everyone and for each seat.
    """

    options: ClassVar[tuple[str, ...]] = ()
    """Those of `sanqi play` that a new game on the page can set."""
    rare_options: ClassVar[tuple[str, ...]] = ()
    """Those of them that few people change."""
    sides_by: ClassVar[tuple[str, Mapping[str, Sequence[str]]]] = ("", {})
    """An option that decides what the sides are called, and the sides by its values; '': none does."""
    level_steps: ClassVar[tuple[int, ...]] = ()
    """For each kind of player of docs/levels.md, from who has just learnt the moves on, the lowest level."""
    clocks: ClassVar[tuple[str, ...]] = ("3+2", "5+3", "10+5", "15+10", "30+0", "60+0")
    """Times that a game can be played with: minutes for the game, seconds for each move; (): none."""
    hides_pieces: ClassVar[bool] = False
    """Whether a seat does not see all pieces. Then one person plays at a page."""
    puts_stones: ClassVar[bool] = False
    """Whether a move is one point."""
    piece_names: ClassVar[Mapping[str, str]] = {}
    """What the letters of the drawing stand for, in English."""
    notations: ClassVar[tuple[str, ...]] = ()
    """The names of Session.move_names(), the one for people first."""
    formats: ClassVar[tuple[str, ...]] = ()
    """What Session.save() writes, the best one first."""
    set_up_title: ClassVar[str] = ""
    """What a person does who chooses how a game begins; '': that cannot be chosen."""
    drawing: Drawing

    @abstractmethod
    def __init__(self, session: Session) -> None: ...

    @classmethod
    def options_of(cls, terms: Mapping[str, Any]) -> dict[str, str]:
        """The options of a game of a match, of the terms in its file. Raises ValueError if they cannot be set here."""
        return {name: str(terms[name]) for name in cls.options if name in terms}

    def save(
        self,
        session: Session,
        format: str,
        players: Sequence[str],
        event: str,
        ended: Verdict | None,
        side_lines: SideLines,
    ) -> bytes:
        """The game as a file, as Session.save(), with the moves that were tried beside it where the format has a place
        for them; here it has none."""
        return session.save(format, players, event, ended)

    def players(self, record: Any) -> Sequence[str]:
        """Who played each side of a record that was loaded, '' if not known; empty: nobody is known."""
        return ()

    def side_lines(self, record: Any) -> SideLines:
        """The moves beside the game of a record that was loaded; here there are none."""
        return {}

    def text(self, view: Mapping[str, Any]) -> str:
        """A position as text, which begin_from() reads; '': there is none that everyone may see."""
        text: str = view.get("fen", "")
        return text

    def start_text(self, view: Mapping[str, Any], seat: int | None) -> str:
        """How a game can begin as this one stands, as text for the person who has the seat."""
        return self.text(view)

    def text_of(self, pieces: Sequence[tuple[int, int]], to_move: int, seat: int | None) -> str:
        """The same of these points and kinds on this board, also where the rules do not allow it. Raises ValueError or
        IndexError if a number is out of range."""
        raise ValueError("positions of this game cannot be set up")

    @classmethod
    def is_start(cls, text: str) -> bool:
        """Whether a text looks like one that begin_from() reads."""
        return False

    @classmethod
    def begin_from(cls, text: str, args: argparse.Namespace, seat: int | None) -> None:
        """Let the game that the arguments ask for begin with this. Raises ValueError, which names what is wrong."""
        raise ValueError("positions of this game cannot be set up")

    def labels(self) -> dict[str, Texts]:
        """Texts around the board by the name of the choice, the default first."""
        return {"letters": self.drawing.board.texts}

    def point_names(self) -> list[str]:
        """The points' names for people."""
        return [name for _, _, name, _ in self.drawing.board.points]

    def sides(self, session: Session) -> list[str]:
        """What the sides of the pieces are called."""
        return list(session.sides)

    def side_to_move(self, session: Session) -> str:
        """One of sides()."""
        return session.sides[session.to_move]

    def turns(self, seats: int) -> list[int]:
        """For each seat the quarter turns, clockwise, that bring it to the bottom."""
        return [0, 2]

    def start(self, seat: int | None) -> str:
        """The start position as a seat sees it; PUBLIC: as all see it; None: all of it."""
        if seat == PUBLIC and self.hides_pieces:
            return self.drawing.public_start
        return self.drawing.start if seat is None else self.drawing.views.get(str(seat), self.drawing.start)

    def codes(self, view: Mapping[str, Any]) -> list[str]:
        """Each ply of a session's view in the coding of board_pages.playback."""
        sides = view["sides"]
        return [self.drawing.ply_code(move, sides[ply % len(sides)], "") for ply, move in enumerate(view["moves"])]

    def last_move_names(self, session: Session, names: Mapping[str, str]) -> Mapping[str, str]:
        """The names of the last move of a session: those that Session.move_names() gave before it, or others that say
        what came of it, where the board does not show that."""
        return names

    def partner(self, seat: int) -> str:
        """Who plays with a seat, in words; '': nobody."""
        return ""

    def danger(self, view: Mapping[str, Any]) -> list[str]:
        """The points of a king that is in check or mated."""
        return []

    def row(self, view: Mapping[str, Any]) -> list[str]:
        """The points of the stones that have won."""
        return []

    def barred(self, view: Mapping[str, Any]) -> list[str]:
        """Points that look free and are forbidden to the side to move."""
        return []

    def task(self, view: Mapping[str, Any]) -> str:
        """What the side to move has to do besides, or instead of, a move; '': it moves."""
        return ""

    def choices(self, view: Mapping[str, Any]) -> dict[str, str]:
        """The moves of the side to move that are no moves on the board, each with its words."""
        return {}

    def is_choice(self, move: str) -> bool:
        """Whether a move is one of those."""
        return False

    def points_of(self, move: str) -> list[int]:
        """The numbers of the points that a move names: where it goes, or from where to where."""
        number = {name: at for at, (_, _, name, _) in enumerate(self.drawing.board.points)}
        if move in number:
            return [number[move]]
        cuts = ((move[:at], move[at:]) for at in range(1, len(move)))
        return next(
            ([number[origin], number[target]] for origin, target in cuts if {origin, target} <= number.keys()), []
        )

    def subject(self, open_session: Callable[[], Session], moves: Sequence[str]) -> Subject:
        """A game for the analyst. `open_session` opens it at its start."""
        return PageSubject(open_session, moves, self.side_to_move, self.chances)

    def chances(self, score: int, position: Any) -> Chances | None:
        """What a score of the search means in a position; None: the game does not know."""
        return None
