"""The engine with the GUI of pfysw/JunQi: a stand-in sends the GUI's packets, over sockets and directly."""

from __future__ import annotations

import copy
import random
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from junqi_protocol.knowledge.knowledge import BOTH_DIED, EAT, KILLED, MOVE
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.levels import LEVELS, SEARCH
from junqi_protocol.players.player import CHOOSERS, JunqiPlayer
from junqi_protocol.protocols import udp_engine
from junqi_protocol.protocols.setting_up import parse_position
from junqi_protocol.protocols.udp_packets import Event, Lineups, MoveResult, PacketError
from junqi_protocol.protocols.udp_packets import parse as parse_packet
from junqi_protocol.rules.geometry import SIGUO, move_of, parse_move
from junqi_protocol.rules.lineup import FLAG, parse, random_lineup, sound_lineup, to_bytes
from junqi_protocol.rules.position import Position
from search_core.thinker import Limits, Result
from search_core.thinking_thread import MoveSignals
from tests.protocol.conftest import EXAMPLES, PATIENCE_S, PROGRAM, CappedMaker, HostMaker

if sys.platform == "linux":
    import resource

MAGIC = b"\x57\x04\x00\x00"
OK, ERROR, GO, MOVED, EVENT, START, READY, LINEUP, INIT, STOP, REPLAY, VERIFY = range(12)
SKIP, DEATH = 0, 1
WIRE_RESULT = {MOVE: 1, EAT: 2, BOTH_DIED: 3, KILLED: 4}
NAMES = {"even": (0, 2), "odd": (1, 3)}
CONVENTIONAL = parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")
"""The lineup that the GUI begins with."""


# The bytes, from the tables of the protocol, not from the code under test.


