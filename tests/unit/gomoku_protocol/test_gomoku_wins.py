"""Forced wins hold against every legal defence, are found and are played."""

from __future__ import annotations

import random
import threading
from types import ModuleType

import pytest

from gomoku_protocol.points import FREESTYLE, RULES, STANDARD, move_at, parse_point, point_text
from gomoku_protocol.position import Position
from gomoku_protocol.session import GomokuSession
from search_core.engine import MATE_BOUND, Engine, Limits, Result, mate_in_plies

BUDGET = 20_000
PATIENCE_S = 60
MAX_LINE = 9


def crowded(rule: int, size: int, stones: int, chance: random.Random) -> Position | None:
    """Random stones near the centre; None if somebody wins with them."""
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
    """A defence that survives the program's win, or None. Tries all legal replies at each turn."""
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
    while len(lengths) < 12 or sum(length >= 5 for length in lengths) < 3:
        position = crowded(rule, 9, chance.randint(8, 18), chance)
        if position is None:
            continue
        line = position.forced_win(BUDGET)
        if 3 <= len(line) <= MAX_LINE:
            assert refute(position, line) is None, said(position)
            lengths.append(len(line))


@pytest.mark.parametrize("rule", RULES)
def test_a_double_three_that_the_solver_counts_as_won_is_won(gomoku_probe: ModuleType, rule: int) -> None:
    chance = random.Random(rule)
    won = 0
    while won < 20:
        position = crowded(rule, 11, chance.randint(6, 16), chance)
        if position is None or position.win_by_fours(BUDGET) or gomoku_probe.probe_solver(position) != 5:
            continue
        won += 1
        for move in position.legal_moves():
            position.push(move)
            beaten = gomoku_probe.probe_solver(position) == -4
            for reply in position.legal_moves() if beaten else []:
                position.push(reply)
                # A winning four at once: a five in three plies.
                assert position.winner is None and 0 < position.win_by_fours(BUDGET) <= 3, said(position)
                position.pop()
            position.pop()
            if beaten:
                break
        else:
            pytest.fail(f"{said(position)}: no move wins")


def test_a_move_that_makes_better_fours_is_a_threat(gomoku_probe: ModuleType) -> None:
    """It makes one of two fours a four with a three: no more fours than before, but now they win."""
    sides = ("3,7 4,7 5,7 6,5", "2,7 10,10 11,4 12,9")
    black, white = ([move_at(*parse_point(text)) for text in side.split()] for side in sides)
    position = Position()
    position.set_up(black, white, side=0)
    assert not position.win_by_fours(BUDGET)
    position.push("6,6")
    assert gomoku_probe.in_check(position)


def test_the_root_s_solver_does_not_end_a_search_with_a_soft_limit() -> None:
    """It places more stones here than the limit has nodes; the games of self-play were of one iteration then."""
    text = "5,5 6,6 9,9 6,7 6,8 5,7 7,5 6,5 6,4 8,6 7,6 7,4 4,7 8,3 9,2 7,8"
    position = Position()
    for move in text.split():
        position.push(move)
    with Engine() as engine:
        engine.hash_mb = 4
        assert engine.search(position, Limits(soft_nodes=1000, nodes=20_000)).depth > 2


def think(engine: Engine, position: Position, nodes: int) -> Result:
    results: list[Result] = []
    engine.go(position, Limits(nodes=nodes), on_result=results.append)
    engine.wait()
    return results[0]


def test_a_game_is_searched_like_its_position_set_up() -> None:
    # Black, who has moved last, would win by fours if White passed.
    moves = ["7,4", "6,4", "7,5", "10,4", "4,5", "6,6", "7,8", "9,4", "5,4", "4,9", "4,4"]
    session, fresh = GomokuSession(), Position()
    for text in moves:
        session.play(text)
    points = [move_at(*parse_point(text)) for text in moves]
    fresh.set_up(points[0::2], points[1::2], side=1)
    found = []
    for position in (session.position(), fresh):
        with Engine() as engine:
            engine.hash_mb = 4
            result = engine.search(position, Limits(depth=4))
        found.append((result.best, result.score, result.nodes))
    assert found[0] == found[1]


# On 15x15: rule, plies of the shortest known win for the side to move, stones (random). Without the search for shorter
# wins, 13 to 21 plies were played.
SHORT_WINS = (
    (1, 11, "11,11 5,6 6,11 7,9 11,10 8,8 9,7 9,3 4,3 11,7 3,10 5,8 7,8 10,6 5,10 3,3 4,4 5,11 10,3"),
    (0, 11, "6,11 6,9 10,7 10,10 3,5 4,9 8,11 4,10 3,7 4,5 9,10 3,3 6,5 11,3 11,7 7,6"),
    (
        1,
        11,
        "11,11 7,9 9,7 6,3 3,11 4,5 5,6 4,4 11,3 6,8 4,10 11,6 9,8 4,11 7,11 10,10 3,3 10,3 5,5 "
        "9,6 8,4 10,9 8,10 6,6 6,9",
    ),
    (0, 7, "11,6 7,6 9,9 11,3 3,8 4,11 7,7 9,6 9,3 11,7 3,11 7,8 7,9 10,11 8,11 3,10 7,11 9,11 6,3 5,7 5,9 7,5"),
    (0, 7, "6,3 5,7 3,10 5,3 10,7 10,10 6,6 4,7 9,8 4,10 9,6 4,5 5,10 10,5 6,9 10,4"),
    # In renju Black may have no legal defence; he has not lost before the five.
    (4, 9, "5,8 3,8 7,10 9,7 5,10 10,5 8,5 11,10 7,3 4,8 7,9 10,11 6,6 6,10 4,5 11,9 11,4"),
    (4, 7, "11,11 3,10 7,7 3,4 10,5 3,5 10,11 4,10 7,8 4,4 5,7 8,7 8,3 6,7 3,6 9,4 5,9"),
)


