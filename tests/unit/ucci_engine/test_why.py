"""The sentences of why of Xiangqi, checked on their lines by code that does not make them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from game_core.review import MarkedMove
from tests.helpers.xiangqi_why_check import Marked, faults
from ucci_engine.why.explanation import explain
from ucci_engine.why.words import sentences

DATA = Path(__file__).resolve().parents[2] / "data" / "review"


def positions_of(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / file).read_text(encoding="utf-8").splitlines()]


POSITIONS = positions_of("xiangqi_motifs.jsonl")


def why(position: dict[str, Any]) -> tuple[Marked, str]:
    lines = position["reply"].split(), position["better"].split()
    mates = position["mate"], position["mateAfter"]
    text = sentences(explain(position["fen"], MarkedMove(0, position["move"], *lines, *mates)))
    return Marked(position["fen"], position["move"], *lines, *mates), text


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (15, "Pawn g5-f5 attacks the cannon on f6 and the cannon on e5 at once."),
        (38, "Red mates in 2, from rook b2-b9."),
        (68, "Rook b9-b4 attacks the cannon on b3. The rook on b4 pins the cannon on b3 to the rook on b2."),
        (90, "Cannon c4-a4 attacks the rook on a7 and, behind it, the horse on a8."),
    ],
)
def test_says_what_the_line_shows(line: int, text: str) -> None:
    marked, said = why(POSITIONS[line - 1])
    assert said.startswith(text)
    assert faults(marked, said) == []


@pytest.mark.parametrize(
    "false",
    [
        "Pawn g5-f5 attacks the cannon on f6 and the horse on c2 at once.",
        "Red mates in 2, from pawn g5-f5.",
        "Red wins a rook within 5 plies.",
        "The move leaves the horse on c4 without its guard.",
        "Red is better.",
    ],
)
def test_the_check_finds_a_false_sentence(false: str) -> None:
    marked, _ = why(POSITIONS[14])
    assert len(faults(marked, false)) == 1


@pytest.mark.parametrize(
    ("pinned", "is_true"),
    [
        ("The rook on b4 pins the cannon on b3 to the rook on b2.", True),
        ("The rook on b4 pins the rook on b2 to the cannon on b3.", False),
        ("The rook on b9 pins the cannon on b3 to the rook on b2.", False),
    ],
)
def test_checks_a_pin(pinned: str, is_true: bool) -> None:
    marked, _ = why(POSITIONS[67])
    assert (faults(marked, pinned) == []) == is_true


@pytest.mark.long
def test_every_sentence_is_true() -> None:
    others = ("xiangqi_motifs_second_reader.jsonl", "xiangqi_motifs_level_games.jsonl")
    for position in (*POSITIONS, *(position for file in others for position in positions_of(file))):
        marked, said = why(position)
        assert not said or faults(marked, said) == [], (position["fen"], said)
