"""The built-in games, and the commands that are for all games.

Read before the first answer to a host: it must stay light.
"""

from __future__ import annotations

from game_core.description import CommandDescription
from game_core.games import Games

COMMANDS = (
    CommandDescription(
        "bench",
        "search fixed positions; print time, nodes, nodes/s and signature",
        "sanqi.bench",
        lambda game: game.bench,
    ),
    CommandDescription(
        "match", "play games between engines", "match_runner.command", lambda game: game.match_protocols()
    ),
    CommandDescription(
        "openings", "make even openings for matches", "match_runner.openings_command", lambda game: game.openings
    ),
    CommandDescription("play", "play against the engine in the terminal", "sanqi.play", lambda game: game.session),
    CommandDescription(
        "analyse",
        "analyse positions: JSON lines in and out, or a table",
        "game_review.analyse",
        lambda game: game.analysis,
    ),
    CommandDescription(
        "review",
        "annotate recorded games: mistakes, missed wins, accuracy",
        "game_review.review",
        lambda game: game.records,
    ),
    CommandDescription(
        "convert", "convert game records between file formats", "sanqi.convert", lambda game: game.records
    ),
    CommandDescription("setup", "show how to add sanqi to a GUI or tournament manager", "sanqi.setup_host"),
    CommandDescription(
        "doctor",
        "check an engine against the habits of real GUIs and hosts",
        "engine_doctor.command",
        lambda game: game.hosts,
    ),
    CommandDescription(
        "replay", "send a logged dialogue to an engine again", "engine_doctor.replay", lambda game: True
    ),
)
SHORT_COMMANDS = ("match-worker", "version")
"""Commands without options."""
GAMES = Games(
    ("ucci_engine.description:XIANGQI", "gomoku_protocol.description:GOMOKU", "junqi_protocol.description:JUNQI"),
    taken=(*(command.name for command in COMMANDS), *SHORT_COMMANDS),
)
