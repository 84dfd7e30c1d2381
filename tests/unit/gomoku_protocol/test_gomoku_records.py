"""Gomoku records: psq, SGF and hexadecimal, read and written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sgfmill import sgf  # type: ignore[import-untyped]

from gomoku_protocol.game_record import BLACK, WHITE, GameRecord, Outcome, RecordError, Stone, clean_name
from gomoku_protocol.points import RENJU, RULES
from gomoku_protocol.records import FORMATS, format_of, parse_record, serialise_record

# As Piskvork's `savePsq` writes a tournament game; the second player began.
PSQ = b"""Piskvorky 15x12, 11:0, 1
8,8,1203
9,9,846
1,12,0
pbrain-one.exe
homo-2
0
"""

# Like c-gomoku-cli's SGF.
SGF = b"""(;FF[4]GM[4]GN[1]EV[one x two]RU[4]SZ[15]PB[one]PW[two \\] \\\\]RE[B+1]TE[Black win by five connection]
;B[hh]C[opening move];W[hi]C[12ms](;B[ih])(;B[aa];W[bb])
)
"""


def stones(*points: tuple[int, int]) -> tuple[Stone, ...]:
    return tuple(Stone(number % 2, x, y) for number, (x, y) in enumerate(points))


def test_psq_of_a_tournament() -> None:
    record = parse_record(PSQ, "psq")
    assert (record.width, record.height, record.rule, record.outcome) == (15, 12, None, None)
    assert record.moves == (Stone(BLACK, 7, 7, 1203), Stone(WHITE, 8, 8, 846), Stone(BLACK, 0, 11, 0))
    assert record.names == (None, "pbrain-one.exe")


@pytest.mark.parametrize("tail", ["-1\n", "", "a\nb\n", "a\nb\n15\n\n", "a\nb\n-1\n0,Freestyle15_1\n"])
def test_psq_may_end_with_or_without_names(tail: str) -> None:
    text = "Piskvorky 20x20, 0:0, 0\r\n1,1\r\n2, 2, 5\r\n" + tail
    record = parse_record(text.encode(), "psq")
    assert record.moves == (Stone(BLACK, 0, 0), Stone(WHITE, 1, 1, 5))
    assert record.names == (("a", "b") if "a" in tail else (None, None))


def test_times_that_are_not_known_stay_so_in_psq() -> None:
    record = parse_record(b"(;GM[4]SZ[15];B[hh];W[ii])", "sgf")
    assert parse_record(serialise_record(record, "psq"), "psq").moves == record.moves
    timed = parse_record(b"Piskvorky 15x15, 0:0, 0\n8,8,0\n9,9,1\n", "psq")
    assert [stone.ms for stone in timed.moves] == [0, 1]


def test_psq_is_written_as_piskvork_and_gomocup_read_it() -> None:
    record = GameRecord(15, 12, (Stone(BLACK, 7, 7, 90), Stone(WHITE, 0, 11)), names=("one", None))
    expected = b"Piskvorky 15x12, 11:0, 0\n8,8,90\n1,12,0\none\nhomo-2\n-1\n"
    assert serialise_record(record, "psq") == expected


def test_sgf_of_a_match_is_read_along_its_main_line() -> None:
    record = parse_record(SGF, "sgf")
    assert (record.width, record.height, record.rule, record.outcome) == (15, 15, RENJU, "black")
    assert tuple(replace(stone, comment="") for stone in record.moves) == stones((7, 7), (7, 8), (8, 7))
    assert [stone.comment for stone in record.moves[:2]] == ["opening move", "12ms"]
    assert record.names == ("one", "two ] \\")


def test_sgf_as_another_reader_sees_it() -> None:
    record = GameRecord(
        15, 15, stones((7, 7), (6, 8)), setup=(Stone(BLACK, 0, 0), Stone(WHITE, 14, 0)), outcome="black"
    )
    game = sgf.Sgf_game.from_bytes(serialise_record(record, "sgf"))
    assert game.get_size() == 15
    assert game.get_winner() == "b"
    # Its points are rows from the bottom, then columns.
    black, white, _ = game.get_root().get_setup_stones()
    assert (black, white) == ({(14, 0)}, {(14, 14)})
    assert [node.get_move() for node in game.get_main_sequence()[1:]] == [("b", (7, 7)), ("w", (6, 6))]


def test_sgf_set_up() -> None:
    record = parse_record(b"(;GM[4]SZ[15:12]AB[aa:ba][cc]AW[ab]PL[W];C[no move];W[hh];B[ii])", "sgf")
    assert (record.width, record.height, record.first) == (15, 12, WHITE)
    assert {(stone.side, stone.x, stone.y) for stone in record.setup} == {(0, 0, 0), (0, 1, 0), (0, 2, 2), (1, 0, 1)}
    assert [stone.side for stone in record.moves] == [WHITE, BLACK]
    record.require_turns()
    with pytest.raises(RecordError, match="move 4: Black plays out of turn"):
        record.in_turn()


@pytest.mark.parametrize(("setup", "first"), [("AB[aa]", WHITE), ("AB[aa]AW[bb]", BLACK), ("AB[aa]PL[B]", BLACK)])
def test_sgf_set_up_without_moves_says_whose_turn_it_is(setup: str, first: int) -> None:
    assert parse_record(f"(;{setup})".encode(), "sgf").first == first


def test_set_up_stones_become_moves_in_formats_without_a_set_up() -> None:
    record = parse_record(b"(;SZ[15]AB[aa][bb]AW[cc];W[dd])", "sgf")
    assert serialise_record(record, "hex") == b"111 332 221 442\n"
    assert parse_record(serialise_record(record, "psq"), "psq").moves == tuple(stones((0, 0), (2, 2), (1, 1), (3, 3)))


@pytest.mark.parametrize(
    ("text", "rule"),
    [("0", 0), ("Standard", 1), ("renju", 4), ("Caro", 8), ("caro-exact", 9), ("Swap2", None), ("", None)],
)
def test_sgf_rule_by_name_or_number(text: str, rule: int | None) -> None:
    assert parse_record(f"(;RU[{text}])".encode(), "sgf").rule == rule


def test_hex() -> None:
    record = parse_record(b"881 782\nfF1\r\n", "hex")
    assert (record.width, record.height) == (15, 15)
    assert record.moves == stones((7, 7), (6, 7), (14, 14))
    assert serialise_record(record, "hex") == b"881 782 FF1\n"


@pytest.mark.parametrize(
    ("form", "data", "message"),
    [
        ("psq", b"", "an empty file is no .psq record"),
        ("psq", b"\n(;GM[4])", "line 2: expected 'Piskvorky 15x15, 11:11, 0', got '(;GM[4])'"),
        ("psq", b"Piskvorky 23x15, 0:0, 0", "line 1: a board of 23x15; a side has 5 to 22 points"),
        ("psq", b"Piskvorky 15x15, 0:0, 2", "line 1: expected 'Piskvorky"),
        ("psq", b"Piskvorky 15x15, 0:0, 0\n16,3,0", "line 2: 16,3,0 is not on the board of 15x15"),
        ("psq", b"Piskvorky 15x15, 0:0, 0\n0,3,0", "line 2: 0,3,0 is not on the board of 15x15"),
        ("psq", b"Piskvorky 15x15, 0:0, 0\n3,3,0\n\n3,3,0", "line 4: 3,3,0 is a point that has a stone already"),
        ("psq", b"Piskvorky 15x15, 0:0, 0\n3,x,0\n3,3,0", "line 2: expected x,y,ms or, as the end, two names"),
        ("psq", b"Piskvorky 15x15, 0:0, 0\n3;3;0\n3,3,0\n-1", "line 2: expected x,y,ms or, as the end, two names"),
        ("psq", b"Piskvorky 15x15, 0:0, 0\n1,1,1\nname", "line 3: expected x,y,ms or, as the end, two names"),
        ("sgf", b"", "no SGF: no '(;' in it"),
        ("sgf", b"(;GM[4]\n;B[hh]\n;W[i", "line 3: not SGF from '[i' on"),
        ("sgf", b"(;GM[4];B[hh]", "SGF: unexpected end of SGF data"),
        ("sgf", b"(;GM[3]SZ[19])", "GM[3] is not Gomoku, GM[4]"),
        ("sgf", b"(;SZ[big])", "SZ[big] is no size; expected SZ[15] or SZ[15:12]"),
        ("sgf", b"(;SZ[25])", "a board of 25x25; a side has 5 to 22 points"),
        ("sgf", b"(;SZ[9];B[aa];W[jj])", "move 2: W[jj] is not on the board of 9x9"),
        ("sgf", b"(;B[aa];W[aa])", "move 2: W[aa] is a point that has a stone already"),
        ("sgf", b"(;B[aa];W[])", "move 2: W[] is no point; expected two letters such as W[hh]"),
        ("sgf", b"(;B[h8])", "move 1: B[h8] is no point"),
        ("sgf", b"(;B[aa][bb])", "move 1: a node has more than one move"),
        ("sgf", b"(;AB[aa:zz])", "AB[pa] is not on the board of 15x15"),
        ("sgf", b"(;B[aa];AB[bb])", "AB[bb] comes after move 1, not before the first"),
        ("sgf", b"(;AB[aa];AE[aa])", "AE[aa]: Gomoku never takes stones away"),
        ("sgf", b"(;PL[red])", "PL[red] is no side; expected PL[B] or PL[W]"),
        ("hex", b"881 782\n8G1", "line 2: expected column, row (1-F) and player (1, 2), got '8G1'"),
        ("hex", b"883", "line 1: expected column, row (1-F) and player (1, 2), got '883'"),
        ("hex", b"881782", "line 1: expected column, row"),
        ("hex", b"881 882", "line 1: 882 is a point that has a stone already"),
    ],
)
def test_errors_name_what_is_wrong(form: str, data: bytes, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(data, form)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert str(caught.value).isascii()


@pytest.mark.parametrize(
    ("form", "record", "message"),
    [
        ("hex", GameRecord(16, 9, ()), "a board of 16x9 cannot be written in hexadecimal"),
        ("psq", GameRecord(15, 15, (Stone(WHITE, 0, 0),), first=WHITE), "move 1: White plays out of turn"),
        ("psq", GameRecord(15, 15, (), names=("1,2,3", None)), "the name '1,2,3' would read as a move"),
    ],
)
def test_records_that_a_format_cannot_hold_are_refused(form: str, record: GameRecord, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        serialise_record(record, form)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("file", "form"), [("a.psq", "psq"), ("a.b/c.SGF", "sgf"), ("a.hex", "hex"), ("a.txt", "hex")])
def test_format_of_a_file_name(file: str, form: str) -> None:
    assert format_of(file) == form


@pytest.mark.parametrize(("file", "token"), [("game.rec", "'.rec'"), ("game", "'game'"), (".psq", "'.psq'")])
def test_other_file_names_are_refused(file: str, token: str) -> None:
    with pytest.raises(RecordError, match=f"^{token} does not name a record"):
        format_of(file)


untimed = settings(deadline=None)
NAMES = st.none() | st.text(max_size=20).map(clean_name).filter(
    lambda name: name is None or not ("," in name or "homo-" in name)
)
OUTCOMES: tuple[Outcome | None, ...] = (None, "black", "white", "draw")


@st.composite
def records(draw: st.DrawFn, largest: int = 22) -> GameRecord:
    width, height = draw(st.integers(5, largest)), draw(st.integers(5, largest))
    everywhere = [(x, y) for x in range(width) for y in range(height)]
    points = draw(st.lists(st.sampled_from(everywhere), unique=True, max_size=40))
    rule, outcome = draw(st.sampled_from([None, *RULES])), draw(st.sampled_from(OUTCOMES))
    return GameRecord(width, height, stones(*points), rule=rule, names=(draw(NAMES), draw(NAMES)), outcome=outcome)


@untimed
@given(records())
def test_sgf_round_trip_keeps_everything(record: GameRecord) -> None:
    assert parse_record(serialise_record(record, "sgf"), "sgf") == record


@untimed
@given(records(), st.integers(0, 10))
def test_sgf_round_trip_keeps_a_set_up(record: GameRecord, count: int) -> None:
    count = min(count, len(record.moves))
    shortened = replace(record, setup=record.moves[:count], moves=record.moves[count:], first=count % 2)
    again = parse_record(serialise_record(shortened, "sgf"), "sgf")
    assert set(again.setup) == set(shortened.setup)
    assert replace(again, setup=()) == replace(shortened, setup=())


@untimed
@given(records(), st.lists(st.integers(0, 10**9), min_size=40, max_size=40))
def test_psq_round_trip_keeps_names_and_times(record: GameRecord, times: list[int]) -> None:
    timed = replace(record, moves=tuple(replace(stone, ms=ms) for stone, ms in zip(record.moves, times)))
    if not any(stone.ms for stone in timed.moves):  # as where they are not known
        timed = replace(timed, moves=tuple(replace(stone, ms=None) for stone in timed.moves))
    again = parse_record(serialise_record(timed, "psq"), "psq")
    assert again == replace(timed, rule=None, outcome=None)


@untimed
@given(records(largest=15))
def test_hex_round_trip_keeps_the_moves(record: GameRecord) -> None:
    assert parse_record(serialise_record(record, "hex"), "hex").moves == record.moves


PSQ_SCRAPS = b"Piskvorky |15x15|, 11:11, 0|8,8,100|1,1|,|-1|homo-1|9".split(b"|")
SGF_SCRAPS = b"(;|)|(|;|GM[4]|SZ[15]|SZ[|]|[|:|\\|B[hh]|W[ii]|AB[aa:cc]|AW[dd]|AE[aa]|PL[W]|RU[|PB[|RE[B+]".split(b"|")
HEX_SCRAPS = [b"881", b"782", b"8", b" "]
BYTES = [b"\n", b"\r\n", b"\xff", b"\x00", b"\xef\xbb\xbf"]
SCRAPS = st.sampled_from([*PSQ_SCRAPS, *SGF_SCRAPS, *HEX_SCRAPS, *BYTES])


@pytest.mark.parametrize("form", FORMATS)
@untimed
@given(data=st.binary() | st.lists(SCRAPS, max_size=30).map(b"".join))
@example(data=b"(;CA[")
@example(data=b"Piskvorky \xd9\xa1\xd9\xa5x15, 11:11, 0")  # digits, but not ASCII's
@example(data="٨٨١".encode())
def test_readers_raise_only_record_errors(form: str, data: bytes) -> None:
    try:
        record = parse_record(data, form)
    except RecordError as error:
        assert "\n" not in str(error)
        assert str(error).isascii()
    else:
        taken = {(stone.x, stone.y) for stone in record.stones()}
        assert len(taken) == len(record.stones())
        assert all(0 <= x < record.width and 0 <= y < record.height for x, y in taken)
