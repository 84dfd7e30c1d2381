"""Calibrate the levels of a game: games between neighbours and against fixed opponents, and one fit over all of them.

    python -m sanqi_training.calibrate_levels play xiangqi --out xiangqi.jsonl --hours 2
    python -m sanqi_training.calibrate_levels play xiangqi --out xiangqi.jsonl --hours 2 --resume
    python -m sanqi_training.calibrate_levels fit xiangqi.jsonl --plot docs/images/levels-xiangqi.svg

play   Play pairs of games: each opening or deal is played twice, with sides swapped. All pairings go on together, so
       that a run that was stopped says something of every level. Every pair is kept, one JSON object a line, with its
       moves. --hours ends a part at that time; --resume goes on with the pairs that the file lacks. The same seed plays
       the same games, besides those of other programs.
fit    One Bradley-Terry fit over all games, a draw as half a win, with 95 % intervals; each step between neighbours;
       how probable it is that the order is right; and the place of the other players on the scale.

level_games.py says what players there are. By default the levels play their neighbours and those two steps away, and
these opponents play every fifth level: fairy-stockfish at Skill Level -20, -10, 0, 5, 10 and the classic players
(Xiangqi); weights (Gomoku); random, events, path (Junqi).
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

import pygal  # type: ignore[import-untyped]

from engine_client.player import Fault
from sanqi_training.bradley_terry import Pair, Ratings, fit
from sanqi_training.fit_win_probability import plain
from sanqi_training.level_games import FAIRY, FAIRY_COMMAND, Arena, Played, Terms, arena_of
from search_core.clock import now_s
from search_core.levels import LEVEL_COUNT, NUMBERS

ANCHORS = {
    "xiangqi": (*(f"fairy:{skill}" for skill in (-20, -10, 0, 5, 10)), "classic-1ply", "classic-4ply"),
    "gomoku": ("weights",),
    "junqi": ("random", "events", "path"),
}
ANCHORED = ("1", "5", "10", "15", "20")
"""The levels that play against other players."""
MIN_STEP, MAX_STEP = 60, 260
"""Elo between neighbours, as the scale should have it."""


class Task(NamedTuple):
    """A pair of games to play: its players, and its number among their pairs."""

    first: str
    second: str
    number: int


def schedule(
    levels: Sequence[str], anchors: Sequence[str], anchored: Sequence[str], neighbours: int, second: int, anchor: int
) -> list[Task]:
    """All pairs of games, so that each pairing is played evenly; the numbers are games of a pairing."""
    pairings = [(low, high, neighbours // 2) for low, high in itertools.pairwise(levels)]
    pairings += [(low, high, second // 2) for low, high in zip(levels, levels[2:])]
    # Some 100 games of an anchor are few against one level, so they are shared by the levels.
    pairings += [(one, level, anchor // 2) for one in anchors for level in anchored if level in levels]
    most = max((pairs for _, _, pairs in pairings), default=0)
    # The n-th of p pairs is due after n/p of the whole.
    return [
        Task(low, high, number)
        for turn in range(most)
        for low, high, pairs in pairings
        for number in range(turn * pairs // most, (turn + 1) * pairs // most)
    ]


_arena: Arena | None = None


def _begin(terms: Terms) -> None:
    global _arena
    _arena = arena_of(terms)


def _play(task: Task) -> list[Played]:
    assert _arena is not None
    try:
        return _arena.pair(*task)
    except Fault as error:  # which a pool cannot send
        raise RuntimeError(f"{task.first} against {task.second}: {error}") from None


def played(terms: Terms, tasks: Sequence[Task], workers: int, deadline: float) -> Iterator[tuple[Task, list[Played]]]:
    """Play the pairs, begun in their order, until the deadline."""
    if workers == 1:
        _begin(terms)
        for task in tasks:
            if now_s() >= deadline:
                return
            yield task, _play(task)
        return
    left = iter(tasks)
    waiting: dict[Future[list[Played]], Task] = {}
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (terms,)) as pool:
        while True:
            # One task more than processes, so that none waits for us.
            while len(waiting) <= workers and now_s() < deadline and (following := next(left, None)):
                waiting[pool.submit(_play, following)] = following
            if not waiting:
                return
            for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(done), done.result()


def read_file(path: Path) -> tuple[Terms, list[dict[str, Any]]]:
    """The terms and the pairs of a file. Ends the program with a message if it is none of ours."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        head, *rest = [json.loads(line) for line in lines if line.endswith("}")]
        return Terms(**head["terms"]), rest
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path} is no file of `play`: {error}")


