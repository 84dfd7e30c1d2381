"""Lineups: what may stand where, as text, as .jql, at random."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from junqi_protocol.rules import lineup
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import LineupError
from junqi_protocol.rules.rated_lineups import RATED_LINEUPS

EXAMPLE = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"
# The default lineup of an existing GUI, byte by byte: 5 司令 … 13 工兵, 4 bomb, 3 mine, 2 flag.
EXAMPLE_BYTES = bytes(
    [5, 8, 11, 13, 7, 9, 0, 11, 0, 9, 6, 13, 0, 11, 7, 4, 0, 12, 0, 10, 8, 3, 12, 3, 4, 10, 2, 3, 12, 13]
)


def test_text_and_back() -> None:
    assert lineup.text(lineup.parse(EXAMPLE)) == EXAMPLE
    assert lineup.parse(EXAMPLE.lower()) == lineup.parse(EXAMPLE)


def test_jql_file_is_qqs() -> None:
    data = b"QQGame JQL File\0" + b"\x57\x04\x00\x00" + EXAMPLE_BYTES
    assert len(data) == 50
    assert lineup.from_jql(data) == lineup.parse(EXAMPLE)
    assert lineup.to_jql(lineup.parse(EXAMPLE)) == data


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("96317/5.3.5/81.37/B.2.4/6M2MB", "six rows"),
        ("", "six rows"),
        ("96317/5.3.5/81.37/B.2.4/6M2MB/4FM2X", "'X' at row 6, point 5 is no piece"),
        ("96317/5.3.5/81.37/B.2.4/6M2MB/4FM2.", "row 6, point 5 is no camp"),
        ("96317/513.5/8..37/B.2.4/6M2MB/4FM21", "row 2, point 2 is a camp"),
        ("96317/5.3.5/81.37/B.2.4/6M2MB/4FM22", "4 pieces 2, an army has 3"),
        ("96317/5.3.5/81.37/B.2.4/6M2MB/F4M21", "the flag stands at row 6, point 1"),
        ("M6317/5.3.5/81.37/B.2.4/692MB/4FM21", "a mine stands at row 1, point 1"),
        ("B6317/5.3.5/81.37/9.2.4/6M2MB/4FM21", "a bomb stands at row 1, point 1"),
    ],
)
def test_errors_name_what_the_rules_do_not_allow(text: str, reason: str) -> None:
    with pytest.raises(LineupError, match=reason):
        lineup.parse(text)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "50 bytes"),
        (lineup.to_jql(lineup.parse(EXAMPLE))[:-1], "50 bytes"),
        (b"QQGame JQL Filf\0" + bytes(34), "header"),
        (lineup.to_jql(lineup.parse(EXAMPLE))[:-1] + b"\x01", "byte 1 is no piece"),
        (lineup.to_jql(lineup.parse(EXAMPLE))[:-1] + b"\x0c", "pieces 2"),
    ],
)
def test_a_broken_jql_file_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(LineupError, match=reason):
        lineup.from_jql(data)


@pytest.mark.parametrize("make", [lineup.random_lineup, lineup.sound_lineup])
def test_random_lineups_are_legal_and_differ(make: lineup.Maker) -> None:
    chance = random.Random(1)
    made = [make(chance) for _ in range(2000)]
    for one in made:
        lineup.check(one)
    assert len(set(made)) > 1990


def test_random_lineups_use_every_point_for_every_piece() -> None:
    chance = random.Random(2)
    seen = Counter((index, letter) for _ in range(4000) for index, letter in enumerate(lineup.random_lineup(chance)))
    for index in range(30):
        if index in (6, 8, 12, 16, 18):
            continue
        for letter in lineup.ARMY:
            allowed = {"F": index in (26, 28), "M": index >= 20, "B": index >= 5}.get(letter, True)
            assert (seen[index, letter] > 0) == allowed


def test_sound_lineups_guard_the_flag_or_mine_the_decoy() -> None:
    chance = random.Random(3)
    for _ in range(500):
        made = lineup.sound_lineup(chance)
        flag = made.index("F")
        assert made[flag - 5] == "M"
        assert made[54 - flag] == "M" or "M" in (made[flag - 1], made[flag + 1])


@pytest.mark.parametrize("board", VARIANTS)
def test_rated_lineups_and_their_mirror_images_are_legal_and_differ(board: str) -> None:
    lineups = {lineup.parse(text) for text in RATED_LINEUPS[board]}
    images = {lineup.mirrored(one) for one in lineups}
    for image in images:
        lineup.check(image)
    assert len(lineups | images) == 2 * len(RATED_LINEUPS[board])
    assert {lineup.mirrored(image) for image in images} == lineups


@pytest.mark.parametrize("board", VARIANTS)
def test_no_rated_lineup_is_drawn_often(board: str) -> None:
    assert max(RATED_LINEUPS[board].values()) < 0.3 * sum(RATED_LINEUPS[board].values())


@pytest.mark.parametrize("board", VARIANTS)
def test_rated_lineups_are_drawn_by_weight_on_both_sides(board: str) -> None:
    chance = random.Random(4)
    drawn = Counter(lineup.text(lineup.rated_lineup(board, chance)) for _ in range(10_000))
    weights = RATED_LINEUPS[board]
    for text, weight in weights.items():
        mean = 5000 * weight / sum(weights.values())
        for image in (text, lineup.text(lineup.mirrored(lineup.parse(text)))):
            assert abs(drawn.pop(image) - mean) < 5 * math.sqrt(mean)
    assert not drawn
