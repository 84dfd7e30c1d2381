"""`sanqi review`: the real program on small games, on broken ones and on bad command lines."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from game_core.command_parser import columns
from game_review.review_figures import MARKS
from tests.helpers.in_process import run_here, sanqi
from tests.helpers.terminal import shown_lines
from tests.protocol.conftest import PROGRAM

QUICK = ("--nodes", "500")
HANGS_A_ROOK = "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 h0h7 g9e7"
"""Red's rook goes to h7, where Black could take it."""
TAKES = ("b7h7", "h9h7")
GAME = f"""[Red "Ann \u7532"]
[Black "<script>alert(1)</script>"]

1. {HANGS_A_ROOK} 0-1
"""
FIVE = "Piskvorky 15x15, 0:0, 0\n8,8,1000\n1,1,6000\n9,8,1000\n1,3,70000\n10,8,1\n1,5,1\n11,8,1\n1,7,1\n12,8,1\n"


def review(
    *arguments: str | Path, folder: Path, data: str = "", status: int = 0, encoding: str = "utf-8"
) -> tuple[str, str]:
    """What the program says on both outputs. `encoding`: of its terminal."""
    done = sanqi("review", *arguments, cwd=folder, data=data.encode(), encoding=encoding)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game.pgn").write_text(GAME, encoding="utf-8")
    (tmp_path / "five.psq").write_text(FIVE, encoding="ascii")
    return tmp_path


def document(file: Path) -> dict[str, Any]:
    found = json.loads(file.read_bytes())
    assert isinstance(found, dict)
    return found


def test_the_table_of_a_game(folder: Path) -> None:
    said, errors = review("game.pgn", *QUICK, "--notation", "iccs", folder=folder)
    assert errors == ""
    lines = said.splitlines()
    assert lines[0].startswith("'game.pgn', game 1: Ann \u7532 (red) - <script>alert(1)</script> (black), 0-1")
    assert all(columns(line) <= 100 for line in lines[1:])
    (head,) = (line for line in lines if line.startswith("      side"))
    assert head.split() == ["side", "played", "red", "%", "loss", "mark", "better"]
    row = next(line for line in lines if line.startswith("   7 ")).split()
    assert row[:3] == ["7", "red", "H0-H7"] and row[5:7] == ["??", "blunder"]
    assert [line.split()[0] for line in lines if re.match(r"(red|black) +\d", line)] == ["red", "black"]


def test_the_document(folder: Path) -> None:
    review("game.pgn", *QUICK, "--json", "out.json", "--notation", "wxf", folder=folder)
    found = document(folder / "out.json")
    assert list(found) == ["version", "program", "settings", "games", "errors", "summary"]
    assert found["settings"] == {
        "timeMs": None,
        "nodes": 500,
        "secondSearch": 4,
        "thresholds": {"inaccuracy": 5.0, "mistake": 10.0, "blunder": 20.0},
        "notation": "wxf",
    }
    (game,) = found["games"]
    assert (game["source"], game["number"], game["game"], game["complete"]) == ("game.pgn", 1, "xiangqi", True)
    assert game["headers"] == {"Red": "Ann \u7532", "Black": "<script>alert(1)</script>"}
    assert (game["players"], game["result"]) == (["red", "black"], {"result": "0-1", "reason": ""})
    assert [ply["move"] for ply in game["plies"]] == HANGS_A_ROOK.split()
    assert list(game["plies"][0]) == [
        "ply", "side", "move", "names", "name", "comment", "spentMs", "phase", "before", "played", "loss", "mark",
        "confirmed", "best", "isBest", "book", "forced", "counted", "turningPoint", "missedWin", "rule",
    ]  # fmt: skip
    ply = game["plies"][6]
    assert (ply["mark"], ply["confirmed"], ply["turningPoint"], ply["name"]) == ("blunder", True, True, "R2+7")
    assert ply["loss"] == pytest.approx(ply["before"]["winrate"] - ply["played"]["winrate"], abs=2e-4)
    assert ply["played"]["pv"][0] in TAKES
    assert len(ply["best"]["pv"]) == len(ply["best"]["pvNames"]) and ply["best"]["move"] != ply["move"]
    assert sum(ply["before"]["wdl"]) == pytest.approx(1, abs=2e-4)
    missed = game["plies"][7]
    assert (missed["side"], missed["mark"], missed["best"]["move"] in TAKES) == ("black", "blunder", True)
    assert game["sides"]["red"]["blunders"] == game["sides"]["black"]["blunders"] == 1
    for side in ("red", "black"):
        plies = [ply for ply in game["plies"] if ply["side"] == side]
        assert (game["sides"][side]["moves"], game["sides"][side]["counted"]) == (
            len(plies), sum(ply["counted"] for ply in plies),
        )  # fmt: skip


