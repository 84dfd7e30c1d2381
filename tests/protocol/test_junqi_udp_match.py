"""benchmarks/junqi_udp_match.py with our own program, and with programs that fail, as the opponent."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from junqi_protocol.protocols.udp_packets import DEATH, Event, Function, Lineups, MoveResult, parse
from junqi_protocol.records.records import Replay
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import SIGUO
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.messages import BestMove, Moved, Terms

CHECKOUT = Path(__file__).parent.parent.parent
BENCHMARK = CHECKOUT / "benchmarks" / "junqi_udp_match.py"
OURS = f'"{sys.executable}" -m sanqi junqi-udp --team {{team}} --gui 127.0.0.1:{{port}} --level'
FAKE = f'"{sys.executable}" "{CHECKOUT / "tests" / "helpers" / "fake_junqi_udp_engine.py"}" {{team}} {{port}}'
UNHURRIED = ("--margin", "100000")
"""A busy machine must not make our moves late."""


def run(
    folder: Path, opponent: str, *options: str, engine: str = f"{OURS} greedy", games: int = 2
) -> subprocess.CompletedProcess[str]:
    words = ["--port", "0", "--engine", engine, "--opponent", opponent, "--games", str(games), *UNHURRIED, *options]
    return subprocess.run(
        [sys.executable, str(BENCHMARK), *words], capture_output=True, text=True, cwd=folder, timeout=120
    )


def games_in(file: Path) -> list[dict[str, Any]]:
    """The lines of --out without the first, which has the conditions."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()][1:]


@pytest.mark.long
def test_the_packets_say_what_the_arbiter_says(load_benchmark: Callable[[str], Any]) -> None:
    match = load_benchmark("junqi_udp_match")
    seen: set[str] = set()
    for game in range(60):
        chance = random.Random(game)
        lineups = [random_lineup(chance) for _ in range(4)]
        arbiter = Arbiter(Terms(SIGUO, first=game % 4, skips=5, plies=2000), lineups)
        for seat in range(4):
            team = SIGUO.team(seat)
            own = {one: lineups[one] for one in team}
            assert parse(match.init_packet(seat, lineups)) == Lineups(Function.INIT, seat, own)
        while arbiter.outcome is None:
            position = arbiter.position
            moves = position.legal_moves()
            captures = [move for move in moves if position.piece_at(move & 255)]
            move = chance.choice(captures if captures and chance.random() < 0.8 else moves)
            owner = position.piece_at(move & 255)
            lot = chance.random()
            if lot < 0.02:
                happening = arbiter.skip("pass")
            elif lot < 0.022:
                happening = arbiter.leave("resign")
            else:
                happening = arbiter.answer(BestMove("", move, arbiter.next_ply))
            skips = [position.skips_of(seat) for seat in range(4)]
            told = [parse(packet) for packet in match.packets_of(happening, None if owner is None else owner[0], skips)]
            if not isinstance(happening, Moved):
                assert told == [Event(happening.seat, DEATH if lot >= 0.02 else 0, skips[happening.seat])]
                continue
            dead = [seat for seat, reason in happening.outs if reason == "nomove"]
            outs = tuple(out for out in happening.outs if out[1] == "flag")
            assert isinstance(told[0], MoveResult)
            assert dict(told[0].flags) == dict(happening.flags)
            expected = MoveResult(happening.seat, move, happening.result, told[0].flags, outs, bool(dead))
            assert told == [expected, *(Event(seat, DEATH, skips[seat]) for seat in dead)]
            seen.update(reason for _, reason in happening.outs)
            seen.add(f"{len(happening.flags)} commanders")
    assert seen == {"flag", "nomove", "0 commanders", "1 commanders", "2 commanders"}


def test_two_games_with_the_same_lineups_and_exchanged_teams(tmp_path: Path) -> None:
    done = run(tmp_path, f"{OURS} random", "--quiet", "20", "--out", "games.jsonl", "--records", "records")
    assert (done.returncode, done.stderr) == (0, "")
    games = games_in(tmp_path / "games.jsonl")
    assert [game["team"] for game in games] == ["even", "odd"]
    arbiters = []
    for game in games:
        replay = Replay((tmp_path / "records" / f"game{game['number']:05}.jgr").read_bytes())
        assert replay.finished
        arbiter = replay.arbiter
        assert game["plies"] == len(arbiter.happenings)
        assert game["detail"] == arbiter.outcome
        winner = arbiter.position.winner
        ours = ("even", "odd").index(game["team"])
        assert game["result"] == ("drawn" if winner is None else "won" if winner == ours else "lost")
        arbiters.append(arbiter)
    assert arbiters[0].lineups == arbiters[1].lineups
    assert arbiters[0].terms.first == arbiters[1].terms.first
    assert "our faults: 0 crashes, 0 hangs, 0 illegal moves, 0 late moves" in done.stdout


