"""Moves and legality against independent programs and a plain second implementation."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from types import ModuleType

import pyffish
import pytest

from search_core.perft import Perft
from ucci_engine.extra_pieces import ExtraPiecesPosition
from ucci_engine.points import START_FEN, move_text
from ucci_engine.position import Position

# ---------------------------------------------------------------- the plain second implementation
# Dictionaries of pieces, no tables, no speed.

Square = tuple[int, int]  # file, rank from Red's side
Pieces = dict[Square, str]  # FEN letters

VALUES = {"k": 10000, "r": 950, "c": 460, "n": 450, "b": 200, "a": 200, "p": 100}


def pieces_of(fen: str) -> tuple[Pieces, bool]:
    """The pieces of a FEN in the standard spelling, and whether Red is to move."""
    board, side = fen.split()[:2]
    pieces: Pieces = {}
    for index, row in enumerate(board.split("/")):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                pieces[file, 9 - index] = letter
                file += 1
    return pieces, side == "w"


def number(square: Square) -> int:
    return square[1] * 9 + square[0]


def on_board(square: Square) -> bool:
    return 0 <= square[0] <= 8 and 0 <= square[1] <= 9


def in_palace(square: Square, red: bool) -> bool:
    return 3 <= square[0] <= 5 and (0 <= square[1] <= 2 if red else 7 <= square[1] <= 9)


def targets(pieces: Pieces, origin: Square) -> Iterator[Square]:
    """The points a piece can go to, own pieces' points included, without regard to the kings' safety."""
    letter = pieces[origin]
    red, kind = letter.isupper(), letter.lower()
    file, rank = origin
    if kind == "k":
        for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            if in_palace((file + step[0], rank + step[1]), red):
                yield file + step[0], rank + step[1]
    elif kind == "a":
        for step in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            if in_palace((file + step[0], rank + step[1]), red):
                yield file + step[0], rank + step[1]
    elif kind == "b":
        for step in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            to = (file + 2 * step[0], rank + 2 * step[1])
            home = to[1] <= 4 if red else to[1] >= 5
            if on_board(to) and home and (file + step[0], rank + step[1]) not in pieces:
                yield to
    elif kind == "n":
        for leg in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            if (file + leg[0], rank + leg[1]) in pieces:
                continue
            for side in (1, -1):
                to = (file + 2 * leg[0] + side * leg[1], rank + 2 * leg[1] + side * leg[0])
                if on_board(to):
                    yield to
    elif kind == "p":
        forward = 1 if red else -1
        steps = [(0, forward)]
        if rank >= 5 if red else rank <= 4:
            steps += [(1, 0), (-1, 0)]
        for step in steps:
            if on_board((file + step[0], rank + step[1])):
                yield file + step[0], rank + step[1]
    else:
        for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            to = (file + step[0], rank + step[1])
            while on_board(to) and to not in pieces:
                yield to
                to = (to[0] + step[0], to[1] + step[1])
            if kind == "c":
                to = (to[0] + step[0], to[1] + step[1])
                while on_board(to) and to not in pieces:
                    to = (to[0] + step[0], to[1] + step[1])
            if on_board(to):
                yield to


def pseudo_legal_moves(pieces: Pieces, red: bool) -> set[int]:
    """Moves as the engine numbers them, without regard to the kings' safety."""
    return {
        number(origin) | number(to) << 7
        for origin, letter in pieces.items()
        if letter.isupper() == red
        for to in targets(pieces, origin)
        if to not in pieces or pieces[to].isupper() != red
    }


def attackers(pieces: Pieces, target: Square, red: bool) -> list[Square]:
    return [
        origin for origin, letter in pieces.items() if letter.isupper() == red and target in targets(pieces, origin)
    ]


def exchange_values(pieces: Pieces, origin: Square, target: Square) -> set[int]:
    """The possible values, in centipawns, of the exchange on `target` that a move begins.

    Each side takes with its least valuable piece or stops; a king does not take
    what is guarded. Where two pieces are equally cheap, either may go first:
    hence a set.
    """
    gained = VALUES[pieces[target].lower()] if target in pieces else 0
    after = dict(pieces)
    after[target] = after.pop(origin)
    replies = recapture_values(after, target, not pieces[origin].isupper())
    return {gained - reply for reply in replies}


