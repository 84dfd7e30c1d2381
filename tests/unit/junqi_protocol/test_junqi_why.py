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
from junqi_protocol.review.review import RecordedGame, open_game
from junqi_protocol.review.why import EXPOSED, RISK, Reason, reasons
from junqi_protocol.rules.geometry import move_text, parse_move
from junqi_protocol.rules.lineup import text as lineup_text
from junqi_protocol.rules.messages import Moved, Skipped
from tests.helpers.junqi_reference import Reference
from tests.helpers.junqi_why_check import faults

DATA = Path(__file__).resolve().parents[2] / "data" / "review"
LABELS = [json.loads(line) for line in (DATA / "junqi_motifs.jsonl").read_text(encoding="utf-8").splitlines()]


@cache
def game(record: str, see: str = "team") -> ReviewedGame:
    return open_game(Replay((DATA / "junqi" / record).read_bytes()).arbiter, Namespace(see=see))


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
        "The regiment attacks e2: it takes with 77 %, dies with 8 %, both die with 15 %."
        " The piece on d2 can attack the regiment then: it takes with 18 %, dies with 13 %, both die with 9 %."
    )
    found = reasons(marked(label), "5", "5")
    assert {reason.motif for reason in found} == {RISK, EXPOSED}
    for reason in found:
        check(reason, marked(label))


def test_says_what_is_taken_in_the_line() -> None:
    [flag] = [label for label in LABELS if (label["record"], label["ply"]) == ("siguo-05.jgr", 145)]
    assert said(flag) == "In the line the piece on h16 takes the flag on j17."
    [piece] = [label for label in LABELS if (label["record"], label["ply"]) == ("duel-08.jgr", 69)]
    assert said(piece) == "In the line the piece on a8 takes the division on b11 with 51 %."


def document_of(label: dict[str, Any]) -> tuple[Reference, dict[str, Any]]:
    """The position before a labelled move, and what the document of a review has of the move."""
    recorded = game(label["record"]).subject
    assert isinstance(recorded, RecordedGame)
    arbiter, turn = Replay((DATA / "junqi" / label["record"]).read_bytes()).arbiter, label["ply"] - 1
    variant = arbiter.variant
    reference = Reference(variant.name, [lineup_text(lineup) for lineup in arbiter.lineups], first=arbiter.terms.first)
    for happening in arbiter.happenings[:turn]:
        if isinstance(happening, Moved):
            reference.move(move_text(variant, happening.move))
        elif isinstance(happening, Skipped):
            reference.skip(happening.kind)
        else:
            reference.leave(happening.seat, happening.reason)
    line = [label["played"], *label["reply"]]
    ends = recorded.outcomes(recorded.at(turn), [parse_move(variant, move) for move in line])
    pieces = [{"point": piece.point, "types": piece.types} for piece in marked(label).pieces]
    better = label["better"]
    return reference, {
        "move": label["played"],
        "best": {"move": better[0]} if better else None,
        "pieces": pieces,
        "expected": {"pv": line, "pvOutcomes": ends},
        "why": said(label),
    }


@pytest.mark.parametrize(
    ("record", "ply", "false"),
    [
        ("siguo-05.jgr", 145, "In the line the piece on h16 takes the flag on j16."),
        ("siguo-05.jgr", 145, "In the line the piece on i15 takes the flag on j17."),
        ("duel-08.jgr", 69, "In the line the piece on a8 takes the brigade on b11 with 51 %."),
        ("duel-08.jgr", 63, "The regiment attacks e2: it takes with 60 %, dies with 28 %, both die with 12 %."),
        ("duel-08.jgr", 63, "The division attacks e2: it takes with 77 %, dies with 8 %, both die with 15 %."),
        ("duel-08.jgr", 63, "The regiment is lost."),
    ],
)
def test_the_check_finds_a_false_sentence(record: str, ply: int, false: str) -> None:
    [label] = [label for label in LABELS if (label["record"], label["ply"]) == (record, ply)]
    position, document = document_of(label)
    assert faults(position, document) == []
    assert len(faults(position, document | {"why": false})) == 1


@pytest.mark.long
def test_every_sentence_is_true() -> None:
    for label in LABELS:
        if said(label):
            assert faults(*document_of(label)) == []


@pytest.mark.long
def test_all_odds_are_those_of_the_rules() -> None:
    checked = 0
    for label in LABELS:
        for own in "123456789B":
            for reason in reasons(marked(label), own, own):
                check(reason, marked(label))
                checked += 1
    assert checked > 100
