"""Gomoku's rules against a plain second implementation, another program, and published hard cases.

The other program is `renju` of PyPI, whose check of forbidden points comes from Piskvork's.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable

import pytest
from renju.check_forbid import get_foul_type  # type: ignore[import-untyped]

from gomoku_protocol.points import CARO, CARO_EXACT, FREESTYLE, RENJU, RULES, STANDARD, move_at, point_of, point_text
from gomoku_protocol.position import IllegalMove, Position
from tests.helpers.gomoku_reference import (
    BLACK,
    BLOCKED,
    DIRECTIONS,
    DOUBLE_FOUR,
    DOUBLE_THREE,
    OVERLINE,
    WHITE,
    Board,
    Point,
    beside,
    foul,
    run_through,
    winners,
)

FOULS = (OVERLINE, DOUBLE_FOUR, DOUBLE_THREE)
REASONS = {None: "", OVERLINE: "overline", DOUBLE_FOUR: "double four", DOUBLE_THREE: "double three"}
"""What the engine calls them."""


def position_of(board: Board, side: int = BLACK) -> Position:
    """The engine's position with the same stones."""
    position = Position(board.width, board.height, board.rule)
    lying = [[move_at(*point) for point, content in board.content.items() if content == kind] for kind in range(3)]
    position.set_up(lying[BLACK], lying[WHITE], lying[BLOCKED], side=side)
    return position


def drawing(board: Board, marked: Point | None = None) -> str:
    """The board, for the message of a failed assertion."""
    letters = {None: ".", BLACK: "x", WHITE: "o", BLOCKED: "#"}
    return "\n" + "\n".join(
        " ".join("?" if (x, y) == marked else letters[board.content.get((x, y))] for x in range(board.width))
        for y in range(board.height)
    )


def crowded_points(board: Board) -> set[Point]:
    """The empty points with enough black stones near to be forbidden: four in one line, or two in each of two lines,
    at most five away.

    A fork needs two in each of its lines, two fours in one line need four, an overline five.
    """
    near: defaultdict[Point, list[int]] = defaultdict(lambda: [0] * len(DIRECTIONS))
    for (x, y), content in board.content.items():
        if content == BLACK:
            for line, (dx, dy) in enumerate(DIRECTIONS):
                for k in range(-5, 6):
                    near[x + k * dx, y + k * dy][line] += 1
    return {
        point for point, stones in near.items() if board.empty(point) and (max(stones) >= 4 or sorted(stones)[-2] >= 2)
    }


def legal_by_reference(board: Board, side: int) -> list[int]:
    if winners(board):
        return []
    crowded = crowded_points(board) if board.rule == RENJU and side == BLACK else set()
    return [move_at(*point) for point in board.empty_points() if not (point in crowded and foul(board, point))]


# ---------------------------------------------------------------- fives

EVERY = set(RULES)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("colour", [BLACK, WHITE])
@pytest.mark.parametrize(
    ("row", "winning"),
    [
        (".xxxx?...", EVERY),
        (".xx?xx...", EVERY),
        (".xxx?....", set()),
        (".xxx?.x..", set()),
        (".xx#?xx..", set()),
        (".oxxxx?..", EVERY),
        (".oxxxx?o.", {FREESTYLE, STANDARD, RENJU}),
        # Neither the edge nor a blocked point closes an end (the referees named in gomoku_reference).
        ("xxxx?o...", EVERY),
        ("..#xxxx?o", EVERY),
        ("..#xxxx?#", EVERY),
        (".xxx?xx..", {FREESTYLE, CARO}),
        (".oxxx?xxo", {FREESTYLE, CARO}),
        ("xxxx?xxxx", {FREESTYLE, CARO}),
    ],
)
def test_winning_rows(row: str, winning: set[int], rule: int, colour: int) -> None:
    board = Board(len(row), 5, rule)
    for x, letter in enumerate(row):
        if letter in "xo#":
            board.content[x, 2] = {"x": colour, "o": 1 - colour, "#": BLOCKED}[letter]
    position = position_of(board, colour)
    move = move_at(row.index("?"), 2)
    if rule == RENJU and "xxx?xx" in row:
        # Six or more: White's win, forbidden to Black.
        assert position.is_legal(move) == (colour == WHITE)
        if colour == BLACK:
            return
        winning = winning | {RENJU}
    position.push(move)
    assert position.winner == (colour if rule in winning else None)
    position.pop()
    assert position.winner is None


