"""SGF files in the charsets of the field, and files with another game's number."""

from __future__ import annotations

from pathlib import Path

import pytest

from gomoku_protocol.game_record import GameRecord, RecordError
from gomoku_protocol.points import RENJU
from gomoku_protocol.sgf import parse, serialise
from gomoku_protocol.sgf_text import codec_of

FIELD = Path(__file__).parents[2] / "data" / "field" / "gomoku"
MOVES = ";B[hh];W[ih];B[gg]"


def sgf(name: str, encoding: str, charset: str | None, after: bool = False) -> bytes:
    """A game of the player `name`. `after`: CA comes after the name."""
    properties = [f"PB[{name}]", "" if charset is None else f"CA[{charset}]"]
    return f"(;FF[4]GM[4]SZ[15]{''.join(properties[:: 1 if after else -1])}{MOVES})".encode(encoding)


def points(record: GameRecord) -> list[tuple[int, int, int]]:
    return [(stone.side, stone.x, stone.y) for stone in record.moves]


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("sjis.sgf", ("黒番の人", "白番の人")),
        ("latin1.sgf", ("Señor Müller", "x")),
        ("sjis-second-byte-5c.sgf", ("十", None)),
    ],
)
def test_files_from_the_field(file: str, names: tuple[str, str | None]) -> None:
    record = parse((FIELD / file).read_bytes())
    assert (record.names, record.remarks) == (names, ())
    assert points(record)[:2] == [(0, 7, 7), (1, 8, 7)]
    assert len(record.moves) == (3 if "5c" in file else 2)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("encoding", "charset", "name"),
    [
        ("cp932", "Shift_JIS", "十ソ能表"),  # second bytes 5C
        ("cp932", "x-sjis", "十"),
        ("cp932", "SJIS", "番"),
        ("cp932", "windows-31J", "髙①"),
        ("gb18030", "gb2312", "甛燶"),  # 5C in GBK, which GB2312 has not
        ("gbk", "GBK", "乗俓"),
        ("gb18030", "GB18030", "𠀀"),
        ("cp950", "Big5", "許功蓋"),  # 5C
        ("big5hkscs", "big5", "嘅"),
        ("big5hkscs", "Big5-HKSCS", "嘅"),
        ("cp949", "EUC-KR", "똠방각하"),
        ("euc_kr", "ks_c_5601-1987", "김"),
        ("euc_jp", "EUC-JP", "黒番"),
        ("iso2022_jp", "ISO-2022-JP", "黒番"),
        ("latin-1", "ISO-8859-1", "Señor"),
        ("latin-1", " iso8859_1 ", "Müller"),
        ("cp1252", "windows-1252", "Zoë “x”"),
        ("cp1252", "latin1", "€"),
        ("cp1251", "windows-1251", "Иван"),
        ("koi8_r", "KOI8-R", "Иван"),
        ("iso8859_2", "ISO-8859-2", "Łukasz"),
        ("utf-8", "utf8", "黒番"),
        ("utf-8", "UTF-8", "黒番"),
    ],
)
def test_charsets(encoding: str, charset: str, name: str, after: bool) -> None:
    record = parse(sgf(name, encoding, charset, after))
    assert (record.names[0], record.remarks) == (name, ())
    assert points(record) == [(0, 7, 7), (1, 8, 7), (0, 6, 6)]
    assert parse(serialise(record)).names == record.names


def test_a_second_byte_5d_does_not_end_a_name() -> None:
    for encoding, charset in (("cp932", "Shift_JIS"), ("gbk", "gbk"), ("cp950", "Big5")):
        characters = [
            character
            for code in range(0x4E00, 0x9FA6)
            if (character := chr(code)).encode(encoding, "ignore")[1:] in (b"\\", b"]", b"[")
        ][:40]
        assert len(characters) == 40
        record = parse(sgf("".join(characters), encoding, charset))
        assert (record.names[0], len(record.moves), record.remarks) == ("".join(characters), 3, ())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("charset", [None, "UTF-8", "gb2312"])
def test_a_byte_order_mark_decides(encoding: str, charset: str | None) -> None:
    record = parse(sgf("黒番", encoding, charset))
    assert (record.names[0], len(record.moves), record.remarks) == ("黒番", 3, ())


@pytest.mark.parametrize(
    ("encoding", "charset", "remark"),
    [
        ("utf-8", None, "no property CA names the charset; read as UTF-8"),
        ("gb18030", None, "no property CA names the charset; read as GB18030"),
        ("utf-8", "klingon", "CA[klingon] is no known charset; read as UTF-8"),
        ("gbk", "rot13", "CA[rot13] is no known charset; read as GB18030"),
        ("gbk", "UTF-8", "CA[UTF-8], but not all bytes are; read as GB18030"),
    ],
)
def test_without_a_known_charset(encoding: str, charset: str | None, remark: str) -> None:
    record = parse(sgf("黑番", encoding, charset))
    assert (record.names[0], len(record.moves), record.remarks) == ("黑番", 3, (remark,))


