"""Count how many labelled moves of Gomoku get a sentence of why that names what people saw in them.

Usage: python benchmarks/gomoku_why.py {seen,held-out}
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from game_core.review import MarkedMove
from gomoku_protocol.analysis import GomokuSubject, SetUp
from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.why import Reason, lines_of, reasons, shown

CASES = Path(__file__).parents[1] / "tests" / "data" / "review" / "gomoku_motifs.jsonl"
PLAIN = {"allows-win", "misses-win"}
"""A forced win without a shape."""


def names(reason: Reason, is_reply: bool) -> set[str]:
    """The labels that a reason stands for."""
    found, made = {reason.motif}, reason.made
    kind = "better" if reason.motif in ("misses-fours", "misses-win", "better-makes") else "reply"
    if reason.motif in ("better-makes", "reply-makes", "misses-win", "allows-win") or is_reply:
        found |= {f"{kind}-four"} if made.fours else set()
        found |= {f"{kind}-three"} if made.threes else set()
    verb = "misses" if kind == "better" else "allows"
    if reason.motif in ("misses-fours", "allows-fours", "allows-win") and made.fours and made.threes:
        found.add(f"{verb}-four-three")
    if made.threes > 1:
        found.add(f"{verb}-double-three")
    if reason.motif == "stopped" and any(made):
        found.add("tempo")
    return found


def main() -> None:
    rules = {name: number for number, name in RULE_NAMES.items()}
    named = shaped = plain = total = 0
    for line in CASES.read_text().splitlines():
        case = json.loads(line)
        if case["half"] != sys.argv[1]:
            continue
        if case["motifs"] == ["none"]:
            plain += 1
            continue
        subject = GomokuSubject(case["size"][0], case["size"][1], rules[case["rule"]], SetUp(), case["moves"])
        better = case["better"] or []
        turn = len(case["moves"])
        marked = MarkedMove(turn, case["played"], case["reply"], better, case["mate"], case["mate_after"])
        lines = lines_of(subject, marked)
        said = shown(reasons(lines))
        found = set().union(*(names(each, lines.reply[:1] == [each.point]) for each in said))
        total += 1
        named += bool(found & set(case["motifs"]))
        shaped += bool(found & set(case["motifs"]) - PLAIN)
    print(f"{sys.argv[1]}: {named} of {total} named, {shaped} by a shape; {plain} more have no motif")


main()
