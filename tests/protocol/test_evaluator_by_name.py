"""Each search is evaluated by the evaluator that the settings name; a style that it does not know is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gomoku_protocol import evaluation as gomoku_evaluation
from gomoku_protocol import evaluators as gomoku_evaluators
from gomoku_protocol.gomocup import GomocupProtocol
from ucci_engine import evaluation as xiangqi_evaluation
from ucci_engine import evaluators as xiangqi_evaluators
from ucci_engine.net import NetEvaluator
from ucci_engine.ucci import UcciProtocol
from ucci_engine.uci import UciProtocol

if TYPE_CHECKING:
    from tests.protocol.conftest import CappedMaker


class PlainXiangqi(xiangqi_evaluation.HandCraftedEvaluator):
    """Has no styles."""

    def set_style(self, style: str, side: int) -> bool:
        return False


class PlainGomoku(gomoku_evaluation.HandCraftedEvaluator):
    """Has no styles."""

    def set_style(self, style: str, side: int) -> bool:
        return False


def test_xiangqi(capped: CappedMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(xiangqi_evaluators.EVALUATORS, "plain", f"{__name__}:PlainXiangqi")
    host = capped(UcciProtocol)
    host.send("ucci", "position startpos", "setoption style risky", "go depth 1")
    assert not [line for line in host.until("bestmove *") if "style risky" in line]
    adapter = host.adapter
    assert isinstance(adapter, UcciProtocol)
    adapter.settings.evaluator = "plain"
    host.send("go depth 1")
    lines = host.until("bestmove *")
    assert "info message the evaluator plain has no style risky, playing with hand-made" in lines
    assert not isinstance(adapter.game.position.evaluator, PlainXiangqi)
    host.send("setoption style normal", "go depth 1")
    assert not [line for line in host.until("bestmove *") if "style" in line]
    assert isinstance(adapter.game.position.evaluator, PlainXiangqi)


@pytest.mark.parametrize(
    ("protocol", "greeting", "option", "notice"),
    [
        (UciProtocol, "uci", "setoption name EvalFile value {}", "info string "),
        (UcciProtocol, "ucci", "setoption evalfile {}", "info message "),
    ],
)
def test_a_net_is_read_at_isready(
    protocol: type[UciProtocol | UcciProtocol], greeting: str, option: str, notice: str, capped: CappedMaker
) -> None:
    host = capped(protocol)
    host.send(greeting, option.format("no\0ne.net"), "isready")
    assert [
        line for line in host.until("readyok") if line.startswith(notice) and "playing with the built-in net" in line
    ]
    host.send(option.format("net"), "isready")
    assert not [line for line in host.until("readyok") if line.startswith(notice)]
    host.send("position startpos", "go depth 1")
    host.until("bestmove *")
    adapter = host.adapter
    assert isinstance(adapter, (UciProtocol, UcciProtocol))
    assert isinstance(adapter.game.position.evaluator, NetEvaluator)
    host.send(option.format("hand-made"), "go depth 1")
    host.until("bestmove *")
    assert isinstance(adapter.game.position.evaluator, xiangqi_evaluation.HandCraftedEvaluator)


def test_gomoku(capped: CappedMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(gomoku_evaluators.EVALUATORS, "plain", f"{__name__}:PlainGomoku")
    host = capped(GomocupProtocol)
    host.send("START 15", "INFO style aggressive", "TURN 7,7")
    assert not [line for line in host.until("*,*") if "style" in line]
    adapter = host.adapter
    assert isinstance(adapter, GomocupProtocol)
    adapter.settings.evaluator = "plain"
    host.send("TURN 0,0")
    lines = host.until("#,#")
    assert "MESSAGE the evaluator plain has no style aggressive, playing without" in lines
    host.send("INFO style steady", "TURN 0,14")
    assert not [line for line in host.until("*#,#") if "style" in line]
