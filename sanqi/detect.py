"""Which protocol does the host speak? Its first line tells.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

import os
import sys

from search_core.line_protocol import OverlongLine, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from search_core.line_protocol import LineChannel, LineProtocol


def _ucci(channel: LineChannel) -> LineProtocol:
    from ucci_engine.ucci import UcciProtocol

    return UcciProtocol(channel)


def _uci(channel: LineChannel) -> LineProtocol:
    from ucci_engine.uci import UciProtocol

    return UciProtocol(channel)


def _gomocup(channel: LineChannel) -> LineProtocol:
    from gomoku_protocol.gomocup import GomocupProtocol

    return GomocupProtocol(channel, bill_start=True)


def _junqi(channel: LineChannel) -> LineProtocol:
    from junqi_protocol.jlp import JlpProtocol

    return JlpProtocol(channel)


def _contest(channel: LineChannel) -> LineProtocol:
    from junqi_protocol.contest import ContestProtocol

    return ContestProtocol(channel)


PROTOCOLS: dict[str, Callable[[LineChannel], LineProtocol]] = {
    "ucci": _ucci,
    "uci": _uci,
    "gomocup": _gomocup,
    "junqi": _junqi,
    "contest": _contest,
}
"""The adapters by the names of their protocols (`sanqi NAME`). Each is imported only when chosen."""

_GOMOCUP_WORDS = (
    "start",
    "rectstart",
    "restart",
    "begin",
    "turn",
    "board",
    "swap2board",
    "takeback",
    "play",
    "info",
    "about",
)
# The first word a host says, in lower case -> its protocol.
_FIRST_WORDS = {"ucci": "ucci", "uci": "uci", "junqi": "junqi", **dict.fromkeys(_GOMOCUP_WORDS, "gomocup")}
# The one INFO that is not Gomocup's: the Junqi contest's first line, in lower case.
_CONTEST_LINE = ["info", "1.0"]
_YIXIN_PREFIX = "yx"
_BRAIN_PREFIX = "pbrain-"
_LAST_WORDS = ("quit", "exit", "bye", "end")


def protocol_of_program(path: str) -> str | None:
    """The protocol that the program's file name stands for: Gomoku managers want theirs to begin with ``pbrain-``."""
    return "gomocup" if os.path.basename(path).lower().startswith(_BRAIN_PREFIX) else None


def serve(protocol: str | None, preset: tuple[str, ...] = ()) -> int:
    """Speak `protocol`, or the one that the first line belongs to, over stdin and stdout. Returns the exit status.

    `preset`: lines obeyed before the first one of the host.
    """

    def speak(channel: LineChannel) -> int:
        line = None
        chosen = protocol or protocol_of_program(sys.argv[0])
        if chosen is None:
            if sys.stdin.isatty():
                sys.stderr.write(
                    "sanqi waits for a GUI. Type 'ucci', 'uci', 'START 15' or 'junqi 1'; 'quit' ends;"
                    " see also `sanqi --help`.\n"
                )
            found = detect(channel)
            if found is None:
                return 0
            chosen, line = found
        adapter = PROTOCOLS[chosen](channel)
        for setting in preset:
            adapter.command(setting)
        return adapter.run(first_line=line)

    return on_standard_channel(speak)


def on_standard_channel(speak: Callable[[LineChannel], int]) -> int:
    """Have `speak` serve the host at stdin and stdout, and end the process with its exit status.

    Returns 2 if one of them is closed.
    """
    from search_core.line_protocol import open_standard_channel

    if sys.platform == "win32":
        from search_core.host_watch import leave_with_host

        leave_with_host()
    try:
        channel = open_standard_channel()
    except OSError as error:
        sys.stderr.write(f"sanqi: standard input and output must be open: {error.strerror}\n")
        return 2
    try:
        status = speak(channel)
    except (KeyboardInterrupt, ConnectionError):  # before the adapter has taken over signals and output
        status = 0
    except OSError as error:
        sys.stderr.write(f"sanqi: standard output: {error.strerror}\n")
        status = 2
    # All has been said and closed. Taking the interpreter apart would keep the host waiting for another 20 ms.
    sys.stderr.flush()
    os._exit(status)


def detect(channel: LineChannel) -> tuple[str, str] | None:
    """Wait for a first line that names a protocol; returns both. None: the input ended or someone said `quit`.

    Any other line gets one line of explanation.
    """
    while True:
        line = channel.receive()
        if line is None:
            return None
        if not line or line.startswith("#"):
            continue
        if isinstance(line, OverlongLine):
            channel.send(f"error: {line.fault}; still waiting")
            continue
        words = line.lower().split()
        word = words[0]
        if word in _LAST_WORDS:
            return None
        if words == _CONTEST_LINE:
            return "contest", line
        if word in _FIRST_WORDS:
            return _FIRST_WORDS[word], line
        if word.startswith(_YIXIN_PREFIX):
            return "gomocup", line
        channel.send(
            f"error: {excerpt(line)} begins no known protocol, expected 'ucci', 'uci', 'START n' or 'junqi 1';"
            " still waiting"
        )
