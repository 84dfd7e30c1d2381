"""The review of a game as the page gets it: what `sanqi review --html` shows, in the table's notations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from game_core.session import IllegalMove
from game_review.review_page import GamePage, Line
from game_review.review_table import SIGNS
from game_review.review_words import loss_text

if TYPE_CHECKING:
    from board_pages.page_board import PageBoard
    from game_core.session import Session
    from game_review.review_document import GameReport, Ply

Names = Mapping[str, str]
"""Of a move, by notation."""


class LineNames:
    """Names the moves of lines, in all notations. Lines are asked for in the order of the game.

    Parameters
    ----------
    session : Session or None
        The same game at its start. None where pieces are hidden: no session knows what a side knew.
    board : PageBoard
    moves : sequence of str
        Of the game.
    """

    def __init__(self, session: Session | None, board: PageBoard, moves: Sequence[str]) -> None:
        self._session = session
        self._notations = board.notations
        self._moves = moves

    def of(self, line: Line) -> list[Names]:
        """The names of a line's moves."""
        session = self._session
        if session is None:
            return [dict.fromkeys(self._notations, name) for name in line.names]
        while session.ply < line.base:
            session.play(self._moves[session.ply])
        names: list[Names] = []
        try:
            for move in line.moves:
                names.append(session.move_names(move))
                session.play(move)
        except IllegalMove:  # the search has gone on after the rules had ended the game
            pass
        finally:
            session.undo(session.ply - line.base)
        return names


def review_message(
    report: GameReport, sides: Sequence[str], board: PageBoard, open_start: Callable[[], Session]
) -> dict[str, Any]:
    """The whole review. `sides`: what each seat has played, at last. `open_start`: makes a session of the same game at
    its start."""
    page = GamePage(report, 1, board.drawing)
    names = line_names(report, board, open_start)
    curve = page.curve
    return {
        "type": "review",
        "status": "done",
        "sides": [
            {
                "seat": sides.index(side),
                "accuracy": figures.accuracy,
                "averageLoss": figures.average_loss,
                "marks": list(figures.marks),
            }
            for side, figures in report.sides.items()
            if side in sides
        ],
        "curve": None
        if curve is None
        else {"runs": curve.runs, "others": curve.others, "areas": curve.areas, "text": curve.description},
        "scores": [page.score(ply) for ply in report.plies],
        "plies": [ply_message(ply, page, names) for ply in report.plies if _is_noted(ply)],
    }


def line_names(report: GameReport, board: PageBoard, open_start: Callable[[], Session]) -> LineNames:
    """What names the lines of a review."""
    return LineNames(None if board.hides_pieces else open_start(), board, [ply.move for ply in report.plies])


def _is_noted(ply: Ply) -> bool:
    return bool(ply.mark or ply.missed_win or ply.turning_point or ply.rule)


def ply_message(ply: Ply, page: GamePage, names: LineNames) -> dict[str, Any]:
    """A ply that the page lists: its mark, what it has lost, and the lines that show it."""
    played = Line("", "", [ply.full_name], [page.codes[ply.ply - 1]], ply.ply - 1, [ply.move])
    return {
        "ply": ply.ply,
        "mark": ply.mark,
        "sign": SIGNS.get(ply.mark or "", ""),
        "played": {"text": ply.move, "names": names.of(played)[0], "code": played.codes[0]},
        "loss": loss_text(ply),
        "isTurning": ply.turning_point,
        "missedWin": None if ply.missed_win is None else ply.missed_win.mate,
        "rule": "" if ply.rule is None else ply.rule.text,
        "why": ply.why or "",
        "lines": [
            {
                "title": line.title,
                "base": line.base,
                "moves": [{"text": move, "names": each} for move, each in zip(line.moves, names.of(line))],
                "codes": line.codes,
            }
            for line in sorted(page.lines(ply), key=lambda line: line.base)
        ],
    }
