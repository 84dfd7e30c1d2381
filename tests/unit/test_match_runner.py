"""The match runner with engines that play at once, and with engines that misbehave."""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from match_runner import command, xiangqi_player
from match_runner.game import DRAW, FIRST_WINS, SECOND_WINS, GameRecord, play_game
from match_runner.match import Match, MatchPlan, MatchScore
from match_runner.openings import Opening, OpeningError, enough_openings, read_openings
from match_runner.player import ThinkingLimit
from match_runner.process import EngineProcess
from match_runner.specification import EngineSpecification, SpecificationError, parse_engine
from match_runner.statistics import Sprt, elo_of, estimate, log_likelihood_ratio, score_of
from match_runner.xiangqi import Xiangqi
from match_runner.xiangqi_player import XiangqiPlayer
from ucci_engine.position import Position

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
FAKE = Path(__file__).with_name("fake_engine.py")
NO_CLOCK = ThinkingLimit(nodes=100)
XIANGQI = Xiangqi()


def fake(behaviour: str, seed: str = "1") -> EngineSpecification:
    return EngineSpecification(f"{behaviour}{seed}", (sys.executable, str(FAKE), behaviour, seed))


def game_of(red: str, black: str, limit: ThinkingLimit = NO_CLOCK, max_plies: int = 30) -> GameRecord:
    players = XiangqiPlayer(fake(red, "1")), XiangqiPlayer(fake(black, "2"))
    try:
        return play_game(XIANGQI, players, Opening((), 1), limit, max_plies)
    finally:
        for one in players:
            one.stop()


class TestSpecification:
    def test_all_keys(self) -> None:
        text = 'name=new cmd="sanqi uci" proto=uci variant=xiangqi ranks=1-10 dir=/tmp option."Move Overhead"=5'
        engine = parse_engine(text + " option.Hash=64")
        assert engine.command == ("sanqi", "uci")
        assert (engine.name, engine.protocol, engine.variant) == ("new", "uci", "xiangqi")
        assert (engine.ranks, engine.directory) == ("1-10", "/tmp")
        assert engine.options == (("Move Overhead", "5"), ("Hash", "64"))

    def test_name_and_protocol_by_default(self) -> None:
        engine = parse_engine("cmd=/usr/games/eleeye")
        assert (engine.name, engine.protocol) == ("eleeye", "ucci")

    @pytest.mark.parametrize(
        ("text", "token"),
        [
            ("name=a", "cmd="),
            ("cmd=a proto=xboard", "'xboard'"),
            ("cmd=a sanqi", "'sanqi'"),
            ("cmd=a colour=red", "'colour'"),
            ("cmd=a cmd=b", "'cmd'"),
            ("cmd=a ranks=0-8", "'0-8'"),
            ("cmd=a variant=xiangqi", "proto=uci"),
            ('cmd="a', "quotation"),
        ],
    )
    def test_errors_name_the_token(self, text: str, token: str) -> None:
        with pytest.raises(SpecificationError, match=token):
            parse_engine(text)


class TestOpenings:
    def test_shipped_are_legal_distinct_and_many(self) -> None:
        openings = read_openings(XIANGQI.shipped_openings, XIANGQI)
        assert len(openings) >= 60
        ends = set()
        for opening in openings:
            position = Position()
            for move in opening.moves:
                position.push(move)
            ends.add(position.fen().split()[0])
            assert 4 <= len(opening.moves) <= 8
        assert len(ends) == len(openings)

    def test_bad_move_is_named_with_file_and_line(self, tmp_path: Path) -> None:
        file = tmp_path / "openings.txt"
        file.write_text("# comment\nh2e2 h9g7\n\nh2e2 h2e2 # twice\n")
        with pytest.raises(OpeningError, match=r"openings\.txt, line 4, move 'h2e2'"):
            read_openings(file, XIANGQI)
        file.write_text("h2e2 nonsense\n")
        with pytest.raises(OpeningError, match="line 1, move 'nonsense'"):
            read_openings(file, XIANGQI)

    def test_too_few_names_the_numbers(self, tmp_path: Path) -> None:
        file = tmp_path / "openings.txt"
        file.write_text("h2e2\nb2e2\nh2e2\n")
        openings = read_openings(file, XIANGQI)
        assert len(openings) == 2
        assert len(enough_openings(openings, 4, file)) == 2
        with pytest.raises(OpeningError, match=r"5 games need 3 distinct openings.* has 2"):
            enough_openings(openings, 5, file)


