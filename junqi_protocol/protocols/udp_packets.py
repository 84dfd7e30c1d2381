"""The packets of the GUI of pfysw/JunQi, read and written. docs/junqi-udp.md lists them.

A packet is one datagram: eight bytes of header, then the data of its function. This module converts them to the points,
moves, results and lineups of this package.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

from junqi_protocol.knowledge.knowledge import BOTH_DIED, EAT, KILLED, MOVE
from junqi_protocol.rules import lineup
from junqi_protocol.rules.geometry import HOME_POINTS, SIGUO, move_of
from search_core.failures import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAGIC = bytes((0x57, 4, 0, 0))


class Function(IntEnum):
    """What a packet is for: `eFun` in the GUI's source."""

    OK = 0
    ERROR = 1
    GO = 2
    MOVE = 3
    EVENT = 4
    START = 5
    READY = 6
    LINEUP = 7
    INIT = 8
    STOP = 9
    REPLAY = 10
    VERIFY = 11
    PATH_DEBUG = 12


SKIP, DEATH = 0, 1
"""The two events. DEATH to the GUI is surrender; from the GUI it says that a seat has no moves or has surrendered."""
MAX_SKIPS = 5
"""A seat is out after this many skips."""

_HEADER = struct.Struct("<4sBBH")
_MOVE_DATA = 10
_RESULTS = {1: MOVE, 2: EAT, 3: BOTH_DIED, 4: KILLED}
_FLAG_FELL, _MOVER_WAS_COMMANDER, _DEFENDER_WAS_COMMANDER, _NO_MOVE_LEFT = 1, 2, 4, 8

PLACES = [(16 - ord(square[0]) + ord("a"), 17 - int(square[1:])) for square in SIGUO.squares]
"""x and y of each point. x grows to the left, unlike the letters of squares; y grows downwards."""
POINTS = {place: point for point, place in enumerate(PLACES)}
"""The points by x and y."""


class PacketError(ValueError):
    """A packet that the GUI would not send; the message says what is wrong with it."""


@dataclass(frozen=True)
class Signal:
    """A packet that is a header alone: OK, ERROR, GO, START, READY or STOP."""

    function: Function
    seat: int


@dataclass(frozen=True)
class Lineups:
    """Lineups by seat. INIT: of a team, the answer to READY. LINEUP: a seat's new one. REPLAY: of a recorded game that
    the GUI now replays; `seat` made its first move."""

    function: Function
    seat: int
    lineups: dict[int, str]


@dataclass(frozen=True)
class MoveResult:
    """A seat has moved.

    `result` is an index in RESULTS; `flags` and `outs` are as for Position.report(). `death_follows`: some seat has no
    move left, and a packet of its own will say which.
    """

    seat: int
    move: int
    result: int
    flags: tuple[tuple[int, int], ...]
    outs: tuple[tuple[int, str], ...]
    death_follows: bool


@dataclass(frozen=True)
class Event:
    """A seat has skipped (`skips`: how often so far), or is dead."""

    seat: int
    event: int
    skips: int


Message = Signal | Lineups | MoveResult | Event


def parse(packet: bytes) -> Message:
    """What a packet of the GUI says. Raises PacketError. Extra bytes at the end are ignored."""
    if len(packet) < _HEADER.size:
        raise PacketError(f"truncated: {len(packet)} bytes, a header has {_HEADER.size}")
    magic, seat, number, _reserved = _HEADER.unpack_from(packet)
    if magic != MAGIC:
        raise PacketError(f"wrong magic {magic.hex()}, expected {MAGIC.hex()}")
    try:
        function = Function(number)
    except ValueError:
        raise PacketError(f"unknown function {number}") from None
    if seat >= SIGUO.seats:
        raise PacketError(f"{function.name} of seat {seat}, expected 0 to {SIGUO.seats - 1}")
    if function in (Function.VERIFY, Function.PATH_DEBUG):
        raise PacketError(f"{function.name} is between the GUI and its own engine")
    if function not in _READERS:
        return Signal(function, seat)
    size, read = _READERS[function]
    data = packet[_HEADER.size :]
    if len(data) < size:
        raise PacketError(f"truncated: {function.name} with {len(data)} bytes of data, expected {size}")
    return read(seat, data[:size])


