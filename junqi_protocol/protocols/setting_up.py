"""The `position` line of the Junqi line protocol: any position, for analysis."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from junqi_protocol.knowledge.knowledge import A_FLAG, starting_types
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.rules.geometry import HOME_POINTS, Variant
from junqi_protocol.rules.lineup import FLAG, MINE, PIECES, UNKNOWN
from junqi_protocol.rules.messages import MessageError, NewGame, fields, number, pairs, seat_number, square
from search_core.failures import named
from search_core.line_protocol import excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from junqi_protocol.rules.position import Position

_TOKEN = re.compile(
    r"(?P<seat>\d):(?P<square>[a-q]\d{1,2})=(?P<piece>[1-9BMF?])(?:\{(?P<facts>[1-9BMF-]+)\})?(?P<moved>\*)?"
    r"(?:!(?P<known>[\d,]+))?",
    re.IGNORECASE,
)


def parse_position(words: Sequence[str]) -> tuple[NewGame, PlayerView]:
    """The game and the board that the words after `position` describe. Raises MessageError.

    The engine plays the seats named, or the one on turn.
    """
    lowered = [word.lower() for word in words]
    if "pieces" not in lowered:
        raise MessageError("pieces is missing")
    cut = lowered.index("pieces")
    keys, tokens = words[:cut], words[cut + 1 :]
    new_game = NewGame.parse(keys)
    variant = new_game.terms.variant
    values: defaultdict[str, list[str]] = defaultdict(list)
    for key, given in pairs(keys):
        values[key] += given
    fields(values["turn"], "turn")
    turn = seat_number(values["turn"][-1], variant)
    seats = new_game.seats or (turn,)
    if turn not in seats:
        raise MessageError(f"turn {turn}: not one of our seats")
    skips = [0] * variant.seats
    for value in values["skipsof"]:
        whose, count = _pair(value, "skipsof")
        skips[seat_number(whose, variant)] = number(count, "skipsof")
    position = new_game.terms.position()
    types: dict[int, int] = {}
    for token in tokens:
        _place(token, variant, position, types)
    for value in values["flag"]:
        whose, name = _pair(value, "flag")
        _show_flag(seat_number(whose, variant), square(name, variant), position, types)
    dead = {seat_number(value, variant) for value in values["dead"]}
    for seat in range(variant.seats):
        if (seat in dead) == (seat in position.living):
            raise MessageError(f"seat {seat} is {'dead but has' if seat in dead else 'not dead but has no'} pieces")
        if seat not in dead and not any(types[point] & A_FLAG for point, _ in position.pieces(seat)):
            raise MessageError(f"seat {seat} has no piece that could be its flag")
    if turn in dead:
        raise MessageError(f"turn {turn}: the seat is dead")
    unknown = [seat for seat in seats if any(kind == UNKNOWN for _, kind in position.pieces(seat))]
    if unknown:
        raise MessageError(f"seat {unknown[0]} is ours and has unknown pieces")
    position.set_state(turn, number(values["quietnow"][-1], "quietnow", 1 << 30) if values["quietnow"] else 0, skips)
    return replace(new_game, seats=seats), PlayerView.of(position, seats, types)


def _pair(value: str, key: str) -> tuple[str, str]:
    one, colon, other = value.partition(":")
    if not colon:
        raise MessageError(f"{key} {excerpt(value)}: expected two values separated by a colon")
    return one, other


def _place(token: str, variant: Variant, position: Position, types: dict[int, int]) -> None:
    """Put the piece that a token describes on the board, and its possible types into `types`."""
    match = _TOKEN.fullmatch(token)
    if match is None:
        raise MessageError(f"{excerpt(token)} is no piece, expected SEAT:SQUARE=PIECE")
    seat, point = seat_number(match["seat"], variant), square(match["square"], variant)
    kind = PIECES.index(match["piece"].upper())
    if kind != UNKNOWN and match["facts"]:
        raise MessageError(f"{excerpt(token)}: only an unknown piece has facts")
    with named(f"{excerpt(token)}", ValueError, MessageError):
        position.place(seat, point, kind)
    possible = 1 << kind
    if kind == UNKNOWN:
        # A piece that has moved, or left the points it began on, may be of any type that moves.
        at_home = variant.seat_of(point) == seat and point not in variant.camps and not match["moved"]
        possible = starting_types(point % HOME_POINTS) if at_home else starting_types(5)
        if match["facts"]:
            possible &= _types(match["facts"].upper(), token)
        if not possible:
            raise MessageError(f"{excerpt(token)}: no piece can be that")
    elif kind in (FLAG, MINE) and variant.seat_of(point) != seat:
        raise MessageError(f"{excerpt(token)}: it never leaves its home")
    types[point] = possible


def _types(text: str, token: str) -> int:
    """The set that a text such as ``5-9B`` stands for."""
    possible = 0
    for part in re.findall(r"[1-9]-[1-9]|[1-9BMF]|-", text):
        if part == "-" or part[0] > part[-1]:
            raise MessageError(f"{excerpt(token)}: {excerpt(text)} is no set of pieces")
        for kind in range(PIECES.index(part[0]), PIECES.index(part[-1]) + 1):
            possible |= 1 << kind
    return possible


def _show_flag(seat: int, point: int, position: Position, types: dict[int, int]) -> None:
    if not types.get(point, 0) & A_FLAG or position.piece_at(point) not in ((seat, FLAG), (seat, UNKNOWN)):
        raise MessageError(f"flag {seat}: it cannot stand on {position.variant.squares[point]}")
    position.reveal(point, FLAG)
    types[point] = A_FLAG