def fill_line(chance: random.Random, rule: int, colour: int) -> tuple[Board, Point, Point]:
    """A board with one crowded line, a stone of the colour on it, and the line's direction."""
    board = Board(chance.randint(5, 22), chance.randint(5, 22), rule)
    direction = chance.choice(DIRECTIONS)
    through = chance.randrange(board.width), chance.randrange(board.height)
    line = [(through[0] + k * direction[0], through[1] + k * direction[1]) for k in range(-22, 23)]
    line = [point for point in line if board.empty(point)]
    for point in line:
        kind = chance.choices((colour, 1 - colour, BLOCKED, None), (80, 8, 4, 8))[0]
        if kind is not None:
            board.content[point] = kind
    board.content[through] = colour
    return board, through, direction


@pytest.mark.parametrize(("number", "least"), [(700, 1), pytest.param(4000, 10, marks=pytest.mark.long)])
@pytest.mark.parametrize("rule", RULES)
def test_winners_agree_with_the_reference_on_crowded_lines(rule: int, number: int, least: int) -> None:
    chance = random.Random(rule)
    seen: Counter[str] = Counter()
    for case in range(number):
        colour = case % 2
        board, point, direction = fill_line(chance, rule, colour)
        row = run_through(board, point, direction)
        ends = [board.content.get(end) for end in beside(row, direction)]
        assert position_of(board).winner in (winners(board) or (None,)), drawing(board)
        del board.content[point]
        standing = winners(board)
        position = position_of(board, colour)
        if standing:
            seen["over"] += 1
            with pytest.raises(IllegalMove, match="after the end"):
                position.push(move_at(*point))
            continue
        if rule == RENJU and colour == BLACK and foul(board, point):
            with pytest.raises(IllegalMove, match="forbidden"):
                position.push(move_at(*point))
            continue
        position.push(move_at(*point))
        board.content[point] = colour
        assert position.winner == next(iter(winners(board)), None), drawing(board, point)
        if len(row) == 5:
            seen["closed" if ends.count(1 - colour) == 2 else "beside a wall" if BLOCKED in ends else "five"] += 1
        elif len(row) > 5:
            seen["long"] += 1
    assert min(seen[kind] for kind in ("over", "closed", "beside a wall", "five", "long")) >= least, seen


# ---------------------------------------------------------------- whole games

SIZES = [(5, 5), (5, 22), (22, 5), (7, 6), (9, 13), (15, 15), (20, 20), (22, 22)]
QUICK = {*((rule, 7, 6) for rule in RULES), *((RENJU, *size) for size in SIZES if size != (20, 20))}
BOARDS = [
    pytest.param(rule, *size, marks=() if (rule, *size) in QUICK or size == (9, 13) else pytest.mark.long)
    for rule in RULES
    for size in SIZES
]


def likely_move(chance: random.Random, board: Board, side: int) -> Point:
    """An empty point, more often than not beside a stone of the side, so that games are won."""
    empty = board.empty_points()
    own = [point for point, content in board.content.items() if content == side]
    if own and chance.random() < 0.8:
        for _ in range(20):
            (x, y), (dx, dy), k = chance.choice(own), chance.choice(DIRECTIONS), chance.choice((-2, -1, 1, 2))
            if board.empty((x + k * dx, y + k * dy)):
                return x + k * dx, y + k * dy
    return chance.choice(empty)


def state(position: Position) -> tuple[object, ...]:
    """All that a caller can see of a position, except its history."""
    points = [(x, y) for y in range(position.height) for x in range(position.width)]
    return (
        position.key,
        position.side,
        position.evaluate_cp(),
        position.winner,
        position.full,
        position.legal_moves(),
        [position.stone_at(*point) for point in points],
        [move_at(*point) for point in points if position.is_forbidden(move_at(*point))],
    )