def test_a_terminal_without_chinese(folder: Path) -> None:
    said, _ = review("game.pgn", *QUICK, "--json", "out.json", folder=folder, encoding="ascii")
    assert "   1  red    H2-E2 " in said
    assert document(folder / "out.json")["games"][0]["notation"] == "iccs"


def test_the_page(folder: Path) -> None:
    review("game.pgn", *QUICK, "--html", "out.html", folder=folder)
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert page.startswith("<!") and "<script>alert(1)" not in page
    _, errors = review("game.pgn", *QUICK, "--html", "out.html", folder=folder, status=2)
    assert errors == "sanqi review: --html 'out.html': the file exists already\n"


def test_the_same_nodes_give_the_same_review(folder: Path) -> None:
    for threads in ("1", "3"):
        review("game.pgn", "five.psq", *QUICK, "--json", f"{threads}.json", "--threads", threads, folder=folder)
    assert (folder / "1.json").read_bytes() == (folder / "3.json").read_bytes()


@pytest.mark.long
def test_the_memory_does_not_depend_on_the_threads(folder: Path) -> None:
    """Of 240,000 nodes, a table of 1 MB keeps fewer than one of 2 MB."""
    limits = ("--nodes", "30000", "--hash", "1")
    for threads in ("1", "2"):
        review("game.pgn", *limits, "--json", f"{threads}.json", "--threads", threads, folder=folder)
    review("game.pgn", *limits[:3], "2", "--json", "other.json", "--threads", "1", folder=folder)
    assert (folder / "1.json").read_bytes() == (folder / "2.json").read_bytes()
    assert (folder / "1.json").read_bytes() != (folder / "other.json").read_bytes()


def test_by_default_nodes_limit_a_search(folder: Path) -> None:
    """A time would give other marks each time."""
    (folder / "short.pgn").write_text('[FEN "3k5/9/R8/1R7/9/9/9/9/9/4K4 w"]\n\n1. b6d6 *\n')
    review("short.pgn", "--json", "out.json", folder=folder)
    settings = document(folder / "out.json")["settings"]
    assert (settings["nodes"], settings["timeMs"]) == (100_000, None)


def test_the_progress_in_a_narrow_terminal(folder: Path) -> None:
    """It counts positions, not stretches of them, and what is looked at again."""
    pytest.importorskip("pty", reason="needs pseudo terminals")
    command = [*PROGRAM, "review", "game.pgn", "--nodes", "30000", "--threads", "1"]
    shown = [line for line in shown_lines(command, 40, folder) if re.search(r"\d/\d", line) and "\u2501" in line]
    assert all(columns(line) <= 40 and re.search(r" +\d+/\d+ [-\d]:[-\d]{2}:[-\d]{2}$", line) for line in shown)
    counts = [tuple(map(int, line.split()[-2].split("/"))) for line in shown]
    assert counts[0] == (0, 9) and counts[-1][0] == counts[-1][1] > 9
    assert counts == sorted(counts)


def test_a_missed_five(folder: Path) -> None:
    """Black has a four with one free end and plays elsewhere. White stops it then."""
    rows = "8,8\n7,8\n9,8\n1,3\n10,8\n1,5\n11,8\n1,7\n3,3\n12,8\n"
    (folder / "missed.psq").write_text("Piskvorky 15x15, 0:0, 0\n" + re.sub("$", ",1", rows.strip(), flags=re.M) + "\n")
    said, _ = review("missed.psq", *QUICK, "--json", "out.json", folder=folder)
    ply = document(folder / "out.json")["games"][0]["plies"][8]
    assert (ply["missedWin"]["mate"], ply["missedWin"]["pv"]) == (1, ["11,7"])
    assert "Missed wins:\n" in said and "  9. c13 (black): a win in 1, l8\n" in said