def play(args: argparse.Namespace) -> None:
    """Play what the file lacks."""
    terms = Terms(args.game, args.variant, str(args.openings or ""), args.seed, args.anchor_nodes)
    anchors = ANCHORS[args.game] if args.anchors is None else tuple(args.anchors.split(",")) if args.anchors else ()
    if any(anchor.startswith(FAIRY) for anchor in anchors) and shutil.which(FAIRY_COMMAND) is None:
        sys.exit(f"{FAIRY_COMMAND} is not installed; choose other --anchors")
    arena = arena_of(terms)
    for name in (*anchors, *args.levels.split(","), *args.anchored.split(",")):
        try:
            arena.check(name)
        except ValueError as error:
            sys.exit(str(error))
    tasks = schedule(
        args.levels.split(","), anchors, args.anchored.split(","), args.neighbours, args.second, args.anchor
    )
    done: set[Task] = set()
    if args.out.exists() and args.out.stat().st_size:
        if not args.resume:
            sys.exit(f"{args.out} exists; --resume goes on with it")
        begun, pairs = read_file(args.out)
        if begun != terms:
            sys.exit(f"{args.out} was begun with other settings: {begun}")
        done = {Task(pair["first"], pair["second"], pair["number"]) for pair in pairs}
        if not args.out.read_bytes().endswith(b"\n"):  # it was killed while it wrote
            whole = args.out.read_bytes()
            args.out.write_bytes(whole[: whole.rfind(b"\n") + 1])
    else:
        args.out.write_text(json.dumps({"terms": terms._asdict()}) + "\n", encoding="utf-8", newline="\n")
    left = [task for task in tasks if task not in done]
    count = 0
    try:
        with args.out.open("a", encoding="utf-8", newline="\n") as out:
            for task, games in played(terms, left, args.workers, now_s() + 3600 * args.hours):
                record = {
                    **task._asdict(),
                    "points": [game.points for game in games],
                    "reasons": [game.reason for game in games],
                    "moves": [" ".join(game.moves) for game in games],
                }
                out.write(json.dumps(record) + "\n")
                out.flush()
                count += 1
    except RuntimeError as error:  # another program failed; the games so far are kept
        sys.exit(str(error))
    print(f"{len(tasks) - len(left) + count} of {len(tasks)} pairs are played")


def read_pairs(path: Path) -> tuple[Terms, list[Pair]]:
    """The terms and results of a file."""
    terms, records = read_file(path)
    return terms, [Pair(one["first"], one["second"], sum(one["points"]), len(one["points"])) for one in records]


def report(ratings: Ratings) -> str:
    """The fit as text."""
    levels = [name for name in NUMBERS if name in ratings.names]
    lines = ["level  games     Elo          step"]
    for below, level in zip([None, *levels], levels):
        elo, error = ratings.of(level)
        line = f"{level:>5}  {ratings.games[level]:>5}  {elo:>+6.0f} ± {error:<4.0f}"
        if below is not None:
            step = ratings.step(below, level)
            neighbours = int(level) - int(below) == 1
            wrong = neighbours and not MIN_STEP <= step.elo <= MAX_STEP
            verdict = f"  not {MIN_STEP} to {MAX_STEP}" if wrong else ""
            line += f"{step.elo:>+6.0f} ± {step.error:<4.0f}{verdict}"
        lines.append(line.rstrip())
    chance = ratings.order_probability(levels)
    lines.append(f"the order of the levels is right with a probability of {100 * chance:.1f} %")
    others = sorted((name for name in ratings.names if name not in NUMBERS), key=lambda name: ratings.of(name)[0])
    for name in others:
        elo, error = ratings.of(name)
        nearest = min(levels, key=lambda level: abs(ratings.of(level)[0] - elo))
        lines.append(
            f"{name:>14}  {ratings.games[name]:>5} games  {elo:>+6.0f} ± {error:.0f}  nearest to level {nearest}"
        )
    return "\n".join(lines)


def as_json(ratings: Ratings) -> dict[str, Any]:
    """The fit for programs."""
    levels = [name for name in NUMBERS if name in ratings.names]
    return {
        "players": {
            name: {
                "elo": round(ratings.of(name)[0], 1),
                "error": round(ratings.of(name)[1], 1),
                "games": ratings.games[name],
            }
            for name in ratings.names
        },
        "steps": [
            {"from": step.lower, "to": step.higher, "elo": round(step.elo, 1), "error": round(step.error, 1)}
            for step in (ratings.step(low, high) for low, high in itertools.pairwise(levels))
        ],
        "orderProbability": ratings.order_probability(levels),
    }


