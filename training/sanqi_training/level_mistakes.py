"""Do the levels of Xiangqi err as people do? For each mistake: how deep one must look to see it, and its kind.

    python -m sanqi_training.calibrate_levels play xiangqi --out games.jsonl --levels 6,7 --anchors choice:1000:80 \\
                                               --anchored 6,7 --neighbours 100 --anchor 100
    python -m sanqi_training.level_mistakes games.jsonl --nodes 100000

A mistake is a move after which full strength, with --nodes a move, has a score lower by --loss than before it.
Positions that are decided already do not count. The depth is that of the first iteration from which on the search sees
the loss: the score after the move is lower by --loss than the score before it, one ply deeper. So a missed chance is as
deep as the chance is. The kind is that of the reply:

    recapture    it takes the piece that has just moved
    discovered   it gives check with another piece
    backward     a chariot, cannon or horse goes back
    long         a chariot or cannon goes five points or more
    capture      any other that takes something
    quiet        any other

`choice:NODES:CP` is the control: random choice among the four best lines, at most CP centipawns worse than the best. It
is to be compared with the level of equal Elo.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from match_runner.openings import read_openings
from sanqi_training.calibrate_levels import read_file
from sanqi_training.level_games import shipped_openings
from search_core.engine import Engine
from search_core.thinker import Info, Limits, Result
from ucci_engine.match_game import Xiangqi
from ucci_engine.points import parse_move
from ucci_engine.position import Position

DECIDED_CP = 1500
MAX_DEPTH = 30
KINDS = ("recapture", "discovered", "backward", "long", "capture", "quiet")
_LONG = 5


@dataclass
class Figures:
    """What one player did."""

    moves: int = 0
    depths: Counter[int] = field(default_factory=Counter)
    """Of its mistakes: where they are seen."""
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def mistakes(self) -> int:
        return self.depths.total()

    def text(self, name: str) -> str:
        """A line of the report."""
        if not self.mistakes:
            return f"{name:>16}  {self.moves:>6} moves, no mistake"
        shallow = sum(count for depth, count in self.depths.items() if depth <= 2)
        kinds = ", ".join(f"{kind} {100 * self.kinds[kind] / self.mistakes:.0f}" for kind in KINDS if self.kinds[kind])
        deep = sorted(self.depths.elements())
        return (
            f"{name:>16}  {self.moves:>6} moves, {self.mistakes} mistakes ({100 * self.mistakes / self.moves:.1f} %),"
            f" {100 * shallow / self.mistakes:.0f} % seen at depth <= 2, median depth {deep[len(deep) // 2]}; % {kinds}"
        )


def kind_of(position: Position, refutation: int, played: int) -> str:
    """The kind of a reply to a move that has just been played."""
    origin, target = refutation & 127, refutation >> 7
    if target == played >> 7:
        return "recapture"
    piece = position.piece_at(origin)
    takes = position.piece_at(target) != ""
    forward = (target // 9 - origin // 9) * (1 if piece.isupper() else -1)
    steps = abs(target // 9 - origin // 9) + abs(target % 9 - origin % 9)
    position.push(refutation)
    discovered = position.checked and not _may_check(position, piece, target)
    position.pop()
    if discovered:
        return "discovered"
    if piece in "RrCcNn" and forward < 0:
        return "backward"
    if piece in "RrCc" and steps >= _LONG:
        return "long"
    return "capture" if takes else "quiet"


def _may_check(position: Position, piece: str, square: int) -> bool:
    """Whether a piece could attack the king of the side to move from a square, as far as the distance shows."""
    king = next(point for point in range(90) if position.piece_at(point) == ("k" if position.side else "K"))
    up, right = abs(king // 9 - square // 9), abs(king % 9 - square % 9)
    if piece in "RrCcKk":
        return up == 0 or right == 0
    return (up, right) in ((1, 2), (2, 1)) if piece in "Nn" else up + right == 1


class Judge:
    """Full strength."""

    def __init__(self, nodes: int, loss: int) -> None:
        self._engine = Engine()
        self._engine.hash_mb = 32
        self._limits = Limits(nodes=nodes, depth=MAX_DEPTH)
        self._loss = loss

    def mistake(self, position: Position, move: int) -> tuple[int, str] | None:
        """The depth and the kind, if a move is a mistake."""
        before, chances = self._search(position)
        if before.best == move or before.score <= -DECIDED_CP:
            return None
        position.push(move)
        try:
            if position.result() != "ongoing":
                return None
            after, replies = self._search(position)
            loss = min(before.score, DECIDED_CP) + after.score
            if after.best is None or loss < self._loss or -after.score >= DECIDED_CP:
                return None
            return first_depth(chances, replies, self._loss), kind_of(position, after.best, move)
        finally:
            position.pop()

    def _search(self, position: Position) -> tuple[Result, dict[int, int]]:
        """The result, and the score of each iteration. It has nothing from the searches before."""
        scores: dict[int, int] = {}

        def note(info: Info) -> None:
            if info.bound == "exact":
                scores[info.depth] = info.score

        self._engine.new_game()
        return self._engine.search(position, self._limits, note), scores


def first_depth(chances: Mapping[int, int], replies: Mapping[int, int], loss: int) -> int:
    """The depth of the reply from which on the loss is seen; `chances`: the scores before the move, by depth."""
    seen = max(replies, default=1)
    for depth in sorted(replies, reverse=True):
        chance = next((chances[one] for one in range(depth + 1, 0, -1) if one in chances), 0)
        if min(chance, DECIDED_CP) + replies[depth] < loss:
            break
        seen = depth
    return seen


def judge(paths: Sequence[Path], wanted: Sequence[str], nodes: int, loss: int, most_games: int) -> dict[str, Figures]:
    """The figures of each player in the games of some files; of at most `most_games` games each."""
    found: dict[str, Figures] = defaultdict(Figures)
    games: Counter[str] = Counter()
    referee = Judge(nodes, loss)
    for path in paths:
        terms, pairs = read_file(path)
        if terms.game != "xiangqi":
            raise SystemExit(f"{path} has games of {terms.game}, expected xiangqi")
        openings = {
            (opening.start, opening.moves)
            for opening in read_openings(Path(terms.openings or shipped_openings("xiangqi")), Xiangqi())
        }
        for pair in pairs:
            for swapped, text in enumerate(pair["moves"]):
                names = [pair["second"], pair["first"]] if swapped else [pair["first"], pair["second"]]
                judged = [name for name in names if (not wanted or name in wanted) and games[name] < most_games]
                if not judged:
                    continue
                games.update(set(judged))
                moves = text.split()
                start, length = next(
                    (start, len(opening)) for start, opening in openings if tuple(moves[: len(opening)]) == opening
                )
                position = Position(start) if start else Position()
                for ply, word in enumerate(moves):
                    move = parse_move(word)
                    name = names[position.side]
                    if ply >= length and name in judged:
                        found[name].moves += 1
                        if (mistake := referee.mistake(position, move)) is not None:
                            found[name].depths[mistake[0]] += 1
                            found[name].kinds[mistake[1]] += 1
                    position.push(move)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="of calibrate_levels.py play xiangqi")
    parser.add_argument("--players", default="", metavar="LIST", help="whose moves (default: of all)")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="at most, of a player (%(default)s)")
    parser.add_argument("--nodes", type=int, default=100_000, metavar="N", help="of full strength (%(default)s)")
    parser.add_argument("--loss", type=int, default=300, metavar="CP", help="of a mistake (default %(default)s)")
    args = parser.parse_args(arguments)
    wanted = [name for name in args.players.split(",") if name]
    for name, figures in judge(args.files, wanted, args.nodes, args.loss, args.games).items():
        print(figures.text(name))


if __name__ == "__main__":
    main()
