"""What a check of `sanqi doctor` is, and the engine that it is made on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO

from engine_doctor.dialogue import Dialogue, Silent, Transcript, quoted

HANDSHAKE_S = 5.0
"""An engine that has not answered a greeting by now does not speak the protocol."""
READY_S = 10.0
"""For `readyok` and the like: what is heavy may be loaded before it."""
MARGIN_S = 2.0
"""What is waited for an answer beyond the time that the engine was given, unless the host is known to be stricter."""
OVERRUN_S = 1.0
"""What an answer may take longer than the engine was given."""
LEAVE_S = 2.0
"""For a program that was told to end, unless the host is known to be stricter."""

MEND_ENDED = "find out why it ends there: --log FILE keeps the dialogue, and `sanqi replay FILE` repeats it"


class CheckFailed(Exception):
    """What the engine got wrong, in one line that quotes it. `mend`: how to mend it, if not as the check says."""

    def __init__(self, cause: str, mend: str = "") -> None:
        super().__init__(cause)
        self.mend = mend


class Overrun(CheckFailed):
    """An answer or an end that came too late. The check is made again before it counts: the machine may have been
    busy."""


class NotSpoken(Exception):
    """The engine has not learnt what the host wants to speak; the message says how that shows."""


class NotTried(Exception):
    """The check cannot be made here; the message says why."""


@dataclass
class EngineUnderTest:
    """The engine that is examined."""

    command: Sequence[str]
    settings: Sequence[tuple[str, str]] = ()
    """Names and values of the options that the user wants set in all checks."""
    log: IO[bytes] | None = None
    """Where the dialogues go, each when it is over."""
    remarks: list[str] = field(default_factory=list)
    """What the check that goes on has found that is no fault."""
    title: str = ""
    """Which check goes on."""

    def start(self, line_end: str = "\n") -> Dialogue:
        """Start the engine, with a host that ends its lines so."""
        return Dialogue(self.command, self.transcript(), line_end)

    def transcript(self) -> Transcript:
        """For one more start of the engine."""
        return Transcript(self.title, self.log)

    def remark(self, text: str) -> None:
        """Tell the user what costs nothing but had better be otherwise."""
        if text not in self.remarks:
            self.remarks.append(text)


@dataclass(frozen=True)
class Check:
    """One habit of a host, tried on the engine."""

    host: str
    name: str
    protocols: tuple[str, ...]
    """Those that the host would speak; the check is made in the first that the engine speaks."""
    run: Callable[[EngineUnderTest, str], None]
    """Makes the check in this protocol. Raises CheckFailed, NotSpoken, NotTried, or the dialogue's Silent or Ended."""
    mend: str
    """How to mend what it finds, in one line."""


def check_ascii(dialogue: Dialogue, mend: str) -> None:
    """Raise CheckFailed if a line of the program's is not ASCII."""
    for heard in dialogue.heard:
        if not heard.text.isascii():
            raise CheckFailed(f"{quoted(heard.text)} is not ASCII", mend)


def take_leave(dialogue: Dialogue, word: str, patience_s: float) -> None:
    """Tell the program to end; without a word its input ends.

    Raises Overrun if it goes on after `patience_s`, CheckFailed if it leaves a process behind.
    """
    if word:
        dialogue.send(word)
    else:
        dialogue.close_input()
    ending = word or "the end of its input"
    try:
        dialogue.wait_end(patience_s)
    except Silent:
        raise Overrun(
            f"runs on {patience_s:g} s after {ending}", f"end at {ending} at once, in the middle of a search too"
        ) from None
    if dialogue.left_behind():
        raise CheckFailed(
            f"has ended at {ending}, but a process that it started runs on",
            "end the children too, or ship one process",
        )