def plot(game: str, ratings: Ratings) -> str:
    """The scale as SVG: Elo by level with its interval, the other players as lines."""
    levels = [name for name in NUMBERS if name in ratings.names]
    others = sorted((name for name in ratings.names if name not in NUMBERS), key=lambda name: ratings.of(name)[0])
    style = pygal.style.Style(
        background="white", plot_background="white", font_family="sans-serif",
        colors=("#a8cbe6", "#1b6ca8", "#b03a2e", "#7a7a00", "#6a3d9a", "#2e7d32", "#9a5b00", "#5d5d5d", "#00838f"),
        label_font_size=13, major_label_font_size=13, title_font_size=14, legend_font_size=13,
    )  # fmt: skip
    chart = pygal.XY(
        width=760, height=460, margin=10, dots_size=3, js=(), no_prefix=True, style=style,
        disable_xml_declaration=True, truncate_label=-1, truncate_legend=-1,
        x_labels=list(range(1, LEVEL_COUNT + 1)), xrange=(1, LEVEL_COUNT), x_title="level",
        y_title="Elo over level 1", title=f"{game.capitalize()}: the strength of the levels",
    )  # fmt: skip
    rated = [(int(level), *ratings.of(level)) for level in levels]
    low = [(x, round(elo - error, 1)) for x, elo, error in rated]
    high = [(x, round(elo + error, 1)) for x, elo, error in rated]
    chart.add("95 %", [*low, *high[::-1], low[0]], fill=True, show_dots=False)
    chart.add("levels", [(x, round(elo, 1)) for x, elo, _ in rated])
    for name in others:
        elo = round(ratings.of(name)[0], 1)
        dashes = {"width": 2, "dasharray": "6, 4"}
        chart.add(name, [(1, elo), (LEVEL_COUNT, elo)], show_dots=False, stroke_style=dashes)
    chart.add_xml_filter(plain)
    return str(chart.render()) + "\n"


def fit_file(args: argparse.Namespace) -> None:
    """Print the fit of one or more files, and draw it."""
    found = [read_pairs(path) for path in args.files]
    games = {terms.game for terms, _ in found}
    if len(games) > 1:
        sys.exit(f"the files are of several games: {', '.join(sorted(games))}")
    pairs = [pair for _, listed in found for pair in listed]
    levels = [name for name in NUMBERS if any(name in (pair.first, pair.second) for pair in pairs)]
    if not levels:
        sys.exit("no level has played")
    try:
        ratings = fit(pairs, levels[0])
    except ValueError as error:
        sys.exit(str(error))
    print(json.dumps(as_json(ratings), indent=1) if args.json else report(ratings))
    if args.plot is not None:
        args.plot.write_text(plot(games.pop(), ratings), encoding="utf-8", newline="\n")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    player = commands.add_parser("play", help="play games and keep them")
    player.add_argument("game", choices=list(ANCHORS))
    player.add_argument("--out", type=Path, required=True, metavar="FILE", help="the pairs of games, JSON lines")
    player.add_argument("--resume", action="store_true", help="go on with the file of --out")
    player.add_argument("--hours", type=float, default=2.0, metavar="H", help="how long (default %(default)s)")
    player.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default %(default)s)")
    player.add_argument("--levels", default=",".join(NUMBERS), metavar="LIST", help="default 1,2, ... 20")
    player.add_argument("--neighbours", type=int, default=200, metavar="N", help="games (default %(default)s)")
    player.add_argument(
        "--second", type=int, default=60, metavar="N", help="games at distance two (default %(default)s)"
    )
    player.add_argument(
        "--anchor", type=int, default=60, metavar="N", help="games with an anchor (default %(default)s)"
    )
    player.add_argument("--anchors", metavar="LIST", help="the other players; '': none (default: those of the game)")
    player.add_argument(
        "--anchored", default=",".join(ANCHORED), metavar="LIST", help="levels that play them (%(default)s)"
    )
    player.add_argument(
        "--anchor-nodes", type=int, default=20_000, metavar="N", help="of fairy-stockfish (%(default)s)"
    )
    player.add_argument("--variant", choices=["siguo", "duel"], default="siguo", help="of Junqi (default %(default)s)")
    player.add_argument("--openings", type=Path, metavar="FILE", help="of `sanqi openings` (default: the shipped ones)")
    player.add_argument("--seed", type=int, default=1, help="default %(default)s")
    player.set_defaults(run=play)
    fitter = commands.add_parser("fit", help="fit all games of files")
    fitter.add_argument("files", type=Path, nargs="+", metavar="FILE")
    fitter.add_argument("--json", action="store_true", help="print JSON")
    fitter.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the scale")
    fitter.set_defaults(run=fit_file)
    args = parser.parse_args(arguments)
    args.run(args)


if __name__ == "__main__":
    main()
