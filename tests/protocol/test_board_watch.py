"""Games that others play, on the page of `sanqi board --watch`."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("websockets", reason="needs sanqi[board]")

from junqi_protocol.records.records import write_record
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import DUEL
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.messages import Terms
from match_runner.live_game import LiveGame
from tests.helpers.board_client import BoardClient
from tests.helpers.in_process import run_here
from tests.protocol.conftest import PROGRAM, BoardMaker
from ucci_engine.description import XIANGQI
from web_board.games import PageGame
from web_board.watched_games import MatchGames, RecordGames

HELPERS = Path(__file__).parents[1] / "helpers"
OURS = " ".join(f"'{word}'" for word in PROGRAM)
HEAD = {"match": {"terms": {"game": "xiangqi"}}, "format": 1}
MOVES = ["h2e2", "h9g7", "h0g2", "i9h9"]


def line(number: int, moves: list[str], **more: Any) -> dict[str, Any]:
    return {"game": number, "red": "a", "black": "b", **more, "start": "", "moves": moves}


def over(number: int, result: str = "1-0", reason: str = "crash", detail: str = "b exited") -> dict[str, Any]:
    return line(number, MOVES, result=result, reason=reason, detail=detail)


def write(path: Path, *lines: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.writelines(json.dumps(each) + "\n" for each in lines)


def show_live(folder: Path, number: int, moves: list[str]) -> None:
    live = folder / "games.jsonl.live"
    live.mkdir(exist_ok=True)
    part = live / "part"
    part.write_text(json.dumps(line(number, moves)))
    part.replace(live / f"game{number:05}.live")


def titles(page: BoardClient) -> list[str]:
    return [title for _, title in page.wait("watched")["games"]]


def test_a_match_is_followed(start_board: BoardMaker, tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    write(games, HEAD, over(1))
    show_live(tmp_path, 2, MOVES[:1])
    board = start_board("--watch", "games.jsonl")
    page = board.join()
    assert page.hello["table"] == "watched 2"
    assert [move["text"] for move in page.state["moves"]] == MOVES[:1]
    assert [seat["who"] for seat in page.state["seats"]] == ["a", "b"]
    assert page.state["seat"] == page.state["can"] == page.state["legal"] == []
    show_live(tmp_path, 2, MOVES[:3])
    page.until_ply(3)
    for action in ("move", "undo", "hint", "resign", "level"):
        page.act(action, text="i9h9", level="1")
        assert page.wait("error")["reason"] == "this game is only watched"
    write(games, over(2, "0-1", "time", ""))
    (tmp_path / "games.jsonl.live" / "game00002.live").unlink()
    state = page.until_over()
    assert len(state["moves"]) == 4 and state["verdict"] == {"text": "Black wins: time.", "won": None}
    assert "review" in state["can"]
    show_live(tmp_path, 3, [])
    assert page.wait("geometry")["table"] == "watched 3"
    page.send("watch", game="1")
    assert page.wait("geometry")["table"] == "watched 1"
    assert page.wait("state")["verdict"]["text"] == "Red wins: b exited."
    show_live(tmp_path, 4, [])
    assert "4. a – b" in titles(page)
    page.send("watch", game="no such")
    page.send("watch", game=[])
    page.new("xiangqi", "pp")
    page.play("h2e2")
    page.send("watch", game="")
    assert page.wait("geometry")["table"] == "watched 4"


def test_what_is_no_game_is_passed_over(start_board: BoardMaker, tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    write(games, HEAD, over(1), line(2, ["h2h8"], result="1-0", reason="", detail=""))
    board = start_board("--watch", "games.jsonl")
    page = board.join()
    assert page.hello["table"] is None
    page.send("watch", game="1")
    assert page.wait("geometry")["table"] == "watched 1"
    write(games, over(3, "2-0"))
    page.wait("watched")
    page.send("watch", game="3")
    page.send("join", table=None)
    assert page.wait("hello")["table"] == "watched 1"
    live = tmp_path / "games.jsonl.live"
    live.mkdir()
    faults: list[dict[str, Any]] = [{"start": 5}, {"moves": [5]}, {"moves": 5}]
    for number, bad in enumerate(faults, 4):
        (live / f"game{number:05}.live").write_text(json.dumps({**line(number, []), **bad}))
    (live / "game00009.live").write_text(json.dumps({**line(9, MOVES[:1]), "red": "guest", "black": "person"}))
    while ["9", "9. guest – person"] not in page.wait("watched")["games"]:
        pass
    page.send("watch", game="9")
    assert page.wait("geometry")["table"] == "watched 9"
    state = page.wait("state")
    assert state["seat"] == state["legal"] == [] and [seat["who"] for seat in state["seats"]] == ["guest", "person"]


@pytest.mark.parametrize("damaged", ['{"game": 2, "red"', "[]x", "5", '{"game": 2}', '{"game": 2, "red": 1}', "\xff"])
def test_a_damaged_line_hides_no_other(tmp_path: Path, damaged: str, capsys: pytest.CaptureFixture[str]) -> None:
    games = tmp_path / "games.jsonl"
    write(games, HEAD, over(1))
    match = MatchGames(games, {"xiangqi": PageGame(XIANGQI)})
    assert [game.key for game in match.games()] == ["1"]
    with games.open("a", encoding="latin-1") as file:
        file.write(f"{damaged}\n")
    write(games, over(3), over(4))
    for _ in range(2):
        assert [game.key for game in match.games()] == ["1", "3", "4"]
    said = capsys.readouterr().err
    assert said.startswith(f"sanqi board: --watch {games}, line 3: ") and said.count("\n") == 1
    with games.open("a") as file:
        file.write(json.dumps(over(5))[:-1])
    assert len(match.games()) == 3  # the line is not whole
    with games.open("a") as file:
        file.write("}\n")
    assert [game.key for game in match.games()] == ["1", "3", "4", "5"] and not capsys.readouterr().err


def test_of_a_long_match_the_latest_games_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "games.jsonl", HEAD, *map(over, range(1, 252)))
    games = MatchGames(tmp_path / "games.jsonl", {"xiangqi": PageGame(XIANGQI)}).games()
    assert [game.key for game in games] == [str(number) for number in range(52, 252)]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("absent.jsonl", None, "No such file"), ("x.jsonl", "{}\n", "no file of a match"), ("x.jsonl", "x\n", "no file")],
)
def test_what_cannot_be_watched(tmp_path: Path, name: str, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    ran = run_here("board", "--no-open", "--watch", name, cwd=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"sanqi board: --watch {name}: ") and said in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_the_records_of_the_referee_are_followed(start_board: BoardMaker, tmp_path: Path) -> None:
    """Before the end no pieces are shown, then all."""
    players = [word for seat in "01" for word in ("--seats", seat, f"{OURS} junqi --level random")]
    options = ["--variant", "duel", "--record", "played", "--max-plies", "40", "--seed", "1", "--movetime", "1000"]
    subprocess.run([*PROGRAM, "referee", *players, *options], cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    lines = (tmp_path / "played" / "game00001.jgr").read_bytes().splitlines(keepends=True)
    (tmp_path / "records").mkdir()
    record = tmp_path / "records" / "game00001.jgr"
    record.write_bytes(b"".join(lines[:20]))
    board = start_board("--watch", "records")
    page = board.join()
    begun = page.state
    assert 0 < len(begun["moves"]) < 20 and begun["verdict"] is None
    for wanted in ({"type": "save", "format": "jgr"}, {"type": "analyse", "at": 0, "lines": 1}):
        page.send(**wanted)
        assert "when" in page.wait("error")["reason"]
    record.write_bytes(b"".join(lines))
    state = page.until_over()
    assert len(state["moves"]) == 40 and state["start"] != begun["start"]


def test_a_draw_that_is_agreed_ends_the_watched_game(start_board: BoardMaker, tmp_path: Path) -> None:
    chance = random.Random(1)
    arbiter = Arbiter(Terms(DUEL, quiet=70, skips=5, draws=True), [random_lineup(chance) for _ in range(2)])
    (tmp_path / "records").mkdir()
    record = tmp_path / "records" / "game00001.jgr"
    arbiter.skip("pass", draw=True)
    write_record(record, arbiter)
    page = start_board("--watch", "records").join()
    assert page.state["verdict"] is None
    arbiter.skip("pass", draw=True)
    assert arbiter.outcome == "draw agreed"
    write_record(record, arbiter)
    page.until_over()


def test_only_records_that_have_changed_are_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    suffixes = PageGame.suffixes

    def counted(game: PageGame) -> set[str]:
        asked.append(game.name)
        return suffixes(game)

    monkeypatch.setattr(PageGame, "suffixes", counted)
    records = RecordGames(tmp_path, {"xiangqi": PageGame(XIANGQI)})
    for number in range(20):
        (tmp_path / f"{number:02}.pgn").write_text("1. h2e2 *")
    (tmp_path / "notes.doc").write_text("no record")
    (tmp_path / "folder.pgn").mkdir()
    first = records.games()
    assert asked == ["xiangqi"] * 2  # once for each suffix
    assert [game.key for game in first] == [f"{number:02}.pgn" for number in range(20)]
    assert [game.is_over for game in first] == [True] * 19 + [False]
    (tmp_path / "05.pgn").write_text("1. h2e2 h9g7 *")
    (tmp_path / "07.pgn").unlink()
    (tmp_path / "20.pgn").write_text("1. h2e2 *")
    second = {game.key: game for game in records.games()}
    assert asked == ["xiangqi"] * 2
    assert "07.pgn" not in second and list(second)[-1] == "20.pgn"
    for game in first[:-1]:
        if game.key != "07.pgn":
            assert (second[game.key] is game) == (game.key != "05.pgn")
    assert [len(game.read().opened.session.view()["moves"]) for game in (second["05.pgn"], second["06.pgn"])] == [2, 1]


def test_who_reads_a_game_does_not_keep_it_past_its_end(tmp_path: Path) -> None:
    """Windows deletes no file that is open."""
    game = LiveGame(tmp_path, 1, {})
    game.show(MOVES)
    (path,) = tmp_path.iterdir()
    with path.open("rb"):
        ending = threading.Thread(target=game.close)
        ending.start()
        ending.join(0.1)
    ending.join()
    assert not path.exists()


@pytest.mark.parametrize("game", ["xiangqi", "gomoku", "junqi"])
def test_a_match_is_followed_as_it_plays(start_board: BoardMaker, tmp_path: Path, game: str) -> None:
    """By engines that take their time without using it."""
    fake = HELPERS / {"xiangqi": "fake_engine.py", "gomoku": "fake_gomocup_engine.py"}.get(game, "fake_junqi_engine.py")
    engines = [word for name in "ab" for word in ("--engine", f"name={name} cmd=\"'{sys.executable}' '{fake}' slow\"")]
    options = ["--games", "4", "--movetime", "100000", "--max-plies", "40", "--out", "games.jsonl", "--live"]
    more = ["--variant", "duel"] if game == "junqi" else []
    match = subprocess.Popen(
        [*PROGRAM, "match", "--game", game, *engines, *options, *more], cwd=tmp_path, stdout=subprocess.PIPE
    )
    assert match.stdout is not None
    try:
        match.stdout.readline()  # the first game is over
        (tmp_path / "hold").touch()
        board = start_board("--watch", "games.jsonl")
        page = board.join()
        state = page.until(lambda state: state["verdict"] is None)
        (tmp_path / "hold").unlink()
        ply = len(state["moves"])
        later = page.until(lambda state: len(state["moves"]) > ply)
        ended = page.until_over()
        for earlier in (state, later):
            assert ended["moves"][: len(earlier["moves"])] == earlier["moves"]
        assert (ended["start"] != state["start"]) == (game == "junqi")
    finally:
        (tmp_path / "hold").unlink(missing_ok=True)
        match.communicate(timeout=120)
    assert list((tmp_path / "games.jsonl.live").iterdir()) == []
    if sys.platform != "win32":
        assert (tmp_path / "games.jsonl.live").stat().st_mode & 0o077 == 0
