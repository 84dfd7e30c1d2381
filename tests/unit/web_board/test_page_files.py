"""The files of the board's page: their size, licences and words, and what its content policy demands."""

from __future__ import annotations

import ast
import functools
import gzip
import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("websockets", reason="needs websockets")

from game_core.review import MarkedMove
from game_core.session import DRAW, FIRST_WINS, SECOND_WINS, IllegalMove, Verdict
from gomoku_protocol.analysis import GomokuSubject, SetUp
from gomoku_protocol.points import FREESTYLE
from gomoku_protocol.why import why as gomoku_why
from junqi_protocol.records import display as junqi_words
from junqi_protocol.records.display import ENGLISH
from junqi_protocol.review.why import BETTER_ATTACK, EXPOSED, FLAG_FALLS, LINE_LOSES, RISK, Reason
from junqi_protocol.review.why import sentences as junqi_sentences
from sanqi.registry import GAMES
from ucci_engine.points import parse_move
from ucci_engine.why import facts
from ucci_engine.why.words import sentences
from web_board.games import Opened, PageGame, levels_of, open_new
from web_board.server import content_of

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data" / "review"
FOLDER = ROOT / "web_board" / "data"
BOARD_SCRIPT = ROOT / "board_pages" / "data" / "board.js"
SCRIPTS = [*sorted(FOLDER.glob("*.js")), BOARD_SCRIPT]
OWN_SCRIPTS = [path for path in SCRIPTS if path.name != "lit-html.js"]


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_sizes() -> None:
    assert sum(path.stat().st_size for path in [*FOLDER.iterdir(), BOARD_SCRIPT]) <= 300_000
    packed = [gzip.compress(content_of(path)) for path in [*SCRIPTS, *FOLDER.glob("*.css")]]
    assert sum(map(len, packed)) <= 45_000


def test_licences() -> None:
    """Each part that others have made is named."""
    licences = text_of(FOLDER / "LICENSES.txt")
    assert "lit-html.js:" in licences and "BSD 3-Clause" in licences
    assert "glyphs.json:" in licences and "SIL OPEN FONT LICENSE" in licences


def test_imports_are_files_of_the_page() -> None:
    for path in SCRIPTS:
        for name in re.findall(r"""(?:from|import\(|openFrom\(|openPanel\()\s*"\./([^"]+)\"""", text_of(path)):
            assert (FOLDER / name).is_file(), f"{path.name} imports {name}"


def test_nothing_that_the_content_policy_forbids() -> None:
    page = text_of(FOLDER / "index.html")
    assert "style=" not in page and not re.search(r"<script(?![^>]* src=)", page)
    forbidden = re.compile(r"""style="|setAttribute\("style|\beval\(|innerHTML|https?://(?!www\.w3\.org/)""")
    for path in OWN_SCRIPTS:
        assert not forbidden.search(text_of(path)), path.name


def test_every_word_has_a_chinese_one() -> None:
    known = set(json.loads(text_of(FOLDER / "chinese.json"))["words"])
    said = {word for path in OWN_SCRIPTS for word in re.findall(r'\bsay\("([^"]+)"', text_of(path))}
    assert len(said) > 50
    assert said - known == set()


def test_characters_of_the_boards_are_drawn() -> None:
    """They need no font."""
    glyphs = text_of(FOLDER / "glyphs.json")
    for path in ("ucci_engine/drawing.py", "ucci_engine/playback.py", "junqi_protocol/referee/match_game.py"):
        missing = [each for each in text_of(ROOT / path) if "\u4e00" <= each <= "\u9fff" and f'"{each}":' not in glyphs]
        assert missing == [], path


@functools.cache
def chinese() -> tuple[dict[str, str], list[tuple[re.Pattern[str], str]]]:
    """The words, and the pieces of sentences with what stands for them."""
    known = json.loads(text_of(FOLDER / "chinese.json"))
    flags = re.IGNORECASE | re.ASCII
    pieces = [(re.compile(pattern, flags), re.sub(r"\$(\d)", r"\\g<\1>", own)) for pattern, own in known["sentences"]]
    return known["words"], pieces


