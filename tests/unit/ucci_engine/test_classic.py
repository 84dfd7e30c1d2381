"""The classic players: they search what they say, obey the rules, and the same seed gives the same game."""

from __future__ import annotations

import pytest

from search_core.signals import Signals
from search_core.thinker import Limits
from ucci_engine.classic import find
from ucci_engine.classic_player import ClassicPlayer
from ucci_engine.extra_pieces import open_position
from ucci_engine.levels import CLASSIC_1PLY, CLASSIC_4PLY, CLASSIC_PLAYERS
from ucci_engine.points import move_text, parse_move
from ucci_engine.position import Position

KING = 1500
RULED = 1400
VALUES = {
    CLASSIC_1PLY: {"k": 1500, "a": 10, "b": 10, "n": 50, "r": 100, "c": 50, "p": 20},
    CLASSIC_4PLY: {"k": 1500, "a": 60, "b": 60, "n": 80, "r": 100, "c": 80, "p": 10},
}
UNITS = {CLASSIC_1PLY: 5, CLASSIC_4PLY: 10}
DEPTHS = {CLASSIC_1PLY: 1, CLASSIC_4PLY: 4}
CHECKS = "3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1"


def material(position: Position, name: str) -> int:
    """The balance for the side to move, in the player's units."""
    total = 0
    for square in range(90):
        letter = position.piece_at(square)
        if letter:
            value = VALUES[name][letter.lower()]
            rank = square // 9 if letter.isupper() else 9 - square // 9
            if letter in "Pp" and name == CLASSIC_4PLY and rank >= 5:
                value = 20
            total += value if letter.isupper() else -value
    return -total if position.side else total


def minimax(position: Position, name: str, depth: int, ply: int = 0) -> int:
    """What a move is worth by the definition, without any pruning."""
    if ply:
        result = position.result()
        if result.startswith("perpetual"):
            return RULED if result == "perpetual-win" else -RULED
        if result in ("repetition", "no-capture", "material"):
            return 0
        if result == "mate":
            return ply - KING
    if depth == 0:
        return material(position, name)
    best = ply - KING
    for move in position.legal_moves():
        position.push(move)
        best = max(best, -minimax(position, name, depth - 1, ply + 1))
        position.pop()
    return best


def found(name: str, position: Position, seed: int = 1, **limits: tuple[int, ...]) -> int | None:
    return find(position, name, seed, Signals(), **limits)[0]


@pytest.mark.parametrize(
    ("name", "fen"),
    [
        (CLASSIC_1PLY, "r1bakab1r/9/1cn4cn/p1p1p1p1p/9/9/P1P1P1P1P/NC2C4/9/R1BAKABNR w"),
        (CLASSIC_1PLY, "3ak4/4a4/9/9/2p6/2R6/9/9/4c4/4K4 b"),
        (CLASSIC_4PLY, "3ak4/9/4b4/9/2p3n2/9/4P4/9/4R4/3K5 w"),
        (CLASSIC_4PLY, "4k4/4a4/9/4P4/9/6c2/9/4B4/9/3K2R2 b"),
        (CLASSIC_4PLY, "3k5/4P4/9/9/9/9/4p4/9/9/4K1R2 w"),
        (CLASSIC_4PLY, "3k5/9/3PP4/9/9/9/9/9/2p1p4/4K4 w"),
    ],
)
def test_the_score_is_that_of_plain_minimax(name: str, fen: str) -> None:
    position = Position(fen)
    best, score, depth, nodes, line = find(position, name, 7, Signals())
    assert score == minimax(position, name, DEPTHS[name]) * UNITS[name]
    assert depth == DEPTHS[name]
    assert nodes > 0
    assert line[0] == best
    for move in line:
        position.push(move)


def test_equal_moves_are_drawn_among_all_that_are_best() -> None:
    position = Position("3ak4/9/4b4/9/2p3n2/9/4P4/9/4R4/3K5 w")
    best = minimax(position, CLASSIC_4PLY, 4)
    wanted = set()
    for move in position.legal_moves():
        position.push(move)
        if -minimax(position, CLASSIC_4PLY, 3, 1) == best:
            wanted.add(move)
        position.pop()
    assert {found(CLASSIC_4PLY, position, seed) for seed in range(120)} == wanted


def game(names: tuple[str, str], seed: int, fen: str = Position().fen(), most: int = 120) -> list[str]:
    """The moves of a game, each of them legal."""
    position, moves = open_position(fen), []
    while position.result() == "ongoing" and position.plies < most:
        move = found(names[position.side], position, seed)
        assert move is not None
        position.push(move)
        moves.append(move_text(move))
    return moves


@pytest.mark.parametrize("name", CLASSIC_PLAYERS)
def test_the_same_seed_gives_the_same_game(name: str) -> None:
    assert game((name, name), 3, most=40) == game((name, name), 3, most=40)
    assert len({tuple(game((name, name), seed, most=10)) for seed in range(20)}) > 15


def test_more_pieces_than_a_set() -> None:
    crowded = "rrrrkrrrr/9/9/9/9/4p4/9/9/9/CCCCKCCCC w"
    assert len(game((CLASSIC_1PLY, CLASSIC_4PLY), 1, crowded, 20)) > 3


@pytest.mark.parametrize("name", CLASSIC_PLAYERS)
def test_a_mate_in_one_is_played(name: str) -> None:
    position = Position("3k5/R8/9/9/9/9/9/9/1R7/4K4 w")
    for seed in range(20):
        move = found(name, position, seed)
        assert move is not None
        position.push(move)
        assert position.result() in ("mate", "stalemate")
        position.pop()


@pytest.mark.parametrize("name", CLASSIC_PLAYERS)
def test_no_perpetual_check_while_another_move_is_there(name: str) -> None:
    position = Position(CHECKS)
    for move in ("a8a9", "d9d8", "a9a8", "d8d9", "a8a9", "d9d8"):
        position.push(parse_move(move))
    losing = parse_move("a9a8")  # after its reply d8d9 the position is there for the third time
    assert losing not in {found(name, position, seed) for seed in range(100)}
    assert found(name, position, root_moves=(losing,)) == losing


@pytest.mark.parametrize("name", CLASSIC_PLAYERS)
def test_the_limits_on_root_moves(name: str) -> None:
    position = Position()
    moves = position.legal_moves()
    assert found(name, position, root_moves=tuple(moves[:1])) == moves[0]
    assert found(name, position, root_moves=tuple(moves[:2]), excluded_moves=(moves[0],)) == moves[1]
    assert found(name, position, excluded_moves=tuple(moves)) is None


def test_a_stop_gives_a_move_at_once() -> None:
    signals = Signals()
    signals.stop()
    best, _, depth, nodes, _ = find(Position(), CLASSIC_4PLY, 1, signals)
    assert best in Position().legal_moves()
    assert 1 <= depth < 4
    assert nodes < 3000


def test_other_limits_change_nothing() -> None:
    player = ClassicPlayer(CLASSIC_4PLY, seed=5)
    position = Position()
    assert (
        player.search(position, Limits(depth=1, nodes=1, hard_ms=1)).lines[0].pv == player.search(position).lines[0].pv
    )


def test_four_plies_beat_one() -> None:
    for seed in range(4):
        names = (CLASSIC_1PLY, CLASSIC_4PLY) if seed % 2 else (CLASSIC_4PLY, CLASSIC_1PLY)
        position = Position()
        for text in game(names, seed, most=300):
            position.push(parse_move(text))
        assert position.result() == "mate"
        assert names[position.side] == CLASSIC_1PLY
