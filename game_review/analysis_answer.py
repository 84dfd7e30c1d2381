"""The answers of `sanqi analyse`, as JSON objects. docs/analysis.md has the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game_core.analysis import opposite
from game_core.win_probability import Chances
from game_review.analysis_request import FIRST_SIDE

if TYPE_CHECKING:
    from game_core.analysis import AnalysisTask, Ended, Finding, Turn, Variation
    from game_review.analysis_request import Query

_DIGITS = 4
_OPPOSITE = {"lower": "upper", "upper": "lower"}


def answer(query: Query, task: AnalysisTask, finding: Finding, *, is_during: bool = False) -> dict[str, Any]:
    """What was found in a position. Fields that nobody knows are left out."""
    turn = task.turn
    ended = turn.ended
    if query.perspective == FIRST_SIDE and not _is_of(turn.to_move, query.subject.at(0).to_move):
        finding = finding._replace(lines=tuple(map(_turned, finding.lines)))
        ended = None if ended is None else ended._replace(points=1 - ended.points)
    return {
        "id": query.id,
        "turnNumber": task.number,
        "isDuringSearch": is_during,
        "toMove": turn.to_move,
        "perspective": query.perspective,
        "rootInfo": _root_info(finding) if ended is None else _ended_info(ended),
        "moveInfos": [_move_info(query, turn, order, line) for order, line in enumerate(finding.lines)],
        "ended": None if ended is None else {"result": ended.result, "reason": ended.reason},
        **turn.details(),
    }


def _is_of(side: str | int, team: str | int) -> bool:
    """Whether a side is in the team of another one: of sides with numbers every second one is."""
    return side % 2 == team % 2 if isinstance(side, int) and isinstance(team, int) else side == team


def _turned(line: Variation) -> Variation:
    """The same line with the scores of the other side."""
    return line._replace(
        score_cp=opposite(line.score_cp),
        mate=opposite(line.mate),
        rule_win=opposite(line.rule_win),
        bound=_OPPOSITE.get(line.bound or "", line.bound),
        chances=None if line.chances is None else Chances(*reversed(line.chances)),
    )


def no_results(query: Query, number: int) -> dict[str, Any]:
    """The answer for a turn that was ended before anything was found."""
    return {"id": query.id, "turnNumber": number, "isDuringSearch": False, "noResults": True}


def fault(text: str, id: str | None = None, field: str = "", turn: int | None = None) -> dict[str, Any]:
    """An error. `turn`: the one that has no answer; None: none of the request has."""
    return _known(id=id, turnNumber=turn, error=text, field=field or None)


def warning(text: str, id: str, field: str = "") -> dict[str, Any]:
    """A warning: the query goes on."""
    return _known(id=id, warning=text, field=field or None)


def _root_info(finding: Finding) -> dict[str, Any]:
    first = finding.lines[0] if finding.lines else None
    return _known(
        **({} if first is None else _score(first)),
        depth=finding.depth,
        seldepth=None if first is None else first.seldepth,
        nodes=finding.nodes,
        timeMs=finding.time_ms,
    )


def _ended_info(ended: Ended) -> dict[str, Any]:
    return {**_win_probability(ended.chances), "nodes": 0}


def _move_info(query: Query, turn: Turn, order: int, line: Variation) -> dict[str, Any]:
    pv_names = {notation: turn.names(line.pv, notation) for notation in query.notations}
    return _known(
        order=order,
        move=turn.move_text(line.pv[0]),
        names={notation: names[0] for notation, names in pv_names.items()},
        **_score(line),
        bound=line.bound,
        depth=line.depth,
        pv=[turn.move_text(move) for move in line.pv],
        pvNames=pv_names,
    )


def _score(line: Variation) -> dict[str, Any]:
    return {
        **({"mate": line.mate} if line.mate is not None else _known(scoreCp=line.score_cp, ruleWin=line.rule_win)),
        **({} if line.chances is None else _win_probability(line.chances)),
    }


def _win_probability(chances: Chances) -> dict[str, Any]:
    win, loss = round(chances.win, _DIGITS), round(chances.loss, _DIGITS)
    draw = round(max(1 - win - loss, 0.0), _DIGITS)
    rounded = Chances(win, draw, loss)
    return {"winrate": round(rounded.expected_score, _DIGITS), "wdl": list(rounded)}


def _known(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
