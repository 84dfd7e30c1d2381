"""The game in the terminal of `sanqi play`."""

from collections.abc import Iterator
from typing import ClassVar

from breakthrough.session import FILES, BreakthroughSession
from game_core.display import STYLES_OF_SIDES, GameDisplay
from game_core.session import Session


class BreakthroughDisplay(GameDisplay):
    """Ranks from the player's side up."""

    sides = BreakthroughSession.sides
    typed_moves = "a move as two squares (a2b3)"
    save_help = "save the moves to a .txt file"
    endings: ClassVar = {"breakthrough": "a man has reached the last rank, or no man is left"}

    def board(self, session: Session, seat: int) -> Iterator[tuple[str, str]]:
        assert isinstance(session, BreakthroughSession)
        men = dict(session.men())
        for rank in range(8) if seat else range(7, -1, -1):
            yield f"{rank + 1} ", ""
            for column in range(8):
                side = men.get(8 * rank + column)
                yield (" .", "") if side is None else (" wb"[side + 1].rjust(2), STYLES_OF_SIDES[side])
            yield "\n", ""
        yield f"   {' '.join(FILES)}\n", ""
