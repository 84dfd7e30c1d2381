"""Count how many labelled motifs the sentences of why name, and check the sentences of reviews.

    python benchmarks/xiangqi_why.py labels --half seen [--labels FILE] [--show]
    python benchmarks/xiangqi_why.py check review.json

`labels` takes tests/data/review/xiangqi_motifs.jsonl: a position counts as named if its first motif is in the facts.
`--half seen` is the half for which the detectors were written. Each position names its half, chosen before anyone
looked: by its FEN, and in xiangqi_motifs_second_reader.jsonl by its line, of which the odd ones are the seen half; so
in xiangqi_motifs_level_games.jsonl up to line 52, the rest of which is held out.

`check` takes the document of `sanqi review GAMES --nodes 5000 --json review.json`, which --resume continues, and prints
each sentence that is not true of its lines.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyffish

sys.path.append(str(Path(__file__).resolve().parents[1]))

from game_core.review import MarkedMove
from tests.helpers.xiangqi_why_check import Marked, fairy_move, faults
from ucci_engine.why.explanation import explain

LABELS = Path(__file__).resolve().parents[1] / "tests" / "data" / "review" / "xiangqi_motifs.jsonl"
ATTACKS = {"attack", "trapped", "fork", "skewer", "driven guard"}
"""The label `attack` is named by any of them: each says what is attacked and by what."""
NO_MOTIF = "nothing won"
SAME = {
    "sees mate": "mates",
    "missed seen mate": "missed mate",
    "walked into": "gives up a piece",
    "discovered check": "discovered attack",
    "pinned": "pin",
}
"""Motifs that a label does not tell apart."""


def marked_of(label: dict[str, Any]) -> MarkedMove:
    reply, better = label["reply"].split(), label["better"].split()
    return MarkedMove(0, label["move"], reply, better, label["mate"], label["mateAfter"])


def motifs_of(label: dict[str, Any]) -> list[str]:
    facts = explain(label["fen"], marked_of(label))
    found = [SAME.get(fact.motif, fact.motif) for fact in facts]
    return found + (["attack"] if ATTACKS.intersection(found) else [])


def count_labels(file: Path, half: str, is_shown: bool) -> None:
    """Print how many of each motif are named."""
    total: Counter[str] = Counter()
    named: Counter[str] = Counter()
    every: Counter[bool] = Counter()
    any_named = 0
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        label = json.loads(line)
        if half not in (label["half"], "all"):
            continue
        found = motifs_of(label)
        first = label["motifs"][0]
        total[first] += 1
        named[first] += first in found
        every.update(motif in found for motif in label["motifs"])
        any_named += first != NO_MOTIF and any(motif in found for motif in label["motifs"])
        if is_shown and first not in found:
            print(f"line {number}: {', '.join(label['motifs'])}; said: {', '.join(found)}")
    for motif, count in total.most_common():
        print(f"{motif:20} {named[motif]:3} of {count}")
    del total[NO_MOTIF], named[NO_MOTIF]
    share = named.total() / total.total()
    print(f"{'first motifs':20} {named.total():3} of {total.total()}, {share:.0%} of the positions with a motif")
    print(f"{'any of the motifs':20} {any_named:3} of {total.total()}, {any_named / total.total():.0%}")
    print(f"{'all motifs':20} {every[True]:3} of {every.total()}, {every[True] / every.total():.0%}")


def check_review(file: Path) -> None:
    """Print the sentences of a review that are false."""
    document = json.loads(file.read_text(encoding="utf-8"))
    sentences = false = marks = 0
    for game in document["games"]:
        moves = [fairy_move(ply["move"]) for ply in game["plies"]]
        for turn, ply in enumerate(game["plies"]):
            if not ply.get("why"):
                continue
            fen = pyffish.get_fen("xiangqi", game["start"]["fen"], moves[:turn])
            lines = ply["played"].get("pv") or (), ply["best"]["pv"]
            marked = Marked(fen, ply["move"], *lines, ply["before"].get("mate"), ply["played"].get("mate"))
            marks += 1
            sentences += ply["why"].count(".")
            for fault in faults(marked, ply["why"]):
                false += 1
                print(f"{game['source']} game {game['number']} ply {ply['ply']}: {fault}")
    print(f"{len(document['games'])} games, {marks} marks, {sentences} sentences, {false} false")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    labels = commands.add_parser("labels")
    labels.add_argument("--half", choices=("seen", "held-out", "all"), default="held-out")
    labels.add_argument("--labels", type=Path, default=LABELS, metavar="FILE")
    labels.add_argument("--show", action="store_true", help="print the positions that were not named")
    check = commands.add_parser("check")
    check.add_argument("review", type=Path)
    args = parser.parse_args()
    if args.command == "labels":
        count_labels(args.labels, args.half, args.show)
    else:
        check_review(args.review)


if __name__ == "__main__":
    main()
