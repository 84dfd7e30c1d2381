"""Blunders of Xiangqi at short times: collect positions, judge the moves, compare two engines, look for causes.

    python benchmarks/xiangqi_blunders.py collect --engine "old/sanqi uci" --games 700 --out positions.jsonl
    python benchmarks/xiangqi_blunders.py judge positions.jsonl --engine "old/sanqi uci" --reference "old/sanqi uci" \\
                                                --searches searches.jsonl --out old.jsonl
    python benchmarks/xiangqi_blunders.py judge positions.jsonl --engine "new/sanqi uci" --reference "old/sanqi uci" \\
                                                --searches searches.jsonl --out new.jsonl
    python benchmarks/xiangqi_blunders.py compare old.jsonl new.jsonl
    python benchmarks/xiangqi_blunders.py causes old.jsonl --engine "new/sanqi uci" --reference "old/sanqi uci" \\
                                                 --searches searches.jsonl --out causes.jsonl

Commands are UCI programs; the reference is an installed build that does not change. All files are JSON lines. With
--resume a command goes on where it was stopped.

collect   A match of the engine against itself at 50 ms a move, with `sanqi match`. Its games are in `games.jsonl`
          beside the positions. Every fourth position after the opening is kept. The games of each second opening are
          the tuning half, the others the held-out half. With --nodes instead of --movetime the load of the machine
          does not matter; 50 ms are 50,000 to 150,000 nodes. The second player then gets a tenth less, as the two
          games of an opening would be the same.
judge     The engine's move in each position at 20,000 nodes, and its loss: the score of the reference's best move
          minus the score of a search of the played move alone, by searches of 2,000,000 nodes. They are made only if
          searches of 200,000 nodes see a loss of 150 or more; else those give the loss. A blunder loses 300 or more.
          Every search begins with an empty table. The file of --searches keeps the reference's searches for all runs.
compare   The blunders of two engines in the same positions, and the exact p of McNemar's test (two-sided). The mean
          loss, with the losses limited to 300, shows a difference in fewer positions. --also FIRST SECOND: the same
          moves judged by another reference; a loss then is the smaller one, so a blunder is one for both.
causes    The engine's move in the positions of blunders, with one step of the search switched off at a time. A small
          change of a parameter shows how often a move changes by chance, and twice the nodes what more time finds.
"""

from __future__ import annotations

import argparse
import math
import os
import shlex
import statistics
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.json_lines import JsonLines, Line, read_lines
from engine_client.process import EngineProcess
from engine_client.reports import MATE_CP
from search_core.clock import now_s
from search_core.options import TUNE_VARIABLE
from ucci_engine.points import START_FEN, parse_move
from ucci_engine.position import Position

TUNING, HELD_OUT = "tuning", "held-out"
PLAY_NODES, PREFILTER_NODES, JUDGE_NODES = 20_000, 200_000, 2_000_000
BLUNDER = 300
PREFILTER = 150
"""The loss at PREFILTER_NODES from which the loss is measured at JUDGE_NODES."""
GOOD = 100
"""A move that loses less is a good one, for `causes`."""
DECIDED = 1000
"""Scores are limited to this for the second count: a mate missed in a won game does not matter."""
ANSWER_S = 600.0

Parameters = dict[str, int]
Programs = TypeVar("Programs")