@pytest.mark.long
def test_a_match_goes_on_from_its_file(tmp_path: Path) -> None:
    whole = run(tmp_path, f"{FAKE} surrenders", "--out", "games.jsonl")
    assert "+2 =0 -0  100.0 % of 2 games" in whole.stdout
    file = tmp_path / "games.jsonl"
    with file.open("a", encoding="utf-8") as lines:
        lines.write('{"number": 3, "te')  # killed here
    again = run(tmp_path, f"{FAKE} surrenders", "--out", "games.jsonl", "--resume", games=4)
    assert (again.returncode, again.stderr) == (0, "")
    assert "+4 =0 -0  100.0 % of 4 games" in again.stdout
    games = games_in(file)
    assert [game["number"] for game in games] == [1, 2, 3, 4]
    assert [game["first"] for game in games] == [0, 0, 1, 1]
    other = run(tmp_path, f"{FAKE} surrenders", "--out", "games.jsonl", "--resume", "--seed", "2")
    assert other.returncode == 2
    assert "no match under these conditions" in other.stderr
    assert run(tmp_path, f"{FAKE} surrenders", "--out", "games.jsonl").returncode == 2


@pytest.mark.parametrize(("behaviour", "result"), [("leaves", "crash"), ("cheats", "illegal")])
def test_an_opponent_that_fails_is_counted_apart(tmp_path: Path, behaviour: str, result: str) -> None:
    done = run(tmp_path, f"{FAKE} {behaviour}", "--out", "games.jsonl", "--records", "records")
    assert (done.returncode, done.stderr) == (0, "")
    games = games_in(tmp_path / "games.jsonl")
    assert [game["result"] for game in games] == [result, result]
    assert "=" not in done.stdout  # there is no score
    crashes = 2 if result == "crash" else 0
    apart = f"the opponent's: {crashes} crashes, 0 hangs, {2 - crashes} illegal moves\n"
    assert f"counted apart, {apart}our faults: 0 crashes, 0 hangs, 0 illegal moves" in done.stdout
    if result == "crash":
        assert games[0]["detail"] == "exit status 3: 'cannot play on'"
    assert not Replay((tmp_path / "records" / "game00001.jgr").read_bytes()).finished


@pytest.mark.long
def test_an_opponent_that_hangs_is_counted_apart(tmp_path: Path) -> None:
    done = run(tmp_path, f"{FAKE} sleeps", "--patience", "100", "--out", "games.jsonl", games=1)
    assert (done.returncode, done.stderr) == (0, "")
    [game] = games_in(tmp_path / "games.jsonl")
    assert (game["result"], game["detail"]) == ("hang", "no move of seat 1 within 0.1 s")


@pytest.mark.parametrize(("behaviour", "fault"), [("leaves", "crash"), ("cheats", "illegal")])
def test_our_own_failure_is_a_fault_and_a_loss(tmp_path: Path, behaviour: str, fault: str) -> None:
    done = run(tmp_path, f"{OURS} random", "--out", "games.jsonl", engine=f"{FAKE} {behaviour}")
    assert (done.returncode, done.stderr) == (1, "")
    assert [(game["result"], game["fault"]) for game in games_in(tmp_path / "games.jsonl")] == [("lost", fault)] * 2
    assert "+0 =0 -2  0.0 % of 2 games" in done.stdout


@pytest.mark.long
def test_a_move_that_is_late_is_a_fault(tmp_path: Path) -> None:
    done = run(tmp_path, f"{FAKE} surrenders", "--margin", "0", "--movetime", "1", "--out", "games.jsonl", games=1)
    late = sum(time > 1 for game in games_in(tmp_path / "games.jsonl") for time in game["ours"])
    assert f"{late} late moves" in done.stdout
    assert done.returncode == (1 if late else 0)


def test_a_program_that_does_not_start(tmp_path: Path) -> None:
    done = run(tmp_path, "no-such-program")
    assert done.returncode == 2
    assert "no-such-program" in done.stderr
    assert "Traceback" not in done.stderr