@pytest.mark.parametrize(("rule", "width", "height"), BOARDS)
def test_games_agree_with_the_reference_and_with_newly_set_up_positions(rule: int, width: int, height: int) -> None:
    chance = random.Random(10000 * rule + 100 * width + height)
    finished = 0
    # On a large board fewer games end: one more is played there.
    for blocked in (0, 3, width * height // 6) if width * height > 225 else (0, width * height // 6):
        board = Board(width, height, rule)
        for point in chance.sample(board.empty_points(), blocked):
            board.content[point] = BLOCKED
        position = position_of(board)
        played: list[Point] = []
        before: list[tuple[object, ...]] = []
        for _ in range(100):
            side = len(played) % 2
            legal = legal_by_reference(board, side)
            found = state(position)
            assert position.side == side
            assert position.moves == [move_at(*point) for point in played]
            assert position.legal_moves() == legal, drawing(board)
            assert position.winner == next(iter(winners(board)), None), drawing(board)
            assert position.full == (not board.empty_points())
            assert found == state(position_of(board, side)), drawing(board)
            over = not legal
            finished += position.winner is not None
            if played and (over or chance.random() < 0.15):
                for _ in range(min(len(played), chance.randint(1, 6))):
                    position.pop()
                    del board.content[played.pop()]
                    assert state(position) == before.pop()
                continue
            point = likely_move(chance, board, side)
            if move_at(*point) not in legal:
                with pytest.raises(IllegalMove, match=f"^{point_text(move_at(*point))} "):
                    position.push(move_at(*point))
                assert state(position) == found
                continue
            before.append(found)
            position.push(move_at(*point))
            board.content[point] = side
            played.append(point)
        while played:
            position.pop()
            del board.content[played.pop()]
            assert state(position) == before.pop()
        with pytest.raises(IndexError):
            position.pop()
    if min(width, height) > 5:
        assert finished > 0


# ---------------------------------------------------------------- forbidden points


def scattered(chance: random.Random, width: int, height: int, blocked: int = 0) -> Board:
    """A renju board with stones crowded around a few points, where forbidden points are common."""
    board = Board(width, height, RENJU)
    centres = [(chance.randrange(width), chance.randrange(height)) for _ in range(chance.randint(1, 3))]
    share = chance.choice((0.4, 0.55, 0.75))
    for _ in range(chance.randint(8, 60)):
        x, y = chance.choice(centres)
        point = round(chance.gauss(x, 2.2)), round(chance.gauss(y, 2.2))
        if board.empty(point):
            board.content[point] = BLACK if chance.random() < share else WHITE
    for point in chance.sample(board.empty_points(), min(blocked, len(board.empty_points()))):
        board.content[point] = BLOCKED
    return board


def other_programs_word(board: Board) -> Callable[[Point], str | None]:
    """The foul that PyPI's renju finds on a point. It takes only square boards without blocked points."""
    codes = {None: 0, BLACK: 1, WHITE: 2}
    columns = [[codes[board.content.get((x, y))] for y in range(board.height)] for x in range(board.width)]
    return lambda point: (None, DOUBLE_THREE, DOUBLE_FOUR, OVERLINE)[get_foul_type(columns, *point)]


def compare_forbidden_points(board: Board, *, other_program: bool) -> Counter[str | None]:
    """Compare all empty points with the reference and, if asked, the other program; return how many of each foul."""
    seen: Counter[str | None] = Counter()
    position = position_of(board)
    other = other_programs_word(board) if other_program else None
    crowded = crowded_points(board)
    for point in board.empty_points():
        kind = foul(board, point) if point in crowded else None
        seen[kind] += 1
        assert position.forbidden_reason(move_at(*point)) == REASONS[kind], (kind, point, drawing(board, point))
        if other is not None and point in crowded:
            assert other(point) == kind, (point, drawing(board, point))
    return seen


@pytest.mark.parametrize("number", [120, pytest.param(700, marks=pytest.mark.long)])
def test_forbidden_points_agree_with_the_reference_and_another_program(number: int) -> None:
    chance = random.Random(4)
    seen: Counter[str | None] = Counter()
    for _ in range(number):
        size = chance.choice((15, 15, 15, 7, 11, 19))
        seen += compare_forbidden_points(scattered(chance, size, size), other_program=True)
    assert min(seen[kind] for kind in FOULS) >= number // 7, seen


@pytest.mark.parametrize("number", [120, pytest.param(700, marks=pytest.mark.long)])
def test_forbidden_points_agree_with_the_reference_on_rectangles_with_blocked_points(number: int) -> None:
    chance = random.Random(5)
    seen: Counter[str | None] = Counter()
    for _ in range(number):
        board = scattered(chance, chance.randint(5, 22), chance.randint(5, 22), blocked=chance.randint(0, 8))
        seen += compare_forbidden_points(board, other_program=False)
    assert min(seen[kind] for kind in FOULS) >= number // 14, seen


def test_points_too_far_from_black_stones_are_never_forbidden() -> None:
    """So the comparisons above need only the crowded points."""
    chance = random.Random(6)
    for _ in range(60):
        board = scattered(chance, 13, 13)
        crowded = crowded_points(board)
        for point in board.empty_points():
            if point not in crowded:
                assert foul(board, point) is None, drawing(board, point)


# Stones as columns A to O and rows 1 to 15 from the bottom: Black's, White's, then the point asked about.
# "advanced": the diagrams of https://www.renju.net/advanced/ by their file names, split into one question each; their
# stones were read off the pictures by https://github.com/byebyebryan/gomoku2d (external/renjunet-advanced-examples).
# "mintaka": the examples of strict renju of https://github.com/junghyun397/mintaka.
# "renjusha": exercise 1 of https://www.renjusha.net/renju/youchien/A/04ex1A.html.
MINTAKA_MULTIPLE = (
    "H12 M11 N10 D9 G9 I9 J9 K9 M9 D8 H8 E7 F7 J7 G6 K6 L6",
    "F10 M10 C9 H9 L9 E8 F8 I8 B7 M6 E5",
)
MINTAKA_RECURSIVE = ("G9 H9 F8 G8 H8 I8 F7 G7 H7 I7 G6 H6", "G10 H10 E8 J8 E7 J7 G5 H5")
RENJUSHA = (
    "I14 E13 F12 G12 F10 K10 M10 D9 E9 J9 K9 M7 G6 J6 L6 D5 E5 K5 L5 B4 D3 J3",
    "F14 G14 E12 H12 K12 E11 G11 L11 M11 L10 C9 N8 L7 D6 F6 K6 N5 C4 D4 F4 K4 L4",
)
HARD_CASES = [
    ("advanced forbiddens.jpg, 4x4", "E13 C12 E12 B11 E11 A10", "E10", "E14", DOUBLE_FOUR),
    ("advanced forbiddens.jpg, overline", "E8 F8 H8 I8 J8", "", "G8", OVERLINE),
    ("advanced forbiddens.jpg, 3x3", "K4 L4 J3 L3", "", "L5", DOUBLE_THREE),
    ("advanced forbiddens.jpg, the edge stops the diagonal", "B4 B3 D3 D2", "", "C3", None),
    ("advanced problem1.jpg", "M13 G10 H10 I9 H8", "F6", "J10", None),
    ("advanced problem2.jpg, no three", "E13 A12 E12 F12 I12 C11", "", "D12", None),
    ("advanced problem2.jpg, no four", "O14 L11 N11 K10 N10 J9 N9", "I8 N8", "N13", None),
    ("advanced problem2.jpg, 3x3", "C5 C4 F4 E3", "G1", "D4", DOUBLE_THREE),
    ("advanced problem2.jpg, 3x3 in a cage", "L5 K3 M3 L2", "K5 M5 K4 M4 J2 K2 M2 N2 K1 M1", "L3", DOUBLE_THREE),
    (
        "advanced problem3.jpg",
        "I9 K9 H8 J8 L8 H7 J7 L7 H6 L6",
        "G12 H11 I10 I8 K8 G7 I7 K7 M7 H5 L5",
        "J9",
        None,
    ),
    (
        "advanced game1.jpg",
        "I13 F12 I12 I11 G10 J10 G9 J9 H8 J8 K8 I7 K6",
        "H13 H12 G11 F10 H10 H9 I9 K9 L9 G8 I8 J7 I6",
        "H11",
        None,
    ),
    (
        "advanced game1.jpg, after H11",
        "I13 F12 I12 H11 I11 G10 J10 G9 J9 H8 J8 K8 I7 K6",
        "H13 H12 G11 F10 H10 H9 I9 K9 L9 G8 I8 J7 I6",
        "I10",
        DOUBLE_FOUR,
    ),
    ("advanced problem4a.jpg", "G9 E8 H8 E7 E6 F6 G6", "J11 I10 E9 F9 H9 I9 F7", "G8", DOUBLE_THREE),
    ("advanced problem4c.jpg", "G9 E8 G8 H8 E7 E6 F6 G6 E5", "J11 I10 E9 F9 H9 I9 F7 E4", "G7", DOUBLE_FOUR),
    ("advanced problem4c.jpg, without G8", "G9 E8 H8 E7 E6 F6 G6 E5", "J11 I10 E9 F9 H9 I9 F7 E4", "G8", None),
    ("advanced heavyforks.jpg, 3x3x3", "B14 C12 E12 C11 E11 B10", "D11 C10 E10", "D12", DOUBLE_THREE),
    (
        "advanced heavyforks.jpg, 4x4x4",
        "M15 K14 M14 O14 L13 M13 N13 L11 O10",
        "L15 N15 L14 N14 K13 O13",
        "M12",
        DOUBLE_FOUR,
    ),
    ("advanced heavyforks.jpg, 4x4x3", "B5 C5 E5 D4 E4 D3 F3 D2", "F5 C4 F4 C3 E3 D1", "D5", DOUBLE_FOUR),
    ("advanced heavyforks.jpg, 4x3x3", "M6 K5 N5 L4 M4 K3 J2", "K4 N4 O4 L3 I1", "M5", DOUBLE_THREE),
    ("advanced problem5.jpg", "I10 J9 K9 H8 H7 J7 K7", "H9 I9 I8 J8 L8 I7 H6", "K8", DOUBLE_THREE),
    ("advanced problem5b.jpg", "I10 K10 J9 K9 H8 H7 J7 K7 I6", "H9 I9 I8 J8 L8 M8 I7 H6 I5", "K8", DOUBLE_THREE),
    ("advanced problem6.jpg", "G11 F10 G10 E9 H9 I9 H8 J8 H7", "I11 G9 D8 F8 G8 I8 G7 K7 H6", "H10", DOUBLE_FOUR),
    (
        "advanced problem6a.jpg, before H10",
        "H12 G11 F10 G10 E9 H9 I9 H8 J8 H7",
        "I13 I11 G9 D8 F8 G8 I8 G7 K7 H6",
        "H10",
        None,
    ),
    ("mintaka, two fours in one line", "E14 G14 I14 K14", "", "H14", DOUBLE_FOUR),
    ("mintaka, two fours in one line", "E10 G10 H10 K10", "", "I10", DOUBLE_FOUR),
    ("mintaka, two fours in one line", "E6 F6 H6 K6 L6", "", "I6", DOUBLE_FOUR),
    ("mintaka, a four and an overline in one line", "C2 E2 G2 H2 K2 L2 N2", "", "I2", None),
    ("mintaka, not quite two fours", "F9 G9 H8 H7 I6 J6 K6", "H11 F10 G8 I8 G7 I7 L6", "H9", None),
    ("mintaka, not quite two fours", "F9 G9 H8 H7 I6 J6 K6", "H11 F10 G8 I8 G7 I7 L6", "H6", None),
    (
        "mintaka, nested",
        "E10 H10 F9 H9 I9 G8 H8 I7 J7 F6 F5",
        "D11 G11 J10 E9 G9 G7 H7 E5 F4",
        "I8",
        DOUBLE_THREE,
    ),
    *(("mintaka, multiply nested", *MINTAKA_MULTIPLE, asked, DOUBLE_THREE) for asked in ("G7", "J10", "J8", "K7")),
    *(("mintaka, each on the other", *MINTAKA_RECURSIVE, asked, DOUBLE_THREE) for asked in ("F6", "F9", "I6", "I9")),
    ("renjusha A, one three can only become six", *RENJUSHA, "F11", None),
    ("renjusha B, a three with one point at either end", *RENJUSHA, "K8", None),
    ("renjusha C", *RENJUSHA, "F5", DOUBLE_THREE),
    ("renjusha D, one three would go through a double-four", *RENJUSHA, "J5", None),
]
SYMMETRIES: list[Callable[[int, int], Point]] = [
    lambda x, y: (x, y),
    lambda x, y: (14 - x, y),
    lambda x, y: (x, 14 - y),
    lambda x, y: (14 - x, 14 - y),
    lambda x, y: (y, x),
    lambda x, y: (14 - y, x),
    lambda x, y: (y, 14 - x),
    lambda x, y: (14 - y, 14 - x),
]


def named_point(name: str) -> Point:
    return "ABCDEFGHIJKLMNO".index(name[0]), 15 - int(name[1:])


@pytest.mark.parametrize(
    ("black", "white", "asked", "kind"),
    [case[1:] for case in HARD_CASES],
    ids=[f"{case[0]}: {case[3]}" for case in HARD_CASES],
)
def test_published_hard_cases(black: str, white: str, asked: str, kind: str | None) -> None:
    for symmetry in SYMMETRIES:
        board = Board(15, 15, RENJU)
        board.content = {symmetry(*named_point(name)): BLACK for name in black.split()}
        board.content |= {symmetry(*named_point(name)): WHITE for name in white.split()}
        point = symmetry(*named_point(asked))
        assert foul(board, point) == kind
        assert other_programs_word(board)(point) == kind
        move = move_at(*point)
        position = position_of(board)
        assert position.forbidden_reason(move) == REASONS[kind]
        assert position.is_legal(move) == (kind is None)
        assert position_of(board, WHITE).is_forbidden(move) == (kind is not None)
        assert position_of(board, WHITE).is_legal(move)


def test_a_three_that_could_only_become_a_five_does_not_count() -> None:
    """Section 3 of the rules: "without at the same time a five in a row is made"."""
    board = Board(15, 15, RENJU)
    board.content = dict.fromkeys([(8, 6), (9, 6), (7, 8), (7, 9), (4, 7), (5, 7)], BLACK)
    board.content[2, 7] = WHITE
    asked = move_at(7, 6)
    assert position_of(board).is_forbidden(asked)
    # Now 7,7, which the column needs, makes five in its row.
    board.content[3, 7] = board.content[6, 7] = BLACK
    assert foul(board, (7, 6)) is None
    assert other_programs_word(board)((7, 6)) is None
    assert not position_of(board).is_forbidden(asked)


def test_a_five_wins_whatever_else_it_makes() -> None:
    board = Board(15, 15, RENJU)
    board.content = dict.fromkeys([(3, 7), (4, 7), (5, 7), (6, 7), (7, 4), (7, 5), (7, 6), (7, 8), (7, 9)], BLACK)
    board.content[2, 7] = WHITE
    position = position_of(board)
    # Five in the row, six in the column.
    position.push(move_at(7, 7))
    assert position.winner == BLACK


@pytest.mark.parametrize("rule", sorted({FREESTYLE, STANDARD, CARO, CARO_EXACT}))
def test_nothing_is_forbidden_in_other_rules(rule: int) -> None:
    for _, black, white, asked, _ in HARD_CASES:
        board = Board(15, 15, rule)
        board.content = {named_point(name): BLACK for name in black.split()}
        board.content |= {named_point(name): WHITE for name in white.split()}
        position = position_of(board)
        assert not position.is_forbidden(move_at(*named_point(asked)))
        assert position.is_legal(move_at(*named_point(asked)))


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(("width", "height", "rule"), [(4, 15, 0), (15, 23, 0), (15, 15, 2), (15, 15, -1)])
def test_a_board_or_rule_that_does_not_exist_is_refused(width: int, height: int, rule: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        Position(width, height, rule)


def test_a_refused_move_changes_nothing() -> None:
    position = Position(9, 7)
    position.set_up([move_at(4, 3)], [], [move_at(0, 0)], side=WHITE)
    before = state(position)
    for move, complaint in [
        (move_at(4, 3), "4,3 is taken"),
        (move_at(0, 0), "0,0 is off the board or blocked"),
        (move_at(9, 3), "9,3 is off the board"),
        (move_at(4, -1), "4,-1 is off the board"),
        (-1, "is off the board"),
        (1 << 20, "is off the board"),
    ]:
        with pytest.raises(IllegalMove, match=complaint):
            position.push(move)
        assert not position.is_legal(move)
        assert state(position) == before
    assert position.moves == []


@pytest.mark.parametrize(
    ("black", "white", "blocked", "complaint"),
    [
        ([(3, 3), (9, 0)], [], [], "9,0 is not on the board"),
        ([(3, 3)], [(3, 3)], [], "3,3 is taken"),
        ([(3, 3), (3, 3)], [], [], "3,3 is taken"),
        ([], [(2, 2)], [(2, 2)], "2,2 is taken"),
    ],
)
def test_a_refused_set_up_changes_nothing(
    black: list[Point], white: list[Point], blocked: list[Point], complaint: str
) -> None:
    position = Position(9, 7)
    position.push(move_at(4, 4))
    before = state(position)
    with pytest.raises(ValueError, match=complaint):
        position.set_up(
            [move_at(*point) for point in black],
            [move_at(*point) for point in white],
            [move_at(*point) for point in blocked],
        )
    assert state(position) == before
    assert position.moves == [move_at(4, 4)]


def test_a_copy_knows_the_moves_played() -> None:
    position = Position(9, 9, CARO)
    for point in [(4, 4), (4, 5), (5, 5)]:
        position.push(move_at(*point))
    assert [point_of(move) for move in position.copy().moves] == [(4, 4), (4, 5), (5, 5)]