def test_the_end_of_a_game(folder: Path) -> None:
    review("five.psq", *QUICK, "--json", "out.json", folder=folder)
    (game,) = document(folder / "out.json")["games"]
    assert game["result"] == {"result": "1-0", "reason": "five"}
    assert game["plies"][8]["played"]["ended"] == {"result": "1-0", "reason": "five"}
    assert [ply["spentMs"] for ply in game["plies"][:4]] == [1000, 6000, 1000, 70000]
    assert game["start"]["size"] == [15, 15]


FOUL = "(;GM[4]SZ[15]RU[renju];B[hh];W[aa];B[gh];W[ac];B[ii];W[ae];B[ij];W[ag];B[ih])"
"""The last move makes two open threes."""


def test_moves_after_the_end_are_left_out(folder: Path) -> None:
    (folder / "five.psq").write_text(f"{FIVE}2,2,1\n3,3,1\n", encoding="ascii")
    (folder / "foul.sgf").write_text(FOUL, encoding="ascii")
    command = ("five.psq", "foul.sgf", *QUICK, "--json", "out.json")
    _, errors = review(*command, "--html", "out.html", folder=folder)
    five, foul = document(folder / "out.json")["games"]
    hint = "; the rule may be another one, see --rule"
    assert five["leftOut"] == {"moves": 2, "reason": f"move 10: 1,1 comes after the end of the game{hint}"}
    assert (len(five["plies"]), five["result"]) == (9, {"result": "1-0", "reason": "five"})
    assert foul["leftOut"] == {"moves": 1, "reason": "move 9: 8,7 is forbidden to Black"}
    assert len(foul["plies"]) == 8
    assert errors.splitlines() == [
        f"sanqi review: 'five.psq': game 1: the last 2 moves are left out; {five['leftOut']['reason']}",
        f"sanqi review: 'foul.sgf': game 1: the last move is left out; {foul['leftOut']['reason']}",
    ]
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert "the last move is left out; move 9: 8,7 is forbidden to Black." in page
    whole = (folder / "out.json").read_bytes()
    review(*command, "--resume", folder=folder)
    assert (folder / "out.json").read_bytes() == whole
    (folder / "foul.sgf").write_text(FOUL.replace("B[ih]", "B[aa]"), encoding="ascii")
    _, errors = review("foul.sgf", *QUICK, folder=folder, status=2)
    assert errors.count("\n") == 1 and "move 9: B[aa] is a point that has a stone already" in errors


def test_rules_are_named(folder: Path) -> None:
    moves = " ".join(["f0e0 e8f8 e0f0 f8e8"] * 2)
    (folder / "checks.pgn").write_text(f'[FEN "9/4k4/9/9/9/9/9/9/2p6/3K1RBc1 w"]\n\n1. {moves}\n')
    said, _ = review("checks.pgn", *QUICK, "--json", "out.json", folder=folder)
    assert "Rules:\n  4. " in said and "Red checks with every move" in said
    (game,) = document(folder / "out.json")["games"]
    assert game["plies"][7]["rule"]["kind"] == "perpetual check"
    assert game["result"] == {"result": "0-1", "reason": "perpetual-loss"}
    drawn, _ = review("checks.pgn", *QUICK, "--repetition-rule", "Draw", folder=folder)
    assert "there for the third time: a draw" in drawn


def test_a_folder_and_its_summary(folder: Path) -> None:
    sub = folder / "games" / "sub"
    sub.mkdir(parents=True)
    for name in ("game.pgn", "five.psq"):
        (folder / name).rename(sub / name)
    (sub / "notes.txt").write_text("no game")
    said, errors = review("games", *QUICK, "--json", "out.json", folder=folder)
    assert errors == "" and "games: 2, moves: 17" in said and "Worst moves:" in said
    found = document(folder / "out.json")
    assert [Path(game["source"]).name for game in found["games"]] == ["five.psq", "game.pgn"]
    summary = found["summary"]
    assert (summary["games"], summary["complete"], summary["moves"], summary["errors"]) == (2, 2, 17, 0)
    assert list(summary["byTime"]) == ["under 5 s", "5 to 15 s", "a minute and more"]
    assert set(summary["byPlayer"]) == {"Ann \u7532", "<script>alert(1)</script>"}
    assert summary["worst"][0]["mark"] == "blunder"