def place(point: int) -> tuple[int, int]:
    """x and y of a point."""
    if point >= 120:
        return 10 - 2 * ((point - 120) % 3), 6 + 2 * ((point - 120) // 3)
    seat, (r, f) = point // 30, divmod(point % 30, 5)
    return ((10 - f, 11 + r), (5 - r, 10 - f), (6 + f, 5 - r), (11 + r, 6 + f))[seat]


POINTS = {place(point): point for point in range(129)}


def packet(function: int, seat: int = 0, data: bytes = b"", reserved: int = 0) -> bytes:
    return MAGIC + struct.pack("<BBH", seat, function, reserved) + data


def init(seat: int, lineups: list[str]) -> bytes:
    own = range(seat % 2, 4, 2)
    return packet(INIT, seat, bytes(j in own for j in range(4)) + b"".join(to_bytes(lineups[j]) for j in own))


def moved(
    seat: int,
    move: int,
    result: int = MOVE,
    extra: int = 0,
    mover_flag: int | None = None,
    other_flag: int | None = None,
) -> bytes:
    shown = [place(flag) if flag is not None else (0, 0) for flag in (mover_flag, other_flag)]
    ends = place(move >> 8) + place(move & 255)
    return packet(MOVED, seat, bytes((*ends, WIRE_RESULT[result], extra, *shown[0], *shown[1])))


def event(seat: int, kind: int, skips: int = 0) -> bytes:
    return packet(EVENT, seat, bytes((kind, skips, 0, 0)))


def replay(first: int, lineups: list[str], step: int = 0) -> bytes:
    data = MAGIC + struct.pack("<I", 1) + b"".join(map(to_bytes, lineups))
    return packet(REPLAY, first, data, step)


def answered(data: bytes) -> int:
    """The move in an engine's packet."""
    assert len(data) == 18
    assert data[:4] == MAGIC
    assert data[5:8] == bytes((MOVED, 0, 0))
    assert data[12:] == bytes(6)
    return move_of(POINTS[data[8], data[9]], POINTS[data[10], data[11]])


def functions(packets: list[bytes]) -> list[int]:
    for sent in packets:
        assert sent[:4] == MAGIC
    return [sent[5] for sent in packets]


# ------------------------------------------------------------ a stand-in for the GUI


class World:
    """The game as the GUI has it: it knows all pieces, and makes the packets."""

    def __init__(self, lineups: list[str], first: int = 0) -> None:
        self.lineups = lineups
        self.position = Position("siguo", first=first, skips=5)
        self.position.deploy(lineups)
        self.flags = [seat * 30 + lineup.index("F") for seat, lineup in enumerate(lineups)]

    def play(self, move: int) -> list[bytes]:
        seat = self.position.turn
        other = self.position.piece_at(move & 255)
        result, shown, fallen = self.position.push(move)
        extra = sum(
            bit
            for bit, told in (
                (1, any(reason == "flag" for _, reason in fallen)),
                (2, seat in shown),
                (4, other is not None and other[0] in shown),
                (8, any(reason == "nomove" for _, reason in fallen)),
            )
            if told
        )
        told = moved(
            seat,
            move,
            result,
            extra,
            self.flags[seat] if extra & 2 else None,
            self.flags[other[0]] if other is not None and extra & 4 else None,
        )
        return [told, *(event(one, DEATH, self.position.skips_of(one)) for one, reason in fallen if reason == "nomove")]

    def skip(self) -> list[bytes]:
        seat = self.position.turn
        self.position.skip()
        return [event(seat, SKIP, self.position.skips_of(seat))]

    def surrender(self) -> list[bytes]:
        seat = self.position.turn
        self.position.leave("resign")
        return [event(seat, DEATH, self.position.skips_of(seat))]

    def random_move(self, chance: random.Random) -> int:
        """Mostly a capture, so that games come to their end."""
        moves = self.position.legal_moves()
        captures = [move for move in moves if self.position.piece_at(move & 255)]
        return chance.choice(captures if captures and chance.random() < 0.8 else moves)


class Gui:
    """A socket that behaves like the GUI, and a world."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(PATIENCE_S)
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.teams: dict[int, tuple[str, int]] = {}
        self.chance = random.Random(5)
        self.lineups = [CONVENTIONAL] * 4
        self.world = World(self.lineups)

    def hear(self) -> bytes:
        """The next packet; what it says of the sender's team is noted, as the GUI does between games."""
        data, sender = self.socket.recvfrom(1000)
        assert data[:4] == MAGIC
        self.teams.setdefault(data[4] % 2, sender)
        assert self.teams[data[4] % 2] == sender, "a packet for the other team's seat"
        return data

    def until(self, function: int) -> bytes:
        """The next packet with a function; before it come only old READYs and OKs."""
        while True:
            data = self.hear()
            if data[5] == function:
                return data
            assert data[5] in (OK, READY), data.hex()

    def until_silence(self) -> None:
        """Read packets until none comes for a while."""
        self.socket.settimeout(0.5)
        try:
            while True:
                self.hear()
        except TimeoutError:
            self.socket.settimeout(PATIENCE_S)

    def tell(self, packets: list[bytes]) -> None:
        for data in packets:
            for address in self.teams.values():
                self.socket.sendto(data, address)

    def set_up(self, teams: int, lineups: list[str]) -> None:
        """READY, INIT, OK."""
        self.lineups = lineups
        while len(self.teams) < teams:
            self.until(READY)
        for team, address in self.teams.items():
            self.socket.sendto(packet(READY, team), address)
            while self.until(READY)[4] != team:
                pass
            self.socket.sendto(init(team, lineups), address)
            while self.until(OK)[4] % 2 != team:
                pass

    def play(self, first: int, most: int = 4000, skips: float = 0.01) -> World:
        """One game; the seats without an engine play at random."""
        self.world = world = World(self.lineups, first)
        self.tell([packet(START, first)])
        while world.position.outcome_text is None and world.position.ply < most:
            seat = world.position.turn
            if seat % 2 in self.teams:
                answer = self.until(MOVED)
                assert answer[4] == seat, f"seat {seat} is on turn, {answer[4]} moves"
                move = answered(answer)
            else:
                move = world.random_move(self.chance)
            if self.chance.random() < skips:
                self.tell(world.skip())  # the move came too late
            elif seat % 2 not in self.teams and self.chance.random() < skips / 10:
                self.tell(world.surrender())
            else:
                told = world.play(move)
                self.tell(told)
        return world

    def close(self) -> None:
        self.socket.close()


@pytest.fixture
def gui() -> Iterator[Gui]:
    stand_in = Gui()
    yield stand_in
    stand_in.close()


def won(world: World) -> str:
    """The engine's line about the end."""
    winner = world.position.winner
    assert winner is not None
    return f"seats {winner} and {winner + 2} have won"


@pytest.mark.parametrize(
    ("team", "level"), [("even", "path"), ("odd", "greedy"), ("even", "events"), ("odd", "random")]
)
def test_whole_games_against_random_moves(start: HostMaker, gui: Gui, team: str, level: str) -> None:
    host = start("junqi-udp", "--team", team, "--gui", gui.address, "--level", level)
    host.until("waiting for the GUI")
    for game in range(2):
        gui.set_up(1, [random_lineup(gui.chance) for _ in range(4)])
        host.until("ready to start")
        world = gui.play(first=game + 1, skips=0.01)
        host.until("playing")
        # One game of random moves in fifty is drawn: its last move leaves nobody another one.
        host.until("the game is drawn" if world.position.winner is None else won(world))
    host.send("quit")
    host.over()


def test_two_engines_through_the_gui(start: HostMaker, gui: Gui) -> None:
    hosts = [
        start("junqi-udp", "--team", team, "--gui", gui.address, "--level", level)
        for team, level in (("even", "greedy"), ("odd", "path"))
    ]
    for game in range(2):
        gui.set_up(2, [sound_lineup(gui.chance) for _ in range(4)])
        world = gui.play(first=3 - game, skips=0.002)
        if world.position.winner is not None:
            for host in hosts:
                host.until(won(world))
    for host in hosts:
        host.send("quit")


def test_many_games_are_followed_to_the_last_piece() -> None:
    chance = random.Random(11)
    seen: set[str] = set()
    for game in range(30):
        world = World([random_lineup(chance) for _ in range(4)], first=game % 4)
        engine, answers = started(world, game % 2, chance, "random")
        while world.position.outcome_text is None:
            seat = world.position.turn
            moves = [answer for answer in answers if answer[5] == MOVED]
            assert [answer[4] for answer in moves] == [seat] * (seat in engine.seats)
            assert all(world.position.is_legal(answered(answer)) for answer in moves)
            lot = chance.random()
            told = (
                world.skip()
                if lot < 0.02
                else world.surrender()
                if lot < 0.022
                else world.play(world.random_move(chance))
            )
            outs = str(world.position.last_outcome()[2])
            seen.update(name for name in ("flag", "nomove", "skips", "resign") if name in outs)
            seen.update(["two at once"] if len(told) > 2 else [])
            answers = [answer for data in told for answer in engine.receive(data, 0)]
            if world.position.outcome_text is not None:
                break
            assert engine.dropped == 0, engine.complaint
            assert pieces(engine) == [sorted(point for point, _ in world.position.pieces(one)) for one in range(4)]
            for one in range(4):
                assert board(engine).skips_of(one) == world.position.skips_of(one)
            assert board(engine).turn == world.position.turn
        assert set(functions(answers)) <= {OK}
        engine.tick(10)  # no more deaths come
        assert engine.status == ("the game is drawn" if world.position.winner is None else won(world))
    assert seen == {"flag", "nomove", "skips", "resign", "two at once"}


# ------------------------------------------------------------- packet by packet


class UdpEngine(udp_engine.UdpEngine):
    """An engine whose player answers each question before the call returns."""

    player = JunqiPlayer()

    def __init__(self, first_seat: int, level: str = "path", chance: random.Random | None = None) -> None:
        super().__init__(first_seat)
        self._level = level
        self._chance = chance or random.Random()

    def receive(self, packet: bytes, now: float) -> list[bytes]:
        return super().receive(packet, now) + self._think()

    def tick(self, now: float) -> list[bytes]:
        return super().tick(now) + self._think()

    def _think(self) -> list[bytes]:
        if self.question is None:
            return []
        self.player.level, self.player.chance = self._level, self._chance
        results: list[Result] = []
        self.player.go(
            self.question.view, Limits(excluded_moves=tuple(self.question.refused)), on_result=results.append
        )
        self.player.wait()
        assert results[0].best is not None
        return self.answer(results[0].best)


def started(
    world: World, team: int = 0, chance: random.Random | None = None, level: str = "greedy"
) -> tuple[UdpEngine, list[bytes]]:
    """An engine at the start of a game, and what it answers to START."""
    engine = UdpEngine(team, level, chance or random.Random(1))
    assert functions(engine.tick(0)) == [READY]
    assert functions(engine.receive(init(team, world.lineups), 0)) == [OK]
    return engine, engine.receive(packet(START, world.position.turn), 0)


def board(engine: UdpEngine) -> Position:
    assert engine.view is not None
    return engine.view.position


def pieces(engine: UdpEngine) -> list[list[int]]:
    """The points of each seat's pieces."""
    return [sorted(point for point, _ in board(engine).pieces(seat)) for seat in range(4)]


def conventional(first: int = 0) -> World:
    return World([CONVENTIONAL] * 4, first)


def endgame(turn: int, text: str, team: int = 0, skips: tuple[int, ...] = (0, 0, 0, 0)) -> UdpEngine:
    """An engine in a game of few pieces, written as for `position`. The seats without pieces are dead."""
    own = NAMES["odd" if team else "even"]
    dead = "".join(f" dead {seat}" for seat in range(4) if f"{seat}:" not in text)
    living = min(seat for seat in own if f"{seat}:" in text)
    _, view = parse_position(f"variant siguo turn {living} seats {own[0]},{own[1]}{dead} pieces {text}".split())
    view.position.set_state(turn, 0, skips)
    engine = UdpEngine(team, "greedy", random.Random(1))
    engine.receive(init(team, [CONVENTIONAL] * 4), 0)
    engine.view = view
    return engine


def move(text: str) -> int:
    return parse_move(SIGUO, text)


FLAGS = "0:h1=F 1:q8=?{F} 2:j17=F 3:a10=?{F}"


def test_points_are_where_the_page_says() -> None:
    """x runs leftwards, and each seat numbers its points from its own left to right."""
    assert [place(SIGUO.numbers[name]) for name in ("a8", "q8", "g6", "k1", "j17")] == [
        (16, 9),
        (0, 9),
        (10, 11),
        (6, 16),
        (7, 0),
    ]
    for point in range(129):
        told = parse_packet(moved(0, move_of(point, 128 - point)))
        assert isinstance(told, MoveResult)
        assert told.move == move_of(point, 128 - point)
    engine, _ = started(conventional())
    kinds = dict(board(engine).pieces(2))
    # The first letter of a lineup is the seat's own left: k12 on the screen for the seat at the top.
    assert kinds[SIGUO.numbers["k12"]] == 9
    assert kinds[SIGUO.numbers["j17"]] == FLAG


def test_the_draw_of_the_gui_is_known_until_it_plays_on() -> None:
    engine = udp_engine.UdpEngine(0, quiet_limit=3)
    world = conventional()
    engine.receive(init(0, world.lineups), 0)
    engine.receive(packet(START, 0), 0)
    for quiet in range(4):
        assert engine.view is not None
        assert (engine.view.position.quiet, engine.view.quiet_limit) == (quiet, 3 if quiet < 3 else 0)
        quiet_moves = [one for one in world.position.legal_moves() if not world.position.piece_at(one & 255)]
        for data in world.play(quiet_moves[0]):
            engine.receive(data, 0)


def test_ready_is_sent_each_second_until_init_comes() -> None:
    engine = UdpEngine(1)
    sent = [(now / 10, data) for now in range(100, 140) for data in engine.tick(now / 10)]
    assert sent == [(float(now), packet(READY, 1)) for now in range(10, 14)]
    assert engine.receive(init(1, [CONVENTIONAL] * 4), 14) == [packet(OK, 1)]
    assert engine.tick(20) == []
    assert engine.receive(init(3, [CONVENTIONAL] * 4)[:4] + b"\3" + init(3, [CONVENTIONAL] * 4)[5:], 21)[0][4] == 3


def test_ready_of_the_gui_resets() -> None:
    engine, _ = started(conventional())
    assert engine.receive(packet(READY, 2), 5) == [packet(READY, 2)]
    assert engine.view is None
    assert engine.receive(packet(START, 0), 5) == []
    assert engine.tick(5.9) == []
    assert functions(engine.tick(6)) == [READY]
    assert functions(engine.receive(init(0, [CONVENTIONAL] * 4), 6)) == [OK]
    assert functions(engine.receive(packet(START, 0), 6)) == [OK, MOVED]


def test_games_are_counted_so_that_the_player_forgets_the_last_one() -> None:
    world = conventional()
    engine, _ = started(world)
    for games in (1, 2):
        assert engine.games == games
        engine.receive(packet(READY, 0), 5)
        engine.receive(init(0, world.lineups), 6)
        engine.receive(packet(START, 0), 6)


def test_ready_of_the_other_team_is_not_answered() -> None:
    """The GUI would take us for the other team's engine."""
    engine, _ = started(conventional())
    assert engine.receive(packet(READY, 1), 0) == []
    assert engine.view is not None


@pytest.mark.parametrize("first", range(4))
def test_start_names_the_first_seat(first: int) -> None:
    for team in (0, 1):
        _, answers = started(conventional(first), team)
        assert functions(answers) == ([OK, MOVED] if first % 2 == team else [OK])
        assert all(answer[4] == first for answer in answers if answer[5] == MOVED)


def test_every_ok_names_a_seat_of_ours() -> None:
    """Between games the GUI learns from it where the team is."""
    world = conventional(1)
    engine, answers = started(world)
    for data in [*world.play(world.random_move(random.Random(1))), *world.skip(), event(3, DEATH)]:
        answers += engine.receive(data, 0)
    oks = [answer for answer in answers if answer[5] == OK]
    assert len(oks) == 4
    assert all(answer[4] in (0, 2) for answer in oks)


def test_our_move_is_on_the_board_when_the_gui_says_so() -> None:
    world = conventional()
    engine, answers = started(world)
    before = pieces(engine)
    assert answers[1][4] == 0
    engine.tick(1)
    assert pieces(engine) == before
    [told] = world.play(answered(answers[1]))
    assert functions(engine.receive(told, 2)) == [OK]
    assert board(engine).turn == 1
    assert pieces(engine) != before


def test_a_start_twice_moves_once() -> None:
    engine, _ = started(conventional())
    assert functions(engine.receive(packet(START, 0), 0)) == [OK]
    # After a draw no packet came: START alone begins the next game.
    world = conventional()
    engine.receive(world.play(move("g6g9"))[0], 0)
    assert functions(engine.receive(packet(START, 2), 0)) == [OK, MOVED]
    assert pieces(engine) == pieces(started(conventional())[0])


def test_a_lineup_replaces_that_of_init() -> None:
    other = random_lineup(random.Random(3))
    engine = UdpEngine(0)
    engine.receive(init(0, [CONVENTIONAL] * 4), 0)
    assert engine.receive(packet(LINEUP, 2, to_bytes(other)), 0) == [packet(OK, 2)]
    assert engine.receive(packet(LINEUP, 1, to_bytes(other)), 0) == []
    engine.receive(packet(START, 1), 0)
    assert engine.view is not None
    assert engine.view.lineups == {0: CONVENTIONAL, 2: other}
    # During a game it is for the next one.
    engine.receive(packet(LINEUP, 0, to_bytes(other)), 0)
    assert engine.view.lineups[0] == CONVENTIONAL
    engine.receive(packet(START, 1), 0)
    assert engine.view.lineups[0] == other


def test_an_old_init_does_not_disturb_a_game() -> None:
    world = conventional(1)
    engine, _ = started(world)
    engine.receive(world.play(move("l11g11"))[0], 0)
    assert functions(engine.receive(init(0, world.lineups), 0)) == [OK]
    assert board(engine).ply == 1


def test_a_fallen_flag_is_out_before_the_turn_is_computed() -> None:
    """No EVENT comes: the owner of the flag is the seat of the headquarters."""
    engine = endgame(0, FLAGS + " 0:p8=5 2:k16=5 3:a7=?{1-9}")
    told = moved(0, move("p8q8"), EAT, 1)
    assert [(answer[5], answer[4]) for answer in engine.receive(told, 0)] == [(OK, 0), (MOVED, 2)]
    assert board(engine).living == [0, 2, 3]


def test_a_bombed_flag_too() -> None:
    engine = endgame(0, FLAGS + " 0:p8=B 0:h5=5 2:k16=5 3:a7=?{1-9}")
    assert [answer[4] for answer in engine.receive(moved(0, move("p8q8"), BOTH_DIED, 1), 0)][1:] == [2]
    assert board(engine).living == [0, 2, 3]


def test_our_own_flag_falls_and_the_dead_seat_does_not_move() -> None:
    engine = endgame(1, FLAGS + " 0:h5=5 1:j16=?{1-9} 2:k16=5 3:a7=?{1-9}")
    assert functions(engine.receive(moved(1, move("j16j17"), EAT, 1), 0)) == [OK]
    assert (board(engine).living, board(engine).turn) == ([0, 1, 3], 3)


def test_after_a_move_that_leaves_a_seat_without_one_the_event_is_awaited() -> None:
    engine = endgame(3, FLAGS + " 0:g9=5 0:h5=5 1:n7=?{1-9} 2:k16=5 3:g11=?{1-4}")
    assert functions(engine.receive(moved(3, move("g11g9"), KILLED, 8), 0)) == [OK]
    assert engine.tick(0.9) == []
    answers = engine.receive(event(3, DEATH), 0.9)
    assert [(answer[5], answer[4]) for answer in answers] == [(OK, 0), (MOVED, 0)]


def test_a_death_that_came_before_its_move_or_not_at_all_is_not_awaited_for_ever() -> None:
    engine = endgame(3, FLAGS + " 0:g9=5 0:h5=5 1:n7=?{1-9} 2:k16=5 3:g11=?{1-4}")
    assert functions(engine.receive(moved(3, move("g11g9"), KILLED, 8), 0)) == [OK]
    assert engine.tick(0.9) == []
    assert functions(engine.tick(1.1)) == [MOVED]


def test_the_seat_that_would_be_next_dies() -> None:
    engine = endgame(1, FLAGS + " 0:h5=5 1:g9=?{1-9} 1:n7=?{1-9} 2:g11=5 3:a7=?{1-9}")
    assert functions(engine.receive(moved(1, move("g9g11"), EAT, 8), 0)) == [OK]
    assert functions(engine.receive(event(2, DEATH), 0)) == [OK]
    assert (board(engine).living, board(engine).turn) == ([0, 1, 3], 3)


def test_two_seats_die_by_one_move() -> None:
    text = FLAGS + " 0:g11=5 1:n7=?{1-9} 2:k16=5 3:g9=?{1-9B}"
    for second in (True, False):
        engine = endgame(3, text)
        assert functions(engine.receive(moved(3, move("g9g11"), BOTH_DIED, 8), 0)) == [OK]
        assert functions(engine.receive(event(3, DEATH), 0)) == [OK]
        assert engine.tick(0.5) == []
        if second:
            assert functions(engine.receive(event(0, DEATH), 0.5)) == [OK]
            assert (board(engine).living, board(engine).turn) == ([1, 2], 1)
            assert engine.tick(5) == []
        else:  # the GUI did not look at the seat, so it lives
            assert engine.tick(1) == [packet(EVENT, 0, b"\0")]


def test_a_blocked_seat_that_the_gui_lets_live_skips() -> None:
    engine = endgame(3, FLAGS + " 1:n7=?{1-9} 2:k16=5 3:g9=?{1-9}")
    answers = engine.receive(moved(3, move("g9g11")), 0)
    assert answers[1:] == [packet(EVENT, 0, b"\0")]
    assert board(engine).turn == 0
    assert functions(engine.receive(event(0, SKIP, 1), 0)) == [OK]
    assert (board(engine).living, board(engine).turn) == ([0, 1, 2, 3], 1)


def test_a_dead_seat_that_was_not_on_turn() -> None:
    """The GUI looks at the last owner of the point, so it may find that a third seat is dead."""
    engine, answers = started(conventional())
    assert functions(engine.receive(event(3, DEATH), 0)) == [OK]
    assert (board(engine).living, board(engine).turn) == ([0, 1, 2], 0)
    assert functions(answers) == [OK, MOVED]
    assert functions(engine.receive(moved(0, answered(answers[1])), 0)) == [OK]
    assert board(engine).turn == 1


def test_a_move_that_leaves_both_teams_none_draws_the_game() -> None:
    """The GUI announces the deaths one after the other, so the first one does not decide."""
    for ours in (0, 1):
        engine = endgame(3, "0:h1=F 3:a10=F 0:g9=5 3:g11=5" if ours else "0:h1=F 3:a10=?{F} 0:g9=5 3:g11=?{5}", ours)
        assert functions(engine.receive(moved(3, move("g11g9"), BOTH_DIED, 8), 0)) == [OK]
        for seat in (3, 0):
            assert engine.status == "playing"
            assert functions(engine.receive(event(seat, DEATH), 0)) == [OK]
        assert engine.status == "the game is drawn"
        assert engine.dropped == 0


def test_if_no_more_deaths_come_the_other_team_has_won() -> None:
    engine = endgame(3, "0:h1=F 3:a10=?{F} 0:g9=5 3:g11=?{5}")
    engine.receive(moved(3, move("g11g9"), BOTH_DIED, 8), 0)
    engine.receive(event(3, DEATH), 0)
    engine.tick(0.5)
    assert engine.status == "playing"
    engine.tick(1)
    assert engine.status == "seats 0 and 2 have won"
    assert engine.receive(event(0, DEATH), 2) == [] and engine.dropped == 1


def test_a_timeout_of_ours_drops_the_move() -> None:
    world = conventional()
    engine, answers = started(world)
    assert answers[1][4] == 0
    assert functions(engine.receive(event(0, SKIP, 1), 30)) == [OK]
    assert engine.tick(31) == []
    answers = engine.receive(moved(1, move("l11g11")), 32)
    assert [(answer[5], answer[4]) for answer in answers] == [(OK, 0), (MOVED, 2)]


def test_the_fifth_skip_puts_out_without_an_event() -> None:
    engine = endgame(1, FLAGS + " 0:h5=5 1:n7=?{1-9} 2:k16=5 3:a7=?{1-9}", skips=(0, 4, 0, 0))
    assert functions(engine.receive(event(1, SKIP, 5), 0)) == [OK, MOVED]
    assert board(engine).living == [0, 2, 3]
    assert engine.receive(event(1, DEATH), 0) == []


def test_skips_are_counted_over_the_whole_game() -> None:
    world = conventional()
    engine, _ = started(world)
    chance = random.Random(4)
    for round_ in range(5):
        [told] = world.skip()
        assert told[8:10] == bytes((SKIP, round_ + 1))
        engine.receive(told, 0)
        while world.position.outcome_text is None and world.position.turn != 0 and 0 in world.position.living:
            for told in world.play(world.position.legal_moves()[chance.randrange(5)]):
                engine.receive(told, 0)
    assert board(engine).living == [1, 2, 3] == world.position.living


def test_a_draw_sends_no_packet() -> None:
    world = conventional()
    engine, answers = started(world)
    assert functions(answers) == [OK, MOVED]
    assert [data for now in range(100) for data in engine.tick(now)] == []


def test_a_refused_move_is_not_sent_again() -> None:
    engine, answers = started(conventional())
    sent = [answered(answers[1])]
    while (answers := engine.receive(packet(ERROR, 0), 0))[0][5] == MOVED:
        sent.append(answered(answers[0]))
    assert len(sent) == len(set(sent)) == len(board(engine).legal_moves())
    assert answers == [packet(EVENT, 0, b"\0")]
    assert engine.receive(packet(ERROR, 0), 0) == []
    assert board(engine).ply == 0


def test_an_error_that_is_not_for_our_move_changes_nothing() -> None:
    engine, _ = started(conventional(1))
    assert engine.receive(packet(ERROR, 0), 0) == engine.receive(packet(ERROR, 1), 0) == []
    assert engine.dropped == 2


def test_stop_pauses_and_go_goes_on() -> None:
    world = conventional(1)
    engine, _ = started(world)
    assert engine.receive(packet(STOP, 0), 0) == []
    [told] = world.play(move("l11g11"))
    assert functions(engine.receive(told, 0)) == [OK]
    assert engine.tick(9) == []
    answers = engine.receive(packet(GO, 0), 10)  # after Continue the packet names any seat of the team
    assert [(answer[5], answer[4]) for answer in answers] == [(MOVED, 2)]
    assert engine.receive(packet(GO, 2), 11) == answers


def test_go_after_the_end_is_not_answered() -> None:
    engine = endgame(1, FLAGS + " 0:h5=5 1:n7=?{1-9} 2:k16=5 3:a7=?{1-9}")
    assert functions(engine.receive(event(1, SKIP, 1), 0)) == [OK, MOVED]
    for seat in (1, 3):
        assert functions(engine.receive(event(seat, DEATH), 0)) == [OK]
    assert engine.status == "seats 0 and 2 have won"
    assert engine.receive(packet(GO, 2), 0) == engine.tick(9) == []


def test_go_while_an_event_is_awaited() -> None:
    engine = endgame(3, FLAGS + " 0:g9=5 0:h5=5 1:n7=?{1-9} 2:k16=5 3:g11=?{1-4} 3:a7=?{1-9}")
    engine.receive(moved(3, move("g11g9"), KILLED, 8), 0)
    assert functions(engine.receive(packet(GO, 0), 0)) == [MOVED]


def test_a_replay_is_followed_and_not_played() -> None:
    lineups = [random_lineup(random.Random(seed)) for seed in range(4)]
    engine, _ = started(conventional())
    assert engine.receive(replay(2, lineups, 7), 0) == []
    world = World(lineups, 2)
    for _ in range(12):
        for told in world.play(world.random_move(random.Random(8))):
            assert functions(engine.receive(told, 0)) == [OK]
    assert pieces(engine) == [sorted(point for point, _ in world.position.pieces(seat)) for seat in range(4)]
    assert engine.receive(packet(GO, 0), 0) == engine.tick(9) == []
    assert engine.view is not None
    assert engine.view.lineups == {0: lineups[0], 2: lineups[2]}
    assert functions(engine.receive(packet(START, 0), 0)) == [OK, MOVED]


def test_a_commander_s_death_shows_the_flag() -> None:
    world = World([CONVENTIONAL] * 4, 1)
    world.position = Position("siguo", first=1)
    world.flags = [SIGUO.numbers[square] for square in ("h1", "q8", "j17", "a10")]
    for seat, flag in enumerate(world.flags):
        world.position.place(seat, flag, FLAG)
    for seat, square, kind in ((0, "g9", 9), (1, "g11", 9), (0, "h5", 5), (1, "n7", 5), (2, "k16", 5), (3, "a7", 5)):
        world.position.place(seat, SIGUO.numbers[square], kind)
    engine = endgame(1, "0:h1=F 1:q8=? 2:j17=F 3:a10=? 0:g9=9 0:h5=5 1:g11=? 1:n7=? 2:k16=5 3:a7=? 1:q10=?")
    [told] = world.play(move("g11g9"))
    assert told[13] == 6
    assert functions(engine.receive(told, 0)) == [OK, MOVED]
    assert engine.view is not None
    assert engine.view.knowledge.flag_of(1) == SIGUO.numbers["q8"]


def test_duplicates_change_nothing() -> None:
    world = conventional(1)
    engine, _ = started(world)
    [told] = world.play(move("l11g11"))
    assert functions(engine.receive(told, 0)) == [OK, MOVED]
    assert engine.receive(told, 0) == []
    engine.receive(event(2, SKIP, 1), 0)
    assert engine.receive(event(2, SKIP, 1), 0) == engine.receive(told, 0) == []
    assert (board(engine).ply, board(engine).turn) == (2, 3)


def test_two_packets_in_the_wrong_order() -> None:
    world = conventional(1)
    engine, _ = started(world, 1)
    first, second = world.play(move("l11g11")), world.play(move("k12k11"))
    assert engine.receive(second[0], 0) == []
    answers = engine.receive(first[0], 0)
    assert [(answer[5], answer[4]) for answer in answers] == [(OK, 1), (MOVED, 3)]
    assert board(engine).ply == 2


def test_a_lost_packet_does_not_lose_the_turn() -> None:
    world = conventional(0)
    engine, _ = started(world)
    world.skip()
    assert engine.receive(world.play(move("l11g11"))[0], 0) == []
    answers = engine.receive(world.skip()[0], 0)
    assert functions(answers) == [OK]
    assert board(engine).turn == world.position.turn == 3


# ----------------------------------------------------------------- bad packets

GOOD = moved(0, move_of(0, 5))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "truncated: 0 bytes, a header has 8"),
        (GOOD[:7], "truncated: 7 bytes"),
        (GOOD[:17], "truncated: MOVE with 9 bytes of data, expected 10"),
        (b"\x57\x05" + GOOD[2:], "wrong magic 57050000, expected 57040000"),
        (packet(13), "unknown function 13"),
        (packet(VERIFY, 1, bytes(8)), "VERIFY is between the GUI and its own engine"),
        (packet(START, 4), "START of seat 4, expected 0 to 3"),
        (packet(MOVED, 0, bytes((7, 7, 10, 11, 1, 0, 0, 0, 0, 0))), "off the board: x 7, y 7"),
        (packet(MOVED, 0, bytes((10, 11, 255, 3, 1, 0, 0, 0, 0, 0))), "off the board: x 255, y 3"),
        (GOOD[:12] + b"\0" + GOOD[13:], "unknown result 0 of a move"),
        (GOOD[:12] + b"\5" + GOOD[13:], "unknown result 5 of a move"),
        (moved(0, move_of(0, 5), EAT, 1), "a flag fell at x 10, y 12, no headquarters"),
        (moved(0, move_of(0, 35), BOTH_DIED, 2, mover_flag=56), "a flag at x 0, y 9, no headquarters of its seat"),
        (moved(0, move_of(0, 35), BOTH_DIED, 4, other_flag=33), "a flag at x 5, y 7, no headquarters of its seat"),
        (event(0, 2), "unknown event 2, expected 0 or 1"),
        (event(0, SKIP, 0), "skip 0 of seat 0, expected 1 to 5"),
        (event(0, SKIP, 6), "skip 6 of seat 0, expected 1 to 5"),
        (packet(EVENT, 0, b"\0"), "truncated: EVENT with 1 bytes of data"),
        (init(0, [CONVENTIONAL] * 4)[:-1], "truncated: INIT with 63 bytes of data, expected 64"),
        (packet(INIT, 0, bytes((1, 1, 1, 1)) + bytes(60)), "INIT of seat 0 with the lineups of seats (0, 1, 2, 3)"),
        (packet(INIT, 0, init(1, [CONVENTIONAL] * 4)[8:]), "INIT of seat 0 with the lineups of seats (1, 3)"),
        (init(1, [CONVENTIONAL] * 4), "INIT of seat 1, which is not ours"),
        (packet(INIT, 0, b"\1\0\1\0" + bytes(60)), "impossible lineup of seat 0"),
        (packet(INIT, 0, b"\1\0\1\0" + bytes([1] * 60)), "impossible lineup of seat 0: byte 1 is no piece"),
        (packet(LINEUP, 2, to_bytes(CONVENTIONAL[::-1])), "impossible lineup of seat 2"),
        (packet(LINEUP, 2, to_bytes(CONVENTIONAL)[:-1]), "truncated: LINEUP with 29 bytes"),
        (packet(LINEUP, 3, to_bytes(CONVENTIONAL)), "LINEUP of seat 3, which is not ours"),
        (replay(0, [CONVENTIONAL] * 4)[:-1], "truncated: REPLAY with 127 bytes"),
        (packet(REPLAY, 0, bytes(128)), "wrong magic 00000000 of a replay"),
        (moved(0, move("g6g5")), "g6g5 is not legal"),
        (moved(0, move_of(123, 122)), "moves no piece of seat 0"),
        (moved(0, move("g6g9"), EAT), "EAT, but g6g9 goes to an empty point"),
        (moved(1, move("g6g9")), "moves no piece of seat 1"),
    ],
)
def test_a_bad_packet_is_named_and_changes_nothing(data: bytes, complaint: str) -> None:
    engine, _ = started(conventional())
    before = pieces(engine)
    assert engine.receive(data, 0) == []
    assert engine.dropped == 1
    assert complaint in engine.complaint
    assert (pieces(engine), board(engine).ply, board(engine).turn) == (before, 0, 0)


