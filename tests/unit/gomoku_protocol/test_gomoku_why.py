"""The sentences of why: true of the board by a second implementation, and they name what people saw there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from game_core.review import MarkedMove
from gomoku_protocol.analysis import GomokuSubject, SetUp
from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.why import lines_of, reasons, sentence, shown, why
from tests.helpers import gomoku_why_check

CASES = Path(__file__).parents[2] / "data" / "review" / "gomoku_motifs.jsonl"
_RULES = {name: number for number, name in RULE_NAMES.items()}


def labelled() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_text().splitlines()]


def subject_of(case: dict[str, Any]) -> GomokuSubject:
    width, height = case["size"]
    return GomokuSubject(width, height, _RULES[case["rule"]], SetUp(), case["moves"])


def marked_of(case: dict[str, Any]) -> MarkedMove:
    better = case["better"] or []
    return MarkedMove(len(case["moves"]), case["played"], case["reply"], better, case["mate"], case["mate_after"])


def check(case: dict[str, Any]) -> None:
    lines = lines_of(subject_of(case), marked_of(case))
    found = reasons(lines)
    assert found, case
    assert gomoku_why_check.faults(lines, found) == []
    assert sentence(lines, shown(found)) == why(subject_of(case), marked_of(case)) != ""


@pytest.mark.parametrize("number", [4, 10])
def test_reasons_are_true(number: int) -> None:
    check(labelled()[number])


@pytest.mark.long
def test_reasons_of_all_labelled_moves_are_true() -> None:
    for case in labelled():
        check(case)


def test_a_false_reason_is_found() -> None:
    case = labelled()[10]
    lines = lines_of(subject_of(case), marked_of(case))
    first = reasons(lines)[0]
    wrong = first._replace(number=first.number + 1)
    moved = first._replace(point=(first.point[0] + 1, first.point[1]))
    assert len(gomoku_why_check.faults(lines, [wrong, moved])) == 2


def test_sentence_of_a_missed_four_three() -> None:
    case = labelled()[10]
    assert why(subject_of(case), marked_of(case)) == (
        "Misses a win by fours: White makes a four and an open three with h5 and wins by fours in 3 moves. "
        "Black makes a four and an open three with h10 and wins by fours in 3 moves."
    )
