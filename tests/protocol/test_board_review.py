"""Review and practice at `sanqi board`, by its messages."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("websockets", reason="needs websockets")

from sanqi.registry import GAMES
from tests.helpers.board_client import BoardClient
from tests.helpers.in_process import run_here, sanqi
from tests.protocol.conftest import BoardMaker
from web_board.games import PageGame
from web_board.practice import PracticeError
from web_board.reviewed_files import read_reviewed

pytestmark = pytest.mark.long

BLUNDER = """[Game "Chinese Chess"]
[Result "*"]

1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0 c6c5 4. h0h6 b9c7 5. e2e6 *
"""
"""Red's cannon takes a pawn that a horse guards."""
MISSED_MATE = """[Game "Chinese Chess"]
[FEN "3k5/9/9/9/9/9/9/8r/R8/4KR3 w - - 0 1"]
[Result "*"]

1. a1i1 i2i1 2. f0f9 *
"""
"""Red's two rooks could mate in three; one is given away."""


def load(page: BoardClient, text: str, name: str = "game.pgn") -> None:
    page.send("load", name=name, data=base64.b64encode(text.encode()).decode())
    page.begun()


def reviewed(page: BoardClient) -> dict[str, Any]:
    """The review of the game at the table."""
    page.act("review")
    first = page.wait("review", "refused", "error")
    assert first["status"] == "running" and first["done"] < first["total"]
    while (message := page.wait("review", "refused", "error")).get("status") == "running":
        pass
    assert message["type"] == "review" and message["status"] == "done"
    return message


def ask(page: BoardClient, kind: str, **fields: Any) -> dict[str, Any]:
    """What answers a message of practice."""
    page.send(kind, **fields)
    return page.wait("practice", "exercise", "tried", "solution", "refused", "error")


def test_a_review_has_the_blunder_and_lasts(start_board: BoardMaker) -> None:
    board = start_board()
    page = board.page()
    load(page, BLUNDER)
    assert "review" in page.state["can"]
    review = reviewed(page)
    blunders = [each for each in review["plies"] if each["mark"] == "blunder"]
    assert [(each["ply"], each["sign"], each["played"]["text"]) for each in blunders] == [(9, "??", "e2e6")]
    better = blunders[0]["lines"][0]
    assert better["title"] == "Better" and better["base"] == 8
    assert better["moves"][0]["names"].keys() == {"chinese", "ucci"}
    assert len(review["scores"]) == 9 and review["sides"][0]["marks"] == [0, 0, 1]
    assert "review" not in page.wait("state")["can"]
    board.kill()
    board.start()
    page = board.join()
    assert page.wait("review") == review
    page.act("move", text="c7e6")
    assert page.wait("review") == {"type": "review", "status": "none"}
    board.kill()
    board.start()
    page = board.join()
    assert len(page.state["moves"]) == 10
    assert ask(page, "practise", table=None)["exercises"] == []


def test_a_move_ends_the_searches_of_a_review(page: BoardClient) -> None:
    load(page, BLUNDER)
    page.act("review")
    page.act("hint")
    assert page.wait("refused")["reason"] == "a review is running"
    page.act("move", text="c7e6")
    while page.wait("review")["status"] != "none":
        pass
    load(page, BLUNDER)
    page.act("review")
    page.act("stop-review")
    while page.wait("review")["status"] != "none":
        pass
    assert "review" in page.wait("state")["can"]


def test_the_win_that_was_missed_is_shown_to_its_end(page: BoardClient) -> None:
    load(page, MISSED_MATE)
    wins = [
        line
        for each in reviewed(page)["plies"]
        if each["missedWin"]
        for line in each["lines"]
        if line["title"] in ("The win", "Better")
    ]
    assert wins and [len(win["moves"]) for win in wins] == [len(win["codes"]) for win in wins]
    page.new("xiangqi", "pp", fen="3k5/9/9/9/9/9/9/8r/R8/4KR3 w")
    state = page.play(*(move["text"] for move in wins[0]["moves"]))
    assert state["verdict"]["text"] == "Red wins: checkmate."


