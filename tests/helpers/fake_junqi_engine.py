"""A Junqi engine that misbehaves on purpose: python fake_junqi_engine.py BEHAVIOUR [FROM_PLY]

Until FROM_PLY it plays the first legal move that it knows of, and from there on it does what BEHAVIOUR says.
"""

from __future__ import annotations

import os
import sys
import time

from junqi_protocol.rules.geometry import VARIANTS, move_text
from junqi_protocol.rules.lineup import parse
from junqi_protocol.rules.messages import Moved
from junqi_protocol.rules.position import Position

BEHAVIOUR = sys.argv[1]
FROM_PLY = int(sys.argv[2]) if len(sys.argv) > 2 else 0


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def misbehave(position: Position, seat: str, ply: str, move: str) -> None:
    """Answer `go SEAT PLY`, for which `move` would be right."""
    if BEHAVIOUR == "dies":
        os._exit(1)
    elif BEHAVIOUR in ("hangs", "deaf"):
        time.sleep(1000)
    elif BEHAVIOUR == "floods":
        chunk = b"info string flood\n" * 1000 + b"x" * 100_000
        while True:
            os.write(1, chunk)
    elif BEHAVIOUR == "garbage":
        os.write(1, b"\xff\xfe\x00\nbestmove\nbestmove a1 ply\nbestmove a1a2 ply 99999999999999999999\nfoo bar\n\n")
        say(f"bestmove {move} ply {ply}")
    elif BEHAVIOUR == "illegal":
        say(f"bestmove zzzz ply {ply}")
    elif BEHAVIOUR == "stumbles":  # one illegal answer, then a legal one
        say(f"bestmove {'g1g1' if position.variant.seats == 4 else 'a1a1'} ply {ply}")
    elif BEHAVIOUR == "passes":
        say(f"bestmove pass ply {ply}")
    elif BEHAVIOUR == "resigns":
        say(f"bestmove resign ply {ply}")
    elif BEHAVIOUR == "slow":
        time.sleep(0.06)
        while os.path.exists("hold"):
            time.sleep(0.01)
        say(f"bestmove {move} ply {ply}")
    elif BEHAVIOUR == "agrees":
        say(f"bestmove {move} ply {ply} draw 1")
    elif BEHAVIOUR == "late":  # the answer to each question comes twice, the second time after the next question
        say(f"bestmove {move} ply {int(ply) - 1}")
        say(f"bestmove {move}")
        say(f"bestmove {move} ply {ply}")
        say(f"bestmove resign ply {ply}")


def main() -> None:
    position, first = Position(), 0
    lineups: list[str | None] = []
    move = "pass"
    if BEHAVIOUR == "mute":
        time.sleep(1000)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "junqi":
            say("junqiok 1")
            if BEHAVIOUR == "deaf":
                time.sleep(1000)
        elif words[0] == "newgame":
            variant = VARIANTS[words[words.index("variant") + 1]]
            first = int(words[words.index("first") + 1]) if "first" in words else 0
            lineups = [None] * variant.seats
            position = Position(variant.name, first=first)
            started = False
        elif words[0] == "deploy":
            if BEHAVIOUR == "cheats":
                say(f"lineup {words[1]} 99999/9.9.9/99.99/9.9.9/99999/9F999")
            elif BEHAVIOUR == "chooses":
                say(f"lineup {words[1]} 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")
            else:
                say("lineup")
                say("lineup 7 x")
                say(f"lineup {words[1]}")
        elif words[0] == "lineup" and not started:
            lineups[int(words[1])] = parse(words[2])
        elif words[0] == "start":
            started = True
            position.deploy(lineups)
        elif words[0] == "moved":
            ply = Moved.parse(words[1:], position.variant)
            position.report(ply.move, ply.result, ply.flags, ply.outs)
        elif words[0] == "skipped":
            position.skip(out="out" in words)
        elif words[0] == "left":
            position.leave(words[3])
        elif words[0] == "go":
            moves = sorted(position.legal_moves())
            move = move_text(position.variant, moves[int(words[2]) * 7 % len(moves)])
            if BEHAVIOUR in ("plain", "stays") or int(words[2]) < FROM_PLY:
                say(f"bestmove {move} ply {words[2]}")
            else:
                misbehave(position, words[1], words[2], move)
        elif words[0] == "illegal" and BEHAVIOUR == "stumbles":
            say(f"bestmove {move} ply {words[2]}")
        elif words[0] == "illegal" and BEHAVIOUR == "illegal":
            say(f"bestmove zzzz ply {words[2]}")
        elif words[0] == "quit" and BEHAVIOUR != "stays":
            return
    while BEHAVIOUR == "stays":
        time.sleep(1000)


main()
