"""Junqi with all pieces known in the shared search. Dead seats are skipped, so a team may move twice in a row."""

from __future__ import annotations

import random
from queue import SimpleQueue

import pytest

from junqi_protocol.rules.geometry import VARIANTS, parse_move
from junqi_protocol.rules.lineup import PIECES, random_lineup
from junqi_protocol.rules.position import Position
from search_core.engine import MATE, Engine, Limits, Result


def world(variant: str, pieces: str, turn: int = 0) -> Position:
    """A position from words like 0:b1=F."""
    position = Position(variant)
    for word in pieces.split():
        place, letter = word.split("=")
        seat, square = place.split(":")
        position.place(int(seat), position.variant.numbers[square], PIECES.index(letter))
    position.set_state(turn, 0, [0] * position.variant.seats)
    return position


def searched(position: Position, limits: Limits) -> Result:
    engine = Engine()
    engine.hash_mb = 4
    results: SimpleQueue[Result] = SimpleQueue()
    engine.go(position, limits, on_result=results.put)
    try:
        return results.get(timeout=60)
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("variant", "pieces", "turn", "best", "plies"),
    [
        # The flag next to it, rather than a commander.
        ("duel", "0:b1=F 0:d11=2 0:a5=3 1:d12=F 1:a6=9 1:e11=9", 0, "d11d12", 1),
        # Two moves to the flag, and nobody can block.
        ("duel", "0:b1=F 0:a11=2 1:d12=F 1:e2=1 1:b12=M", 0, None, 3),
        # Seat 1 is dead: seat 2 moves after seat 0 and takes the flag, whatever seat 0 does.
        ("siguo", "0:h1=F 0:i3=2 2:h17=F 2:a9=1 3:a8=F 3:q11=5", 0, None, 2),
        # Seat 0 takes the flag alone, in two moves; seats 2 and 3 move between them.
        ("siguo", "0:h1=F 0:b10=2 2:h17=F 2:q9=1 3:a8=F 3:q11=5", 0, "b10b8", 4),
    ],
)
def test_forced_ends_are_found(variant: str, pieces: str, turn: int, best: str | None, plies: int) -> None:
    position = world(variant, pieces, turn)
    result = searched(position, Limits(depth=6))
    assert result.best in position.legal_moves()
    if best is not None:
        assert result.best == parse_move(position.variant, best)
    assert result.score == MATE - plies


@pytest.mark.parametrize("variant", VARIANTS)
def test_searches_in_random_games_answer_with_legal_moves_and_leave_the_world_unchanged(variant: str) -> None:
    chance = random.Random(2)
    for _ in range(6):
        position = Position(variant, quiet=70)
        position.deploy([random_lineup(chance) for _ in range(position.variant.seats)])
        position.play_random(chance.getrandbits(60), chance.randrange(20, 400))
        if position.outcome_text is not None:
            continue
        before = position.key
        result = searched(position, Limits(nodes=20_000))
        assert position.key == before
        assert result.best in position.legal_moves()
        assert result.nodes >= 10_000 or abs(result.score) > MATE - 1000


def test_the_same_search_twice_gives_the_same_tree() -> None:
    def nodes() -> tuple[int, int | None]:
        position = Position("siguo")
        chance = random.Random(4)
        position.deploy([random_lineup(chance) for _ in range(4)])
        position.play_random(11, 60)
        result = searched(position, Limits(depth=4))
        return result.nodes, result.best

    assert nodes() == nodes()


def test_a_move_that_gives_the_flag_away_is_not_made() -> None:
    # Only the piece on a2 stands before the flag's attacker; it must not leave the line.
    position = world("duel", "0:b1=F 0:b2=4 0:e11=2 1:d12=F 1:d11=M 1:e12=M 1:b3=3 1:e8=9")
    result = searched(position, Limits(depth=4))
    position.push(result.best if result.best is not None else 0)
    assert position.outcome_text is None
    reply = searched(position, Limits(depth=3))
    assert reply.score < MATE - 10
