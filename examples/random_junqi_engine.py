"""A Junqi engine that plays random moves, as a start for your own. It speaks the line protocol on stdin and stdout.

    sanqi referee --variant duel --seats 0 "python examples/random_junqi_engine.py" --seats 1 "sanqi junqi"

It uses this project's rules (sanqi must be installed); docs/junqi-line-protocol.md describes every line.
"""

import random
import sys

from junqi_protocol.rules.geometry import VARIANTS, move_text
from junqi_protocol.rules.lineup import parse, random_lineup, text
from junqi_protocol.rules.messages import Moved
from junqi_protocol.rules.position import Position


def say(line: str) -> None:
    print(line, flush=True)


def value(words: list[str], key: str, default: str) -> str:
    """The word after a key, or `default` if the key is not there."""
    return words[words.index(key) + 1] if key in words else default


def main() -> None:
    chance = random.Random()
    variant = VARIANTS["siguo"]
    position, first = Position(), 0
    lineups: list[str | None] = []
    for line in sys.stdin:
        words = line.split()
        match words[0]:
            case "junqi":
                say("id name random mover")
                say("junqiok 1")
            case "isready":
                say("readyok")
            case "newgame":
                variant = VARIANTS[value(words, "variant", "siguo")]
                first = int(value(words, "first", "0"))
                lineups = [None] * variant.seats  # None: hidden from us
            case "deploy":
                say(f"lineup {words[1]} {text(random_lineup(chance))}")
            case "lineup":
                lineups[int(words[1])] = parse(words[2])
            case "start":
                position = Position(variant.name, first=first)
                position.deploy(lineups)
            case "moved":  # our own moves come back as well: the board changes only here
                ply = Moved.parse(words[1:], variant)
                position.report(ply.move, ply.result, ply.flags, ply.outs)
            case "skipped":
                position.skip(out="out" in words)
            case "left":
                position.leave(words[3])
            case "go":
                moves = position.legal_moves()
                say(f"bestmove {move_text(variant, chance.choice(moves)) if moves else 'pass'} ply {words[2]}")
            case "quit":
                return


main()
