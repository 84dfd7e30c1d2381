"""The engine for the GUI of pfysw/JunQi: it plays both seats of a team over UDP. See docs/junqi-udp.md.

UdpEngine decides what to answer to each packet; it does no search, input or output. run() connects it to a socket and a
player.
"""

from __future__ import annotations

import socket
import threading
from functools import partial
from typing import NamedTuple

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.thinking_time import MIN_MS, THINK_TIME_MS
from junqi_protocol.protocols.move_finder import MoveFinder
from junqi_protocol.protocols.udp_packets import (
    DEATH,
    MAX_SKIPS,
    Event,
    Function,
    Lineups,
    Message,
    MoveResult,
    PacketError,
    Signal,
    move_packet,
    parse,
    signal,
    skip_packet,
)
from junqi_protocol.rules.geometry import SIGUO
from junqi_protocol.rules.position import Contradiction
from search_core.clock import now_s
from search_core.line_protocol import excerpt, open_standard_channel
from search_core.search_driver import SearchProtocol
from search_core.thinker import Limits, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from search_core.line_protocol import LineChannel

_TURN_MS = 9_500
"""The longest time for all answers of a turn. After 30 seconds the GUI skips the seat."""
_AGAIN_MS = 1_000
"""The longest time for another move after the GUI has refused one: its clock goes on."""
_READY_AGAIN_S = 1.0
_DEATHS_APART_S = 1.0
"""The packets about the deaths of one move follow each other at once; after this time no more come."""
_GUI_SENDS_TO = {0: 6678, 1: 5678}
"""By team: the port that the GUI sends to before it has heard from the engine."""
_MAX_DATAGRAM = 1 << 16
_TICK_S = 0.1


class Question(NamedTuple):
    """A request for a move."""

    view: PlayerView
    refused: frozenset[int]
    """Moves that the GUI has refused on this turn."""
    turn_began: float
    """When the turn's first question was asked, on the clock of receive()."""


