"""Tells games of Western chess in PGN files from those of Xiangqi."""

from __future__ import annotations

import io
import re

import chess.pgn

_GAME_BEGINS = re.compile(r"^[ \t]*\[", re.MULTILINE)


class _Quiet(chess.pgn.GameBuilder[chess.pgn.Game]):
    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def is_western(text: str, line: int) -> bool:
    """Whether the game of a PGN text that has this line, from 1, is one of Western chess: two moves of it are legal
    there, or all that it has."""
    read = chess.pgn.read_game(io.StringIO(_game_at(text, line)), Visitor=_Quiet)
    if read is None:
        return False
    moves = sum(1 for _ in read.mainline_moves())
    return moves >= 2 or (not read.errors and (moves == 1 or "FEN" in read.headers))


def _game_at(text: str, line: int) -> str:
    """The game that has the line: from the first tag before it to the first tag of the next game."""
    lines = text.splitlines()
    is_tag = [bool(_GAME_BEGINS.match(each)) for each in lines]
    begin = min(line, len(lines)) - 1
    while begin > 0 and not (is_tag[begin] and not is_tag[begin - 1]):
        begin -= 1
    end = begin
    while end < len(lines) and is_tag[end]:
        end += 1
    while end < len(lines) and not is_tag[end]:
        end += 1
    return "\n".join(lines[begin:end])
