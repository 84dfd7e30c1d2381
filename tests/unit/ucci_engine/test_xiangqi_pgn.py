"""Xiangqi PGN, read and written in all notations."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyffish
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers.xiangqi_trees import outline, random_tree
from ucci_engine.game_record import RESULTS, GameRecord
from ucci_engine.notation import NOTATIONS, NotationError, move_to_chinese, wxf_to_move
from ucci_engine.pgn import PgnError, decode, game_text, read_games
from ucci_engine.points import RANKS_FROM_1, START_FEN, move_text, parse_move
from ucci_engine.position import Position

cchess = pytest.importorskip("cchess")
from cchess.read_pgn import read_from_pgn  # type: ignore[import-untyped]  # noqa: E402

OPENING = ("h2e2", "h9g7", "h0g2", "i9h9")
BLACK_BEGINS = START_FEN.replace(" w ", " b ")
PAWNS = {
    "two": "3k5/9/4P4/4P4/9/9/9/9/9/5K3 w - - 0 1",
    "three": "3k5/9/4P4/4P4/4P4/9/9/9/9/5K3 w - - 0 1",
    "four": "3k5/4P4/4P4/4P4/4P4/9/9/9/9/5K3 w - - 0 1",
    "five": "3k2P2/6P2/6P2/6P2/6P2/9/9/9/9/5K3 w - - 0 1",
    "three and two": "4k4/9/4n1P2/2P3P2/2P3P2/9/9/9/9/4K4 w - - 0 1",
    "black": "4k4/9/9/9/9/6p2/2p3p2/2p3p2/9/3K5 b - - 0 1",
}
CROWDED = [
    *PAWNS.values(),
    "3akab2/9/2n1b1n2/R1P1p1P1p/R8/2P3P2/2P3r2/C2AB1r2/C3A4/3K1c1c1 w - - 0 1",
    "3k1C1C1/c3a4/c2ab1R2/2p3R2/2p3p2/r8/r1p1P1p1P/2N1B1N2/9/3AKAB2 b - - 0 1",
]

# As Xqbase's converters write, with the text that follows the result in their files.
XQBASE = """[Game "Chinese Chess"]
[Event "1st Computer Games Championship"]
[Round ""]
[Date "2006.08.03"]
[RedTeam ""]
[Red "宝岛一号"]
[Black "相眼竞技"]
[Result "0-1"]
{　　红方先行，
　　双方布阵。}
  1. 炮八平五 马２进３
{　　常见。}
  2. 马八进七
{　　正着。}
  2.          车１平２
 0-1
