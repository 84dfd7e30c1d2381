"""One illegal move in a side line of an XQF, CBR or CBL study ends that line; the rest is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.ucci_engine.test_ccbridge import cbl, cbr
from ucci_engine import ccbridge, xqf
from ucci_engine.game_record import GameRecord, Node, RecordError
from ucci_engine.points import START_FEN, move_text, parse_move

Reader = Callable[[GameRecord], GameRecord]
READERS: dict[str, Reader] = {
    "xqf": lambda game: xqf.parse(xqf.serialise(game)),
    "cbr": lambda game: ccbridge.parse_game(cbr(game)),
    "cbl": lambda game: next(ccbridge.read_library(cbl(cbr(game)))),
}


def line(*moves: str) -> Node:
    """Moves one after another, with a comment on each."""
    first = node = Node(parse_move(moves[0]), moves[0])
    for move in moves[1:]:
        node.next.append(Node(parse_move(move), move))
        node = node.next[0]
    return first


def outline(node: Node) -> str:
    """The tree as text: `main (side line) ...`."""
    if not node.next:
        return ""
    first, *others = node.next
    text = move_text(first.move) + "".join(
        f" ({move_text(each.move)} {outline(each)}".rstrip() + ")" for each in others
    )
    return f"{text} {outline(first)}".rstrip()


def study(*side_lines: tuple[int, Node]) -> GameRecord:
    """The game h2e2 h9g7 h0g2 with side lines, each in the place of the move at a ply from 0."""
    root = Node(0)
    root.next.append(line("h2e2", "h9g7", "h0g2"))
    path = [root, root.next[0], root.next[0].next[0]]
    for ply, side_line in side_lines:
        path[ply].next.append(side_line)
    return GameRecord({}, START_FEN, root, "*")


@pytest.mark.parametrize("form", READERS)
def test_the_rest_is_read(form: str) -> None:
    bad = line("c3c4", "a9a5", "h0g2", "b9c7")  # a rook jumps over a pawn
    bad.next[0].next.append(line("b0c2", "b9c7"))  # a side line below the bad move
    bad.next.append(line("c6c5", "b0c2"))  # in the place of the bad move
    game = READERS[form](study((0, bad), (1, line("b9c7", "b0c2")), (2, line("b0c2"))))
    assert outline(game.root) == "h2e2 (c3c4 c6c5 b0c2) h9g7 (b9c7 b0c2) h0g2 (b0c2)"
    (remark,) = game.remarks
    assert remark.startswith("offset 0x")
    assert ": move 2, a9a5, is not legal in rnbakabnr/" in remark and remark.endswith("; the side line is cut there")
    assert [node.comment for node in game.line_nodes()] == ["h2e2", "h9g7", "h0g2"]


@pytest.mark.parametrize("form", READERS)
def test_a_side_line_that_begins_badly(form: str) -> None:
    game = READERS[form](study((1, line("a0a5", "h0g2")), (1, line("b9c7"))))
    assert outline(game.root) == "h2e2 h9g7 (b9c7) h0g2"
    assert len(game.remarks) == 1


@pytest.mark.parametrize("form", READERS)
def test_many_bad_side_lines_are_counted(form: str) -> None:
    game = READERS[form](study(*((2, line("a0a5", "b9c7")) for _ in range(12))))
    assert outline(game.root) == "h2e2 h9g7 h0g2"
    assert (len(game.remarks), game.remarks[-1]) == (6, "7 more side lines are cut")


@pytest.mark.parametrize("form", READERS)
def test_a_bad_move_of_the_game_itself_is_an_error(form: str) -> None:
    game = study()
    game.root.next[0].next = [line("a9a5"), line("h9g7")]
    with pytest.raises(RecordError, match="move 2, a9a5, is not legal in"):
        READERS[form](game)
