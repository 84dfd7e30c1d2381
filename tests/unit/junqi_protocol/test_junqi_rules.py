"""The native rules of Junqi against a slow second implementation, ply by ply, and against themselves."""

from __future__ import annotations

import random

import pytest

from junqi_protocol.rules.geometry import DUEL, SIGUO, VARIANTS, Variant, move_text, parse_move
from junqi_protocol.rules.lineup import PIECES, parse, random_lineup, sound_lineup, text
from junqi_protocol.rules.position import RESULTS, Contradiction, IllegalMove, Position, resolve_combat
from search_core.perft import Perft
from tests.helpers.junqi_reference import Reference, clash_result

LINEUP = parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")
RULES: list[dict[str, int]] = [{}, {"quiet": 70}, {"quiet": 31, "loses": 1}, {"skips": 5}, {"plies": 500}]


def tail(variant: Variant, position: Position, told: tuple[int, tuple[int, ...], tuple[tuple[int, str], ...]]) -> str:
    """What a move did, as the line protocol writes it after the move. The caller looks up the flags."""
    result, shown, fallen = told
    words = [RESULTS[result]]
    words += [f"flag {seat} {variant.squares[FLAGS[seat]]}" for seat in shown]
    words += [f"out {seat} {reason}" for seat, reason in fallen]
    return " ".join(words)


FLAGS: list[int] = []


def flags_of(position: Position) -> list[int]:
    return [
        next(point for point, kind in position.pieces(seat) if PIECES[kind] == "F")
        for seat in range(position.variant.seats)
    ]


def pair(variant: Variant, chance: random.Random, rules: dict[str, int]) -> tuple[Position, Reference]:
    """The same game in both implementations."""
    make = chance.choice((random_lineup, sound_lineup))
    lineups = [make(chance) for _ in range(variant.seats)]
    first = chance.randrange(variant.seats)
    loses = bool(rules.get("loses"))
    limits = {key: number for key, number in rules.items() if key != "loses"}
    position = Position(variant.name, first=first, quiet_loses=loses, **limits)
    position.deploy(lineups)
    reference = Reference(
        variant.name, [text(lineup) for lineup in lineups], first=first, quietend="loss" if loses else "draw", **limits
    )
    FLAGS[:] = flags_of(position)
    return position, reference


def check_alike(variant: Variant, position: Position, reference: Reference) -> list[int]:
    """Compare what both know before a ply; returns the legal moves."""
    moves = position.legal_moves()
    texts = [move_text(variant, move) for move in moves]
    assert len(set(texts)) == len(texts)
    assert set(texts) == reference.legal_moves()
    assert position.outcome_text == reference.over
    assert (position.ply, position.quiet) == (reference.ply, reference.quiet_count)
    assert set(position.living) == set(range(variant.seats)) - reference.dead
    if reference.over is None:
        assert position.turn == reference.turn
    return moves


def play_both(variant: Variant, chance: random.Random, rules: dict[str, int]) -> Position:
    """One random game, with some skips and departures if the rules count skips."""
    position, reference = pair(variant, chance, rules)
    while True:
        moves = check_alike(variant, position, reference)
        if position.outcome_text is not None:
            return position
        whim = chance.random() if "skips" in rules else 1.0
        if whim < 0.002:
            reason = chance.choice(("resign", "illegal", "exit", "time"))
            reference.leave(reference.turn, reason)
            position.leave(reason)
        elif whim < 0.02:
            seat, kind = position.turn, chance.choice(("pass", "time"))
            out = position.skip()
            assert reference.skip(kind) == f"{position.skips_of(seat)} {kind}" + (f" out {seat} skips" if out else "")
        else:
            move = chance.choice(moves)
            said = reference.move(move_text(variant, move))
            assert tail(variant, position, position.push(move)) == said
            board = {
                variant.squares[point]: (seat, PIECES[kind])
                for seat in range(variant.seats)
                for point, kind in position.pieces(seat)
            }
            assert board == reference.board


def games(variant: Variant, number: int, seed: int) -> None:
    for i in range(number):
        play_both(variant, random.Random(seed + i), RULES[i % len(RULES)])


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in (1, 2))])
def test_random_games_go_as_in_the_slow_implementation(variant: Variant, part: int) -> None:
    games(variant, 18 if part else 9, 1000 * part)


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_2_000_random_games_go_as_in_the_slow_implementation(variant: Variant) -> None:
    games(variant, 2_000, 1 << 20)


def everything(position: Position) -> tuple[object, ...]:
    """All that can be seen of a position."""
    return (
        position.key,
        position.side,
        position.turn,
        position.ply,
        position.quiet,
        position.living,
        position.outcome_text,
        position.evaluate_cp(),
        position.legal_moves(),
        [sorted(position.pieces(seat)) for seat in range(position.variant.seats)],
    )


