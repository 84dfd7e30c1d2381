"""The game in the browser, in `sanqi board`."""

from board_pages.page_board import PageBoard
from board_pages.playback import Drawing
from breakthrough.drawing import breakthrough_board, ply_code
from game_core.session import Session


class BreakthroughPageBoard(PageBoard):
    """A session as the page draws it."""

    options = ("movetime",)
    notations = ("breakthrough",)
    formats = ("txt",)

    def __init__(self, session: Session) -> None:
        self.drawing = Drawing(breakthrough_board(), ply_code)
