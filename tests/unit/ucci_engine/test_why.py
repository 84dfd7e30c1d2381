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
    attack = "Rook b9-b4 attacks the cannon on b3."
    assert (faults(marked, f"{attack} {pinned}") == []) == is_true
    assert (faults(marked, f"After rook b9-b4 {pinned[0].lower()}{pinned[1:]}") == []) == is_true
    assert faults(marked, pinned) != []  # after which move?


MOTIF_OF_A_LATER_MOVE = [
    (2, "Rook b9-b1, later cannon e7-b7 attacks the horse on b0, which has no safe move. "),
    (4, "Rook a7-b7 attacks the cannon on b6. Then rook b7-b9 opens the attack of the horse on c7 on "),
    (13, "Better: rook b4-d4, then cannon d2-d9 attacks the advisor on f9. The cannon on d9 pins the advisor "),
    (14, "Better: with cannon f6-f3 Black wins a pawn within 5 plies."),
    (88, "Better: pawn f3-f2 attacks the horse on g2 and the cannon on e2 at once. Later rook b3-b4 attacks "),
]


@pytest.mark.parametrize(("line", "text"), MOTIF_OF_A_LATER_MOVE)
def test_says_of_which_move_of_the_line_it_speaks(line: int, text: str) -> None:
    marked, said = why(POSITIONS[line - 1])
    assert said.startswith(text)
    assert faults(marked, said) == []


@pytest.mark.parametrize(
    ("line", "false"),
    [
        (2, "Cannon e7-b7 attacks the horse on b0, which has no safe move."),
        (2, "Rook b9-b1, then cannon e7-b7 attacks the horse on b0, which has no safe move."),
        (2, "Horse e8-g7, later cannon e7-b7 attacks the horse on b0, which has no safe move."),
        (2, "Later cannon e7-b7 attacks the horse on b0, which has no safe move."),
        (4, "Rook b7-b9 opens the attack of the horse on c7 on the cannon on a6."),
        (13, "Better: cannon d2-d9 attacks the advisor on f9."),
        (13, "Better: rook b4-d4, later cannon d2-d9 attacks the advisor on f9."),
        (13, "Better: rook b4-d4, then the cannon on d9 pins the advisor on f9 to the horse on h9."),
        (14, "Better: Black wins a pawn within 5 plies."),
        (14, "Better: with cannon f6-f4 Black wins a pawn within 5 plies."),
    ],
)
def test_the_check_finds_a_sentence_of_another_move(line: int, false: str) -> None:
    marked, _ = why(POSITIONS[line - 1])
    assert len(faults(marked, false)) == 1


@pytest.mark.parametrize(
    ("fen", "move", "reply", "better", "false"),
    [
        # Red takes that pawn itself.
        (
            "3k5/9/r8/6p2/9/5N3/P1P1P1R2/9/9/5K3 w", "g3i3", "a7a3 f4g6 a3c3", "",
            "The move leaves the pawn on g6 without its guard.",
        ),
        # The horse takes back after the end of the line.
        ("3k5/9/2c6/9/2p6/9/2R6/9/3N5/5K3 w", "f0f1", "c7c3", "", "Black wins a rook within one ply."),
        # The elephant is the cannon's screen; it stood in no line.
        ("4k4/9/9/9/9/p8/9/9/4C4/2B2K3 w", "f0f1", "a4a3", "c0e2 e9d9",
         "Better: elephant c0-e2 gives a discovered check by the cannon on e1."),
    ],
)  # fmt: skip
def test_what_is_not_so_is_not_said(fen: str, move: str, reply: str, better: str, false: str) -> None:
    lines = reply.split(), better.split()
    said = sentences(explain(fen, MarkedMove(0, move, *lines, None, None)))
    marked = Marked(fen, move, *lines, None, None)
    assert false not in said
    assert faults(marked, said) == []
    if "wins" not in false:
        assert len(faults(marked, false)) == 1


@pytest.mark.long
def test_every_sentence_is_true() -> None:
    others = ("xiangqi_motifs_second_reader.jsonl", "xiangqi_motifs_level_games.jsonl")
    for position in (*POSITIONS, *(position for file in others for position in positions_of(file))):
        marked, said = why(position)
        assert not said or faults(marked, said) == [], (position["fen"], said)
