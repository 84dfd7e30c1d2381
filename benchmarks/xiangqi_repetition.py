"""How often the judge of repetitions agrees with pyffish, on random cycles of four plies in small positions.

    .venv/bin/python benchmarks/xiangqi_repetition.py
    .venv/bin/python benchmarks/xiangqi_repetition.py --without 200 --chases 100 --sample 25

The cycles go in two sets: those where neither judge sees a chase, and those where one does. The judge is the slow one
of the tests, with the rule set Computer. The program's own judge must say the same as it under each rule set; if it
does not, the exit status is 1. --sample writes the first cycles of each set to tests/data/repetition_cycles.txt, which
the tests compare. Each disagreement with pyffish is put into a class: what pyffish 0.0.90 does otherwise, and
what makes the slow judge say the same as pyffish if it does it too.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyffish

sys.path.append(str(Path(__file__).resolve().parents[1]))

from tests.helpers import xiangqi_repetition_reference as reference
from tests.helpers.xiangqi_cycles import board_text, for_pyffish, random_chase, random_cycle
from ucci_engine.points import parse_move
from ucci_engine.position import Position

SEED = 1
SAMPLE = Path(__file__).resolve().parents[1] / "tests" / "data" / "repetition_cycles.txt"
OWN_VERDICTS = {
    "ongoing": "ongoing",
    "repetition": "draw",
    "material": "draw",
    "perpetual-loss": "red loses",
    "perpetual-win": "black loses",
}
PLIES = 8  # of a game: the cycle twice


def by_pyffish(fen: str, moves: list[str]) -> str:
    """The verdict of pyffish. Red is to move after the moves."""
    end, value = pyffish.is_optional_game_end("xiangqi", fen, [for_pyffish(move) for move in moves])
    if not end:
        return "ongoing"
    return "draw" if value == 0 else "black loses" if value > 0 else "red loses"


# ---------------------------------------------------------------- the rules of pyffish, one difference at a time


def moved_or_uncovered(ply: reference.Ply, rule_set: str, pawns_chase: bool = False) -> set[int]:
    """What the moved piece attacks, and what its move uncovers for another.

    A rook or cannon attacks nothing newly along the line of its move, unless the point that it comes from is between.
    """
    moved = next(square for square, piece in ply.after.items() if ply.before.get(square) != piece)
    came_from = next(square for square, piece in ply.before.items() if piece == ply.after[moved])
    found = set()
    for origin, piece in ply.after.items():
        if piece.red != ply.red or piece.kind in "kp":
            continue
        for target in reference.reached(ply.after, origin):
            if target not in ply.after or not reference.attacks_truly(ply.after, origin, target, rule_set):
                continue
            if origin == moved and piece.kind in "rc":
                along = target[0] == moved[0] == came_from[0] or target[1] == moved[1] == came_from[1]
                is_new = not along or target not in reference.reached({**ply.before, moved: piece}, moved)
            else:
                is_new = origin == moved or target not in reference.reached(ply.before, origin)
            if is_new:
                found.add(ply.after[target].number)
    return found


def reaches(board: reference.Board, target: reference.Square, red: bool) -> bool:
    """Whether a piece of this side could capture on `target`, whatever happens to its king."""
    return any(piece.red == red and target in reference.reached(board, origin) for origin, piece in board.items())


def never(board: reference.Board) -> bool:
    """The kings never face each other."""
    return False


CHANGES: dict[str, dict[str, Callable[..., Any]]] = {
    "3 newly attacked: the moved piece and what it uncovers": {"newly_attacked": moved_or_uncovered},
    "4 pins by facing kings": {"kings_face": never},
    "6 protectors that cannot legally recapture": {"can_recapture": reaches},
}


@contextmanager
def changed(names: tuple[str, ...]) -> Iterator[None]:
    """The reference with these changes of its rule."""
    with ExitStack() as stack:
        for name in names:
            for function, replacement in CHANGES[name].items():
                stack.enter_context(patch.object(reference, function, replacement))
        yield


def class_of(fen: str, moves: list[str], theirs: str) -> str:
    """The class of a disagreement, by its number in the specification."""
    if any(ply.checks for ply in reference.play(fen, moves)[3]):
        return "1 checks in a cycle with a chase"
    if reference.judge(fen, moves, "Asian").reason == "perpetual chase of a pinned rook":
        return "5 chase of a rook pinned by a horse"
    for count in (1, 2, 3):
        for names in combinations(CHANGES, count):
            with changed(names):
                if reference.judge(fen, moves, "Computer").result == theirs:
                    return names[0] if count == 1 else "several: " + ", ".join(name[0] for name in names)
    return "none"


# ---------------------------------------------------------------- the comparison


def sees_chase(fen: str, moves: list[str], theirs: str) -> bool:
    """Whether one of the judges decides by a chase, or the slow one sees chases by both sides."""
    verdict = reference.judge(fen, moves, "Computer")
    if verdict.reason == "perpetual check":
        return False
    if "loses" in verdict.result or "loses" in theirs:
        return True
    boards, _first, _quiet, plies = reference.play(fen, moves)
    cycle = reference.find_cycle(boards, plies)
    return not any(ply.checks for ply in cycle) and bool(reference.chased_by(cycle, True, "Computer"))


def own_verdict(fen: str, moves: list[str], rule_set: str) -> str:
    """The verdict of the program's judge. Red is to move after the moves."""
    position = Position(fen)
    position.set_rules(rule_set, None)
    for move in moves:
        position.push(parse_move(move))
    return OWN_VERDICTS[position.result()]


