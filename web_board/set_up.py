"""Positions and lineups that a person sets up before a game begins, or pastes as text."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from game_core.display import InputError
from game_core.record_formats import remarks_of
from search_core.failures import becoming
from web_board.games import Opened, new_seed, open_file, open_new, persons_seat
from web_board.hosted_table import HostedTable, Message

if TYPE_CHECKING:
    from web_board.games import PageGame

MAX_TEXT = 1 << 20
"""Characters of a text that is pasted."""
_IDENTITY = "set-up"
"""Of the table that is shown while a person sets up a position."""


def set_up(game: PageGame, message: Mapping[str, Any]) -> Message:
    """The position or lineup that a message describes: by `text`, then with other `pieces` in place of the text's.
    Raises InputError if the message says nothing of the kind; what the rules do not allow is the answer's `fault`, what
    a person should know of the position is its `remarks`."""
    options, choices = message.get("options"), message.get("seats")
    if not isinstance(options, dict) or not isinstance(choices, list):
        raise InputError("a position to set up needs options and seats")
    options = {name: str(text) for name, text in options.items()}
    text, seat = start_text(message), persons_seat(choices)
    answer: Message = {"type": "set-up", "game": game.name, "text": text, "fault": "", "remarks": []}
    try:
        opened = _opened(game, options, text, seat)
    except InputError as error:
        return {**answer, "fault": str(error)}
    board = game.page_board(opened.session)
    if "pieces" in message:
        with becoming((ValueError, LookupError, TypeError, OverflowError), InputError):
            pieces = [(int(point), int(kind)) for point, kind in message["pieces"]]
            text = board.text_of(pieces, int(message["toMove"]), seat)
        return {**answer, "text": text, **_judged(game, options, text, seat)}
    with becoming(ValueError, InputError):
        text = board.start_text(opened.session.view(), seat)
    opened = open_new(game, options, new_seed(), text, seat)
    # Only where pieces are hidden it matters who looks.
    seats = game.seats(opened, choices if board.hides_pieces else None)
    shown = HostedTable(game, opened, seats, _IDENTITY, None, lambda message: None, lambda message: None)
    try:
        geometry, state = shown.geometry(), shown.state()
    finally:
        shown.close()
    return {**answer, "text": text, **_judged(game, options, text, seat), "geometry": geometry, "state": state}


def start_text(message: Mapping[str, Any], field: str = "text") -> str:
    """A text of a message that a game can begin with. Raises InputError."""
    text = message.get(field) or ""
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise InputError(f"a text may have {MAX_TEXT:,} characters")
    return text.strip()


def _opened(game: PageGame, options: Mapping[str, str], text: str, seat: int | None) -> Opened:
    """The game that a text describes: a start, or a record. Raises InputError."""
    data = text.encode("utf-8", "replace")
    if not game.page_board.is_start(text) and (name := game.file_of(data)):
        return open_file(game, name, data, 1)
    return open_new(game, options, new_seed(), text, seat)


def _judged(game: PageGame, options: Mapping[str, str], text: str, seat: int | None) -> Message:
    """`fault`: why no game can begin so; '': it can. `remarks`: what is unusual."""
    try:
        session, display, _ = open_new(game, options, 1, text, seat)
    except InputError as error:
        return {"fault": str(error), "remarks": []}
    verdict = session.verdict()
    fault = "" if verdict is None else f"the game is over: {display.ending(session, verdict)}"
    return {"fault": fault, "remarks": [*remarks_of(session)]}


def pasted(games: Iterable[PageGame], text: str) -> Message:
    """How the game of a pasted text begins: that of a position, a record or moves; the first game that knows it counts.
    People play it. Raises InputError."""
    data = text.encode("utf-8", "replace")
    for game in games:
        if game.page_board.is_start(text) and not game.page_board.hides_pieces:
            return {"game": game.name, "options": {}, "start": text, "seats": None}
        if name := game.file_of(data):
            file = base64.b64encode(data).decode("ascii")
            return {"game": game.name, "options": {}, "file": name, "data": file, "seats": None}
    raise InputError("this is no position and no game")
