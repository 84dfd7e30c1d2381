"""Verdicts on repetitions and draws: the cases of tests/data/repetition.toml, and what must hold for any game."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyffish
import pytest

from tests.helpers import xiangqi_repetition_reference as reference
from tests.helpers.xiangqi_cycles import board_text, for_pyffish, move_text, random_board, random_cycle
from ucci_engine.extra_pieces import ExtraPiecesPosition
from ucci_engine.points import parse_move
from ucci_engine.position import Position

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = Path(__file__).parents[2] / "data" / "repetition.toml"
CYCLES = CASES.with_name("repetition_cycles.txt")
MIN_VERDICTS = 120
MIN_CYCLES = 500
RESULTS = ("ongoing", "draw", "red loses", "black loses")
DRAWS = ("repetition", "no-capture", "material")

# The result after a game: FEN, moves, rule set, quiet limit in plies (None: no limit).
Judge = Callable[[str, Sequence[str], str, "int | None"], str]


def slow(fen: str, moves: Sequence[str], rule_set: str, quiet_limit: int | None) -> str:
    return reference.judge(fen, moves, rule_set, quiet_limit).result


def fast(
    fen: str, moves: Sequence[str], rule_set: str, quiet_limit: int | None, kind: type[Position] = Position
) -> str:
    position = kind(fen)
    position.set_rules(rule_set, quiet_limit)
    for move in moves:
        position.push(parse_move(move))
    result = position.result()
    if result in DRAWS:
        return "draw"
    if result == "ongoing":
        return result
    mover_lost = result != "perpetual-win"
    return "red loses" if mover_lost == (position.side == 0) else "black loses"


def of_any_pieces(fen: str, moves: Sequence[str], rule_set: str, quiet_limit: int | None) -> str:
    return fast(fen, moves, rule_set, quiet_limit, ExtraPiecesPosition)


JUDGES: dict[str, Judge] = {"slow": slow, "fast": fast, "any pieces": of_any_pieces}
by_each_judge = pytest.mark.parametrize(
    "judge",
    [
        pytest.param(slow, id="slow", marks=pytest.mark.long),  # the reference, which the other two are compared with
        pytest.param(fast, id="fast"),
        pytest.param(of_any_pieces, id="any pieces"),
    ],
)


class Case(NamedTuple):
    """One verdict of the file."""

    name: str
    fen: str
    moves: list[str]
    rule_set: str
    quiet_limit: int | None
    verdict: str
    source: str


def read_cases() -> Iterator[Case]:
    with CASES.open("rb") as file:
        tables: list[dict[str, Any]] = tomllib.load(file)["case"]
    for table in tables:
        limit = table.get("quiet_limit", reference.QUIET_LIMIT) or None
        for rule_set in reference.RULE_SETS:
            if rule_set in table:
                yield Case(
                    table["name"],
                    table["fen"],
                    table["moves"].split(),
                    rule_set,
                    limit,
                    table[rule_set]["verdict"],
                    table[rule_set]["source"],
                )


ALL = list(read_cases())


def test_the_file_is_complete() -> None:
    assert len(ALL) >= MIN_VERDICTS
    assert len({(case.name, case.rule_set) for case in ALL}) == len(ALL)
    assert {case.rule_set for case in ALL} == set(reference.RULE_SETS)
    for case in ALL:
        assert case.verdict in RESULTS, case.name
        assert case.source, case.name


def test_all_moves_are_legal() -> None:
    with pytest.raises((ValueError, SystemError)):  # what pyffish says of an illegal move
        pyffish.get_fen("xiangqi", ALL[0].fen, ["a1a1"])
    for fen, moves in {(case.fen, tuple(case.moves)) for case in ALL}:
        pyffish.get_fen("xiangqi", fen, [for_pyffish(move) for move in moves])
        position = Position(fen)
        for move in moves:
            position.push(parse_move(move))


@pytest.mark.parametrize("judge", JUDGES.values(), ids=JUDGES)
@pytest.mark.parametrize("rule_set", reference.RULE_SETS)
def test_verdicts(judge: Judge, rule_set: str) -> None:
    wrong = [
        (case.name, case.verdict, found)
        for case in ALL
        if case.rule_set == rule_set
        and (found := judge(case.fen, case.moves, rule_set, case.quiet_limit)) != case.verdict
    ]
    assert not wrong


# ---------------------------------------------------------------- what must hold for any game


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.long)])
def test_both_judges_agree_on_random_cycles(step: int) -> None:
    lines = CYCLES.read_text(encoding="utf-8").splitlines()
    cycles = [line.split(";") for line in lines if not line.startswith("#")]
    assert len(cycles) >= MIN_CYCLES
    for fen, moves in cycles[::step]:
        for rule_set in reference.RULE_SETS:
            twice = moves.split() * 2
            verdict = slow(fen, twice, rule_set, None)
            assert fast(fen, twice, rule_set, None) == verdict, (fen, moves, rule_set)
            assert of_any_pieces(fen, twice, rule_set, None) == verdict, (fen, moves, rule_set)


def mirrored(text: str) -> str:
    """A move on the board that is mirrored left to right."""
    return "".join("abcdefghi"[8 - "abcdefghi".index(letter)] if letter.isalpha() else letter for letter in text)


def turned(text: str) -> str:
    """A move on the board with the colours exchanged."""
    return "".join(str(9 - int(letter)) if letter.isdigit() else letter for letter in text)


def test_the_reference_agrees_with_pyffish_on_legal_moves() -> None:
    chance = random.Random(16)
    for _ in range(100):
        board = random_board(chance)
        ours = {for_pyffish(move_text(move)) for move in reference.legal_moves(board, True)}
        assert ours == set(pyffish.legal_moves("xiangqi", board_text(board, True), [])), board_text(board, True)


@by_each_judge
@pytest.mark.parametrize("rule_set", reference.RULE_SETS)
def test_mirrored_and_turned_games_get_the_same_verdict(judge: Judge, rule_set: str) -> None:
    chance = random.Random(17)
    swap = {"red loses": "black loses", "black loses": "red loses"}
    for _ in range(40):
        board, cycle = random_cycle(chance)
        left_right = {(8 - x, y): piece for (x, y), piece in board.items()}
        colours = {
            (x, 9 - y): reference.Piece(piece.letter.swapcase(), piece.number) for (x, y), piece in board.items()
        }
        fen = board_text(board, True)
        verdict = judge(fen, cycle * 2, rule_set, None)
        assert judge(board_text(left_right, True), [mirrored(move) for move in cycle * 2], rule_set, None) == verdict, (
            fen
        )
        other = judge(board_text(colours, False), [turned(move) for move in cycle * 2], rule_set, None)
        assert other == swap.get(verdict, verdict), fen


@by_each_judge
@pytest.mark.parametrize("rule_set", reference.RULE_SETS)
def test_a_cycle_has_one_verdict_wherever_it_begins(judge: Judge, rule_set: str) -> None:
    chance = random.Random(18)
    for _ in range(40):
        board, cycle = random_cycle(chance)
        fen = board_text(board, True)
        rounds = [judge(fen, (cycle * 4)[:plies], rule_set, None) for plies in range(8, 14)]
        assert len(set(rounds)) == 1, (fen, cycle)
        assert rule_set != "Draw" or rounds[0] == "draw"