def test_bytes_after_the_data_do_not_matter() -> None:
    assert parse_packet(event(2, SKIP, 3) + bytes(9)) == Event(2, SKIP, 3)
    assert isinstance(parse_packet(init(1, [CONVENTIONAL] * 4) + b"x"), Lineups)
    assert isinstance(parse_packet(replay(3, [CONVENTIONAL] * 4) + b"x"), Lineups)


def test_moves_before_a_start() -> None:
    engine = UdpEngine(0)
    for data in (GOOD, event(0, SKIP, 1), packet(START, 0), packet(ERROR, 0)):
        assert engine.receive(data, 0) == []
    assert engine.receive(packet(GO, 0), 0) == engine.receive(packet(STOP, 0), 0) == []
    assert engine.status == "waiting for the GUI"


# --------------------------------------------------------------- while it thinks


def asked(world: World) -> udp_engine.UdpEngine:
    """An engine that has been asked for the first move."""
    engine = udp_engine.UdpEngine(0)
    engine.receive(init(0, world.lineups), 0)
    assert functions(engine.receive(packet(START, 0), 0)) == [OK]
    assert engine.question is not None
    return engine


def test_a_question_stays_until_it_is_answered() -> None:
    engine = asked(conventional())
    question = engine.question
    assert functions(engine.receive(packet(START, 0), 0)) == [OK]
    assert engine.tick(1) == engine.receive(packet(GO, 0), 1) == []
    assert engine.question is question
    [answer] = engine.answer(move("g6g9"))
    assert answered(answer) == move("g6g9")
    assert engine.question is None
    assert engine.receive(packet(GO, 0), 1) == [answer]


