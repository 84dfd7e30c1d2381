"""Piskvork's records, `.psq`.

    Piskvorky 15x15, 11:11, 0
    8,8,1203
    9,9,846
    pbrain-one.exe
    pbrain-two.exe
    -1

The board; the levels of the two players (0: a person); the index of the player
who began; then each move's column and row, both from 1 at the top left, and its
milliseconds. The names of the first and second player follow only if a
tournament saved the file. The last number is the error that ended the game (-1:
unknown). Rule and result are not recorded. Sources: Piskvork's `openPsq` and
`savePsq`, and GomocupJudge's `extend_pos`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from gomoku_protocol.game_record import GameRecord, Points, RecordError, Stone, clean_name
from search_core.failures import named
from search_core.line_protocol import decode_line, excerpt
from search_core.text_file import unmarked

_HEADER = re.compile(r"Piskvorky\s+(\d{1,5})x(\d{1,5})\s*,\s*-?\d{1,5}\s*:\s*-?\d{1,5}\s*,\s*([01])", re.ASCII)
_MOVE = re.compile(r"(-?\d{1,5})\s*,\s*(-?\d{1,5})(?:\s*,\s*(\d{1,10}))?", re.ASCII)
_TOURNAMENT = re.compile(r"-?\d{1,10}\s*,\s*\D.*", re.ASCII)
"""The last line in the archives of Gomocup, such as `0,Freestyle15_1`."""
_CODE = re.compile(r"-?\d{1,10}", re.ASCII)
_MAX_LINES = 20_000  # the largest board has 10,000 points
_PERSON = "homo-"  # Piskvork's name for a person, followed by a number


def parse(data: bytes) -> GameRecord:
    """The game in a `.psq` file. Raises RecordError, naming the line."""
    if data.count(b"\n") > _MAX_LINES:
        raise RecordError(f"more than {_MAX_LINES:,} lines in a .psq record")
    lines = [(number, line) for number, raw in enumerate(unmarked(data).split(b"\n"), 1) if (line := decode_line(raw))]
    if not lines:
        raise RecordError("an empty file is no .psq record")
    header = _HEADER.fullmatch(lines[0][1])
    if header is None:
        raise RecordError(f"line {lines[0][0]}: expected 'Piskvorky 15x15, 11:11, 0', got {excerpt(lines[0][1])}")
    with named(f"line {lines[0][0]}", RecordError):
        points = Points(int(header[1]), int(header[2]))
    moves: list[Stone] = []
    for number, line in lines[1:]:
        move = _MOVE.fullmatch(line)
        if move is None:
            break
        x, y = int(move[1]) - 1, int(move[2]) - 1
        with named(f"line {number}", RecordError):
            points.take(x, y, "".join(line.split()))
        moves.append(Stone(len(moves) % 2, x, y, None if move[3] is None else int(move[3])))
    if not any(stone.ms for stone in moves):  # as it is written where the times are not known
        moves = [replace(stone, ms=None) for stone in moves]
    names = _names(lines[1 + len(moves) :])
    if header[3] == "1":
        names = names[1], names[0]
    return GameRecord(points.width, points.height, tuple(moves), names=names)


def _names(tail: list[tuple[int, str]]) -> tuple[str | None, str | None]:
    """The first and the second player's name from the lines after the moves."""
    lines = [line for _, line in tail]
    if len(lines) == 4 and _CODE.fullmatch(lines[2]) and _TOURNAMENT.fullmatch(lines[3]):
        lines.pop()
    if len(lines) in (1, 3) and _CODE.fullmatch(lines[-1]):
        lines.pop()
    if len(lines) not in (0, 2) or any(map(_MOVE.fullmatch, lines)):
        number, line = tail[0]
        raise RecordError(f"line {number}: expected x,y,ms or, as the end, two names and a number, got {excerpt(line)}")
    if not lines:
        return None, None
    first, second = (None if line.startswith(_PERSON) else clean_name(line) for line in lines)
    return first, second


def serialise(record: GameRecord) -> bytes:
    """The game as a `.psq` file. Raises RecordError if its stones do not alternate or a name looks like a move."""
    names = []
    for number, name in enumerate(record.names, 1):
        if name is not None and _MOVE.fullmatch(name):
            raise RecordError(f"the name {excerpt(name)} would read as a move in a .psq record")
        names.append(name or f"{_PERSON}{number}")
    levels = ":".join("11" if name else "0" for name in record.names)
    lines = [f"Piskvorky {record.width}x{record.height}, {levels}, 0"]
    lines += [f"{stone.x + 1},{stone.y + 1},{stone.ms or 0}" for stone in record.in_turn()]
    return "\n".join([*lines, *names, "-1", ""]).encode("utf-8", "replace")
