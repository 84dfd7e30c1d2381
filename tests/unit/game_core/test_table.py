"""The table: a game in progress without input and output, and an engine that thinks meanwhile."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from game_core.chooser import Choice, Chooser, OwnEngineChooser
from game_core.game_clocks import read_time_control
from game_core.session import FIRST_WINS, SECOND_WINS, SeatedSession, Session
from game_core.table import (
    Changed,
    Ended,
    Event,
    Failed,
    Hinted,
    Moved,
    Refused,
    Said,
    Table,
    Thinking,
)
from gomoku_protocol.session import GomokuSession
from junqi_protocol.session import JunqiChooser, JunqiSession
from search_core.engine import Engine
from search_core.levels import FULL, Level
from search_core.thinker import Limits, Result
from search_core.thinking_thread import MoveSignals, OnInfo, OnMessage, Think, ThinkingThread
from search_core.time_budget import Clock
from ucci_engine.levels import LEVELS
from ucci_engine.session import XiangqiSession

TIMEOUT_S = 60
MATE_IN_ONE = "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"


class Slow(Chooser):
    """A Chooser that finds its moves when the test says so, or when it is stopped."""

    has_chance = False

    def __init__(self, name: str, moves: list[str]) -> None:
        self.name = name
        self.moves = moves
        self.asked: list[int] = []
        self.stops = self.games = 0
        self._deliver: Callable[[Choice], None] | None = None

    def go(self, session: Session, seed: int, on_choice: Callable[[Choice], None], clock: Clock | None = None) -> None:
        assert self._deliver is None, "it is asked while it thinks"
        self.asked.append(session.ply)
        self._deliver = on_choice

    def find(self) -> None:
        """Give the next move, from another thread."""
        thread = threading.Thread(target=self._give)
        thread.start()
        thread.join(TIMEOUT_S)

    def stop(self) -> None:
        self.stops += 1
        if self._deliver is not None:
            self._give()

    def new_game(self) -> None:
        self.games += 1

    def close(self) -> None:
        self.stop()

    def _give(self) -> None:
        deliver, self._deliver = self._deliver, None
        assert deliver is not None
        deliver(Choice(self.moves.pop(0), 25))


class Game:
    """A table of Xiangqi with Slow engines, and its events."""

    def __init__(self, session: Session, person: int, *moves: str) -> None:
        self.moves = list(moves)
        self.made: list[Slow] = []
        self.events: list[Event] = []
        self.table = Table(session, (person,), ["7"] * len(session.sides), self.make)
        self.table.on_event = self.events.append
        self.table.start()

    def make(self, level: str) -> Chooser:
        self.made.append(Slow(level, self.moves))
        return self.made[-1]

    @property
    def engine(self) -> Slow:
        return self.made[0]

    def find(self) -> None:
        """Let the engine find its move, and take it over."""
        self.engine.find()
        assert self.table.wait(TIMEOUT_S)

    def told(self) -> list[Event]:
        """The events since the last call."""
        told, self.events[:] = list(self.events), []
        return told


@pytest.fixture
def game() -> Game:
    """A person has Red."""
    return Game(XiangqiSession(), 0, "h9g7", "i9i8", "b9c7")


def test_moves_of_a_person_and_the_engine_in_turn(game: Game) -> None:
    table = game.table
    assert table.is_persons_turn and not table.is_thinking
    table.move("炮二平五")
    moved, thinking = game.told()
    assert isinstance(moved, Moved) and moved[:2] == (0, "h2e2") and moved.score is None
    assert moved.names == {"chinese": "炮二平五", "ucci": "h2e2"}
    assert thinking == Thinking(1) and table.is_thinking
    assert not table.wait(0)
    game.find()
    [moved] = game.told()
    assert isinstance(moved, Moved) and (moved.seat, moved.move, moved.score) == (1, "h9g7", 25)
    assert table.is_persons_turn and table.session.ply == 2
    assert all(isinstance(ms, int) for ms in table.times) and len(table.times) == 2


def test_the_engine_begins_when_it_is_first(game: Game) -> None:
    game = Game(XiangqiSession(), 1, "h2e2")
    assert game.told() == [Thinking(0)]
    game.find()
    assert game.table.is_persons_turn


def test_undo_while_the_engine_thinks_drops_its_late_move(game: Game) -> None:
    table = game.table
    table.move("h2e2")
    game.told()
    table.undo(0)  # Slow gives its move when it is stopped, as engines do
    assert game.engine.stops == 1
    assert game.told() == [Changed()]
    assert (table.session.ply, table.is_thinking, table.is_persons_turn, table.times) == (0, False, True, [])
    table.move("b2e2")  # the engine thinks again before the late move is looked at
    assert table.wait(0) and table.session.ply == 1, "the late h9g7 was played"
    game.find()
    assert table.session.view()["moves"] == ["b2e2", "i9i8"]


def test_undo_takes_back_the_answer_too(game: Game) -> None:
    table = game.table
    table.undo(0)
    assert game.told() == [Refused("there is no move of yours to take back")]
    table.move("h2e2")
    game.find()
    table.undo(0)
    assert table.session.ply == 0 and table.times == []


def test_a_person_who_is_second_keeps_the_first_move() -> None:
    game = Game(XiangqiSession(), 1, "h2e2", "h0g2")
    game.find()
    game.told()
    game.table.undo(1)
    assert game.told() == [Refused("there is no move of yours to take back")]
    game.table.move("h9g7")
    game.find()
    game.table.undo(1)
    assert game.table.session.view()["moves"] == ["h2e2"] and game.table.is_persons_turn


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("h2h8", "'h2h8' is not legal here: the piece on h7 stands in the way"),
        ("b0d1", "'b0d1' is not legal here: the piece on c0 blocks the leg of the horse"),
        ("h9g7", "'h9g7' is not legal here: the piece on h9 is not yours"),
    ],
)
def test_a_refused_move_has_its_reason(text: str, reason: str, game: Game) -> None:
    game.table.move(text)
    assert game.told() == [Refused(reason)]
    assert game.table.session.ply == 0


def test_what_is_no_move_and_who_is_not_on_turn(game: Game) -> None:
    table = game.table
    table.move("frobnicate")
    [refused] = game.told()
    assert isinstance(refused, Refused) and refused.is_unknown
    table.move("h2e2")
    game.told()
    acts: list[Callable[[], None]] = [lambda: table.move("b2e2"), table.hint, table.draw]
    for act in acts:
        act()
        [refused] = game.told()
        assert isinstance(refused, Refused) and not refused.is_unknown
    assert table.session.ply == 1 and table.is_thinking


def test_a_hint_is_found_at_full_strength_and_changes_nothing(game: Game) -> None:
    table = game.table
    game.moves[:] = ["h2e2"]
    table.hint()
    hinter = game.made[1]
    assert hinter.name == FULL and table.is_thinking and table.is_persons_turn
    hinter.find()
    assert table.wait(TIMEOUT_S)
    assert game.told() == [Hinted("h2e2", {"chinese": "炮二平五", "ucci": "h2e2"})]
    assert table.session.ply == 0
    game.moves[:] = ["h2e2", "h9g7"]
    table.hint()
    table.move("b2e2")  # who does not wait for the hint
    assert hinter.stops == 2 and table.wait(0)
    game.find()
    assert not any(isinstance(event, Hinted) for event in game.told())
    assert table.session.view()["moves"] == ["b2e2", "h9g7"]


def test_who_gives_up_has_lost_until_it_is_taken_back(game: Game) -> None:
    table = game.table
    table.move("h2e2")
    game.told()
    table.resign(0)
    verdict = table.verdict
    assert verdict is not None and verdict.result == SECOND_WINS and not table.is_thinking
    assert game.told() == [Changed(), Ended(verdict)]
    assert table.view(0)["verdict"] == [SECOND_WINS, "Red resigned"]
    table.resign(0)
    table.move("b2e2")
    assert game.told() == [Refused("the game is over")] * 2
    table.undo(0)
    assert game.told() == [Changed(), Thinking(1)]
    assert table.verdict is None and table.session.ply == 1


def test_the_end_of_a_game() -> None:
    game = Game(XiangqiSession(MATE_IN_ONE), 0)
    game.table.move("b0b9")
    moved, ended = game.told()
    assert isinstance(moved, Moved) and isinstance(ended, Ended) and ended.verdict.result == FIRST_WINS
    assert game.engine.asked == []
    assert game.table.view()["mated"] == "e9"


def test_a_new_game(game: Game) -> None:
    table = game.table
    table.move("h2e2")
    game.told()
    table.new()
    assert game.told() == [Changed()]
    assert (table.session.ply, table.seed, game.engine.games, table.is_thinking) == (0, 2, 1, False)


def test_a_level_changes_during_a_search(game: Game) -> None:
    table = game.table
    assert table.levels == {1: "7"}
    table.move("h2e2")
    game.told()
    table.set_level("3")
    assert game.told() == [Thinking(1)] and table.levels == {1: "3"}
    game.made[1].find()
    assert table.wait(0) and table.session.ply == 1, "the move of the old level was played"
    assert table.wait(TIMEOUT_S) and table.session.ply == 2
    assert game.engine.asked == [1] and game.made[1].asked == [1]


def test_a_level_that_changes_drops_a_hint(game: Game) -> None:
    game.table.hint()
    game.table.set_level("3")
    assert not game.table.is_thinking and game.table.wait(0)
    assert game.told() == []


def test_the_view_is_data(game: Game) -> None:
    game.table.move("h2e2")
    view = json.loads(json.dumps(game.table.view(1)))
    assert view["thinking"] and view["levels"] == {"1": "7"} and len(view["times"]) == 1
    assert view["moves"] == ["h2e2"] and view["verdict"] is None


def test_a_face_is_called_when_there_is_something_to_take_over(game: Game) -> None:
    calls: list[str] = []
    game.table.on_ready = lambda: calls.append(threading.current_thread().name)
    game.table.move("h2e2")
    assert not calls
    game.find()
    assert len(calls) == 1 and calls[0] != threading.current_thread().name


def searching(engine: Engine, level: Level | None, ms: int) -> Callable[[str], Chooser]:
    limits = Limits(hard_ms=ms, level=level) if level else Limits(soft_ms=ms, hard_ms=ms)
    return lambda name: OwnEngineChooser(lambda seed: engine, limits, name, has_chance=level is not None)


def test_undo_stops_a_real_search_at_once() -> None:
    with Engine() as engine:
        table = Table(XiangqiSession(), (0,), ["", ""], searching(engine, None, 600_000))
        table.start()
        for move in ("h2e2", "b2e2"):
            table.move(move)
            assert table.is_thinking and engine.thinking
            table.undo(0)
            assert not engine.thinking
        table.move("h2e2")
        table.close()
        assert not engine.thinking
    assert table.session.view()["moves"] == ["h2e2"]
    assert not table.is_thinking


def test_a_level_plays_the_same_game_with_the_same_seed() -> None:
    games = []
    for seed in (3, 3, 4):
        with Engine() as engine:
            table = Table(XiangqiSession(), (0,), ["1", "1"], searching(engine, LEVELS[0], 0), seed)
            table.start()
            for move in ("h2e2", "h0g2", "i0h0"):
                table.move(move)
                assert table.wait(TIMEOUT_S)
        assert table.has_chance
        games.append(table.session.view()["moves"])
    assert games[0] == games[1] != games[2]


def test_no_draw_in_a_game_that_has_none(game: Game) -> None:
    game.table.draw()
    assert game.told() == [Refused("no draw can be agreed in this game")]


class Seats:
    """A table of Junqi: a person has seat 0, engines pass or move as they are told."""

    def __init__(self, *moves: str, variant: str = "siguo") -> None:
        self.game = Game(JunqiSession(variant, seed=3), 0, *moves)
        self.table = self.game.table
        self.session = self.table.session
        assert isinstance(self.session, JunqiSession)

    def turn(self, *seats: int) -> None:
        """Let the engines of these seats move."""
        for seat in seats:
            self.game.made[seat - 1].find()
            assert self.table.wait(TIMEOUT_S)


def test_four_seats_move_in_turn_and_undo_goes_back_to_the_persons_turn() -> None:
    seats = Seats(*["pass"] * 9)
    table = seats.table
    assert isinstance(table.session, SeatedSession)
    table.move("PASS")
    seats.turn(1, 2)
    assert table.session.view()["movers"] == [0, 1, 2] and table.session.to_move == 3
    table.undo(0)
    assert table.session.ply == 0 and table.is_persons_turn and not table.is_thinking
    table.move("pass")
    assert table.wait(0), "the late move of seat 3 is still there"
    seats.turn(1, 2, 3)
    assert table.is_persons_turn and table.session.ply == 4 and len(table.times) == 4


def test_a_seat_that_gives_up_is_out_and_the_others_play_on() -> None:
    seats = Seats(*["pass"] * 9)
    table = seats.table
    table.resign(0)
    assert table.verdict is None and table.is_thinking
    assert isinstance(table.session, SeatedSession) and table.session.is_out(0)
    seats.turn(1, 2, 3, 1)
    assert table.session.view()["movers"] == [0, 1, 2, 3, 1]
    assert table.session.view()["living"] == [1, 2, 3]
    table.undo(0)
    assert not table.session.is_out(0) and table.is_persons_turn


def test_a_draw_is_offered_with_a_move() -> None:
    seats = Seats("pass draw", variant="duel")
    table = seats.table
    table.draw()
    table.move("pass")
    assert Said("your next move offers a draw") in seats.game.told()
    seats.turn(1)
    assert table.verdict is not None and table.verdict.reason == "draw agreed"


def test_a_new_game_is_dealt_anew_and_shows_nothing_of_the_others() -> None:
    seats = Seats("pass", variant="duel")
    table = seats.table
    before = table.view(0)["pieces"]
    hidden = {letter for seat, letter in before.values() if seat == 1}
    assert hidden == {"?"} and len(before) == 50
    table.new()
    assert table.view(0)["pieces"] != before and table.session.ply == 0


def test_an_engine_plays_a_seat_by_what_it_knows() -> None:
    session = JunqiSession("duel", seed=3)
    table = Table(session, (0,), ["random"] * 2, lambda level: JunqiChooser(level, 10))
    table.start()
    table.move("pass")
    assert table.wait(TIMEOUT_S) and session.ply == 2
    table.close()


def test_gomoku_marks_its_five_and_names_what_is_forbidden() -> None:
    session = GomokuSession()
    for x in range(4):
        session.play(f"{x},0")
        session.play(f"{x},1")
    assert session.view()["five"] == []
    session.play("4,0")
    assert sorted(session.view()["five"]) == [f"{x},0" for x in range(5)]


def test_clocks_run_for_who_is_to_move(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("game_core.table.now_s", lambda: now[0])
    table = Table(XiangqiSession(), (0, 1), ["", ""], lambda level: Slow(level, []))
    events: list[Event] = []
    table.on_event = events.append
    table.time_control = read_time_control("1+5")
    table.start(turn_ms=4000)
    now[0] = 10.0
    assert [table.left_ms(seat) for seat in (0, 1)] == [46_000, 60_000]
    table.move("h2e2")
    now[0] = 30.0
    assert [table.left_ms(seat) for seat in (0, 1)] == [51_000, 40_000]
    table.undo(0)
    assert [table.left_ms(seat) for seat in (0, 1)] == [60_000, 60_000]
    now[0] = 89.9
    assert not table.look_at_clocks()
    now[0] = 90.0
    table.move("h2e2")
    assert table.session.ply == 0
    assert table.verdict == (SECOND_WINS, "Red is out of time")
    assert [table.left_ms(seat) for seat in (0, 1)] == [0, 60_000]
    assert events[-2:] == [Changed(), Ended(table.verdict)]
    table.undo(0)
    assert events[-1] == Refused("the time is up")


def test_the_clocks_are_right_when_an_event_tells_of_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("game_core.table.now_s", lambda: now[0])
    table = Table(XiangqiSession(), (0, 1), ["", ""], lambda level: Slow(level, []))
    clocks: list[tuple[type[Event], int, int]] = []
    table.on_event = lambda event: clocks.append((type(event), table.left_ms(0), table.left_ms(1)))
    table.time_control = read_time_control("5+3")
    table.start()
    now[0] = 60.0
    table.move("h2e2")
    now[0] = 90.0
    table.undo(0)
    assert clocks == [(Moved, 243_000, 300_000), (Changed, 300_000, 300_000)]


def test_clocks_give_no_time_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another level during the engine's turn, and an end that is taken back, leave what was used."""
    now = [0.0]
    monkeypatch.setattr("game_core.table.now_s", lambda: now[0])
    table = Table(XiangqiSession(), (0,), ["", "3"], lambda level: Slow(level, ["h9g7"] * 2))
    table.time_control = read_time_control("1+5")
    table.start()
    now[0] = 10.0
    table.resign(0)
    now[0] = 20.0
    assert table.left_ms(0) == 50_000
    table.undo(0)
    assert table.left_ms(0) == 50_000
    table.move("h2e2")
    now[0] = 30.0
    table.set_level("5")
    assert table.left_ms(1) == 50_000
    table.close()


