"""In a debug build, a caller that breaks a limit of the boards or of the search ends with a line that names it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.sanitizer

LOAD = """
import importlib.util
import sys

spec = importlib.util.spec_from_file_location(sys.argv[1], sys.argv[2])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
"""

PASSES = """
from ucci_engine.position import Position

position = Position()
for _ in range(100_000):
    module.make_null(position)
"""

SLOTS = """
from types import SimpleNamespace
from search_core.engine import Engine, Limits

edges = [SimpleNamespace(target=1 + number, noisy=False, legal=True) for number in range(8)]
graph = [SimpleNamespace(owner=0, value=0, checked=False, drawn=False, key=1, edges=edges)] + [
    SimpleNamespace(owner=1, value=9 * node, checked=False, drawn=False, key=2 + node, edges=edges) for node in range(8)
]
engine = Engine()
engine.hash_mb = 1
engine.go(module.Walk(graph, 0, 4), Limits(depth=6))
engine.wait()
"""


def broken(module: ModuleType, program: str) -> str:
    """What a program that breaks a limit leaves on stderr."""
    assert module.__file__ is not None
    run = subprocess.run(
        [sys.executable, "-c", LOAD + program, module.__name__, module.__file__],
        capture_output=True,
        encoding="utf-8",
        cwd=Path(module.__file__).parent,
        timeout=120,
        check=False,
    )
    assert run.returncode != 0
    return run.stderr


def test_a_stack_of_states_that_is_full(probe: ModuleType) -> None:
    assert "sanqi: broken limit: make_null() needs room in the stack of states (" in broken(probe, PASSES)


def test_a_history_slot_out_of_range(toy_game: ModuleType) -> None:
    assert "sanqi: broken limit: history_slot() is below history_slots (" in broken(toy_game, SLOTS)
