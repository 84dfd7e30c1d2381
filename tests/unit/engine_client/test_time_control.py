"""Time, nodes and depth of a match and of single engines, and clocks for a number of moves."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from engine_client import uci_player
from engine_client.dialects import DIALECTS
from engine_client.specification import SpecificationError, parse_engine, read_engines
from engine_client.time_control import Clock, Clocks, ThinkingLimit, parse_time_control
from game_core.session import FIRST_WINS, SECOND_WINS
from match_runner.game import MatchConditions, play_game
from match_runner.openings import Opening
from sanqi.registry import GAMES
from ucci_engine.match_game import Xiangqi
from ucci_engine.match_player import XiangqiPlayer
from ucci_engine.pgn import read_games

SANQI = str(Path(sysconfig.get_path("scripts")) / "sanqi")
FAKE = Path(__file__).parents[2] / "helpers" / "fake_engine.py"
PATIENCE_S = 60
FORTY = ThinkingLimit(match_ms=60_000, increment_ms=500, period_moves=40)


def match(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SANQI, "match", "--games", "2", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def fake(name: str, behaviour: str = "random", words: str = "") -> tuple[str, str]:
    return "--engine", f'name={name} cmd="{sys.executable} {FAKE} {behaviour} {name}" {words}'


class TestReading:
    @pytest.mark.parametrize(
        ("text", "limit"),
        [
            ("tc=60+0.6", ThinkingLimit(match_ms=60_000, increment_ms=600)),
            ("tc=40/60", ThinkingLimit(match_ms=60_000, period_moves=40)),
            ("tc=40/60+0.5", FORTY),
            ("movetime=50", ThinkingLimit(movetime_ms=50)),
            ("nodes=5000", ThinkingLimit(nodes=5000)),
            ("depth=7", ThinkingLimit(depth=7)),
            ("", None),
        ],
    )
    def test_of_an_engine(self, text: str, limit: ThinkingLimit | None) -> None:
        assert parse_engine(f"cmd=a {text}", GAMES["xiangqi"]).limit == limit

    @pytest.mark.parametrize(
        ("text", "game", "told"),
        [
            ("tc=1 nodes=5", "xiangqi", "tc= and nodes= do not go together"),
            ("tc=1/", "xiangqi", "tc='1/' is no time control"),
            ("tc=0/5", "xiangqi", "'0/5'"),
            ("nodes=0", "xiangqi", "nodes is '0'"),
            ("depth=-1", "xiangqi", "depth is '-1'"),
            ("movetime=\N{ARABIC-INDIC DIGIT ONE}", "xiangqi", "movetime is"),
            ("movetime=1e3", "xiangqi", "'1e3'"),
            (f"nodes={'9' * 400}", "xiangqi", "nodes is"),
            ("tc=40/60", "gomoku", "tc=40/60: the Gomocup protocol has no clock for a number of moves"),
            ("tc=60", "junqi", "tc='60': as an engine's own limit, the Junqi line protocol has only movetime="),
            ("nodes=60", "junqi", "has only movetime="),
        ],
    )
    def test_errors_name_what_is_wrong(self, text: str, game: str, told: str) -> None:
        with pytest.raises(SpecificationError, match=told):
            parse_engine(f"cmd=a {text}", GAMES[game])

    def test_from_a_file_and_changed(self, tmp_path: Path) -> None:
        (tmp_path / "engines.toml").write_text("[a]\ncmd = 'x'\ntc = '40/60+0.5'\n[b]\ncmd = 'y'\nnodes = 100\n")
        known = read_engines(tmp_path / "engines.toml")
        assert parse_engine("a", GAMES["xiangqi"], known).limit == FORTY
        assert parse_engine("b", GAMES["xiangqi"], known).limit == ThinkingLimit(nodes=100)
        assert parse_engine("a depth=3", GAMES["xiangqi"], known).limit == ThinkingLimit(
            depth=3
        )  # in place of the clock

    @pytest.mark.parametrize(
        ("limit", "words", "pgn"),
        [
            (FORTY, "60+0.5 s for every 40 moves", "40/60+0.5"),
            (ThinkingLimit(match_ms=300_000), "300+0 s a game", "300"),
            (ThinkingLimit(match_ms=4_500_000, increment_ms=60_000), "4500+60 s a game", "4500+60"),
            (ThinkingLimit(movetime_ms=100), "100 ms a move", "1/0.1"),
            (ThinkingLimit(nodes=5), "5 nodes a move", "-"),
        ],
    )
    def test_in_words_and_in_pgn(self, limit: ThinkingLimit, words: str, pgn: str) -> None:
        assert (str(limit), limit.pgn_text()) == (words, pgn)

    def test_files_from_before_periods_stay_valid(self) -> None:
        assert "period_moves" not in ThinkingLimit(match_ms=1000).identity()
        assert FORTY.identity()["period_moves"] == 40
        assert "limit" not in parse_engine("cmd=a", GAMES["xiangqi"]).identity()


class TestClock:
    def test_the_time_is_added_after_the_last_move_of_a_period(self) -> None:
        base, increment, moves = parse_time_control("3/10+1")
        clock = Clock(ThinkingLimit(match_ms=base, increment_ms=increment, period_moves=moves))
        seen = []
        for _ in range(7):
            seen.append((clock.moves_to_go, clock.left_ms))
            clock.count(2000)
        assert seen == [
            (3, 10_000),
            (2, 9000),
            (1, 8000),
            (3, 17_000),
            (2, 16_000),
            (1, 15_000),
            (3, 24_000),
        ]

    def test_what_engines_receive(self) -> None:
        plain = ThinkingLimit(match_ms=5000, increment_ms=20)
        forty, game = Clock(FORTY), Clock(plain)
        uci, ucci = DIALECTS["uci"], DIALECTS["ucci"]
        both = Clocks(forty, game)
        assert uci.go(FORTY, both, 0) == "wtime 60000 btime 5000 winc 500 binc 20 movestogo 40"
        assert uci.go(FORTY, both, 1) == "wtime 5000 btime 60000 winc 20 binc 500 movestogo 40"
        assert uci.go(plain, Clocks(game, forty), 1) == "wtime 60000 btime 5000 winc 500 binc 20"
        assert uci.go(FORTY, Clocks(forty, None), 1) == "btime 60000 binc 500 movestogo 40"
        # UCCI has moves to go or an increment, not both.
        assert ucci.go(FORTY, both, 0) == "time 60000 movestogo 40 opptime 5000 oppincrement 20"
        assert ucci.go(plain, Clocks(game, forty), 1) == "time 5000 increment 20 opptime 60000 oppmovestogo 40"
        assert ucci.go(plain, Clocks(game, None), 1) == "time 5000 increment 20"


@pytest.mark.long
@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_a_program_plays_with_periods_of_its_own(protocol: str, tmp_path: Path) -> None:
    option = "debuglogfile" if protocol == "ucci" else '"Debug Log File"'
    engine = f"name=a cmd={SANQI} proto={protocol} tc=4/0.2 option.{option}=log"
    run = match(
        "--engine", engine, "--engine", f"name=b cmd={SANQI} nodes=200", "--max-plies", "26", "--margin", "5000",
        "--out", "games.jsonl", "--records", "games.pgn", cwd=tmp_path,
    )  # a command line, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert "2 games, a 0.2+0 s for every 4 moves, b 200 nodes a move, " in run.stdout
    lines = [line.split(" > ")[1].split() for line in (tmp_path / "log").read_text().splitlines() if " > go " in line]
    key = "time" if protocol == "ucci" else "wtime"
    told = [int(words[words.index("movestogo") + 1]) for words in lines]
    assert told[:9] == [4, 3, 2, 1, 4, 3, 2, 1, 4]
    assert lines[0][1:] == [key, "200", *(["winc", "0"] if protocol == "uci" else []), "movestogo", "4"]
    first, second = read_games((tmp_path / "games.pgn").read_text(encoding="utf-8"))
    assert (first.tags["RedTimeControl"], first.tags["BlackTimeControl"]) == ("4/0.2", "-")
    assert (second.tags["RedTimeControl"], second.tags["BlackTimeControl"]) == ("-", "4/0.2")
    # The file records the limits, so a match with other limits is refused.
    words = ("--engine", f"name=b cmd={SANQI} nodes=200", "--max-plies", "26", "--margin", "5000")
    for other, status in ((engine.replace("4/0.2", "4/0.5"), 2), (engine, 0)):
        again = match("--engine", other, *words, "--out", "games.jsonl", "--resume", cwd=tmp_path)
        assert again.returncode == status
        assert again.stderr.count("\n") == (status and 1)


def test_a_whole_match_may_have_a_clock_for_a_number_of_moves(tmp_path: Path) -> None:
    run = match(*fake("a"), *fake("b"), "--tc", "5/60", "--max-plies", "12", "--records", "x.pgn", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "2 games, 60+0 s for every 5 moves" in run.stdout
    assert {game.tags["TimeControl"] for game in read_games((tmp_path / "x.pgn").read_text())} == {"5/60"}


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (ThinkingLimit(match_ms=300, margin_ms=50), ThinkingLimit(nodes=10)),
        (ThinkingLimit(movetime_ms=100, margin_ms=50), ThinkingLimit(match_ms=60_000)),
    ],
)
def test_each_engine_loses_by_its_own_clock(
    own: ThinkingLimit, other: ThinkingLimit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uci_player, "STOP_S", 0.2)  # the hanging engine hears no stop
    hanging, patient = (
        XiangqiPlayer(replace(parse_engine(fake(behaviour, behaviour)[1], GAMES["xiangqi"]), limit=limit))
        for behaviour, limit in (("hang", own), ("random", other))
    )
    for order, result in (((hanging, patient), SECOND_WINS), ((patient, hanging), FIRST_WINS)):
        try:
            record = play_game(Xiangqi(), order, Opening((), 1), MatchConditions(ThinkingLimit(nodes=1)))
        finally:
            for player in order:
                player.stop()
        assert (record.result, record.reason) == (result, "time")


def test_gomoku_and_junqi_have_limits_of_one_engine(tmp_path: Path) -> None:
    run = match(
        "--game", "gomoku", "--engine", f"name=a cmd={SANQI} depth=2", "--engine", f"name=b cmd={SANQI} tc=0.5+0.02",
        "--max-plies", "12", "--out", "games.jsonl", cwd=tmp_path,
    )  # a command line, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert "a 2 plies deep, b 0.5+0.02 s a game" in run.stdout
    _, *games = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    for game in games:
        side = 0 if game["black"] == "a" else 1
        assert all(depth <= 2 for who, _, depth, *_ in game["thoughts"] if who == side)
    run = match(
        "--game", "junqi", "--engine", f"name=a cmd={SANQI} movetime=4000 option.Level=path",
        "--engine", f"name=b cmd={SANQI} option.Level=path",
        "--movetime", "5000", "--max-plies", "8", "--records", "jgr", cwd=tmp_path,
    )  # a command line, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert "a 4000 ms a move, b 5000 ms a move" in run.stdout


@pytest.mark.parametrize("game", ["gomoku", "junqi"])
def test_a_game_without_such_clocks_refuses_them(game: str, tmp_path: Path) -> None:
    run = match("--game", game, "--engine", "name=a cmd=x", "--engine", "name=b cmd=x", "--tc", "40/60", cwd=tmp_path)
    assert run.returncode == 2
    assert "--tc 40/60: " in run.stderr
    assert "has no clock for a number of moves" in run.stderr
    assert run.stderr.count("\n") == 1
