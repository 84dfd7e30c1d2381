"""Count how many labelled marks of Junqi get a sentence of why that names what people saw in them, or check the
sentences of reviews.

    python benchmarks/junqi_why.py labels --half held-out
    python benchmarks/junqi_why.py check review.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from game_core.review import MarkedMove
from junqi_protocol.records.records import Replay
from junqi_protocol.review.review import RecordedGame
from junqi_protocol.review.why import BETTER_ATTACK, EXPOSED, FLAG_FALLS, LINE_LOSES, RISK

DATA = Path(__file__).parents[1] / "tests" / "data" / "review"
LABELS = {
    RISK: "risk",
    EXPOSED: "exposed",
    BETTER_ATTACK: "better-attacks",
    LINE_LOSES: "line-loses",
    FLAG_FALLS: "flag-falls",
}


def labels(half: str) -> None:
    """Compare the sentences of a half of the labelled marks with the labels."""
    first = named = total = silent = plain = 0
    missed: Counter[str] = Counter()
    for line in (DATA / "junqi_motifs.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        if label["half"] != half:
            continue
        game = RecordedGame(Replay((DATA / "junqi" / label["record"]).read_bytes()).arbiter, "team")
        better, turn = label["better"], label["ply"] - 1
        pieces = game.hindsight(turn, better[0] if better else None, "english")[2]
        marked = MarkedMove(turn, label["played"], label["reply"], better, None, None, pieces)
        found = {LABELS[reason.motif] for reason in game.reasons(marked)}
        if label["motifs"] == ["none"]:
            plain += 1
            silent += not found
            continue
        total += 1
        first += label["motifs"][0] in found
        named += bool(found.intersection(label["motifs"]))
        missed.update(motif for motif in label["motifs"] if motif not in found)
    print(f"{half}: a motif named in {named} of {total}, the first in {first}")
    print(f"nothing said in {silent} of {plain} without a motif")
    print("not named:", ", ".join(f"{motif} {count}" for motif, count in missed.most_common()))


def check(paths: list[Path]) -> None:
    """Check the sentences of reviews (`sanqi review --json`) by the slow rules of the tests."""
    sys.path.append(str(Path(__file__).parents[1]))
    from tests.helpers.junqi_reference import Reference
    from tests.helpers.junqi_why_check import faults

    games = [game for path in paths for game in json.loads(path.read_text(encoding="utf-8"))["games"]]
    marks = sentences = 0
    wrong: list[str] = []
    for game in games:
        start = game["start"]
        reference = Reference(start["variant"], start["lineups"], first=start["first"])
        for ply in game["plies"]:
            marks += bool(ply["mark"] or ply["missedWin"])
            if ply.get("why"):
                sentences += ply["why"].count(".")
                wrong += [f"{game['source']} ply {ply['ply']}: {fault}" for fault in faults(reference, ply)]
            if ply["move"] in ("pass", "time"):
                reference.skip(ply["move"])
            elif ply["move"][:1].islower() and ply["move"][1:2].isdigit():
                reference.move(ply["move"])
            else:
                reference.leave(int(ply["side"]), ply["move"])
    print(f"{len(games)} games, {marks} marks, {sentences} sentences, {len(wrong)} false", *wrong, sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    labelled = commands.add_parser("labels", help="compare the sentences with the labels")
    labelled.add_argument("--half", choices=["seen", "held-out"], default="held-out", help="(default %(default)s)")
    checked = commands.add_parser("check", help="check the sentences of reviews by the slow rules of the tests")
    checked.add_argument("reviews", type=Path, nargs="+", metavar="FILE", help="of `sanqi review --json`")
    args = parser.parse_args()
    if args.command == "labels":
        labels(args.half)
    else:
        check(args.reviews)


if __name__ == "__main__":
    main()
