"""Games of Xiangqi for `sanqi review`: game_core/review.py says what it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from game_core.review import END_GAME, MIDDLE_GAME, OPENING, PlyNote, ReviewedGame, RuleNote
from ucci_engine.analysis import subject_of_record
from ucci_engine.cycles import ATTACK, CHASE, CHECK, Cycle, last_cycle
from ucci_engine.extra_pieces import open_position
from ucci_engine.points import START_FEN
from ucci_engine.rule_sets import add_rule_arguments as add_arguments
from ucci_engine.session import XiangqiSession, verdict_of
from ucci_engine.why.explanation import explain
from ucci_engine.why.words import sentences

if TYPE_CHECKING:
    import argparse

    from game_core.review import MarkedMove
    from ucci_engine.books import KeyedBook
    from ucci_engine.game_record import GameRecord
    from ucci_engine.position import Position

__all__ = ["add_arguments", "open_game"]

_OPENING_PLIES = 20
_END_GAME_PHASE = 16
"""Of 48: with no more attackers than this it is the end game."""
_SIDES = XiangqiSession.sides
_NAMES = ("Red", "Black")
_NAME_TAGS = (("red", "white"), ("black",))
"""Programs for other chess games call the first player White."""
_CONDUCT = {CHECK: "perpetual check", CHASE: "perpetual chase", ATTACK: "perpetual attack"}
_ATTACK_SAYS = " by checks, chases and mate threats in turn"
_REASONS = {
    "no-capture": "too many plies without a capture: a draw",
    "material": "no piece is left that could win: a draw",
}
_CLOCK = re.compile(r"\[%(clk|emt)\s+(\d{1,3}):(\d{1,2}):(\d{1,2}(?:\.\d{1,3})?)\s*\]", re.ASCII)
_INCREMENT = re.compile(r"\d\+(\d{1,5}(?:\.\d{1,3})?)$", re.ASCII)
"""Seconds, at the end of the last stage of a `TimeControl`."""
_OPENINGS = {
    "h2e2": "Central Cannon (中炮)",
    "g3g4": "Pawn Opening (仙人指路)",
    "g0e2": "Elephant Opening (飞相局)",
    "h0g2": "Horse Opening (起马局)",
    "h2f2": "Palcorner Cannon (士角炮)",
    "h2d2": "Cross-Palace Cannon (过宫炮)",
}
"""By Red's first move; its mirror image has the same name."""
_REPLY_PLIES = 12
"""In which Black shows how it answers the central cannon."""


def open_game(record: GameRecord, args: argparse.Namespace) -> ReviewedGame:
    """The game itself, without its variations."""
    subject = subject_of_record(record, args)
    position = open_position(record.fen)
    first = position.side
    tags = {name.lower(): value for name, value in record.tags.items()}
    names = [next(filter(None, (_known(tags.get(name)) for name in side)), "") for side in _NAME_TAGS]
    position.set_rules(subject.rule, subject.quiet_limit)
    return ReviewedGame(
        subject=subject,
        headers=record.tags,
        start={"fen": record.fen, "rule": subject.rule, "quietLimit": subject.quiet_limit},
        players=(_SIDES[first], _SIDES[1 - first]),
        names=(names[first], names[1 - first]),
        result=record.result,
        opening=_known(tags.get("opening")) or opening_name(record.fen, subject.moves),
        notes=list(_notes(record, position)),
        why=partial(_why, record.fen, subject.moves),
    )


def _why(fen: str, moves: Sequence[str], marked: MarkedMove) -> str:
    position = open_position(fen)
    for move in moves[: marked.turn]:
        position.push(move)
    return sentences(explain(position.fen(), marked))


def _known(text: str | None) -> str:
    """A tag's text; '' if it is unknown."""
    return (text or "").strip("? ")


def _notes(record: GameRecord, position: Position) -> Iterator[PlyNote]:
    times = _times(record)
    book = _shipped_book()
    in_book, has_ended = True, verdict_of(position) is not None
    try:
        for ply, (move, comment) in enumerate(zip(record.moves, record.comments), 1):
            phase = OPENING if ply <= _OPENING_PLIES else MIDDLE_GAME
            if position.phase <= _END_GAME_PHASE:
                phase = END_GAME
            in_book = in_book and book is not None and any(entry.move == move for entry in book.moves(position))
            is_forced = len(position.legal_moves()) == 1
            position.push(move)
            rule = None if has_ended else rule_note(position)
            yield PlyNote(phase, in_book, is_forced, comment, times[ply - 1], rule, is_over=has_ended)
            has_ended = has_ended or verdict_of(position) is not None
    finally:
        if book is not None:
            book.close()


