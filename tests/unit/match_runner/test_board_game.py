"""Matches of any board game through its session alone, and game files that an older build wrote."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from engine_client.engine_options import OptionList
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from engine_client.uci_player import common_plies
from gomoku_protocol.records import parse_record
from match_runner.game import BoardGame, MatchConditions, PlayedGame
from match_runner.local_match import LocalMatch
from match_runner.match import MatchConfig, MatchPlan, MatchState
from match_runner.match_history import MatchHistory
from match_runner.openings import Opening, OpeningError, openings_of_match
from match_runner.report import write_report
from match_runner.run_info import RunInfo
from match_runner.schedule import Schedule
from ucci_engine.match_player import XiangqiPlayer
from ucci_engine.pgn import read_games
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position

FAKE = Path(__file__).parents[2] / "helpers" / "fake_engine.py"
OLDER = Path(__file__).with_name("older")
PLAIN = BoardGame("plain", "ucci_engine.session:XiangqiSession")
"""Xiangqi with nothing but its session."""


def fake(behaviour: str, seed: str) -> EngineSpecification:
    return EngineSpecification(f"{behaviour}{seed}", (sys.executable, str(FAKE), behaviour, seed))


def test_a_match_and_its_report_need_only_a_session(tmp_path: Path) -> None:
    assert pickle.loads(pickle.dumps(PLAIN)).sides == ("red", "black")
    engines = (fake("random", "1"), fake("illegal", "2"), fake("random", "3"))
    config = MatchConfig(PLAIN, engines, MatchConditions(ThinkingLimit(nodes=10), 20))
    plan = MatchPlan(config, Schedule(3, 2, openings_of_match(PLAIN, None, 2)))
    records: list[tuple[int, PlayedGame]] = []
    state = MatchState(plan, lambda task, record, duplicate, score: records.append((task.number + 1, record)))
    LocalMatch(state).run()
    assert len(records) == 6
    assert state.score.engines[1].faults["illegal"] == 4
    for _, record in records:
        position = Position()
        for move in record.moves:
            position.push(parse_move(move))
    write_report(tmp_path / "report.html", plan, state.score, records, RunInfo())
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "illegal" in page
    assert 'id="games"' not in page  # there is no board to play them on
    history = MatchHistory(plan)
    for number, record in records:
        history.add(number, record)
    assert {game.playback for game in history.games} == {None}


def test_without_openings_two_games_begin_from_the_start(tmp_path: Path) -> None:
    assert openings_of_match(PLAIN, None, 2) == [Opening((), 0)]
    with pytest.raises(OpeningError, match="4 games need 2 distinct openings, and plain has none of its own"):
        openings_of_match(PLAIN, None, 4)
    file = tmp_path / "openings.txt"
    file.write_text("h2e2 h9g7  # a comment\nb2e2\n")
    assert openings_of_match(PLAIN, file, 4) == [Opening(("h2e2", "h9g7"), 1), Opening(("b2e2",), 2)]
    file.write_text("h2e2 h2e2\n")
    with pytest.raises(OpeningError, match=r"openings\.txt, line 1, move 'h2e2'"):
        openings_of_match(PLAIN, file, 2)


def test_more_openings_than_memory_allows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("match_runner.openings.MAX_OPENINGS", 2)
    file = tmp_path / "openings.txt"
    file.write_text("h2e2\n\nb2e2\n")
    assert len(openings_of_match(PLAIN, file, 4)) == 2
    file.write_text("h2e2\n# one more\nb2e2\nh0g2\n")
    with pytest.raises(OpeningError, match=r"openings\.txt, line 4: more than 2 openings"):
        openings_of_match(PLAIN, file, 4)


def test_records_without_a_format_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no format for games of plain"):
        PLAIN.notation_writer(tmp_path / "records", False, {})


@pytest.mark.parametrize("text", ["", "a b", "\x1b[31m", "a\n"])
def test_errors_name_bad_moves(text: str) -> None:
    with pytest.raises(ValueError, match="is no move"):
        PLAIN.read_move(text)


@pytest.mark.parametrize("game", ["xiangqi", "gomoku"])
def test_a_match_of_an_older_build_can_resume(game: str, tmp_path: Path) -> None:
    """Three of the four games were played by a build in which moves were not yet texts."""
    shutil.copy(OLDER / f"{game}.jsonl", tmp_path / "games.jsonl")
    scripts = sysconfig.get_path("scripts")
    protocols = {"xiangqi": ("sanqi ucci", "sanqi uci"), "gomoku": ("sanqi gomocup",) * 2}[game]
    engines = [
        word
        for name, command in zip(("one", "two"), protocols)
        for word in ("--engine", f"name={name} cmd='{command}'" + " proto=uci" * command.endswith("uci"))
    ]
    run = subprocess.run(
        [f"{scripts}/sanqi", "match", "--game", game, *engines, "--depth", "1", "--max-plies", "14", "--games", "4",
         "--out", "games.jsonl", "--resume", "--records", "records"],
        cwd=tmp_path, env=os.environ | {"PATH": os.pathsep.join((scripts, os.environ["PATH"]))}, capture_output=True,
        text=True, timeout=120,
    )  # a command line, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    _, *lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines()]
    games = {line["game"]: line for line in lines if "game" in line}
    assert sorted(games) == [1, 2, 3, 4]
    older = [json.loads(line) for line in (OLDER / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    assert games[4].keys() == older[0].keys() | {"date"}
    opening = older[2]["opening_plies"]
    assert games[4]["moves"][:opening] == older[2]["moves"][:opening]  # both games of an opening
    if game == "xiangqi":
        records = [
            [move_text(move) for move in one.moves]
            for one in read_games((tmp_path / "records").read_text(encoding="utf-8"))
        ]
    else:
        files = sorted((tmp_path / "records").iterdir())
        records = [[f"{one.x},{one.y}" for one in parse_record(file.read_bytes(), "psq").moves] for file in files]
    assert records == [games[number]["moves"] for number in range(1, 5)]


class TestSituation:
    """What a Xiangqi engine receives of the game so far."""

    GAME = ("h2e2", "h9g7", "e2e6", "g7e6")  # two captures

    def told(self, *games: tuple[str, ...], protocol: str = "ucci", ranks: str = "", start: str = "") -> list[str]:
        player = XiangqiPlayer(EngineSpecification("", ("engine",), protocol, ranks=ranks))
        player._start = start
        return [player._position(moves) for moves in games]

    def test_uci_gets_all_moves(self) -> None:
        assert self.told((), self.GAME, protocol="uci") == [
            "position startpos",
            "position startpos moves h2e2 h9g7 e2e6 g7e6",
        ]
        assert self.told(("a3a4",), protocol="uci", ranks="1-10") == ["position startpos moves a4a5"]

    @pytest.mark.parametrize(
        ("ranks", "set_by_user", "sent", "first"),
        [
            ("", "", [("Ranks", "0-9")], "a3a4"),
            ("0-9", "", [("Ranks", "0-9")], "a3a4"),
            ("1-10", "", [("Ranks", "1-10")], "a4a5"),
            ("", "1-10", [], "a4a5"),
        ],
    )
    def test_an_engine_that_lets_its_ranks_be_set_is_told(
        self, ranks: str, set_by_user: str, sent: list[tuple[str, str]], first: str
    ) -> None:
        """It may count from 1 once UCI_Variant is set."""
        player = XiangqiPlayer(EngineSpecification("", ("engine",), "uci", variant="xiangqi", ranks=ranks))
        offered = OptionList("uci")
        offered.read("option name UCI_Variant type combo default xiangqi var xiangqi")
        offered.read("option name Ranks type combo default 0-9 var 0-9 var 1-10")
        wanted = [("UCI_Variant", "xiangqi")] + ([("Ranks", set_by_user)] if set_by_user else [])
        assert player._game_options(offered, wanted) == sent
        assert player._position(("a3a4",)) == f"position startpos moves {first}"

    def test_ucci_gets_the_moves_since_the_last_capture(self) -> None:
        after = Position()
        fens = []
        for move in self.GAME:
            after.push(parse_move(move))
            fens.append(after.fen())
        quiet = (*self.GAME, "a3a4")
        assert self.told((), self.GAME[:2], self.GAME[:3], self.GAME, quiet) == [
            f"position fen {START_FEN}",
            f"position fen {START_FEN} moves h2e2 h9g7",
            f"position fen {fens[2]}",
            f"position fen {fens[3]}",
            f"position fen {fens[3]} moves a3a4",
        ]

    def test_a_game_with_other_moves_than_before_is_followed(self) -> None:
        """For example, when the expected reply was not played."""
        others = (self.GAME, (*self.GAME[:3], "b7c7"), self.GAME[:1], ("b2e2", "b9c7"), (*self.GAME, "a3a4"))
        assert self.told(*others) == [self.told(moves)[0] for moves in others]


def test_common_plies() -> None:
    for known, moves, plies in (("abc", "abcd", 3), ("abc", "abd", 2), ("abc", "ab", 2), ("", "ab", 0), ("x", "", 0)):
        assert common_plies(list(known), list(moves)) == common_plies(list(known), tuple(moves)) == plies


def test_no_pondering_on_a_game_that_is_over() -> None:
    player = XiangqiPlayer(EngineSpecification("", ("engine",)))
    player._start = "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"
    followed = player._follow(())
    assert followed.is_over_after("b0b9")
    assert not followed.is_over_after("b0b8")
    with pytest.raises(ValueError, match="b0c9"):
        followed.is_over_after("b0c9")
