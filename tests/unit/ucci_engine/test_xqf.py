"""XQF files: written and read again, also in the later versions, which are made here from their description."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers.xiangqi_trees import outline, random_tree
from ucci_engine.game_record import RESULTS, GameRecord, RecordError
from ucci_engine.pgn import read_games
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.xqf import parse, serialise

FENS = [
    START_FEN,
    "3k5/4P4/4P4/4P4/4P4/9/9/9/9/5K3 w - - 0 1",
    "4k4/9/9/9/9/6p2/2p3p2/2p3p2/9/3K5 b - - 0 1",
    "2bak4/4a4/4b4/9/9/9/9/9/4R4/4K4 b - - 0 1",
]
TAGS = {"Title": "炮二平五", "Event": "e", "Date": "2001.04.16", "Red": "甲", "Black": "乙", "Author": "我"}


def later(data: bytes, version: int, seed: int) -> bytes:
    """A file of version 1.0 as a later version has it, with keys at random."""
    lottery = random.Random(seed)
    mask, total, xy, f, t = (lottery.randrange(1, 256) for _ in range(5))
    fixed = [lottery.randrange(256) for _ in range(4)]

    def g(b: int) -> int:
        return (((b * b * 3 + 9) * 3 + 8) * 2 + 1) * 3 + 8

    x_key = g(xy) * xy % 256
    f_key = g(f) * x_key % 256
    t_key = g(t) * f_key % 256
    plus = (total * 256 + xy) % 32000 + 767
    words = [(byte & mask) | bits for byte, bits in zip((total, xy, f, t), fixed, strict=True)]
    key = [letter & words[at % 4] for at, letter in enumerate(b"[(C) Copyright Mr. Dong Shiwei.]")]
    header = bytearray(data[:0x400])
    header[2:0x10] = bytes([version, mask, 0, 0, 0, 0, *fixed, total, xy, f, t])
    for slot in range(32):
        index = (slot - x_key - 1) % 32 if version >= 12 else slot
        header[0x10 + index] = (data[0x10 + slot] + x_key) % 256 if data[0x10 + slot] < 90 else (255 + x_key) % 256
    stream = bytearray()
    at = 0x400
    while at < len(data):
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        flags = (data[at + 2] & 0x80) | (data[at + 2] & 1) << 6 | (0x20 if length else 0)
        stream += bytes([(data[at] + f_key) % 256, (data[at + 1] + t_key) % 256, flags, lottery.randrange(256)])
        if length:
            stream += (length + plus).to_bytes(4, "little") + data[at + 8 : at + 8 + length]
        at += 8 + length
    return bytes(header) + bytes((byte + key[at % 32]) % 256 for at, byte in enumerate(stream))


def test_layout_of_a_small_file() -> None:
    moves = [parse_move("h2e2"), parse_move("h9g7")]
    data = serialise(GameRecord.of_line(TAGS, START_FEN, moves, ("", "好"), "1/2-1/2"))
    squares = "80 70 60 50 40 30 20 10 0 72 12 83 63 43 23 3 9 19 29 39 49 59 69 79 89 17 77 6 26 46 66 86"
    assert data[:16] == b"XQ\x0a" + bytes(13)
    assert data[0x10:0x30] == bytes(map(int, squares.split()))
    assert data[0x33] == 3
    assert data[0x50:0x5A] == b"\x08" + "炮二平五".encode("gb18030") + b"\0"
    assert data[0x130:0x134] == b"\x02" + "甲".encode("gb18030") + b"\0"
    assert data[0x400:].hex(" ") == (
        "18 20 f0 ff 00 00 00 00 60 4a f0 00 00 00 00 00 67 63 00 00 02 00 00 00 " + "好".encode("gb18030").hex(" ")
    )
    game = parse(data)
    assert (game.tags, game.fen, game.moves, game.comments) == (TAGS, START_FEN, tuple(moves), ("", "好"))
    assert (game.result, game.line) == ("1/2-1/2", 0)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(FENS), st.sampled_from([10, 11, 12, 13, 18]))
def test_trees_come_back_in_every_version(seed: int, fen: str, version: int) -> None:
    lottery = random.Random(seed)
    tree = random_tree(lottery, fen, lottery.randrange(1, 50))
    tree.tags = TAGS
    data = serialise(tree)
    again = parse(data if version == 10 else later(data, version, seed))
    assert outline(again) == outline(tree)
    assert (again.tags, again.fen, again.result) == (TAGS, tree.fen, tree.result)


def test_a_game_without_moves() -> None:
    only_black = "4k4/9/9/9/9/9/9/9/4R4/3K5 b - - 0 1"  # whose king is in check
    for fen in (FENS[1], FENS[2], only_black):
        for result in RESULTS:
            game = parse(serialise(GameRecord.of_line({}, fen, (), result=result)))
            assert (game.fen, game.moves, game.result, game.tags) == (fen, (), result, {})


def test_the_side_to_move_is_red_unless_the_file_says_otherwise() -> None:
    data = bytearray(serialise(GameRecord.of_line({}, FENS[2], ())))
    assert data[0x32] == 1
    data[0x32] = 0
    assert parse(bytes(data)).fen.split()[1] == "w"
    checked = bytearray(serialise(GameRecord.of_line({}, "3k5/9/9/9/9/9/9/9/4r4/4K4 w - - 0 1", ())))
    checked[0x32] = 1  # Black could take the king
    assert parse(bytes(checked)).fen.split()[1] == "w"
    moved = bytearray(serialise(GameRecord.of_line({}, START_FEN, (parse_move("h2e2"),))))
    moved[0x32] = 1  # the first move knows better
    assert parse(bytes(moved)).fen == START_FEN


def test_a_long_game_with_a_variation_at_every_move() -> None:
    (game,) = read_games(" ".join(["h0g2 (h2e2) h9g7 (h7e7) g2h0 (h2e2) g7h9 (h7e7)"] * 1500))
    assert outline(parse(serialise(game))) == outline(game)


@pytest.mark.parametrize(
    ("fen", "tags", "message"),
    [
        (START_FEN, {"Red": "一二三四五六七八"}, "XQF holds 15 bytes of the tag Red, which has 16"),
        (START_FEN, {"Event": "\ud800"}, "no text"),
        ("4k4/9/9/9/4R4/4R4/4R4/9/9/3K5 w - - 0 1", {}, "XQF has room for 2 pieces 'R', not for 3"),
    ],
)
def test_what_the_format_cannot_hold(fen: str, tags: dict[str, str], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        serialise(GameRecord.of_line(tags, fen, ()))


def test_long_texts_are_cut_at_a_character() -> None:
    data = serialise(GameRecord.of_line({"Red": "一二三四五六七八"}, START_FEN, ()), shorten=True)
    assert parse(data).tags == {"Red": "一二三四五六七"}


SMALL = serialise(GameRecord.of_line(TAGS, START_FEN, [parse_move("h2e2"), parse_move("h9g7")], ("", "好"), "1-0"))


def changed(at: int, *values: int) -> bytes:
    return SMALL[:at] + bytes(values) + SMALL[at + len(values) :]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "offset 0x0: an XQF file begins with 'XQ'"),
        (SMALL[:0x3FF], "offset 0x3ff: the file ends in the header"),
        (SMALL[:0x405], "offset 0x400: the file ends within a move"),
        (SMALL[:0x408], "offset 0x408: the file ends before the last move"),
        (SMALL[:-1], "offset 0x410: a comment of 2 bytes does not fit"),
        (changed(0x404, 255, 255, 255, 255), "offset 0x400: a comment of 4294967295 bytes"),
        (changed(0x408, 0x18), "offset 0x408: move 1, a0e2, is not legal"),
        (changed(0x409, 0), "offset 0x408: move 1 is not on the board"),
        (changed(0x10, 70), "offset 0x11: two pieces are on one square"),
        (changed(0x14, 255), "offset 0x10: the start position: FEN has no Red king"),
        (changed(2, 0x12), "offset 0x"),
    ],
)
def test_faults_name_the_offset(data: bytes, message: str) -> None:
    with pytest.raises(RecordError, match=message) as fault:
        parse(data)
    assert len(str(fault.value).splitlines()) == 1


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32), st.integers(0, 12), st.sampled_from([10, 18]), st.booleans())
@example(0, 0, 10, True)
def test_any_bytes_are_read_or_refused(seed: int, changes: int, version: int, is_cut: bool) -> None:
    lottery = random.Random(seed)
    tree = random_tree(lottery, START_FEN, 12)
    data = bytearray(serialise(tree))
    if version > 10:
        data = bytearray(later(bytes(data), version, seed))
    for _ in range(changes):
        data[lottery.choice([lottery.randrange(0x50), lottery.randrange(0x400, len(data))])] = lottery.randrange(256)
    if is_cut:
        del data[lottery.randrange(len(data)) :]
    try:
        game = parse(bytes(data))
    except RecordError as fault:
        assert str(fault).startswith("offset 0x") and len(str(fault).splitlines()) == 1
        return
    assert [len(move_text(node.move)) for _, node in game.walk()] == [4] * len(list(game.walk()))
    assert outline(parse(serialise(game, shorten=True))) == outline(game)
