"""Books made by the engine's own searches."""

from __future__ import annotations

from pathlib import Path

import pytest

from ucci_engine.book_dat import DatBook
from ucci_engine.book_maker import BookMaker, SearchLog
from ucci_engine.books import BookError
from ucci_engine.points import move_text, parse_move
from ucci_engine.position import Position

NODES = 300
START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w"
AFTER_PAWN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/2P6/P3P1P1P/1C5C1/9/RNBAKABNR b"
AFTER_CANNON = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b"


def log(path: Path, searches: dict[str, dict[str, int]]) -> SearchLog:
    """Searches with these scores."""
    made = SearchLog(str(path / "searches"), NODES, False)
    for place, scores in searches.items():
        made.add(place, [(parse_move(move), score) for move, score in scores.items()])
    return made


def book(path: Path, searches: dict[str, dict[str, int]], margin_cp: int = 30) -> DatBook:
    """The book of these searches."""
    with log(path, searches) as made:
        maker = BookMaker(made, NODES, margin_cp, 1)
        maker.search(len(searches), lambda: None)
        maker.write(str(path / "own.dat"))
        assert len(made) == len(searches)  # none was searched
    return DatBook(str(path / "own.dat"))


def weights(made: DatBook, *moves: str) -> dict[str, int]:
    position = Position()
    for move in moves:
        position.push(parse_move(move))
    return {move_text(entry.move): entry.weight for entry in made.moves(position)}


def test_weights_halve_and_end_at_the_margin(tmp_path: Path) -> None:
    made = book(tmp_path, {START: {"b2e2": 40, "c3c4": 30, "a3a4": 10, "b0a2": 9}})
    left = {"b2e2": 1000, "c3c4": 500, "a3a4": 125}
    right = {"h2e2": 1000, "g3g4": 500, "i3i4": 125}
    assert weights(made) == left | right  # the board is its own mirror image
    made.close()


def test_a_move_is_judged_by_the_best_play_after_it(tmp_path: Path) -> None:
    made = book(tmp_path, {START: {"c3c4": 35, "b2e2": 30}, AFTER_PAWN: {"b7d7": -20, "c9e7": -22}})
    assert weights(made)["b2e2"] == 1000
    assert weights(made)["c3c4"] == 500  # 35 became 20
    assert weights(made, "g3g4") == {"h7f7": 1000, "g9e7": 871}
    made.close()


def test_a_move_that_is_refuted_leaves_with_all_after_it(tmp_path: Path) -> None:
    searches = {START: {"c3c4": 35, "b2e2": 30}, AFTER_PAWN: {"b7d7": 40}, AFTER_CANNON: {"b9c7": -30}}
    # The cannon's move was seen at 30 here and there; the pawn's lost 75 by the reply.
    made = book(tmp_path, searches)
    assert weights(made) == {"b2e2": 1000, "h2e2": 1000}
    assert weights(made, "c3c4") == {}
    assert len(list(made.records())) == 2 + 1
    made.close()


def test_searches_are_read_again(tmp_path: Path) -> None:
    file = tmp_path / "searches"
    log(tmp_path, {START: {"c3c4": -35}, AFTER_PAWN: {}}).__exit__()
    whole = file.read_bytes()
    file.write_bytes(whole + b"rnbakabnr/9 b: c3c")  # the program was killed
    with SearchLog(str(file), NODES, True) as read:
        assert read.get(START) == [(parse_move("c3c4"), -35)]
        assert read.get(AFTER_PAWN) == []
        assert len(read) == 2
    assert file.read_bytes() == whole


@pytest.mark.parametrize(
    ("nodes", "resumed", "tail", "message"),
    [
        (NODES, False, b"", "exists already; continue with --resume"),
        (NODES + 1, True, b"", "none of this program with as many nodes"),
        (NODES, True, f"{START}: b2e2 x\n".encode(), "line 3 of its searches is damaged"),
    ],
)
def test_wrong_searches_are_refused_and_kept(
    tmp_path: Path, nodes: int, resumed: bool, tail: bytes, message: str
) -> None:
    file = tmp_path / "searches"
    log(tmp_path, {START: {"c3c4": 0}}).__exit__()
    before = file.read_bytes() + tail
    file.write_bytes(before)
    with pytest.raises(BookError, match=message):
        SearchLog(str(file), nodes, resumed)
    assert file.read_bytes() == before
