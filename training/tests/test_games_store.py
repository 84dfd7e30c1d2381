"""Files of games for training: what is cut or damaged costs a block, and no game comes twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from sanqi_training.selfplay.store import Game, GameWriter, StoreError, read_blocks

HEADER = {"game": "xiangqi", "nodes": 100}


def games_of(path: Path) -> list[Game]:
    return [game for _, games in read_blocks(path) for game in games]


def written(path: Path, numbers: range, block: int = 2) -> None:
    writer = GameWriter(path, HEADER, block)
    for number in numbers:
        writer.add(Game(number, bytes([number]) * (number + 1)))
    writer.close()


def damage_second_block(path: Path) -> None:
    ends = [end for end, _ in read_blocks(path)]
    data = bytearray(path.read_bytes())
    data[ends[2] - 1] ^= 1
    path.write_bytes(data)


def test_games_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    written(path, range(5))
    assert games_of(path) == [Game(number, bytes([number]) * (number + 1)) for number in range(5)]


@pytest.mark.parametrize("kept", [1, 5, 20])
def test_a_cut_block_is_left_out_and_written_again(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "a.games"
    written(path, range(4))
    whole = path.read_bytes()
    ends = [end for end, _ in read_blocks(path)]
    path.write_bytes(whole[: ends[1] + kept])
    assert [game.number for game in games_of(path)] == [0, 1]
    writer = GameWriter(path, HEADER, 2)
    assert writer.numbers == {0, 1}
    for number in (2, 3):
        writer.add(Game(number, bytes([number]) * (number + 1)))
    writer.close()
    assert path.read_bytes() == whole


def test_a_damaged_block_ends_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    written(path, range(4))
    damage_second_block(path)
    assert [game.number for game in games_of(path)] == [0, 1]


def test_games_of_other_options_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    written(path, range(2))
    with pytest.raises(StoreError, match="other options"):
        GameWriter(path, {**HEADER, "nodes": 200}, 2)
    path.write_text("something else", encoding="ascii")
    with pytest.raises(StoreError, match="not a file of games"):
        GameWriter(path, HEADER, 2)


def test_a_file_is_not_cut_where_whole_blocks_may_follow(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    written(path, range(20))
    damage_second_block(path)
    data = path.read_bytes()
    with pytest.raises(StoreError, match="whole blocks may follow"):
        GameWriter(path, HEADER, 2)
    assert path.read_bytes() == data


def test_two_runs_do_not_write_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    writer = GameWriter(path, HEADER, 2)
    with pytest.raises(OSError, match="another run"):
        GameWriter(path, HEADER, 2)
    writer.close()
    GameWriter(path, HEADER, 2).close()
