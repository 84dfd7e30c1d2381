"""The page names each move of Junqi with what came of it, as far as all seats are told: the words of the terminal."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from junqi_protocol.description import JUNQI
from junqi_protocol.records.display import happening_text
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.session import JunqiSession

pytest.importorskip("websockets", reason="needs websockets")

from web_board.games import PageGame, SeatChoice, open_new
from web_board.hosted_table import HostedTable
from web_board.roles import OWNER, WATCHER, Role
from web_board.table_log import entries_of, new_log

GUEST_SEATS = (0, 1)
ROLES = (OWNER, WATCHER, *(Role("seat", seat) for seat in GUEST_SEATS))


def session_of(lineups: list[str]) -> JunqiSession:
    return JunqiSession("duel", lineups=dict(enumerate(lineups)))


def attacking_moves(lineups: list[str], chance: random.Random) -> list[str]:
    """Moves by chance, every other one a clash if there is one, until a flag is shown."""
    session = session_of(lineups)
    while session.verdict() is None and not any(getattr(each, "flags", ()) for each in session.arbiter.happenings):
        moves, pieces = session.legal_moves()[:-2] or ["pass"], session.view()["pieces"]
        clashes = [move for move in moves if move[2:] in pieces]
        session.play(chance.choice(clashes if clashes and session.ply % 4 < 2 else moves))
    return session.view()["moves"]  # type: ignore[no-any-return]


def table_of(lineups: list[str], log: Any) -> HostedTable:
    game = PageGame(JUNQI)
    opened = open_new(game, {"variant": "duel"}, 1)._replace(session=session_of(lineups))
    seats = [SeatChoice({"player": "guest"}, ()) for _ in GUEST_SEATS]
    return HostedTable(game, opened, seats, "table", log, lambda message: None, lambda message: None)


def names(table: HostedTable, role: Role = OWNER) -> list[str]:
    return [move["names"]["squares"] for move in table.state(role)["moves"]]


def test_a_move_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pages see it, and however often."""
    from junqi_protocol.referee import page_board

    named: list[object] = []

    def name(variant: Any, happening: Any) -> str:
        named.append(happening)
        return happening_text(variant, happening)

    monkeypatch.setattr(page_board, "happening_text", name)
    lineups = [random_lineup(random.Random(seed)) for seed in GUEST_SEATS]
    table = table_of(lineups, None)
    table.start(lambda: None)
    for ply in range(4):
        table.act({"type": "move", "ply": ply, "text": "pass"}, Role("seat", ply % 2))
        assert all(len(names(table, role)) == ply + 1 for role in ROLES)
    session = table.table.session
    assert isinstance(session, JunqiSession)
    assert named == session.arbiter.happenings
    table.close()


def test_the_moves_say_how_clashes_ended(tmp_path: Path) -> None:
    """For every role, after undo, and when the table is restored from its log."""
    chance = random.Random(1)
    lineups = [random_lineup(chance) for _ in GUEST_SEATS]
    moves = attacking_moves(lineups, chance)
    log = new_log(tmp_path, {})
    table = table_of(lineups, log)
    table.start(lambda: None)
    for move in [*moves, "pass"]:
        table.act({"type": "move", "ply": table.ply, "text": move}, Role("seat", table.ply % 2))
    session = table.table.session
    assert isinstance(session, JunqiSession)
    arbiter = session.arbiter
    said = names(table)
    assert said == [happening_text(arbiter.variant, happening) for happening in arbiter.happenings]
    assert any(" " not in text for text in said)
    for end in (" takes", " dies", " both die", "flag is on", "does not move (pass, 1)"):
        assert any(end in text for text in said), end
    assert all(names(table, role) == said for role in ROLES)
    table.table.undo(len(moves) % 2)
    table.close()
    assert names(table) == said[:-1]
    again = table_of(lineups, None)
    [path] = tmp_path.iterdir()
    again.restore(entries_of(path.read_bytes())[1:])
    assert names(again) == said[:-1]
    again.close()
