"""The 26 openings of renju, by a second program that turns and mirrors whole boards."""

from __future__ import annotations

import itertools

import pytest

from gomoku_protocol.renju_openings import CHOICES, RENJU_OPENINGS, read_opening, stones_of

SIZE = 15
Board = tuple[str, ...]


def drawn(*points: tuple[int, int]) -> Board:
    """A board with stones, in the order in which they were put."""
    rows = [["."] * SIZE for _ in range(SIZE)]
    for number, (x, y) in enumerate(points, 1):
        rows[y][x] = "x" if number in (1, 3) else "o"
    return tuple("".join(row) for row in rows)


def forms(board: Board) -> set[Board]:
    found = set()
    for _ in range(4):
        board = tuple("".join(column) for column in zip(*reversed(board)))
        found |= {board, tuple(row[::-1] for row in board)}
    return found


def all_openings() -> list[set[Board]]:
    """Every opening in all its forms: the second stone is next to the middle, the third one within two points."""
    middle = SIZE // 2, SIZE // 2
    found: list[set[Board]] = []
    near, far = ([(7 + x, 7 + y) for x, y in itertools.product(range(-n, n + 1), repeat=2)] for n in (1, 2))
    for second, third in itertools.product(near, far):
        if len({middle, second, third}) == 3 and not any(drawn(middle, second, third) in each for each in found):
            found.append(forms(drawn(middle, second, third)))
    return found


def test_they_are_all_openings_and_each_once() -> None:
    boards = [drawn(*stones_of(name, SIZE, SIZE)) for name in RENJU_OPENINGS]
    openings = all_openings()
    assert len(openings) == len(boards) == 26
    assert sorted(next(at for at, each in enumerate(openings) if board in each) for board in boards) == [*range(26)]


def test_numbers() -> None:
    """Direct: row by row from the top left; indirect: column by column from the top right."""
    for letter, order in (("D", lambda point: (point[1], point[0])), ("I", lambda point: (-point[0], point[1]))):
        names = [f"{letter}{number}" for number in range(1, 14)]
        openings = [name for name in RENJU_OPENINGS if name[0] == letter]
        assert [name.split()[0] for name in openings] == names
        stones = [stones_of(name, SIZE, SIZE) for name in openings]
        assert {(first, second) for first, second, _ in stones} == {((7, 7), (8 if letter == "I" else 7, 6))}
        thirds = [third for *_, third in stones]
        assert thirds == sorted(thirds, key=order)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("d1", "D1 寒星 Kansei"),
        ("KANSEI", "D1 寒星 Kansei"),
        ("花月", "D4 花月 Kagetsu"),
        ("I10 明星 Myojo", "I10 明星 Myojo"),
        ("Swap2", "swap2"),
        ("d14", "d14"),
    ],
)
def test_names(text: str, name: str) -> None:
    assert read_opening(text) == name
    assert (name in CHOICES) == (text != "d14")
