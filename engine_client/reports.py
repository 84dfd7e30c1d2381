"""What engines report during a search: `info` of UCI and UCCI, `MESSAGE` and `DEBUG` of Gomocup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from search_core.whole_number import whole_number

MATE_CP = 30_000
"""The score of a win; the moves or plies to the mate are subtracted."""
_LARGEST = 10**15
_LARGEST_CP = 10**6
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

    def updated(self, newer: Report) -> Report:
        """With all that a newer report says. A time belongs to the nodes beside it."""
        says_score = newer.score_cp is not None or newer.mate is not None
        scored = newer if says_score else self
        counted = newer if newer.nodes is not None else self
        return Report(
            newer.line,
            self.depth if newer.depth is None else newer.depth,
            self.seldepth if newer.seldepth is None else newer.seldepth,
            scored.score_cp,
            scored.mate,
            scored.plies,
            scored.bound,
            counted.nodes,
            counted.time_ms if counted.nodes is not None else newer.time_ms,
            newer.wdl or self.wdl,
            newer.pv or self.pv,
        )

    def without_bound(self) -> Report:
        """The same, without a score that is only a bound: the search is not done with the move."""
        return self if self.bound is None else replace(self, score_cp=None, mate=None, plies=None, bound=None)

    @property
    def centipawns(self) -> int | None:
        """The score as one number."""
        if self.mate is not None:
            size = MATE_CP - abs(self.mate if self.plies is None else self.plies)
            return size if self.mate > 0 else -size
        return self.score_cp if self.score_cp is not None and abs(self.score_cp) < _LARGEST_CP else None


def read_info(text: str) -> Report | None:
    """The report of an `info` line of UCI or UCCI; None for another line. What is malformed counts as not said."""
    words = text.split()
    if words[:1] != ["info"] or "string" in words[:2]:
        return None
    report, at = Report(), 1
    while at < len(words):
        word, at = words[at], at + 1
        if word == "pv":
            report.pv = tuple(words[at:])
            break
        numbers = _numbers(words[at : at + 3])
        if word in _COUNTS and numbers and numbers[0] >= 0:
            setattr(report, _COUNTS[word], numbers[0])
        elif word == "wdl" and len(numbers) == 3 and min(numbers) >= 0 and max(numbers) > 0:
            report.wdl = numbers[0], numbers[1], numbers[2]
        elif word == "score":
            kind = words[at] if words[at : at + 1] in (["cp"], ["mate"]) else "cp"
            value = _numbers(words[at + (words[at : at + 1] == [kind]) :][:1])
            if value:
                report.score_cp, report.mate = (None, value[0]) if kind == "mate" else (value[0], None)
        elif word in ("lowerbound", "upperbound"):
            report.bound = word.removesuffix("bound")
    return report


def _numbers(words: Sequence[str]) -> list[int]:
    """The whole numbers at the beginning of the words."""
    numbers: list[int] = []
    for word in words:
        try:
            number = whole_number(word)
        except ValueError:
            break
        if abs(number) > _LARGEST:
            break
        numbers.append(number)
    return numbers


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
