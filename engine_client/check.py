"""A check of `sanqi doctor`, and the engine under test."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO

from engine_client.dialogue import Dialogue, Transcript, quoted

HANDSHAKE_S = 5.0
"""For the answer to a greeting; an engine that is slower does not speak the protocol."""
READY_S = 10.0
"""For `readyok` and similar answers: the engine may load heavy data first."""
MARGIN_S = 2.0
"""Extra time to wait for an answer, beyond the engine's own limit, unless the host is known to be stricter."""
OVERRUN_S = 1.0
"""An answer may exceed the engine's limit by this."""
LEAVE_S = 2.0
"""For a program to end on request, unless the host is known to be stricter."""

FIX_ENDED = "find out why it ends there: --log FILE keeps the dialogue, and `sanqi replay FILE` repeats it"


class CheckFailed(Exception):
    """What the engine got wrong, in one line that quotes it. `fix`: how to fix it; '': as the check says."""

    def __init__(self, cause: str, fix: str = "") -> None:
        super().__init__(cause)
        self.fix = fix


class Overrun(CheckFailed):
    """The engine answered or ended too late. The check is repeated before this counts: the machine may have been
    busy."""


class NotSpoken(Exception):
    """The engine does not know a feature that the host uses; the message says how this shows."""


class NotTried(Exception):
    """The check cannot be made here; the message says why."""


@dataclass
class EngineUnderTest:
    """The engine that is checked."""

    command: Sequence[str]
    settings: Sequence[tuple[str, str]] = ()
    """Names and values of the options that the user wants set in all checks."""
    log: IO[bytes] | None = None
    """The file that gets each dialogue when it is over."""
    remarks: list[str] = field(default_factory=list)
    """Findings of the current check that are not faults."""
    title: str = ""
    """The current check."""

    def start(self, line_end: str = "\n") -> Dialogue:
        """Start the engine; the host ends its lines with `line_end`."""
        return Dialogue(self.command, self.transcript(), line_end)

    def transcript(self) -> Transcript:
        """A new transcript, for one start of the engine."""
        return Transcript(self.title, self.log)

    def remark(self, text: str) -> None:
        """Tell the user of something that is no fault but could be better."""
        if text not in self.remarks:
            self.remarks.append(text)


@dataclass(frozen=True)
class CheckedProtocol:
    """A protocol that a host speaks."""

    title: str
    greeting: str
    """What the host says first, one command a line."""
    recognised: re.Pattern[str]
    """Lines that show that an engine speaks the protocol, even if its answer to the greeting is not complete."""


@dataclass(frozen=True)
class Check:
    """A test of the engine against one habit of a host."""

    host: str
    name: str
    protocols: tuple[CheckedProtocol, ...]
    """The protocols that the host speaks; the check uses the first of them that the engine speaks."""
    run: Callable[[EngineUnderTest, CheckedProtocol], None]
    """Runs the check in a protocol. Raises CheckFailed, NotSpoken, NotTried, EngineSilent or EngineDied."""
    fix: str
    """How to fix the engine, in one line."""


def check_ascii(dialogue: Dialogue, fix: str) -> None:
    """Raise CheckFailed if the program has printed a line that is not ASCII."""
    for heard in dialogue.heard:
        if not heard.text.isascii():
            raise CheckFailed(f"{quoted(heard.text)} is not ASCII", fix)


def take_leave(dialogue: Dialogue, word: str, patience_s: float) -> None:
    """Send the program the command `word` that ends it; '': close its input.

    Raises Overrun if it still runs after `patience_s`, CheckFailed if it leaves a process behind.
    """
    if word:
        dialogue.send(word)
    else:
        dialogue.close_input()
    await_end(dialogue, word or "the end of its input", patience_s)


def await_end(dialogue: Dialogue, ending: str, patience_s: float) -> None:
    """Wait until the program has ended; `ending` names what ends it.

    Raises Overrun if it still runs after `patience_s`, CheckFailed if it leaves a process behind.
    """
    try:
        dialogue.process.wait(patience_s)
    except subprocess.TimeoutExpired:
        raise Overrun(
            f"runs on {patience_s:g} s after {ending}", f"end at {ending} at once, in the middle of a search too"
        ) from None
    if dialogue.left_behind():
        raise CheckFailed(
            f"has ended at {ending}, but a process that it started runs on",
            "end the children too, or ship one process",
        )
