"""A UCCI engine that plays random legal moves at once, or misbehaves: `fake_engine.py BEHAVIOUR [SEED]`.

Behaviours: random; slow (idle for 60 ms before each move, then while its folder has a file `hold`); crash, hang,
garbage, illegal, silent, resign (on the third `go` of a game); late (that move comes too late, then all is well);
flood (very many lines beside its moves); endless (a line of 64 MiB before each); loud (64 MiB to stderr before each);
greedy (wants a GiB of memory); stubborn (says on stderr that it thinks, and does nothing more); score=N (claims so
many centipawns); bound=N:WORD (an exact score of 0, then N as a WORD); sends=TEXT (TEXT instead of that move);
boastful (numbers of thousands of digits); hasty (answers `go ponder` at once, and also answers `stop`); dreamer (names
replies, but knows no ponder); fainting (hangs after its answer to the `stop` of its pondering); deaf (no handshake);
stuck (no handshake, and no end of input); complain (dies with a last word).
"""

from __future__ import annotations

import os
import random
import sys
import time

from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position

BAD_GO = 3
PONDERING = ("hasty", "dreamer", "fainting")


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def read_position(words: list[str]) -> Position:
    moves = words.index("moves") if "moves" in words else len(words)
    position = Position(START_FEN if words[0] == "startpos" else " ".join(words[1:moves]))
    for text in words[moves + 1 :]:
        position.push(parse_move(text))
    return position


def reply(position: Position, move: str) -> str:
    """An answer to a move."""
    position.push(parse_move(move))
    answers = position.legal_moves()
    position.pop()
    return move_text(answers[0]) if answers else "a0a0"


def main() -> None:
    behaviour = sys.argv[1]
    lottery = random.Random(sys.argv[2] if len(sys.argv) > 2 else "1")
    position = Position()
    searches = 0
    if behaviour == "deaf":
        sys.stdin.read()
        return
    if behaviour == "stuck":
        print("stuck", file=sys.stderr, flush=True)
        while True:
            time.sleep(3600)
    if behaviour == "complain":
        sys.exit("fake engine: no net found")
    for line in sys.stdin:
        words = line.split()
        match words:
            case ["ucci"]:
                if behaviour in ("hasty", "fainting"):
                    say("option ponder type check default false")
                say("id name fake\noption usemillisec type check default true\nucciok")
            case ["isready"]:
                say("readyok")
            case ["setoption", "newgame"]:
                searches = 0
            case ["stop"] if behaviour == "hasty":
                say("bestmove a0a1")
            case ["go", "ponder", *_] if behaviour == "fainting":
                pass
            case ["stop"] if behaviour == "fainting":
                say("bestmove a0a1")
                time.sleep(3600)
            case ["quit"]:
                say("bye")
                return
            case ["position", *rest]:
                position = read_position(rest)
            case ["go", *_]:
                searches += 1
                legal = move_text(lottery.choice(position.legal_moves()))
                if behaviour == "flood":
                    for _ in range(2000):
                        say("info " + "x" * 500)
                        say("bestmovement " + "y" * 500)
                if behaviour == "endless":
                    for _ in range(1024):
                        sys.stdout.write("x" * 65536)
                    say("")
                if behaviour == "loud":
                    for _ in range(1024):
                        sys.stderr.write("x" * 65535 + "\n")
                if behaviour == "stubborn":
                    print("thinking", file=sys.stderr, flush=True)
                    time.sleep(3600)
                if behaviour == "slow":
                    time.sleep(0.06)
                    while os.path.exists("hold"):
                        time.sleep(0.01)
                if behaviour == "greedy":
                    bytearray(1 << 30)
                if searches == BAD_GO:
                    match behaviour:
                        case "crash":
                            sys.exit(7)
                        case "hang":
                            time.sleep(3600)
                        case "garbage":
                            legal = "\x01\x02 z9z9"
                        case "illegal":
                            legal = "a0a9"
                        case "silent":
                            continue
                        case "late":
                            time.sleep(2.5)
                        case _ if behaviour.startswith("sends="):
                            legal = behaviour.removeprefix("sends=")
                        case "resign":
                            legal += " resign"
                score = behaviour.removeprefix("score=") if behaviour.startswith("score=") else "0"
                if behaviour == "boastful":
                    huge = "9" * 5000
                    say(f"info depth {huge} score {huge} nodes {huge} time {huge} pv {legal}")
                else:
                    say(f"info depth 1 score {score} nodes 10 time 1 pv {legal}")
                if behaviour.startswith("bound="):
                    bound, word = behaviour.removeprefix("bound=").split(":")
                    say(f"info depth 2 score cp {bound} wdl 900 100 0 {word} nodes 20 pv {legal}")
                say(f"bestmove {legal}" + (f" ponder {reply(position, legal)}" if behaviour in PONDERING else ""))


if __name__ == "__main__":
    main()
