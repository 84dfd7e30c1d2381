"""The game in `sanqi match`: openings, and a board in the report."""

import argparse
from pathlib import Path

from board_pages.drawing import BoardDrawing, point_digits, start_text
from board_pages.playback import Playback
from breakthrough.session import BreakthroughSession, square_number, square_text
from match_runner.game import BoardGame, PlayedGame
from match_runner.openings import Opening, openings_of_match

TAKES = ("openings", "opening_plies")


class Breakthrough(BoardGame):
    """Breakthrough between two engines."""

    shipped_openings = Path(__file__).parent / "data" / "openings.txt"

    def board(self) -> BoardDrawing:
        lines = [(i - 0.5, -0.5, i - 0.5, 7.5, 1) for i in range(9)] + [
            (-0.5, i - 0.5, 7.5, i - 0.5, 1) for i in range(9)
        ]
        return BoardDrawing(
            width=7,
            height=7,
            points=[(square % 8, 7 - square // 8, square_text(square), "") for square in range(64)],
            lines=lines,
            texts=[],
            kinds=[("", 0, "light"), ("", 1, "dark")],
            sides=BreakthroughSession.sides,
            legend="White begins at the bottom.",
            start=start_text(BreakthroughSession().men()),
        )

    def playback(self, record: PlayedGame) -> Playback:
        plies = [
            f"m{point_digits(square_number(move[:2]))}{point_digits(square_number(move[2:]))}" for move in record.moves
        ]
        return Playback(" ".join(plies))


def prepare(args: argparse.Namespace) -> tuple[Breakthrough, list[Opening]]:
    """The game and its openings, as the options of the match say."""
    game = Breakthrough("breakthrough", "breakthrough.session:BreakthroughSession")
    return game, openings_of_match(game, args.openings, args.games, args.opening_plies or 0)
