"""The game in `sanqi match`: openings, and a board in the report."""

import argparse
from pathlib import Path

from board_pages.drawing import BoardDrawing
from board_pages.playback import Playback
from breakthrough.drawing import breakthrough_board, ply_code
from match_runner.game import BoardGame, PlayedGame
from match_runner.openings import Opening, openings_of_match

TAKES = ("openings", "opening_plies")


class Breakthrough(BoardGame):
    """Breakthrough between two engines."""

    shipped_openings = Path(__file__).parent / "data" / "openings.txt"

    def board(self) -> BoardDrawing:
        return breakthrough_board()

    def playback(self, record: PlayedGame) -> Playback:
        return Playback(" ".join(ply_code(move) for move in record.moves))


def prepare(args: argparse.Namespace) -> tuple[Breakthrough, list[Opening]]:
    """The game and its openings, as the options of the match say."""
    game = Breakthrough("breakthrough", "breakthrough.session:BreakthroughSession")
    return game, openings_of_match(game, args.openings, args.games, args.opening_plies or 0)
