"""`sanqi convert`, from the command line."""

from __future__ import annotations

import itertools
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game_core.record_formats import RecordError, RecordFormat
from gomoku_protocol.records import parse_record
from gomoku_protocol.sgf import read_games
from sanqi.registry import GAMES
from search_core.parts import load_part
from tests.helpers.in_process import run_here
from ucci_engine.notation import NOTATIONS
from ucci_engine.pgn import ENCODINGS

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
PGN = """[Red "甲"]
{开始} 1. h2e2 (1. 相三进五 {稳}) h9g7 1-0

[Red "乙"]
1. C2.5 0-1

[Red "一二三四五六七八九"]
1. Che2 *
""".encode()
SGF = b"(;GM[4]SZ[15]RU[renju]PB[one];B[hh];W[gh];B[aa])"


def convert(*arguments: str | Path, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([SANQI, "convert", *arguments], input=data, capture_output=True, timeout=60, check=False)


def test_a_game_through_all_formats_by_suffix(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.sgf", "b.psq", "c.hex", "d.txt", "e.sgf")]
    files[0].write_bytes(SGF)
    for source, target in itertools.pairwise(files):
        finished = convert(source, target)
        assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
    assert files[1].read_bytes() == b"Piskvorky 15x15, 11:0, 0\n8,8,0\n7,8,0\n1,1,0\none\nhomo-2\n-1\n"
    assert files[3].read_bytes() == b"881 782 111\n"
    assert parse_record(files[4].read_bytes(), "sgf").moves == parse_record(SGF, "sgf").moves


@pytest.mark.parametrize(
    "text",
    [
        '[Event "x"]\n[White "a"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n',
        "1. d4 Nf6 2. c4 e6 *\n",
        "1. e2e4 e7e5 *\n",
        '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n*\n',
        '[FEN "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"]\n\n1. O-O O-O-O *\n',
    ],
)
def test_a_game_of_western_chess_is_doubted(text: str, tmp_path: Path) -> None:
    """The games around it are read."""
    finished = run_here("convert", "-", "all.pgn", "--from", "pgn", data=text.encode(), cwd=tmp_path)
    (complaint,) = finished.stderr.splitlines()
    assert finished.returncode == 2
    assert re.fullmatch(
        r"sanqi convert: '-': line \d: this looks like a game of Western chess, not of Xiangqi", complaint
    )
    several = f'[Red "a"]\n\n1. h2e2 *\n\n[Red "b"]\n\n1. h2e2 a9a0 *\n\n[Event "c"]\n{text}'
    finished = run_here("convert", "-", "all.pgn", "--from", "pgn", "--skip", data=several.encode(), cwd=tmp_path)
    broken, western = finished.stderr.splitlines()
    assert "Western chess" in western and "'a9a0' is not legal here" in broken


def test_a_collection_of_sgf_has_all_its_games(tmp_path: Path) -> None:
    two = b"(;GM[4]SZ[15]C[first];B[hh]C[centre];W[ii])\n(;GM[4]SZ[15]RE[0-1];B[aa](;W[bb])(;W[cc]))"
    finished = run_here("convert", "-", "all.sgf", "--from", "sgf", data=two, cwd=tmp_path)
    assert (finished.returncode, finished.stderr) == (0, "")
    first, second = read_games((tmp_path / "all.sgf").read_bytes())
    assert (first.comment, [stone.comment for stone in first.moves]) == ("first", ["centre", ""])
    assert (second.outcome, len(second.moves), len(second.side_lines)) == ("white", 2, 1)
    finished = run_here("convert", "all.sgf", "one.psq", cwd=tmp_path)
    assert finished.stderr == "sanqi convert: 'all.sgf' has 2 games, psq holds one; choose with --game N\n"
    finished = run_here("convert", "all.sgf", "one.psq", "--game", "2", cwd=tmp_path)
    assert (finished.returncode, (tmp_path / "one.psq").read_text().splitlines()[1]) == (0, "1,1,0")


def test_a_game_of_a_collection_that_is_no_gomoku_is_left_out(tmp_path: Path) -> None:
    three = b"(;GM[4]SZ[15];B[hh])\n(;GM[3]SZ[15];B[aa];W[bb])\n(;GM[4]SZ[15];B[cc])"
    finished = run_here("convert", "-", "all.sgf", "--from", "sgf", data=three, cwd=tmp_path)
    complaint = "'-': the game from line 2 on: GM[3] is not Gomoku"
    assert finished.stderr.startswith(f"sanqi convert: {complaint}")
    finished = run_here("convert", "-", "all.sgf", "--from", "sgf", "--skip", data=three + b"(;(;", cwd=tmp_path)
    assert (finished.returncode, finished.stderr.count("left out")) == (0, 2)
    assert [len(game.moves) for game in read_games((tmp_path / "all.sgf").read_bytes())] == [1, 1]


def test_a_file_in_an_unknown_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_bytes(b"\xff\xff")
    finished = run_here("convert", "a.pgn", "b.pgn", cwd=tmp_path)
    assert finished.stderr.startswith("sanqi convert: 'a.pgn': line 1: byte 0xff")


def test_a_broken_game_of_xiangqi_is_not_doubted(tmp_path: Path) -> None:
    for text in ("1. Nc3 Ng8 2. Nc3", "1. e5 e6 2. e5", "1. h2e2 h2e2", "1. Rb1 rubbish", "1. Hg3 Hg3", "rubbish"):
        refused = run_here("convert", "-", "all.pgn", "--from", "pgn", data=text.encode(), cwd=tmp_path)
        assert refused.returncode == 2 and "Western" not in refused.stderr


def test_standard_streams_and_named_formats(tmp_path: Path) -> None:
    assert convert("-", "-", "--from", "sgf", "--to", "hex", data=SGF).stdout == b"881 782 111\n"
    assert convert("-", "-", "--to", "hex", data=SGF).stdout == b"881 782 111\n"
    odd = tmp_path / "record.bak"
    odd.write_bytes(b"881 782")
    assert convert(odd, "-", "--from", "hex", "--to", "psq").stdout.startswith(b"Piskvorky 15x15")


def test_games_of_xiangqi(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.pgn", "b.pgn", "c.xqf", "d.pgn")]
    files[0].write_bytes(PGN)
    for arguments in (
        [files[0], files[1], "--notation", "traditional", "--encoding", "gb18030"],
        [files[1], files[2], "--game", "1"],
        [files[2], files[3]],
    ):
        finished = convert(*arguments)
        assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
    assert "1. 砲二平五" not in (first := files[1].read_bytes().decode("gb18030"))
    assert first.count('[Format "Chinese"]') == 3
    assert "{开始} 1. 炮二平五 (1. 相三進五 {稳}) 1... 馬8進7 1-0" in first
    assert files[3].read_text(encoding="utf-8") == (
        '[Game "Chinese Chess"]\n[Red "甲"]\n[Result "1-0"]\n[Format "ICCS"]\n\n'
        "{开始} 1. H2-E2 (1. G0-E2 {稳}) 1... H9-G7 1-0\n\n"
    )
    cut = convert(files[0], "-", "--to", "xqf", "--game", "3", "--shorten")
    assert cut.stdout[0x130:0x140] == b"\x0e" + "一二三四五六七".encode("gb18030") + b"\0"


def test_bad_games_can_be_left_out(tmp_path: Path) -> None:
    source = tmp_path / "games.pgn"
    source.write_bytes(b"1. h2e2 1-0\n1. a0a9 0-1\n")
    finished = convert(source, "-", "--to", "pgn", "--skip")
    assert finished.returncode == 0
    assert finished.stdout.count(b"H2-E2") == 1
    assert b": line 2: 'a0a9' is not legal here" in finished.stderr
    assert finished.stderr.rstrip().endswith(b"; left out")


def assert_refused(finished: subprocess.CompletedProcess[str], message: str) -> None:
    assert (finished.returncode, finished.stdout) == (2, "")
    error = finished.stderr
    assert error.isascii() and error.startswith("sanqi convert: ")
    assert message in error
    assert error.count("\n") == 1


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "old.hex"
    target.write_bytes(b"111")
    refused = run_here("convert", "-", target, "--from", "sgf", data=SGF, cwd=tmp_path)
    assert_refused(refused, "exists already; nothing was written")
    assert target.read_bytes() == b"111"


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        (["-", "OUT.hex", "--from", "sgf"], b"(;GM[4];B[hh];W[hh])", "'-': move 2: W[hh] is a point that has a stone"),
        (["-", "OUT.sgf", "--from", "psq"], b"Piskvorky 15x15, 0:0, 0\n8:8\n1,1", "'-': line 2: expected x,y,ms"),
        (["-", "OUT.hex", "--from", "psq"], b"Piskvorky 20x20, 0:0, 0\n", "a board of 20x20 cannot be written"),
        (
            ["-", "OUT.sgf"],
            b"hello",
            "- has no format of its own; give --from pgn, xqf, wxf, cbr, cbl, position, psq, sgf, hex, pos or jgr",
        ),
        (["-", "OUT.rec", "--from", "sgf"], SGF, "'.rec' does not name a record"),
        (["-", "missing/OUT.sgf", "--from", "sgf"], SGF, "cannot be written: No such file"),
        (["missing.sgf", "OUT.hex"], b"", "'missing.sgf' cannot be read: No such file"),
        (["-", "OUT.sgf", "--from", "pgn"], PGN, "pgn is a format of xiangqi, sgf of gomoku"),
        (["-", "OUT.cbl", "--from", "pgn"], PGN, "cbl is only read, not written"),
        (["-", "OUT.xqf", "--from", "pgn"], PGN, "'-' has 3 games, xqf holds one; choose with --game N"),
        (["-", "OUT.xqf", "--from", "pgn", "--game", "4"], PGN, "'-': it has no game 4"),
        (["-", "OUT.xqf", "--from", "pgn", "--game", "3"], PGN, "XQF holds 15 bytes of the tag Red, which has 18"),
        (["-", "OUT.xqf", "--from", "pgn", "--notation", "wxf"], PGN, "--notation does not go with xqf"),
        (["-", "OUT.pgn", "--from", "pgn"], b"", "'-': there is no game in it"),
        (["-", "OUT.pgn", "--from", "pgn"], b"1. h2e2\na0a0", "'-': line 2: 'a0a0' is not a move"),
        (["-", "OUT.pgn", "--from", "xqf"], b"XQ", "'-': offset 0x2: the file ends in the header"),
        (["-", "OUT.jgr", "--from", "jgr"], b"record 2\n", "'-': line 1: 'record 2': expected record 1"),
    ],
)
def test_errors_are_one_line_and_write_nothing(arguments: list[str], data: bytes, message: str, tmp_path: Path) -> None:
    assert_refused(run_here("convert", *arguments, data=data, cwd=tmp_path), message)
    assert list(tmp_path.iterdir()) == []


BEGINNINGS = (
    b"",
    b"XQ\x0a",
    b"XQ\x12",
    b"CCBridge Record\0",
    b"CCBridgeLibrary\0CCBridge Record\0",
    b"(;GM[4]",
    b"1. ",
)
FORMATS = [form for game in GAMES.values() if game.records for form in load_part(game.records)]


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(FORMATS), st.sampled_from(BEGINNINGS), st.binary(max_size=3000))
def test_any_bytes_are_read_or_refused_in_one_line(form: RecordFormat, beginning: bytes, rest: bytes) -> None:
    try:
        list(form.read(beginning + rest))
    except RecordError as error:
        assert len(str(error).splitlines()) == 1


