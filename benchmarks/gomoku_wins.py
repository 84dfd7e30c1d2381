"""Forced wins of Gomoku: collect those that a strong program announces, count how many this engine sees, compare two.

    sanqi openings gomoku --count 500 --seed 17 --out drawn.txt
    python benchmarks/gomoku_wins.py vet drawn.txt --strong ./pbrain-rapfi --out openings.txt
    python benchmarks/gomoku_wins.py collect --strong ./pbrain-rapfi --openings openings.txt --games 400 \\
                                             --out wins.jsonl
    old/bin/python benchmarks/gomoku_wins.py see wins.jsonl --out old.jsonl
    new/bin/python benchmarks/gomoku_wins.py see wins.jsonl --out new.jsonl
    python benchmarks/gomoku_wins.py compare old.jsonl new.jsonl

The board is 15x15, the rule freestyle. Engines are Gomocup programs; the strong one must report its score (`Eval +M25`
is a win in 25 plies). All files are JSON lines. With --resume a command goes on where it was stopped.

vet       Keeps the openings of a file which the strong program finds about even. `sanqi openings` asks this engine
          only, and many of its openings are lost: then the first move of a game announces the win.
collect   A match of the strong program against itself, or against another one (--opponent), with `sanqi match`. Its
          games are in a file of their own beside the positions. Of each game that the strong program won with a five,
          it keeps one position: the first from which it announced a win at all its moves, if it had moved in the game
          before. No other program is asked. Then the strong program looks back from there, with --judge-nodes, for the
          mistake: the last move of the losing side where it announces no loss and plays another move. The games of
          each second opening are the tuning half, the others the held-out half. If the strong program plays itself,
          the second player gets a tenth less nodes, as the two games of an opening would be the same. A game of
          more than 120 plies is a draw.
see       How many of a half's wins an engine announces, within 0.5 s (--movetime) or a number of nodes (--nodes). This
          Python's sanqi also says how many its search for fours and threes finds (`Position.forced_win`) and how many
          its search for fours alone, each with 100,000 stones and an empty table. It is asked for a move in the
          positions before the mistakes, too: a mistake counts as avoided if it plays another move.
compare   What two engines see in the same positions, and the exact p of McNemar's test (two-sided).

Nodes make the games independent of the load of the machine. With more nodes the announced wins are longer, and fewer of
them are seen; 400,000 take Rapfi half a second. For `see` with a time, nothing else should run.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.json_lines import JsonLines, read_lines
from benchmarks.xiangqi_blunders import HELD_OUT, TUNING, half_of, in_parallel, mcnemar_p
from engine_client.player import Answer
from engine_client.reports import MATE_CP
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from game_core.session import FIRST_WINS, SECOND_WINS
from gomoku_protocol.match_game import Gomoku
from gomoku_protocol.match_player import GomocupPlayer
from gomoku_protocol.points import move_at, parse_point
from gomoku_protocol.position import Position
from match_runner.openings import read_openings

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
SIZE, FREESTYLE = 15, 0
MEMORY = 350 << 20
"""Bytes for each program, as in the tournament."""
ANNOUNCED = MATE_CP - 1000
"""A score from here on is a win, in MATE_CP minus the score plies."""
STRONG, OPPONENT = "strong", "opponent"
"""The names of the programs in the games."""
NODES, JUDGE_NODES, VET_NODES, STONES = 200_000, 1_000_000, 100_000, 100_000
EVEN = 150
"""The largest score of an opening that is kept."""
MAX_PLIES = 120
"""Of a game. Later wins are rare, and a drawn game would fill the board."""
MARGIN_MS = 10_000
"""By which an answer may be late. The machine may be busy, and nobody loses a game here."""
LENGTHS = ((1, 15), (16, 25), (26, 35), (36, 999))
"""Of the announced wins, in plies, by which they are counted."""
MEASURES = {"search": "seen", "fours and threes": "vct", "fours": "fours", "mistake avoided": "avoided"}
"""What is compared, and where it is in a line of `see`."""

Line = dict[str, Any]


def plies_of(score: int | None) -> int:
    """Plies to the win that a score announces; 0: it announces none."""
    return MATE_CP - score if score is not None and score >= ANNOUNCED else 0


class Program:
    """A Gomocup program that answers for one position after another. RESTART comes before each."""

    def __init__(self, command: str, limit: ThinkingLimit) -> None:
        options = (("max_memory", str(MEMORY)),)
        specification = EngineSpecification(command, tuple(shlex.split(command)), "gomocup", options=options)
        self._player = GomocupPlayer(specification, SIZE, SIZE, FREESTYLE)
        self._limit = limit
        # The first answer has less time: the start of the program counts as a part of it, and the table is not ready.
        self.ask([])

    def ask(self, moves: list[str]) -> Answer:
        """Its move after `moves`, with the score."""
        self._player.new_game(self._limit)
        return self._player.think(moves, self._limit)

    def close(self) -> None:
        self._player.shut_down_for_good()


# ---------------------------------------------------------------- vet


def vet(args: argparse.Namespace) -> None:
    """Keep the openings of a file which the strong program finds about even."""
    if args.out.exists():
        sys.exit(f"{args.out} exists")
    openings = read_openings(args.openings, Gomoku(SIZE, SIZE, FREESTYLE))
    texts = args.openings.read_text(encoding="utf-8").splitlines()
    even: list[str] = []
    with closing(Program(args.strong, ThinkingLimit(nodes=args.nodes))) as program:
        for opening in openings:
            score = program.ask(list(opening.moves)).score_cp
            if score is not None and abs(score) <= args.even:
                even.append(texts[opening.line - 1])
    args.out.write_text("".join(f"{line}\n" for line in even), encoding="utf-8")
    print(f"{len(even)} of {len(openings)} openings are even")


# ---------------------------------------------------------------- collect


def win_of(game: Line, strong: Collection[str]) -> Line | None:
    """The position of a game, a line of a match, from which the winner announced the win at all its moves; None: it is
    not of the `strong` programs, it did not win with a five, or it announced the win at its first move."""
    if game["result"] not in (FIRST_WINS, SECOND_WINS) or game["reason"] != "five":
        return None
    winner = 0 if game["result"] == FIRST_WINS else 1
    if game[("black", "white")[winner]] not in strong:
        return None
    found: tuple[int, int] | None = None
    for number in reversed(range(len(game["thoughts"]))):
        side, *_, score = game["thoughts"][number]
        if side != winner or score is None:  # programs report no score if there is only one move
            continue
        plies = plies_of(score)
        if not plies:
            break
        found = number, plies
    else:
        return None
    if found is None:
        return None
    ply = game["opening_plies"] + found[0]
    return {
        "id": f"{game['game']}/{ply}",
        "half": half_of(game["game"]),
        "announced": found[1],
        "opening_plies": game["opening_plies"],
        "moves": game["moves"][:ply],
    }


def wins_of(games: Iterable[Line], strong: Collection[str]) -> Iterator[Line]:
    """The wins of all games, in their order; none twice."""
    seen = set()
    for game in sorted(games, key=lambda line: line["game"]):
        win = win_of(game, strong)
        if win is None:
            continue
        stones = frozenset(win["moves"][::2]), frozenset(win["moves"][1::2])
        if stones not in seen:
            seen.add(stones)
            yield win


def before_mistake(program: Program, win: Line) -> Line:
    """The last move of the losing side where `program` announces no loss and plays another move: `before`, the number
    of moves before it (None: there is none after the opening), and what the program plays there."""
    moves = win["moves"]
    for before in range(len(moves) - 1, win["opening_plies"] - 1, -2):
        answer = program.ask(moves[:before])
        if answer.score_cp is not None and answer.score_cp > -ANNOUNCED and answer.move != moves[before]:
            return {"before": before, "mistake": moves[before], "better": answer.move, "better_score": answer.score_cp}
    return {"before": None, "mistake": "", "better": "", "better_score": None}


def match_arguments(args: argparse.Namespace, games: Path) -> list[str]:
    """The arguments of `sanqi match` for the games."""
    other = args.opponent or args.strong
    if args.movetime:
        limit, second = ["--movetime", str(args.movetime), "--margin", "2000"], ""
    else:
        limit = ["--nodes", str(args.nodes)]
        second = f" nodes={args.opponent_nodes or (args.nodes if args.opponent else args.nodes * 9 // 10)}"
    return [
        *("match", "--game", "gomoku", "--rule", "freestyle", "--size", str(SIZE)),
        *("--engine", f'name={STRONG} cmd="{args.strong}" option.max_memory={MEMORY}'),
        *("--engine", f'name={OPPONENT} cmd="{other}" option.max_memory={MEMORY}{second}'),
        *("--games", str(args.games), "--concurrency", str(args.workers), "--out", str(games), *limit),
        *("--max-plies", str(MAX_PLIES)),
        *(["--openings", str(args.openings)] if args.openings else []),
        *(["--resume"] if args.resume else []),
    ]


def collect(args: argparse.Namespace) -> None:
    """Play the games and keep the positions where the strong program announces a win."""
    games = args.out.with_suffix(".games.jsonl")
    file = JsonLines(args.out, {"games": str(games), "judge_nodes": args.judge_nodes}, args.resume)
    subprocess.run([SANQI, *match_arguments(args, games)], check=True)
    done = {line["id"] for line in file.lines}
    played = [line for line in read_lines(games) if "game" in line]
    wins = list(wins_of(played, {STRONG} if args.opponent else {STRONG, OPPONENT}))

    def do(program: Program, win: Line) -> None:
        file.add({**win, **before_mistake(program, win)})

    tasks = [win for win in wins if win["id"] not in done]
    judge_limit = ThinkingLimit(nodes=args.judge_nodes)
    in_parallel(tasks, args.workers, lambda: closing(Program(args.strong, judge_limit)), do)
    print(collected(len(played), read_lines(args.out)))


def collected(games: int, wins: list[Line]) -> str:
    """What `collect` has found."""
    tuning = sum(win["half"] == TUNING for win in wins)
    before = sum(win["before"] is not None for win in wins)
    length = statistics.median(win["announced"] for win in wins) if wins else 0
    return (
        f"{games} games: {len(wins)} wins, {tuning} of them in the tuning half, announced {length:g} plies long in the "
        f"median; {before} positions before a mistake"
    )


# ---------------------------------------------------------------- see


def position_after(moves: Iterable[str]) -> Position:
    """A new position; its searches know nothing."""
    position = Position(SIZE, SIZE, FREESTYLE)
    for move in moves:
        position.push(move_at(*parse_point(move)))
    return position


def solved(moves: list[str], stones: int) -> Line:
    """What the searches for forced wins find: the moves of a win by fours and threes, as far as they are known, and the
    plies of a win by fours; 0: none."""
    return {
        "vct": len(position_after(moves).forced_win(stones)),
        "fours": position_after(moves).win_by_fours(stones),
    }


def see(args: argparse.Namespace) -> None:
    """Count the wins of a half that an engine sees."""
    limit = ThinkingLimit(nodes=args.nodes) if args.nodes else ThinkingLimit(args.movetime, margin_ms=MARGIN_MS)
    made = {"half": args.half, "engine": args.engine or SANQI, "limit": str(limit), "stones": args.stones}
    out = JsonLines(args.out, made, args.resume)
    done = {line["id"] for line in out.lines}
    wanted = (TUNING, HELD_OUT) if args.half == "both" else (args.half,)
    wins = [win for win in read_lines(args.wins) if win["half"] in wanted]

    def do(program: Program, win: Line) -> None:
        answer = program.ask(win["moves"])
        line = {"id": win["id"], "announced": win["announced"], "score": answer.score_cp}
        line |= {"seen": plies_of(answer.score_cp), "depth": answer.depth, "nodes": answer.nodes}
        if not args.engine:
            line |= solved(win["moves"], args.stones)
        if win["before"] is not None:
            line["avoided"] = program.ask(win["moves"][: win["before"]]).move != win["mistake"]
        out.add(line)

    tasks = [win for win in wins if win["id"] not in done]
    in_parallel(tasks, args.workers, lambda: closing(Program(args.engine or shlex.quote(SANQI), limit)), do)
    print(table(read_lines(args.out)))


def table(lines: list[Line]) -> str:
    """How many wins were seen, by their announced lengths."""
    rows = [f"{'announced':>12}{'wins':>7}{'search':>9}{'fours, threes':>16}{'fours':>8}{'shorter by':>13}"]
    for low, high in (*LENGTHS, (0, 999)):
        of = [line for line in lines if low <= line["announced"] <= high]
        name = "all" if not low else f"{low} to {high}" if high < 999 else f"from {low}"
        vct, fours = (counted(line[key] > 0 for line in of if key in line) for key in ("vct", "fours"))
        seen = [line for line in of if line["seen"]]
        shorter = f"{statistics.median(line['announced'] - line['seen'] for line in seen):g}" if seen else ""
        rows.append(f"{name:>12}{len(of):>7}{len(seen):>9}{vct:>16}{fours:>8}{shorter:>13}")
    mistakes = [line["avoided"] for line in lines if "avoided" in line]
    rows.append("(shorter by: announced plies minus those of the search, in the median of the wins that it sees)")
    rows.append(f"{len(mistakes)} positions before a mistake: {sum(mistakes)} avoided")
    return "\n".join(rows)


def counted(found: Iterable[bool]) -> str:
    """How many are true; '': there are none at all."""
    values = list(found)
    return str(sum(values)) if values else ""


# ---------------------------------------------------------------- compare


def comparison(first: list[Line], second: list[Line], key: str) -> str:
    """What two engines see in the positions that both files have, by one measure."""
    firsts, seconds = ({line["id"]: bool(line[key]) for line in lines if key in line} for lines in (first, second))
    both = firsts.keys() & seconds.keys()
    one = sum(firsts[name] and not seconds[name] for name in both)
    other = sum(seconds[name] and not firsts[name] for name in both)
    return (
        f"{sum(firsts[name] for name in both)} and {sum(seconds[name] for name in both)} of {len(both)}, "
        f"{one} only by the first, {other} only by the second, p = {mcnemar_p(one, other):.3g}"
    )


def compare(args: argparse.Namespace) -> None:
    """Compare two files of `see`."""
    first, second = read_lines(args.first), read_lines(args.second)
    for name, key in MEASURES.items():
        print(f"{name + ':':18}{comparison(first, second, key)}")


# ---------------------------------------------------------------- the command line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def command(name: str, function: Callable[[argparse.Namespace], None]) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=function.__doc__)
        added.set_defaults(function=function)
        return added

    vetter = command("vet", vet)
    vetter.add_argument("openings", type=Path)
    vetter.add_argument("--even", type=int, default=EVEN, metavar="CP", help="largest score (default %(default)s)")
    vetter.add_argument("--nodes", type=int, default=VET_NODES, metavar="N", help="for a search (default %(default)s)")
    collector = command("collect", collect)
    collector.add_argument("--opponent", default="", metavar="CMD", help="another one (default: the strong one itself)")
    collector.add_argument("--games", type=int, default=400, metavar="N", help="(default %(default)s)")
    collector.add_argument("--nodes", type=int, default=NODES, metavar="N", help="for a move (default %(default)s)")
    collector.add_argument("--opponent-nodes", type=int, default=0, metavar="N", help="of the opponent, if others")
    collector.add_argument("--movetime", type=int, default=0, metavar="MS", help="for a move, instead of nodes")
    collector.add_argument("--openings", type=Path, metavar="PATH", help="as of `sanqi match` (default: its own)")
    collector.add_argument(
        "--judge-nodes", type=int, default=JUDGE_NODES, metavar="N",
        help="for a search that looks for the mistake (default %(default)s)",
    )  # fmt: skip
    seer = command("see", see)
    seer.add_argument("wins", type=Path)
    seer.add_argument("--engine", default="", metavar="CMD", help="the program (default: this Python's sanqi)")
    seer.add_argument("--half", choices=[TUNING, HELD_OUT, "both"], default=TUNING, help="(default %(default)s)")
    seer.add_argument("--movetime", type=int, default=500, metavar="MS", help="for a position (default %(default)s)")
    seer.add_argument("--nodes", type=int, default=0, metavar="N", help="for a position, instead of --movetime")
    seer.add_argument("--stones", type=int, default=STONES, metavar="N", help="of each other search (%(default)s)")
    for asker in (vetter, collector):
        asker.add_argument("--strong", required=True, metavar="CMD", help="the program that announces wins")
    for writer in (vetter, collector, seer):
        writer.add_argument("--out", type=Path, required=True, metavar="FILE")
    for writer in (collector, seer):
        writer.add_argument("--resume", action="store_true", help="go on with the file of --out")
        writer.add_argument("--workers", type=int, default=1, metavar="N", help="at a time (default %(default)s)")
    comparer = command("compare", compare)
    comparer.add_argument("first", type=Path)
    comparer.add_argument("second", type=Path)
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
