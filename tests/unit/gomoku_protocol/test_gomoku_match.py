"""Gomoku matches with engines that play at once, and with engines that misbehave."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from engine_client.specification import EngineSpecification, SpecificationError, parse_engine
from engine_client.time_control import ThinkingLimit
from game_core.session import DRAW, FIRST_WINS, SECOND_WINS, Verdict
from gomoku_protocol import match_player as gomocup_player
from gomoku_protocol.match_game import Gomoku
from gomoku_protocol.points import CARO, CARO_EXACT, FREESTYLE, RENJU, RULES, STANDARD, move_at, parse_point
from gomoku_protocol.position import Position
from match_runner import command
from match_runner.game import MatchConditions, PlayedGame, play_game
from match_runner.local_match import LocalMatch
from match_runner.match import MatchConfig, MatchPlan, MatchState
from match_runner.openings import Opening, OpeningError, read_openings
from match_runner.schedule import Schedule
from sanqi.registry import GAMES

SANQI = str(Path(sysconfig.get_path("scripts")) / "sanqi")
FAKE = Path(__file__).parents[2] / "helpers" / "fake_gomocup_engine.py"
NO_CLOCK = ThinkingLimit(nodes=100)
GOMOKU = Gomoku(15, 15, FREESTYLE)
NO_STONES = Opening((), 1)


def fake(behaviour: str, seed: str = "1") -> EngineSpecification:
    return EngineSpecification(f"{behaviour}{seed}", (sys.executable, str(FAKE), behaviour, seed), "gomocup")


def stones(text: str) -> Opening:
    return Opening(tuple(text.split()), 1)


def game_of(
    black: EngineSpecification,
    white: EngineSpecification,
    game: Gomoku = GOMOKU,
    limit: ThinkingLimit = NO_CLOCK,
    opening: Opening = NO_STONES,
    max_plies: int = 30,
) -> PlayedGame:
    players = game.player(black), game.player(white)
    try:
        return play_game(game, players, opening, MatchConditions(limit, max_plies))
    finally:
        for one in players:
            one.stop()


class TestSpecification:
    def test_protocol_by_default(self) -> None:
        engine = parse_engine("cmd=./pbrain-rapfi option.thread_num=1", GAMES["gomoku"])
        assert (engine.name, engine.protocol, engine.options) == ("pbrain-rapfi", "gomocup", (("thread_num", "1"),))

    @pytest.mark.parametrize(
        ("text", "token"), [("cmd=a proto=uci", "'uci'"), ("cmd=a ranks=0-9", "ranks=0-9"), ("cmd=a variant=x", "x")]
    )
    def test_errors_name_the_token(self, text: str, token: str) -> None:
        with pytest.raises(SpecificationError, match=token):
            parse_engine(text, GAMES["gomoku"])

    def test_gomocup_plays_no_xiangqi(self) -> None:
        with pytest.raises(SpecificationError, match="'gomocup'"):
            parse_engine("cmd=a proto=gomocup", GAMES["xiangqi"])


def pictures(moves: tuple[str, ...]) -> set[tuple[tuple[tuple[int, int], ...], ...]]:
    """Black's and White's stones of an opening, mirrored and turned in every way, in the corner of the board."""
    points = [parse_point(move) for move in moves]
    found: set[tuple[tuple[tuple[int, int], ...], ...]] = set()
    for turned in (points, [(y, x) for x, y in points]):
        for across in (1, -1):
            for down in (1, -1):
                seen = [(across * x, down * y) for x, y in turned]
                left, top = min(x for x, _ in seen), min(y for _, y in seen)
                placed = [(x - left, y - top) for x, y in seen]
                found.add((tuple(sorted(placed[::2])), tuple(sorted(placed[1::2]))))
    return found


class TestOpenings:
    def test_shipped_are_many_and_distinct_under_symmetry(self) -> None:
        openings = read_openings(GOMOKU.shipped_openings, GOMOKU)
        assert len(openings) >= 100
        seen: set[tuple[tuple[tuple[int, int], ...], ...]] = set()
        for opening in openings:
            assert 2 <= len(opening.moves) <= 6
            ways = pictures(opening.moves)
            assert not ways & seen, f"line {opening.line}"
            seen |= ways

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("size", [5, 6, 22])
    def test_shipped_fit_every_rule_and_size(self, size: int, rule: int) -> None:
        game = Gomoku(size, size, rule)
        assert len(read_openings(game.shipped_openings, game)) >= 100

    def test_offsets_are_from_the_middle(self, tmp_path: Path) -> None:
        file = tmp_path / "openings.txt"
        file.write_text("0,0 1,-2 # a comment\n")
        [opening] = read_openings(file, Gomoku(20, 15, FREESTYLE))
        assert opening == stones("10,7 11,5")
        file.write_text("0,0, 1,-2\n")  # as Piskvork and c-gomoku-cli write it
        assert [opening] == read_openings(file, Gomoku(20, 15, FREESTYLE))

    @pytest.mark.parametrize("bad", ["8,0", "0,0", "h2e2", "1", "1,2,3", "0,-8"])
    def test_bad_stone_is_named_with_file_and_line(self, bad: str, tmp_path: Path) -> None:
        file = tmp_path / "openings.txt"
        file.write_text(f"0,0\n0,0 {bad}\n")
        with pytest.raises(OpeningError, match=rf"openings\.txt, line 2, move '{bad}'"):
            read_openings(file, GOMOKU)

    def test_opening_that_ends_the_game(self, tmp_path: Path) -> None:
        file = tmp_path / "openings.txt"
        file.write_text("0,0 0,1 1,0 1,1 2,0 2,1 3,0 3,1 4,0\n")
        with pytest.raises(OpeningError, match="over after '11,7'"):
            read_openings(file, GOMOKU)


class TestSession:
    @pytest.mark.parametrize(
        ("rule", "row", "verdict"),
        [
            (FREESTYLE, 5, Verdict(FIRST_WINS, "five")),
            (STANDARD, 5, Verdict(FIRST_WINS, "five")),
            (STANDARD, 6, None),
            (CARO, 6, Verdict(FIRST_WINS, "five")),
            (CARO_EXACT, 6, None),
        ],
    )
    def test_black_row(self, rule: int, row: int, verdict: Verdict | None) -> None:
        session = Gomoku(15, 15, rule).open()
        last = 3 + row // 2
        for x in [x for x in range(3, 3 + row) if x != last]:
            session.play(f"{x},7")
            session.play(f"{x * 2 % 15},{12 + x % 2}")
        assert session.verdict() is None
        session.play(f"{last},7")
        assert session.verdict() == verdict

    def test_white_five(self) -> None:
        session = GOMOKU.open()
        for text in ["0,0", "7,7", "2,0", "8,7", "4,0", "9,7", "6,0", "10,7", "8,0", "11,7"]:
            assert session.verdict() is None
            session.play(text)
        assert session.verdict() == Verdict(SECOND_WINS, "five")

    def test_full_board_is_a_draw(self) -> None:
        # Two columns a colour, shifted by one in every second pair of rows: nowhere five in a row.
        black = [(x, y) for y in range(5) for x in range(5) if (x + 2 * y) % 4 < 2]
        white = [(x, y) for y in range(5) for x in range(5) if (x + 2 * y) % 4 >= 2]
        session = Gomoku(5, 5, FREESTYLE).open()
        assert len(black) == 13
        for number in range(25):
            assert session.verdict() is None
            x, y = (black, white)[number % 2][number // 2]
            session.play(f"{x},{y}")
        assert session.verdict() == Verdict(DRAW, "full-board")

    def test_renju_foul_is_illegal_for_black(self) -> None:
        session = Gomoku(15, 15, RENJU).open()
        for text in ["6,7", "0,0", "8,7", "0,2", "7,6", "0,4", "7,8", "0,6"]:
            session.play(text)
        with pytest.raises(ValueError, match="7,7"):
            session.play("7,7")


class TestFaults:
    @pytest.mark.parametrize(
        ("behaviour", "reason", "detail"),
        [
            ("crash", "crash", "status 7"),
            ("deaf", "crash", "no OK"),
            ("refuse", "crash", "ERROR no such board"),
            ("complain", "crash", "no net found"),
            ("taken", "illegal", "taken"),
            ("outside", "illegal", "15,0"),
            ("below", "illegal", "-1,-1"),
            ("garbage", "time", "out of ideas"),
            ("hang", "time", "no move after"),
            ("silent", "time", "no move after"),
            ("late", "time", "no move after"),
        ],
    )
    def test_loses_by_its_reason(
        self, behaviour: str, reason: str, detail: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if behaviour == "deaf":
            monkeypatch.setattr(gomocup_player, "START_S", 3.0)
        limit = ThinkingLimit(movetime_ms=100, margin_ms=1400) if reason == "time" else NO_CLOCK
        lost = game_of(fake(behaviour), fake("random", "2"), limit=limit)
        assert (lost.result, lost.reason) == (SECOND_WINS, reason)
        assert detail in lost.detail
        if behaviour != "deaf":  # one wait for the handshake is enough
            assert game_of(fake("random"), fake(behaviour, "2"), limit=limit).result == FIRST_WINS

    def test_scores_are_read(self, tmp_path: Path) -> None:
        run = subprocess.run(
            [
                SANQI, "match", "--game", "gomoku", "--engine", f"name=a cmd={SANQI}",
                "--engine", f"name=b cmd={SANQI}", "--games", "2", "--nodes", "2000", "--adjudicate-win", "20000,1",
                "--out", "games.jsonl",
            ],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        )  # a command line, many words a line  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        assert "adjudication 2" in run.stdout  # both see the five long before it is on the board
        _, game, _ = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
        *_, winner, loser = [stats[5] for stats in game["thoughts"]]
        assert sorted((winner > 0, loser > 0)) == [False, True]

    def test_renju_foul_loses(self) -> None:
        two_threes_in_the_middle = stones("6,7 0,0 8,7 0,2 7,6 0,4 7,8 0,6")
        black, white = fake("middle"), fake("random", "2")
        lost = game_of(black, white, Gomoku(15, 15, RENJU), opening=two_threes_in_the_middle)
        assert (lost.result, lost.reason) == (SECOND_WINS, "illegal")
        assert "forbidden" in lost.detail
        assert len(game_of(black, white, opening=two_threes_in_the_middle).moves) > 9

    def test_match_time_is_kept(self) -> None:
        limit = ThinkingLimit(movetime_ms=60_000, margin_ms=1000, match_ms=1)
        lost = game_of(fake("hang"), fake("random", "2"), limit=limit)
        assert (lost.result, lost.reason) == (SECOND_WINS, "time")

    def test_two_clocks_are_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        parser = argparse.ArgumentParser()
        command.add_arguments(parser, GAMES)
        words = ["--engine", "name=a cmd=a", "--engine", "name=b cmd=b", "--tc", "5", "--match-time", "9"]
        assert command.run(parser.parse_args(["--game", "gomoku", *words])) == 2
        assert "--match-time goes" in capsys.readouterr().err

    def test_flood_plays_on(self) -> None:
        assert game_of(fake("flood"), fake("random", "2"), max_plies=8).reason == "ply-limit"


class TestDialogue:
    """What an engine receives."""

    def told(self, tmp_path: Path, game: Gomoku, limit: ThinkingLimit, opening: Opening) -> list[str]:
        log = tmp_path / "log.txt"
        game_of(fake("random"), fake("log", str(log)), game, limit, opening, max_plies=len(opening.moves) + 4)
        return log.read_text(encoding="ascii").splitlines()

    def test_game_with_an_opening(self, tmp_path: Path) -> None:
        limit = ThinkingLimit(movetime_ms=30_000, margin_ms=1000, match_ms=180_000)
        told = self.told(tmp_path, Gomoku(20, 15, RENJU), limit, stones("7,7 8,8 9,9"))
        assert told[:8] == [
            "RECTSTART 20,15",
            "INFO timeout_turn 30000",
            "INFO timeout_match 180000",
            f"INFO max_memory {350 << 20}",
            "INFO rule 4",
            "INFO game_type 1",
            "INFO show_detail 1",
            "ABOUT",
        ]
        assert told[8:14] == ["INFO time_left 180000", "BOARD", "7,7,2", "8,8,1", "9,9,2", "DONE"]
        assert told[14].startswith("INFO time_left 1")
        assert int(told[14].split()[2]) < 180_000
        assert told[15].startswith("TURN ")
        assert told[16:] == ["END"]

    def test_clock_with_an_increment_is_sent_as_time_left(self, tmp_path: Path) -> None:
        limit = ThinkingLimit(match_ms=60_000, increment_ms=5000, margin_ms=1000)
        told = self.told(tmp_path, GOMOKU, limit, stones("7,7"))
        assert "INFO timeout_turn 60000" in told
        left = [int(line.split()[2]) for line in told if line.startswith("INFO time_left ")]
        assert left[0] == 60_000
        assert 60_000 < left[1] <= 65_000

    def test_game_from_the_empty_board_by_nodes(self, tmp_path: Path) -> None:
        log = tmp_path / "log.txt"
        game_of(fake("log", str(log)), fake("random"), max_plies=3)
        told = log.read_text(encoding="ascii").splitlines()
        assert told[0] == "START 15"
        assert "INFO max_node 100" in told
        assert [line for line in told if not line.startswith("INFO")][:3] == ["START 15", "ABOUT", "BEGIN"]
        assert told.count("INFO time_left 2147483647") == 2

    def test_options_come_last(self, tmp_path: Path) -> None:
        log = tmp_path / "log.txt"
        engine = fake("log", str(log))
        engine = EngineSpecification(engine.name, engine.command, "gomocup", options=(("max_memory", "1000"),))
        game_of(engine, fake("random"), max_plies=1)
        settings = [line for line in log.read_text(encoding="ascii").splitlines() if "max_memory" in line]
        assert settings[-1] == "INFO max_memory 1000"


class TestMatch:
    @pytest.mark.parametrize("behaviour", ["random", "forgetful", "dreamy"])
    def test_games_follow_one_another(self, behaviour: str, monkeypatch: pytest.MonkeyPatch) -> None:
        if behaviour == "dreamy":
            monkeypatch.setattr(gomocup_player, "RESTART_S", 0.1)
        players = [GOMOKU.player(fake(behaviour)), GOMOKU.player(fake("random", "2"))]
        records = []
        try:
            for opening in read_openings(GOMOKU.shipped_openings, GOMOKU)[:3]:
                for order in (players, players[::-1]):
                    records.append(play_game(GOMOKU, order, opening, MatchConditions(NO_CLOCK)))
        finally:
            for player in players:
                player.stop()
        for record in records:
            position = Position()
            for move in record.moves:
                assert position.winner is None
                position.push(move_at(*parse_point(move)))
            assert record.reason in ("five", "full-board")
            assert position.winner == {FIRST_WINS: 0, SECOND_WINS: 1, DRAW: None}[record.result]

    def test_match_goes_on_after_faults(self) -> None:
        openings = read_openings(GOMOKU.shipped_openings, GOMOKU)[:2]
        config = MatchConfig(GOMOKU, (fake("crash"), fake("taken", "2")), MatchConditions(NO_CLOCK))
        state = MatchState(MatchPlan(config, Schedule(2, 4, openings)), lambda *_: None)
        LocalMatch(state).run()
        crashing, blind = state.score.engines
        assert crashing.faults["crash"] + blind.faults["illegal"] == 4
        assert (crashing.wins, crashing.losses) == (2, 2)

    def test_depth_and_nodes_are_counted(self) -> None:
        record = game_of(fake("random"), fake("random", "2"), max_plies=10)
        assert record.reason == "ply-limit"
        assert [(side, depth, nodes) for side, _, depth, nodes, *_ in record.move_stats] == [(0, 1, 10), (1, 1, 10)] * 5


class TestCommand:
    @staticmethod
    def arguments(*words: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        command.add_arguments(parser, GAMES)
        return parser.parse_args(words)

    @staticmethod
    def engine(name: str, behaviour: str) -> str:
        return f'name={name} cmd="{sys.executable} {FAKE} {behaviour} {name}"'

    def test_whole_match(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "games.jsonl"
        engines = ["--engine", self.engine("a", "random"), "--engine", self.engine("b", "taken")]
        words = [*engines, "--game", "gomoku", "--rule", "caro-exact", "--size", "12", "--games", "2"]
        assert command.run(self.arguments(*words, "--nodes", "10", "--out", str(out))) == 0
        printed = capsys.readouterr().out
        assert "+2 =0 -0  100.0 %" in printed
        assert "b  0 crashes, 0 time losses, 2 illegal moves" in printed
        _, *games = [json.loads(line) for line in out.read_text().splitlines()]
        assert [(game["black"], game["white"], game["result"]) for game in games] == [
            ("a", "b", "1-0"),
            ("b", "a", "0-1"),
        ]
        opening = read_openings(GOMOKU.shipped_openings, Gomoku(12, 12, CARO_EXACT))[0]
        for game in games:
            assert tuple(game["moves"][: game["opening_plies"]]) == opening.moves

    @pytest.mark.parametrize(
        ("text", "rule"),
        [("freestyle", 0), ("1", STANDARD), ("Renju", RENJU), ("8", CARO), ("caro-exact", CARO_EXACT)],
    )
    def test_rules_by_name_and_number(self, text: str, rule: int) -> None:
        assert self.arguments("--rule", text).rule == rule

    def test_sizes(self) -> None:
        assert self.arguments("--size", "20").size == (20, 20)
        assert self.arguments("--size", "20x15").size == (20, 15)

    @pytest.mark.parametrize(
        "words", [["--rule", "2"], ["--rule", "go"], ["--size", "4"], ["--size", "23"], ["--size", "5x5x5"]]
    )
    def test_wrong_arguments(self, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            self.arguments(*words)
        assert f"'{words[1]}'" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("words", "token"),
        [
            (["--size", "15"], "--size"),
            (["--rule", "0"], "--rule"),
            (["--match-time", "9"], "--match-time"),
            (["--game", "gomoku", "--match-time", "9", "--nodes", "5"], "--nodes"),
        ],
    )
    def test_options_that_do_not_go_together(
        self, words: list[str], token: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command.run(self.arguments("--engine", "cmd=a", "--engine", "cmd=b", *words)) == 2
        assert token in capsys.readouterr().err