def test_plain_text_without_a_charset_needs_no_remark() -> None:
    assert parse(sgf("one", "ascii", None)).remarks == ()
    assert parse(sgf("one", "ascii", "klingon")).remarks == ("CA[klingon] is no known charset; read as UTF-8",)


def test_bytes_that_are_no_text() -> None:
    record = parse(b"(;GM[4]CA[Shift_JIS]PB[\x83\xff]" + MOVES.encode() + b")")
    assert "U+FFFD" in record.remarks[0] and len(record.moves) == 3
    record = parse(b"(;GM[4]PB[\xff\xff]" + MOVES.encode() + b")")
    assert "U+FFFD" in record.remarks[0] and len(record.moves) == 3


def test_a_charset_in_a_comment_is_none() -> None:
    text = f"(;GM[4]C[not CA[gb2312\\]]PB[黒番]{MOVES};C[x]CA[gb2312])"
    assert parse(text.encode()).names[0] == "黒番"


def test_codecs_that_are_no_charsets() -> None:
    for name in (
        "hex",
        "base64",
        "zip",
        "rot13",
        "punycode",
        "idna",
        "unicode_escape",
        "raw-unicode-escape",
        "utf-7",
        "x",
        "",
    ):
        assert codec_of(name) is None, name


# Other games' numbers


def game(properties: str, moves: str = ";B[hh];W[ih];B[gi]", number: str = "1") -> bytes:
    return f"(;GM[{number}]FF[4]{properties}{moves})".encode()


def test_gm1_from_the_field() -> None:
    record = parse((FIELD / "gm1.sgf").read_bytes())
    assert (len(record.moves), record.outcome, record.names) == (3, "black", ("a", "b"))
    assert record.remarks == ("GM[1] is Go, but nothing in it contradicts Gomoku: read as Gomoku",)


@pytest.mark.parametrize(
    ("properties", "moves", "number"),
    [
        ("SZ[15]", ";B[hh];W[ih]", "1"),
        ("SZ[22]", ";B[vv];W[ih]", "1"),
        ("", ";B[hh];W[ih]", "2"),
        ("SZ[19]", ";B[tt];W[ih]", "11") if False else ("SZ[19]", ";B[ss];W[ih]", "11"),
        ("SZ[15]AB[hh]", ";W[ih]", "01"),
        ("SZ[15]", ";B[aa];W[ba];B[bb];W[oo];B[ca]", "4"),  # a capture in Go, but the number is Gomoku's
    ],
)
def test_read_as_gomoku(properties: str, moves: str, number: str) -> None:
    record = parse(game(properties, moves, number))
    assert record.moves
    assert len(record.remarks) == (number != "4")


@pytest.mark.parametrize(
    ("properties", "moves", "fault"),
    [
        ("SZ[15]KM[6.5]", "", r"KM\[6.5\]"),
        ("SZ[15]HA[2]AB[dd][jj]", ";W[aa]", r"HA\[2\]"),
        ("SZ[15]RU[Japanese]", ";B[aa]", r"RU\[Japanese\]"),
        ("SZ[15]", ";B[aa];W[];B[bb]", "move 2 is a pass"),
        ("SZ[19]", ";B[aa];W[tt];B[bb]", "move 2 is a pass"),
        ("SZ[15]", ";B[ba];W[aa];B[ab];W[cc]", "move 3 takes stones"),
        ("SZ[15]AW[hh]AB[gh][ih][hg]", ";B[hi]", "move 1 takes stones"),
        ("SZ[15]", ";B[aa];W[bb];TB[cc]TW[dd]", r"TB\[cc\]"),
        ("SZ[23]", ";B[aa]", "a board of 23x23"),
    ],
)
def test_what_contradicts_gomoku(properties: str, moves: str, fault: str) -> None:
    with pytest.raises(RecordError, match=fault):
        parse(game(properties, moves))


@pytest.mark.parametrize("number", ["3", "7", "x", ""])
def test_other_games_are_refused(number: str) -> None:
    with pytest.raises(RecordError, match="is not Gomoku, GM"):
        parse(game("SZ[15]", number=number))
    assert parse(game("SZ[15]", number=number), rule="renju").rule == RENJU


def test_a_rule_forces_a_file() -> None:
    record = parse(game("SZ[15]KM[6.5]RU[Japanese]", ";B[ba];W[aa];B[ab];W[cc]"), rule="renju")
    assert (len(record.moves), record.rule, record.remarks) == (4, RENJU, ())
    with pytest.raises(RecordError, match="no point"):
        parse(game("SZ[15]", ";B[aa];W[];B[bb]"), rule="renju")