def test_an_event_cancels_the_question() -> None:
    world = conventional()
    for packets in (world.skip(), [packet(READY, 0)], [replay(0, world.lineups)]):
        engine = asked(conventional())
        for data in packets:
            engine.receive(data, 1)
        assert engine.question is None


def test_a_death_puts_another_in_its_place() -> None:
    engine = asked(conventional())
    engine.receive(event(3, DEATH), 1)
    assert engine.question is not None
    assert engine.question.view.position.living == [0, 1, 2]


def test_an_answer_during_a_pause_is_sent_after_it() -> None:
    engine = asked(conventional())
    assert engine.receive(packet(STOP, 0), 1) == engine.answer(move("g6g9")) == []
    assert functions(engine.receive(packet(GO, 0), 2)) == [MOVED]


def test_go_and_stop_end_the_thinking_about_a_question() -> None:
    for function in (GO, STOP):
        engine = udp_engine.UdpEngine(0)
        engine.receive(init(0, conventional().lineups), 0)
        engine.receive(packet(START, 0), 0)
        assert engine.question is not None
        assert not engine.hurry
        assert engine.receive(packet(function, 0), 1) == []
        assert engine.hurry
        engine.answer(move("g6g9"))
        engine.receive(event(0, SKIP, 1), 2)
        engine.receive(packet(GO, 0), 3)
        assert not engine.hurry  # nothing to answer