def signal(function: Function, seat: int) -> bytes:
    """A packet without data: OK or READY."""
    return _HEADER.pack(MAGIC, seat, function, 0)


def move_packet(seat: int, move: int) -> bytes:
    """The move that a seat makes."""
    return signal(Function.MOVE, seat) + bytes((*PLACES[move >> 8], *PLACES[move & 255])).ljust(_MOVE_DATA, b"\0")


def skip_packet(seat: int) -> bytes:
    """A seat does not move."""
    return signal(Function.EVENT, seat) + bytes((SKIP,))


def _lineups(function: Function, seat: int, seats: Sequence[int], data: bytes) -> Lineups:
    found = {}
    for i, one in enumerate(seats):
        with named(f"impossible lineup of seat {one}", lineup.LineupError, PacketError):
            found[one] = lineup.from_bytes(data[i * HOME_POINTS : (i + 1) * HOME_POINTS])
            lineup.check(found[one])
    return Lineups(function, seat, found)


def _init(seat: int, data: bytes) -> Lineups:
    seats = tuple(one for one in range(SIGUO.seats) if data[one])
    if seats != SIGUO.team(seat):
        raise PacketError(f"INIT of seat {seat} with the lineups of seats {seats}, expected {SIGUO.team(seat)}")
    return _lineups(Function.INIT, seat, seats, data[4:])


def _replay(seat: int, data: bytes) -> Lineups:
    if data[:4] != MAGIC:
        raise PacketError(f"wrong magic {data[:4].hex()} of a replay, expected {MAGIC.hex()}")
    return _lineups(Function.REPLAY, seat, range(SIGUO.seats), data[8:])


def _point(x: int, y: int) -> int:
    point = POINTS.get((x, y))
    if point is None:
        raise PacketError(f"off the board: x {x}, y {y}")
    return point


def _flag(seat: int | None, x: int, y: int) -> tuple[int, int]:
    """The seat and point of a flag that is shown. The point must be a headquarters, of `seat` if that is given."""
    point = _point(x, y)
    owner = SIGUO.seat_of(point)
    if point not in SIGUO.headquarters or seat not in (None, owner):
        raise PacketError(f"a flag at x {x}, y {y}, no headquarters of its seat")
    return owner, point


def _move_result(seat: int, data: bytes) -> MoveResult:
    origin, target = _point(data[0], data[1]), _point(data[2], data[3])
    if data[4] not in _RESULTS:
        raise PacketError(f"unknown result {data[4]} of a move, expected 1 to 4")
    more = data[5]
    flags, outs = [], []
    if more & _MOVER_WAS_COMMANDER:
        flags.append(_flag(seat, data[6], data[7]))
    if more & _DEFENDER_WAS_COMMANDER:
        flags.append(_flag(None, data[8], data[9]))
    if more & _FLAG_FELL:
        if target not in SIGUO.headquarters:
            raise PacketError(f"a flag fell at x {data[2]}, y {data[3]}, no headquarters")
        outs.append((SIGUO.seat_of(target), "flag"))
    return MoveResult(
        seat, move_of(origin, target), _RESULTS[data[4]], tuple(flags), tuple(outs), bool(more & _NO_MOVE_LEFT)
    )


def _event(seat: int, data: bytes) -> Event:
    event, skips = data
    if event not in (SKIP, DEATH):
        raise PacketError(f"unknown event {event}, expected {SKIP} or {DEATH}")
    if event == SKIP and not 1 <= skips <= MAX_SKIPS:
        raise PacketError(f"skip {skips} of seat {seat}, expected 1 to {MAX_SKIPS}")
    return Event(seat, event, skips)


_READERS: dict[Function, tuple[int, Callable[[int, bytes], Message]]] = {
    Function.INIT: (4 + 2 * HOME_POINTS, _init),
    Function.LINEUP: (HOME_POINTS, lambda seat, data: _lineups(Function.LINEUP, seat, [seat], data)),
    Function.MOVE: (_MOVE_DATA, _move_result),
    Function.EVENT: (2, _event),
    Function.REPLAY: (8 + 4 * HOME_POINTS, _replay),
}
"""How many bytes of data a packet has, and what reads them; the others have none."""