SWITCHES: dict[str, Parameters] = {
    "razoring": {"razor_depth": 0},
    "reverse futility": {"rfp_depth": 0},
    "null move": {"nmp_depth": 127},
    "null move without verification": {"nmp_verification_depth": 1},
    "ProbCut": {"probcut_depth": 127},
    "internal iterative reduction": {"iir_depth": 127},
    "late-move pruning": {"lmp_base": 100, "lmp_minimum": 100},
    "history pruning": {"history_pruning_depth": 0},
    "futility": {"futility_depth": -1, "skip_quiets_depth": 0},
    "SEE pruning of quiet moves": {"see_quiet_depth": -1},
    "SEE pruning of captures": {"see_noisy_depth": 0},
    "singular extension": {"singular_depth": 127},
    "check extension": {"check_extension": 0},
    "limit of the check extension to low depths": {"check_extension_depth": 127},
    "late-move reductions": {"lmr_min_depth": 127},
    "half a ply of late-move reductions": {"lmr_base": 0},
    "late-move reductions at the root": {"lmr_root_depth": 127},
    "larger reductions after cut-offs": {"lmr_cutoffs": 0},
    "hindsight extension": {"hindsight_reduction": 0},
    "history of moves before fail-low nodes": {"history_fail_low_bonus": 0},
    "history by the change of the static evaluation": {"history_eval_weight": 0},
    "correction of the static evaluation": {"correction_weight": 0},
    "aspiration window": {"aspiration_depth": 127},
    "futility in quiescence": {"qs_futility_margin": 5000},
    "pruning of evasions in quiescence": {"qs_evasions": 100},
}
"""What is off, and the parameters that switch it off."""
BY_CHANCE: dict[str, Parameters] = {
    "(small change: aspiration_delta 19)": {"aspiration_delta": 19},
    "(small change: futility_margin 96)": {"futility_margin": 96},
    "(small change: history_bonus 152)": {"history_bonus": 152},
    "(small change: nmp_eval_divisor 182)": {"nmp_eval_divisor": 182},
    "(small change: rfp_margin 121)": {"rfp_margin": 121},
}
TWICE_THE_NODES = "(twice the nodes)"


class UciEngine:
    """A UCI program whose searches do not depend on each other."""

    def __init__(self, command: str, hash_mb: int) -> None:
        self._process = EngineProcess(shlex.split(command))
        self._ask("uci", "uciok")
        self._process.send(f"setoption name Hash value {hash_mb}")

    def set_parameters(self, parameters: Parameters) -> None:
        """Set parameters of the search; the program must list them as options."""
        for name, value in parameters.items():
            self._process.send(f"setoption name {name} value {value}")

    def search(self, position: str, nodes: int, only: str = "") -> tuple[str, int]:
        """The best move ('': none) and its score for the side to move. `only`: the one move to search."""
        self._process.send("ucinewgame")
        self._ask("isready", "readyok")
        self._process.forget_output()
        self._process.send(f"position {position}")
        answer = self._ask(f"go nodes {nodes}" + (f" searchmoves {only}" if only else ""), "bestmove")
        score, move = self._process.report.centipawns, answer.split()[1]
        return ("", 0) if score is None or move == "(none)" else (move, score)

    def close(self) -> None:
        self._process.close()

    def _ask(self, line: str, answer: str) -> str:
        self._process.send(line)
        deadline = now_s() + ANSWER_S
        while not (text := self._process.receive(deadline).text).startswith(answer):
            pass
        return text


class Reference:
    """The searches that judge. They are made once and kept in a file."""

    def __init__(self, path: Path | None, command: str) -> None:
        self._known: dict[tuple[str, int, str], tuple[str, int]] = {}
        self._file = JsonLines(path, {"reference": command}, resume=True) if path is not None else None
        for line in self._file.lines if self._file is not None else ():
            self._known[line["position"], line["nodes"], line["only"]] = line["best"], line["score"]

    def search(self, engine: UciEngine, position: str, nodes: int, only: str = "") -> tuple[str, int]:
        """As UciEngine.search()."""
        key = position, nodes, only
        if key not in self._known:
            best, score = self._known[key] = engine.search(*key)
            if self._file is not None:
                self._file.add({"position": position, "nodes": nodes, "only": only, "best": best, "score": score})
        return self._known[key]

    def judge(self, engine: UciEngine, position: str, move: str) -> Line:
        """What a move loses, and the searches that say so."""
        judged: Line = {}
        for nodes in (PREFILTER_NODES, JUDGE_NODES):
            best, score = self.search(engine, position, nodes)
            played = score if best == move else self.search(engine, position, nodes, move)[1]
            loss = max(score - played, 0)
            judged = {"nodes": nodes, "best": best, "best_score": score, "played_score": played, "loss": loss}
            if loss < PREFILTER:
                break
        return judged


# ---------------------------------------------------------------- collect


def half_of(game: int) -> str:
    """The half that a game belongs to, by its number from 1. The two games of an opening are in the same half."""
    return TUNING if (game - 1) // 2 % 2 == 0 else HELD_OUT


