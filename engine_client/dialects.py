"""The commands of a host in UCI and in UCCI."""

from __future__ import annotations

from collections.abc import Sequence

from engine_client.time_control import Clock, Clocks, ThinkingLimit


class Dialect:
    """The commands of UCI."""

    hello = "uci"
    welcome = "uciok"
    new_game = "ucinewgame"

    def set_option(self, name: str, value: str = "") -> str:
        """The command that sets an option; a button has no value."""
        return f"setoption name {name} value {value}" if value else f"setoption name {name}"

    def movetime(self, time: int) -> str:
        """The words after `go` that allow so much time, in the engine's unit."""
        return f"movetime {time}"

    def go(self, limit: ThinkingLimit, clocks: Clocks | None, side: int) -> str:
        """The words after `go`."""
        if clocks is not None:
            return " ".join(self._clocks(clocks, side))
        if limit.movetime_ms:
            return self.movetime(limit.movetime_ms)
        return f"nodes {limit.nodes}" if limit.nodes else f"depth {limit.depth}"

    def _clocks(self, clocks: Clocks, side: int) -> list[str]:
        sides = [("wb"[side], clocks.own)]
        if clocks.other is not None:
            sides.insert(1 - side, ("bw"[side], clocks.other))
        words = [f"{letter}time {_left_ms(clock)}" for letter, clock in sides]
        words += [f"{letter}inc {clock.increment_ms}" for letter, clock in sides]
        return words + ([f"movestogo {clocks.own.moves_to_go}"] if clocks.own.moves_to_go else [])


class _UcciDialect(Dialect):
    """The commands of UCCI."""

    hello = "ucci"
    welcome = "ucciok"
    new_game = "setoption newgame"

    def set_option(self, name: str, value: str = "") -> str:
        return f"setoption {name} {value}".rstrip()

    def movetime(self, time: int) -> str:
        return f"time {time} movestogo 1"  # UCCI has no movetime; a clock with one move to go means the same

    def _clocks(self, clocks: Clocks, side: int) -> list[str]:
        words = []
        for whose, clock in (("", clocks.own), ("opp", clocks.other)):
            if clock is not None:  # in UCCI, it has moves to go or an increment, not both
                more = f"movestogo {clock.moves_to_go}" if clock.moves_to_go else f"increment {clock.increment_ms}"
                words.append(f"{whose}time {_left_ms(clock)} {whose}{more}")
        return words


def _left_ms(clock: Clock) -> int:
    return max(round(clock.left_ms), 1)


def position_command(start: str, moves: Sequence[str]) -> str:
    """The `position` command: `start` as the protocol writes it, then the moves."""
    return " ".join([f"position {start}", "moves", *moves]) if moves else f"position {start}"


DIALECTS: dict[str, Dialect] = {"uci": Dialect(), "ucci": _UcciDialect()}
