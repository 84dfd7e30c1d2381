"""A judge that runs engines as Gomocup's does. START and all INFO come in one write. The engine is suspended at once
and runs only in its own turns. The memory of it and its children is checked after each move. In the end it is killed
unless it exits."""

from __future__ import annotations

import os
import re
import signal
import subprocess

from engine_client.dialogue import family, private_bytes
from search_core.clock import now_s

TOLERANCE_S = 3.0
"""The time that a turn may exceed its limit by. GomocupJudge allows 1 s on an idle machine; here other tests run too,
and an engine that has lost its limit takes 5."""
GOODBYE_S = 5.0
"""The judge allows 0.5 s."""


class Foul(AssertionError):
    """The engine has lost by what it did; the message says how."""


class JudgedEngine:
    """One engine's process.

    Parameters
    ----------
    command : list of str
        The program.
    size, rule : int
        Board size and rule of the game.
    turn_ms, match_ms : int
        Limits of each turn and of all of them.
    memory : int
        Private bytes (USS) that the process and its children may hold.
    """

    def __init__(self, command: list[str], size: int, rule: int, turn_ms: int, match_ms: int, memory: int) -> None:
        self.turn_ms = turn_ms
        self.left_ms = float(match_ms)
        self.memory = memory
        self.peak = 0
        """The most bytes of memory seen."""
        self.longest_ms = 0.0
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        info = {
            "timeout_turn": turn_ms,
            "timeout_match": match_ms,
            "max_memory": memory,
            "game_type": 1,
            "rule": rule,
            "folder": os.getcwd(),
        }
        self._write("".join([f"START {size}\r\n", *(f"INFO {key} {value}\r\n" for key, value in info.items())]))
        self._suspend()

    def move(self, lines: list[str]) -> tuple[int, int]:
        """Send lines and return the move. Raises Foul."""
        assert self.process.stdout is not None
        began = now_s()
        self.process.send_signal(signal.SIGCONT)
        self._write(f"INFO time_left {int(self.left_ms)}\r\n" + "".join(line + "\r\n" for line in lines))
        while True:
            line = self.process.stdout.readline().decode("ascii").strip()
            if self.process.poll() is not None and not line:
                raise Foul(f"crashed with status {self.process.returncode}")
            if re.fullmatch(r"\d+,\d+", line):  # all other lines are skipped
                break
        used_ms = (now_s() - began) * 1000
        self._suspend()
        self.longest_ms = max(self.longest_ms, used_ms)
        if used_ms > min(self.turn_ms, self.left_ms) + TOLERANCE_S * 1000:
            raise Foul(f"took {used_ms:.0f} ms of {min(self.turn_ms, self.left_ms):.0f}")
        self.left_ms -= used_ms
        self.peak = max(self.peak, sum(map(private_bytes, family(self.process.pid))))
        if self.peak > self.memory:
            raise Foul(f"holds {self.peak} bytes of {self.memory}")
        x, y = line.split(",")
        return int(x), int(y)

    def end(self) -> bool:
        """Send END, and kill the engine if it stays. Returns whether it exited by itself."""
        try:
            self.process.send_signal(signal.SIGCONT)
            self._write("END\r\n")
            self.process.wait(GOODBYE_S)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
            return False
        return True

    def _suspend(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def _write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode("ascii"))
        self.process.stdin.flush()