class UdpEngine:
    """Answers the packets of the GUI for the engine of a team.

    Only the GUI's packets change the board, also after our own moves. An impossible packet, or one that comes twice,
    changes nothing.

    Parameters
    ----------
    first_seat : int
        0: it plays seats 0 and 2. 1: seats 1 and 3.
    quiet_limit : int
        As in PlayerView.

    Attributes
    ----------
    dropped : int
        How many packets changed nothing.
    complaint : str
        Why the last of them changed nothing.
    question : Question or None
        Asks for a move, which answer() takes. Later packets may withdraw or replace it.
    hurry : bool
        Whether the GUI wants the answer to the question now.
    games : int
        How many games have begun.
    """

    def __init__(self, first_seat: int, quiet_limit: int = 0) -> None:
        self.seats = SIGUO.team(first_seat)
        self._quiet_limit = quiet_limit
        self.dropped = 0
        self.complaint = ""
        self.games = 0
        self._reset()
        self._ready_at: float | None = float("-inf")
        """When READY is sent again; None: the lineups have come."""

    def _reset(self) -> None:
        """Forget the game."""
        self._ready_at = None
        self._lineups: dict[int, str] = {}
        self.view: PlayerView | None = None
        """The board by the packets so far; None before the start."""
        self._watching = False
        """Whether the GUI replays a recorded game."""
        self._paused = False
        self._new_turn()

    def _new_turn(self) -> None:
        self.question: Question | None = None
        self.hurry = False
        self._turn_began: float | None = None
        self._answer: bytes | None = None
        """What was sent on this turn."""
        self._move = 0
        self._refused: set[int] = set()
        self._early: MoveResult | Event | None = None
        """A packet of a seat that should not be on turn: the packet before it is late or lost."""
        self._awaits_death_until: float | None = None
        """While a death that a move has announced may still come, we do not move. None: none is to come."""
        self._may_be_dead: frozenset[int] = frozenset()
        """Our seats without a move when a death was announced. The GUI does not check every seat."""
        self._deaths_end_at = 0.0
        self._verdict_at: float | None = None
        """A team has lost its last seat: until when deaths of the other team may follow, which make it a draw."""
        self._fallen_too: frozenset[int] = frozenset()
        """Seats of that other team that fell."""

    @property
    def status(self) -> str:
        """What is going on, in a few words."""
        if self.view is None:
            return "ready to start" if self._complete else "waiting for the GUI"
        if self._watching:
            return "following a recorded game"
        position = self.view.position
        if position.winner is None or self._verdict_at is not None:
            return "playing"
        if self._fallen_too.issuperset(position.living):
            return "the game is drawn"
        return f"seats {' and '.join(map(str, SIGUO.team(position.winner)))} have won"

    @property
    def _complete(self) -> bool:
        return all(seat in self._lineups for seat in self.seats)

    def receive(self, packet: bytes, now: float) -> list[bytes]:
        """Take a packet; return the packets to send. `now` is in seconds on any clock."""
        try:
            return self._handle(parse(packet), now)
        except ValueError as error:
            self.dropped += 1
            self.complaint = str(error)
            return []

    def tick(self, now: float) -> list[bytes]:
        """The packets to send because time has passed."""
        if self._verdict_at is not None and now >= self._verdict_at:
            self._verdict_at = None
        if self._ready_at is not None and now >= self._ready_at:
            self._ready_at = now + _READY_AGAIN_S
            return [signal(Function.READY, self.seats[0])]
        return self._play(now)

    def answer(self, move: int) -> list[bytes]:
        """Take the move that the question asks for; return the packets to send."""
        assert self.question is not None
        self._move = move
        self._answer = move_packet(self.question.view.position.turn, move)
        self.question = None
        return [] if self._paused else [self._answer]

    def _handle(self, message: Message, now: float) -> list[bytes]:
        """Raises ValueError, changing nothing, if the packet is impossible."""
        if isinstance(message, Signal):
            return self._handle_signal(message, now)
        if isinstance(message, Lineups):
            if message.function == Function.REPLAY:
                self._reset()
                self._lineups = {seat: message.lineups[seat] for seat in self.seats}
                self._begin(message.seat)
                self._watching = True
                return []
            self._must_be_ours(message.seat, message.function.name)
            self._lineups = self._lineups | message.lineups
            # During a game INIT answers an old READY, or prepares the next game.
            if message.function == Function.INIT:
                self._ready_at = None
            return [signal(Function.OK, message.seat)]
        if self.view is None:
            raise Contradiction("a move or an event before the start")
        if isinstance(message, Event) and message.event == DEATH:
            self._fall(self.view, message.seat, now)
        else:
            self._follow(self.view, message, now)
        # The GUI learns the address of a team from the seat in the header, so it is always one of ours.
        return [signal(Function.OK, self.seats[0]), *self._play(now)]

    def _handle_signal(self, message: Signal, now: float) -> list[bytes]:
        if message.function == Function.READY:
            self._must_be_ours(message.seat, "READY")
            self._reset()
            self._ready_at = now + _READY_AGAIN_S
            return [signal(Function.READY, message.seat)]
        if message.function == Function.START:
            if not self._complete:
                raise PacketError("START before INIT")
            if not self._has_just_begun(message.seat):
                self._paused = self._watching = False
                self._begin(message.seat)
            return [signal(Function.OK, self.seats[0]), *self._play(now)]
        if message.function == Function.STOP:
            self._paused = True
            self.hurry = self.question is not None
        elif message.function == Function.GO:
            self._paused, self._awaits_death_until = False, None
            self.hurry = self.question is not None
            self._may_be_dead = frozenset()
            # The GUI answers a move at once: if one was sent and we are still on turn, it was lost.
            return [self._answer] if self._answer is not None else self._play(now)
        elif message.function == Function.ERROR:
            return self._choose_again(message.seat, now)
        return []

    def _must_be_ours(self, seat: int, name: str) -> None:
        if seat not in self.seats:
            raise PacketError(f"{name} of seat {seat}, which is not ours")

    def _has_just_begun(self, first: int) -> bool:
        """Whether START would change nothing."""
        view = self.view
        return (
            view is not None
            and not self._watching
            and view.lineups == self._lineups
            and (view.position.ply, view.position.turn) == (0, first)
        )

    def _begin(self, first: int) -> None:
        self.view = PlayerView(SIGUO.name, self.seats, self._lineups, first=first)
        self.view.quiet_limit = self._quiet_limit
        self.games += 1
        self._new_turn()

    # What has happened

    def _follow(self, view: PlayerView, message: MoveResult | Event, now: float) -> None:
        """A seat has moved or skipped."""
        turn, early = view.position.turn, self._early
        if message.seat == turn:
            later = _after(view, message)
            if early is not None and early.seat == later.position.turn:
                following = self._after_early(later)
                if following is not None:
                    later, message = following, early
        else:
            # Two packets in a row fit each other, so our idea of the turn was wrong.
            between = self._after_early(view)
            if between is None or between.position.turn != message.seat:
                _after(view, message)
                self._early = message
                raise Contradiction(f"seat {turn} is on turn, not {message.seat}")
            later = _after(between, message)
        self.view = later
        if later.position.quiet >= later.quiet_limit:  # if the GUI plays on, it has another rule
            later.quiet_limit = 0
        self._new_turn()
        if isinstance(message, MoveResult) and message.death_follows:
            self._awaits_death_until = now + _DEATHS_APART_S
            self._may_be_dead = frozenset(
                seat
                for seat in self.seats
                if seat in later.position.living and not _on_turn(later, seat).position.legal_moves()
            )

    def _after_early(self, view: PlayerView) -> PlayerView | None:
        """The view after the packet that came too early; None if there is none or it does not fit."""
        try:
            return _after(view, self._early) if self._early is not None else None
        except ValueError:
            return None

    def _fall(self, view: PlayerView, seat: int, now: float) -> None:
        """A seat is dead, on its turn or not. A move may leave both teams without one: then the GUI announces all these
        deaths, and the game is drawn."""
        position = view.position
        if self._verdict_at is not None and seat in set(position.living) - self._fallen_too:
            self._fallen_too |= {seat}
            if self._fallen_too.issuperset(position.living):
                self._verdict_at = None
            return
        if position.outcome_text is not None or seat not in position.living:
            raise Contradiction(f"seat {seat} is dead already")
        later = _on_turn(view, seat)
        later.left(seat, "resign")
        if position.turn != seat:
            later = _on_turn(later, position.turn)
        may_be_dead = self._may_be_dead
        is_by_move = self._awaits_death_until is not None or now < self._deaths_end_at
        stays = later.position.turn == position.turn and later.position.outcome_text is None
        if (self._awaits_death_until is not None and self._answer is None) or not stays:
            self._new_turn()
        self.view = later
        self.question = None  # it was about the old board
        self._may_be_dead = may_be_dead
        self._deaths_end_at = now + _DEATHS_APART_S
        survivors = set(later.position.living)
        if is_by_move and later.position.outcome_text is not None and not survivors & set(self.seats) - may_be_dead:
            self._verdict_at = self._deaths_end_at

    # What we answer

    def _play(self, now: float) -> list[bytes]:
        """Ask for the move of the seat on turn, if it is ours and it is time for one. If it has none, send a skip."""
        view = self.view
        if view is None or self._watching or self._paused:
            return []
        # The death may have come before its move, or be lost.
        if self._awaits_death_until is not None and now < self._awaits_death_until:
            return []
        if self._answer is not None or self.question is not None:
            return []
        seat = view.position.turn
        if view.position.outcome_text is not None or seat not in self.seats:
            return []
        if seat in self._may_be_dead and now < self._deaths_end_at:
            return []
        if not self._refused.issuperset(view.position.legal_moves()):
            if self._turn_began is None:
                self._turn_began = now
            self.question = Question(view, frozenset(self._refused), self._turn_began)
            self.hurry = False
            return []
        # The GUI lets a blocked seat live if it has not checked it.
        self._answer = skip_packet(seat)
        return [self._answer]

    def _choose_again(self, seat: int, now: float) -> list[bytes]:
        """The GUI has refused our move, and the turn stays."""
        view = self.view
        if view is None or seat != view.position.turn or self._answer != move_packet(seat, self._move):
            raise PacketError(f"ERROR for seat {seat}, which has sent no move")
        self._refused.add(self._move)
        self._answer = None
        return self._play(now)


