"""How many planted blunders `sanqi review` finds in games of Junqi.

    sanqi match --game junqi --variant duel --engine "name=a cmd='sanqi junqi --level 20'" \\
        --engine "name=b cmd='sanqi junqi --level 20'" --games 40 --movetime 1000 --records games
    python benchmarks/junqi_planted_blunders.py games

In each game one move is replaced: the first one, from a random ply on, for which a random legal move loses 20 points of
expected score or more by what its seat knows, and whose position is not decided (an expected score from 0.25 to 0.9).
Both moves are judged by searches of --judge-nodes nodes with an empty table. The game ends there, and is reviewed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from game_core.analysis import AnalysisTask
from game_core.engine_analyst import EngineAnalyst
from junqi_protocol.records.records import Replay, record_text
from junqi_protocol.review.review import RecordedGame
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.messages import BestMove
from search_core.thinker import Limits

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
LOSS, LOW, HIGH = 0.20, 0.25, 0.90
TRIED = 8
"""Moves of a position."""
SIEVE = 20
"""The part of --judge-nodes by which moves are chosen before they are judged."""
FOUND = ("mistake", "blunder")


class Judge:
    """Searches positions of one game."""

    def __init__(self, analyst: EngineAnalyst, arbiter: Arbiter) -> None:
        self._analyst = analyst
        self._game = RecordedGame(arbiter, "own")

    def expected(self, ply: int, nodes: int, *only: int) -> float:
        """The expected score of the seat on turn, of any move or of this one."""
        self._analyst.clear()
        task = AnalysisTask(self._game, ply, self._game.at(ply), Limits(nodes=nodes, root_moves=only))
        chances = self._analyst.analyse(task, lambda text: None).lines[0].chances
        assert chances is not None
        return chances[0]

    def blunder(self, ply: int, chance: random.Random, nodes: int) -> int | None:
        """A move that is a blunder."""
        best = self.expected(ply, nodes // SIEVE)
        if not LOW <= best <= HIGH:
            return None
        moves = self._game.at(ply).legal_moves()
        for move in chance.sample(moves, min(TRIED, len(moves))):
            if best - self.expected(ply, nodes // SIEVE, move) < LOSS:
                continue
            if self.expected(ply, nodes) - self.expected(ply, nodes, move) >= LOSS:
                return move
        return None


def planted(analyst: EngineAnalyst, arbiter: Arbiter, chance: random.Random, nodes: int) -> Arbiter | None:
    """A game that ends with a blunder; None: there was no place for one."""
    judge = Judge(analyst, arbiter)
    plies = len(arbiter.happenings)
    for ply in range(chance.randrange(plies // 4, plies), plies):
        move = judge.blunder(ply, chance, nodes)
        if move is not None:
            game = Arbiter(arbiter.terms, arbiter.lineups)
            for happening in arbiter.happenings[:ply]:
                game.repeat(happening)
            game.answer(BestMove("", move, game.next_ply))
            return game
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+", help="records or folders of records")
    parser.add_argument("--judge-nodes", type=int, default=200_000, metavar="N", help="(default %(default)s)")
    for option, unit in (("nodes", "N"), ("time", "MS")):
        parser.add_argument(f"--{option}", type=int, metavar=unit, help="as of `sanqi review` (default: its own)")
    parser.add_argument("--each", type=int, default=1, metavar="N", help="blunders tried in each game (default 1)")
    args = parser.parse_args()
    files = [file for path in args.games for file in (sorted(path.glob("*.jgr")) if path.is_dir() else [path])]
    analyst = EngineAnalyst(16)
    with tempfile.TemporaryDirectory() as name:
        folder, document = Path(name, "games"), Path(name, "review.json")
        folder.mkdir()
        for number, file in enumerate(files):
            arbiter = Replay(file.read_bytes()).arbiter
            for seed in range(args.each):
                game = planted(analyst, arbiter, random.Random(f"{number} {seed}"), args.judge_nodes)
                if game is not None:
                    Path(folder, f"{file.stem}-{number}-{seed}.jgr").write_text(record_text(game), encoding="ascii")
            print(f"\r{number + 1} of {len(files)}", end="", file=sys.stderr)
        print(file=sys.stderr)
        limit = [f"--{name}={getattr(args, name)}" for name in ("nodes", "time") if getattr(args, name) is not None]
        subprocess.run([SANQI, "review", folder, "--json", document, *limit], check=True, stdout=subprocess.DEVNULL)
        games = json.loads(document.read_bytes())["games"]
    marks = [game["plies"][-1]["mark"] for game in games]
    for game in games:
        ply = game["plies"][-1]
        if ply["mark"] not in FOUND:
            print(f"{game['source']}: {ply['name']} loses {100 * ply['loss']:.1f}, confirmed: {ply['confirmed']}")
    print(f"{sum(mark in FOUND for mark in marks)} of {len(marks)} found, {marks.count('blunder')} as blunders")


if __name__ == "__main__":
    main()