class TestFaults:
    @pytest.mark.parametrize(
        ("behaviour", "reason", "detail"),
        [
            ("crash", "crash", "status 7"),
            ("deaf", "crash", "no ucciok"),
            ("complain", "crash", "no net found"),
            ("garbage", "illegal", "moved"),
            ("illegal", "illegal", "a0a9"),
            ("hang", "time", "no move after"),
            ("silent", "time", "no move after"),
            ("late", "time", "no move after"),
            ("resign", "resignation", ""),
        ],
    )
    def test_loses_by_its_reason(
        self, behaviour: str, reason: str, detail: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if behaviour == "deaf":
            monkeypatch.setattr(xiangqi_player, "START_S", 3.0)
        monkeypatch.setattr(xiangqi_player, "STOP_S", 10.0 if behaviour == "late" else 0.2)
        limit = ThinkingLimit(movetime_ms=100, margin_ms=1400) if reason == "time" else NO_CLOCK
        lost = game_of(behaviour, "random", limit)
        assert (lost.result, lost.reason) == (SECOND_WINS, reason)
        assert detail in lost.detail
        assert game_of("random", behaviour, limit).result == FIRST_WINS

    def test_flood_plays_on(self) -> None:
        assert game_of("flood", "random", max_plies=8).reason == "ply-limit"

    def test_match_goes_on_after_faults(self) -> None:
        openings = [Opening((move,), 1) for move in Position().legal_moves()[:3]]
        plan = MatchPlan(XIANGQI, (fake("crash"), fake("random", "2")), 6, openings, NO_CLOCK, 30)
        records: list[GameRecord] = []
        score = Match(plan, lambda number, record, duplicate, score: records.append(record)).run()
        assert (score.wins, score.draws, score.losses) == (0, 0, 6)
        assert score.faults[0] == {"crash": 6, "time": 0, "illegal": 0}
        assert sum(score.faults[1].values()) == 0
        assert [record.names[0] for record in records] == ["crash1", "random2"] * 3

    @pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")
    def test_what_the_engine_started_ends_with_it(self) -> None:
        shell = "sleep 3600 & echo id $!; wait"
        engine = EngineProcess(["sh", "-c", shell])
        child = int(engine.receive(time.monotonic() + 30).text.split()[1])
        engine.close()
        with pytest.raises(ProcessLookupError):
            while True:  # a killed orphan is reaped by init a moment later
                os.kill(child, 0)


class TestMatch:
    def test_draw_by_ply_limit_and_move_texts(self) -> None:
        record = game_of("random", "random", max_plies=10)
        assert (record.result, record.reason, len(record.moves)) == (DRAW, "ply-limit", 10)
        assert record.efforts[0].nodes == 50
        position = Position()
        for move in record.moves:
            position.push(move)

    def test_random_games_end_by_the_rules(self) -> None:
        record = game_of("random", "random", max_plies=0)
        position = Position()
        for move in record.moves:
            position.push(move)
        assert position.result() == record.reason

    def test_duplicates_and_points_by_pair(self) -> None:
        score = MatchScore()
        names = ("a", "b")
        assert not score.add(0, GameRecord(names, 1, 0, (1, 2), FIRST_WINS, "mate"))
        assert not score.add(1, GameRecord(names, 1, 0, (1, 3), FIRST_WINS, "mate"))
        assert score.add(3, GameRecord(names, 1, 0, (1, 2), DRAW, "repetition"))
        assert (score.wins, score.draws, score.losses, score.duplicates) == (1, 1, 1, 1)
        assert score.pair_points() == [1.0]

    def test_several_games_at_a_time(self) -> None:
        openings = [Opening((move,), 1) for move in Position().legal_moves()[:4]]
        plan = MatchPlan(XIANGQI, (fake("random"), fake("random", "2")), 8, openings, NO_CLOCK, 20, concurrency=3)
        numbers: list[int] = []
        score = Match(plan, lambda number, *_: numbers.append(number)).run()
        assert sorted(numbers) == list(range(8))
        assert score.games == 8


class TestStatistics:
    def test_elo_and_score_are_inverse(self) -> None:
        for elo in (-300.0, -10.0, 0.0, 50.0, 400.0):
            assert elo_of(score_of(elo)) == pytest.approx(elo)
        assert elo_of(0) == -math.inf
        assert elo_of(1) == math.inf

    def test_estimate(self) -> None:
        assert estimate([1.0]) is None
        even = estimate([1.0, 2.0, 0.0, 1.0])
        assert even is not None
        assert even.difference == pytest.approx(0)
        assert even.superiority == pytest.approx(0.5)
        better = estimate([2.0, 1.5, 1.0, 1.5] * 20)
        assert better is not None
        assert better.low > 0
        assert better.superiority > 0.99

    def test_error_bar_covers_the_truth(self) -> None:
        lottery = random.Random(3)
        inside = 0
        for _ in range(400):
            points = [float(lottery.random() < 0.6) + float(lottery.random() < 0.6) for _ in range(200)]
            elo = estimate(points)
            assert elo is not None
            inside += elo.low <= elo_of(0.6) <= elo.high
        assert 0.92 * 400 <= inside <= 0.98 * 400

    @pytest.mark.parametrize(("truth", "verdict"), [(0.0, "rejected"), (30.0, "accepted")])
    def test_sprt_errs_in_few_runs(self, truth: float, verdict: str) -> None:
        lottery = random.Random(5)
        sprt = Sprt(0, 30)
        right = 0
        for _ in range(100):
            points: list[float] = []
            while not sprt.verdict(points):
                points.append(sum(float(lottery.random() < score_of(truth)) for _ in range(2)))
            right += sprt.verdict(points) == verdict
        assert right >= 88

    def test_llr_sign(self) -> None:
        assert log_likelihood_ratio([], 0, 10) == 0
        assert log_likelihood_ratio([2.0, 1.0] * 10, 0, 10) > 0
        assert log_likelihood_ratio([0.0, 1.0] * 10, 0, 10) < 0


class TestCommand:
    @staticmethod
    def arguments(*words: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        return parser.parse_args(words)

    @staticmethod
    def engine(name: str, behaviour: str) -> str:
        return f'name={name} cmd="{sys.executable} {FAKE} {behaviour} {name}"'

    def test_whole_match(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "games.jsonl"
        engines = ["--engine", self.engine("a", "random"), "--engine", self.engine("b", "illegal")]
        words = [*engines, "--games", "4", "--nodes", "10", "--max-plies", "40", "--out", str(out)]
        assert command.run(self.arguments(*words)) == 0
        printed = capsys.readouterr().out
        assert "+4 =0 -0  100.0 %" in printed
        assert "b  0 crashes, 0 time losses, 4 illegal moves" in printed
        games = [json.loads(line) for line in out.read_text().splitlines()]
        assert [game["result"] for game in games] == ["1-0", "0-1", "1-0", "0-1"]
        assert command.run(self.arguments(*words)) == 2  # the file exists
        assert "games.jsonl" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("words", "token"),
        [
            (["--engine", "cmd=a"], "1 engines"),
            (["--engine", "cmd=a", "--engine", "cmd=a"], "'a'"),
            (["--engine", "cmd=a", "--engine", "b"], "'b'"),
            (["--engine", "cmd=/nowhere/a", "--engine", "cmd=b"], "/nowhere/a"),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--games", "100000"], "50000 distinct openings"),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--openings", "/nowhere/o.txt"], "/nowhere/o.txt"),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--sprt", "5"], "--sprt 5"),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--sprt", "5,0"], "--sprt 5,0"),
        ],
    )
    def test_wrong_arguments(self, words: list[str], token: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.run(self.arguments(*words)) == 2
        assert token in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("text", "control"),
        [("2+0.02", (2000, 20)), ("60", (60_000, 0)), ("0.5+1", (500, 1000)), ("600+0", (600_000, 0))],
    )
    def test_time_control_is_read_in_seconds(self, text: str, control: tuple[int, int]) -> None:
        assert self.arguments("--tc", text).tc == control

    @pytest.mark.parametrize(
        "words",
        [
            ["--games", "0"], ["--nodes", "x"], ["--nodes", "1", "--movetime", "1"], ["--tc", "0+1"], ["--tc", "x"],
            ["--tc", "1+"], ["--tc", "-1"], ["--tc", "1", "--nodes", "1"],
        ],
    )  # fmt: skip
    def test_wrong_numbers(self, words: list[str]) -> None:
        with pytest.raises(SystemExit):
            self.arguments(*words)

    @pytest.mark.parametrize("protocol", ["ucci", "uci"])
    def test_clocks_are_told_and_kept(self, protocol: str, tmp_path: Path) -> None:
        log = tmp_path / "log"
        option = "debuglogfile" if protocol == "ucci" else '"Debug Log File"'
        logged = f"name=a cmd={SANQI} proto={protocol} option.{option}={log}"
        words = [
            "--engine", logged, "--engine", f"name=b cmd={SANQI} proto=uci", "--games", "2", "--tc", "1.5+0.05",
            "--max-plies", "30",
        ]  # fmt: skip
        run = subprocess.run([SANQI, "match", *words], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
        assert "1.5+0.05 s a game" in run.stdout
        assert run.stdout.count(" 0 time losses") == 2
        lines = [line.split(" > ")[1].split() for line in log.read_text().splitlines() if " > go " in line]
        keys = ("time", "increment", "opptime", "oppincrement") if protocol == "ucci" else ("wtime", "winc", "btime")
        told = [[int(words[words.index(key) + 1]) for key in keys] for words in lines]
        assert told[0][:2] == [1500, 50]
        assert {increment for _, increment, *_ in told} == {50}
        # Each move takes some of the clock and adds the increment.
        assert all(clock <= 1500 + 15 * 50 for clock, *_ in told)
        assert min(clock for clock, *_ in told) < 1500

    def test_a_clock_that_runs_out_loses(self) -> None:
        limit = ThinkingLimit(match_ms=300, margin_ms=50)
        lost = game_of("random", "hang", limit)
        assert (lost.result, lost.reason) == (FIRST_WINS, "time")

    @pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are read from /proc")
    def test_sigterm_reports_and_leaves_no_engine(self) -> None:
        engines = ["--engine", self.engine("a", "random"), "--engine", self.engine("b", "random")]
        running = subprocess.Popen(
            [SANQI, "match", *engines, "--nodes", "1", "--max-plies", "30"], stdout=subprocess.PIPE, text=True
        )
        assert running.stdout is not None
        assert running.stdout.readline().strip().startswith("1/100")
        tasks = Path(f"/proc/{running.pid}/task").glob("*/children")
        children = [int(pid) for task in tasks for pid in task.read_text().split()]
        assert len(children) == 2
        running.terminate()
        rest, _ = running.communicate(timeout=60)
        assert running.returncode == 130
        assert "interrupted after" in rest
        for pid in children:
            # A dead process may stay in the table until whoever inherited it has looked at it.
            try:
                status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
            except (FileNotFoundError, ProcessLookupError):
                continue
            assert status.rpartition(")")[2].split()[0] in "ZX"