def _on_turn(view: PlayerView, seat: int, skips: dict[int, int] | None = None) -> PlayerView:
    """A copy in which a seat is on turn. `skips`: counts of skips to set, by seat."""
    twin = view.copy()
    counts = {one: view.position.skips_of(one) for one in range(SIGUO.seats)} | (skips or {})
    twin.position.set_state(seat, view.position.quiet, counts.values())
    return twin


def _after(view: PlayerView, message: MoveResult | Event) -> PlayerView:
    """The view after a seat's move or skip, even out of turn. Raises ValueError if that is impossible."""
    seat = message.seat
    if seat not in view.position.living:
        raise Contradiction(f"seat {seat} is dead")
    if isinstance(message, MoveResult):
        later = _on_turn(view, seat)
        later.moved(seat, message.move, message.result, message.flags, message.outs)
    else:
        if message.skips <= view.position.skips_of(seat):
            raise Contradiction(f"skip {message.skips} of seat {seat} again")
        later = _on_turn(view, seat, {seat: message.skips - 1})
        later.skipped(seat, message.skips, message.skips >= MAX_SKIPS)
    return later


class UdpDriver(SearchProtocol):
    """Connects the engine to its socket. stdin only takes `quit`; stdout shows the status."""

    def __init__(
        self,
        channel: LineChannel,
        engine: UdpEngine,
        gui: socket.socket,
        level: str,
        think_time_ms: int = THINK_TIME_MS,
    ) -> None:
        super().__init__(channel)
        self.finder = MoveFinder(self.driver, self.lines, self.notify, level)
        self._think_time_ms = think_time_ms
        self._engine = engine
        self._gui = gui
        self._status = ""
        self._game = 0  # the engine's, of the last question
        self._asked: Question | None = None
        """What the player thinks about, even if the question was withdrawn."""

    def run(self, first_line: str | None = None) -> int:
        self.finder.load()
        threading.Thread(target=self._hear_gui, name="packets", daemon=True).start()
        return super().run(first_line)

    def command(self, line: str) -> None:
        if line.lower() == "quit":
            self.lines.leave()
        else:
            self.notify(f"{excerpt(line)} is no command, expected quit; nothing changed")

    def notify(self, text: str) -> None:
        self.lines.send(f"error {text}")

    def can_handle(self, line: str | None) -> bool:
        # A program in the background has no stdin, and must go on.
        return line is not None

    def handle_out_of_order(self, line: str | None) -> bool:
        return False

    def close(self) -> None:
        self.finder.close()
        self._gui.close()

    def on_search_end(self) -> None:
        self._asked = None
        if not self.lines.leaving:
            self._ask()

    def _hear_gui(self) -> None:
        """Post each packet of the GUI to the main thread, and b"" as a tick of the clock."""
        while not self.lines.leaving:
            packet = b""
            try:
                packet = self._gui.recv(_MAX_DATAGRAM)
            except (TimeoutError, ConnectionError):  # an earlier packet did not reach the GUI
                pass
            except OSError:
                return
            self.lines.post(partial(self._handle_packet, packet))

    def _handle_packet(self, packet: bytes) -> None:
        engine, now = self._engine, now_s()
        answers = []
        try:
            if packet:
                self.lines.channel.note(">", packet.hex())
                dropped = engine.dropped
                answers = engine.receive(packet, now)
                if engine.dropped != dropped:
                    self.lines.channel.note("#", f"dropped: {engine.complaint}")
            answers += engine.tick(now)
            self._ask()
        except Exception as error:  # noqa: BLE001 - our error must not cost the user the game
            self.notify(f"internal error at {packet.hex()[:80]}: {type(error).__name__}: {excerpt(str(error))}")
        self._send_packets(answers)
        if engine.status != self._status:
            self._status = engine.status
            self.lines.send(self._status)

    def _ask(self) -> None:
        """Make the player think about the engine's current question only."""
        question = self._engine.question
        if self._asked is not None:
            if self._asked is not question:
                self.driver.abandon()  # on_search_end() comes back here
            elif self._engine.hurry:
                self.driver.stop()
        elif question is not None:
            if self._game != self._engine.games:
                self._game = self._engine.games
                self.finder.new_game()
            time_ms = self._time_ms(question)
            limits = Limits(soft_ms=time_ms, hard_ms=time_ms, excluded_moves=tuple(question.refused))
            self.finder.start(question.view, limits, self._answer)
            self._asked = question
            if self._engine.hurry:
                self.driver.stop()

    def _time_ms(self, question: Question) -> int:
        left_ms = _TURN_MS - int(1000 * (now_s() - question.turn_began))
        most_ms = min(self._think_time_ms, _AGAIN_MS) if question.refused else self._think_time_ms
        return max(min(most_ms, left_ms), MIN_MS)

    def _answer(self, result: Result) -> None:
        if result.best is None:  # the level has failed
            self._engine.question = None
        else:
            self._send_packets(self._engine.answer(result.best))

    def _send_packets(self, packets: list[bytes]) -> None:
        for packet in packets:
            self.lines.channel.note("<", packet.hex())
            self._send_packet(packet)

    def _send_packet(self, packet: bytes) -> None:
        # The first call may report that an earlier packet was not delivered.
        for _ in range(2):
            try:
                self._gui.send(packet)
                return
            except OSError:
                pass


