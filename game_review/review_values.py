"""Reads values of a review's document, whatever their types are, and writes them as text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_CELL_DEPTH = 2
_HEADS = {"averageLoss": "loss a move", "inaccuracies": "?!", "mistakes": "?", "blunders": "??"}
"""Short names for columns; most tables have these."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the summary. Without a `head`, each row is a name and its value."""

    title: str
    head: list[str]
    rows: list[list[str]]


def value_in(parent: dict[str, Any], key: str) -> dict[str, Any]:
    """The object with this key, empty if it is no object."""
    value = parent.get(key)
    return value if isinstance(value, dict) else {}


def objects_in(parent: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The list with this key; what is no object in it becomes an empty one."""
    value = parent.get(key)
    return [each if isinstance(each, dict) else {} for each in value] if isinstance(value, list) else []


def texts_in(parent: dict[str, Any], key: str) -> list[str]:
    """The list with this key, as texts."""
    value = parent.get(key)
    return [text_of(each) for each in value] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """A text or a whole number as text, else ''."""
    if isinstance(value, bool):
        return ""
    return str(value) if isinstance(value, str | int) else ""


def number_of(value: object) -> float | None:
    """A finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def read_score(value: dict[str, Any]) -> tuple[float | None, int | None]:
    """The expected score from 0 to 1 and the moves to a forced win, for the side that `value` is for."""
    mate = number_of(value.get("mate"))
    score = number_of(value.get("winrate"))
    if score is None:
        wdl = value.get("wdl")
        chances = [number_of(each) for each in wdl] if isinstance(wdl, list) else []
        if len(chances) == 3 and chances[0] is not None and chances[1] is not None:
            score = chances[0] + chances[1] / 2
        elif mate:
            score = float(mate > 0)
    return (None if score is None else min(max(score, 0.0), 1.0)), (None if mate is None else int(mate))


def side_name(side: str) -> str:
    """A side in words; sides with numbers are seats, and several of them a team."""
    seats = side.split(",")
    if not all(map(str.isdecimal, seats)):
        return side
    return f"seat {side}" if len(seats) == 1 else f"seats {', '.join(seats[:-1])} and {seats[-1]}"


def first_party(sides: Sequence[str]) -> str:
    """In words, whose expected score is shown: the side that moves first, or its team."""
    return side_name(",".join(sorted(sides[::2])) if len(sides) > 2 else sides[0])


def line_names(line: dict[str, Any]) -> list[str]:
    """The moves of a line, each with the end that it most probably has."""
    names, outcomes = texts_in(line, "pvNames"), texts_in(line, "pvOutcomes")
    return [" ".join(filter(None, each)) for each in zip(names, [*outcomes, *[""] * len(names)])]


def left_out_text(left_out: Mapping[str, Any]) -> str:
    """What a review leaves out of a record; '' if that is not known."""
    moves, reason = number_of(left_out.get("moves")), text_of(left_out.get("reason"))
    if moves is None:
        return ""
    what = "the last move is left out" if moves == 1 else f"the last {moves:.0f} moves are left out"
    return f"{what}; {reason}" if reason else what


def percent(score: float) -> str:
    """An expected score: `61 %`."""
    return f"{100 * score:.0f} %"


def likelihood(chance: float) -> str:
    """The probability of what has happened: `61 %`. This is never `0 %`, and `100 %` only if it was sure."""
    return "under 1 %" if chance < 0.005 else "over 99 %" if 0.995 <= chance < 1 else percent(chance)


def points(loss: float) -> str:
    """A loss of expected score, in hundredths."""
    return f"{100 * loss:.1f}"


def tables_of(summary: dict[str, Any]) -> list[Table]:
    """A summary of any shape as tables: one row of the plain values, and one for each object or list of objects."""
    plain: dict[str, str] = {}
    tables: list[Table] = []
    for key, value in summary.items():
        title = words(key)
        title = title[:1].upper() + title[1:]
        rows = list(value.items()) if isinstance(value, dict) else [("", each) for each in _list(value)]
        if rows and all(isinstance(each, dict) for _, each in rows):
            columns = list(dict.fromkeys(column for _, each in rows for column in each))
            named = any(name for name, _ in rows)
            head = ([""] if named else []) + [_HEADS.get(column) or words(column) for column in columns]
            body = [
                ([name] if named else []) + [_cell(column, each.get(column)) for column in columns]
                for name, each in rows
            ]
            tables.append(Table(title, head, body))
        elif rows and isinstance(value, dict):
            tables.append(Table(title, [], [[words(name), _cell(name, each)] for name, each in rows]))
        elif value not in ({}, []):
            plain[key] = _cell(key, value)
    heads = [_HEADS.get(key) or words(key) for key in plain]
    return ([Table("", heads, [list(plain.values())])] if plain else []) + tables


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def words(key: str) -> str:
    """`averageLoss` as `average loss`; a text that is no such name stays."""
    return re.sub(r"(?<=[a-z])[A-Z]", lambda found: f" {found[0].lower()}", key) if key.isidentifier() else key


def _cell(key: str, value: object, depth: int = 0) -> str:
    """A value in a table. A loss is a part of 1, shown in points."""
    number = number_of(value)
    if number is not None and not isinstance(value, int):
        return points(number) if "loss" in key.lower() and abs(number) <= 1 else f"{number:.1f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if depth < _CELL_DEPTH and isinstance(value, list):
        return ", ".join(_cell(key, each, depth + 1) for each in value)
    if depth < _CELL_DEPTH and isinstance(value, dict):
        return ", ".join(f"{words(name)} {_cell(name, each, depth + 1)}" for name, each in value.items())
    return text_of(value)
