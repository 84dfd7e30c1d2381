"""CBR and CBL files, made here from their description."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.xiangqi_trees import outline, random_tree
from ucci_engine.ccbridge import parse_game, read_library
from ucci_engine.game_record import GameRecord, Node, RecordError
from ucci_engine.points import START_FEN, parse_move

FENS = [
    START_FEN,
    "3k5/4P4/4P4/4P4/4P4/9/9/9/9/5K3 w - - 0 1",
    "4k4/9/9/9/9/6p2/2p3p2/2p3p2/9/3K5 b - - 0 1",
]
RESULTS = {"*": 0, "1-0": 1, "0-1": 2, "1/2-1/2": 3}
FIRST_GAME = 101_952


def texts(text: str) -> bytes:
    return text.encode("utf-16-le")


def cbr(game: GameRecord) -> bytes:
    data = bytearray(2214)
    data[:16] = b"CCBridge Record\0"
    for at, name in ((180, "Title"), (692, "Event"), (1076, "Red"), (1300, "Black")):
        text = texts(game.tags.get(name, "") + "\0乱")
        data[at : at + len(text)] = text
    data[2076] = RESULTS[game.result]
    data[2112:2114] = len(game.moves).to_bytes(2, "little")
    placement, side = game.fen.split()[:2]
    data[2116] = 1 if side == "w" else 2
    at = 2120
    for letter in placement.replace("/", ""):
        if letter.isdecimal():
            at += int(letter)
        else:
            data[at] = (0x11 if letter.isupper() else 0x21) + "RNBAKCP".index(letter.upper())
            at += 1
    comment = texts(game.root.comment)
    data += (1).to_bytes(4, "little") + len(comment).to_bytes(4, "little") + comment if comment else bytes(4)
    last = {game.root.next[-1]} if game.root.next else set[Node]()
    for _, node in game.walk():
        comment = texts(node.comment)
        flags = (not node.next) | (node not in last) << 1 | bool(comment) << 2
        origin, target = (((9 - square // 9) * 9 + square % 9) for square in (node.move & 127, node.move >> 7))
        data += bytes([flags, 0, origin, target])
        if comment:
            data += len(comment).to_bytes(4, "little") + comment
        if node.next:
            last.add(node.next[-1])
    return bytes(data if game.root.next else data + bytes(4))


def cbl(*games: bytes) -> bytes:
    data = bytearray(FIRST_GAME)
    data[:16] = b"CCBridgeLibrary\0"
    data[60:64] = (128).to_bytes(4, "little")
    for game in games:
        data += game + bytes(-len(game) % 4096)
    return bytes(data)


TAGS = {"Title": "第一局", "Event": "e", "Red": "甲", "Black": "乙"}


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(FENS))
def test_trees_are_read(seed: int, fen: str) -> None:
    lottery = random.Random(seed)
    tree = random_tree(lottery, fen, lottery.randrange(50))
    tree.tags = TAGS
    game = parse_game(cbr(tree))
    assert outline(game) == outline(tree)
    assert (game.tags, game.fen, game.result, game.line) == (TAGS, fen, tree.result, 0)


def test_a_library() -> None:
    lottery = random.Random(1)
    trees = [random_tree(lottery, fen, nodes) for fen in FENS for nodes in (0, 5, 900)]
    files = [cbr(tree) for tree in trees]
    assert max(map(len, files)) > 2 * 4096
    heading = bytearray(cbr(GameRecord.of_line({"Title": "第一章"}, START_FEN, ())))
    heading[2120:2210] = bytes(90)
    games = list(read_library(cbl(bytes(heading), *files)))
    assert [outline(game) for game in games] == [outline(tree) for tree in trees]
    assert list(read_library(cbl())) == []


SMALL = cbr(GameRecord.of_line(TAGS, START_FEN, [parse_move("h2e2"), parse_move("h9g7")], ("", "好")))


def changed(at: int, *values: int) -> bytes:
    return SMALL[:at] + bytes(values) + SMALL[at + len(values) :]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"XQ", "offset 0x0: a CBR file begins with"),
        (SMALL[:2217], "offset 0x8a9: the file ends in the header of a game"),
        (SMALL[:2220], "offset 0x8aa: the game ends before its last move"),
        (SMALL[:-1], "offset 0x8b2: a comment of 2 bytes does not fit into the game"),
        (changed(2118 + 2, 0x31), "offset 0x848: 0x31 is no piece"),
        (changed(2124, 0), "offset 0x848: the start position: FEN has no Black king"),
        (changed(2220, 90), "offset 0x8aa: move 1 is not on the board"),
        (changed(2221, 90), "offset 0x8aa: move 1 is not on the board"),
        (changed(2224, 0), "offset 0x8ae: move 2, a9g7, is not legal"),
    ],
)
def test_faults_name_the_offset(data: bytes, message: str) -> None:
    with pytest.raises(RecordError, match=message) as fault:
        parse_game(data)
    assert len(str(fault.value).splitlines()) == 1


def test_a_bad_game_of_a_library_is_named_and_the_next_one_is_read() -> None:
    games = read_library(cbl(SMALL, changed(2224, 0), SMALL))
    next(games)
    with pytest.raises(RecordError, match="game 2: offset 0x1a6ee: move 2, a9g7, is not legal"):
        next(games)
    assert len(next(games).moves) == 2
    with pytest.raises(RecordError, match="offset 0x0: a CBL file begins with"):
        read_library(SMALL)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32), st.integers(1, 12), st.booleans())
def test_any_bytes_are_read_or_refused(seed: int, changes: int, is_cut: bool) -> None:
    lottery = random.Random(seed)
    data = bytearray(cbl(cbr(random_tree(lottery, START_FEN, 12)), SMALL))
    for _ in range(changes):
        data[FIRST_GAME + lottery.choice([lottery.randrange(16), lottery.randrange(2112, 2700)])] = lottery.randrange(
            256
        )
    if is_cut:
        del data[lottery.randrange(FIRST_GAME, len(data)) :]
    try:
        games = read_library(bytes(data))
        list(games)
    except RecordError as fault:
        assert str(fault).startswith("game ") and len(str(fault).splitlines()) == 1