def recapture_values(pieces: Pieces, target: Square, red: bool) -> set[int]:
    candidates = attackers(pieces, target, red)
    if not candidates:
        return {0}
    cheapest = min(VALUES[pieces[origin].lower()] for origin in candidates)
    values = set()
    for origin in candidates:
        if VALUES[pieces[origin].lower()] != cheapest:
            continue
        if pieces[origin].lower() == "k":
            after = dict(pieces)
            after[target] = after.pop(origin)
            if attackers(after, target, not red):
                values.add(0)
                continue
        values |= {max(0, value) for value in exchange_values(pieces, origin, target)}
    return values


# ---------------------------------------------------------------- tests


def fairy_move(move: int) -> str:
    """A move with ranks counted from 1, as Fairy-Stockfish does."""
    text = move_text(move)
    return f"{text[0]}{int(text[1]) + 1}{text[2]}{int(text[3]) + 1}"


def random_positions(seed: int, count: int, greed: float) -> list[str]:
    """FENs of random games; `greed` is how often a capture is preferred, which empties the board."""
    rng = random.Random(seed)
    fens: list[str] = []
    while len(fens) < count:
        position = Position()
        for _ in range(rng.randrange(4, 220)):
            moves = position.legal_moves()
            if not moves:
                break
            captures = [move for move in moves if position.piece_at(move >> 7)]
            position.push(rng.choice(captures if captures and rng.random() < greed else moves))
        if position.legal_moves():
            fens.append(position.fen())
    return fens