BROKEN = {
    "illegal.pgn": ("1. h2e2 a9a0 *", "game 1: line 1: 'a9a0' is not legal here"),
    "binary.pgn": ("\x00\x01\x02[[[{{{", "game 1: line 1: "),
    "empty.pgn": ("", "there is no game in it"),
    "cut.xqf": ("XQ", "offset 0x"),
    "cut.cbl": ("CCBridge", "a CBL file begins with"),
    "empty.cbl": ("CCBridgeLibrary\0", "there is no game in it"),
    "turns.sgf": ("(;GM[4]SZ[15];B[hh];B[ii])", "move 2: Black plays out of turn"),
    "deep.sgf": ("(" * 5000, "no SGF"),
    "points.psq": ("Piskvorky 15x15, 0:0, 0\n8,8,1\n8,8,1\n", "line 3: 8,8,1 is a point that has a stone already"),
    "cut.hex": ("88", "88"),
    "none.jgr": ("junqi", "line 1: the record ends before the start of the game"),
}


def test_a_text_is_of_the_game_that_its_content_shows(folder: Path) -> None:
    texts = {
        "x.txt": b"# \xe7\x82\xae\nposition startpos moves h2e2 h9g7\n",
        "g.txt": b"881 782\n",
        "bad.txt": b"position startpos moves h2e9 x\n",
        "none.txt": b"positions\n",
    }
    for name, data in texts.items():
        (folder / name).write_bytes(data)
    _, errors = review(*texts, *QUICK, "--json", "out.json", folder=folder, status=1)
    assert errors.splitlines() == [
        "sanqi review: 'bad.txt': line 1: move 1: 'h2e9' is not legal there with ranks 0-9",
        "sanqi review: 'none.txt': begins like no file in position, hex or pos; give --from",
    ]
    found = [(game["source"], game["game"], len(game["plies"])) for game in document(folder / "out.json")["games"]]
    assert found == [("x.txt", "xiangqi", 2), ("g.txt", "gomoku", 2)]


def test_a_game_that_is_given_twice_is_reviewed_once(folder: Path) -> None:
    _, errors = review(".", "game.pgn", *QUICK, "--json", "out.json", folder=folder)
    assert errors == "sanqi review: 'game.pgn': given twice, reviewed once\n"
    assert [game["source"] for game in document(folder / "out.json")["games"]] == ["five.psq", "game.pgn"]


def test_broken_games_are_named_and_the_others_reviewed(folder: Path) -> None:
    for name, (text, _) in BROKEN.items():
        (folder / name).write_bytes(text.encode())
    two = f"1. h2e2 rubbish\n\n{GAME}"
    (folder / "two.pgn").write_text(two, encoding="utf-8")
    _, errors = review(".", *QUICK, "--json", "out.json", folder=folder, status=1)
    found = document(folder / "out.json")
    assert sorted(Path(game["source"]).name for game in found["games"]) == ["five.psq", "game.pgn", "two.pgn"]
    lines = errors.splitlines()
    assert len(lines) == len(BROKEN) + 1 == len(found["errors"])
    for name, (_, reason) in BROKEN.items():
        (line,) = (line for line in lines if f"{name}'" in line)
        assert reason in line, line
        assert line.startswith("sanqi review: '")
    (line,) = (line for line in lines if "two.pgn'" in line)
    assert "game 1: line 1: " in line
    assert {error["number"] for error in found["errors"] if error["source"].endswith("two.pgn")} == {1}


def test_nothing_but_broken_games(folder: Path) -> None:
    (folder / "a.pgn").write_text("rubbish")
    said, errors = review("a.pgn", "missing.pgn", "a.doc", *QUICK, folder=folder, status=2)
    assert said == "" and errors.count("\n") == 3
    assert "'missing.pgn': cannot be read: No such file" in errors


def test_of_a_long_name_the_end_is_shown(folder: Path) -> None:
    name = f"{'league/' * 9}第一轮.pgn"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text("rubbish")
    _, errors = review(name, *QUICK, folder=folder, status=2)
    assert errors.startswith("sanqi review: '...") and "league/第一轮.pgn': game 1: line 1: " in errors