def test_every_clash_ends_as_in_the_slow_implementation() -> None:
    for attacker in "123456789B":
        for defender in "123456789BMF":
            result = resolve_combat(PIECES.index(attacker), PIECES.index(defender))
            assert RESULTS[result] == clash_result(attacker, defender)
    for kinds in ((0, 1), (1, 0), (13, 1), (1, 13), (-1, 1), (1, 99)):
        with pytest.raises(ValueError, match="no known pieces"):
            resolve_combat(*kinds)
    for kind in (-1, 0, 14):
        with pytest.raises(ValueError, match=f"{kind} is no piece"):
            Position("duel").place(0, 5, kind)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_taking_back_restores_everything(variant: Variant) -> None:
    chance = random.Random(5)
    for _ in range(10):
        position, _reference = pair(variant, chance, {"quiet": 70})

        history = []
        while position.outcome_text is None:
            history.append(everything(position))
            position.push(chance.choice(position.legal_moves()))
        taken_back = 0
        for before in reversed(history):
            try:
                position.pop()
            except IndexError:
                break
            taken_back += 1
            assert everything(position) == before
        assert taken_back >= min(len(history), 256)


def test_perft_counts_the_same_as_playing() -> None:
    position, _reference = pair(SIGUO, random.Random(8), {})
    position.play_random(1, 100)

    def leaves(depth: int) -> int:
        moves = position.legal_moves()
        if depth == 1:
            return len(moves)
        total = 0
        for move in moves:
            position.push(move)
            total += leaves(depth - 1)
            position.pop()
        return total

    for depth in (1, 3):
        assert Perft(position, depth).total() == leaves(depth)
        assert Perft(position, depth, makes_leaves=True).total() == leaves(depth)


def test_refusals_name_illegal_moves() -> None:
    position, _reference = pair(DUEL, random.Random(9), {})
    for name, reason in (("c7c6", "moves no piece of seat"), ("a6a6", "is not legal"), ("b6b7", "is not legal")):
        before = position.legal_moves()
        while position.turn != 0:
            position.push(position.legal_moves()[0])
            before = position.legal_moves()
        with pytest.raises(IllegalMove, match=f"{name} {reason}"):
            position.push(parse_move(DUEL, name))
        assert position.legal_moves() == before
    with pytest.raises(ValueError, match="'z1a1' is no move"):
        parse_move(DUEL, "z1a1")


@pytest.mark.parametrize(
    ("move", "fault"),
    [
        ("b1b2", "a flag never moves"),
        ("c1c2", "a mine never moves"),
        ("d1d2", "no piece leaves a headquarters"),
        ("a6a6", "it stands there"),
        ("a6b6", "a piece of its own army stands there"),
        ("a6a8", "the piece on a7 stands in the way"),
        ("a6c7", "only an engineer turns on the rails"),
        ("d6a7", "the rails are blocked"),
        ("a6b8", "no road or rail leads there"),
    ],
)
def test_a_refusal_says_what_is_wrong(move: str, fault: str) -> None:
    position = Position("duel")
    position.deploy([LINEUP, LINEUP])
    with pytest.raises(IllegalMove) as refused:
        position.push(parse_move(DUEL, move))
    assert str(refused.value) == f"{move} is not legal: {fault}"


@pytest.mark.parametrize(
    ("move", "fault"),
    [
        ("g6h5", "a piece in a camp cannot be attacked"),
        ("g6i6", "a piece of its own team stands there"),
        ("g6d7", "the piece on e7 stands in the way"),
    ],
)
def test_a_refusal_with_four_seats(move: str, fault: str) -> None:
    position = Position("siguo")
    for seat, square in ((0, "g6"), (1, "h5"), (1, "e7"), (2, "i6")):
        position.place(seat, SIGUO.numbers[square], PIECES.index("9"))
    assert position.complaint(parse_move(SIGUO, move)) == f"{move} is not legal: {fault}"


@pytest.mark.parametrize(
    ("told", "possible"),
    [
        (("BOMB", [], []), True),
        (("BOMB", [(1, "b12")], []), True),  # it was the commander; the flag stands in the other headquarters
        (("BOMB", [(1, "d12")], []), False),  # the flag cannot stand where a piece has just died
        (("BOMB", [], [(1, "flag")]), True),
        (("BOMB", [(1, "b12")], [(1, "flag")]), False),
        (("KILLED", [], []), False),
        (("EAT", [], []), False),
        (("MOVE", [], []), False),
    ],
)
def test_possible_reports_of_a_bomb_on_a_headquarters(
    told: tuple[str, list[tuple[int, str]], list[tuple[int, str]]], possible: bool
) -> None:
    position = Position("duel")
    for seat, square, letter in ((0, "d11", "B"), (0, "b1", "F"), (1, "d12", "?"), (1, "b12", "?"), (1, "a7", "?")):
        position.place(seat, DUEL.numbers[square], PIECES.index(letter))
    result, flags, outs = told
    before = everything(position)
    points = [(seat, DUEL.numbers[square]) for seat, square in flags]
    if possible:
        position.report(parse_move(DUEL, "d11d12"), RESULTS.index(result), points, outs)
        assert position.piece_at(DUEL.numbers["d12"]) is None
    else:
        with pytest.raises(Contradiction):
            position.report(parse_move(DUEL, "d11d12"), RESULTS.index(result), points, outs)
        assert everything(position) == before


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_every_move_has_one_name(variant: Variant) -> None:
    for origin in range(variant.size):
        for target in (*variant.roads[origin], *(point for _, line in variant.runs[origin] for point in line)):
            move = origin << 8 | target
            assert parse_move(variant, move_text(variant, move)) == move