def _shipped_book() -> KeyedBook | None:
    from ucci_engine.book_files import open_book
    from ucci_engine.books import BookError
    from ucci_engine.own_book import SHIPPED

    try:
        return open_book(SHIPPED)
    except BookError:
        return None


def rule_note(position: Position) -> RuleNote | None:
    """What the rules say about a position: of its repetition, if it is there for the third time or if a side loses by
    it then; or how it ends the game without mate."""
    cycle = last_cycle(position)
    if cycle is not None and (cycle.occurrences > 2 or cycle.loser is not None):
        return _repetition(cycle)
    verdict = verdict_of(position)
    if verdict is not None and verdict.reason in _REASONS:
        return RuleNote(verdict.reason.replace("-", " "), None, _REASONS[verdict.reason])
    return None


def _repetition(cycle: Cycle) -> RuleNote:
    times = f"the position is there for the {_ordinal(cycle.occurrences)} time"
    if cycle.loser is None:
        both = cycle.conduct[0] if cycle.conduct[0] == cycle.conduct[1] else ""
        does = f"both sides {both} with every move, and " if both else ""
        kind = f"mutual {_CONDUCT[both]}" if both else "repetition"
        return RuleNote(kind, None, f"{does}{times}: a draw")
    conduct, name = cycle.conduct[cycle.loser], _NAMES[cycle.loser]
    does = (
        f"{name} attacks with every move{_ATTACK_SAYS}" if conduct == ATTACK else f"{name} {conduct}s with every move"
    )
    then = f"{name} loses" if cycle.occurrences > 2 else f"{name} loses if it comes a third time"
    return RuleNote(_CONDUCT[conduct], _SIDES[cycle.loser], f"{does}, and {times}: {then}")


def _ordinal(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")


def opening_name(fen: str, moves: tuple[str, ...]) -> str:
    """The opening by its first moves; '' if the game has another start."""
    if not moves or fen.split()[:2] != START_FEN.split()[:2]:
        return ""
    if moves[0] not in _OPENINGS:
        moves = tuple(map(_mirrored, moves))
    name = _OPENINGS.get(moves[0], "other opening")
    if moves[0] != "h2e2":
        return name
    replies = moves[1:_REPLY_PLIES:2]
    if replies[:1] == ("h7e7",):
        return "Same-Direction Cannons (顺炮)"
    if replies[:1] == ("b7e7",):
        return "Opposite-Direction Cannons (列炮)"
    if {"h9g7", "b9c7"} <= set(replies):
        between = {"b7d7", "b7f7", "h7d7", "h7f7"}.intersection(replies)
        return f"{name}, {'Sandwiched Horses (反宫马)' if between else 'Screen Horses (屏风马)'}"
    return name


def _mirrored(move: str) -> str:
    return "".join(chr(ord("a") + ord("i") - ord(one)) if one.isalpha() else one for one in move)


def _times(record: GameRecord) -> list[int | None]:
    """How long each move took, by the clocks in the comments, as chess servers write them: ``[%emt 0:00:05]`` is the
    time for the move, ``[%clk 0:09:55]`` what is left after it and after the increment of ``[TimeControl "600+5"]``."""
    control = next((value for name, value in record.tags.items() if name.lower() == "timecontrol"), "")
    increment = _INCREMENT.search(control.strip())
    gained = _milliseconds("0", "0", increment[1]) if increment else 0
    times: list[int | None] = []
    left: dict[int, int] = {}
    for ply, comment in enumerate(record.comments):
        found = {kind: _milliseconds(*clock) for kind, *clock in _CLOCK.findall(comment)}
        spent = found.get("emt")
        if "clk" in found:
            if spent is None and ply % 2 in left and left[ply % 2] + gained >= found["clk"]:
                spent = left[ply % 2] + gained - found["clk"]
            left[ply % 2] = found["clk"]
        times.append(spent)
    return times


def _milliseconds(hours: str, minutes: str, seconds: str) -> int:
    return 3_600_000 * int(hours) + 60_000 * int(minutes) + round(1000 * float(seconds))
