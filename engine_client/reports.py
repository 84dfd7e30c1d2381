"""What engines report during a search: `info` of UCI and UCCI, `MESSAGE` and `DEBUG` of Gomocup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from search_core.whole_number import whole_number

MATE_CP = 30_000
"""The score of a win; the moves or plies to the mate are subtracted."""
_LARGEST = 10**15
_MAX_CP = 10**6
_COUNTS = {"depth": "depth", "seldepth": "seldepth", "multipv": "line", "nodes": "nodes", "time": "time_ms"}
"""Words of `info` and the fields of Report."""
_REPORT = re.compile(r"\s*(?:MESSAGE|DEBUG)\s(.*)", re.IGNORECASE | re.DOTALL)
_DEPTH = re.compile(r"\bdepth (\d{1,4})(?:-(\d{1,4}))?(?!\d)", re.IGNORECASE)
_SCORE = re.compile(r"\bev(?:al)? ([+-]?)(m?)(\d{1,6})(?!\d)", re.IGNORECASE)
_NODES = re.compile(r"\b(?:nodes?|n) (\d{1,15})(?!\d)([km]?)", re.IGNORECASE)
_TIME = re.compile(r"\b(?:time|tm) (\d{1,12})(?!\d)", re.IGNORECASE)
_LINE = re.compile(r"\b(?:pv|bestline) (.*)", re.IGNORECASE)
_OTHER_LINE = re.compile(r"\bmultipv (?!1\b)", re.IGNORECASE)
_MULTIPLES = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(slots=True)
class Report:
    """What a line says of a search. None: not said."""

    line: int = 1
    depth: int | None = None
    seldepth: int | None = None
    score_cp: int | None = None
    mate: int | None = None
    """Moves to the mate, negative when mated."""
    plies: int | None = None
    """The same in plies, where they are what was said."""
    bound: str | None = None
    """"lower" or "upper", if the score is one."""
    nodes: int | None = None
    time_ms: int | None = None
    wdl: tuple[int, int, int] | None = None
    pv: tuple[str, ...] = ()

    def update(self, newer: Report) -> None:
        """Add all that a newer report says. A time belongs to the nodes beside it, a depth to the score or line: what
        an engine says of the move that it searches has the depth of an iteration that is not done."""
        has_score = newer.score_cp is not None or newer.mate is not None
        is_of_iteration = has_score or bool(newer.pv)
        if newer.depth is not None and (is_of_iteration or self.depth is None):
            self.depth = newer.depth
        if newer.seldepth is not None and (is_of_iteration or self.seldepth is None):
            self.seldepth = newer.seldepth
        if has_score:
            self.score_cp, self.mate, self.plies, self.bound = newer.score_cp, newer.mate, newer.plies, newer.bound
        if newer.nodes is not None:
            self.nodes, self.time_ms = newer.nodes, newer.time_ms
        elif self.nodes is None and newer.time_ms is not None:
            self.time_ms = newer.time_ms
        self.wdl = newer.wdl or self.wdl
        self.pv = newer.pv or self.pv

    def without_bound(self) -> Report:
        """The same, without a score that is only a bound: the search is not done with the move."""
        return self if self.bound is None else replace(self, score_cp=None, mate=None, plies=None, bound=None)

    @property
    def centipawns(self) -> int | None:
        """The score as one number."""
        if self.mate is not None:
            size = MATE_CP - abs(self.mate if self.plies is None else self.plies)
            return size if self.mate > 0 else -size
        return self.score_cp if self.score_cp is not None and abs(self.score_cp) < _MAX_CP else None


def read_info(text: str) -> Report | None:
    """The report of an `info` line of UCI or UCCI; None for another line. What is malformed counts as not said."""
    words = text.split()
    if words[:1] != ["info"] or "string" in words[:2]:
        return None
    end = words.index("pv") if "pv" in words else len(words)
    report = Report(pv=tuple(words[end + 1 :]))
    for at, word in enumerate(words[:end]):
        if word in _COUNTS:
            count = _number(words[at + 1 : at + 2])
            if count is not None and count >= 0:
                setattr(report, _COUNTS[word], count)
        elif word == "wdl":
            chances = [_number([each]) for each in words[at + 1 : at + 4]]
            if len(chances) == 3 and all(each is not None and each >= 0 for each in chances) and any(chances):
                report.wdl = tuple(chances)  # type: ignore[assignment]
        elif word == "score":
            is_mate, is_named = words[at + 1 : at + 2] == ["mate"], words[at + 1 : at + 2] in (["cp"], ["mate"])
            value = _number(words[at + 1 + is_named :][:1])
            if value is not None:
                report.score_cp, report.mate = (None, value) if is_mate else (value, None)
        elif word in ("lowerbound", "upperbound"):
            report.bound = word.removesuffix("bound")
    return report


def _number(words: Sequence[str]) -> int | None:
    """The whole number that the first word is."""
    try:
        number = whole_number(words[0])
    except (IndexError, ValueError):
        return None
    return number if abs(number) <= _LARGEST else None


def read_message(text: str) -> Report | None:
    """The report of a line of Gomocup, as Yixin and its relatives and we write it; None for another line, and for one
    on another variation than the best."""
    found = _REPORT.match(text)
    if found is None or _OTHER_LINE.search(text):
        return None
    words = found[1]
    depth, score, nodes, time, line = (pattern.search(words) for pattern in (_DEPTH, _SCORE, _NODES, _TIME, _LINE))
    report = Report()
    if depth is not None:
        report.depth, report.seldepth = int(depth[1]), int(depth[2]) if depth[2] else None
    if score is not None and score[2]:  # plies to a five
        report.plies = int(score[1] + score[3])
        report.mate = -(-report.plies // 2) if score[1] == "-" else max((report.plies + 1) // 2, 1)
    elif score is not None:
        report.score_cp = int(score[1] + score[3])
    if nodes is not None:
        report.nodes = int(nodes[1]) * _MULTIPLES[nodes[2].lower()]
    if time is not None:
        report.time_ms = int(time[1])
    if line is not None:
        report.pv = tuple(line[1].split())
    return report
