"""The Junqi player: what a level gets, and what happens when a level fails. See also test_thinker.py."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.player import CHOOSERS, JunqiPlayer
from junqi_protocol.protocols.setting_up import parse_position
from junqi_protocol.rules.geometry import parse_move
from junqi_protocol.rules.lineup import parse
from search_core.thinker import Limits, Result
from search_core.thinking_thread import MoveSignals

LINEUP = parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")
PATIENCE_S = 30


@pytest.fixture
def player() -> Iterator[JunqiPlayer]:
    made = JunqiPlayer("path", random.Random(1))
    yield made
    made.close()


@pytest.fixture
def view() -> PlayerView:
    return PlayerView("duel", (0,), {0: LINEUP})


def patient(view: PlayerView, limits: Limits, chance: random.Random, signals: MoveSignals) -> int:
    """A level that takes all its time."""
    while not signals.is_due():
        pass
    return view.position.legal_moves()[0]


def failing(view: PlayerView, limits: Limits, chance: random.Random, signals: MoveSignals) -> int:
    raise ValueError("no idea")


def result_of(player: JunqiPlayer, view: PlayerView, limits: Limits) -> Result:
    results: SimpleQueue[Result] = SimpleQueue()
    player.go(view, limits, on_result=results.put)
    return results.get(timeout=PATIENCE_S)


def test_a_level_obeys_the_clock_and_the_stop(
    player: JunqiPlayer, view: PlayerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHOOSERS, "path", patient)
    assert result_of(player, view, Limits(hard_ms=20)).time_ms >= 20
    results: SimpleQueue[Result] = SimpleQueue()
    for limits in (Limits(), Limits(infinite=True), Limits(ponder=True, hard_ms=1)):
        player.go(view, limits, on_result=results.put)
        player.stop()
        assert results.get(timeout=PATIENCE_S).best is not None
        player.wait()


def test_the_clock_of_a_pondering_level_starts_at_the_ponderhit(
    player: JunqiPlayer, view: PlayerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHOOSERS, "path", patient)
    results: SimpleQueue[Result] = SimpleQueue()
    player.go(view, Limits(ponder=True, hard_ms=1), on_result=results.put)
    assert results.empty()
    player.ponderhit()
    assert results.get(timeout=PATIENCE_S).best is not None


def test_a_level_that_fails_gives_any_legal_move_and_a_line(
    player: JunqiPlayer, view: PlayerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: SimpleQueue[str] = SimpleQueue()
    results: SimpleQueue[Result] = SimpleQueue()
    with monkeypatch.context() as patch:
        patch.setitem(CHOOSERS, "path", failing)
        refused, *others = view.position.legal_moves()
        for _ in range(2):
            player.go(view, Limits(excluded_moves=(refused,)), on_result=results.put, on_message=told.put)
            assert results.get(timeout=PATIENCE_S).best in others
            player.wait()
            assert told.get() == "search failed: ValueError: 'no idea'"
        assert told.empty()


def test_a_failure_without_a_listener_is_not_lost(
    player: JunqiPlayer, view: PlayerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: SimpleQueue[BaseException | None] = SimpleQueue()
    monkeypatch.setattr(threading, "excepthook", lambda failure: failures.put(failure.exc_value))
    monkeypatch.setitem(CHOOSERS, "path", failing)
    assert result_of(player, view, Limits()).best is not None
    assert isinstance(failures.get(timeout=PATIENCE_S), ValueError)


def test_a_position_that_cannot_be_read_gives_a_result_without_a_move(
    player: JunqiPlayer, view: PlayerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PlayerView, "copy", lambda view: None)
    told: SimpleQueue[str] = SimpleQueue()
    results: SimpleQueue[Result] = SimpleQueue()
    player.go(view, Limits(), on_result=results.put, on_message=told.put)
    assert results.get(timeout=PATIENCE_S).best is None
    assert told.get().startswith("search failed: AttributeError")


def test_a_refused_move_of_a_level_is_replaced_by_another(
    player: JunqiPlayer, view: PlayerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = view.position.legal_moves()
    monkeypatch.setitem(CHOOSERS, "path", lambda view, limits, chance, signals: first)
    assert result_of(player, view, Limits()).best == first
    player.wait()
    assert result_of(player, view, Limits(excluded_moves=(first,))).best in others


def test_the_only_move_is_played_without_thinking(
    player: JunqiPlayer, view: PlayerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHOOSERS, "path", failing)
    told: SimpleQueue[str] = SimpleQueue()
    results: SimpleQueue[Result] = SimpleQueue()
    only, *others = view.position.legal_moves()
    player.go(view, Limits(excluded_moves=tuple(others)), on_result=results.put, on_message=told.put)
    assert results.get(timeout=PATIENCE_S).best == only
    assert told.empty()


@pytest.mark.parametrize("quiet_limit", [0, 1])
def test_a_flag_is_taken_without_thinking(
    player: JunqiPlayer, monkeypatch: pytest.MonkeyPatch, quiet_limit: int
) -> None:
    monkeypatch.setitem(CHOOSERS, "path", failing)
    _, view = parse_position(
        ["variant", "duel", "turn", "0", "pieces", "0:b1=F", "0:b11=3", "0:a6=9", "1:b12=F", "1:a7=1"]
    )
    view.quiet_limit = quiet_limit
    told: SimpleQueue[str] = SimpleQueue()
    results: SimpleQueue[Result] = SimpleQueue()
    player.go(view, Limits(), on_result=results.put, on_message=told.put)
    assert results.get(timeout=PATIENCE_S).best == parse_move(view.position.variant, "b11b12")
    assert told.empty()


def test_a_level_stops_if_another_long_step_would_be_too_late(
    view: PlayerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, found = 0.0, []

    def take_steps(level: str, view: PlayerView, chance: random.Random, is_due: Callable[[], bool]) -> int:
        nonlocal now
        for seconds in (0.1, 0.3, 0.25, 0.1):
            now += seconds
            found.append(is_due())
        return view.position.legal_moves()[0]

    limits = Limits(hard_ms=1000)
    signals = MoveSignals(limits)
    monkeypatch.setattr(signals, "is_due", lambda wait_ms: 1000 * now + wait_ms >= limits.hard_ms)
    monkeypatch.setattr("junqi_protocol.players.player.now_s", lambda: now)
    monkeypatch.setattr("junqi_protocol.players.player.choose", take_steps)
    CHOOSERS["expect"](view, limits, random.Random(1), signals)
    assert found == [False, False, False, True]


def test_the_last_quiet_ply_is_left_to_the_other_side(player: JunqiPlayer, view: PlayerView) -> None:
    player.level = "random"
    attacks = {move for move in view.position.legal_moves() if view.position.piece_at(move & 255) is not None}
    assert attacks
    chosen = set()
    for _ in range(30):
        chosen.add(result_of(player, view, Limits()).best)
        player.wait()
    assert not chosen <= attacks
    view.quiet_limit, view.quiet_loses = 1, True
    for _ in range(30):
        assert result_of(player, view, Limits()).best in attacks
        player.wait()


@pytest.mark.parametrize("level", ["search", "greedy"])
def test_the_piece_that_is_worth_least_takes_a_known_flag(level: str) -> None:
    """It can never move again, and seat 3 lives on."""
    text = (
        "variant siguo turn 0 flag 1:q8 flag 3:a10 pieces 0:h1=F 0:p8=9 0:q9=2 0:g6=3 2:j17=F 1:q8=? 1:l7=?* 3:a10=?"
        " 3:f7=?{8}*"
    )
    _, view = parse_position(text.split())
    for seed in range(5):
        found = JunqiPlayer(level, random.Random(seed))
        best = result_of(found, view, Limits(nodes=500)).best
        found.close()
        assert best == parse_move(view.position.variant, "q9q8")