def in_chinese(sentence: str) -> str:
    """As translated() of words.js has it: a word, or the patterns one after the other."""
    words, pieces = chinese()
    if sentence in words:
        return words[sentence]
    for pattern, own in pieces:
        sentence = pattern.sub(own, sentence)
    return sentence


FROM_THE_FIRST_MOVE = {facts.MATES, facts.SEES_MATE, facts.MISSED_MATE, facts.MISSES_SEEN_MATE}


def xiangqi_reasons() -> list[str]:
    """Each motif of the first move of a line, and of a later one, alone and after another sentence."""
    pieces, squares = ("N", "R", "K"), tuple(parse_move(move) >> 7 for move in ("a0b2", "a0e7", "a0i9"))
    lines = (facts.PLAYED, facts.BETTER)
    names = {name for name, motif in vars(facts).items() if name.isupper() and isinstance(motif, str)}
    motifs = {getattr(facts, name) for name in names} - {*lines}
    found = []
    for line, motif in itertools.product(lines, sorted(motifs)):
        start = 7 if motif in (facts.LOSES, facts.MISSED_GAIN) else facts.FIRST[line]
        fact = facts.Fact(motif, line, 1, start, parse_move("h2e2"), "c", pieces, squares, 3, "RNPP", "CA")
        found.append(sentences([fact]))
        for plies in () if motif in FROM_THE_FIRST_MOVE else (2, 4):
            later = fact._replace(ply=start + plies)
            alone = later._replace(first=parse_move("b9c7"), first_piece="n")
            found += [sentences([alone]), sentences([fact, later])]
    return found


def gomoku_reasons() -> list[str]:
    cases = [json.loads(line) for line in text_of(DATA / "gomoku_motifs.jsonl").splitlines() if '"freestyle"' in line]
    found = []
    for case in cases:
        subject = GomokuSubject(case["size"][0], case["size"][1], FREESTYLE, SetUp(), case["moves"])
        lines = case["reply"], case["better"] or []
        marked = MarkedMove(len(case["moves"]), case["played"], *lines, case["mate"], case["mate_after"])
        found.append(gomoku_why(subject, marked))
    return found


def junqi_reasons() -> list[str]:
    chances = (0.25, 0.5, 0.25)
    found = [
        Reason(motif, "6", "e2", chances, 0.1, "d4") for motif in (RISK, EXPOSED, LINE_LOSES, FLAG_FALLS, BETTER_ATTACK)
    ]
    return [junqi_sentences([reason], ENGLISH) for reason in found]


@pytest.mark.parametrize("reasons", [xiangqi_reasons, gomoku_reasons, junqi_reasons])
def test_every_reason_of_a_mark_has_a_chinese_sentence(reasons: Callable[[], list[str]]) -> None:
    left = {reason: in_chinese(reason) for reason in reasons() if re.search("[A-Za-z]{2}", in_chinese(reason))}
    assert left == {}


def test_a_long_reason_in_chinese() -> None:
    assert (
        in_chinese(
            "Rook b9-b4 attacks the cannon on b3. The rook on b4 pins the cannon on b3 to the rook on b2."
            " Black wins a cannon for a pawn within 14 plies."
        )
        == "车 b9-b4 捉 b3 的炮。b4 的车牵制 b3 的炮，其后是 b2 的车。黑方在 14 个半回合内以兵换得炮。"
    )


@pytest.mark.parametrize(
    ("sentence", "chinese"),
    [
        (
            "Better: cannon e6-e4, then cannon b6-e6 gives a discovered check by the rook on e5. Later rook b9-b3"
            " takes the horse.",
            "更好的着法：先走炮 e6-e4，然后炮 b6-e6 使 e5 的车闪将。后来车 b9-b3 吃马。",
        ),
        (
            "Horse h9-g7, later after rook b9-b4 the rook on b4 pins the cannon on b3 to the rook on b2.",
            "先走马 h9-g7，后来走车 b9-b4 后，b4 的车牵制 b3 的炮，其后是 b2 的车。",
        ),
        (
            "Better: with cannon f6-f3 Black wins a pawn within 5 plies.",
            "更好的着法：走炮 f6-f3 后，黑方在 5 个半回合内净得兵。",
        ),
    ],
)
def test_the_moves_of_reasons_in_chinese(sentence: str, chinese: str) -> None:
    assert in_chinese(sentence).replace(" ", "") == chinese.replace(" ", "")


