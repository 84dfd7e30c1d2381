"""A worker process: it plays games of a match, one after the other. It reads pickles and writes pickles.

When its input ends, it ends its engines at once, and then itself.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import traceback
from typing import IO

from engine_client.player import Fault
from match_runner.game import Competitor, PlayedGame
from match_runner.live_game import LiveGame
from match_runner.match import MatchConfig
from match_runner.schedule import ScheduledGame
from match_runner.trial import Trial, TrialResult
from search_core.failures import failure_of
from search_core.line_protocol import printable

_MAX_COMPLAINT = 2000
LAST_GAME_S = 5.0
"""For the game in progress to notice that its engines are gone."""


class Seats:
    """The engines of a match. Each is started when first needed and kept for later games.

    `is_shut_down`: we ended the engines, so a game that fails now is not their fault."""

    def __init__(self, config: MatchConfig) -> None:
        self._setting = config
        self._players: dict[int, Competitor] = {}
        self.is_shut_down = False

    def play(self, task: ScheduledGame) -> PlayedGame:
        """Play a game."""
        players = [self._player(number) for number in task.players]
        game, conditions, folder = self._setting.game, self._setting.conditions, self._setting.live_folder
        if folder is None:
            return game.play(players, task.opening, conditions)
        first, second = game.sides
        head = {"game": task.number + 1, first: players[0].name, second: players[1].name, "start": task.opening.start}
        live = LiveGame(folder, task.number + 1, head)
        try:
            return game.play(players, task.opening, conditions, live)
        finally:
            live.close()

    def try_engines(self) -> TrialResult:
        """Start and end all engines on this machine."""
        remarks: list[str] = []
        reported_names: list[str] = []
        for number, engine in enumerate(self._setting.engines):
            player = self._player(number)
            try:
                player.start()
                reported_names.append(printable(player.reported_name()))
            except Fault as fault:
                return TrialResult(printable(f"engine {engine.name}: {fault}", _MAX_COMPLAINT))
            finally:
                player.stop()
            remarks += [printable(f"engine {engine.name}: {remark}", _MAX_COMPLAINT) for remark in player.remarks]
        return TrialResult(None, tuple(remarks), tuple(reported_names))

    def _player(self, number: int) -> Competitor:
        if number not in self._players:
            self._players[number] = self._setting.game.player(self._setting.engines[number])
        return self._players[number]

    def shut_down_for_good(self) -> None:
        """End all engines for good. Any thread may call this."""
        self.is_shut_down = True
        for player in list(self._players.values()):
            player.shut_down_for_good()


def main() -> int:
    """Play the tasks from the input. Returns the exit status."""
    asked = sys.stdin.buffer
    # A library that prints must not write between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    config = _load(asked)
    if not isinstance(config, MatchConfig):
        print("sanqi: this command is internal; `sanqi match` starts it", file=sys.stderr)
        return 2
    seats = Seats(config)
    tasks: queue.SimpleQueue[ScheduledGame | Trial] = queue.SimpleQueue()
    idle = threading.Event()
    idle.set()
    threading.Thread(target=_play, args=(seats, tasks, idle, answers), name="games", daemon=True).start()
    try:
        while isinstance(task := _load(asked), (ScheduledGame, Trial)):
            idle.clear()
            tasks.put(task)
    except KeyboardInterrupt:  # Ctrl-C comes here too, on systems without sessions
        pass
    seats.shut_down_for_good()
    idle.wait(LAST_GAME_S)
    seats.shut_down_for_good()  # the game may have started an engine again
    return 0


def _load(asked: IO[bytes]) -> object:
    """The next object of the input; None at its end, or if it cannot be read."""
    try:
        return pickle.load(asked)
    except Exception:  # noqa: BLE001 - a broken pickle may raise anything
        return None


def _play(
    seats: Seats, tasks: queue.SimpleQueue[ScheduledGame | Trial], idle: threading.Event, answers: IO[bytes]
) -> None:
    while True:
        task = tasks.get()
        answer: PlayedGame | TrialResult | str
        try:
            answer = seats.try_engines() if isinstance(task, Trial) else seats.play(task)
        except Exception as error:  # noqa: BLE001 - the match ends with it
            if not seats.is_shut_down and not isinstance(error, OSError):  # such as a full disk: not a bug
                traceback.print_exc()
            answer = f"{type(error).__name__}: {failure_of(error)}"
        idle.set()  # before the answer, which brings the next task
        try:
            pickle.dump(answer, answers)
            answers.flush()
        except OSError:  # the match is gone
            pass