def test_formats_have_names_and_suffixes_of_their_own() -> None:
    names = [form.name for form in FORMATS]
    suffixes = [suffix for form in FORMATS for suffix in form.suffixes]
    assert len(names) == len(set(names)) and {suffix for suffix in suffixes if suffixes.count(suffix) > 1} == {".txt"}
    assert all(form.begins.pattern != b"(?!)" for form in FORMATS if ".txt" in form.suffixes)
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in suffixes)
    options = {option.name: option for form in FORMATS for option in form.options}
    assert options["notation"].choices[0] == "iccs" and set(options["notation"].choices) == set(NOTATIONS)
    assert options["encoding"].choices == ENCODINGS


START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
POSITION = f"# sanqi play xiangqi --side red\n# 炮二平五 马8进7\nposition fen {START} moves h2e2 h9g7\n"
TEXTS = {
    "saved": (POSITION, "position"),
    "of another program": (POSITION.splitlines()[-1].upper().replace(START.upper(), START), "position"),
    "from the start": ("position startpos moves h2e2 h9g7", "position"),
    "in lines": ("\r\n\r\nstartpos moves h2e2\r\n h9g7\r\n", "position"),
    "a FEN": (f"{START} moves h2e2 h9g7", "position"),
    "hex": ("881 782 111\n", "hex"),
    "a position string": ("h8g8a15", "pos"),
    "with commas": ("h8, g8, a15", "pos"),
    "a stone": ("h8\n", "pos"),
}


