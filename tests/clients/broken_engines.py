"""An engine of all protocols that plays the first legal move and has the given faults: `broken_engines.py FAULT,...`

Xiangqi (UCI and UCCI): slow-start, slow-ready, mute-till-end, bare-default, default-in-name, chinese, no-nps, pv-first,
ranks-from-1, illegal, answers-stop, twice, late-twice, early, slow, dies, flood, deaf, stays, stays-once, orphan,
runaway, strict-options, seconds, no-bans, odd-no-move, cr, no-variant, chatter, no-lichess, goes-on. Gomoku:
ok-and-more, info-answer, off-board, taken, swapped, from-1, deaf-restart, forgetful, late, fat, chatter, stays, orphan.
Junqi: no-welcome, wrong-ply, illegal, stays.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from ucci_engine.points import RANKS_FROM_1, START_FEN, move_text, parse_move
from ucci_engine.position import Position

FAULTS = set(sys.argv[1].split(",")) if len(sys.argv) > 1 else set()
LATE_S = 1.2
SLOW_S = 1.5
LATE_ANSWER_S = 0.1
HOG_BYTES = 400 << 20
LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"


def say(*lines: str) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    if "mute-till-end" not in FAULTS:
        sys.stdout.flush()


def is_first_start() -> bool:
    """Whether no engine in this folder has left before."""
    try:
        Path("left").open("x").close()
    except FileExistsError:
        return False
    return True


def leave() -> None:
    """End, as the faults allow."""
    for fault in ("orphan", "runaway"):
        if fault in FAULTS:
            import subprocess

            sleep = ["sleep", "30"]
            subprocess.Popen(
                sleep, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=fault == "runaway"
            )
    stays = "stays" in FAULTS or ("stays-once" in FAULTS and is_first_start())
    while stays:
        time.sleep(1)
    sys.exit()


class Xiangqi:
    def __init__(self, hello: str) -> None:
        self.ucci = hello == "ucci"
        self.position = Position()
        self.banned: list[str] = []
        self.pondering = False
        self.was_ready = False

    def greet(self) -> None:
        if "slow-start" in FAULTS:
            time.sleep(LATE_S)
        name = "" if self.ucci else "name "
        say("id name \u4e09\u68cb" if "chinese" in FAULTS else "id name broken")
        if "default-in-name" in FAULTS:
            say(f"option {name}{'style_default default' if self.ucci else 'Default Style'} type string default x")
        say(f"option {name}book type string default" + ("" if "bare-default" in FAULTS else " <empty>"))
        if self.ucci:
            say("option usemillisec type check default true")
        elif "no-variant" not in FAULTS:
            say("option name UCI_Variant type combo default xiangqi var xiangqi")
            say("option name Ranks type combo default 0-9 var 0-9 var 1-10")
        if not self.ucci and "no-lichess" not in FAULTS:
            for words in ("Move Overhead", "Threads", "Hash"):
                say(f"option name {words} type spin default 1 min 1 max 1024")
            say("option name SyzygyPath type string default <empty>")
            say("option name UCI_ShowWDL type check default false")
        say("ucciok" if self.ucci else "uciok")
        if "chatter" in FAULTS:
            say("info depth 0 score cp 0")

    def obey(self, line: str) -> None:
        words = line.split()
        match words:
            case ["isready"]:
                if "slow-ready" in FAULTS and not self.was_ready:
                    time.sleep(LATE_S)
                self.was_ready = True
                say("readyok")
            case ["setoption", *rest]:
                if "strict-options" in FAULTS and "noSuchOption" in rest:
                    sys.exit("no such option")
            case ["position", *rest]:
                self.set_up(rest)
            case ["startpos" | "fen", *_]:
                self.set_up(words)
            case ["banmoves", *rest]:
                self.banned = [] if "no-bans" in FAULTS else rest
            case ["go", *rest]:
                self.go(rest)
            case ["stop"]:
                if self.pondering or "answers-stop" in FAULTS:
                    self.pondering = False
                    self.move()
                elif self.ucci:
                    say("nobestmove")
            case ["quit"]:
                if self.ucci:
                    say("bye")
                leave()

    def set_up(self, words: list[str]) -> None:
        moves = words.index("moves") if "moves" in words else len(words)
        self.position = Position(START_FEN if words[0] == "startpos" else " ".join(words[1:moves]))
        for text in words[moves + 1 :]:
            try:
                self.position.push(parse_move(text))
            except ValueError:
                if "goes-on" in FAULTS:
                    self.position = Position()
                break
        self.banned = []

    def go(self, words: list[str]) -> None:
        if "dies" in FAULTS:
            sys.exit(7)
        while "flood" in FAULTS:
            say("info " + "x" * 200)
        if ("infinite" in words or "600000" in words) and "early" not in FAULTS:
            while "deaf" in FAULTS:
                time.sleep(1)
            self.pondering = True
        else:
            if "seconds" in FAULTS and words[0] == "time":
                time.sleep(min(float(words[1]), 30))
            if "slow" in FAULTS:
                time.sleep(SLOW_S)
            self.move()

    def move(self) -> None:
        legal = [move for move in self.position.legal_moves() if move_text(move) not in self.banned]
        if not legal:
            say("nobestmove" if self.ucci and "odd-no-move" not in FAULTS else "bestmove (none)")
            return
        text = move_text(legal[0], RANKS_FROM_1) if "ranks-from-1" in FAULTS else move_text(legal[0])
        if "illegal" in FAULTS:
            text = "a0a9"
        score = "score 0" if self.ucci else "score cp 0"
        if "pv-first" in FAULTS:
            say(f"info depth 1 pv {text} {score} nodes 1 nps 1")
        else:
            say(f"info depth 1 {score} nodes 1 {'' if 'no-nps' in FAULTS else 'nps 1 '}pv {text}")
        say(f"bestmove {text}")
        if "twice" in FAULTS:
            say(f"bestmove {text}")
        if "late-twice" in FAULTS:
            threading.Timer(LATE_ANSWER_S, say, (f"bestmove {text}",)).start()


class Gomoku:
    def __init__(self) -> None:
        self.size = 15
        self.taken: set[tuple[int, int]] = set()
        self.hurried = False
        self.hoard = b""
        self.reading_board = False

    def obey(self, line: str) -> None:
        words = line.replace(",", " ").split()
        if self.reading_board and words != ["DONE"]:
            self.taken.add((int(words[0]), int(words[1])))
            return
        match words:
            case ["START", size]:
                self.size = int(size)
                self.taken.clear()
                say("OK - ready" if "ok-and-more" in FAULTS else "OK")
            case ["RESTART"] if "deaf-restart" not in FAULTS:
                if "forgetful" not in FAULTS:
                    self.taken.clear()
                say("OK")
            case ["RESTART"]:
                pass
            case ["TAKEBACK", x, y]:
                if "forgetful" not in FAULTS:
                    self.taken.discard((int(x), int(y)))
                say("OK")
            case ["INFO", "timeout_turn", milliseconds]:
                self.hurried = milliseconds == "0"
            case ["INFO", *_]:
                if "info-answer" in FAULTS and words[1] == "folder":
                    say("OK")
            case ["ABOUT"]:
                say('name="broken", version="1"')
            case ["BEGIN"]:
                self.move()
            case ["TURN", x, y] if (int(x), int(y)) in self.taken:
                say("ERROR a taken point")
            case ["TURN", x, y]:
                self.taken.add((int(x), int(y)))
                self.move()
            case ["BOARD"]:
                self.taken.clear()
                self.reading_board = True
            case ["DONE"]:
                self.reading_board = False
                self.move()
            case ["END"]:
                leave()
            case _:
                say("UNKNOWN command")

    def move(self) -> None:
        if "late" in FAULTS and self.hurried:
            time.sleep(LATE_S)
        if "fat" in FAULTS and not self.hoard:
            self.hoard = b"x" * HOG_BYTES
        if "chatter" in FAULTS:
            say("Thinking about it")
        point = next((x, y) for y in range(1, self.size) for x in range(self.size) if (x, y) not in self.taken)
        if "off-board" in FAULTS:
            point = (self.size, 0)
        elif "taken" in FAULTS and self.taken:
            point = min(self.taken)
        self.taken.add(point)
        if "swapped" in FAULTS:
            point = point[::-1]
        elif "from-1" in FAULTS:
            point = (point[0] + 1, point[1] + 1)
        say(f"{point[0]},{point[1]}")


class Junqi:
    """Its modules are imported only here: a doctor starts many engines."""

    def __init__(self) -> None:
        from junqi_protocol.rules.position import Position as JunqiPosition

        self.position = JunqiPosition()
        self.lineups: list[str | None] = []
        self.first = 0
        self.asked: list[str] | None = None
        self.started = False

    def greet(self) -> None:
        say("id name broken", *([] if "no-welcome" in FAULTS else ["junqiok 1"]))

    def obey(self, line: str) -> None:
        words = line.split()
        match words:
            case ["isready"]:
                say("readyok")
            case ["newgame", *_]:
                self.first = int(words[words.index("first") + 1]) if "first" in words else 0
                self.position = type(self.position)(words[words.index("variant") + 1], first=self.first)
                self.lineups = [None] * self.position.variant.seats
                self.started = False
            case ["deploy", seat]:
                say(f"lineup {seat} {LINEUP}")
            case ["lineup", seat, lineup] if not self.started:
                from junqi_protocol.rules.lineup import parse

                self.lineups[int(seat)] = parse(lineup)
            case ["start", _]:
                self.position.deploy(self.lineups)
                self.started = True
            case ["moved", *rest]:
                from junqi_protocol.rules.messages import Moved

                ply = Moved.parse(rest, self.position.variant)
                self.position.report(ply.move, ply.result, ply.flags, ply.outs)
            case ["go", _, ply, *limits]:
                self.asked = words
                if "infinite" not in limits:
                    self.move(ply)
            case ["stop"] if self.asked is not None:
                self.move(self.asked[2])
            case ["quit"]:
                leave()

    def move(self, ply: str) -> None:
        from junqi_protocol.rules.geometry import move_text as junqi_move_text

        self.asked = None
        move = junqi_move_text(self.position.variant, min(self.position.legal_moves()))
        if "illegal" in FAULTS:
            move = "a1a1"
        say(f"bestmove {move} ply {int(ply) + 1 if 'wrong-ply' in FAULTS else ply}")


def main() -> None:
    if "mute-till-end" in FAULTS:  # even if the environment turns buffers off
        sys.stdout = open(1, "w", buffering=1 << 20, encoding="ascii", closefd=False)  # noqa: SIM115
    engine: Xiangqi | Gomoku | Junqi | None = None
    # Universal newlines would hide the carriage return.
    for raw in iter(sys.stdin.buffer.readline, b""):
        line = raw.decode().rstrip("\n")
        if "cr" not in FAULTS:
            line = line.strip()
        if engine is None:
            if line in ("uci", "ucci"):
                engine = Xiangqi(line)
                engine.greet()
                continue
            if line == "junqi 1":
                engine = Junqi()
                engine.greet()
                continue
            if line.startswith("START"):
                engine = Gomoku()
        if engine is not None and line:
            engine.obey(line)
    leave()


if __name__ == "__main__":
    main()