def test_a_mistake_is_practised(page: BoardClient) -> None:
    load(page, BLUNDER)
    reviewed(page)
    table = page.geometry["table"]
    (exercise,) = ask(page, "practise", table=table)["exercises"]
    assert exercise == {"table": table, "ply": 9, "game": "xiangqi", "mark": "blunder", "result": ""}
    key = {"table": table, "ply": 9}
    asked = ask(page, "exercise", **key)
    state = asked["state"]
    assert len(state["moves"]) == 8 and state["toMove"] == 0 and "e2e6" in state["legal"]
    assert not ask(page, "try", text="e2e6", **key)["isRight"]
    assert not ask(page, "try", text="h6h7", **key)["isRight"]
    assert ask(page, "try", text="b0d1", **key)["type"] == "refused"
    assert ask(page, "exercise", table=table, ply=8)["reason"] == "there is no such exercise"
    best = ask(page, "solution", **key)["found"]["lines"][0]["moves"][0]["text"]
    assert ask(page, "practise", table=table)["exercises"][0]["result"] == "shown"
    assert ask(page, "try", text=best, **key)["isRight"]
    assert ask(page, "practise", table=table)["exercises"][0]["result"] == "shown"  # it was only copied
    ask(page, "exercise", **key)
    assert ask(page, "try", text=best, **key)["isRight"]
    assert ask(page, "practise", table=table)["exercises"][0]["result"] == "right"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two games, reviewed into review.json."""
    games = tmp_path / "games"
    games.mkdir()
    (games / "a.pgn").write_text('[Red "Li"]\n[Black "Wang"]\n' + BLUNDER)
    (games / "b.pgn").write_text('[Red "Wang"]\n[Black "Li"]\n' + BLUNDER + "\n" + MISSED_MATE)
    ran = sanqi("review", "games", "--nodes", "3000", "--json", "review.json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_mistakes_of_a_folder_are_practised(start_board: BoardMaker) -> None:
    board = start_board("--practise", "review.json", "--player", "Li")
    page = board.join()
    (exercise,) = ask(page, "practise", table=None)["exercises"]
    assert (exercise["ply"], exercise["game"], exercise["mark"]) == (9, "xiangqi", "blunder")
    key = {"table": exercise["table"], "ply": 9}
    assert len(ask(page, "exercise", **key)["state"]["moves"]) == 8
    assert not ask(page, "try", text="e2e6", **key)["isRight"]
    assert not ask(page, "try", text="h6h7", **key)["isRight"]
    kept = board.folder / "practice.json"
    kept.write_text(json.dumps({"other 3": "right"}))  # by another board
    best = ask(page, "solution", **key)["found"]["lines"][0]["moves"][0]["text"]
    assert json.loads(kept.read_text()) == {"other 3": "right", f"{key['table']} 9": "shown"}
    ask(page, "exercise", **key)
    assert ask(page, "try", text=best, **key)["isRight"]
    board.end()
    # What was found stays so. Without a name all mistakes are practised, those of the second file's two games, too.
    board.start("--practise", "review.json")
    exercises = ask(board.join(), "practise", table=None)["exercises"]
    assert [each["result"] for each in exercises] == ["right", "", ""]


def test_games_are_practised_by_the_rule_of_their_review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The record does not say it, or is of another game."""
    (tmp_path / "a.psq").write_text("Piskvorky 15x15, 11:11, 0\n8,8,0\n8,9,0\n1,1,0\na\nb\n-1\n")
    (tmp_path / "b.sgf").write_text("(;GM[1]KM[0]SZ[15];B[hh];W[hi];B[aa])")
    for file, options in (("a.psq", ()), ("b.sgf", ("--from", "sgf"))):
        words = ("review", file, *options, "--rule", "renju", "--nodes", "200", "--json", f"{file}.json")
        assert run_here(*words, cwd=tmp_path).returncode == 0
        games = {name: PageGame(GAMES[name], {}) for name in ("gomoku", "xiangqi")}
        monkeypatch.chdir(tmp_path)
        (reviewed,) = read_reviewed(tmp_path / f"{file}.json", None, games).values()
        assert b"RU[renju]" in base64.b64decode(reviewed.entries[0]["data"])


OVER = """[Game "Chinese Chess"]
[FEN "3k5/4a4/9/9/9/9/9/9/4A4/4K4 w - - 0 1"]
[Result "*"]

1. e1d0 d9e9 *
"""
"""A game that goes on although nobody can mate."""


def test_a_game_that_goes_on_after_its_end_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    games = {"xiangqi": PageGame(GAMES["xiangqi"], {})}
    Path("games.pgn").write_text(f"{OVER}\n{BLUNDER}")
    Path("over.pgn").write_text(OVER)
    for name in ("games", "over"):
        ran = run_here("review", f"{name}.pgn", "--nodes", "200", "--json", f"{name}.json", cwd=tmp_path)
        assert ran.returncode == 0
    (reviewed,) = read_reviewed(Path("games.json"), None, games).values()
    assert reviewed.report.number == 2
    said = capsys.readouterr().err
    assert said.startswith("sanqi board: --practise: 'games.pgn', game 1: ") and said.endswith("; left out\n")
    with pytest.raises(PracticeError, match="game 1: "):
        read_reviewed(Path("over.json"), None, games)


def test_a_review_whose_mistakes_cannot_be_practised(folder: Path) -> None:
    def refusal(*arguments: str) -> str:
        ran = run_here("board", "--no-open", *arguments, cwd=folder)
        assert ran.returncode == 2 and ran.stderr.count("\n") == 1
        return ran.stderr.removeprefix("sanqi board: ").rstrip()

    practise = ("--practise", "review.json")
    assert refusal(*practise, "--player", "Zhao") == (
        "--practise 'review.json': there is no game of --player 'Zhao' in it"
    )
    assert refusal("--player", "Li") == "--player names whose mistakes of --practise FILE; there is no file"
    assert refusal("--practise", "none.json").startswith("--practise 'none.json': ")
    (folder / "list.json").write_text("[]")
    assert refusal("--practise", "list.json") == "--practise 'list.json': not a review of version 1"
    (folder / "games" / "a.pgn").write_text(MISSED_MATE)
    assert refusal(*practise).endswith("a.pgn', game 1: the record has other moves than the review")
    (folder / "games" / "a.pgn").unlink()
    assert "a.pgn', game 1: " in refusal(*practise)
    for wrong, reason in (
        ({"source": "-"}, "the standard input cannot be read again"),
        ({"number": 0}, "no such game"),
    ):
        document = json.loads((folder / "review.json").read_text("utf-8"))
        document["games"] = [{**document["games"][1], **wrong}]
        (folder / "wrong.json").write_text(json.dumps(document))
        assert reason in refusal("--practise", "wrong.json")


def test_a_finished_game_of_junqi_is_reviewed(page: BoardClient) -> None:
    page.new("junqi", "pe", level="1", variant="duel")
    for _ in range(4):
        ply = len(page.until(lambda state: state["toMove"] == 0 and bool(state["legal"]))["moves"])
        page.act("move", text=page.state["legal"][0])
        page.until(lambda state, ply=ply: len(state["moves"]) > ply)  # type: ignore[misc]
    page.until(lambda state: state["toMove"] == 0 and bool(state["legal"]))
    page.act("resign")
    page.until_over()
    assert len(reviewed(page)["scores"]) == len(page.state["moves"])
