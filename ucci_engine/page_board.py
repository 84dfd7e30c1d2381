"""Xiangqi on the page of `sanqi board`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from board_pages.page_board import PageBoard, Texts
from ucci_engine.fen import LETTERS, parse_fen, placement
from ucci_engine.playback import draw
from ucci_engine.points import move_text
from ucci_engine.position_command import GameOver, read_argument
from ucci_engine.position_file import argument_of, is_position_text
from ucci_engine.session import XiangqiSession

if TYPE_CHECKING:
    import argparse

    from game_core.session import Session, SideLines, Verdict
    from game_core.win_probability import Chances


class XiangqiPageBoard(PageBoard):
    """A session of Xiangqi as the page draws it."""

    options = ("fen", "script", "repetition_rule", "quiet_limit", "movetime")
    level_steps = (1, 3, 6, 8, 12, 16)
    rare_options = ("fen", "repetition_rule", "quiet_limit", "movetime")
    piece_names = {  # noqa: RUF012 - a constant
        "K": "king",
        "A": "advisor",
        "E": "elephant",
        "H": "horse",
        "R": "rook",
        "C": "cannon",
        "P": "pawn",
    }
    set_up_title = "Set up a position"
    notations = ("chinese", "ucci")
    formats = ("pgn", "xqf", "txt")

    def __init__(self, session: Session) -> None:
        self.drawing = draw({"fen": session.view()["start"]}, "iccs")

    def save(
        self,
        session: Session,
        format: str,
        players: Sequence[str],
        event: str,
        ended: Verdict | None,
        side_lines: SideLines,
    ) -> bytes:
        assert isinstance(session, XiangqiSession)
        return session.save(format, players, event, ended, side_lines=side_lines)

    def players(self, record: Any) -> Sequence[str]:
        return [record.tags.get(name, "").strip("? ") for name in ("Red", "Black")]

    def side_lines(self, record: Any) -> SideLines:
        lines: SideLines = record.side_lines()
        return lines

    def text_of(self, pieces: Sequence[tuple[int, int]], to_move: int, seat: int | None) -> str:
        letters = {square: LETTERS[kind] for square, kind in pieces}
        return f"{placement(lambda square: letters.get(square, ''))} {'wb'[to_move]} - - 0 1"

    @classmethod
    def is_start(cls, text: str) -> bool:
        return is_position_text(text)

    @classmethod
    def begin_from(cls, text: str, args: argparse.Namespace, seat: int | None) -> None:
        text = argument_of(text.splitlines())
        try:
            read_argument(text)
        except GameOver as error:
            raise ValueError(_king_fault(text, error.move)) from None
        args.fen = text

    def labels(self) -> dict[str, Texts]:
        numerals = draw({}, "chinese").board.texts
        ranks: Sequence[tuple[float, float, str]] = [text for text in self.drawing.board.texts if text[0] < 0]
        return {"letters": self.drawing.board.texts, "numerals": numerals, "both": [*numerals, *ranks]}

    def danger(self, view: Mapping[str, Any]) -> list[str]:
        if view["mated"] is not None:
            return [view["mated"]]
        king = "Kk"[view["to_move"]]
        return [point for point, piece in view["pieces"].items() if view["check"] and piece == king]

    def chances(self, score: int, position: Any) -> Chances:
        from ucci_engine.win_probability import chances

        return chances(score, position)


def _king_fault(text: str, move: int) -> str:
    """Why no game begins with a FEN in which this move takes the king."""
    words = [word for word in text.split() if word.lower() not in ("position", "fen")]
    pieces = dict(parse_fen(" ".join(words[:2]), composed=True).pieces)
    if LETTERS[pieces[move & 127]] in "Kk":
        return "the kings face each other"
    return f"the side that is not to move is in check: {move_text(move)} takes the king"
