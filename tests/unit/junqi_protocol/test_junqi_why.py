"""The reasons of marked moves of Junqi, at positions that a person has labelled."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from game_core.review import MarkedMove, ReviewedGame
from junqi_protocol.records.records import Replay
from junqi_protocol.review.review import RecordedGame, open_game
from junqi_protocol.review.why import EXPOSED, FLAG_FALLS, LINE_LOSES, RISK, Reason, reasons
from junqi_protocol.rules.geometry import parse_move
from junqi_protocol.rules.lineup import PIECES

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
        "The regiment attacks e2: it takes with 70 %, dies with 18 %, both die with 12 %."
        " The piece on e1 can attack the regiment then: it takes with 16 %, dies with 25 %, both die with 12 %."
    )
    found = reasons(marked(label), "6", "6")
    assert {reason.motif for reason in found} == {RISK, EXPOSED}
    for reason in found:
        check(reason, marked(label))


def test_says_what_is_taken_in_the_line() -> None:
    [flag] = [label for label in LABELS if (label["record"], label["ply"]) == ("siguo-05.jgr", 145)]
    assert said(flag) == "In the line the piece on h16 takes the flag on j17."
    [piece] = [label for label in LABELS if (label["record"], label["ply"]) == ("duel-08.jgr", 69)]
    assert said(piece) == "In the line the piece on a8 takes the division on b11 with 66 %."


def takings(line: list[str], ends: list[str]) -> list[tuple[str, str, str]]:
    """Of each move that takes: where its piece and the one that it takes stood before the line, and where it takes."""
    stood: dict[str, str] = {}
    found = []
    for move, end in zip(line, ends):
        origin, target = re.findall(r"[a-z]\d+", move)
        start = stood.pop(origin, origin)
        if end == "takes":
            found.append((start, stood.get(target, target), target))
        if end in ("", "takes"):
            stood[target] = start
    return found


@pytest.mark.long
@pytest.mark.parametrize("see", ["team", "own"])
def test_what_the_line_takes_is_taken_in_it(see: str) -> None:
    checked = 0
    for label in LABELS:
        recorded = game(label["record"], see).subject
        assert isinstance(recorded, RecordedGame)
        turn, line = recorded.at(label["ply"] - 1), [label["played"], *label["reply"]]
        position, variant = turn.view.position, turn.view.position.variant
        taken = takings(line, recorded.outcomes(turn, [parse_move(variant, move) for move in line]))
        for reason in recorded.reasons(marked(label)):
            if reason.motif in (LINE_LOSES, FLAG_FALLS):
                stood = [start for captor, start, on in taken if (captor, on) == (reason.point, reason.taken_on)]
                pieces = [position.piece_at(variant.numbers[start]) for start in stood]
                assert reason.own in [PIECES[piece[1]] for piece in pieces if piece is not None]
                checked += 1
    assert checked > 2


@pytest.mark.long
def test_all_odds_are_those_of_the_rules() -> None:
    checked = 0
    for label in LABELS:
        for own in "123456789B":
            for reason in reasons(marked(label), own, own):
                check(reason, marked(label))
                checked += 1
    assert checked > 100