============================
 欢迎访问《象棋百科全书网》 (推荐
https://www.xqbase.com/
"""


def played(game: GameRecord) -> tuple[str, ...]:
    return tuple(move_text(move) for move in game.moves)


def only_game(text: str) -> GameRecord:
    (game,) = read_games(text)
    return game


def random_game(lottery: random.Random, fen: str, plies: int) -> tuple[Position, tuple[int, ...]]:
    """The last position and the moves of a game played at random."""
    position = Position(fen)
    moves: list[int] = []
    while len(moves) < plies and position.result() == "ongoing":
        moves.append(lottery.choice(position.legal_moves()))
        position.push(moves[-1])
    return position, tuple(moves)


def wxf_of(position: Position, move: int) -> str:
    """A move in WXF as Fairy-Stockfish spells it, with its numbers for pawns in a row."""
    uci = move_text(move, RANKS_FROM_1)
    text: str = pyffish.get_san("xiangqi", position.fen(), uci, False, pyffish.NOTATION_XIANGQI_WXF)
    return text


def san_of(position: Position, move: int) -> str:
    """A move in algebraic notation with ranks from 1, spelled by Fairy-Stockfish."""
    uci = move_text(move, RANKS_FROM_1)
    text: str = pyffish.get_san("xiangqi", position.fen(), uci, False, pyffish.NOTATION_SAN)
    return text


def xboard_of(position: Position, move: int) -> str:
    """The same as XBoard writes it: ranks from 0, a pawn by its file."""
    text = re.sub(r"\d+", lambda rank: str(int(rank[0]) - 1), san_of(position, move))
    if not text.startswith("P"):
        return text
    origin, target = move_text(move)[:2], text.rstrip("+#")[-2:]
    if "x" in text:
        return f"{origin[0]}x{target}"
    return target if origin[0] == target[0] else origin[0] + target


def iccs_of(_position: Position, move: int) -> str:
    return move_text(move)


def test_a_file_of_xqbase() -> None:
    game = only_game(XQBASE.replace("\n", "\r\n"))
    assert played(game) == ("b2e2", "b9c7", "b0c2", "a9b9")
    assert game.root.comment == "　　红方先行，\n　　双方布阵。".strip()
    assert game.comments == ("", "常见。", "正着。", "")
    assert (game.result, game.fen, game.line) == ("0-1", START_FEN, 1)
    assert list(game.tags) == ["Game", "Event", "Round", "Date", "RedTeam", "Red", "Black", "Result"]
    assert game.tags["Red"] == "宝岛一号" and game.tags["Round"] == ""


@pytest.mark.parametrize(
    "moves",
    [
        "1. H2-E2 H9-G7 2. H0-G2 I9-H9",
        "1.h2e2 h9g7 2.h0g2 i9h9",
        "h2e2 h9g7\nh0g2 i9h9",
        "1. 炮二平五 马８进７ 2．马二进三 车９平８",
        "1.炮二平五 馬8進7 2.傌二進三 車9平8",
        "1.炮二平五！马8进7 2、马二进三车9平8",
        "1. C2.5 H8+7 2. H2+3 R9.8",
        "1. C2=5 h8+7 2. N2+3 r9=8",
        "1. Ｃ２＝５ Ｈ８＋７ ２．Ｈ２＋３ Ｒ９＝８ １－０",
        "1. Che2 Hg7 2. Hg2 Rh9",
        "1.Che2+ Nh9g7 2.Hhg2!? R9h9#",
        "1. Ch3-e3 Hh10-g8 2. Hh1-g3 Ri10-h10",
        "1. Che3 H8+7 2. Hg3 {1-10} Rh10",
        "1. C2.5 马8进7 2. h0g2 R9.8",
        "1 H2-E2!? H9-G7 $14 2 H0-G2?? ... I9-H9+ 1-0",
        "1. H2-E2 (1. h2d2 {not )} (1. 兵七进一 what) ; ) \n) 1... H9-G7 2. ………… H0-G2 I9-H9",
        "% moves: a0a9\n1. H2-E2 ; the usual\n1... H9-G7 2. H0-G2\n%\nI9-H9",
    ],
)
@pytest.mark.parametrize("tags", ["", '[Format "WXF"]\n\n', '\ufeff[Red "甲"]\n[Format "ICCS"]\n'])
def test_spellings_of_moves(tags: str, moves: str) -> None:
    assert played(only_game(tags + moves)) == OPENING


def test_comments_belong_to_the_move_before() -> None:
    game = only_game("{first} (of all) 1. h2e2 {one} ; ＴＷＯ\n(1. h2d2 {aside}) {th\r\nree} h9g7 {} 2. h0g2 ;{x}\n")
    assert game.comments == ("one ＴＷＯ th\nree", "", "{x}")
    assert game.root.comment == "first of all"
    assert outline(game) == [
        (0, "", "first of all"),
        (1, "h2e2", "one ＴＷＯ th\nree"),
        (2, "h9g7", ""),
        (3, "h0g2", "{x}"),
        (1, "h2d2", "aside"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # nested, one after another, and at the first move of another one
        (
            "1. h2e2 h9g7 (1... b9c7 2. h0g2 (2. b0c2) 2... c6c5) (1... h7e7 (b7e7)) 2. h0g2 (2. c3c4)",
            "1h2e2 2h9g7 3h0g2 3c3c4 2b9c7 3h0g2 4c6c5 3b0c2 2h7e7 2b7e7",
        ),
        ("1. h2e2 ({a} h2d2 {b} {c}) {d} 1-0", "1h2e2:d 1h2d2:a-b-c"),
        ("1. h2e2 ({a}) h9g7 (())", "1h2e2:a 2h9g7"),
        ("1. Che3 (1. Chd3 H8+7 1-0) Hg8", "1h2e2 2h9g7 1h2d2 2h9g7"),
        # no variations
        ("1. h2e2 (see page 7) h9g7", "1h2e2:see-page-7 2h9g7"),
        ("1. h2e2 (h2d2 a9a8 a0a9) h9g7", "1h2e2:h2d2-a9a8-a0a9 2h9g7"),
        ("1. h2e2 (h2d2 (what) a9a8 (h9g7 {x}) {y}) h9g7", "1h2e2 2h9g7 1h2d2:what 2a9a8:y 2h9g7:x"),
        ("1. h2e2 (h2d2 (what) a9a8 (why (not)) when) h9g7", "1h2e2:h2d2-(what)-a9a8-(why-(not))-when 2h9g7"),
        ('1. h2e2 (h2d2 [Red "a"]) h9g7', '1h2e2:h2d2-[Red-"a"] 2h9g7'),
    ],
)
def test_variations(text: str, expected: str) -> None:
    tree = [f"{ply}{move}{':' if comment else ''}{comment}" for ply, move, comment in outline(only_game(text))[1:]]
    assert [part.replace(" ", "-") for part in tree] == expected.split(" ")


def test_text_of_variations() -> None:
    game = only_game("{x} 1. h2e2 h9g7 {y} (b9c7 h0g2 (b0c2)) (h7e7) h0g2 ({z} c3c4 {w}) i9h9 *")
    assert game_text(game).split("\n\n")[1] == (
        "{x} 1. H2-E2 H9-G7 {y} (1... B9-C7 2. H0-G2 (2. B0-C2)) (1... H7-E7) 2. H0-G2\n(2. C3-C4 {z w}) 2... I9-H9 *"
    )


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([START_FEN, BLACK_BEGINS, *CROWDED]), st.sampled_from(NOTATIONS))
def test_trees_come_back_in_every_notation(seed: int, fen: str, notation: str) -> None:
    lottery = random.Random(seed)
    tree = random_tree(lottery, fen, lottery.randrange(60))
    again = only_game(game_text(tree, notation))
    assert outline(again) == outline(tree)
    assert (again.tags["Red"], again.fen, again.result) == ("甲", tree.fen, tree.result)
    encoded = game_text(tree, notation).encode("gb18030")
    assert outline(only_game(decode(encoded))) == outline(tree)


def test_a_long_game_with_a_variation_at_every_move() -> None:
    text = " ".join(["h0g2 (h2e2) h9g7 (h7e7) g2h0 (h2e2) g7h9 (h7e7)"] * 1500)
    game = only_game(text)
    assert len(game.moves) == 6000
    assert outline(only_game(game_text(game))) == outline(game)


def test_black_begins_where_the_fen_says_so() -> None:
    game = only_game(f'[Fen "{BLACK_BEGINS}"]\n1. ..... H8+7 2. H2+3')
    assert (played(game), game.fen) == (("h9g7", "h0g2"), BLACK_BEGINS)
    assert game_text(game).endswith(f'[FEN "{BLACK_BEGINS}"]\n[Format "ICCS"]\n\n1... H9-G7 2. H0-G2 *\n\n')


def test_red_to_move_is_also_written_r() -> None:
    assert only_game(f'[FEN "{START_FEN.replace(" w ", " r ")}"] h2e2').fen == START_FEN
    assert only_game('[FEN ""] h2e2').fen == START_FEN


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (r'[Event "the \"A\" \\ B"]', r'the "A" \ B'),
        ('[Event "第24届"五羊杯"赛"]', '第24届"五羊杯"赛'),
        ('[Event "C:\\"]', "C:\\"),
        ('[ Event  "[Ｘ１]" ]', "[Ｘ１]"),
    ],
)
def test_tag_values(line: str, value: str) -> None:
    assert only_game(line + "\n*").tags == {"Event": value}


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("h2e2 1-0\n1. h2e2 0-1", ["1-0", "0-1"]),
        ("1. h2e2 1-0\n2023 visit us\n(c) me {\nh2e2 is a move\n  1: 炮二平五 红胜\n½", ["1-0", "1-0"]),
        ("1. h2e2（红方超时）h9–g7, ½-½", ["1/2-1/2"]),
        ('[Result "1-0"] h2e2', ["1-0"]),
        ('[Result "1-0"] h2e2 *', ["1-0"]),
        ('[Result "1-0"] h2e2 1/2-1/2', ["1/2-1/2"]),
        ('[Result "红胜"] h2e2', ["1-0"]),
        ('[Result "won"] h2e2', ["*"]),
        ('[Game "Chinese Chess"][Event "a"]\n[Game "Chinese Chess"][Event "b"]', ["*", "*"]),
        ('[Event "a"] h2e2\n[Event "b"] h2e2 0-1 visit us!\n[Event "c"] * {bye}', ["*", "0-1", "*"]),
        ("", []),
        ("* {nothing} 1-0", []),
    ],
)
def test_games_one_after_another(text: str, results: list[str]) -> None:
    assert [game.result for game in read_games(text)] == results


def test_games_know_their_lines() -> None:
    assert [game.line for game in read_games('\n\n[Red "a"]\nh2e2\n*\n1. h2e2\n*\n; note\n[Red "b"]')] == [3, 6, 9]


def test_games_before_a_fault_are_delivered() -> None:
    games = read_games("h2e2 1-0\n1. a0a9")
    assert next(games).result == "1-0"
    with pytest.raises(PgnError, match="line 2: 'a0a9'"):
        next(games)


@pytest.mark.parametrize(
    "bad",
    [
        '[Red "bad"]\n\n1. h2e2 a9a0 2. h0g2 *',
        '[Red "bad"]\n[FEN "nonsense"]\n\n1. h2e2',
        '[Red "bad"]\nrubbish\n[Black "bad"]\n\n1. h2e2 h9g7 *',
        '[Red "bad"]\n\n1. rubbish h9g7 *',
        '[Red "bad"]\n1. rubbish h9g7 *\n',
        '[Red "bad"]\n\n{intro}\n1. rubbish h9g7 *\n',
        '[Red "bad"]\n\n1. h2e2 {never closed',
        '[Red "bad"]\n\n1. h2e2 (1. h2d2 h9g7',
        '[Red "bad"]\n1. h2e2 rubbish 2.',
    ],
)
def test_games_after_a_fault_are_delivered(bad: str) -> None:
    good = '[Red "good"]\n[Black "too"]\n\n1. h2e2 h9g7 *'
    games = read_games(f"{good}\n\n{bad}\n{good}\n\n{good}\n")
    found: list[object] = []
    for _ in range(4):
        try:
            game = next(games)
            found.append((game.tags["Red"], game.line))
        except PgnError:
            found.append("fault")
    line = 6 + bad.count("\n")
    assert found == [("good", 1), "fault", ("good", line + 1), ("good", line + 6)]
    assert next(games, None) is None


def test_a_game_whose_first_tag_is_damaged_is_left_out() -> None:
    games = read_games('[FEN "bad w\n[Red "bad"]\n\n1. h2e2 *\n\n[Red "good"]\n\n1. h2e2 *\n')
    with pytest.raises(PgnError, match="line 1: "):
        next(games)
    assert [game.tags["Red"] for game in games] == ["good"]


@pytest.mark.parametrize("text", ["rubbish\n" * 50 + '[Red "a"]\nh2e2 a9a0\n' * 50, '[Red "a"] 1. h2e2 a9a0\n' * 50])
def test_faults_do_not_repeat_for_ever(text: str) -> None:
    games = read_games(text)
    faults = 0
    while True:
        try:
            if next(games, None) is None:
                break
        except PgnError:
            faults += 1
    assert 50 <= faults <= 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. h2e2\n\n1... h2e3", "line 3: 'h2e3' is not legal here, in rnbakabnr/"),
        ("\r\n1. 炮二平十", "line 2: '炮二平十' is no move"),
        ("1. 炮二平二", "line 1: '炮二平二' names no legal move"),
        ("1. Che2\nCe7", "line 2: 'Ce7' names several legal moves, ranks 0-9"),
        ("1. Che3\nHg7", "line 2: 'Hg7' names no legal move, ranks 1-10"),
        ("1. Che4", "line 1: 'Che4' names no legal move"),
        ("1. Che10", "line 1: 'Che10' names no legal move"),
        ("1. a0-a0", "line 1: 'a0a0' is not a move"),
        ("1. C2.2", "line 1: 'C2.2' names no legal move"),
        ("h2e2\r{a\n\nb", "line 2: the comment that begins with '{' is not closed"),
        ("h2e2 (\n h9g7 {", "line 2: the comment that begins with '{' is not closed"),
        ("h2e2\n(h9g7 (", r"line 2: the variation that begins with '\(' is not closed"),
        ("h2e2 )", r"line 1: '\)' is no move"),
        ("h2e2 }", "line 1: '}' is no move"),
        ("hello", "line 1: 'hello' is no move"),
        ("h2e2 " + 50 * "x", f"line 1: '{40 * 'x'}...' is no move"),
        ('[Red "x"', r"line 1: '\[' is no move"),
        ('[Red "x"]\n[FEN "rnb/8 w"]\nh2e2', "line 2: FEN 'rnb/8 w': "),
        ('[FEN "rnb/8 w"]', "line 1: FEN 'rnb/8 w': "),
        ("h2-e2-h9", "line 1: 'h2-e2-h9' is no move"),
    ],
)
def test_faults_name_line_and_token(text: str, message: str) -> None:
    with pytest.raises(PgnError, match=message) as fault:
        list(read_games(text))
    assert len(str(fault.value).splitlines()) == 1


def test_bytes() -> None:
    assert decode("炮二平五".encode("utf-8-sig")) == decode("炮二平五".encode("gbk")) == "炮二平五"
    assert decode("㐂".encode("gb18030")) == "㐂"
    with pytest.raises(PgnError, match="line 2: byte 0xff"):
        decode(b"h2e2\n\xff")


def test_text_of_a_game() -> None:
    tags = {"Time": "1+1", "Black": "乙", "Red": 'a "b" \\\nc', "game": "x", "Event": "e", "Result": "?", "fen": "?"}
    moves = tuple(map(parse_move, OPENING))
    game = GameRecord.of_line(tags, START_FEN, moves, ("", "{good}", "", " "), "1/2-1/2")
    assert game_text(game) == (
        '[Game "Chinese Chess"]\n[Event "e"]\n[Red "a \\"b\\" \\\\ c"]\n[Black "乙"]\n[Result "1/2-1/2"]\n'
        '[Time "1+1"]\n[Format "ICCS"]\n\n1. H2-E2 H9-G7 {(good)} 2. H0-G2 I9-H9 1/2-1/2\n\n'
    )


def test_text_is_filled_and_a_move_keeps_its_number() -> None:
    _, moves = random_game(random.Random(3), START_FEN, 150)
    game = GameRecord.of_line({}, START_FEN, moves)
    lines = game_text(game).splitlines()
    assert max(map(len, lines)) <= 80
    assert not any(line.endswith(".") for line in lines)
    assert played(only_game("\n".join(lines))) == played(game)


@pytest.mark.parametrize("spell", [iccs_of, move_to_chinese, wxf_of, san_of, xboard_of])
def test_random_games_are_read_in_every_notation(spell: Callable[[Position, int], str]) -> None:
    lottery = random.Random(7)
    for number in range(3):
        _, moves = random_game(lottery, START_FEN, 100)
        position, words = Position(), []
        for ply, move in enumerate(moves):
            words.append(f"{ply // 2 + 1}." if ply % 2 == 0 else "")
            words.append(spell(position, move))
            position.push(move)
        assert only_game(" ".join(words)).moves == moves, number


@pytest.mark.parametrize("text", ["c7", "cc7", "Pc7", "Pcc7", "P6c7"])
def test_a_pawn_without_its_file_goes_straight(text: str) -> None:
    fen = "4k4/9/1P1P5/2P6/9/9/9/9/9/3K5 w - - 0 1"
    assert played(only_game(f'[FEN "{fen}"] {text}')) == ("c6c7",)
    assert played(only_game(f'[FEN "{fen}"] bc7')) == ("b7c7",)


def test_ranks_are_found_again_in_every_game() -> None:
    games = read_games("1. Ra2 Ra9 2. Che3 Ra10 3. Ra1 *\n1. Ra2 Ra8 2. Che2 *")
    assert [played(game) for game in games] == [("a0a1", "a9a8", "h2e2", "a8a9", "a1a0"), ("a0a2", "a9a8", "h2e2")]


@pytest.mark.parametrize("fen", [*CROWDED[-4:], *(pytest.param(fen, marks=pytest.mark.long) for fen in CROWDED[:-4])])
def test_every_move_among_crowded_files_comes_back(fen: str) -> None:
    lottery = random.Random(fen)
    for plies in range(6):
        position, _ = random_game(lottery, fen, plies)
        for move in position.legal_moves():
            text = wxf_of(position, move)
            if text[0] != text[1]:  # 33 is read as the Federation's where possible
                assert wxf_to_move(position, text) == move, (position.fen(), text)


@pytest.mark.parametrize(
    ("position", "text", "move"),
    [
        ("two", "P+.4", "e7f7"),
        ("two", "P-=6", "e6d6"),
        ("two", "+P.4", "e7f7"),
        ("three", "P+.4", "e7f7"),
        ("three", "P5.4", "e6f6"),
        ("three", "P-.4", "e5f5"),
        ("three", "P..4", "e6f6"),
        ("three", "Pc.4", "e5f5"),
        ("four", "++.4", "e8f8"),
        ("four", "P+.4", "e7f7"),
        ("four", "P-.4", "e6f6"),
        ("four", "--.4", "e5f5"),
        ("five", "++.4", "g9f9"),
        ("five", "P+.4", "g8f8"),
        ("five", "P3.4", "g7f7"),
        ("five", "P-.4", "g6f6"),
        ("five", "--.4", "g5f5"),
        ("five", "33.4", "g7f7"),
        ("five", "43.4", "g6f6"),
        ("three and two", "3+.4", "g7f7"),
        ("three and two", "33.4", "g6f6"),
        ("three and two", "3-.4", "g5f5"),
        ("three and two", "7+.6", "c6d6"),
        ("three and two", "7-.6", "c5d5"),
        ("three and two", "23.4", "g6f6"),
        ("black", "3-.4", "c3d3"),
        ("black", "77.8", "g3h3"),
    ],
)
def test_pawns_in_a_row(position: str, text: str, move: str) -> None:
    assert move_text(wxf_to_move(Position(PAWNS[position]), text)) == move


@pytest.mark.parametrize(("text", "move"), [("33+1", "c2c1"), ("33=4", "c4d4")])
def test_three_pawns_and_two_as_the_federation_or_fairy_stockfish_name_them(text: str, move: str) -> None:
    """The middle pawn of file 3, or the third one where only this has the move."""
    position = Position("9/9/3k5/5r3/6c2/2p6/p8/p1pn5/3n5/2p1K4 b")
    assert move_text(wxf_to_move(position, text)) == move


@pytest.mark.parametrize(
    ("position", "text"),
    [
        ("four", "P5.4"),
        ("three", "6+.4"),
        ("three", "45.4"),
        ("three", "P5+2"),
        ("three and two", "++.4"),
        ("three and two", "P++1"),
        ("black", "33.4"),
        ("two", "C2.5"),
        ("two", "Ca.5"),
        ("two", "P5x4"),
        ("two", "P5.0"),
        ("two", "P"),
        ("two", "X5.4"),
    ],
)
def test_wxf_that_names_no_move(position: str, text: str) -> None:
    with pytest.raises(NotationError, match=text.replace("+", r"\+")):
        wxf_to_move(Position(PAWNS[position]), text)


@pytest.mark.parametrize("fen", [START_FEN, BLACK_BEGINS, *CROWDED])
def test_cchess_reads_our_files(tmp_path: Path, fen: str) -> None:
    _, moves = random_game(random.Random(fen), fen, 80)
    game = GameRecord.of_line({"Red": "甲", "Black": "b"}, fen, moves, result="1-0")
    file = tmp_path / "game.pgn"
    file.write_text(game_text(game))
    theirs = read_from_pgn(str(file))
    assert tuple(theirs.dump_iccs_moves()[0]) == played(game)
    assert (theirs.info["red"], theirs.info["black"]) == ("甲", "b")


@settings(deadline=None, max_examples=50)
@given(
    st.randoms(use_true_random=False),
    st.sampled_from([START_FEN, BLACK_BEGINS, *CROWDED]),
    st.integers(0, 12),
    st.dictionaries(st.sampled_from(["Event", "Red", "BlackTeam", "棋手", "Note"]), st.text()),
    st.lists(st.text(), min_size=12, max_size=12),
    st.sampled_from(RESULTS),
)
def test_our_files_are_read_back(
    lottery: random.Random, fen: str, plies: int, tags: dict[str, str], comments: list[str], result: str
) -> None:
    _, moves = random_game(lottery, fen, plies)
    game = GameRecord.of_line(tags, fen, moves, comments, result)
    twice = game_text(game) + game_text(replace(game, result="*"))
    first, second = read_games(twice)
    assert (first.moves, first.result, first.fen) == (moves, result, fen) and second.moves == moves
    breaks = str.maketrans({"{": "(", "}": ")"})
    expected = [comment.translate(breaks).replace("\r\n", "\n").replace("\r", "\n").strip() for comment in comments]
    assert list(first.comments) == expected[: len(moves)]
    assert {name: first.tags[name] for name in tags} == {
        name: " ".join(value.splitlines()) for name, value in tags.items()
    }
    assert game_text(replace(first, result="*")) == game_text(second)


SPACED = (
    "h2e2 Che2 Hg8 c4 E9 a10 1. 1... 炮二平五 马8进7 Ｃ２＝５ ++.5 33.4 "
    '{ } ( ) ; % * 1-0 [Event " "] [ ] \\ $1 ! … \ufeff \n \r \n%'
)
FRAGMENTS = st.sampled_from([*SPACED.split(" "), " ", '[Event "', f'[FEN "{PAWNS["five"]}"]', '[FEN "x"]'])


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(), st.lists(FRAGMENTS).map("".join), st.lists(FRAGMENTS).map(" ".join)))
@example("1.²")
@example("1. ²²平²")
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        games = list(read_games(text))
    except PgnError as fault:
        assert str(fault).startswith("line ") and len(str(fault).splitlines()) == 1
        return
    for game in games:
        assert len(game.moves) == len(game.comments) and game.result in RESULTS
        position = Position(game.fen)
        for move in game.moves:
            position.push(move)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 300_000,
        "{" * 300_000,
        '[A"' * 100_000,
        '[A\\"' * 80_000,
        "h2e2 (" + "{" * 300_000,
        "-" * 300_000,
        "h2e2 " + "{a}" * 100_000 + "{",
        "h2e2 " + "(h2d2 " * 50_000,
        "h2e2 " + "(x " * 100_000,
        "1" * 300_000,
    ],
    ids=lambda text: text[:9].strip(),
)
def test_much_of_one_thing_is_refused_quickly(text: str) -> None:
    """Quadratic time would exceed the suite's time limit, recursion Python's depth limit."""
    with pytest.raises(PgnError, match="line"):
        list(read_games(text))


@pytest.mark.long
def test_long_comments_and_variations_cost_no_more_than_their_length() -> None:
    junk = "\n".join(["[" * 300_000, '[x "' * 100_000, '1-0 [A\\"' * 100_000, *['[A "\\'] * 100_000])
    game = only_game("h2e2 " + "(" * 200_000 + ")" * 200_000 + "{a}" * 300_000 + "1-0\n" + junk)
    assert len(game.comments[0]) == 599_999
    game = only_game("h2e2 " + "(h2d2 " * 60_000 + "x)" * 60_000 + "({a})" * 60_000)
    assert len(game.comments[0]) == 8 * 60_000 - 2 + 2 * 60_000


@pytest.mark.parametrize("line", ["\n{", "\n(", "\n1", '\n[A "', "\n \t"])
def test_a_megabyte_after_a_result_is_skipped_quickly(line: str) -> None:
    read = read_games("1. h2e2 1-0" + line * 300_000)
    assert next(read).result == "1-0"
    with contextlib.suppress(PgnError):
        assert not list(read)