def run(
    first_seat: int,
    address: tuple[str, int],
    level: str,
    source_port: int | None = None,
    think_time_ms: int = THINK_TIME_MS,
    quiet_limit: int = 0,
) -> int:
    """Play for the GUI at an address until SIGINT, SIGTERM or `quit`. `quiet_limit`: as in PlayerView. Raises OSError
    if there is no such address, or if the source port is taken."""
    channel = open_standard_channel()
    with open_socket(first_seat, address, source_port) as gui:
        return UdpDriver(channel, UdpEngine(first_seat, quiet_limit), gui, level, think_time_ms).run()


def open_socket(first_seat: int, address: tuple[str, int], source_port: int | None = None) -> socket.socket:
    """A socket that receives only from the GUI. If the GUI is on this machine, it is bound to this machine only.

    `source_port`: the port that it sends from; None: the one that the GUI expects if it is free, else any. Raises
    OSError.
    """
    gui_address = socket.getaddrinfo(*address, socket.AF_INET, socket.SOCK_DGRAM)[0][4]
    host = "127.0.0.1" if str(gui_address[0]).startswith("127.") else ""
    gui = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        gui.bind((host, _GUI_SENDS_TO[first_seat] if source_port is None else source_port))
    except OSError as error:
        if source_port is not None:
            gui.close()
            raise OSError(error.errno, f"port {source_port}: {error.strerror}") from None
        gui.bind((host, 0))  # the port is taken; the GUI answers to any port that it hears from
    gui.connect(gui_address)
    gui.settimeout(_TICK_S)
    return gui
