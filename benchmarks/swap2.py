"""Swap2: whether the answers to SWAP2BOARD are in time and fair.

    python benchmarks/swap2.py                  # 50 questions of each kind at 0.5, 2, 3 and 10 s a turn: 40 minutes
    python benchmarks/swap2.py --judge 20       # 20 proposals of each kind at 1 s a turn, judged by a search of 5 s

The kinds are those of the protocol: none, three or five random stones. On 15x15 and 20x20 the engine answers without
stones from its store; with `--size 19` it searches. The time of a turn is from before the first line is written until
the answer is read; the exit status is 1 if any turn took too long. A position is decided if the judge sees a forced
win; at 300 centipawns it counts as lost for a side.
"""

from __future__ import annotations

import argparse
import random
import sysconfig

from engine_client.process import GOMOCUP_LINES, EngineProcess
from gomoku_protocol.stones import Stones
from search_core.clock import now_s
from search_core.engine import MATE_BOUND, Engine, Limits, Result

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
LOST_CP = 300
PATIENCE_S = 60.0


class Asker:
    """A running engine that answers SWAP2BOARD."""

    def __init__(self, command: str, size: int, seed: int) -> None:
        self._process = EngineProcess(command.split(), None, GOMOCUP_LINES)
        self._process.send(f"START {size}")
        self._answer()
        self._process.send(f"INFO seed {seed}")

    def ask(self, stones: list[str], turn_ms: int) -> tuple[str, float]:
        """The answer for these stones, and its time in milliseconds; always with an empty hash table."""
        for line in ("YXHASHCLEAR", f"INFO timeout_turn {turn_ms}", "ABOUT"):
            self._process.send(line)
        self._answer()
        begun = now_s()
        for line in ("SWAP2BOARD", *stones, "DONE"):
            self._process.send(line)
        text, arrival = self._answer()
        return text, (arrival - begun) * 1000

    def close(self) -> None:
        self._process.close()

    def _answer(self) -> tuple[str, float]:
        deadline = now_s() + PATIENCE_S
        while True:
            line = self._process.receive(deadline)
            if not line.text.startswith("MESSAGE"):
                return line.text, line.arrival


def draw(chance: random.Random, size: int, count: int) -> list[str]:
    """Random stones near the middle of the board."""
    points = [f"{x},{y}" for x in range(3, size - 3) for y in range(3, size - 3)]
    return chance.sample(points, count)


def punctuality(asker: Asker, size: int, turns_ms: list[int], runs: int, chance: random.Random) -> int:
    """Measure and print a row for each turn and kind; returns the number of late answers."""
    late_in_all = 0
    print("turn ms  stones  answers  late  longest ms")
    for turn_ms in turns_ms:
        for count in (0, 3, 5):
            times = [asker.ask(draw(chance, size, count), turn_ms)[1] for _ in range(runs)]
            late = sum(spent > turn_ms for spent in times)
            late_in_all += late
            print(f"{turn_ms:>7} {count:>7} {runs:>8} {late:>5} {max(times):>11.0f}", flush=True)
    return late_in_all


def judge(engine: Engine, size: int, stones: list[str], milliseconds: int) -> int:
    """The score of a position for White, who is to move after three or five stones."""
    results: list[Result] = []
    engine.new_game()
    position = Stones.from_moves(size, size, stones).position(0)
    engine.go(position, Limits(soft_ms=milliseconds, hard_ms=milliseconds), on_result=results.append)
    engine.wait()
    return results[0].score


def report(name: str, scores: list[int]) -> None:
    won = [sum(sign * score >= MATE_BOUND for score in scores) for sign in (1, -1)]
    lost = [sum(LOST_CP <= sign * score < MATE_BOUND for score in scores) for sign in (1, -1)]
    print(
        f"{name}: {len(scores)}, of them won for White {won[0]}, for Black {won[1]}; "
        f"300 or more for White {lost[0]}, for Black {lost[1]}"
    )
    print("  scores for White: " + " ".join(map(str, scores)))


def fairness(asker: Asker, size: int, count: int, turn_ms: int, judge_ms: int) -> None:
    """Judge openings of three stones, and the answers to them: two more stones, or a choice of colour."""
    engine = Engine()
    openings = [asker.ask([], turn_ms)[0].split() for _ in range(count)]
    report("three stones", [judge(engine, size, opening, judge_ms) for opening in openings])
    pairs: list[int] = []
    colours: list[int] = []
    for opening in openings:
        answer = asker.ask(opening, turn_ms)[0]
        moves = answer.split()
        if len(moves) == 2:
            pairs.append(judge(engine, size, opening + moves, judge_ms))
        else:
            score = judge(engine, size, opening, judge_ms)
            colours.append(-score if answer == "SWAP" else score)
    report("two stones", pairs)
    print(f"colours chosen: {len(colours)}, scores for the side chosen: " + " ".join(map(str, colours)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=f"{SANQI} gomocup", metavar="CMD", help="ours (default: the installed one)")
    parser.add_argument("--size", type=int, default=15, metavar="N", help="of the board (default 15)")
    parser.add_argument("--turns", default="500,2000,3000,10000", metavar="MS,...", help="default 500,2000,3000,10000")
    parser.add_argument("--runs", type=int, default=50, metavar="N", help="questions of each kind (default 50)")
    parser.add_argument("--judge", type=int, metavar="N", help="judge N proposals at 1 s a turn instead")
    parser.add_argument("--judge-ms", type=int, default=5000, metavar="MS", help="of the judge (default 5000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of all draws (default 1)")
    args = parser.parse_args()

    chance = random.Random(args.seed)
    asker = Asker(args.engine, args.size, args.seed)
    try:
        if args.judge:
            fairness(asker, args.size, args.judge, 1000, args.judge_ms)
        elif punctuality(asker, args.size, [int(turn) for turn in args.turns.split(",")], args.runs, chance):
            raise SystemExit(1)
    finally:
        asker.close()


if __name__ == "__main__":
    main()
