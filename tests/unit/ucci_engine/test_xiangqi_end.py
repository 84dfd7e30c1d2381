"""FEN, illegal moves and the ends of a game."""

from __future__ import annotations

from types import ModuleType

import pytest

from ucci_engine.points import START_FEN, parse_move
from ucci_engine.position import FenError, IllegalMove, Position


def played(fen: str, *moves: str) -> Position:
    position = Position(fen)
    push(position, *moves)
    return position


def push(position: Position, *moves: str) -> None:
    for move in " ".join(moves).split():
        position.push(parse_move(move))


BOARD = START_FEN.split()[0]


@pytest.mark.parametrize(
    ("spelling", "standard"),
    [
        (f"{BOARD} w", f"{BOARD} w - - 0 1"),
        (f"{BOARD} r - - 0 1", f"{BOARD} w - - 0 1"),
        (f"{BOARD} b - - 3 7", f"{BOARD} b - - 3 7"),
        (f"{BOARD} w - -", f"{BOARD} w - - 0 1"),
        (f"{BOARD} w - - - -", f"{BOARD} w - - 0 1"),
        (f"{BOARD} w - - 500 200", f"{BOARD} w - - 120 200"),
        (BOARD.replace("n", "h").replace("N", "H").replace("b", "e").replace("B", "E") + " w", f"{BOARD} w - - 0 1"),
        (BOARD, f"{BOARD} w - - 0 1"),
    ],
)
def test_every_spelling_is_read(spelling: str, standard: str) -> None:
    assert Position(spelling).fen() == standard