def test_the_engine_thinks_as_its_clock_allows() -> None:
    given: list[Clock | None] = []

    class Asked(Slow):
        def go(
            self, session: Session, seed: int, on_choice: Callable[[Choice], None], clock: Clock | None = None
        ) -> None:
            given.append(clock)
            super().go(session, seed, on_choice, clock)

    table = Table(XiangqiSession(), (0,), ["", ""], lambda level: Asked(level, ["h9g7"]))
    table.time_control = read_time_control("10+5")
    table.start()
    table.move("h2e2")
    [clock] = given
    assert clock is not None
    assert 599_000 < (clock.left_ms or 0) <= 600_000
    assert clock.increment_ms == 5000
    table.close()


@pytest.mark.parametrize("text", ["", "0", "10+", "+5", "1000+1", "ten", "10 + 5", "-1+5"])
def test_a_wrong_time_control_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="clocks are written as"):
        read_time_control(text)


class Broken(ThinkingThread[Any]):
    """Fails: when it is to begin, or while it thinks; or finds nothing."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self._way = way

    def prepare(self, position: Any, limits: Limits, on_info: OnInfo, on_message: OnMessage) -> Think:
        if self._way == "begins":
            raise MemoryError("no room")
        return self._think

    def _think(self, signals: MoveSignals) -> Result:
        if self._way == "thinks":
            raise ValueError("no idea")
        return Result(None, None, 0, 0, 0, 0, ())


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("begins", "search failed: MemoryError: 'no room'"),
        ("thinks", "search failed: ValueError: 'no idea'"),
        ("finds nothing", "the engine has found no move"),
    ],
)
def test_an_engine_that_fails_has_lost_and_the_table_goes_on(way: str, reason: str) -> None:
    events: list[Event] = []
    table = Table(XiangqiSession(), (0,), ["", ""], lambda level: OwnEngineChooser(lambda seed: Broken(way), Limits()))
    table.on_event = events.append
    table.start()
    table.hint()
    assert table.wait(TIMEOUT_S) and events == [Failed(reason)] and not table.is_thinking
    table.move("h2e2")
    assert table.wait(TIMEOUT_S)
    assert table.verdict == (FIRST_WINS, f"Black has lost: {reason}") and not table.is_thinking
    table.undo(0)
    assert table.verdict is None and table.session.ply == 1
    table.close()


class NoThread(Slow):
    """A Chooser that the system gives no thread."""

    def go(self, session: Session, seed: int, on_choice: Callable[[Choice], None], clock: Clock | None = None) -> None:
        raise RuntimeError("can't start new thread")


def test_a_seat_whose_engine_fails_resigns() -> None:
    """Where the other seats play on."""
    events: list[Event] = []
    session = JunqiSession("duel", seed=3)
    table = Table(session, (0,), ["", ""], lambda level: NoThread(level, []))
    table.on_event = events.append
    table.start()
    table.move(session.legal_moves()[0])
    assert table.wait(TIMEOUT_S)
    assert Failed('search failed: RuntimeError: "can\'t start new thread"') in events
    assert table.verdict is not None and session.view()["moves"][-1] == "resign"
    table.close()
