"""Read a line of `sanqi analyse`: a query or an action, as JSON. docs/analysis.md has the fields."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from game_core.analysis import DEFAULT_NODES, AnalysisTask, Subject
from game_core.description import GameDescription
from game_core.json_fields import FieldError, JsonFields, described
from search_core.line_protocol import excerpt
from search_core.parts import load_part
from search_core.thinker import Limits

if TYPE_CHECKING:
    from types import ModuleType

TERMINATE, TERMINATE_ALL, CLEAR_CACHE, QUERY_VERSION = "terminate", "terminate_all", "clear_cache", "query_version"
ACTIONS = (TERMINATE, TERMINATE_ALL, CLEAR_CACHE, QUERY_VERSION)
MAX_NODES = 10**15
MAX_MS = 10**9
MAX_DEPTH = 127
MAX_LINES = 500
SIDE_TO_MOVE, FIRST_SIDE = "sideToMove", "firstSide"
PERSPECTIVES = (SIDE_TO_MOVE, FIRST_SIDE)
"""Whose the scores are: of the side to move in the position, or of the one that moves first in the game."""
_MAX_PRIORITY = 10**9
_MAX_DIGITS = 300
_MIN_INTERVAL_S, _MAX_INTERVAL_S = 0.001, 1e6


class BadRequest(ValueError):
    """A line that cannot be obeyed: what is wrong, the id if it could be read, and the field at fault or ''."""

    def __init__(self, text: str, id: str | None = None, field: str = "") -> None:
        super().__init__(text)
        self.id = id
        self.field = field


@dataclass(frozen=True, slots=True)
class Query:
    """Positions of a game to analyse, and how."""

    id: str
    subject: Subject
    turns: tuple[int, ...]
    limits: Limits
    notations: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    """Moves in any notation; (): all."""
    avoided: tuple[str, ...] = ()
    report_every_s: float = 0.0
    """0: only the end is reported."""
    priority: int = 0
    perspective: str = SIDE_TO_MOVE
    """One of PERSPECTIVES."""

    def task(self, number: int) -> AnalysisTask:
        """The analysis of one of the turns. Raises FieldError for a move that is not legal there."""
        turn = self.subject.at(number)
        if turn.ended is not None or turn.game is None or not (self.allowed or self.avoided):
            return AnalysisTask(self.subject, number, turn, self.limits)
        read: dict[str, list[int]] = {}
        for field, texts in (("allowMoves", self.allowed), ("avoidMoves", self.avoided)):
            try:
                read[field] = [turn.read_move(text) for text in texts]
            except ValueError as error:
                raise FieldError(f"{field}: {error}", field) from None
        only, never = read["allowMoves"], read["avoidMoves"]
        left = set(only or turn.legal_moves()).difference(never)
        if not left:
            field = "avoidMoves" if never else "allowMoves"
            raise FieldError(f"{field}: no legal move is left", field)
        limits = replace(self.limits, root_moves=tuple(only), excluded_moves=tuple(never))
        return AnalysisTask(self.subject, number, turn, limits)


@dataclass(frozen=True, slots=True)
class Action:
    """Something to do at once. `fields`: of the request, for the answer."""

    id: str
    name: str
    fields: Mapping[str, Any]
    terminate_id: str = ""


def read_request(line: str, games: Mapping[str, GameDescription]) -> tuple[Query | Action, list[str]]:
    """What a line asks for, and the paths of its unknown fields. `games`: those that can be analysed. Raises
    BadRequest."""
    values = _object(line)
    fields = JsonFields(values)
    id = values.get("id")
    try:
        fields.text("id")
        request = _action(fields, values) if fields.has("action") else _query(fields, games)
    except FieldError as error:
        raise BadRequest(str(error), id if isinstance(id, str) else None, error.field) from None
    return request, list(fields.unknown())


def _action(fields: JsonFields, values: dict[str, Any]) -> Action:
    name = fields.choice("action", ACTIONS)
    terminate_id = fields.text("terminateId") if name == TERMINATE else ""
    return Action(fields.text("id"), name, values, terminate_id)


def _query(fields: JsonFields, games: Mapping[str, GameDescription]) -> Query:
    name = fields.text("game")
    if name not in games:
        raise fields.fault("game", f"expected one of {', '.join(games)}, got {described(name)}")
    part = load_part(games[name].analysis)
    fields.required("position")
    subject: Subject = part.read_position(fields.inner("position"))
    return Query(
        id=fields.text("id"),
        subject=subject,
        turns=_turns(fields, subject.last_turn),
        limits=_limits(fields),
        notations=_notations(fields, part),
        allowed=tuple(fields.texts("allowMoves")),
        avoided=tuple(fields.texts("avoidMoves")),
        report_every_s=fields.seconds("reportDuringSearchEvery", _MIN_INTERVAL_S, _MAX_INTERVAL_S),
        priority=fields.number("priority", -_MAX_PRIORITY, _MAX_PRIORITY, 0),
        perspective=fields.choice("perspective", PERSPECTIVES, SIDE_TO_MOVE),
    )


def _object(line: str) -> dict[str, Any]:
    """The JSON object of a line. Raises BadRequest."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no number of JSON")

    try:
        values = json.loads(line, parse_constant=refuse, parse_int=_number, parse_float=_number)
    except RecursionError:
        raise BadRequest("the JSON is nested too deeply") from None
    except ValueError as error:
        raise BadRequest(f"no JSON: {error}") from None
    if not isinstance(values, dict):
        raise BadRequest(f"expected a JSON object, got {described(values)}")
    return values


def _number(text: str) -> float:
    """A number of JSON, which an answer can repeat. Raises ValueError."""
    is_whole = text.removeprefix("-").isdecimal()
    if len(text) > _MAX_DIGITS or abs(number := int(text) if is_whole else float(text)) == math.inf:
        raise ValueError(f"the number {excerpt(text)} is too large")
    return number


def _turns(fields: JsonFields, last: int) -> tuple[int, ...]:
    """The turns to analyse, each once."""
    if not fields.has("analyzeTurns"):
        return (last,)
    numbers = fields.numbers("analyzeTurns", 0, last)
    if not numbers:
        raise fields.fault("analyzeTurns", "names no turn")
    return tuple(dict.fromkeys(numbers))


def _limits(fields: JsonFields) -> Limits:
    inner = fields.inner("limits")
    nodes = inner.number("nodes", 1, MAX_NODES, 0)
    movetime_ms = inner.number("movetimeMs", 1, MAX_MS, 0)
    depth = inner.number("depth", 1, MAX_DEPTH, 0)
    return search_limits(nodes, movetime_ms, depth, fields.number("multipv", 1, MAX_LINES, 1))


def search_limits(nodes: int, movetime_ms: int, depth: int, multipv: int) -> Limits:
    """The limits of a search; 0: there is no such limit."""
    if not (nodes or movetime_ms or depth):
        nodes = DEFAULT_NODES
    return Limits(depth=depth, nodes=nodes, soft_ms=movetime_ms, hard_ms=movetime_ms, multipv=multipv)


def _notations(fields: JsonFields, part: ModuleType) -> tuple[str, ...]:
    """One name or a list of them; by default the game's first."""
    known: Sequence[str] = part.NOTATIONS
    if not fields.has("notation"):
        return (known[0],)
    value = fields.value("notation")
    names = [value] if isinstance(value, str) else fields.texts("notation")
    for name in names:
        if name not in known:
            raise fields.fault("notation", f"expected one of {', '.join(known)}, got {described(name)}")
    return tuple(dict.fromkeys(names))