def test_the_dialog_of_a_new_game_is_in_chinese() -> None:
    words = json.loads(text_of(FOLDER / "chinese.json"))["words"]
    left = set()
    for game in GAMES.values():
        summary = PageGame(game).summary
        sides = [
            *summary["sides"],
            *itertools.chain.from_iterable(summary.get("sidesBy", {}).get("sides", {}).values()),
        ]
        for option in summary["options"]:
            # The names of renju's openings have their own characters.
            choices = [
                choice for choice in option.get("choices") or () if not re.search("[\u4e00-\u9fff]|^\\d*$", choice)
            ]
            helps = [option["help"]] if option.get("help") else []
            left |= {word for word in (option["title"], *choices) if word not in words}
            left |= {text for text in helps if text not in words and re.search("[a-z]{4}", in_chinese(text))}
        left |= {word for word in (summary["title"], summary["setUp"], *sides) if word and word not in words}
    assert left == set()


def test_what_can_be_typed_is_said_in_chinese() -> None:
    words = json.loads(text_of(FOLDER / "chinese.json"))["words"]
    assert [name for name, game in GAMES.items() if PageGame(game).display().typed_moves not in words] == []


# The sentences of the server

QUOTED = re.compile(r"'[^']*'|--[\w-]+|\.\w+")
"""What a person has written, options, and suffixes of files."""
NAMES = {
    *("FEN", "PGN", "XQF", "SGF", "WXF", "CBR", "CBL", "JSON", "UTF", "ASCII", "MiB", "KiB", "START", "END", "FORMAT"),
    *("SETUP", "Computer", "Asian", "Chinese", "Draw", "none", "full", "search", "path", "expect", "greedy", "events"),
    *("random", "weights", "record", "newgame", "lineup", "start", "moved", "skipped", "left", "illegal", "gameover"),
    *("out", "skips"),
}
"""Words that have no other form: formats, and the values of options."""
SOURCES = {
    "InputError": [
        "web_board/*.py",
        "gomoku_protocol/display.py",
        "ucci_engine/display.py",
        "junqi_protocol/display.py",
    ],
    "_refuse": ["web_board/*.py", "game_core/table.py"],
    "_error": ["web_board/server.py"],
    "IllegalMove": ["*_*/session.py", "gomoku_protocol/swap2.py"],
    "UnknownMove": ["*_*/session.py"],
    "NotationError": ["ucci_engine/notation.py"],
    "NoSuchMove": ["ucci_engine/notation.py"],
    "FenError": ["ucci_engine/fen.py"],
    "SetUpError": ["ucci_engine/position_command.py"],
    "LineupError": ["junqi_protocol/rules/lineup.py"],
    "RecordError": ["ucci_engine/*.py", "gomoku_protocol/*.py", "junqi_protocol/records/records.py"],
    "MessageError": ["junqi_protocol/records/records.py", "junqi_protocol/rules/messages.py"],
    "NotBegun": ["junqi_protocol/records/records.py"],
    "PgnError": ["ucci_engine/pgn.py"],
    "ValueError": ["game_core/game_clocks.py", "gomoku_protocol/page_board.py", "junqi_protocol/rules/geometry.py"],
}
"""Where texts that the page may show are raised, by what is called with them."""


def english_left(text: str) -> list[str]:
    """The English words of a sentence that its translation keeps."""
    found = re.findall(r"(?<![\w.])[A-Za-z]{3,}(?![\w])", QUOTED.sub("", in_chinese(text)))
    return [word for word in found if word not in NAMES]


