"""Serve the host at standard input and output until the end of the process."""

from __future__ import annotations

import os
import sys

from search_core.line_protocol import MAX_LINE, open_standard_channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from search_core.line_protocol import LineChannel


def on_standard_channel(speak: Callable[[LineChannel], int], longest_line: int = MAX_LINE) -> int:
    """Call `speak` to serve the host at stdin and stdout, then end the process with its exit status.

    Returns 2 if one of them is closed. `longest_line`: in bytes.
    """
    if sys.platform == "win32":
        from search_core.host_watch import leave_with_host

        leave_with_host()
    try:
        channel = open_standard_channel(longest_line)
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
    # All has been sent and closed. A normal exit of the interpreter would take another 20 ms.
    sys.stderr.flush()
    os._exit(status)