def test_games_of_a_file(folder: Path) -> None:
    (folder / "two.pgn").write_text("1. a0a1 *\n\n1. h2e2 h9g7 *\n")
    said, _ = review("two.pgn", "--game", "2", *QUICK, folder=folder)
    assert said.startswith("'two.pgn', game 2: ")
    _, errors = review("two.pgn", "--game", "3", *QUICK, folder=folder, status=2)
    assert errors == "sanqi review: 'two.pgn': it has no game 3\n"


def test_the_standard_streams(folder: Path) -> None:
    said, errors = review("-", "--from", "hex", "--json", "-", *QUICK, folder=folder, data="881 782 111")
    assert errors == ""
    (game,) = json.loads(said)["games"]
    assert (game["source"], [ply["move"] for ply in game["plies"]]) == ("-", ["7,7", "6,7", "0,0"])


def test_a_game_without_moves(folder: Path) -> None:
    (folder / "none.pgn").write_text('[Red "a"]\n\n*\n')
    said, _ = review("none.pgn", *QUICK, "--json", "out.json", folder=folder)
    assert said == "'none.pgn', game 1: a (red) - black\n\nThe game has no moves.\n"
    assert document(folder / "out.json")["games"][0]["plies"] == []


def test_a_review_that_is_there_is_kept(folder: Path) -> None:
    (folder / "out.json").write_text("precious")
    for more, reason in (((), "the file exists already"), (("--resume",), "not a review, nothing was changed")):
        _, errors = review("game.pgn", *QUICK, "--json", "out.json", *more, folder=folder, status=2)
        assert reason in errors and errors.count("\n") == 1
    for text in ("[]", "{}", '{"version": 2}', '{"version": 1, "games": [1]}', "[" * 100_000):
        (folder / "out.json").write_text(text)
        done = run_here("review", "game.pgn", *QUICK, "--json", "out.json", "--resume", cwd=folder)
        assert done.returncode == 2 and "Traceback" not in done.stderr
        assert (folder / "out.json").read_text() == text


def test_what_is_there_and_no_page_is_kept(folder: Path) -> None:
    command = ("game.pgn", *QUICK, "--json", "out.json", "--resume")
    review(*command, "--html", "out.html", folder=folder)
    review(*command, "--html", "out.html", folder=folder)  # an old page is replaced
    _, errors = review(*command, "--html", "game.pgn", folder=folder, status=2)
    assert errors == "sanqi review: --html 'game.pgn': the file exists already\n"
    assert (folder / "game.pgn").read_text(encoding="utf-8") == GAME
    _, errors = review("game.pgn", *QUICK, "--json", "same", "--html", "./same", folder=folder, status=2)
    assert errors == "sanqi review: --json and --html name the same file\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_the_files_are_written_if_nobody_reads_the_table(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [*PROGRAM, "review", "game.pgn", *QUICK, "--json", "out.json", "--html", "out.html"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=folder, timeout=120)
    assert (done.returncode, done.stderr) == (2, b"sanqi: standard output: No space left on device\n")
    assert document(folder / "out.json")["games"][0]["complete"] is True
    assert (folder / "out.html").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_folder_with_a_pipe_and_links_in_a_circle(folder: Path) -> None:
    os.mkfifo(folder / "pipe.pgn")
    (folder / "round.pgn").symlink_to("round.pgn")
    (folder / "up").symlink_to("..")
    (folder / "folder.pgn").mkdir()
    said, errors = review(".", *QUICK, folder=folder, status=1)
    assert "games: 2, moves: 17" in said
    assert errors == "sanqi review: 'round.pgn': cannot be read: Too many levels of symbolic links\n"


@pytest.mark.skipif(sys.platform != "linux", reason="needs names of files that are no text")
def test_a_file_whose_name_is_no_text(folder: Path) -> None:
    source = os.fsdecode(b"\xff\xe9.pgn")
    (folder / source).write_text(GAME, encoding="utf-8")
    command = (source, *QUICK, "--json", "out.json", "--html", "out.html")
    review(*command, folder=folder)
    found = document(folder / "out.json")
    assert found["games"][0]["source"] == source
    found["games"][0]["plies"][0]["why"] = "kept"
    (folder / "out.json").write_text(json.dumps(found))
    review(*command, "--resume", folder=folder)
    assert document(folder / "out.json")["games"][0]["plies"][0]["why"] == "kept"