def positions_of(games: Iterable[Line], every: int) -> Iterator[Line]:
    """Every `every`-th position of each game, from the opening's end on; none twice. `games` are lines of a match."""
    seen = set()
    for game in sorted(games, key=lambda line: line["game"]):
        start, moves = game["start"], game["moves"]
        position = Position(start or START_FEN)
        for ply, move in enumerate(moves):
            board = " ".join(position.fen().split()[:2])
            if ply >= game["opening_plies"] and (ply - game["opening_plies"]) % every == 0 and board not in seen:
                seen.add(board)
                yield {
                    "id": f"{game['game']}/{ply}",
                    "half": half_of(game["game"]),
                    "position": " ".join([f"fen {start}" if start else "startpos", "moves", *moves[:ply]]),
                }
            position.push(parse_move(move))


def match_arguments(args: argparse.Namespace, games: Path) -> list[str]:
    """The arguments of `sanqi match` for the games."""
    engine = f'cmd="{args.engine}" proto=uci option.Hash=32'
    second = f" nodes={args.nodes * 9 // 10}" if args.nodes else ""
    limit = ["--nodes", str(args.nodes)] if args.nodes else ["--movetime", str(args.movetime), "--margin", "2000"]
    return [
        *("match", "--engine", f"name=first {engine}", "--engine", f"name=second {engine}{second}"),
        *("--games", str(args.games), "--concurrency", str(args.workers), "--out", str(games), *limit),
        *("--max-plies", "160", "--adjudicate-win", "2000,3"),
        *(["--openings", str(args.openings)] if args.openings else []),
        *(["--resume"] if args.resume else []),
    ]


def collect(args: argparse.Namespace) -> None:
    """Play the games and write the positions."""
    games = args.out.with_name("games.jsonl")
    if args.out.exists() and not args.resume:
        sys.exit(f"{args.out} exists; --resume makes it again from the games")
    subprocess.run([sys.executable, "-m", "sanqi", *match_arguments(args, games)], check=True)
    positions = list(positions_of((line for line in read_lines(games) if "game" in line), args.every))
    args.out.unlink(missing_ok=True)
    file = JsonLines(args.out, {"games": str(games), "every": args.every}, resume=False)
    for position in positions:
        file.add(position)
    tuning = sum(position["half"] == TUNING for position in positions)
    print(f"{len(positions)} positions, {tuning} of them in the tuning half")


# ---------------------------------------------------------------- judge


@contextmanager
def running(*commands: tuple[str, int]) -> Iterator[list[UciEngine]]:
    """Programs, each given as command and size of its table in MB."""
    with ExitStack() as stack:
        engines = []
        for command, hash_mb in commands:
            engines.append(UciEngine(command, hash_mb))
            stack.callback(engines[-1].close)
        yield engines


def in_parallel(
    tasks: Iterable[Line],
    workers: int,
    start: Callable[[], AbstractContextManager[Programs]],
    do: Callable[[Programs, Line], None],
) -> None:
    """Do all tasks in `workers` threads. Each thread starts programs of its own, which `do` gets with a task."""
    left = deque(tasks)
    total = len(left)

    def work() -> None:
        with start() as programs:
            while True:
                try:
                    task = left.popleft()
                except IndexError:
                    return
                do(programs, task)
                if sys.stderr.isatty():
                    print(f"\r{total - len(left)} of {total}", end="", file=sys.stderr)

    with ThreadPoolExecutor(workers) as pool:
        try:
            for future in as_completed([pool.submit(work) for _ in range(workers)]):
                future.result()
        finally:
            left.clear()


def judge(args: argparse.Namespace) -> None:
    """Judge the engine's move in each position of a half."""
    made = {"engine": args.engine, "reference": args.reference, "nodes": args.nodes, "parameters": args.parameter}
    out = JsonLines(args.out, made, args.resume)
    reference = Reference(args.searches, args.reference)
    done = {line["id"] for line in out.lines}
    wanted = (TUNING, HELD_OUT) if args.half == "both" else (args.half,)
    tasks = [line for line in read_lines(args.positions) if line["half"] in wanted and line["id"] not in done]
    if args.most:
        tasks = tasks[: max(args.most - len(done), 0)]

    def do(programs: list[UciEngine], task: Line) -> None:
        engine, judging = programs
        engine.set_parameters(dict(args.parameter))
        move, score = engine.search(task["position"], args.nodes)
        out.add({**task, "move": move, "score": score, **reference.judge(judging, task["position"], move)})

    in_parallel(tasks, args.workers, lambda: running((args.engine, 16), (args.reference, 64)), do)
    print(summary(read_lines(args.out)))