def templates(argument: ast.expr) -> list[str]:
    """The texts of an argument; {} stands for what is put in."""
    match argument:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp():
            return [*templates(argument.body), *templates(argument.orelse)]
        case ast.JoinedStr():
            texts = [""]
            for part in argument.values:
                ends = templates(part.value) or ["{}"] if isinstance(part, ast.FormattedValue) else templates(part)
                texts = [text + end for text in texts for end in ends]
            return texts
    return []


def raised(name: str) -> list[str]:
    """The texts with which the sources call something."""
    found = []
    for path in sorted({path for pattern in SOURCES[name] for path in ROOT.glob(pattern)}):
        for call in ast.walk(ast.parse(text_of(path))):
            if isinstance(call, ast.Call) and call.args and ast.unparse(call.func).split(".")[-1] == name:
                found += [text for text in templates(call.args[0]) if re.search("[a-z]{3}", text.replace("{}", ""))]
    return found


@pytest.mark.parametrize("name", SOURCES)
def test_what_the_sources_refuse_is_said_in_chinese(name: str) -> None:
    found = raised(name)
    assert found
    left = {}
    for text in found:
        # What is put in is a number, a point, or what somebody has written.
        fills = [text.replace("{}", each) for each in ("7", "b3", "'q'")]
        if all(english_left(each) for each in fills):
            left[text] = in_chinese(fills[0])
    assert left == {}


def new_game(game: str, start: str = "", **options: str) -> Opened:
    return open_new(PageGame(GAMES[game]), options, 1, start)


def junqi_endings() -> Iterator[str]:
    """For who watches and for each seat."""
    lost = [
        (seats, result, reason)
        for seats, result in (("0,2", FIRST_WINS), ("1,3", SECOND_WINS), ("0", FIRST_WINS), ("1", SECOND_WINS))
        for reason in junqi_words._LOSSES
    ]
    ends = [("siguo" if "," in seats else "duel", Verdict(one, f"win {seats} {reason}")) for seats, one, reason in lost]
    ends += [("siguo", Verdict(DRAW, f"draw {reason}")) for reason in junqi_words._DRAWS]
    games = {variant: new_game("junqi", variant=variant) for variant in ("siguo", "duel")}
    for variant, verdict in ends:
        session, display, _ = games[variant]
        for seat in (None, *range(len(session.sides))):
            yield display.ending(session, verdict, seat)


def board_game_endings() -> Iterator[str]:
    for session, display, _ in (new_game("xiangqi"), new_game("gomoku"), new_game("gomoku", opening="swap2")):
        outside = [
            f"{side.capitalize()} {end}" for side in session.sides for end in ("resigned", "is out of time", "has lost")
        ]
        for reason, result in itertools.product([*display.endings, *outside], (FIRST_WINS, SECOND_WINS, DRAW)):
            for seat in (None, 0, 1):
                yield display.ending(session, Verdict(result, reason), seat)


BAD_MOVES = {
    "xiangqi": "zz b0d2 c0a3 e0f1 a9a8 a5a6 h2e3 b2b8 z9a1 俥二平五 C9.5 炮二平 Nz9 a0a0",
    "gomoku": "zz z9 8,99 h8",
    "junqi": "zz b2b3 i1i2 h1h2 g5g6",
}
BAD_STARTS = ("4k4/9/9/9/9/9/9/9/9/4K4 w", "4k4/R8/9/9/9/9/9/9/9/K8 w", "4k4/9/9 w", "x", "4k4/9/9/9/9/9/9/9/9/4KK3 w")


def bad_moves() -> Iterator[str]:
    for game, moves in BAD_MOVES.items():
        session = new_game(game).session
        if game == "gomoku":
            session.play("7,7")
        for move in moves.split():
            with pytest.raises(IllegalMove) as refusal:
                session.read_move(move)
            yield str(refusal.value)


