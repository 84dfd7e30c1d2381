"""What a running program writes is read line by line."""

from __future__ import annotations

import sys

from engine_client.process import MAX_LINE, EngineProcess
from search_core.clock import now_s

LONG = f"print('readyok ' + {3 * MAX_LINE} * 'a' + 'TAIL', flush=True); input()"


def test_of_a_line_that_is_too_long_only_the_beginning_is_passed_on() -> None:
    process = EngineProcess([sys.executable, "-c", LONG])
    try:
        line = process.receive(now_s() + 60)
    finally:
        process.close()
    assert line.text == "readyok".ljust(8) + (MAX_LINE - 8) * "a"