def is_blunder(line: Line, limit: int = MATE_CP) -> bool:
    """Whether a judged move is a blunder, with scores limited to ±limit."""
    best, played = (max(-limit, min(line[name], limit)) for name in ("best_score", "played_score"))
    return bool(line["nodes"] == JUDGE_NODES and best - played >= BLUNDER)


def summary(lines: list[Line]) -> str:
    """The number of blunders in a file of judged moves."""
    count = sum(map(is_blunder, lines))
    open_games = sum(is_blunder(line, DECIDED) for line in lines)
    share = count / max(len(lines), 1)
    return (
        f"{len(lines)} positions: {count} blunders of {BLUNDER} or more ({share:.2%}), "
        f"{open_games} with scores limited to {DECIDED}"
    )


# ---------------------------------------------------------------- compare


def mcnemar_p(only_first: int, only_second: int) -> float:
    """The exact two-sided p of McNemar's test: a fair coin's tosses divided as unevenly as this, or more."""
    tosses = only_first + only_second
    tail = sum(math.comb(tosses, heads) for heads in range(min(only_first, only_second) + 1))
    return min(1.0, float(tail / 2 ** (tosses - 1)))


def comparison(first: list[Line], second: list[Line], limit: int = MATE_CP) -> str:
    """The blunders of two engines in the positions that both files have."""
    firsts, seconds = ({line["id"]: is_blunder(line, limit) for line in lines} for lines in (first, second))
    both = firsts.keys() & seconds.keys()
    one = sum(firsts[name] and not seconds[name] for name in both)
    other = sum(seconds[name] and not firsts[name] for name in both)
    return (
        f"{len(both)} positions: {sum(firsts[name] for name in both)} and {sum(seconds[name] for name in both)} "
        f"blunders, {one} only by the first, {other} only by the second, p = {mcnemar_p(one, other):.3g}"
    )


def mean_losses(first: list[Line], second: list[Line]) -> str:
    """The mean losses of two engines in the positions that both files have, with losses limited to BLUNDER."""
    firsts, seconds = ({line["id"]: min(line["loss"], BLUNDER) for line in lines} for lines in (first, second))
    both = sorted(firsts.keys() & seconds.keys())
    if len(both) < 2:
        return "too few positions for a mean loss"
    changes = [seconds[name] - firsts[name] for name in both]
    error = 1.96 * statistics.stdev(changes) / math.sqrt(len(both))
    return (
        f"mean loss, limited to {BLUNDER}: {statistics.mean(firsts[name] for name in both):.2f} and "
        f"{statistics.mean(seconds[name] for name in both):.2f}, {statistics.mean(changes):+.2f} ± {error:.2f}"
    )


def milder(lines: list[Line], others: list[Line]) -> list[Line]:
    """Of each move that both judge, the judgement with the smaller loss. Raises ValueError if a move differs."""
    known = {line["id"]: line for line in others}
    pairs = [(line, known[line["id"]]) for line in lines if line["id"] in known]
    for line, other in pairs:
        if line["move"] != other["move"]:
            raise ValueError(f"{line['id']}: another move was judged")
    return [min(pair, key=lambda line: line["loss"]) for pair in pairs]


def compare(args: argparse.Namespace) -> None:
    """Compare two files of judged moves."""
    first, second = read_lines(args.first), read_lines(args.second)
    if args.also:
        first, second = (milder(lines, read_lines(also)) for lines, also in zip((first, second), args.also))
    print(comparison(first, second))
    print(mean_losses(first, second))
    print(f"scores limited to {DECIDED}: {comparison(first, second, DECIDED)}")


# ---------------------------------------------------------------- causes


