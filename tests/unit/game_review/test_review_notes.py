"""What Xiangqi and Gomoku know of a recorded game before it is searched."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import pytest

from game_core.review import END_GAME, MIDDLE_GAME, OPENING, PHASES
from gomoku_protocol.game_record import GameRecord as GomokuRecord
from gomoku_protocol.game_record import Stone
from gomoku_protocol.review import open_game as open_gomoku
from ucci_engine.game_record import GameRecord
from ucci_engine.pgn import read_games
from ucci_engine.points import START_FEN, parse_move
from ucci_engine.review import open_game, opening_name

SHUFFLE = ["a0a1", "a9a8", "a1a0", "a8a9"]


def xiangqi(moves: Sequence[str], fen: str = START_FEN, rule: str | None = None, **more: Any) -> Any:
    record = GameRecord.of_line({}, fen, list(map(parse_move, moves)), **more)
    return open_game(record, argparse.Namespace(repetition_rule=rule, quiet_limit=None))


def gomoku(points: Sequence[tuple[int, int]], **more: Any) -> Any:
    first = more.get("first", 0)
    moves = tuple(Stone((first + number) % 2, x, y) for number, (x, y) in enumerate(points))
    return open_gomoku(GomokuRecord(15, 15, moves, **more), argparse.Namespace(rule=None))


def test_a_game_of_xiangqi() -> None:
    text = '[Red "A"]\n[Black "?"]\n[Event "<b>&"]\n\n1. h2e2 {good} h9g7 1-0'
    (record,) = read_games(text)
    game = open_game(record, argparse.Namespace(repetition_rule="Asian", quiet_limit="none"))
    assert game.headers == {"Red": "A", "Black": "?", "Event": "<b>&"}
    assert (game.players, game.names, game.result) == (("red", "black"), ("A", ""), "1-0")
    assert game.start == {"fen": record.fen, "rule": "Asian", "quietLimit": None}
    assert [note.comment for note in game.notes] == ["good", ""]
    assert game.notes[0].is_book and game.subject.last_turn == 2


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        ('[White "A"]\n[Black "B"]', ("A", "B")),
        ('[Red "?"]\n[White "A"]', ("A", "")),
        ('[Red "R"]\n[White "A"]', ("R", "")),
    ],
)
def test_red_may_be_called_white(tags: str, names: tuple[str, str]) -> None:
    (record,) = read_games(f"{tags}\n\n1. h2e2 h9g7 *")
    assert open_game(record, argparse.Namespace(repetition_rule=None, quiet_limit=None)).names == names


def test_no_rule_is_named_after_the_end_of_the_game() -> None:
    """The start position is there for the third time after eight plies."""
    notes = xiangqi(SHUFFLE * 4).notes
    assert [number for number, note in enumerate(notes, 1) if note.rule is not None] == [8]
    assert [note.is_over for note in notes] == [False] * 8 + [True] * 8
    notes = xiangqi([*SHUFFLE * 2, "h2e2", "h9g7"]).notes  # no position is there for the third time after these
    assert [note.is_over for note in notes] == [False] * 8 + [True] * 2


def test_black_may_begin() -> None:
    game = xiangqi(["a9a8"], START_FEN.replace(" w ", " b "))
    assert (game.players, game.opening) == (("black", "red"), "")


@pytest.mark.parametrize(
    ("moves", "name"),
    [
        ("h2e2 h9g7", "Central Cannon (中炮)"),
        ("b2e2 b9c7", "Central Cannon (中炮)"),
        ("h2e2 h7e7", "Same-Direction Cannons (顺炮)"),
        ("b2e2 b7e7", "Same-Direction Cannons (顺炮)"),
        ("h2e2 b7e7", "Opposite-Direction Cannons (列炮)"),
        ("h2e2 h9g7 h0g2 i9h9 i0h0 b9c7", "Central Cannon (中炮), Screen Horses (屏风马)"),
        ("h2e2 h9g7 h0g2 b7f7 i0h0 b9c7", "Central Cannon (中炮), Sandwiched Horses (反宫马)"),
        ("c3c4", "Pawn Opening (仙人指路)"),
        ("c0e2", "Elephant Opening (飞相局)"),
        ("b0c2", "Horse Opening (起马局)"),
        ("h2f2", "Palcorner Cannon (士角炮)"),
        ("h2d2", "Cross-Palace Cannon (过宫炮)"),
        ("a0a1", "other opening"),
        ("", ""),
    ],
)
def test_openings_of_xiangqi(moves: str, name: str) -> None:
    assert opening_name(START_FEN, tuple(moves.split())) == name


def test_the_record_may_name_the_opening() -> None:
    (record,) = read_games('[Opening "中炮过河车"]\n\n1. h2e2')
    assert open_game(record, argparse.Namespace(repetition_rule=None, quiet_limit=None)).opening == "中炮过河车"


def test_phases_of_xiangqi() -> None:
    notes = xiangqi(SHUFFLE * 6).notes
    assert [note.phase for note in notes] == [OPENING] * 20 + [MIDDLE_GAME] * 4
    assert xiangqi(["e0e1"], "3k5/9/9/9/9/9/9/9/R8/4K4 w").notes[0].phase == END_GAME
    assert PHASES == (OPENING, MIDDLE_GAME, END_GAME)


def test_forced_moves_of_xiangqi() -> None:
    """Black's king is in check, and has one square."""
    game = xiangqi(["b8b9", "d9d8"], "3k5/1R7/9/9/9/9/9/9/9/4K4 w")
    assert [note.is_forced for note in game.notes] == [False, True]


