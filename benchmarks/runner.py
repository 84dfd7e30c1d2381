"""The match runner itself: its overhead, the accuracy of its clock, the error rate of its SPRT.

    python benchmarks/runner.py overhead     # time per move with engines that answer at once
    python benchmarks/runner.py memory       # of runner and worker over 10,000 games
    python benchmarks/runner.py clock        # against an engine that knows how long it slept
    python benchmarks/runner.py sprt         # error rates over 1,000 simulated matches

The engines are this file with another argument: one knows a long game in advance and only prints its next move, one
answers with any legal move, one sleeps and reports as its nodes the microseconds from question to answer.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from match_runner.game import MatchConditions, play_game
from match_runner.openings import Opening
from match_runner.statistics import H0, H1, Pairs, Sprt, score_of
from search_core.clock import now_s
from ucci_engine.match_game import Xiangqi
from ucci_engine.match_player import XiangqiPlayer
from ucci_engine.points import move_text, parse_move
from ucci_engine.position import Position

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
SELF = Path(__file__).resolve()


def serve(answer: Callable[[list[str]], str]) -> None:
    """Speak UCI; `answer` gets the moves of the game so far and returns what to print."""
    moves: list[str] = []
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"]:
                print("uciok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position"]:
                moves = words[3:]
            case ["go"]:
                print(answer(moves), flush=True)
            case ["quit"]:
                return


def knowing_engine(game: list[str]) -> None:
    """Plays the next move of a known game."""
    serve(lambda moves: f"bestmove {game[len(moves)]}")


def random_engine() -> None:
    """Plays any legal move."""
    rng = random.Random(1)
    serve(lambda moves: f"bestmove {move_text(rng.choice(position_after(moves).legal_moves()))}")


def sleeping_engine() -> None:
    """Sleeps between 5 and 50 ms."""
    rng = random.Random(1)

    def answer(moves: list[str]) -> str:
        start = now_s()
        move = move_text(rng.choice(position_after(moves).legal_moves()))
        time.sleep(rng.uniform(0.005, 0.05))
        return f"info depth 1 nodes {round(1e6 * (now_s() - start))} time 1\nbestmove {move}"

    serve(answer)


def position_after(moves: list[str]) -> Position:
    position = Position()
    for text in moves:
        position.push(parse_move(text))
    return position


def long_game(plies: int) -> list[str]:
    """Random moves that do not end the game."""
    rng = random.Random(1)
    while True:
        position, moves = Position(), list[str]()
        while position.result() == "ongoing" and len(moves) < plies:
            move = rng.choice(position.legal_moves())
            position.push(move)
            moves.append(move_text(move))
        if len(moves) == plies:
            return moves


def player(*arguments: str) -> XiangqiPlayer:
    return XiangqiPlayer(EngineSpecification(arguments[0], (sys.executable, str(SELF), *arguments), "uci"))


def overhead(games: int) -> None:
    """Wall time of a game per move, in all and without the time between question and answer."""
    game = long_game(200)
    players = player("knowing", *game), player("knowing", *game)
    whole, own = [], []
    limit = ThinkingLimit(nodes=1)
    try:
        for one in players:
            one.new_game(limit)  # the start of the programs is not a move
        for _ in range(games):
            start = now_s()
            record = play_game(Xiangqi(), players, Opening((), 1), MatchConditions(limit, len(game)))
            elapsed_ms = 1000 * (now_s() - start)
            assert len(record.moves) == len(game), record.detail
            whole.append(elapsed_ms / len(game))
            own.append((elapsed_ms - sum(stats.time_ms for stats in record.move_stats)) / len(game))
    finally:
        for one in players:
            one.stop()
    print(f"median of {games} games: {statistics.median(whole):.3f} ms a move from answer to answer,")
    print(f"{statistics.median(own):.3f} ms of them outside of question to answer")


def clock(moves: int) -> None:
    """The runner's time for a move, compared with the engine's own."""
    players = player("sleeping"), player("random")
    errors: list[float] = []
    try:
        while len(errors) < moves:
            conditions = MatchConditions(ThinkingLimit(movetime_ms=60_000), 100)
            record = play_game(Xiangqi(), players, Opening((), 1), conditions)
            errors += [stats.time_ms - stats.nodes / 1000 for stats in record.move_stats if stats.side == 0]
    finally:
        for one in players:
            one.stop()
    errors.sort()
    print(f"{len(errors)} moves: the runner counts {statistics.median(errors):.3f} ms more than the engine in the")
    print(f"median, {errors[int(0.99 * len(errors))]:.3f} ms in one of a hundred, {errors[-1]:.3f} ms at most")


def memory(games: int) -> None:
    """Resident memory of the runner and of its worker process during a match."""
    rng = random.Random(1)
    openings: set[str] = set()
    while len(openings) < (games + 1) // 2:
        moves: list[str] = []
        for _ in range(4):
            moves.append(move_text(rng.choice(position_after(moves).legal_moves())))
        openings.add(" ".join(moves))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "openings.txt").write_text("\n".join(sorted(openings)), encoding="ascii")
        engines = [f'--engine=name={name} cmd="{sys.executable} {SELF} random" proto=uci' for name in "ab"]
        words = ["--nodes", "1", "--max-plies", "8", "--games", str(games), "--openings", "openings.txt"]
        running = subprocess.Popen(
            [SANQI, "match", *engines, *words, "--out", "games.jsonl"], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        assert running.stdout is not None
        for played, _ in zip(range(1, games + 1), running.stdout):
            if played % (games // 10) == 0 and played < games:
                tasks = Path(f"/proc/{running.pid}/task").glob("*/children")
                children = [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()]
                sizes = ", ".join(f"{_resident_mb(pid):.1f} MB" for pid in [running.pid, *children])
                print(f"{played} games: {sizes} (runner, worker)", flush=True)
        running.communicate()


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def sprt(runs: int) -> None:
    """How often the test accepts the wrong hypothesis. The games are simulated, with draws and biased openings."""
    for elo0, elo1 in ((0.0, 10.0), (0.0, 30.0), (-10.0, 0.0)):
        for truth in (elo0, elo1):
            rng = random.Random(int(truth) * 1000 + runs)
            wrong, pairs_used = 0, []
            for _ in range(runs):
                test, pairs = Sprt(elo0, elo1), Pairs()
                while not (verdict := test.verdict(pairs)):
                    pairs.add(_pair(rng, truth))
                wrong += verdict != (H0 if truth == elo0 else H1)
                pairs_used.append(len(pairs))
            print(
                f"SPRT [{elo0:g}, {elo1:g}], truth {truth:+g}: {100 * wrong / runs:.1f} % wrong of {runs} runs, "
                f"median {2 * statistics.median(pairs_used):.0f} games",
                flush=True,
            )


def _pair(rng: random.Random, elo: float) -> float:
    """Points of a pair: 40 % draws; the opening gives one side up to 20 %, and each engine has that side once."""
    bias = rng.uniform(0, 0.2)
    return _game(rng, score_of(elo) + bias) + _game(rng, score_of(elo) - bias)


def _game(rng: random.Random, expected: float) -> float:
    draws = min(0.4, 2 * expected, 2 - 2 * expected)
    chance = rng.random()
    return 0.5 if chance < draws else float(chance < draws + expected - draws / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "what",
        choices=["overhead", "memory", "clock", "sprt", "knowing", "random", "sleeping"],
        help="a measurement, or an engine",
    )
    parser.add_argument("rest", nargs="*", help="games, moves or runs; for the engine `knowing`, the moves of the game")
    args = parser.parse_args()
    number = int(args.rest[0]) if args.rest and args.rest[0].isdecimal() else 0
    match args.what:
        case "overhead":
            overhead(number or 20)
        case "clock":
            clock(number or 500)
        case "memory":
            memory(number or 10_000)
        case "sprt":
            sprt(number or 1000)
        case "knowing":
            knowing_engine(args.rest)
        case "random":
            random_engine()
        case "sleeping":
            sleeping_engine()


if __name__ == "__main__":
    main()
