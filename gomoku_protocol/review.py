"""Games of Gomoku for `sanqi review`: game_core/review.py says what it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from game_core.review import END_GAME, MIDDLE_GAME, OPENING, LeftOut, PlyNote, ReviewedGame
from gomoku_protocol.analysis import GomokuSubject, playable_part
from gomoku_protocol.analysis import add_arguments as add_arguments
from gomoku_protocol.game_record import RULE_NAMES, RULES_BY_NAME, SIDE_NAMES
from gomoku_protocol.points import move_at
from gomoku_protocol.position import Position
from gomoku_protocol.renju_openings import RENJU_OPENINGS
from gomoku_protocol.session import COLOURS
from gomoku_protocol.swap2 import opening_stones
from gomoku_protocol.why import why

if TYPE_CHECKING:
    import argparse

    from gomoku_protocol.game_record import GameRecord

_OPENING_PLIES = 10
_MIDDLE_PLIES = 50
_RESULTS = {"black": "1-0", "white": "0-1", "draw": "1/2-1/2", None: "*"}
_SIDES = COLOURS


def open_game(record: GameRecord, args: argparse.Namespace) -> ReviewedGame:
    """The game up to the first move that the rule forbids. Raises RecordError if a player moved out of turn,
    IllegalMove if the first move is forbidden."""
    subject, fault = playable_part(record, args)
    subject.remarks = record.remarks
    left_out = len(record.moves) - len(subject.moves)
    if fault is not None and not subject.moves:
        raise fault
    record = replace(record, moves=record.moves[: len(subject.moves)])
    rule = RULE_NAMES[subject.rule]
    names = [name or "" for name in record.names]
    headers = {side: name for side, name in zip(SIDE_NAMES, names) if name}
    first = record.first
    return ReviewedGame(
        subject=subject,
        headers={**headers, "Rule": rule},
        start={
            "size": [subject.width, subject.height],
            "rule": rule,
            "black": list(subject.set_up.black),
            "white": list(subject.set_up.white),
            "blocked": list(subject.set_up.blocked),
            "toMove": _SIDES[first],
        },
        players=(_SIDES[first], _SIDES[1 - first]),
        names=(names[first], names[1 - first]),
        result=_RESULTS[record.outcome],
        opening=opening_name(record),
        notes=list(_notes(record, subject)),
        wants_shortest=True,
        left_out=None if fault is None else LeftOut(left_out, str(fault)),
        why=partial(why, subject),
    )


def as_reviewed(record: GameRecord, start: Mapping[str, Any]) -> GameRecord:
    """The record with the rule by which it was reviewed."""
    return replace(record, rule=RULES_BY_NAME[start["rule"]])


def _notes(record: GameRecord, subject: GomokuSubject) -> Iterator[PlyNote]:
    black, white, blocked = subject.set_up.points
    stones = (black, white)

    def fives(side: int) -> list[int]:
        """Where a side could make a five now."""
        position = Position(subject.width, subject.height, subject.rule)
        position.set_up(black, white, blocked, side)
        found = []
        for move in position.legal_moves():
            position.push(move)
            if position.winner == side:
                found.append(move)
            position.pop()
        return found

    for ply, stone in enumerate(record.moves, 1):
        phase = OPENING if ply <= _OPENING_PLIES else MIDDLE_GAME if ply <= _MIDDLE_PLIES else END_GAME
        move = move_at(stone.x, stone.y)
        is_forced = fives(1 - stone.side) == [move] and not fives(stone.side)
        stones[stone.side].append(move)
        is_book = ply <= opening_stones(record.opening)
        yield PlyNote(phase, is_book, is_forced, comment=stone.comment, spent_ms=stone.ms)


def opening_name(record: GameRecord) -> str:
    """``direct`` if the second stone is beside the first one, ``indirect`` if it is at its corner; '' if the game does
    not begin with an empty board or has no second move; the name of a renju opening or Swap2 that the record has."""
    if record.opening in RENJU_OPENINGS:
        return record.opening
    if opening_stones(record.opening):
        return "Swap2"
    if record.setup or len(record.moves) < 2:
        return ""
    first, second = record.moves[:2]
    distance = sorted((abs(first.x - second.x), abs(first.y - second.y)))
    return {(0, 1): "direct opening", (1, 1): "indirect opening"}.get((distance[0], distance[1]), "other opening")
