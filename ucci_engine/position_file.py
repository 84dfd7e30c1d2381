"""A game as a `position` line, as engines get it: `position fen F moves h2e2 ...`, also `startpos`, or a FEN alone.

Lines that begin with # are comments. The program writes one with the options of `sanqi play`, and one with the moves in
Chinese notation.
"""

from __future__ import annotations

import re

from game_core.record_formats import RecordError
from search_core.failures import SetUpError, named
from search_core.text_file import unmarked
from ucci_engine.extra_pieces import open_position
from ucci_engine.game_record import MAX_MOVES, PLAY_COMMAND, PLAY_TAG, GameRecord
from ucci_engine.notation import name_move
from ucci_engine.points import move_text
from ucci_engine.position_command import read_argument

BEGINS = r"\s*(?:#[^\n]*\n\s*)*(?:(?i:position|fen|startpos)\b|[^\s/#{][^\s/]*(?:/[^\s/]+){2})"
"""Matches the beginning of such a text."""
_OTHER_WORDS = 16
"""At most, besides the moves."""
_OPTIONS = f"# {PLAY_COMMAND}"


def parse(data: bytes) -> GameRecord:
    """The game in a file. Raises RecordError, naming the line at which the position begins."""
    lines = unmarked(data).decode("utf-8", "replace").splitlines()
    text = argument_of(lines)
    if len(text.split(maxsplit=MAX_MOVES + _OTHER_WORDS)) > MAX_MOVES + _OTHER_WORDS:
        raise RecordError(f"more than {MAX_MOVES:,} moves in a game")
    begins = next((at for at, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")), 1)
    with named(f"line {begins}", SetUpError, RecordError):
        given = read_argument(text)
    options = next((line.removeprefix(_OPTIONS) for line in lines if line.startswith(_OPTIONS)), None)
    tags = {} if options is None else {PLAY_TAG: options}
    return GameRecord.of_line(tags, given.start, given.moves)


def argument_of(lines: list[str]) -> str:
    """What read_argument() gets of such a text."""
    return " ".join(line for line in lines if not line.startswith("#")).strip()


def serialise(game: GameRecord, notation: str = "chinese") -> bytes:
    """The game without variations, comments and tags. `notation`: of the comment with the moves."""
    position = open_position(game.fen)
    names = []
    for move in game.moves:
        names.append(name_move(position, move, notation))
        position.push(move)
    lines = [f"{_OPTIONS}{game.tags[PLAY_TAG]}"] if PLAY_TAG in game.tags else []
    if names:
        lines.append(f"# {' '.join(names)}")
    words = [f"position fen {game.fen}", *(["moves"] if names else []), *map(move_text, game.moves)]
    return "\n".join([*lines, " ".join(words), ""]).encode()


def is_position_text(text: str) -> bool:
    """Whether a text begins as such a file does."""
    return re.match(BEGINS, text) is not None
