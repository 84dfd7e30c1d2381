"""Before the end, nothing that a page gets depends on pieces that its person may not see: that of a seated owner, of a
guest who plays a seat, and of who watches.

Games of random moves are played at the page's table, and again with two hidden pieces of an enemy exchanged. As long as
all results stay the same, every byte must be the same, refusals included.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from game_core.chooser import Choice, Chooser
from junqi_protocol.description import JUNQI
from junqi_protocol.rules import lineup
from junqi_protocol.rules.lineup import LineupError, random_lineup
from junqi_protocol.rules.messages import Moved
from junqi_protocol.session import JunqiSession

pytest.importorskip("websockets", reason="needs websockets")

from web_board.games import PageGame, SeatChoice, open_new
from web_board.hosted_table import HostedTable
from web_board.roles import OWNER, WATCHER, ForRole, Role
from web_board.server import _json
from web_board.table_log import new_log

PLIES = 120
LEAST_PLIES = 30
"""A comparison of fewer plies says too little."""
SEATS = {"siguo": 4, "duel": 2}
SEEDS = (range(2), pytest.param(range(2, 4), marks=pytest.mark.long))


class Script(Chooser):
    """Plays the prepared moves."""

    def __init__(self, moves: list[str]) -> None:
        self._moves = moves

    def go(self, session: Any, seed: int, on_choice: Callable[[Choice], None], clock: object = None) -> None:
        if session.ply < len(self._moves):  # then it thinks for ever
            on_choice(Choice(self._moves[session.ply], None))

    def stop(self) -> None:
        pass

    def close(self) -> None:
        pass


def results(variant: str, lineups: list[str], moves: list[str]) -> list[object]:
    """What everyone sees of each move, as far as they can all be played."""
    session = JunqiSession(variant, lineups=dict(enumerate(lineups)))
    seen: list[object] = []
    for move in moves:
        if move not in session.legal_moves():
            break
        session.play(move)
        happening = session.arbiter.happenings[-1]
        assert isinstance(happening, Moved)
        seen.append((happening.seat, happening.result, tuple(happening.outs), tuple(happening.flags)))
        if session.verdict() is not None:
            break
    return seen


def random_moves(variant: str, lineups: list[str], chance: random.Random) -> list[str]:
    session = JunqiSession(variant, lineups=dict(enumerate(lineups)))
    while session.ply < PLIES and session.verdict() is None:
        session.play(chance.choice(session.legal_moves()[:-2] or ["pass"]))
    return session.view()["moves"]  # type: ignore[no-any-return]


def sent(
    folder: Path,
    variant: str,
    lineups: list[str],
    moves: list[str],
    persons: tuple[int, ...],
    guests: tuple[int, ...] = (),
    roles: tuple[Role, ...] = (OWNER,),
) -> dict[Role, list[str]]:
    """All that pages with these roles get while these moves are played, and bad ones are tried in between, by who is
    to move."""
    game = PageGame(JUNQI)
    session = JunqiSession(variant, lineups=dict(enumerate(lineups)))
    opened = open_new(game, {"variant": variant}, 1)._replace(session=session)
    opened.display.chooser = lambda args, engine, level: Script(moves)  # type: ignore
    players = [
        "person" if seat in persons else "guest" if seat in guests else "sanqi" for seat in range(SEATS[variant])
    ]
    seats = [SeatChoice({"player": player, "level": "1"}, ["1"]) for player in players]
    messages: dict[Role, list[str]] = {role: [] for role in roles}
    log = new_log(folder, {})

    def tell(message: dict[str, Any]) -> None:
        if OWNER in messages:
            messages[OWNER].append(_json(message))

    def act(seat: int, **message: Any) -> None:
        acting = Role("seat", seat) if seat in guests else OWNER
        answers = table.act({"ply": table.ply, **message}, acting)
        if acting in messages:
            messages[acting].extend(map(_json, answers))

    def show(message_for: ForRole) -> None:
        for role, of_role in messages.items():
            of_role.append(_json(message_for(role)))

    table = HostedTable(game, opened, seats, "table", log, tell, show)
    for role, of_role in messages.items():
        of_role += [_json(message) for message in table.messages(role)]
    table.start(lambda: None)
    probes = random.Random(7)
    squares = [name for _, _, name, _ in table.page_board.drawing.board.points]
    while table.ply < len(moves) and table.table.verdict is None:
        if not table.table.is_persons_turn:
            table.table.wait(0)
            continue
        ply, seat = table.ply, session.to_move
        for _ in range(3):
            text = probes.choice(squares) + probes.choice(squares)
            if text not in session.legal_moves():
                act(seat, type="move", text=text)
        table.act({"type": "review", "ply": ply})
        act(seat, type="move", text=moves[ply])
    table.close()
    return messages


def exchanges(lineup_text: str) -> list[str]:
    """The lineup with two pieces exchanged, in every way that the rules allow."""
    found = []
    for a, b in itertools.combinations(range(len(lineup_text)), 2):
        if lineup_text[a] == lineup_text[b] or "." in (lineup_text[a], lineup_text[b]):
            continue
        letters = [*lineup_text]
        letters[a], letters[b] = letters[b], letters[a]
        try:
            lineup.check("".join(letters))
        except LineupError:
            continue
        found.append("".join(letters))
    return found


@pytest.fixture(autouse=True)
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game_core.table.now_s", lambda: 0.0)


def pair(
    variant: str, seed: int, seat: int | None, hidden: int | None = None
) -> tuple[list[str], list[str], list[str]] | None:
    """Two lists of lineups that differ in two pieces of another seat (`hidden`, or one by chance), and moves that look
    the same with both."""
    chance = random.Random(f"{variant} {seed}")
    lineups = [random_lineup(chance) for _ in range(SEATS[variant])]
    moves = random_moves(variant, lineups, chance)
    first = results(variant, lineups, moves)
    other_seats = [other for other in range(SEATS[variant]) if other != seat]
    enemy = chance.choice(other_seats) if hidden is None else hidden
    others = exchanges(lineups[enemy])
    for changed in chance.sample(others, min(20, len(others))):
        exchanged = [changed if other == enemy else text for other, text in enumerate(lineups)]
        second = results(variant, exchanged, moves)
        same = sum(1 for _ in itertools.takewhile(lambda both: both[0] == both[1], zip(first, second, strict=False)))
        same = min(same, len(moves) - 1)
        if same >= LEAST_PLIES:
            return lineups, exchanged, moves[:same]
    return None


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize(("variant", "seat"), [("siguo", 0), ("siguo", 3), ("duel", 0), ("duel", 1)])
def test_exchanged_pieces_change_no_byte(tmp_path: Path, variant: str, seat: int, seeds: range) -> None:
    pairs = [found for seed in seeds if (found := pair(variant, seed, seat)) is not None]
    assert pairs
    for number, (lineups, exchanged, moves) in enumerate(pairs):
        one = sent(tmp_path / f"{number}a", variant, lineups, moves, (seat,))
        other = sent(tmp_path / f"{number}b", variant, exchanged, moves, (seat,))
        assert one == other
        assert any('"refused"' in message for message in one[OWNER])


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize(
    ("variant", "hidden", "roles"),
    [
        ("siguo", 2, (OWNER, Role("seat", 1), WATCHER)),
        ("duel", 0, (Role("seat", 1), WATCHER)),
        ("duel", 1, (OWNER, WATCHER)),
    ],
)
def test_exchanged_pieces_change_no_byte_for_guests(
    tmp_path: Path, variant: str, hidden: int, roles: tuple[Role, ...], seeds: range
) -> None:
    """The owner plays seat 0, a guest seat 1. Pieces of a seat that the roles have not are exchanged."""
    pairs = [found for seed in seeds if (found := pair(variant, seed, None, hidden)) is not None]
    assert pairs
    for number, (lineups, exchanged, moves) in enumerate(pairs):
        one = sent(tmp_path / f"{number}a", variant, lineups, moves, (0,), (1,), roles)
        assert one == sent(tmp_path / f"{number}b", variant, exchanged, moves, (0,), (1,), roles)
        for role, messages in one.items():
            assert any('"refused"' in message for message in messages) or role == WATCHER


def test_an_owner_without_a_seat_sees_no_pieces_of_guests(tmp_path: Path) -> None:
    found = pair("duel", 0, None, 0)
    assert found is not None
    lineups, exchanged, moves = found
    one = sent(tmp_path / "a", "duel", lineups, moves, (), (0, 1))
    assert one == sent(tmp_path / "b", "duel", exchanged, moves, (), (0, 1))


def test_legal_moves_are_those_of_the_own_seat(tmp_path: Path) -> None:
    """A mine that cannot move is no secret that the moves of an enemy tell."""
    found = pair("duel", 0, 0)
    assert found is not None
    lineups, _, moves = found
    roles = (OWNER, Role("seat", 1), WATCHER)
    for role, messages in sent(tmp_path, "duel", lineups, moves, (0,), (1,), roles).items():
        states = [json.loads(text) for text in messages]
        own = {OWNER: 0}.get(role, role.seat)
        turns = [state["toMove"] == own for state in states if state["type"] == "state"]
        assert turns == [bool(state["legal"]) for state in states if state["type"] == "state"]


def test_without_a_person_all_is_shown(tmp_path: Path) -> None:
    """The comparison above can fail."""
    found = pair("duel", 0, 0)
    assert found is not None
    lineups, exchanged, moves = found
    one = sent(tmp_path / "a", "duel", lineups, moves, ())
    assert one != sent(tmp_path / "b", "duel", exchanged, moves, ())
