"""A Gomocup engine that plays random legal moves at once, or misbehaves: `fake_gomocup_engine.py BEHAVIOUR [SEED]`.

Behaviours: random; slow (idle for 60 ms before each move, then while its folder has a file `hold`); middle (the free
point next to the middle, whatever the rule); crash, hang, garbage, taken, outside, below (a point off the board, below
0), silent (on the third move of a game); late (that move comes too late); flood (very many lines beside its moves);
deaf (no OK); refuse (ERROR to START); complain (dies with a last word); forgetful (knows neither RESTART nor ABOUT);
dreamy (misses RESTART); log (appends what it is sent to the file SEED).
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from gomoku_protocol.points import move_at, parse_numbers, parse_point, point_of, point_text
from gomoku_protocol.position import Position

BAD_MOVE = 3


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class FakeEngine:
    def __init__(self, behaviour: str, seed: str) -> None:
        self.behaviour = behaviour
        self.lottery = random.Random(seed)
        self.log = Path(seed) if behaviour == "log" else None
        self.rule = 0
        self.width = self.height = 15
        self.position = Position()
        self.searches = 0

    def clear(self) -> None:
        self.position = Position(self.width, self.height, self.rule)
        self.searches = 0

    def lines(self) -> Iterator[str]:
        for line in map(str.strip, sys.stdin):
            if self.log is not None:
                with self.log.open("a", encoding="ascii") as file:
                    file.write(line + "\n")
            yield line

    def obey(self, line: str) -> None:
        match line.split(None, 1):
            case ["START", size]:
                self.start(int(size), int(size))
            case ["RECTSTART", sizes]:
                self.start(*parse_numbers(sizes, 2))
            case ["RESTART"] if self.behaviour != "forgetful":
                if self.behaviour != "dreamy":
                    self.clear()
                    say("OK")
            case ["INFO", setting]:
                key, value = setting.split()
                if key == "rule" and self.behaviour != "middle":
                    self.rule = int(value)
                    self.clear()
            case ["ABOUT"] if self.behaviour != "forgetful":
                say('name="fake", version="1"')
            case ["BEGIN"]:
                self.move()
            case ["TURN", point]:
                self.position.push(move_at(*parse_point(point)))
                self.move()
            case ["BOARD"]:
                self.set_up()
                self.move()
            case ["END"]:
                sys.exit()
            case _:
                say(f"UNKNOWN {line}")

    def start(self, width: int, height: int) -> None:
        if self.behaviour == "refuse":
            say("ERROR no such board")
            return
        self.width, self.height = width, height
        self.clear()
        say("MESSAGE here we go\nOK")

    def set_up(self) -> None:
        """The stones up to DONE, in the order that they were played."""
        for line in self.lines():
            if line == "DONE":
                return
            x, y, _ = parse_numbers(line, 3)
            self.position.push(move_at(x, y))

    def distance(self, move: int) -> int:
        """From the middle, squared."""
        x, y = point_of(move)
        return (x - self.width // 2) ** 2 + (y - self.height // 2) ** 2

    def move(self) -> None:
        self.searches += 1
        legal = self.position.legal_moves()
        best = min(legal, key=self.distance) if self.behaviour == "middle" else self.lottery.choice(legal)
        text = point_text(best)
        say("DEBUG depth 1, nodes 10")
        if self.behaviour == "slow":
            time.sleep(0.06)
            while os.path.exists("hold"):
                time.sleep(0.01)
        if self.behaviour == "flood":
            for _ in range(2000):
                say("MESSAGE " + "x" * 500)
                say("y" * 500)
        if self.searches == BAD_MOVE:
            match self.behaviour:
                case "crash":
                    sys.exit(7)
                case "hang":
                    time.sleep(3600)
                case "garbage":
                    text = "ERROR \x01\x02 out of ideas"
                case "taken":
                    text = point_text(self.position.moves[0])
                case "outside":
                    text = f"{self.width},0"
                case "below":
                    text = "-1,-1"
                case "silent":
                    return
                case "late":
                    time.sleep(2.5)
        self.position.push(best)
        say(text)


def main() -> None:
    behaviour = sys.argv[1]
    if behaviour == "deaf":
        sys.stdin.read()
        return
    if behaviour == "complain":
        sys.exit("fake engine: no net found")
    engine = FakeEngine(behaviour, sys.argv[2] if len(sys.argv) > 2 else "1")
    for line in engine.lines():
        engine.obey(line)


if __name__ == "__main__":
    main()
