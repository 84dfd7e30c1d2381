"""How long the engine needs for a line of just under 64 KB that is made to be slow: processor time of the program, to
10 ms, from the line to the answer to the next command. Linux only.

    .venv/bin/python benchmarks/hostile_lines.py [PROGRAM]
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from search_core.line_protocol import MAX_LINE

ROUNDS = 3
SLOW_MS = 50
_LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"


def filled(beginning: str, piece: str) -> str:
    """A line of `beginning`, then `piece` as often as the limit allows."""
    return beginning + piece * ((MAX_LINE - len(beginning.encode())) // len(piece.encode()))


XIANGQI = {
    "go x": filled("go", " x"),
    "go depth 1 x": filled("go depth 1", " x"),
    "go depth depth": filled("go", " depth"),
    "go depth -1": filled("go depth 1", " depth -1"),
    "go depth 9...": filled("go depth ", "9"),
    "go nodes 1 go x": filled("go nodes 1", " go x"),
    "searchmoves h2e2": filled("go depth 1 searchmoves", " h2e2"),
    "searchmoves a0a9": filled("go depth 1 searchmoves", " a0a9"),
    "searchmoves ...": filled("go depth 1 searchmoves", " ."),
    "searchmoves ... long": filled("go depth 1 searchmoves ", "h"),
    "banmoves h2e2": filled("banmoves", " h2e2"),
    "banmoves x": filled("banmoves", " x"),
    "banmoves a0a9": filled("banmoves", " a0a9"),
    "position moves x": filled("position startpos moves", " x"),
    "position moves h2e2": filled("position startpos moves", " h2e2"),
    "position shuffled": filled("position startpos moves", " b0c2 b9c7 c2b0 c7b9"),
    "position shuffled, then x": filled("position startpos moves", " b0c2 b9c7 c2b0 c7b9")[:-8] + " x",
    "position fen /": filled("position fen ", "/"),
    "position fen 9": filled("position fen ", "9"),
    "position fen k": filled("position fen ", "k"),
    "position fen words": filled("position fen", " w"),
    "position fen FEN words": filled("position fen 3k5/9/9/9/9/9/9/9/9/4K4", " -"),
    "position moves moves": filled("position startpos", " moves"),
    "position words": filled("position", " x"),
    "setoption value": filled("setoption name", " value"),
    "setoption words": filled("setoption name", " x"),
    "setoption Hash 9": filled("setoption name Hash value ", "9"),
    "setoption Hash 0": filled("setoption name Hash value ", "0"),
    "setoption Style": filled("setoption name Style value", " x"),
    "setoption log file": filled("setoption name Debug Log File value", " x"),
    "blanks": filled("isready", " "),
    "a word": filled("", "x"),
    "GBK": filled("", "\u00fc"),
}
UCCI = {**XIANGQI, "probe moves": filled("probe startpos moves", " b0c2 b9c7 c2b0 c7b9")}
UCI = {**XIANGQI, "perft 9": filled("perft ", "9"), "bench 0": filled("bench ", "0"), "d": filled("d", " x")}
GOMOCUP = {
    "INFO hash_size 9": filled("INFO hash_size ", "9"),
    "INFO rule 9": filled("INFO rule ", "9"),
    "INFO words": filled("INFO", " x"),
    "TURN": filled("TURN ", "0,"),
    "TURN 0": filled("TURN ", "0"),
    "START": filled("START ", "0"),
    "RECTSTART": filled("RECTSTART ", "5,"),
    "a word": filled("", "x"),
    "BOARD, a long line": filled("BOARD\n", "0,") + "\nDONE",
    "BOARD, lines": filled("BOARD\n", "0,0,1\n") + "DONE",
    "BOARD, full": "BOARD\n" + "".join(f"{n % 15},{n // 15},{1 + n % 2}\n" for n in range(224)) + "DONE",
    "BOARD, many lines": "BOARD\n" + "0,0,1\n" * 200_000 + "DONE",
    "SWAP2BOARD, a long line": filled("SWAP2BOARD\n", "0,") + "\nDONE",
    "SWAP2BOARD, lines": filled("SWAP2BOARD\n", "0,0\n") + "DONE",
    "SWAP2BOARD, points": "SWAP2BOARD\n" + "".join(f"{n % 15},{n // 15}\n" for n in range(225)) + "DONE",
}
JLP = {
    "seats 0,0": filled("newgame variant siguo seats 0", ",0"),
    "seats seats": filled("newgame variant siguo", " seats 0"),
    "newgame x x": filled("newgame variant siguo seats 0", " x x"),
    "newgame quiet": filled("newgame variant siguo seats 0 quiet ", "9"),
    "pieces": filled("position variant siguo turn 0 pieces", " 0:g6=?"),
    "pieces, facts": filled("position variant siguo turn 0 pieces 0:g6=?{", "1-9"),
    "pieces, known": filled("position variant siguo turn 0 pieces 0:g6=9!", "1,"),
    "dead": filled("position variant siguo turn 0", " dead 1") + " pieces 0:b1=F",
    "skipsof": filled("position variant siguo turn 0", " skipsof 0:1") + " pieces 0:b1=F",
    "flag": filled("position variant duel turn 0", " flag 1:d12") + " pieces 0:b1=F",
    "lineup": filled("lineup 0 ", "9/"),
    "gameover": filled("gameover win 0", ",0"),
    "gameover words": filled("gameover draw", " x"),
    "moved": filled("moved 1 0 a6a7 KILLED", " flag 0 b1"),
    "moved outs": filled("moved 1 0 a6a7 KILLED", " out 0 flag"),
    "go": filled("go 0 1", " x x"),
    "illegal": filled("illegal 0 1", " x"),
    "setoption": filled("setoption name", " x"),
}
_DUEL = ["newgame variant duel seats 0,0", "newgame variant duel seats 0", f"lineup 0 {_LINEUP}", "start 0"]
PROTOCOLS = {
    "ucci": (["ucci"], "isready", UCCI),
    "uci": (["uci"], "isready", UCI),
    "gomocup": (["INFO timeout_turn 0", "START 15"], "TAKEBACK 99,99", GOMOCUP),
    "junqi": (["junqi 1", *_DUEL], "isready", JLP),
}
_ANSWERS = {"isready": "readyok", "TAKEBACK 99,99": "ERROR TAKEBACK"}


def processor_ms(pid: int) -> float:
    """The processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def milliseconds(program: Sequence[str], protocol: str, line: str) -> float:
    """The best of the rounds; each round starts the program again."""
    greeting, barrier, _ = PROTOCOLS[protocol]
    best = float("inf")
    for _ in range(ROUNDS):
        engine = subprocess.Popen(
            [*program, protocol], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", bufsize=-1
        )
        assert engine.stdin is not None and engine.stdout is not None

        def wait(engine: subprocess.Popen[str] = engine, barrier: str = barrier) -> None:
            assert engine.stdin is not None and engine.stdout is not None
            engine.stdin.write(barrier + "\n")
            engine.stdin.flush()
            while not engine.stdout.readline().startswith(_ANSWERS[barrier]):
                pass

        engine.stdin.write("".join(word + "\n" for word in greeting))
        wait()
        began = processor_ms(engine.pid)
        engine.stdin.write(line + "\n")
        if "go" in line.split()[:1] and protocol != "junqi":
            engine.stdin.write("stop\n")
        wait()
        best = min(best, processor_ms(engine.pid) - began)
        engine.stdin.close()
        engine.kill()
        engine.wait()
    return best


def main() -> None:
    program = [sys.argv[1]] if len(sys.argv) > 1 else [str(Path(sys.executable).with_name("sanqi"))]
    for protocol, (_, _, lines) in PROTOCOLS.items():
        for name, line in lines.items():
            taken = milliseconds(program, protocol, line)
            print(f"{protocol:8} {name:28} {taken:5.0f} ms{'  slow' if taken > SLOW_MS else ''}", flush=True)


if __name__ == "__main__":
    main()
