"""An engine that fails at a table of the page."""

from __future__ import annotations

from typing import Any

import pytest

from game_core.chooser import OwnEngineChooser
from search_core.thinker import Limits
from tests.unit.game_core.test_table import Broken
from ucci_engine.description import XIANGQI
from web_board.games import PageGame, open_new
from web_board.hosted_table import HostedTable
from web_board.roles import OWNER


@pytest.mark.parametrize("way", ["begins", "thinks", "finds nothing"])
def test_the_page_says_why_and_thinks_no_longer(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = PageGame(XIANGQI)
    opened = open_new(game, {}, 1)
    monkeypatch.setattr(opened.display, "chooser", lambda *args: OwnEngineChooser(lambda seed: Broken(way), Limits()))
    sent: list[dict[str, Any]] = []
    seats = game.seats(opened, [{"player": "person"}, {"player": "sanqi", "level": "full"}])
    hosted = HostedTable(game, opened, seats, "t", None, sent.append, lambda message: sent.append(message(OWNER)))
    hosted.start(lambda: None)

    def act(kind: str, **fields: Any) -> dict[str, Any]:
        """Do something, let the engine fail, and return the last state."""
        hosted.act({"type": kind, "ply": hosted.ply, **fields}, OWNER)
        assert hosted.table.wait(20)
        return sent[-1]

    state = act("hint")
    assert [message["reason"] for message in sent if message["type"] == "error"] != [] and not state["thinking"]
    state = act("move", text="h2e2")
    assert "Black has lost: " in state["verdict"]["text"] and not state["thinking"]
    assert "undo" in state["can"]
    hosted.close()