DAMAGED_SEARCHES = [
    {"searches": searches, "complete": False}
    for searches in (
        [],
        {"values": 5},
        {"values": {"x": {}}},
        {"values": {"0": 5}},
        *(
            {"values": {str(turn): value for turn in range(9)}}
            for value in (
                {"winrate": 0.5},
                {"winrate": 0.5, "wdl": [0, 1, 0], "pv": [], "pvNames": []},
                {"winrate": 0.5, "wdl": [0, 1, 0], "pv": ["rubbish"], "pvNames": ["rubbish"]},
                {"winrate": 0.5, "wdl": [0, 1], "pv": ["h2e2"], "pvNames": ["x"]},
                {"winrate": 5, "wdl": [0, 1, 0], "pv": ["h2e2"], "pvNames": ["x"]},
                {"winrate": 0.5, "wdl": [0, 1, 0], "pv": ["h2e2"], "pvNames": []},
                {"winrate": 0.5, "wdl": [0, 1, 0], "pv": ["h2e2"], "pvNames": ["x"], "mate": "3"},
                {"winrate": 0.5, "wdl": [0, 1, 0], "pv": ["h2e2"], "pvNames": ["x"], "ended": "3"},
            )
        ),
        {"seconds": {"0": 5}},
        {"seconds": {"0": {"best": {"winrate": 0.5}}}},
    )
]


DAMAGED_GAMES = [{"plies": 5}, {"sides": None}, {"plies": [{"move": "a0a1"}]}, *DAMAGED_SEARCHES]


@pytest.mark.parametrize(
    "damages",
    [
        pytest.param(DAMAGED_GAMES[::6], id="some"),
        pytest.param(DAMAGED_GAMES, id="all", marks=pytest.mark.long),
    ],
)
def test_resume_searches_only_what_is_missing(damages: list[dict[str, Any]], folder: Path) -> None:
    command = ("game.pgn", "five.psq", *QUICK, "--json", "out.json")
    review(*command, folder=folder)
    whole = (folder / "out.json").read_bytes()
    changed = document(folder / "out.json")
    changed["games"][0]["plies"][0]["why"] = "kept"
    del changed["games"][1]
    (folder / "out.json").write_text(json.dumps(changed))
    review(*command, "--resume", folder=folder)
    found = document(folder / "out.json")
    assert found == changed | {"games": [changed["games"][0], json.loads(whole)["games"][1]]}
    for damage in damages:
        changed = json.loads(whole)
        changed["games"][0].update(damage)
        (folder / "out.json").write_text(json.dumps(changed))
        review(*command, "--resume", folder=folder)
        assert (folder / "out.json").read_bytes() == whole
    _, errors = review("five.psq", *QUICK, "--json", "out.json", "--resume", folder=folder, status=2)
    assert errors == "sanqi review: --resume: 'out.json' has 'game.pgn', game 1, too; name it, or another --json\n"
    assert (folder / "out.json").read_bytes() == whole
    _, errors = review("game.pgn", "--nodes", "501", "--json", "out.json", "--resume", folder=folder, status=2)
    assert errors == "sanqi review: --resume: 'out.json' was made with other settings\n"
    other_rules = ("--resume", "--quiet-limit", "100")
    _, errors = review(*command, *other_rules, folder=folder, status=2)
    assert errors == "sanqi review: --resume: 'out.json' was made by other rules or with another --see\n"
    assert (folder / "out.json").read_bytes() == whole


def test_resume_finds_games_whose_numbers_have_changed(folder: Path) -> None:
    games = ["1. h2e2 h9g7 *\n\n", "1. b2e2 b9c7 *\n\n", "1. c3c4 g6g5 *\n\n"]
    command = ("club.pgn", *QUICK, "--json", "out.json")
    (folder / "club.pgn").write_text("".join(games[1:]))
    review(*command, folder=folder)
    earlier = document(folder / "out.json")
    for number, game in enumerate(earlier["games"]):
        game["plies"][0]["why"] = f"kept {number}"  # what is searched again has another one
    (folder / "out.json").write_text(json.dumps(earlier))
    (folder / "club.pgn").write_text("".join(games))
    review(*command, "--resume", folder=folder)
    found = document(folder / "out.json")["games"]
    assert [game["number"] for game in found] == [1, 2, 3]
    assert [game["plies"][0].get("why") for game in found[1:]] == ["kept 0", "kept 1"]