def bad_options() -> Iterator[str]:
    """Values that options of a new game do not have, and starts that it cannot begin from."""
    for game, description in GAMES.items():
        for option in PageGame(description).page_board.options:
            with pytest.raises(ValueError) as refusal:
                new_game(game, **{option: "zz"})
            yield str(refusal.value)
            assert "--" not in str(refusal.value)
    for start in BAD_STARTS:
        with pytest.raises(ValueError) as refusal:
            new_game("xiangqi", start)
        yield str(refusal.value)


@pytest.mark.parametrize("sentences", [junqi_endings, board_game_endings, bad_moves, bad_options])
def test_what_games_say_is_said_in_chinese(sentences: Callable[[], Iterator[str]]) -> None:
    found = set(sentences())
    assert len(found) > 10
    assert {
        text: in_chinese(text) for text in found if english_left(text) or re.search("[,:;] ", in_chinese(text))
    } == {}


@pytest.mark.parametrize(
    ("english", "own"),
    [
        ("Seats 1 and 3 win: seat 2 has no legal move.", "1、3 号位胜：2 号位无棋可走。"),
        ("Seat 1 wins: you have resigned.", "1 号位胜：你认输。"),
        ("Black wins: checkmate. You lose.", "黑方胜：将死。你输了。"),
        ("the analysis begins when the game is over", "对局结束后才能分析"),
        (
            "Red advisor on a3, Black pawn on f9: no move leads there; the position is searched all the same",
            "a3 的红方士、f9 的黑方兵：没有着法能走到那里，仍可分析",
        ),
        ("e6e7 both die; seat 1's flag is on b1", "e6e7 同尽；1 号位的军旗在 b1"),
        ("e6e7 takes; seat 2 is out (flag)", "e6e7 吃；2 号位出局（军旗被夺）"),
        ("e6e7 dies", "e6e7 亡"),
        ("does not move (pass, 2)", "停一手（第 2 次）"),
        ("The move leaves the king on e1 attacked.", "这一着没有解救 e1 的帅。"),
        ("the side that is not to move is in check: e8e9 takes the king", "轮到的一方可以吃将：e8e9"),
        ("the side that is not to move is in check: e1e0 takes the king", "轮到的一方可以吃帅：e1e0"),
        ("The move leaves the king on e9 attacked.", "这一着没有解救 e9 的将。"),
        ("准确度: 红方 91.2 %, 黑方 80.0 %", "准确度：红方 91.2 %，黑方 80.0 %"),
        (
            "Expected score of seats 0 and 2: 50 % at first, 61 % at the end, highest 70 % after move 12,"
            " lowest 40 % at the start. As seats 1 and 3 saw it: 50 % at first, 30 % at the end.",
            "0、2 号位的期望得分：开始 50 %，最后 61 %，最高 70 %（第 12 步后），最低 40 %（开局）。"
            "1、3 号位看来：开始 50 %，最后 30 %。",
        ),
        (
            "Red checks with every move, and the position is there for the third time: Red loses",
            "红方长将，局面第 3 次出现：红方负",
        ),
        ("too many plies without a capture: a draw", "长时间没有吃子：和棋"),
        ("Seat 1 does not move (pass, 1).", "1 号位停一手（第 1 次）"),
        (
            "'a.pgn': line 7: 'B7-B0' is not legal here, in 4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1",
            "'a.pgn'：第 7 行：'B7-B0' 不合规则（4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1）",
        ),
        (
            "'a.xqf': offset 0x400: move 1, a0a9, is not legal in 4k4/9/9/9/9/9/9/9/9/4K4 w",
            "'a.xqf'：偏移 0x400：第 1 步：a0a9 不合规则（4k4/9/9/9/9/9/9/9/9/4K4 w）",
        ),
        ("'a.sgf': no SGF: no '(;' in it", "'a.sgf'：不是 SGF：其中没有 '(;'"),
    ],
)
def test_sentences_in_chinese(english: str, own: str) -> None:
    assert in_chinese(english) == own


def test_levels_have_chinese_names() -> None:
    words, _ = chinese()
    names = {name for game in GAMES.values() for name in levels_of(PageGame(game).display())}
    assert {name for name in names if not name.isdecimal()} - words.keys() == set()
