"""The levels: the table, the same game from the same seed, and what no level may miss."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import copy
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomoku_protocol.levels import LEVELS as GOMOKU_LEVELS
from gomoku_protocol.points import RENJU, RULES, STANDARD, move_at, point_of
from gomoku_protocol.position import Position as GomokuPosition
from search_core.engine import Engine, Info, Limits, Result
from search_core.game import Game
from search_core.level_play import MAX_SHOWN
from search_core.levels import FULL, Level, by_elo, by_name, by_skill, by_strength, choices
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable
from search_core.weak_search import WeakSearch
from tests.helpers.xiangqi_crowds import random_fen
from ucci_engine.extra_pieces import open_position
from ucci_engine.fen import FenError, KingCapture
from ucci_engine.levels import LEVELS as XIANGQI_LEVELS
from ucci_engine.points import parse_move
from ucci_engine.position import Position

TABLES = {"xiangqi": XIANGQI_LEVELS, "gomoku": GOMOKU_LEVELS}
FIRST_SAFE = 10
"""From this level on, no mate in one, no five and no four is missed."""
CAP = 1500
"""Nodes: the upper levels look no farther in these tests."""
NOTHING = dict.fromkeys(
    (
        "seed",
        "nodes",
        "depth",
        "blind_permille",
        "careless_permille",
        "unrelated_permille",
        "quiescence_plies",
        "sees_captures",
    ),
    0,
)


def searched(game: Game, level: Level, seed: int, nodes: int = CAP) -> Result:
    with Engine() as engine:
        return engine.search(game, Limits(level=level, seed=seed, nodes=nodes))


def strolled(chance: random.Random, plies: int) -> Position:
    """A position after random moves; not the last one of a game."""
    position = Position()
    for _ in range(plies):
        position.push(chance.choice(position.legal_moves()))
        if position.result() != "ongoing":
            position.pop()
            break
    return position


def crowded(chance: random.Random, stones: int, rule: int = STANDARD, size: int = 15) -> GomokuPosition:
    """Random stones near the centre; nobody has won."""
    position = GomokuPosition(size, size, rule)
    while len(position.moves) < stones:
        moves = [move for move in position.legal_moves() if abs(move % 32 - 5 - size // 2) <= 3]
        moves = [move for move in moves if abs(move // 32 - 5 - size // 2) <= 3] or position.legal_moves()
        if not moves:
            break
        position.push(chance.choice(moves))
        if position.winner is not None:
            position.pop()
            break
    return position


def fives(position: GomokuPosition) -> set[int]:
    """The points that win at once for the side to move."""
    found = set()
    for move in position.legal_moves():
        position.push(move)
        if position.winner is not None:
            found.add(move)
        position.pop()
    return found


def passed(position: GomokuPosition) -> GomokuPosition:
    """The position with the other side to move."""
    twin = GomokuPosition(position.width, position.height, position.rule)
    stones: tuple[list[int], list[int]] = ([], [])
    for y in range(position.height):
        for x in range(position.width):
            if position.stone_at(x, y) >= 0:
                stones[position.stone_at(x, y)].append(move_at(x, y))
    twin.set_up(*stones, side=1 - position.side)
    return twin


def mates(position: Position) -> set[int]:
    """The moves that mate or stalemate at once, which wins."""
    found = set()
    for move in position.legal_moves():
        position.push(move)
        if position.result() in ("mate", "stalemate"):
            found.add(move)
        position.pop()
    return found


# The table


@pytest.mark.parametrize("game", TABLES)
def test_the_table_goes_up(game: str) -> None:
    levels = TABLES[game]
    assert [level.number for level in levels] == list(range(1, 21))
    assert [level.name for level in levels] == [str(number) for number in range(1, 21)]
    for lower, upper in pairwise(levels):
        # The last one of Xiangqi plays with the net, which is as strong with fewer nodes.
        assert upper.nodes > lower.nodes or upper is XIANGQI_LEVELS[-1]
        assert upper.elo > lower.elo
        assert upper.blind_permille <= lower.blind_permille
        # To see more or farther is worth so much that the level above must choose less well, to be no leap.
        assert (
            upper.root_window <= lower.root_window
            or upper.root_depth > lower.root_depth
            or upper.solver_plies > lower.solver_plies
            or upper.sees_captures > lower.sees_captures
        )
        assert upper.careless_permille <= lower.careless_permille or upper.sees_captures > lower.sees_captures
        assert upper.prejudice_permille <= lower.prejudice_permille or upper.careful > lower.careful
        assert upper.sees_captures >= lower.sees_captures
        assert (upper.solver_plies or 999) >= (lower.solver_plies or 999)
        assert upper.careful >= lower.careful or not upper.blind_permille
    assert all(level.root_window == 0 for level in levels[10:])
    assert all(level.careless_permille == 0 for level in levels[FIRST_SAFE - 1 :])
    assert levels[0].nodes <= 40
    assert levels[18].nodes > 150_000


def test_every_way_to_name_a_level() -> None:
    levels = XIANGQI_LEVELS
    assert by_name(levels, FULL) is None
    assert by_name(levels, "weights") is None
    assert by_name(levels, "1") is levels[0]
    assert by_name(levels, "20") is levels[19]
    assert by_skill(levels, 0) is levels[0]
    assert by_skill(levels, 19) is levels[19]
    assert by_skill(levels, 20) is None
    assert by_strength(levels, 0) is levels[0]
    assert by_strength(levels, 99) is levels[19]
    assert by_strength(levels, 100) is None
    assert all(by_elo(levels, level.elo) is level for level in levels)
    assert by_elo(levels, -5000) is levels[0]
    assert choices("a")[:3] == (FULL, "a", "20")


# Full strength


@pytest.mark.parametrize("game", [Position(), GomokuPosition()])
def test_a_handicap_of_nothing_changes_nothing(game: Game) -> None:
    full = Search(game.copy(), TranspositionTable(4), Signals())
    weak = WeakSearch(game.copy(), TranspositionTable(4), Signals())
    weak.weaken(NOTHING)
    for search in (full, weak):
        search.depth_limit = 6
        search.init_root_moves()
        search.run()
    assert weak.nodes == full.nodes
    assert weak.lines() == full.lines()


# Moves that have to do with the board


def joins_line(position: GomokuPosition, move: int) -> bool:
    """Whether five points in a row, with this one, hold two stones or more of one colour and none of the other."""
    x, y = point_of(move)
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for start in range(-4, 1):
            window = [(x + (start + step) * dx, y + (start + step) * dy) for step in range(5)]
            if all(0 <= column < 15 and 0 <= row < 15 for column, row in window):
                stones = [position.stone_at(column, row) for column, row in window]
                if any(stones.count(side) >= 2 and stones.count(1 - side) == 0 for side in (0, 1)):
                    return True
    return False


def test_lower_levels_of_gomoku_look_where_stones_are() -> None:
    """In the same positions, with the weakness and without."""
    related = {True: 0, False: 0}
    positions = 0
    for seed in range(5):
        chance, position = random.Random(seed), GomokuPosition()
        for _ in range(14):
            position.push(chance.choice([move for move in position.legal_moves() if near(move)]))
            if position.winner is not None or not any(joins_line(position, move) for move in position.legal_moves()):
                continue
            positions += 1
            for row in GOMOKU_LEVELS[1:5]:
                for weak in related:
                    level = copy(row)
                    level.unrelated_permille *= weak
                    best = searched(position, level, seed).best
                    assert best is not None
                    related[weak] += joins_line(position, best)
    assert positions > 40
    assert related[True] > 0.85 * 4 * positions > related[False] + 0.1 * 4 * positions, related


def near(move: int) -> bool:
    """Whether a move is in the middle of a board of 15x15."""
    x, y = point_of(move)
    return 4 <= x <= 10 and 4 <= y <= 10


# The same seed, the same game


@pytest.mark.parametrize("game", TABLES)
@pytest.mark.parametrize("number", [2, 8, 9])
def test_a_game_depends_on_its_seed_alone(game: str, number: int) -> None:
    level = TABLES[game][number - 1]

    def moves(seed: int, *, distracted: bool = False) -> list[int]:
        position: Position | GomokuPosition = Position() if game == "xiangqi" else GomokuPosition()
        played: list[int] = []
        with Engine() as engine:
            for _ in range(8):
                if distracted:
                    engine.search(position, Limits(nodes=3000))
                    engine.search(position, Limits(level=level, seed=seed))
                best = engine.search(position, Limits(level=level, seed=seed)).best
                assert best is not None
                position.push(best)
                played.append(best)
                if game == "gomoku" and isinstance(position, GomokuPosition) and position.winner is not None:
                    break
        return played

    assert moves(5) == moves(5, distracted=True)
    assert len({tuple(moves(seed)) for seed in range(5, 8)}) > 1


def test_a_position_that_is_searched_again_gives_the_same_move() -> None:
    """In these positions the level chooses among moves that lose little, one of which it plans."""
    line = list(map(parse_move, ["h2e2", "c9e7", "b2b5", "b9a7"]))
    for seed in range(6):
        position = Position()
        with Engine() as engine:
            limits = Limits(level=XIANGQI_LEVELS[8], seed=seed)
            for number in range(0, len(line) + 1, 2):
                found = [engine.search(position, limits).best for _ in range(3)]
                assert found == found[:1] * 3
                for move in line[number : number + 2]:
                    position.push(move)


def test_a_new_game_forgets_the_plan() -> None:
    level = XIANGQI_LEVELS[0]
    with Engine() as engine:
        first = [engine.search(Position(), Limits(level=level, seed=3)).best]
        engine.new_game()
        assert [engine.search(Position(), Limits(level=level, seed=3)).best] == first


# What a level shows and how it ends


def test_no_level_announces_a_mate() -> None:
    position = Position("4k4/9/9/9/9/9/9/9/9/R2K4R w")
    for level in XIANGQI_LEVELS[9:]:
        shown: list[Info] = []
        with Engine() as engine:
            result = engine.search(position, Limits(level=level, seed=1), shown.append)
        assert len(shown) == 1
        assert shown[0].pv[0] == result.best
        assert abs(result.score) <= MAX_SHOWN
        assert abs(shown[0].score) <= MAX_SHOWN


@pytest.mark.parametrize("game", TABLES)
def test_a_hard_limit_of_time_ends_a_level_early(game: str) -> None:
    position: Game = Position() if game == "xiangqi" else GomokuPosition()
    level = TABLES[game][19]
    with Engine() as engine:
        result = engine.search(position, Limits(level=level, hard_ms=1))
    assert result.best is not None
    assert result.nodes < level.nodes


def test_a_level_waits_for_a_stop_where_the_answer_is_not_wanted_yet() -> None:
    results: list[Result] = []
    with Engine() as engine:
        engine.go(Position(), Limits(level=XIANGQI_LEVELS[0], infinite=True), on_result=results.append)
        assert engine.thinking
        assert not results
        engine.stop()
        engine.wait()
        assert results[0].best is not None
        engine.go(Position(), Limits(level=XIANGQI_LEVELS[0], ponder=True), on_result=results.append)
        engine.ponderhit()
        engine.wait()
    assert len(results) == 2


def test_a_game_without_a_move_has_no_answer() -> None:
    position = Position("3k5/4P4/9/9/9/9/9/9/9/4K4 b")
    assert position.legal_moves() == []
    assert searched(position, XIANGQI_LEVELS[0], 1).best is None


def test_searchmoves_hold_at_every_level() -> None:
    position = Position()
    only = tuple(position.legal_moves()[:2])
    with Engine() as engine:
        for level in XIANGQI_LEVELS[::4]:
            result = engine.search(position, Limits(level=level, root_moves=only, nodes=CAP))
            assert result.best in only
            result = engine.search(position, Limits(level=level, excluded_moves=only, nodes=CAP))
            assert result.best not in only


# Never without a legal move


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 1 << 30), st.integers(0, 120), st.integers(1, 20), st.integers(0, 1 << 31))
def test_xiangqi_moves_are_legal(stroll: int, plies: int, number: int, seed: int) -> None:
    position = strolled(random.Random(stroll), plies)
    result = searched(position, XIANGQI_LEVELS[number - 1], seed)
    assert result.best in position.legal_moves()


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 1 << 30), st.integers(1, 20), st.integers(0, 1 << 31))
def test_moves_with_extra_pieces_are_legal(crowd: int, number: int, seed: int) -> None:
    try:
        position = open_position(random_fen(random.Random(crowd)))
    except (FenError, KingCapture):
        return
    result = searched(position, XIANGQI_LEVELS[number - 1], seed)
    legal = position.legal_moves()
    assert result.best in legal if legal else result.best is None


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    st.integers(0, 1 << 30),
    st.integers(0, 60),
    st.sampled_from(RULES),
    st.integers(5, 22),
    st.integers(1, 20),
    st.integers(0, 1 << 31),
)
def test_gomoku_moves_are_legal(stroll: int, stones: int, rule: int, size: int, number: int, seed: int) -> None:
    position = crowded(random.Random(stroll), stones, rule, size)
    result = searched(position.without_moves(), GOMOKU_LEVELS[number - 1], seed)
    legal = position.legal_moves()
    assert result.best in legal if legal else result.best is None


# What is never missed


def positions_with_a_mate(count: int) -> Iterator[Position]:
    chance = random.Random(18)
    while count:
        position = strolled(chance, chance.randint(20, 150))
        if mates(position):
            count -= 1
            yield position


def test_no_level_from_10_on_misses_a_mate_in_one() -> None:
    for number, position in enumerate(positions_with_a_mate(30)):
        for level in XIANGQI_LEVELS[FIRST_SAFE - 1 :: 3]:
            for seed in (number, 1000 + number):
                assert searched(position, level, seed).best in mates(position), (position.fen(), level.number, seed)


@pytest.mark.parametrize("number", [8, pytest.param(11, marks=pytest.mark.long)])
def test_a_careful_level_loses_less_that_three_plies_show(number: int) -> None:
    careful = XIANGQI_LEVELS[number - 1]
    hasty = copy(careful)
    hasty.careful = 0
    losses: dict[Level, list[int]] = {careful: [], hasty: []}
    chance = random.Random(20)
    with Engine() as engine:
        for seed in range(100):
            position = strolled(chance, chance.randint(20, 100))
            best = engine.search(position, Limits(depth=3)).score
            for level, found in losses.items():
                move = searched(position, level, seed).best
                assert move is not None
                loss = best - engine.search(position, Limits(depth=3, root_moves=(move,))).score
                found.append(min(loss, 1000))
    assert sum(losses[careful]) < 0.9 * sum(losses[hasty])


def test_no_level_from_10_on_misses_a_five_or_a_four() -> None:
    chance = random.Random(19)
    own = stopped = 0
    for number in range(200):
        position = crowded(chance, chance.randint(8, 40), chance.choice([rule for rule in RULES if rule != RENJU]))
        wins = fives(position)
        threats = set() if wins else fives(passed(position))
        if not wins and len(threats) != 1:
            continue
        own += bool(wins)
        stopped += bool(threats)
        for level in GOMOKU_LEVELS[FIRST_SAFE - 1 :: 3]:
            best = searched(position.without_moves(), level, number).best
            assert best is not None
            position.push(best)
            done = position.winner is not None if wins else not fives(position)  # in caro, other points stop it too
            position.pop()
            assert done, (position.moves, best, level.number, number)
    assert min(own, stopped) >= 10


def test_a_beginner_overlooks_plain_captures_and_mates() -> None:
    position = Position("3ak4/4a4/2n6/4R4/9/9/P8/9/9/3K1A3 w")  # a horse attacks the rook
    left = 0
    for seed in range(40):
        best = searched(position, XIANGQI_LEVELS[0], seed).best
        assert best is not None
        position.push(best)
        left += any(position.piece_at(move >> 7) == "R" for move in position.legal_moves())
        position.pop()
    assert 0 < left < 20
    mate = Position("3k5/9/R8/1R7/9/9/9/9/9/4K4 w")
    missed = sum(searched(mate, XIANGQI_LEVELS[0], seed).best not in mates(mate) for seed in range(40))
    assert 0 < missed < 20


@pytest.mark.parametrize("level", GOMOKU_LEVELS[:2])
def test_a_beginner_extends_its_own_three_and_leaves_the_opponents(level: Level) -> None:
    def point_after(stones: list[tuple[int, int]], seed: int) -> tuple[int, int]:
        position = GomokuPosition(15, 15)
        for x, y in stones:
            position.push(move_at(x, y))
        best = searched(position, level, seed).best
        assert best is not None
        return point_of(best)

    three = [(7, 7), (3, 12), (7, 6), (11, 12), (7, 5)]
    assert {point_after([*three, (9, 9)], seed) for seed in range(20)} == {(7, 4), (7, 8)}
    stops = {(7, 3), (7, 4), (7, 8), (7, 9)}
    assert any(point_after(three, seed) not in stops for seed in range(20))


@pytest.mark.parametrize(
    "fen",
    [
        "4k4/9/9/4p4/4R4/9/9/9/9/3K5 w",  # attacked by a pawn
        "3ak4/4a4/2n6/4R4/9/9/P8/9/9/3K1A3 w",  # by a horse
    ],
)
def test_no_level_from_4_on_leaves_a_rook_to_be_taken(fen: str) -> None:
    position = Position(fen)
    for level in XIANGQI_LEVELS[3:12]:
        for seed in range(8):
            best = searched(position, level, seed).best
            assert best is not None
            position.push(best)
            taken = [move for move in position.legal_moves() if position.piece_at(move >> 7) == "R"]
            assert not taken, (position.fen(), level.number, seed)
            position.pop()
