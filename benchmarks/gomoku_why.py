"""Count how many labelled moves of Gomoku get a sentence of why that names what people saw in them, or check
the reasons of reviews.

Usage: python benchmarks/gomoku_why.py {seen,held-out}
       python benchmarks/gomoku_why.py REVIEW.json ...
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


def check(paths: list[str]) -> None:
    """Check the reasons of reviews (`sanqi review --json`) by the slow rules of the tests."""
    sys.path.append(str(Path(__file__).parents[1]))
    from tests.helpers.gomoku_why_check import faults

    rules = {name: number for number, name in RULE_NAMES.items()}
    games = [game for path in paths for game in json.loads(Path(path).read_text())["games"]]
    marks = said = 0
    wrong: list[str] = []
    for game in games:
        start, moves = game["start"], [ply["move"] for ply in game["plies"]]
        black, white, blocked = (tuple(start[name]) for name in ("black", "white", "blocked"))
        set_up = SetUp(black, white, blocked, int(start["toMove"] == "white"))
        subject = GomokuSubject(start["size"][0], start["size"][1], rules[start["rule"]], set_up, moves)
        for turn, ply in enumerate(game["plies"]):
            if ply["mark"] or ply["missedWin"]:
                before, played, best = ply["before"], ply["played"], ply["best"] or {"pv": []}
                pvs = (played.get("pv") or [], best["pv"])
                lines = lines_of(subject, MarkedMove(turn, ply["move"], *pvs, before.get("mate"), played.get("mate")))
                found = reasons(lines)
                marks, said = marks + 1, said + len(found)
                wrong += faults(lines, found)
    print(f"{len(games)} games, {marks} marks, {said} reasons, {len(wrong)} false", *wrong, sep="\n")


if sys.argv[1] in ("seen", "held-out"):
    main()
else:
    check(sys.argv[1:])