@pytest.mark.parametrize(
    ("fen", "complaint"),
    [
        ("", "empty FEN"),
        ("4k4/9/9/9/9/9/9/9/9 w", "9 ranks"),
        ("4k4/9/9/9/9/9/9/9/9/9/3K5 w", "11 ranks"),
        ("4k4/9/9/9/9/9/9/9/9/3K4 w", "'3K4' has 8 files"),
        ("4k4/9/9/9/9/9/9/9/9/3K6 w", "files"),
        ("4k4/9/9/9/9/9/9/9/9/9 w", "no Red king"),
        ("9/9/9/9/9/9/9/9/9/3K5 w", "no Black king"),
        ("4k4/9/9/9/9/9/9/9/3K5/3K5 w", "more than 1 of Red king"),
        ("9/9/9/4k4/9/9/9/9/9/3K5 w", "Black king where none can stand"),
        ("4k4/9/9/9/9/9/9/9/9/K8 w", "Red king where none can stand"),
        ("4k4/9/9/9/9/9/9/9/9/A2K5 w", "Red advisor where none can stand"),
        ("4k4/9/9/9/9/9/9/9/9/B2K5 w", "Red elephant where none can stand"),
        ("4k4/9/9/9/9/9/9/9/P8/3K5 w", "Red pawn where none can stand"),
        ("4k4/9/9/9/9/9/1P7/9/9/3K5 w", "Red pawn where none can stand"),
        ("4k4/9/9/9/9/9/9/RRR6/9/3K5 w", "more than 2 of Red rook"),
        ("4k4/9/9/PPPPPP3/9/9/9/9/9/3K5 w", "more than 5 of Red pawn"),
        ("4k4/9/9/9/9/9/9/9/9/3X5 w", "unknown piece 'X'"),
        ("4k4/9/9/9/9/9/9/9/9/3K5 x", "unknown side to move 'x'"),
        ("4k4/9/9/9/9/9/9/9/9/3K5 w - - soon 1", "bad counter 'soon'"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", "the game is over: e0e9 takes the king"),
        ("4k4/9/9/4R4/9/9/9/9/9/3K5 w", "e6e9 takes the king"),
    ],
)
def test_a_bad_fen_is_named(fen: str, complaint: str) -> None:
    with pytest.raises(FenError, match=complaint):
        Position(fen)


@pytest.mark.parametrize("move", [0, -1, 1 << 40, parse_move("a0a5"), parse_move("e0e9"), parse_move("b9c7")])
def test_an_illegal_move_changes_nothing(move: int) -> None:
    position = Position()
    with pytest.raises(IllegalMove):
        position.push(move)
    assert position.fen() == START_FEN
    assert position.plies == 0


def test_no_move_to_take_back() -> None:
    with pytest.raises(IndexError):
        Position().pop()


def test_mate_and_stalemate_lose() -> None:
    assert Position("3k5/3R5/9/9/9/9/9/9/9/3RK4 b").result() == "mate"
    assert Position("3k5/9/3P5/9/9/9/9/9/9/4K4 b").result() == "stalemate"


SHUFFLE = "h0g2 h9g7 g2h0 g7h9"
CHASE_OFF = "4k4/9/9/9/9/9/9/9/5R3/3K5 w"
CHECKS = "f1e1 e9f9 e1f1 f9e9"
BOTH_CHECK = "9/9/5k3/n2r5/9/5c3/5R3/3K1C1C1/5r3/3R4N w"


def test_third_repetition_is_a_draw() -> None:
    assert played(START_FEN, SHUFFLE).result() == "ongoing"
    assert played(START_FEN, SHUFFLE, SHUFFLE).result() == "repetition"
    assert played(START_FEN, SHUFFLE, SHUFFLE, "h0g2").result() == "repetition"


def test_perpetual_check_loses() -> None:
    assert played(CHASE_OFF, CHECKS).result() == "ongoing"
    assert played(CHASE_OFF, CHECKS, CHECKS).result() == "perpetual-loss"
    # The same cycle met one ply later, with the checked side to move.
    assert played(CHASE_OFF, CHECKS, CHECKS, "f1e1").result() == "perpetual-win"


def test_checks_by_both_sides_draw() -> None:
    cycle = [3872, 5033, 4126, 5287]
    position = Position(BOTH_CHECK)
    for move in cycle * 2:
        assert position.result() == "ongoing"
        position.push(move)
        assert position.checked
    assert position.result() == "repetition"


def test_one_quiet_move_in_the_cycle_is_no_perpetual_check() -> None:
    cycle = "f1e1 e9f9 e1e2 f9f8 e2f2 f8e8 f2f1 e8e9"
    position = played(CHASE_OFF, cycle, cycle)
    assert position.result() == "repetition"


def test_a_long_cycle_counts() -> None:
    cycle = "h2g2 h7g7 g2g1 g7g8 g1h1 g8h8 h1h2 h8h7"
    assert played(START_FEN, cycle).result() == "ongoing"
    assert played(START_FEN, cycle, cycle).result() == "repetition"


def test_a_capture_ends_the_count() -> None:
    other_shuffle = SHUFFLE.replace("h9g7", "b9c7").replace("g7h9", "c7b9")
    assert played(START_FEN, SHUFFLE, "h2h9 i9h9", other_shuffle).result() == "ongoing"


def test_120_plies_without_a_capture_draw() -> None:
    fen = "4k4/9/9/9/9/9/9/9/5R3/3K5 w - - 118 90"
    assert played(fen, "f1f2").result() == "ongoing"
    assert played(fen, "f1f2 e9e8").result() == "no-capture"


def test_mate_on_the_last_quiet_ply_is_mate() -> None:
    assert played("4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 119 90", "b0b9").result() == "mate"


# The outcome in the search, `ply` plies below its root


def test_in_the_tree_the_second_occurrence_counts(probe: ModuleType) -> None:
    again = played(START_FEN, SHUFFLE)
    assert [probe.outcome(again, ply) for ply in range(6)] == ["ongoing"] * 5 + ["drawn"]
    assert probe.outcome(played(START_FEN, "h2g2 h7g7 g2g1 g7g8 g1h1 g8h8 h1h2 h8h7"), 9) == "drawn"
    assert probe.outcome(played(START_FEN, SHUFFLE, SHUFFLE), 0) == "drawn"


def test_in_the_tree_perpetual_check_is_decided_at_the_third_occurrence(probe: ModuleType) -> None:
    assert probe.outcome(played(CHASE_OFF, CHECKS), 4) == "ongoing"
    assert probe.outcome(played(CHASE_OFF, CHECKS), 5) == "pending loss"
    assert probe.outcome(played(CHASE_OFF, CHECKS, "f1e1"), 5) == "pending win"
    assert probe.outcome(played(CHASE_OFF, CHECKS, CHECKS), 0) == "lost by rule"
    assert probe.outcome(played(CHASE_OFF, CHECKS, CHECKS), 9) == "lost by rule"
    assert probe.outcome(played(BOTH_CHECK, "f3d3 f4d4 d3f3 d4f4"), 5) == "drawn"


def test_no_repetition_reaches_back_over_a_pass(probe: ModuleType) -> None:
    position = played(CHASE_OFF, "f1f3")
    probe.make_null(position)
    push(position, "f3f2 e9e8 f2f1 e8e9")
    assert position.key == Position(CHASE_OFF).key
    assert probe.outcome(position, 6) == "ongoing"
    push(position, "f1f3 e9e8 f3f1 e8e9")  # after the pass they count as usual
    assert probe.outcome(position, 10) == "drawn"


def test_120_plies_without_a_capture_end_the_search_unless_mate(probe: ModuleType) -> None:
    quiet = played("4k4/9/9/9/9/9/9/9/5R3/3K5 w - - 119 90", "f1f2")
    mate = played("4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 119 90", "b0b9")
    assert (probe.outcome(quiet, 1), probe.outcome(mate, 1)) == ("drawn", "ongoing")
