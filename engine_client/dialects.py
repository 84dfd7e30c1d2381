"""The commands of a host in UCI and in UCCI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine_client.time_control import Clock, Clocks, ThinkingLimit


class Dialect(Protocol):
    """The commands of one protocol."""

    hello: str
    welcome: str
    new_game: str

    def set_option(self, name: str, value: str = "") -> str:
        """The command that sets an option; a button has no value."""

    def movetime(self, time: int) -> str:
        """The words after `go` that allow so much time, in the engine's unit."""

    def go(self, limit: ThinkingLimit, clocks: Clocks | None, side: int) -> str:
        """The words after `go`."""


class UciDialect:
    hello = "uci"
    welcome = "uciok"
    new_game = "ucinewgame"

    def set_option(self, name: str, value: str = "") -> str:
        return f"setoption name {name} value {value}" if value else f"setoption name {name}"

    def movetime(self, time: int) -> str:
        return f"movetime {time}"

    def go(self, limit: ThinkingLimit, clocks: Clocks | None, side: int) -> str:
        if clocks is None:
            return self.movetime(limit.movetime_ms) if limit.movetime_ms else _size_of_search(limit)
        sides = [("wb"[side], clocks.own)]
        if clocks.other is not None:
            sides.insert(1 - side, ("bw"[side], clocks.other))
        words = [f"{letter}time {_left_ms(clock)}" for letter, clock in sides]
        words += [f"{letter}inc {clock.increment_ms}" for letter, clock in sides]
        if clocks.own.moves_to_go:
            words.append(f"movestogo {clocks.own.moves_to_go}")
        return " ".join(words)


class UcciDialect:
    hello = "ucci"
    welcome = "ucciok"
    new_game = "setoption newgame"

    def set_option(self, name: str, value: str = "") -> str:
        return f"setoption {name} {value}".rstrip()

    def movetime(self, time: int) -> str:
        return f"time {time} movestogo 1"  # UCCI has no movetime; a clock with one move to go means the same

    def go(self, limit: ThinkingLimit, clocks: Clocks | None, side: int) -> str:
        if clocks is None:
            return self.movetime(limit.movetime_ms) if limit.movetime_ms else _size_of_search(limit)
        words = ["time", *self._clock(clocks.own, "")]
        if clocks.other is not None:
            words += ["opptime", *self._clock(clocks.other, "opp")]
        return " ".join(words)

    @staticmethod
    def _clock(clock: Clock, whose: str) -> list[str]:
        # In UCCI a clock has moves to go or an increment, not both.
        if clock.moves_to_go:
            return [str(_left_ms(clock)), f"{whose}movestogo", str(clock.moves_to_go)]
        return [str(_left_ms(clock)), f"{whose}increment", str(clock.increment_ms)]


def _left_ms(clock: Clock) -> int:
    return max(round(clock.left_ms), 1)


def _size_of_search(limit: ThinkingLimit) -> str:
    return f"nodes {limit.nodes}" if limit.nodes else f"depth {limit.depth}"


def position_command(start: str, moves: Sequence[str]) -> str:
    """The `position` command: `start` as the protocol writes it, then the moves."""
    return " ".join([f"position {start}", "moves", *moves]) if moves else f"position {start}"


DIALECTS: dict[str, Dialect] = {"uci": UciDialect(), "ucci": UcciDialect()}
