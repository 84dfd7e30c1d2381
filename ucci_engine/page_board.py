"""Xiangqi on the page of `sanqi board`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from board_pages.page_board import PageBoard, Texts
from ucci_engine.playback import draw
from ucci_engine.session import XiangqiSession

if TYPE_CHECKING:
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