def mixed_positions(seed: int, count: int) -> list[str]:
    """A third each of full boards, middle games and sparse endings; checks among them."""
    fens = [fen for part, greed in enumerate((0.0, 0.3, 0.9)) for fen in random_positions(seed + part, count, greed)]
    in_check = [fen for fen in fens if Position(fen).checked]
    return in_check[: count // 6] + fens[::3][: count - min(len(in_check), count // 6)]


def divide(position: Position, depth: int) -> Iterator[tuple[int, int]]:
    return Perft(position, depth).divide(position.legal_moves())


@pytest.mark.parametrize(("depth", "leaves"), [(1, 44), (2, 1920), (3, 79666), (4, 3290240), (5, 133312995)])
def test_perft_from_the_start(depth: int, leaves: int) -> None:
    assert Perft(Position(), depth).total() == leaves


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_counted_leaves_equal_made_leaves(depth: int) -> None:
    for fen in [START_FEN, *random_positions(31, 4, 0.3)]:
        position = Position(fen)
        if depth < 4 or fen == START_FEN:
            assert Perft(position, depth).total() == Perft(position, depth, makes_leaves=True).total()


@pytest.mark.parametrize("number", [14, pytest.param(80, marks=pytest.mark.long)])
def test_perft_2_by_move_equals_pyffish(number: int) -> None:
    fens = mixed_positions(1, number)
    assert len(fens) == number
    assert sum(Position(fen).checked for fen in fens) >= number // 14
    assert sum(len(pieces_of(fen)[0]) <= 12 for fen in fens) >= number // 14
    for fen in fens:
        position = Position(fen)
        ours = {fairy_move(move): count for move, count in divide(position, 2)}
        theirs = {
            move: len(pyffish.legal_moves("xiangqi", fen, [move])) for move in pyffish.legal_moves("xiangqi", fen, [])
        }
        assert ours == theirs, fen


@pytest.mark.parametrize("number", [12, pytest.param(36, marks=pytest.mark.long)])
def test_perft_4_by_move_equals_fairy_stockfish(number: int) -> None:
    program = shutil.which("fairy-stockfish", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    if program is None:
        pytest.skip("fairy-stockfish is not installed")
    fens = mixed_positions(7, number)
    lines = ["uci", "setoption name UCI_Variant value xiangqi"]
    for fen in fens:
        lines += [f"position fen {fen}", "go perft 4"]
    answer = subprocess.run(
        [program], input="\n".join([*lines, "quit", ""]), capture_output=True, text=True, check=True, timeout=280
    ).stdout
    tables = answer.split("Nodes searched:")[:-1]
    assert len(tables) == len(fens) == number
    for fen, table in zip(fens, tables, strict=True):
        theirs = {move: int(count) for move, count in re.findall(r"^([a-i]\d+[a-i]\d+): (\d+)$", table, re.MULTILINE)}
        ours = {fairy_move(move): count for move, count in divide(Position(fen), 4)}
        assert ours == theirs, fen


def test_trying_moves_changes_nothing(probe: ModuleType) -> None:
    def state() -> tuple[object, ...]:
        squares = [position.piece_at(square) for square in range(90)]
        return squares, position.key, position.side, position.plies, position.evaluate_cp(), probe.board_bytes(position)

    rng = random.Random(23)
    illegal = 0
    for fen in mixed_positions(29, 12):
        position = Position(fen)
        trail: list[tuple[object, ...]] = []
        while len(trail) < 40 and (moves := position.legal_moves()):
            trail.append(state())
            illegal += probe.try_every_move(position)
            assert Perft(position, 1).total() == len(moves)  # counts some of them in place
            assert state() == trail[-1]
            position.push(rng.choice(moves))
        while trail:
            position.pop()
            assert state() == trail.pop()
    assert illegal > 100


def test_stages_and_pseudo_legal_equal_the_oracle(probe: ModuleType) -> None:
    for fen in mixed_positions(40, 60):
        position = Position(fen)
        pieces, red = pieces_of(fen)
        expected = pseudo_legal_moves(pieces, red)
        noisy, quiet = probe.stage_moves(position, "noisy"), probe.stage_moves(position, "quiet")
        assert len(noisy) + len(quiet) == len(expected) <= position.max_moves
        assert set(noisy) | set(quiet) == expected
        assert all(position.piece_at(move >> 7) for move in noisy)
        assert not any(position.piece_at(move >> 7) for move in quiet)
        evasions = probe.stage_moves(position, "evasion")
        assert set(position.legal_moves()) <= set(evasions) <= expected
        if not position.checked:
            assert set(evasions) == expected
        assert {move for move in range(1 << 15) if probe.pseudo_legal(position, move)} == expected
        assert {move for move in range(1 << 14) if position.is_legal(move)} == set(position.legal_moves())


@pytest.mark.parametrize("number", [200, pytest.param(600, marks=pytest.mark.long)])
def test_the_quiet_checks_are_the_quiet_moves_that_give_check(probe: ModuleType, number: int) -> None:
    found = 0
    for fen in mixed_positions(41, number):
        for position in (Position(fen), ExtraPiecesPosition(fen)):
            checks = probe.stage_moves(position, "checks")
            quiet = probe.stage_moves(position, "quiet")
            assert set(checks) <= set(quiet)
            assert len(set(checks)) == len(checks)
            legal = set(position.legal_moves())
            # A move that lets the kings face each other gives check, too, but it is not legal.
            assert legal & set(checks) == {move for move in quiet if move in legal and checked_by(position, move)}, fen
            found += len(legal & set(checks))
    assert found > number


def checked_by(position: Position, move: int) -> bool:
    position.push(move)
    checked = position.checked
    position.pop()
    return checked


def test_each_piece_and_target_has_its_history_slot(probe: ModuleType) -> None:
    for fen in mixed_positions(50, 80):
        position = Position(fen)
        moves = position.legal_moves()
        kept = {(probe.history_slot(position, move), position.piece_at(move & 127), move >> 7) for move in moves}
        assert len({slot for slot, _, _ in kept}) == len(kept)


def test_static_exchange_equals_the_oracle(probe: ModuleType) -> None:
    compared = 0
    for fen in mixed_positions(60, 90):
        position = Position(fen)
        pieces, _red = pieces_of(fen)
        for move in position.legal_moves():
            origin, target = move & 127, move >> 7
            squares = (origin % 9, origin // 9), (target % 9, target // 9)
            if pieces[squares[0]].lower() == "k":
                continue
            values = exchange_values(pieces, *squares)
            if len(values) > 1:
                continue  # this test does not decide which of two equal pieces goes first
            value = values.pop()
            assert probe.see_ge(position, move, value), (fen, move_text(move), value)
            assert not probe.see_ge(position, move, value + 1), (fen, move_text(move), value)
            compared += 1
    assert compared > 1500
