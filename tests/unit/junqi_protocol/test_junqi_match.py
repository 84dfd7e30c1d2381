"""Junqi in the match runner: two engines, a team each, under the referee."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

import pytest

from engine_client.player import Fault
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from game_core.session import FIRST_WINS, SECOND_WINS
from junqi_protocol.referee.match_game import Junqi, _EngineConnection
from junqi_protocol.rules.geometry import VARIANTS, parse_move
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.position import Position
from match_runner.game import MatchConditions, PlayedGame
from match_runner.local_match import LocalMatch
from match_runner.match import MatchConfig, MatchPlan, MatchState
from match_runner.schedule import Schedule
from match_runner.score import MatchScore

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
FAKE = Path(__file__).parents[2] / "helpers" / "fake_junqi_engine.py"
PATIENCE_S = 60


def fake(behaviour: str, from_ply: int = 0) -> EngineSpecification:
    return EngineSpecification(behaviour, (sys.executable, "-P", str(FAKE), behaviour, str(from_ply)), "jlp")


def games_of(
    first: EngineSpecification,
    second: EngineSpecification,
    games: int,
    variant: str = "duel",
    plies: int = 30,
    movetime_ms: int = 5000,
    draws: bool = False,
) -> tuple[list[PlayedGame], MatchScore]:
    """Play a match; the records by number."""
    junqi = Junqi(variant, seed=1, draws=draws)
    limit = ThinkingLimit(movetime_ms, 0, 50)
    config = MatchConfig(junqi, (first, second), MatchConditions(limit, plies))
    records: dict[int, PlayedGame] = {}
    state = MatchState(
        MatchPlan(config, Schedule(2, games, junqi.deals(games))),
        lambda task, record, duplicate, score: records.__setitem__(task.number, record),
    )
    LocalMatch(state, concurrency=2).run()
    return [records[number] for number in range(games)], state.score


@pytest.mark.parametrize("variant", VARIANTS)
def test_deals_come_in_pairs_with_teams_swapped(variant: str) -> None:
    records, score = games_of(fake("plain"), fake("garbage"), 4, variant)
    assert [record.opening.line for record in records] == [1, 1, 2, 2]
    assert [record.names for record in records] == [("plain", "garbage"), ("garbage", "plain")] * 2
    # Both engines answer alike, so the two games of a pair are the same, and those of different deals are not.
    assert score.duplicates == 2
    assert len({record.moves for record in records}) == 2
    assert {record.reason for record in records} == {"ply-limit"}
    for engine in score.engines:
        assert engine.engine_stats.moves == 60
        assert 0 < engine.engine_stats.longest_ms <= engine.engine_stats.time_ms


@pytest.mark.parametrize(
    ("behaviour", "reason", "fault"),
    [
        ("dies", "crash", "crash"),
        ("illegal", "illegal", "illegal"),
        ("hangs", "time", "time"),
        ("passes", "skips", None),
        ("resigns", "resign", None),
    ],
)
def test_an_engine_loses_by_its_faults(behaviour: str, reason: str, fault: str | None) -> None:
    movetime_ms = 100 if behaviour == "hangs" else 5000
    records, score = games_of(fake("plain"), fake(behaviour, 5), 2, plies=60, movetime_ms=movetime_ms)
    assert [record.reason for record in records] == [reason] * 2
    assert [record.result for record in records] == [FIRST_WINS, SECOND_WINS]
    assert score.first.wins == 2
    assert score.engines[0].faults == {"crash": 0, "time": 0, "illegal": 0}
    if fault is not None:
        assert score.engines[1].faults[fault] == 2


def test_engines_agree_on_a_draw_only_where_the_match_allows_it() -> None:
    for draws, reason in ((True, "agreed"), (False, "ply-limit")):
        records, score = games_of(fake("agrees", 5), fake("agrees", 9), 2, draws=draws)
        assert [record.reason for record in records] == [reason] * 2
        assert score.first.draws == 2
    assert Junqi("duel", 1).terms() != Junqi("duel", 1, draws=True).terms()


@pytest.mark.parametrize(
    ("see", "minds", "programs"),
    [
        ("team", None, [(0, 2), (1, 3)]),
        ("team", "seat", [(0,), (2,), (1,), (3,)]),
        ("own", None, [(0,), (2,), (1,), (3,)]),
        ("own", "team", [(0, 2), (1, 3)]),
    ],
)
def test_a_team_is_one_program_or_one_for_each_seat(
    monkeypatch: pytest.MonkeyPatch, see: str, minds: str | None, programs: list[tuple[int, ...]]
) -> None:
    lines: list[tuple[tuple[int, ...], str]] = []
    send = _EngineConnection.send

    def spy(connection: _EngineConnection, line: str) -> None:
        lines.append((connection.seats, line))
        send(connection, line)

    monkeypatch.setattr(_EngineConnection, "send", spy)
    junqi = Junqi("siguo", 1, see=see, minds=minds)
    players = [junqi.player(fake("plain")), junqi.player(fake("dies", 10))]
    game = junqi.play(players, junqi.deals(1)[0], MatchConditions(ThinkingLimit(5000, 0, 50), 30))
    assert [seats for seats, line in lines if line.startswith("newgame")] == programs
    for seats in programs:
        newgame, *lineups = [line for whose, line in lines if whose == seats and line.startswith(("newgame", "lineup"))]
        assert f"seats {','.join(map(str, seats))} see {see}" in newgame
        shown = [seat for seat in range(4) if seat % 2 == seats[0] % 2] if see == "team" else list(seats)
        assert [int(line.split()[1]) for line in lineups[: len(shown)]] == shown
        assert len(lineups) == len(shown) + 4  # all lineups at the end of the game
    assert (game.reason, game.result, game.detail) == ("crash", FIRST_WINS, "dies exited")
    assert {stats.side for stats in game.move_stats} == {0, 1}


def test_files_of_matches_from_before_the_minds_can_be_continued() -> None:
    terms = {"game": "junqi", "variant": "siguo", "seed": 1}
    assert Junqi("siguo", 1).terms() == Junqi("siguo", 1, see="team", minds="team").terms() == terms
    assert Junqi("siguo", 1, see="own").terms() == {**terms, "see": "own", "minds": "seat"}
    assert Junqi("siguo", 1, minds="seat").terms() == {**terms, "see": "team", "minds": "seat"}


def test_an_engine_that_reads_every_file_it_can_find_learns_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    prying = f"{sys.executable} -P {FAKE.with_name('prying_junqi_engine.py')} {tmp_path / 'found'} {tmp_path}"
    run = match(
        "--variant", "duel", "--engine", f"name=a cmd='{prying}'",
        "--engine", f"name=b cmd={SANQI} option.Level=path", "--games", "1",
        "--max-plies", "4", "--movetime", "5000", "--out", "games.jsonl", "--records", "games", cwd=tmp_path,
    )  # a command line, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert (tmp_path / "found").read_text() == ""


def test_an_engine_that_does_not_shake_hands_is_found_before_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("junqi_protocol.referee.match_game.START_S", 0.5)
        for specification in (fake("mute"), EngineSpecification("none", ("/nowhere/engine",), "jlp")):
            with pytest.raises(Fault) as fault:
                Junqi("duel", 1).player(specification).start()
            assert fault.value.kind == "crash"
    Junqi("duel", 1).player(fake("plain")).start()


def test_shutting_down_for_good_ends_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    monkeypatch.setattr("junqi_protocol.referee.match_game._Clerk.begun", lambda clerk, number, arbiter: begun.set())
    junqi = Junqi("duel", 1)
    players = [junqi.player(fake("plain")), junqi.player(fake("hangs"))]
    ended: list[str] = []

    def play() -> None:
        try:
            junqi.play(players, junqi.deals(1)[0], MatchConditions(ThinkingLimit(100_000)))
        except Fault as fault:
            ended.append(fault.kind)

    thread = threading.Thread(target=play)
    thread.start()
    assert begun.wait(PATIENCE_S)
    for player in players:
        player.shut_down_for_good()
    thread.join(PATIENCE_S)
    assert ended == ["crash"]


def match(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SANQI, "match", "--game", "junqi", *arguments], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE_S
    )


@pytest.mark.long
def test_the_program_plays_its_levels(tmp_path: Path) -> None:
    run = match(
        "--engine", f"name=path cmd={SANQI} option.Level=path",
        "--engine", f"name=random cmd={SANQI} option.Level=random",
        "--games", "8", "--concurrency", "2", "--out", "games.jsonl", "--seed", "5", "--movetime", "5000", cwd=tmp_path,
    )  # a command line, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert "path - random  +" in run.stdout
    assert "0 crashes, 0 time losses, 0 illegal moves" in run.stdout
    _, *games = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    won = sum(game[{"1-0": "even", "0-1": "odd"}.get(game["result"], "game")] == "path" for game in games)
    assert won >= 6
    # The record is the game: it can be played again from the seed and the deal.
    for game in games:
        chance = random.Random(f"5 {game['opening_line']}")
        lineups = [random_lineup(chance) for _ in range(4)]
        position = Position("siguo", first=chance.randrange(4), quiet=70, skips=5)
        position.deploy(lineups)
        for move in game["moves"]:
            position.push(parse_move(position.variant, move))
        assert position.winner == {"1-0": 0, "0-1": 1, "1/2-1/2": None}[game["result"]]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--nodes", "5"], "--nodes is for --game xiangqi or gomoku"),
        (["--rule", "renju"], "--rule is for --game gomoku"),
        (["--openings", "x"], "--openings is for --game xiangqi or gomoku"),
        (["--engine", "cmd=x proto=uci"], "proto is 'uci', expected jlp"),
        ([], "engine a: /nowhere/engine: "),
    ],
)
def test_wrong_arguments_get_one_line(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    engines = ["--engine", "name=a cmd=/nowhere/engine", "--engine", f"name=b cmd={SANQI} option.Level=path"]
    run = match(*(arguments if "--engine" in arguments else [*engines, *arguments]), cwd=tmp_path)
    assert run.returncode == 2
    assert complaint in run.stderr
    assert run.stderr.count("\n") == 1


def test_variant_and_seed_are_junqis(tmp_path: Path) -> None:
    run = subprocess.run(
        [SANQI, "match", "--variant", "duel", "--engine", "name=a cmd=x", "--engine", "name=b cmd=x"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 2
    assert "--variant is for --game junqi" in run.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signals")
def test_no_engine_outlives_an_interrupted_match(tmp_path: Path) -> None:
    hanging = f"{sys.executable} -P {FAKE} hangs"
    process = subprocess.Popen(
        [
            SANQI, "match", "--game", "junqi", "--engine", f"name=a cmd='{hanging}'",
            "--engine", f"name=b cmd={SANQI} option.Level=path",
            "--games", "4", "--movetime", "100", "--margin", "0", "--out", "games.jsonl",
        ],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # a command line, many words a line  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()  # a game is over, the next is on
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=PATIENCE_S)  # ends when the last holder of the pipes does
    assert process.returncode == 130
    assert errors == ""
    assert "interrupted after" in out
