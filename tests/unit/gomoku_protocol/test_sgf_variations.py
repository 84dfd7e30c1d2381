"""Variations of SGF: read, written, and what is wrong in them."""

from __future__ import annotations

import random

import pytest
from sgfmill import sgf  # type: ignore[import-untyped]

from game_core.session import SideLine
from gomoku_protocol.game_record import GameRecord, RecordError, Stone
from gomoku_protocol.points import move_at, point_text
from gomoku_protocol.records import parse_record, serialise_record

TREE = b"""(;GM[4]SZ[15];B[hh](;W[hi];B[ih](;W[ii])(;W[jj]C[other \\] side]))
(;W[gg]C[first
line](;B[ff];W[ee])(;B[gh]))(;C[a word];W[aa]))"""


def test_variations_are_read() -> None:
    record = parse_record(TREE, "sgf")
    assert [(stone.x, stone.y) for stone in record.moves] == [(7, 7), (7, 8), (8, 7), (8, 8)]
    first = SideLine("6,6", "first\nline", [SideLine("5,5", "", [SideLine("4,4", "", [])]), SideLine("6,7", "", [])])
    assert record.side_lines == {1: [first, SideLine("0,0", "", [])], 3: [SideLine("9,9", "other ] side", [])]}
    assert record.remarks == ()


def test_variations_are_written_as_another_reader_sees_them() -> None:
    game = sgf.Sgf_game.from_bytes(serialise_record(parse_record(TREE, "sgf"), "sgf"))
    main = game.get_main_sequence()
    assert [node.get_raw_move()[1] for node in main[1:]] == [b"hh", b"hi", b"ih", b"ii"]
    assert [node.get_raw_move()[1] for node in main[1]] == [b"hi", b"gg", b"aa"]
    assert [node.get_raw_move()[1] for node in main[1][1]] == [b"ff", b"gh"]
    assert main[3][1].get("C") == "other ] side"


def test_random_trees_come_back() -> None:
    chance = random.Random(4)
    for _ in range(40):
        moves = [point_text(move_at(x, y)) for x in range(15) for y in range(15)]
        chance.shuffle(moves)
        texts = ["", "", "a ] b \\", "第一"]
        game = []
        for ply, move in enumerate(moves[: chance.randint(1, 30)]):
            x, y = map(int, move.split(","))
            game.append(Stone(ply % 2, x, y, comment=chance.choice(texts)))
        lines: dict[int, list[SideLine]] = {}
        for _ in range(chance.randint(0, 12)):
            place = lines.setdefault(chance.randrange(len(game)), [])
            free = chance.sample(moves[len(game) :], 40)
            for move in free[: chance.randint(1, 40)]:
                place.append(SideLine(move, chance.choice(texts), []))
                place = chance.choice([place[-1].next, place[-1].next, place])
        lines = {ply: each for ply, each in lines.items() if not has_twins(each)}
        record = GameRecord(15, 15, tuple(game), side_lines=lines, comment=chance.choice(texts))
        assert parse_record(serialise_record(record, "sgf"), "sgf") == record


def has_twins(lines: list[SideLine]) -> bool:
    """Whether a point is named twice on the way to a move."""
    waiting: list[tuple[SideLine, tuple[str, ...]]] = [(line, ()) for line in lines]
    while waiting:
        line, before = waiting.pop()
        if line.move in before:
            return True
        waiting += [(each, (*before, line.move)) for each in line.next]
    return False


@pytest.mark.parametrize(
    "variation",
    [
        ";B[ii]",  # out of turn
        ";W[hh]",  # not free
        ";W[zz]",  # off the board
        ";W[h]",
        ";W[ii]B[jj]",
        ";AB[ii]",
        ";W[ii]AE[hh]",
        ";W[ii];B[ii]",
    ],
)
def test_what_is_no_move_is_left_out_with_what_follows(variation: str) -> None:
    record = parse_record(f"(;GM[4];B[hh](;W[gg];B[ff])({variation};B[ee];W[dd]))".encode(), "sgf")
    assert len(record.moves) == 3
    assert record.side_lines == ({1: [SideLine("8,8", "", [])]} if variation == ";W[ii];B[ii]" else {})
    assert record.remarks == ("1 variation is left out: no moves of Gomoku",)


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        ("(;W[gg])(;W[ii]", "unexpected end of SGF data"),
        ("(;W[gg])(W[ii]))", "property value outside a node"),
        ("(;W[gg])(;W))", "property with no values"),
        ("(;W[gg])())", "empty sequence"),
        ("(;W[gg])(;W[ii])!)", "not SGF from '!)' on"),
    ],
)
def test_a_damaged_variation_is_one_line(tail: str, reason: str) -> None:
    with pytest.raises(RecordError, match=r"^[^\n]*$") as raised:
        parse_record(f"(;GM[4];B[hh]{tail}".encode(), "sgf")
    assert reason in str(raised.value)


def test_long_variations_take_no_longer_than_their_length() -> None:
    """One that fills the board, and more of them than are kept."""
    points = [f"{column}{row}" for column in "abcdefghijklmnopqrs" for row in "abcdefghijklmnopqrs"]
    long = "".join(f";{'BW'[ply % 2]}[{point}]" for ply, point in enumerate(points))
    record = parse_record(f"(;GM[4]SZ[19](;B[ss])({long})".encode() + b"(;B[aa])" * 20_000 + b")", "sgf")
    assert len(record.side_lines[0]) == 10_000 - 361 + 1
    assert record.remarks == ("only the first 10,000 moves of the variations are read",)
