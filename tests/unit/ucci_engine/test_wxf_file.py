"""The World Xiangqi Federation's files, as PlayOK, XieXie and the format's first description have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ucci_engine.game_record import GameRecord, RecordError
from ucci_engine.points import START_FEN, move_text
from ucci_engine.records import read_file
from ucci_engine.wxf_file import read_games

FIELD = Path(__file__).parents[2] / "data" / "field" / "xiangqi"
PLAYOK = """FORMAT  WXF\r
RED     lin ; 1200 ;;\r
BLACK   mei "x" ; 1240 ;;\r
RESULT  0-1\r
DATE    2020-02-02 02:02:02\r
EVENT   PlayOK Game ; 10m+0s\r
START{\r
 1. P3+1 c8.7   2. E7+5 c2.5   3. H2+3 h2+3\r
 4. H8+6 r1.2 }END\r
"""
PLAYOK_MOVES = "g3g4 h7g7 c0e2 b7e7 h0g2 b9c7 b0d1 a9b9"


def read(text: str) -> list[GameRecord]:
    return list(read_file(text.encode(), "a.wxf"))


def moves(game: GameRecord) -> str:
    return " ".join(map(move_text, game.moves))


def test_a_file_from_the_field() -> None:
    (game,) = read_file((FIELD / "wxf-file.wxf").read_bytes(), "a.WXF")
    assert (game.tags["Red"], game.tags["Black"], game.tags["Date"], game.result) == ("a", "b", "2021.01.23", "1-0")
    assert (game.fen, moves(game)) == (START_FEN, "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7")


def test_a_game_of_playok() -> None:
    (game,) = read(PLAYOK)
    tags = {name: game.tags[name] for name in ("Red", "RedElo", "Black", "BlackElo", "Date", "Event")}
    assert list(tags.values()) == ["lin", "1200", 'mei "x"', "1240", "2020.02.02", "PlayOK Game ; 10m+0s"]
    assert (game.result, moves(game)) == ("0-1", PLAYOK_MOVES)


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("ann", {"Red": "ann"}),
        (";ann;;0", {"Red": "ann"}),
        ("ann;;;", {"Red": "ann"}),
        ("Guangdong;Lü Qin;GM;2500", {"RedTeam": "Guangdong", "Red": "Lü Qin", "RedElo": "2500"}),
        (";;;", {}),
    ],
)
def test_players(value: str, tags: dict[str, str]) -> None:
    (game,) = read(f"FORMAT\tWXF\nRED\t{value}\nSTART{{\n}}END\n")
    assert {name: text for name, text in game.tags.items() if name.startswith("Red")} == tags


@pytest.mark.parametrize(
    ("result", "read_as"),
    [("1-0", "1-0"), ("0:1", "0-1"), ("1/2", "1/2-1/2"), ("Draw", "1/2-1/2"), ("*", "*"), ("", "*")],
)
def test_results(result: str, read_as: str) -> None:
    assert read(f"FORMAT WXF\nRESULT {result}\nSTART{{ }}END")[0].result == read_as


def test_start_positions() -> None:
    (fen,) = read("FORMAT WXF\nFEN\t\t4kaer1/4a2c1/2h1e1h2/3Rp1C1p/2C6/5rP2/1pP1P3P/8E/9/1cEAKA1R1 b\nSTART{\n}END")
    assert fen.fen == "4kabr1/4a2c1/2n1b1n2/3Rp1C1p/2C6/5rP2/1pP1P3P/8B/9/1cBAKA1R1 b - - 0 1"
    (oldest,) = read("FORMAT WXF\nFEN 4kg3/9/4m4/9/9/9/9/9/9/3GK4 r\nSTART{ 1. A6+5 A6+5 }END")
    assert oldest.fen.split()[0] == "4ka3/9/4b4/9/9/9/9/9/9/3AK4"
    assert moves(oldest) == "d0e1 f9e8"
    (set_up,) = read("FORMAT WXF\nSETUP{\nKe0 Ra1\nkd9\nMOVE 1\nBLACK\n}\nSTART{ 1. k4+1 }END")
    assert set_up.fen.split()[:2] == ["3k5/9/9/9/9/9/9/9/R8/4K4", "b"]
    assert moves(set_up) == "d9d8"


def test_moves_in_upper_case_comments_and_several_games() -> None:
    first = "FORMAT\tWXF\nSTART{\n1. C2.5 [central {x} cannon]\n   H8+7!? {screen}\n2. P=+1 x }END\n"
    both = "FORMAT\tWXF\nCOMMENT0{\nbefore\n}COMMENT0\nSTART{\n1. C2.5 {central} H8+7 [screen]\n}END\n" + PLAYOK
    games = read(both.replace("\r", ""))
    assert [moves(game) for game in games] == ["h2e2 h9g7", PLAYOK_MOVES]
    assert (games[0].root.comment, games[0].comments) == ("before", ("central", "screen"))
    with pytest.raises(RecordError, match="line 5"):
        read(first.replace("{x} ", ""))


def test_brackets_in_a_comment() -> None:
    (game,) = read("FORMAT WXF\nSTART{\n1. C2.5 {see [diagram] here} h8+7\n}END")
    assert (moves(game), game.comments[0]) == ("h2e2 h9g7", "see [diagram] here")


def test_games_before_and_after_a_bad_start_are_read() -> None:
    game, bad = "FORMAT WXF\nSTART{ 1. C2.5 }END\n", "FORMAT WXF\nSETUP{ RED Ke0 Re0 BLACK Ke9 }\nSTART{ 1. R5+1 }END\n"
    games = read_games(game + bad + game)
    assert next(games).line == 1
    with pytest.raises(RecordError, match="line 3: SETUP has two pieces on 'e0'"):
        next(games)
    assert next(games).line == 6
    assert next(games, None) is None


@pytest.mark.parametrize("notation", ["H2-E2 H9-G7", "h2e2 h9g7", "Ch2-e2 Hh9-g7", "Che2 Hg7", "C2=5 H8+7"])
def test_the_formats_other_notations(notation: str) -> None:
    assert moves(read(f"FORMAT\tICCS\nSTART{{\n1. {notation}\n}}END\n")[0]) == "h2e2 h9g7"


def test_three_pawns_on_a_file() -> None:
    text = "FORMAT WXF\nFEN 3k5/9/4P4/4P4/4P4/9/9/9/9/5K3 r\nSTART{ 1. %s }END"
    assert [moves(read(text % move)[0]) for move in ("P+.6", "P=.6", "P-.6")] == ["e7d7", "e6d6", "e5d5"]


@pytest.mark.parametrize("text", ["", "1. C2.5", "FORMAT WXF\nRED a\n", "x\nFORMAT WXF\nSTART{ }END"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(RecordError, match="begins with FORMAT"):
        read(text)


def test_encodings() -> None:
    text = PLAYOK.replace("lin", "林")
    for data in (text.encode("gb18030"), text.encode("utf-8-sig"), text.encode("utf-16")):
        (game,) = read_file(data, "a.wxf")
        assert (game.tags["Red"], moves(game)) == ("林", PLAYOK_MOVES)
