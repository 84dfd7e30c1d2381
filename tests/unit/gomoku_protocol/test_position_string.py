"""Position strings, as gomocalc writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gomoku_protocol.game_record import GameRecord, RecordError, Stone
from gomoku_protocol.position_string import parse, serialise
from gomoku_protocol.records import parse_record

FIELD = Path(__file__).parents[2] / "data" / "field" / "gomoku"


def points(record: GameRecord) -> str:
    return " ".join(f"{stone.x},{stone.y}" for stone in record.moves)


def test_a_string_from_the_field() -> None:
    record = parse_record((FIELD / "position-string.txt").read_bytes(), "hex")  # the format of the suffix .txt
    assert (record.width, record.height, len(record.moves), record.remarks) == (15, 15, 10, ())
    assert points(record) == "7,7 6,9 5,9 6,10 5,8 6,11 7,8 6,12 6,13 0,14"
    assert [stone.side for stone in record.moves] == [0, 1] * 5


@pytest.mark.parametrize(
    "text",
    ["h8i9", "H8I9", " h8 i9\n", "h8, i9", "h8_i9", "h8-i9", "h8\r\ni9", "h8i9 ;", "\ufeffh8i9"],
)
def test_spellings(text: str) -> None:
    assert points(parse(text.encode())) == points(parse_record(text.encode(), "hex")) == "7,7 8,6"


def test_no_letter_is_left_out_and_rows_have_two_digits() -> None:
    assert points(parse(b"i1j1o15h10a11")) == "8,14 9,14 14,0 7,5 0,4"


@pytest.mark.parametrize(
    ("text", "size"), [("o15", 15), ("p1", 19), ("a16", 19), ("s19", 19), ("t1", 20), ("a21", 22), ("v22", 22)]
)
def test_the_board_is_the_smallest_usual_one(text: str, size: int) -> None:
    record = parse(text.encode())
    assert (record.width, record.height) == (size, size)
    assert bool(record.remarks) == (size > 15)


def test_a_given_size() -> None:
    record = parse(b"h8a20", size="20")
    assert (record.width, points(record), record.remarks) == (20, "7,12 0,0", ())
    with pytest.raises(RecordError, match="h8 is not on the board of 7x7"):
        parse(b"h8", size="7")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("h8i9h8", "h8 is a point that has a stone"),
        ("h8i", "stone 2: expected a point as in h8i9, got 'i'"),
        ("h8w1", "stone 2"),
        ("h0", "stone 1"),
        ("h23", "stone 1"),
        ("h123", "stone 1"),
        ("h8?i9", "stone 2"),
    ],
)
def test_faults_name_the_stone(text: str, fault: str) -> None:
    with pytest.raises(RecordError, match=fault):
        parse(text.encode())


def test_what_hexadecimal_says_stays_hexadecimal() -> None:
    assert points(parse_record(b"a12 b11", "hex")) == "9,0 10,0"
    assert points(parse_record(b"a12 b11", "pos")) == "0,3 1,4"


def test_written_and_read_again() -> None:
    assert serialise(parse(b"H8 i9 o15")) == b"h8i9o15\n"
    larger = GameRecord(20, 20, (Stone(0, 7, 7), Stone(1, 8, 8)))
    with pytest.raises(RecordError, match="does not say that the board is 20x20"):
        serialise(larger)
    assert points(parse(serialise(GameRecord(20, 20, (Stone(0, 19, 0),))))) == "19,0"
