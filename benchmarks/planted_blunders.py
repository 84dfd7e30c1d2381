"""How many planted blunders `sanqi review` finds, and how many good moves it marks.

    python benchmarks/planted_blunders.py plant --games 100 --out planted.jsonl
    python benchmarks/planted_blunders.py find planted.jsonl
    python benchmarks/planted_blunders.py play --games 30 --out games.jsonl
    python benchmarks/planted_blunders.py alarms games.jsonl

plant   Games of the engine against itself at --nodes nodes a move, from its opening book. At a random ply the move is
        replaced: the position is even within 200, and the new move loses 300 or more, and 20 points of expected score
        or more, by searches of --judge-nodes nodes with an empty table. The game ends after the best reply.
find    Reviews these games, and counts those whose replaced move is marked as a mistake or a blunder.
play    Games of the engine against itself at --nodes nodes a move (default 2,000,000), 120 plies at most.
alarms  Reviews these games, and counts the moves after the opening book that are marked as mistakes or blunders.

The files are JSON lines. With --resume, `plant` and `play` go on where they were stopped.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.json_lines import Line, cut_line, whole_lines
from search_core.clock import now_s
from search_core.engine import Engine, Limits
from search_core.thinker import Result
from ucci_engine.game_record import GameRecord
from ucci_engine.own_book import OwnBook
from ucci_engine.pgn import game_text
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position
from ucci_engine.win_probability import chances

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
BOOK_PLIES = 8
EVEN, LOSS_CP, LOSS = 200, 300, 0.20
FIRST_PLY, LAST_PLY = 12, 70
"""Where a move is replaced."""
MAX_GAME = 120
SIEVE = 20
"""The part of --judge-nodes by which positions and moves are chosen before they are judged."""
FOUND = ("mistake", "blunder")

Made = Callable[[Engine, random.Random], Line | None]


def opening(chance: random.Random) -> list[int]:
    """Moves from the opening book."""
    position, moves = Position(), list[int]()
    book = OwnBook(print, enabled=False)
    book.set_enabled(True)
    for _ in range(BOOK_PLIES):
        chosen = book.choose(position, (), str(chance.random()))
        if chosen is None:
            break
        position.push(chosen.move)
        moves.append(chosen.move)
    book.close()
    return moves


def searched(engine: Engine, position: Position, nodes: int, *only: int) -> Result:
    """A search with an empty table."""
    engine.new_game()
    return engine.search(position, Limits(nodes=nodes, root_moves=only))


def expected(score: int, position: Position) -> float:
    return chances(score, position).expected_score


def planted(engine: Engine, chance: random.Random, nodes: int, judge_nodes: int) -> Line | None:
    """A game with a planted blunder; None: there was no place for one."""
    position, moves = Position(), list[int]()
    target = chance.randint(FIRST_PLY, LAST_PLY)
    book = opening(chance)
    while position.result() == "ongoing" and len(moves) < LAST_PLY + 20:
        if len(moves) >= target and (found := blunder_in(engine, position, chance, judge_nodes)) is not None:
            return {"moves": list(map(move_text, moves)), **found}
        if len(moves) < len(book):
            best = book[len(moves)]
        else:
            best = engine.search(position, Limits(nodes=chance.randint(nodes // 2, nodes))).best or 0
        position.push(best)
        moves.append(best)
    return None


def blunder_in(engine: Engine, position: Position, chance: random.Random, judge_nodes: int) -> Line | None:
    """A move that is a blunder in a position, and the reply."""
    sieve = judge_nodes // SIEVE
    best = searched(engine, position, sieve)
    if best.best is None or abs(best.score) > EVEN:
        return None
    moves = [move for move in position.legal_moves() if move != best.best]
    chance.shuffle(moves)
    for move in moves[:12]:
        if best.score - searched(engine, position, sieve, move).score < LOSS_CP:
            continue
        best = searched(engine, position, judge_nodes)
        if abs(best.score) > EVEN:
            return None
        played = searched(engine, position, judge_nodes, move)
        points = expected(best.score, position) - expected(played.score, position)
        after = position.copy()
        after.push(move)
        if best.score - played.score < LOSS_CP or points < LOSS or after.result() != "ongoing":
            continue
        reply = searched(engine, after, judge_nodes).best
        if reply is None:
            continue
        return {
            "blunder": move_text(move),
            "reply": move_text(reply),
            "best": move_text(best.best or 0),
            "score": best.score,
            "played": played.score,
            "points": round(100 * points, 1),
        }
    return None


def played(engine: Engine, chance: random.Random, nodes: int) -> Line:
    """A game of full strength."""
    position, moves = Position(), opening(chance)
    book = len(moves)
    for move in moves:
        position.push(move)
    while position.result() == "ongoing" and len(moves) < MAX_GAME:
        best = engine.search(position, Limits(nodes=nodes)).best
        assert best is not None
        position.push(best)
        moves.append(best)
    return {"moves": list(map(move_text, moves)), "book": book}


def make(args: argparse.Namespace, one: Made) -> None:
    """Make games until there are enough of them; each has a seed of its own."""
    if args.out.exists() and not args.resume:
        sys.exit(f"{args.out} exists; --resume goes on with it")
    lines = whole_lines(args.out)
    if not all("seed" in line for line in lines):
        sys.exit(f"{args.out} has no blunders")
    cut_line(args.out)
    tried = {line["seed"] for line in lines}
    lock = threading.Lock()
    kept = sum("moves" in line for line in lines)
    seeds = (seed for seed in range(10**9) if seed not in tried)

    def work() -> None:
        nonlocal kept
        with Engine() as engine, args.out.open("a", encoding="utf-8") as file:
            engine.hash_mb = 64
            while True:
                with lock:
                    if kept >= args.games:
                        return
                    seed = next(seeds)
                engine.new_game()
                line = one(engine, random.Random(seed))
                with lock:
                    if kept < args.games:
                        kept += line is not None
                        file.write(json.dumps({"seed": seed, **(line or {})}) + "\n")
                        file.flush()
                        print(f"\r{kept} of {args.games}", end="", file=sys.stderr)

    with ThreadPoolExecutor(args.jobs) as pool:
        for future in [pool.submit(work) for _ in range(args.jobs)]:
            future.result()
    print(file=sys.stderr)


def games_of(file: Path) -> list[Line]:
    return [line for line in whole_lines(file) if "moves" in line]


def record_of(moves: list[str], last: int) -> GameRecord:
    """The end of a game, as long as `last` moves; 0: the whole game."""
    position = Position()
    before = len(moves) - last if 0 < last < len(moves) else 0
    for move in moves[:before]:
        position.push(parse_move(move))
    return GameRecord.of_line({}, position.fen() if before else START_FEN, list(map(parse_move, moves[before:])))


def reviewed(games: list[list[str]], args: argparse.Namespace, last: int = 0) -> tuple[list[Line], float]:
    """The reviews of games, and the seconds that they took."""
    limit = [f"--{name}={getattr(args, name)}" for name in ("nodes", "time") if getattr(args, name) is not None]
    with tempfile.TemporaryDirectory() as folder:
        pgn, document = Path(folder, "games.pgn"), Path(folder, "review.json")
        records = [record_of(moves, last) for moves in games]
        pgn.write_text("".join(map(game_text, records)), encoding="utf-8")
        command = [args.sanqi, "review", str(pgn), "--json", str(document), "--threads", str(args.threads), *limit]
        start = now_s()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        taken = now_s() - start
        return json.loads(document.read_bytes())["games"], taken


def find(args: argparse.Namespace) -> None:
    """Count the planted blunders that are found."""
    lines = games_of(args.file)[: args.games]
    games = [[*line["moves"], line["blunder"], line["reply"]] for line in lines]
    reviews, taken = reviewed(games, args, args.last)
    marks: dict[str | None, int] = {}
    for line, review in zip(lines, reviews):
        ply = review["plies"][-2]
        marks[ply["mark"]] = marks.get(ply["mark"], 0) + 1
        if ply["mark"] not in FOUND:
            print(
                f"seed {line['seed']}: {ply['move']} loses {line['points']} ({line['score']} to {line['played']}), "
                f"the review says {100 * ply['loss']:.1f}, confirmed: {ply['confirmed']}"
            )
    found = sum(marks.get(mark, 0) for mark in FOUND)
    share = found / max(len(lines), 1)
    print(f"{found} of {len(lines)} found ({share:.1%}), {marks.get('blunder', 0)} as blunders; {taken:.0f} s")


def alarms(args: argparse.Namespace) -> None:
    """Count the good moves that are marked."""
    lines = games_of(args.file)[: args.games]
    reviews, taken = reviewed([line["moves"] for line in lines], args)
    moves = [ply for line, review in zip(lines, reviews) for ply in review["plies"][line["book"] :] if ply["counted"]]
    marked = [ply for ply in moves if ply["mark"] in FOUND]
    considered = sum(ply["confirmed"] is not None for ply in moves)
    inaccuracies = sum(ply["mark"] == "inaccuracy" for ply in moves)
    print(
        f"{len(marked)} of {len(moves)} moves marked as mistakes or blunders ({len(marked) / max(len(moves), 1):.2%}), "
        f"{inaccuracies} as inaccuracies; {considered} searched a second time; {taken:.0f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, count, nodes in (("plant", 100, 4000), ("play", 30, 2_000_000)):
        maker = commands.add_parser(name)
        maker.add_argument("--games", type=int, default=count, metavar="N", help="(default %(default)s)")
        maker.add_argument("--nodes", type=int, default=nodes, metavar="N", help="a move (default %(default)s)")
        maker.add_argument("--out", type=Path, required=True, metavar="FILE")
        maker.add_argument("--resume", action="store_true")
        maker.add_argument("--jobs", type=int, default=1, metavar="N", help="games at a time (default 1)")
        maker.set_defaults(name=name)
        if name == "plant":
            maker.add_argument(
                "--judge-nodes", type=int, default=2_000_000, metavar="N", help="that judge the blunder (%(default)s)"
            )
    for name, function in (("find", find), ("alarms", alarms)):
        counter = commands.add_parser(name)
        counter.add_argument("file", type=Path)
        counter.add_argument("--games", type=int, metavar="N", help="only the first N")
        for option, unit in (("nodes", "N"), ("time", "MS")):
            counter.add_argument(f"--{option}", type=int, metavar=unit, help="as of `sanqi review` (default: its own)")
        counter.add_argument("--threads", type=int, default=2, metavar="N", help="(default 2)")
        counter.add_argument("--sanqi", default=SANQI, metavar="PROGRAM", help="(default: the installed one)")
        counter.set_defaults(name=name, function=function)
        if name == "find":
            counter.add_argument(
                "--last", type=int, default=0, metavar="PLIES", help="review only the end of each game (default: all)"
            )
    args = parser.parse_args()
    if args.name == "plant":
        make(args, lambda engine, chance: planted(engine, chance, args.nodes, args.judge_nodes))
    elif args.name == "play":
        make(args, lambda engine, chance: played(engine, chance, args.nodes))
    else:
        args.function(args)


if __name__ == "__main__":
    main()
