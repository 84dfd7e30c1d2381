"""The examples of the page on the Python API, and what it says besides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sanqi
from search_core.engine import Engine, Limits, mate_in_plies
from search_core.version import __version__
from ucci_engine.position import Position

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python-api.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_of_the_page(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(example, str(PAGE), "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert printed
    # The comment after each print() is what it prints.
    assert ("h2e2 炮二平五\n" in printed) == ("# h2e2 炮二平五" in example)
    assert ("True\n" in printed) == ("# True" in example)


def test_version() -> None:
    assert sanqi.__version__ == __version__


def test_a_search_leaves_the_position_as_it_was_and_knows_a_mate() -> None:
    position = Position("4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1")
    with Engine() as engine:
        result = engine.search(position, Limits(depth=4))
        assert position.plies == 0
        assert result.lines[0].pv[0] == result.best
        assert mate_in_plies(result.score) == 1
        assert engine.search(Position("3rkr3/9/9/9/9/9/9/9/4p4/3K5 w - - 0 1"), Limits(depth=2)).best is None
