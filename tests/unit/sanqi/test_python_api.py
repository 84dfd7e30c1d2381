"""The examples of the page on the Python API, and what it says besides."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import sanqi
from search_core.engine import Engine, Limits, mate_in_plies
from search_core.game import MATE, RULED_SCORE
from search_core.score import Score
from search_core.version import __version__
from ucci_engine.points import parse_move
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


def test_the_names_of_sanqi_are_those_of_its_stub() -> None:
    stub = Path(sanqi.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    named = set(re.findall(r"\bas (\w+)", stub)) | {"GomokuPosition", "XiangqiPosition"}
    assert set(sanqi.__all__) == named
    assert all(getattr(sanqi, name) is not None for name in named)
    assert named <= set(dir(sanqi))
    with pytest.raises(AttributeError, match="has no attribute 'Nobody'"):
        _ = sanqi.Nobody  # type: ignore[attr-defined]


BEFORE_UCCIOK = """
import sys
from search_core.line_protocol import LineChannel
send = LineChannel.send
def spy(channel, line):
    if line == "ucciok":
        native = (".so", ".pyd")
        files = {name: str(getattr(module, "__file__", "")) for name, module in sys.modules.items()}
        ours = ("search_core", "ucci_engine", "gomoku_protocol", "junqi_protocol")
        print(*(name for name, file in files.items() if file.endswith(native) and name.startswith(ours)),
              file=sys.stderr, flush=True)
    send(channel, line)
LineChannel.send = spy
from sanqi.__main__ import main
main()
"""


def test_serving_ucci_loads_nothing_native_before_ucciok(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", BEFORE_UCCIOK], input="ucci\nquit\n", capture_output=True, text=True, cwd=tmp_path,
        timeout=60,
    )  # fmt: skip
    assert "ucciok" in run.stdout
    assert run.stderr == "\n"  # the spy has looked, and found nothing


def test_what_a_person_reads() -> None:
    position = sanqi.XiangqiPosition()
    position.push("炮二平五")
    assert repr(position).startswith("<Xiangqi position rnbakabnr/9/") and position.fen() in repr(position)
    assert "2  . C . . C . . . ." in str(position) and position._repr_svg_().startswith("<svg ")
    assert repr(position.legal_moves()[0])[:6] == "<Move " and f"{parse_move('h9g7')}" == "h9g7"
    board = sanqi.GomokuPosition()
    board.push("7,7")
    assert repr(board) == "<Gomoku position 15x15 freestyle, White to move, moves: 7,7>"
    assert " 7 . . . . . . . X ." in str(board) and board._repr_svg_().startswith("<svg ")
    assert [str(move) for move in board.moves] == ["7,7"]


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (35, "+35 cp"), (-35, "-35 cp"), (0, "+0 cp"), (MATE - 5, "win in 5 plies"), (4 - MATE, "loss in 4 plies"),
        (RULED_SCORE - 12, "win by repetition in 12 plies"), (12 - RULED_SCORE, "loss by repetition in 12 plies"),
    ],
)  # fmt: skip
def test_scores_say_what_they_mean(score: int, text: str) -> None:
    assert repr(Score(score)) == text
    assert f"{Score(score)}" == str(Score(score)) == str(score)


def test_text_that_is_no_move_changes_nothing() -> None:
    position, board = sanqi.XiangqiPosition(), sanqi.GomokuPosition()
    for wrong in ("e2e9", "炮五平五", "", "h2e2 h9g7"):
        with pytest.raises(ValueError):
            position.push(wrong)
    for wrong in ("15,0", "-1,3", "h", "99999,99999", "0,31"):
        with pytest.raises(ValueError):
            board.push(wrong)
    assert (position.plies, board.moves) == (0, [])


@pytest.mark.parametrize("position", [sanqi.XiangqiPosition(), sanqi.GomokuPosition()], ids=["xiangqi", "gomoku"])
def test_a_search_is_an_iterator(position: sanqi.XiangqiPosition | sanqi.GomokuPosition) -> None:
    threads = threading.active_count()
    position = position.copy()
    position.push(position.legal_moves()[0])
    infos = list(position.analyse(depth=5))
    assert [info.depth for info in infos][-1] == 5
    assert all(str(move) in repr(infos[-1].pv) for move in infos[-1].pv)
    lines = {info.multipv for info in position.analyse(depth=3, multipv=2, hash_mb=1)}
    assert lines == {1, 2}
    only = position.legal_moves()[3]
    assert {info.pv[0] for info in position.analyse(depth=2, root_moves=[only])} == {only}
    for _ in position.analyse():
        break  # ends the search
    gc.collect()
    assert threading.active_count() == threads


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
