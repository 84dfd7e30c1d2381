"""The built-in games, and the commands that are for all games.

Read before the first answer to a host: it must stay light.
"""

from __future__ import annotations

from game_core.description import CommandDescription as Command
from game_core.games import Games

COMMANDS = (
    Command("bench", "search fixed positions; print time, nodes, nodes/s and signature", "sanqi.bench", "bench"),
    Command("match", "play games between engines", "match_runner.command", "match_protocols"),
    Command("openings", "make even openings for matches", "match_runner.openings_command", "openings"),
    Command("play", "play against the engine in the terminal", "sanqi.play", "session"),
    Command("board", "play all games in the browser", "web_board.command", "page_board"),
    Command("analyse", "analyse positions: JSON lines in and out, or a table", "game_review.analyse", "analysis"),
    Command("review", "annotate recorded games: mistakes, missed wins, accuracy", "game_review.review", "records"),
    Command("convert", "convert game records between file formats", "sanqi.convert", "records"),
    Command("setup", "show how to add sanqi to a GUI or tournament manager", "sanqi.setup_host"),
    Command("doctor", "check an engine against the habits of real GUIs and hosts", "engine_doctor.command", "hosts"),
    Command("replay", "send a logged dialogue to an engine again", "engine_doctor.replay", "name"),
)
SHORT_COMMANDS = ("match-worker", "version")
"""Commands without options."""
GAMES = Games(
    ("ucci_engine.description:XIANGQI", "gomoku_protocol.description:GOMOKU", "junqi_protocol.description:JUNQI"),
    taken=(*(command.name for command in COMMANDS), *SHORT_COMMANDS),
)
