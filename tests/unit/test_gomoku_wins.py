"""Forced wins hold against every legal defence, and what is not searched in defence loses."""

from __future__ import annotations

import random

import pytest

from gomoku_protocol.points import FREESTYLE, RULES, STANDARD, move_at, point_text
from gomoku_protocol.position import Position
from search_core.search import Search, Signals
from search_core.table import Table

BUDGET = 20_000
LONGEST_LINE = 9


def crowded(rule: int, size: int, stones: int, chance: random.Random) -> Position | None:
    """Random stones near the centre, if nobody has won by then."""
    position = Position(size, size, rule)
    middle = size // 2
    while len(position.moves) < stones:
        move = move_at(middle + chance.randint(-3, 3), middle + chance.randint(-3, 3))
        if not position.is_legal(move):
            continue
        position.push(move)
        if position.winner is not None:
            return None
    return position


def said(position: Position) -> str:
    return f"rule {position.rule}, after " + " ".join(map(point_text, position.moves))


def refute(position: Position, line: list[int]) -> str | None:
    """A defence that the program's win does not beat, all legal replies tried at each turn; None: there is none."""
    attacker = position.side
    position.push(line[0])
    try:
        if position.winner == attacker:
            return None
        for reply in position.legal_moves():
            position.push(reply)
            try:
                further = position.forced_win(BUDGET) if position.winner is None else []
                defence = refute(position, further) if further else said(position)
                if defence is not None:
                    return defence
            finally:
                position.pop()
        return None
    finally:
        position.pop()


@pytest.mark.parametrize("rule", RULES)
def test_a_forced_win_beats_every_defence(rule: int) -> None:
    chance = random.Random(rule)
    lengths: list[int] = []
    while len(lengths) < 25 or sum(length >= 5 for length in lengths) < 5:
        position = crowded(rule, 9, chance.randint(8, 18), chance)
        if position is None:
            continue
        line = position.forced_win(BUDGET)
        if 3 <= len(line) <= LONGEST_LINE:
            assert refute(position, line) is None, said(position)
            lengths.append(len(line))


@pytest.mark.parametrize("rule", RULES)
def test_a_move_that_is_not_searched_in_defence_loses(rule: int) -> None:
    chance = random.Random(rule)
    table, signals = Table(1), Signals()
    left_out = threatened = 0
    while threatened < 150:
        position = crowded(rule, 15, chance.randint(10, 26), chance)
        if position is None or position.win_by_fours(BUDGET):
            continue
        other = Position(15, 15, rule)
        other.set_up(position.moves[0::2], position.moves[1::2], side=1 - position.side)
        # In renju and caro only a winning four of the other side, three plies from its five, restricts the defence.
        plies = other.win_by_fours(BUDGET)
        if plies == 0 or (plies > 3 and rule not in (FREESTYLE, STANDARD)):
            continue
        threatened += 1
        search = Search(position.copy(), table, signals)
        search.prepare()
        searched = {moves[0] for _, moves in search.lines()}
        assert searched
        for move in position.legal_moves():
            if move not in searched:
                position.push(move)
                assert position.win_by_fours(1_000_000), f"{said(position)} is not searched"
                position.pop()
                left_out += 1
    assert left_out > threatened
