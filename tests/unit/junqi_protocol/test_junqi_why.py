"""The reasons of marked moves of Junqi, at positions that a person has labelled."""

from __future__ import annotations

import json
from argparse import Namespace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from game_core.review import MarkedMove, ReviewedGame
from junqi_protocol.records.records import Replay
from junqi_protocol.review.review import open_game
from junqi_protocol.review.why import EXPOSED, RISK, Reason, reasons

DATA = Path(__file__).resolve().parents[2] / "data" / "review"
LABELS = [json.loads(line) for line in (DATA / "junqi_motifs.jsonl").read_text(encoding="utf-8").splitlines()]


@cache
def game(record: str) -> ReviewedGame:
    return open_game(Replay((DATA / "junqi" / record).read_bytes()).arbiter, Namespace(see="team"))


def marked(label: dict[str, Any]) -> MarkedMove:
    hidden, better = game(label["record"]).hidden, label["better"]
    assert hidden is not None
    pieces = hidden.hindsight(label["ply"] - 1, better[0] if better else None, "english")[2]
    return MarkedMove(label["ply"] - 1, label["played"], label["reply"], better, None, None, pieces)


def said(label: dict[str, Any]) -> str:
    why = game(label["record"]).why
    assert why is not None
    return why(marked(label))


def end(attacker: str, defender: str) -> int:
    """0: the attacker takes, 1: it dies, 2: both die."""
    if "B" in (attacker, defender):
        return 2
    if defender == "M":
        return 0 if attacker == "1" else 1
    if defender == "F" or attacker > defender:
        return 0
    return 2 if attacker == defender else 1


def check(reason: Reason, move: MarkedMove) -> None:
    """The odds are those of the rules."""
    [types] = {tuple(piece.types.items()) for piece in move.pieces if piece.point == reason.point}
    odds = [0.0, 0.0, 0.0]
    for letter, chance in types:
        if reason.motif != EXPOSED:
            odds[end(reason.own, letter)] += chance
        elif letter not in "MF":
            odds[end(letter, reason.own)] += chance
    assert reason.chances == pytest.approx(odds)


def test_says_what_was_risked() -> None:
    [label] = [label for label in LABELS if (label["record"], label["ply"]) == ("duel-08.jgr", 63)]
    assert said(label) == (
        "The regiment attacks e2: it takes with 70 %, dies with 18 %, both die with 12 %."
        " The piece on e1 can attack the regiment then: it takes with 16 %, dies with 25 %, both die with 12 %."
    )
    found = reasons(marked(label), "6", "6")
    assert {reason.motif for reason in found} == {RISK, EXPOSED}
    for reason in found:
        check(reason, marked(label))


@pytest.mark.long
def test_all_odds_are_those_of_the_rules() -> None:
    checked = 0
    for label in LABELS:
        for own in "123456789B":
            for reason in reasons(marked(label), own, own):
                check(reason, marked(label))
                checked += 1
    assert checked > 100