@pytest.mark.parametrize(
    ("text", "encoding"), [*zip(TEXTS, itertools.cycle(["utf-8", "utf-16", "utf-8-sig", "utf-8"]))]
)
def test_the_content_of_a_text_shows_its_game(text: str, encoding: str, tmp_path: Path) -> None:
    """Xiangqi and Gomoku have files of the same suffix, and it can be written for both."""
    content, form = TEXTS[text]
    source, named, back = tmp_path / "a.txt", tmp_path / "a", tmp_path / "back.TXT"
    source.write_bytes(content.encode(encoding))
    named.write_bytes(content.encode(encoding))
    whole = tmp_path / ("a.pgn" if form == "position" else "a.sgf")
    assert run_here("convert", source, whole, cwd=tmp_path).stderr == ""
    again = run_here("convert", named, "-", "--from", form, "--to", whole.suffix[1:], cwd=tmp_path)
    assert again.stdout == whole.read_text(encoding="utf-8")
    assert run_here("convert", whole, back, cwd=tmp_path).stderr == ""
    if form == "position":
        assert "1. H2-E2 H9-G7" in again.stdout
        assert back.read_text(encoding="utf-8") == (POSITION if text == "saved" else POSITION.partition("\n")[2])
    else:
        assert back.read_text(encoding="utf-8") == {"a stone": "881\n"}.get(text, "881 782 111\n")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("position startpos moves h2e2 h9g8", ": line 1: move 2: 'h9g8' is not legal there"),
        ("# a\n\nposition fen 9/9 w", ": line 3: FEN has 2 ranks instead of 10"),
        ("fen", ": line 1: "),
        (f"position fen {START}\ngo depth 5\n", ": line 1: "),
        ("position startpos moves" + " h2e2" * 100_050, ": more than 100,000 moves in a game"),
        ("881 78x 111", ": line 1: expected column, row (1-F) and player (1, 2), got '78x'"),
        ("h8i9h8", ": h8 is a point that has a stone already"),
        ("positon startpos moves h2e2", " begins like no file in position, hex or pos; give --from"),
        ("", " begins like no file in position, hex or pos; give --from"),
        ('[Red "a"]\n1. h2e2', " begins like no file in position, hex or pos; give --from"),
    ],
)
def test_a_damaged_text_is_named_in_one_line(content: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(content, encoding="utf-8")
    for target in ("out.pgn", "out.sgf"):
        refused = run_here("convert", "a.txt", target, cwd=tmp_path)
        other = f"is a format of {'gomoku' if target == 'out.pgn' else 'xiangqi'}"
        if other not in refused.stderr:
            assert_refused(refused, f"'a.txt'{reason}")
            return
    raise AssertionError("no game has read it")


def test_a_game_of_another_number_and_of_another_size(tmp_path: Path) -> None:
    go = tmp_path / "go.sgf"
    go.write_bytes(b"(;GM[1]SZ[15]KM[6.5]PB[\x8f\x5c]CA[Shift_JIS];B[hh];W[gh])")
    refused = convert(go, "-", "--to", "hex")
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"KM[6.5]: not Gomoku, GM[4]; --from sgf with --rule reads it all the same" in refused.stderr
    assert b"--rule goes with --from sgf" in convert(go, "-", "--to", "hex", "--rule", "renju").stderr
    forced = convert(go, "-", "--to", "sgf", "--from", "sgf", "--rule", "renju")
    assert (forced.returncode, forced.stderr) == (0, b"")
    assert "PB[十]RU[renju]".encode() in forced.stdout
    doubted = convert("-", "-", "--from", "sgf", "--to", "pos", data=b"(;GM[1]SZ[15];B[hh];W[gh])")
    assert (doubted.returncode, doubted.stdout) == (0, b"h8g8\n")
    assert doubted.stderr.count(b"\n") == 1 and b"nothing in it contradicts Gomoku" in doubted.stderr
    string = tmp_path / "a.pos"
    string.write_bytes(b"h8g8")
    assert convert(string, "-", "--to", "psq", "--size", "20").stdout.startswith(b"Piskvorky 20x20")
    assert b"--size goes with --from pos" in convert(go, "-", "--to", "psq", "--size", "20").stderr


def test_a_study_with_a_bad_side_line_says_which(tmp_path: Path) -> None:
    study = tmp_path / "a.xqf"
    whole = tmp_path / "a.pgn"
    whole.write_text("1. h2e2 (1. h2d2 h9g7) h9g7 *", encoding="utf-8")
    assert convert(whole, study).returncode == 0
    data = bytearray(study.read_bytes())
    data[-8 + 1] = 32 + 25  # the target of the last move, of the side line
    study.write_bytes(data)
    finished = convert(study, "-", "--to", "pgn")
    assert finished.returncode == 0 and b"1. H2-E2 (1. H2-D2) 1... H9-G7 *" in finished.stdout
    [line] = finished.stderr.splitlines()
    assert line.endswith(b"; the side line is cut there")