@pytest.mark.parametrize(("rule", "plies", "moves"), SHORT_WINS)
def test_a_shorter_win_is_found_and_played(rule: int, plies: int, moves: str) -> None:
    position, engine = Position(15, 15, rule), Engine()
    engine.hash_mb = 4
    for move in moves.split():
        position.push(move_at(*parse_point(move)))
    attacker = position.side
    for left in range(plies, 0, -1):
        result = think(engine, position, 200_000 if position.side == attacker else 2_000)
        if position.side == attacker:
            assert mate_in_plies(result.score) in range(1, left + 1), said(position)
        assert result.best is not None
        position.push(result.best)
        if position.winner is not None:
            break
    assert position.winner == attacker


def test_the_search_for_a_shorter_win_takes_a_fifth_of_the_nodes() -> None:
    position, engine = Position(15, 15, STANDARD), Engine()
    engine.hash_mb = 4
    for move in SHORT_WINS[0][2].split():
        position.push(move_at(*parse_point(move)))
    searches = []
    for _ in range(2):
        engine.new_game()
        searches.append(think(engine, position, 1_000_000))
    # The proof itself takes some 20,000 nodes, and the last piece of work is completed.
    assert searches[0].nodes == searches[1].nodes < 300_000
    assert searches[0].score == searches[1].score


@pytest.mark.parametrize("solver", ["prove", "shorten"])
def test_the_root_solver_asks_whether_to_go_on(gomoku_probe: ModuleType, solver: str) -> None:
    def solve(last: int) -> tuple[int, int, int]:
        position = Position(15, 15, FREESTYLE)
        for move in ["5,7", "6,5", "7,9", "9,9", "9,6", "8,7", "7,6", "8,6", "8,5", "7,7"]:
            position.push(move_at(*parse_point(move)))
        if solver == "prove":
            result: tuple[int, int, int] = gomoku_probe.solve_root(position, 50_000, last)
        else:
            result = gomoku_probe.shorten(position, 41, 50_000, last)
        return result

    plies, stones, asked = solve(0)
    assert plies == 0
    assert stones > 40_000
    assert asked >= stones // 600
    plies, stones, asked = solve(4)
    assert plies == 0
    assert stones < 5 * 600
    assert asked in (4, 5)  # one search for fours, then one for threes


@pytest.mark.parametrize(
    ("nodes", "opening"),
    [
        (2000, "5,7 7,10 7,8 6,8 4,8 4,9 9,5 6,9"),
        (2000, "8,10 6,8 9,10 5,10 6,4 7,5 8,5 5,6 4,7 8,4"),
        (2000, "7,5 8,6 5,7 10,7 8,7 6,8 10,10"),
        (2000, "6,10 5,5 6,7 10,9 4,4 5,4 10,6 8,6 4,5"),
        (4000, "5,5 9,4 10,5 8,4 10,9 9,8"),
        (4000, "8,5 9,5 9,7 4,7 7,6 6,6 8,7 8,8 7,10"),
        (4000, "9,8 5,7 7,4 10,6 4,10 7,7"),
    ],
)
def test_a_win_that_was_announced_is_not_lost_again(nodes: int, opening: str) -> None:
    """In each of these games one was: the table or the solver did not know it any more at the next move."""
    engines = (Engine(), Engine())
    for engine in engines:
        engine.hash_mb = 1
    session = GomokuSession(15, 15, FREESTYLE)
    for text in opening.split():
        session.play(text)
    seen: dict[int, int] = {}
    while session.verdict() is None:
        side = session.to_move
        result = engines[side].search(session.position(), Limits(nodes=nodes))
        assert result.best is not None
        if seen.get(side, 0) >= MATE_BOUND:
            assert result.score >= MATE_BOUND, f"at ply {session.ply}"
        seen[side] = result.score
        session.play(session.move_text(result.best))
    assert max(seen.values()) >= MATE_BOUND


@pytest.mark.parametrize("rule", RULES)
def test_a_known_win_is_reported_while_pondering(rule: int) -> None:
    def position() -> Position:
        game = Position(15, 15, rule)
        for text in ("7,7", "8,8", "7,8", "8,7", "7,6", "7,9", "6,7", "5,7"):
            game.push(move_at(*parse_point(text)))
        return game

    engine = Engine()
    engine.hash_mb = 2
    assert engine.search(position(), Limits(nodes=400_000)).score >= MATE_BOUND
    reported = threading.Event()
    limits = Limits(ponder=True, soft_ms=50, hard_ms=100)
    engine.go(position(), limits, lambda info: reported.set(), lambda result: None)
    try:
        assert reported.wait(PATIENCE_S)
    finally:
        engine.close()