def test_after_the_book_no_move_is_one_again() -> None:
    notes = xiangqi(["a0a1", "a9a8", "a1a0", "a8a9", "h2e2"]).notes
    assert not any(note.is_book for note in notes)


@pytest.mark.parametrize(
    ("comments", "times"),
    [
        (("[%emt 0:00:05]", "thinks [%emt 1:02:03.5] long"), [5_000, 3_723_500]),
        (("[%clk 0:10:00]", "[%clk 0:10:00]", "[%clk 0:09:30]", "[%clk 0:10:05]"), [None, None, 30_000, None]),
        (("[%clk 99999:00:00]", "[%emt x]", "[%emt 0:00:5]"), [None, None, 5_000]),
    ],
)
def test_clocks_in_comments(comments: tuple[str, ...], times: list[int | None]) -> None:
    game = xiangqi(SHUFFLE[: len(comments)], comments=comments)
    assert [note.spent_ms for note in game.notes] == times


@pytest.mark.parametrize(
    ("control", "times"),
    [
        ("300+20", [None, None, 22_000, 10_000]),
        ("40/9000+30:300+20", [None, None, 22_000, 10_000]),
        ("300", [None, None, 2_000, None]),
        ("40/9000", [None, None, 2_000, None]),
        ("?", [None, None, 2_000, None]),
    ],
)
def test_a_clock_gains_the_increment(control: str, times: list[int | None]) -> None:
    clocks = ("0:05:20", "0:05:20", "0:05:18", "0:05:30")
    moves = " ".join(f"{move} {{[%clk {clock}]}}" for move, clock in zip(SHUFFLE, clocks))
    (record,) = read_games(f'[TimeControl "{control}"]\n\n1. {moves} *')
    game = open_game(record, argparse.Namespace(repetition_rule=None, quiet_limit=None))
    assert [note.spent_ms for note in game.notes] == times


def test_a_repetition_is_named() -> None:
    notes = xiangqi(SHUFFLE * 2).notes
    assert [note.rule for note in notes[:-1]] == [None] * 7
    assert notes[-1].rule._asdict() == {
        "kind": "repetition",
        "side": None,
        "text": "the position is there for the third time: a draw",
    }


CHECKS = ("9/4k4/9/9/9/9/9/9/2p6/3K1RBc1 w", ["f0e0", "e8f8", "e0f0", "f8e8"] * 2)
CHASE = ("4kab2/4a4/4b4/3RC2R1/9/9/4n4/4B4/4A4/4KAB1c w", ["h6i6", "i0h0", "i6h6", "h0i0"] * 2)


def test_a_perpetual_check_is_named_before_it_loses() -> None:
    notes = xiangqi(CHECKS[1], CHECKS[0]).notes
    second, third = notes[3].rule, notes[7].rule
    assert (second.kind, second.side) == (third.kind, third.side) == ("perpetual check", "red")
    assert second.text == (
        "Red checks with every move, and the position is there for the second time: Red loses if it comes a third time"
    )
    assert third.text == "Red checks with every move, and the position is there for the third time: Red loses"


def test_a_perpetual_chase_is_named() -> None:
    rule = xiangqi(CHASE[1], CHASE[0]).notes[7].rule
    assert (rule.kind, rule.side) == ("perpetual chase", "red")
    assert rule.text == "Red chases with every move, and the position is there for the third time: Red loses"
    drawn = xiangqi(CHASE[1], CHASE[0], "Draw").notes[7].rule
    assert (drawn.kind, drawn.side) == ("repetition", None)


def test_a_draw_by_material_is_named() -> None:
    rule = xiangqi(["e0e1"], "3k5/9/9/9/9/9/9/9/4r4/4K4 w").notes[0].rule
    assert (rule.kind, rule.side) == ("material", None)


def test_a_game_of_gomoku() -> None:
    game = gomoku([(7, 7), (8, 8), (0, 0)], names=("A\u202e<", None), outcome="black", rule=4)
    assert (game.players, game.names, game.result) == (("black", "white"), ("A\u202e<", ""), "1-0")
    assert game.headers == {"Black": "A\u202e<", "Rule": "renju"}
    assert (game.start["size"], game.start["rule"], game.start["blocked"]) == ([15, 15], "renju", [])
    assert (game.opening, game.wants_shortest) == ("indirect opening", True)
    assert [note.phase for note in game.notes] == [OPENING] * 3


def test_white_may_begin() -> None:
    game = gomoku([(7, 7)], setup=(Stone(0, 1, 1),), first=1)
    assert (game.players, game.start["black"], game.opening) == (("white", "black"), ["1,1"], "")


def test_openings_of_gomoku() -> None:
    names = [gomoku([(7, 7), second]).opening for second in ((7, 8), (6, 8), (9, 7), (8, 9))]
    assert names == ["direct opening", "indirect opening", "other opening", "other opening"]


def test_the_only_defence_of_gomoku_is_forced() -> None:
    """Black has a four that is closed at one end; an open four, which cannot be stopped, is no forced move."""
    four = [(3, 0), (3, 5), (4, 0), (4, 5), (5, 0), (2, 0), (6, 0), (7, 0)]
    assert [note.is_forced for note in gomoku(four).notes] == [False] * 7 + [True]
    elsewhere = [*four[:7], (9, 9)]
    assert not gomoku(elsewhere).notes[7].is_forced
    open_four = [(3, 1), (3, 5), (4, 1), (4, 5), (5, 1), (9, 9), (6, 1), (7, 1)]
    assert not gomoku(open_four).notes[7].is_forced
    own_five = [(3, 0), (3, 5), (4, 0), (4, 5), (5, 0), (5, 5), (9, 9), (6, 5), (6, 0), (7, 0)]
    assert not gomoku(own_five).notes[9].is_forced