def compare(chance: random.Random, count: int, with_chase: bool) -> tuple[int, list[str]]:
    """Compare on this many cycles of one set, and print the result. Returns how many verdicts of the program's judge
    differ, and the cycles as lines of text."""
    make = random_chase if with_chase else random_cycle
    same = compared = 0
    classes: Counter[str] = Counter()
    open_cases = []
    differ, lines = 0, []
    while compared < count:
        board, cycle = make(chance)
        fen, moves = board_text(board, True), cycle * 2
        theirs = by_pyffish(fen, moves)
        if sees_chase(fen, moves, theirs) != with_chase:
            continue
        compared += 1
        lines.append(f"{fen};{' '.join(cycle)}")
        for rule_set in reference.RULE_SETS:
            verdict, own = reference.judge(fen, moves, rule_set, None).result, own_verdict(fen, moves, rule_set)
            if verdict != own:
                differ += 1
                print(f"{fen} {' '.join(cycle)}: {rule_set} {own}, slowly {verdict}")
        ours = reference.judge(fen, moves, "Computer").result
        if ours == theirs:
            same += 1
            continue
        found = class_of(fen, moves, theirs)
        classes[found] += 1
        if found == "none":
            open_cases.append(f"    {fen} {' '.join(cycle)}: {ours}, pyffish {theirs}")
    print(f"{count} cycles {'with' if with_chase else 'without'} a chase: {same} agree, {same / count:.1%}")
    for name, number in sorted(classes.items()):
        print(f"  {number:5} {name}")
    print("\n".join(open_cases), end="\n" if open_cases else "")
    print(f"  {differ} verdicts of the program's judge differ from the slow one, of {count * len(reference.RULE_SETS)}")
    return differ, lines


def main() -> int:
    parser = argparse.ArgumentParser(description="compare the judge of repetitions with pyffish")
    parser.add_argument("--without", type=int, default=5000, help="cycles without a chase (default: %(default)s)")
    parser.add_argument("--chases", type=int, default=1000, help="cycles with a chase (default: %(default)s)")
    parser.add_argument("--sample", type=int, metavar="N", help="write N cycles of each set for the tests")
    arguments = parser.parse_args()
    chance = random.Random(SEED)
    differ, lines = compare(chance, arguments.without, with_chase=False)
    more, chases = compare(chance, arguments.chases, with_chase=True)
    if arguments.sample:
        head = "# Cycles of four plies, made by benchmarks/xiangqi_repetition.py: FEN;moves"
        sample = [head, *lines[: arguments.sample], *chases[: arguments.sample], ""]
        SAMPLE.write_text("\n".join(sample), encoding="utf-8")
    return 1 if differ or more else 0


if __name__ == "__main__":
    sys.exit(main())