def causes(args: argparse.Namespace) -> None:
    """Switch off steps of the search one at a time, in the positions of blunders."""
    os.environ[TUNE_VARIABLE] = "1"
    out = JsonLines(args.out, {"engine": args.engine, "reference": args.reference, "nodes": args.nodes}, args.resume)
    reference = Reference(args.searches, args.reference)
    done = {(line["id"], line["off"]) for line in out.lines}
    switches = {**SWITCHES, **BY_CHANCE, TWICE_THE_NODES: {}}
    tasks = [
        {**line, "off": off}
        for off in switches
        for line in read_lines(args.judged)
        if is_blunder(line) and (line["id"], off) not in done
    ]

    def do(programs: list[UciEngine], task: Line) -> None:
        engine, judging = programs
        changed = switches[task["off"]]
        usual = Position().parameters
        engine.set_parameters(changed)
        move, _ = engine.search(task["position"], args.nodes * (2 if task["off"] == TWICE_THE_NODES else 1))
        engine.set_parameters({name: usual[name] for name in changed})
        loss = reference.judge(judging, task["position"], move)["loss"]
        out.add({"id": task["id"], "off": task["off"], "played": task["move"], "move": move, "loss": loss})

    in_parallel(tasks, args.workers, lambda: running((args.engine, 16), (args.reference, 64)), do)
    print(table(read_lines(args.out), list(switches)))


def table(lines: list[Line], names: list[str]) -> str:
    """By what was switched off: in how many positions another move was played, a good one, and still a blunder."""
    rows = [f"{'off':45}{'other move':>12}{'good':>8}{'blunder':>10}"]
    for name in names:
        of = [line for line in lines if line["off"] == name]
        other = sum(line["move"] != line["played"] for line in of)
        good, bad = sum(line["loss"] < GOOD for line in of), sum(line["loss"] >= BLUNDER for line in of)
        rows.append(f"{name:45}{other:12}{good:8}{bad:10}")
    positions = len({line["id"] for line in lines})
    return "\n".join([*rows, f"{positions} blunders; a good move loses less than {GOOD}"])


# ---------------------------------------------------------------- the command line


def parameter(text: str) -> tuple[str, int]:
    """A parameter as NAME=VALUE."""
    name, _, value = text.partition("=")
    return name, int(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def command(name: str, function: Callable[[argparse.Namespace], None]) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=function.__doc__)
        added.set_defaults(function=function)
        return added

    collector = command("collect", collect)
    collector.add_argument("--games", type=int, default=700, metavar="N", help="(default %(default)s)")
    collector.add_argument("--movetime", type=int, default=50, metavar="MS", help="for a move (default %(default)s)")
    collector.add_argument("--nodes", type=int, default=0, metavar="N", help="for a move, instead of --movetime")
    collector.add_argument("--openings", type=Path, metavar="PATH", help="as of `sanqi match` (default: its own)")
    collector.add_argument("--every", type=int, default=4, metavar="PLIES", help="(default %(default)s)")
    judges = command("judge", judge)
    judges.add_argument("positions", type=Path)
    judges.add_argument("--half", choices=[TUNING, HELD_OUT, "both"], default=TUNING, help="(default %(default)s)")
    judges.add_argument("--most", type=int, default=0, metavar="N", help="judge only the first N positions")
    judges.add_argument(
        "--parameter", type=parameter, action="append", default=[], metavar="NAME=VALUE",
        help=f"of the engine's search; needs {TUNE_VARIABLE}=1",
    )  # fmt: skip
    cause = command("causes", causes)
    cause.add_argument("judged", type=Path)
    for searcher in (judges, cause):
        searcher.add_argument("--reference", required=True, metavar="CMD", help="the UCI program that judges")
        searcher.add_argument("--searches", type=Path, metavar="FILE", help="keep the reference's searches here")
        searcher.add_argument("--nodes", type=int, default=PLAY_NODES, metavar="N", help="for a move (%(default)s)")
    for writer in (collector, judges, cause):
        writer.add_argument("--engine", required=True, metavar="CMD", help="the UCI program that plays")
        writer.add_argument("--out", type=Path, required=True, metavar="FILE")
        writer.add_argument("--resume", action="store_true", help="go on with the file of --out")
        writer.add_argument(
            "--workers", type=int, default=os.cpu_count() or 1, metavar="N",
            help="searches or games at a time (default: one a processor)",
        )  # fmt: skip
    comparer = command("compare", compare)
    comparer.add_argument("first", type=Path)
    comparer.add_argument("second", type=Path)
    comparer.add_argument("--also", type=Path, nargs=2, metavar=("FIRST", "SECOND"))
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