def test_resume_has_what_the_record_says_now(folder: Path) -> None:
    command = ("a.pgn", *QUICK, "--json", "out.json")
    (folder / "a.pgn").write_text('[Red "Ann"]\n\n1. h2e2 {old} h9g7 *\n')
    review(*command, folder=folder)
    earlier = document(folder / "out.json")
    (folder / "a.pgn").write_text('[Red "Anne"]\n[Result "1-0"]\n\n1. h2e2 {new} h9g7 1-0\n')
    review(*command, "--resume", folder=folder)
    [game] = document(folder / "out.json")["games"]
    assert (game["names"][0], game["result"]["result"], game["plies"][0]["comment"]) == ("Anne", "1-0", "new")
    assert [ply["played"] for ply in game["plies"]] == [ply["played"] for ply in earlier["games"][0]["plies"]]
    (folder / "a.pgn").write_text("1. h2e2 h9g7 *\n")
    review(*command, "--resume", folder=folder)
    assert document(folder / "out.json")["games"][0]["result"]["result"] == "*"


def test_resume_loses_no_game_whose_file_cannot_be_read(folder: Path) -> None:
    (folder / "a.pgn").write_text("1. h2e2 h9g7 *\n")
    command = ("a.pgn", "game.pgn", *QUICK, "--json", "out.json")
    review(*command, folder=folder)
    whole = (folder / "out.json").read_bytes()
    for text in (None, "1. h2e2 zz *\n"):
        (folder / "a.pgn").unlink(missing_ok=True)
        if text is not None:
            (folder / "a.pgn").write_text(text)
        _, errors = review(*command, "--resume", folder=folder, status=2)
        assert "--resume: 'out.json' has 'a.pgn', game 1, too" in errors
        assert (folder / "out.json").read_bytes() == whole


@pytest.mark.parametrize(
    "settings",
    [
        {"thresholds": dict(zip(MARKS, (1, 2.5, 4)))},
        *(
            pytest.param(settings, marks=pytest.mark.long)
            for settings in ({"timeMs": 7, "nodes": None}, {"notation": "wxf"})
        ),
    ],
)
def test_resume_has_the_settings_of_the_file(folder: Path, settings: dict[str, Any]) -> None:
    review("game.pgn", *QUICK, "--json", "out.json", folder=folder)
    earlier = document(folder / "out.json")
    earlier["settings"] |= settings
    (folder / "out.json").write_text(json.dumps(earlier))
    review("game.pgn", "--json", "out.json", "--resume", folder=folder)
    found = document(folder / "out.json")
    assert found["settings"] == earlier["settings"]
    assert found["games"][0] == earlier["games"][0]
    for more in (("--nodes", "501"), ("--movetime", "8"), ("--notation", "iccs"), ("--mistake", "11")):
        _, errors = review("game.pgn", "--json", "out.json", "--resume", *more, folder=folder, status=2)
        assert errors == "sanqi review: --resume: 'out.json' was made with other settings\n"