def test_go_asks_for_the_move_now(
    capped: CappedMaker, gui: Gui, slow_level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(udp_engine, "_TURN_MS", 3_600_000)
    address, port = gui.address.split(":")
    with udp_engine.open_socket(0, (address, int(port))) as engine_socket:
        host = capped(
            lambda channel: udp_engine.UdpDriver(
                channel, udp_engine.UdpEngine(0), engine_socket, slow_level, think_time_ms=3_600_000
            )
        )
        gui.set_up(1, [CONVENTIONAL] * 4)
        for ending in ([GO], [STOP, GO]):
            gui.tell([packet(START, 0)])
            gui.until(OK)
            gui.tell([packet(function, 0) for function in ending])
            gui.until(MOVED)
            gui.set_up(1, [CONVENTIONAL] * 4)
        host.send("quit")
        while host.line() is not None:
            pass


def test_packets_are_answered_while_a_level_takes_all_its_time(capped: CappedMaker, gui: Gui, slow_level: str) -> None:
    address, port = gui.address.split(":")
    with udp_engine.open_socket(0, (address, int(port))) as engine_socket:
        host = capped(lambda channel: udp_engine.UdpDriver(channel, udp_engine.UdpEngine(0), engine_socket, slow_level))
        for _ in range(2):
            gui.set_up(1, [CONVENTIONAL] * 4)
            gui.tell([packet(START, 0)])
            gui.until(OK)
        host.until("playing")
        host.send("quit")
        while host.line() is not None:
            pass
        assert host.exit_status() == 0


def test_a_move_comes_before_the_gui_skips_the_seat(
    capped: CappedMaker, gui: Gui, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def choose(view: PlayerView, limits: Limits, chance: random.Random, signals: MoveSignals) -> int:
        asked.append(limits.hard_ms)
        return view.position.legal_moves()[0]

    monkeypatch.setitem(CHOOSERS, "path", choose)
    address, port = gui.address.split(":")
    with udp_engine.open_socket(0, (address, int(port))) as engine_socket:
        host = capped(
            lambda channel: udp_engine.UdpDriver(channel, udp_engine.UdpEngine(0), engine_socket, "path", 20_000)
        )
        gui.set_up(1, [CONVENTIONAL] * 4)
        gui.tell([packet(START, 0)])
        for _ in range(6):
            gui.until(MOVED)
            gui.tell([packet(ERROR, 0)])
        gui.until(MOVED)
        host.send("quit")
        while host.line() is not None:
            pass
    assert min(asked) > 0
    assert asked[0] < 10_000
    assert max(asked[1:]) <= 1000


# ---------------------------------------------------------------------- fuzzing


def game_packets(seed: int, count: int) -> list[bytes]:
    """The packets to the even team of some game, with all that a GUI sends besides."""
    chance = random.Random(seed)
    world = World([random_lineup(chance) for _ in range(4)], seed % 4)
    packets = [packet(READY, 0), init(0, world.lineups), packet(START, seed % 4)]
    while len(packets) < count and world.position.outcome_text is None:
        lot = chance.random()
        packets += (
            world.skip() if lot < 0.05 else world.surrender() if lot < 0.06 else world.play(world.random_move(chance))
        )
        if chance.random() < 0.1:
            packets.append(packet(chance.choice((GO, STOP, ERROR, GO)), chance.randrange(4)))
    return [*packets, packet(LINEUP, 2, to_bytes(CONVENTIONAL)), replay(1, world.lineups)]


GAMES = [game_packets(seed, 160) for seed in range(8)]


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """A packet with bytes changed, cut off or added."""
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        changed[chance.randrange(len(changed))] = chance.choice((0, 1, 2, 3, 5, 8, 16, 255, chance.randrange(256)))
    lot = chance.random()
    if lot < 0.2:
        del changed[chance.randrange(len(changed)) :]
    elif lot < 0.3:
        changed += chance.randbytes(chance.randrange(1, 40))
    return bytes(changed)


def disturbed(chance: random.Random, count: int) -> list[bytes]:
    """`count` packets of a game from its start, some spoilt, doubled, swapped, lost or of another game."""
    source = iter(chance.choice(GAMES))
    packets: list[bytes] = []
    while len(packets) < count:
        data = next(source, None) or packet(READY, 0)
        lot = chance.random()
        if lot < 0.70:
            packets.append(data)
        elif lot < 0.78:
            packets += [data, data]
        elif lot < 0.84:
            packets += [next(source, data), data]
        elif lot < 0.90:
            packets += [spoilt(data, chance), data]
        elif lot < 0.93:
            packets.append(spoilt(data, chance))
        elif lot < 0.96:
            packets += [chance.choice(chance.choice(GAMES)), data]
        elif lot < 0.98:
            packets += [MAGIC * (chance.random() < 0.5) + chance.randbytes(chance.randrange(80)), data]
    return packets[:count]


def check_answers(engine: UdpEngine, answers: list[bytes]) -> None:
    """The engine sends only packets that the GUI would accept from it now."""
    for answer in answers:
        assert answer[:4] == MAGIC
        assert answer[4] in engine.seats
        if answer[5] == MOVED:
            assert answer[4] == board(engine).turn
            assert board(engine).is_legal(answered(answer))
        elif answer[5] == EVENT:
            assert answer == packet(EVENT, board(engine).turn, b"\0")
        else:
            assert answer[5] in (OK, READY)
            assert len(answer) == 8
    assert len([answer for answer in answers if answer[5] in (MOVED, EVENT)]) <= 1


@pytest.mark.fuzz
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.randoms(use_true_random=False),
    st.sampled_from([level for level in LEVELS if level != SEARCH]),
    st.lists(st.binary(max_size=90), max_size=4),
)
def test_disturbed_packets_in_process(chance: random.Random, level: str, noise: list[bytes]) -> None:
    engine = UdpEngine(chance.randrange(5) == 0, level, random.Random(1))
    packets = disturbed(chance, 40)
    for data in noise:
        packets.insert(chance.randrange(len(packets)), data)
    for now, data in enumerate(packets):
        before = copy.copy(engine.view)
        dropped = engine.dropped
        answers = engine.receive(data, now / 10)
        check_answers(engine, answers)
        if engine.dropped != dropped:
            assert answers == []
            assert (engine.view is None) == (before is None)
            if before is not None and engine.view is not None:
                assert engine.view.position is before.position
                assert engine.view.knowledge is before.knowledge
        check_answers(engine, engine.tick(now / 10))


@given(st.binary(max_size=200), st.integers(0, 12))
def test_bad_bytes_raise_only_packet_errors(data: bytes, function: int) -> None:
    for candidate in (data, packet(function, 1) + data):
        try:
            parse_packet(candidate)
        except PacketError as error:
            assert str(error).isascii()


def test_disturbed_packets_through_the_program(start: HostMaker, gui: Gui) -> None:
    host = start("junqi-udp", "--team", "even", "--gui", gui.address, "--level", "path")
    gui.set_up(1, [CONVENTIONAL] * 4)
    chance = random.Random(77)
    for _ in range(10):
        for data in disturbed(chance, 50):
            gui.tell([data])
        gui.tell([packet(READY), init(0, [CONVENTIONAL] * 4)])  # or it asks for INIT each second
        gui.until_silence()
    gui.set_up(1, [CONVENTIONAL] * 4)
    gui.play(first=0, most=40)
    host.send("quit")
    while (line := host.line()) is not None:
        assert "error" not in line
    assert host.exit_status() == 0


# ------------------------------------------------------------------ the program


@pytest.mark.parametrize("way", ["quit"] if sys.platform == "win32" else ["quit", "SIGINT", "SIGTERM"])
def test_it_ends_on_request(start: HostMaker, gui: Gui, way: str) -> None:
    host = start("junqi-udp", "--team", "odd", "--gui", gui.address, "--level", "path")
    host.until("waiting for the GUI")
    if way == "quit":
        host.send("hello", "quit")
        assert host.line() == "error 'hello' is no command, expected quit; nothing changed"
    else:
        host.process.send_signal(getattr(signal, way))
    host.over()


def test_the_end_of_input_does_not_end_it(start: HostMaker, gui: Gui) -> None:
    host = start("junqi-udp", "--team", "odd", "--gui", gui.address, "--level", "path")
    host.end_input()
    gui.set_up(1, [CONVENTIONAL] * 4)
    gui.play(first=0, most=20)
    host.process.send_signal(signal.SIGTERM)
    host.exit_status()


def test_a_gui_that_starts_later(start: HostMaker, gui: Gui) -> None:
    gui.close()
    host = start("junqi-udp", "--team", "even", "--gui", gui.address, "--level", "path")
    host.until("waiting for the GUI")
    late = Gui()
    try:
        late.socket.close()
        late.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        late.socket.bind(("127.0.0.1", int(gui.address.split(":")[1])))
        late.socket.settimeout(PATIENCE_S)
        late.set_up(1, [CONVENTIONAL] * 4)
        late.play(first=0, most=20)
    finally:
        late.close()


def test_only_the_gui_is_obeyed(start: HostMaker, gui: Gui) -> None:
    host = start("junqi-udp", "--team", "even", "--gui", gui.address, "--level", "path")
    gui.set_up(1, [CONVENTIONAL] * 4)
    host.until("ready to start")
    [address] = gui.teams.values()
    assert address[0] == "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(packet(READY, 0), address)
    gui.tell([packet(START, 0)])
    gui.until(MOVED)
    assert host.line() == "playing"


def test_the_dialogue_is_logged(start: HostMaker, gui: Gui, tmp_path: Path) -> None:
    log = tmp_path / "udp.log"
    host = start(
        "junqi-udp", "--team", "even", "--gui", gui.address, "--level", "path", environment={"SANQI_LOG": str(log)}
    )
    gui.set_up(1, [CONVENTIONAL] * 4)
    gui.tell([GOOD])
    gui.set_up(1, [CONVENTIONAL] * 4)
    host.send("quit")
    host.until("ready to start")
    host.exit_status()
    text = log.read_text(encoding="ascii")
    assert f"< {packet(READY, 0).hex()}\n" in text
    assert f"> {GOOD.hex()}\n" in text
    assert "# dropped: a move or an event before the start\n" in text


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full and limits of another process")
@pytest.mark.parametrize("full", ["from the start", "in mid-game"])
def test_a_full_disk_ends_the_log_and_not_the_game(start: HostMaker, gui: Gui, tmp_path: Path, full: str) -> None:
    log = Path("/dev/full") if full == "from the start" else tmp_path / "udp.log"
    host = start(
        "junqi-udp", "--team", "even", "--gui", gui.address, "--level", "path", environment={"SANQI_LOG": str(log)}
    )
    gui.set_up(1, [CONVENTIONAL] * 4)
    if full == "in mid-game":
        size = log.stat().st_size + 500
        resource.prlimit(host.process.pid, resource.RLIMIT_FSIZE, (size, size))
    gui.play(first=0, most=20)
    host.send("quit")
    host.until("playing")
    host.over()
    assert host.warnings().count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--team", "even", "--gui", "nowhere"], "--gui 'nowhere': expected HOST:PORT"),
        (["--team", "even", "--gui", "127.0.0.1:70000"], "expected HOST:PORT"),
        (["--team", "north"], "'north' is not one of even, odd"),
        ([], "--team"),
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    run = subprocess.run([*PROGRAM, "junqi-udp", *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 2
    assert complaint in run.stderr
    assert run.stderr.count("\n") == 1


def test_a_source_port_is_used_or_refused(start: HostMaker, gui: Gui, tmp_path: Path) -> None:
    words = ("junqi-udp", "--team", "even", "--gui", gui.address, "--source-port")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        run = subprocess.run([*PROGRAM, *words, str(port)], capture_output=True, text=True, cwd=tmp_path)
        assert run.returncode == 2
        assert run.stderr.startswith(f"sanqi junqi-udp: port {port}: ")
    start(*words, str(port))
    gui.until(READY)
    assert gui.teams == {0: ("127.0.0.1", port)}
