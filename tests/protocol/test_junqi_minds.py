"""One program that plays both seats of a team under `see own`: neither seat uses what only the other one sees."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import HOME_POINTS, SIGUO
from junqi_protocol.rules.lineup import LineupError, check, random_lineup
from junqi_protocol.rules.messages import BestMove, Happening, Moved, Terms
from tests.protocol.conftest import Host, HostMaker

PLIES = 48
LEVELS = ("search", "random", pytest.param("9", marks=pytest.mark.long))
TERMS = Terms(SIGUO)


def game(lineups: Sequence[str]) -> list[Happening]:
    """A game of random moves, mostly attacks."""
    chance = random.Random(2)
    arbiter = Arbiter(TERMS, lineups)
    while len(arbiter.happenings) < PLIES:
        moves = arbiter.position.legal_moves()
        captures = [move for move in moves if arbiter.position.piece_at(move & 255) is not None]
        move = chance.choice(captures if captures and chance.random() < 0.5 else moves)
        arbiter.answer(BestMove("", move, arbiter.next_ply))
        assert arbiter.outcome is None
    return arbiter.happenings


def exchanged(lineups: Sequence[str], course: Sequence[Happening]) -> Iterator[list[str]]:
    """The lineups with two pieces of seat 0 exchanged that have neither moved nor met anybody.

    All ways that leave the course as it is, and that change which moves seat 0 has, so that it thinks otherwise.
    """
    usual = mobility(Arbiter(TERMS, lineups), course)
    touched = {point for ply in course if isinstance(ply, Moved) for point in (ply.move >> 8, ply.move & 255)}
    untouched = [point for point in range(HOME_POINTS) if point not in touched and lineups[0][point] != "."]
    for i, one in enumerate(untouched):
        for other in untouched[:i]:
            changed = list(lineups[0])
            changed[one], changed[other] = changed[other], changed[one]
            lineup = "".join(changed)
            try:
                check(lineup)
            except LineupError:
                continue
            if lineup == lineups[0]:
                continue
            arbiter = Arbiter(TERMS, [lineup, *lineups[1:]])
            if mobility(arbiter, course) != usual and arbiter.happenings == list(course):
                yield arbiter.lineups


def mobility(arbiter: Arbiter, course: Sequence[Happening]) -> list[int]:
    """How many moves seat 0 has before each ply of the course, which is played."""
    numbers = []
    for ply in course:
        assert isinstance(ply, Moved)
        numbers += [len(arbiter.position.legal_moves())] * (ply.seat == 0)
        arbiter.answer(BestMove("", ply.move, ply.ply))
    return numbers


def answers(
    host: Host, seats: tuple[int, ...], see: str, lineups: Sequence[str], course: Sequence[Happening]
) -> dict[int, list[str]]:
    """What the program says when each of its seats is asked, by seat. The game goes on by the course."""
    host.send("junqi 1", "setoption name Seed value 5")
    host.until("junqiok 1")
    arbiter = Arbiter(TERMS, lineups)
    host.send(arbiter.greeting(seats, see), *(f"deploy {seat}" for seat in seats))
    said = {seat: host.until(f"lineup {seat} *") for seat in seats}
    host.send(*arbiter.opening(seats, see))
    for ply in course:
        if ply.seat in seats:
            host.send(f"go {ply.seat} {ply.ply} nodes 1000")
            said[ply.seat].append(host.until("bestmove *")[-1])
        host.send(ply.text(SIGUO))
    return said


@pytest.mark.parametrize("level", LEVELS)
def test_what_one_seat_alone_sees_does_not_change_the_other_s_answers(start: HostMaker, level: str) -> None:
    lineups = [random_lineup(random.Random(seat)) for seat in range(4)]
    course = game(lineups)
    said = answers(start("junqi", "--level", level), (0, 2), "own", lineups, course)
    assert len(said[2]) > PLIES // 5
    chosen = list(exchanged(lineups, course))[:2]
    assert len(chosen) == 2
    others = [answers(start("junqi", "--level", level), (0, 2), "own", changed, course) for changed in chosen]
    assert [other[2] for other in others] == [said[2]] * len(chosen)
    assert any(other[0] != said[0] for other in others)


@pytest.mark.parametrize("level", LEVELS)
def test_one_program_answers_as_one_for_each_seat(start: HostMaker, level: str) -> None:
    lineups = [random_lineup(random.Random(seat)) for seat in range(4)]
    course = game(lineups)
    together = answers(start("junqi", "--level", level), (0, 2), "own", lineups, course)
    for seat in (0, 2):
        alone = answers(start("junqi", "--level", level), (seat,), "own", lineups, course)
        assert alone == {seat: together[seat]}