@pytest.mark.parametrize(
    "settings",
    [
        {"nodes": None},
        {"nodes": "500"},
        {"nodes": 0},
        {"nodes": True},
        {"timeMs": 100},
        {"timeMs": 10**10, "nodes": None},
        {"thresholds": {"inaccuracy": 5, "slip": 2}},
        {"thresholds": {"inaccuracy": "5", "mistake": 10, "blunder": 20}},
        {"thresholds": {"inaccuracy": 5, "mistake": 10, "blunder": 200}},
        {"thresholds": 5},
        {"notation": 5},
    ],
)
def test_damaged_settings_are_refused(folder: Path, settings: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"timeMs": None, "nodes": 500, "secondSearch": 4, "notation": None}
    usual["thresholds"] = {"inaccuracy": 5.0, "mistake": 10.0, "blunder": 20.0}
    text = json.dumps({"version": 1, "settings": usual | settings, "games": []})
    (folder / "out.json").write_text(text)
    done = run_here("review", "game.pgn", "--json", "out.json", "--resume", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "sanqi review: --json 'out.json': its settings are none of a review, nothing was changed\n"
    assert (folder / "out.json").read_text() == text


@pytest.mark.skipif(sys.platform != "linux", reason="the test sees in /proc that the searches have begun")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_what_is_done(folder: Path, number: signal.Signals) -> None:
    """An earlier review has one game; of the other one nothing is known yet."""
    command = ("game.pgn", "five.psq", "--nodes", str(10**12), "--json", "out.json", "--threads", "1")
    review("game.pgn", *QUICK, "--json", "out.json", folder=folder)
    done = document(folder / "out.json")
    done["settings"]["nodes"] = 10**12
    (folder / "out.json").write_text(json.dumps(done))
    program = subprocess.Popen(
        [*PROGRAM, "review", *command, "--resume"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    while len(os.listdir(f"/proc/{program.pid}/task")) < 3:  # the main thread, the reviewer, its search
        assert program.poll() is None
    program.send_signal(number)
    said, errors = program.communicate(timeout=60)
    assert program.returncode == 130
    assert errors.decode().splitlines() == [
        "sanqi review: interrupted; what is known is being written",
        "sanqi review: interrupted after 1 of 2 games; continue with --resume",
    ]
    assert b"'game.pgn', game 1" in said and b"five.psq" not in said
    found = document(folder / "out.json")
    assert found["games"][0] == done["games"][0]
    assert (found["games"][1]["complete"], found["games"][1]["plies"][0]["loss"]) == (False, None)


# No file system has such a long name. Windows says so only when the file gets its name.
TOO_LONG = [] if sys.platform == "win32" else [(("game.pgn", "--json", "x" * 256), "--json '...xxxx")]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "the following arguments are required: GAME"),
        (("game.pgn", "--movetime", "0"), "--movetime: expected a number from 1"),
        (("game.pgn", "--movetime", "x"), "--movetime: expected a number from 1"),
        (("game.pgn", "--movetime", "5", "--nodes", "5"), "not allowed with argument"),
        (("game.pgn", "--nodes", "-5"), "--nodes: expected a number from 1"),
        (("game.pgn", "--threads", "0"), "--threads: expected a number from 1"),
        (("game.pgn", "--hash", "0"), "--hash: expected a number from 1"),
        (("game.pgn", "--game", "0"), "--game: expected a number from 1"),
        (("game.pgn", "--blunder", "101"), "--blunder: expected a number above 0 and up to 100"),
        (("game.pgn", "--blunder", "nan"), "--blunder: expected a number above 0 and up to 100"),
        (("game.pgn", "--mistake", "0"), "--mistake: expected a number above 0 and up to 100"),
        (("game.pgn", "--mistake", "25"), "must grow from one to the next"),
        (("game.pgn", "--notation", "letters"), "--notation letters: xiangqi has chinese, iccs"),
        (("game.pgn", "--notation", "runes"), "'runes' is not one of chinese"),
        (("game.pgn", "--from", "doc"), "'doc' is not one of pgn"),
        (("game.pgn", "--rule", "chess"), "'chess' is not one of freestyle"),
        (("game.pgn", "--repetition-rule", "x"), "expected one of Computer"),
        (("game.pgn", "--resume"), "--resume needs --json FILE"),
        (("game.pgn", "--resume", "--json", "-"), "--resume needs --json FILE"),
        (("-", "-"), "the standard input can be read only once"),
        (("-",), "- has no format of its own"),
        (("",), "'': does not name a record"),
        (("game.pgn", "--sharp"), "unknown option '--sharp'"),
        (("game.pgn", "--json", "no/such/folder/out.json"), "No such file or directory"),
        (("game.pgn", "--html", "-"), "--html needs a file"),
        *TOO_LONG,
    ],
)
def test_wrong_options_cost_one_line(folder: Path, arguments: tuple[str, ...], reason: str) -> None:
    done = run_here("review", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("sanqi review: ") and done.stderr.count("\n") == 1
    assert reason in done.stderr
