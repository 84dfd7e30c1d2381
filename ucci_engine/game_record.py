"""A recorded game of Xiangqi, in no particular file format: header fields and a tree of moves with comments.

All readers of files return it, all writers take it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from game_core.record_formats import RecordError as RecordError
from game_core.session import SideLine, SideLines
from search_core.failures import named
from ucci_engine.extra_pieces import open_position
from ucci_engine.fen import FenError, placement
from ucci_engine.points import move_text, parse_move
from ucci_engine.position import IllegalMove

MAX_MOVES = 100_000
"""Of a game with its variations."""
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""Red won, Black won, draw, unknown."""
PLAY_TAG = "SanqiPlay"
"""The tag with the options of the `sanqi play` that wrote a game, as words."""
PLAY_COMMAND = "sanqi play xiangqi "
"""Stands before these words where a format has comments but no such tag."""


@dataclass(eq=False, repr=False, slots=True)
class Node:
    """A position of a game: the move that led to it, and what follows."""

    move: int
    """0: the start position."""
    comment: str = ""
    """The text after the move; at the start, the text before the first move."""
    next: list[Node] = field(default_factory=list)
    """The moves from here: the continuation, then the variations in its place."""


@dataclass(slots=True)
class GameRecord:
    """A game. The readers make sure that all moves are legal from `fen`."""

    tags: dict[str, str]
    """The header fields by the names of PGN's tags, in the order of the file."""
    fen: str
    """The start position."""
    root: Node
    """The start of the tree."""
    result: str
    """One of RESULTS."""
    line: int = 0
    """The line of the file where the game begins, from 1; 0: the file has no lines."""
    remarks: tuple[str, ...] = ()
    """What its reader could not take as it stands, for people."""

    @classmethod
    def of_line(
        cls, tags: dict[str, str], fen: str, moves: Sequence[int], comments: Sequence[str] = (), result: str = "*"
    ) -> GameRecord:
        """A game without variations. `comments`: after each move, '' for none; (): there are none."""
        root = node = Node(0)
        for ply, move in enumerate(moves):
            node.next.append(Node(move, comments[ply] if comments else ""))
            node = node.next[0]
        return cls(tags, fen, root, result)

    def line_nodes(self) -> list[Node]:
        """The game itself, without variations and without the start."""
        nodes, node = [], self.root
        while node.next:
            node = node.next[0]
            nodes.append(node)
        return nodes

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves of the game itself."""
        return tuple(node.move for node in self.line_nodes())

    @property
    def comments(self) -> tuple[str, ...]:
        """The comment after each of `moves`."""
        return tuple(node.comment for node in self.line_nodes())

    def add_side_lines(self, lines: SideLines) -> None:
        """Add variations. One after the last move of the game has no place: it would be the game."""
        for ply, node in enumerate([self.root, *self.line_nodes()][:-1]):
            waiting = [(node, line) for line in reversed(lines.get(ply, ()))]
            while waiting:
                before, line = waiting.pop()
                after = Node(parse_move(line.move), line.comment)
                before.next.append(after)
                waiting += [(after, each) for each in reversed(line.next)]

    def side_lines(self) -> SideLines:
        """The variations of the game itself, with all that follows them."""
        found: dict[int, list[SideLine]] = {}
        for ply, node in enumerate([self.root, *self.line_nodes()]):
            found[ply] = []
            waiting = [(found[ply], variation) for variation in reversed(node.next[1:])]
            while waiting:
                place, each = waiting.pop()
                place.append(SideLine(move_text(each.move), each.comment, []))
                waiting += [(place[-1].next, after) for after in reversed(each.next)]
        return found

    def walk(self) -> Iterator[tuple[int, Node]]:
        """All nodes after the start with their plies from 1: first what follows a move, then the variations of it."""
        waiting = [(1, node) for node in reversed(self.root.next)]
        while waiting:
            ply, node = waiting.pop()
            yield ply, node
            waiting += [(ply + 1, after) for after in reversed(node.next)]


class TreeBuilder:
    """Builds the tree of a game move by move, and checks the moves.

    Attributes
    ----------
    position : Position
        The position after the last move.
    path : list of Node
        The nodes from the start to there.
    """

    def __init__(self, fen: str) -> None:
        """Raises FenError."""
        self.position = open_position(fen)
        self.path = [Node(0)]
        self._count = 0

    @property
    def ply(self) -> int:
        """How many moves lead from the start to here."""
        return len(self.path) - 1

    def add(self, move: int) -> Node:
        """Play a move and add it to the tree. Raises IllegalMove, RecordError for a tree that is too large."""
        if self._count == MAX_MOVES:
            raise RecordError(f"more than {MAX_MOVES:,} moves in a game")
        self.position.push(move)
        self._count += 1
        node = Node(move)
        self.path[-1].next.append(node)
        self.path.append(node)
        return node

    def take_back(self) -> Node:
        """Go back by a move, which stays in the tree, and return it."""
        self.position.pop()
        return self.path.pop()

    def back_to(self, ply: int) -> None:
        """Go back to an earlier position."""
        while self.ply > ply:
            self.take_back()

    def again(self, node: Node) -> None:
        """Play a move again that was taken back from here."""
        self.position.push(node.move)
        self.path.append(node)


class StoredMove(NamedTuple):
    """A move of a binary file, in which what follows a move comes first and then the variation of it."""

    at: int
    """Its offset."""
    origin: int
    target: int
    """The squares; -1: not on the board."""
    goes_on: bool
    """Whether a move follows it."""
    has_variation: bool
    comment: str


_MAX_CUTS = 5


def add_stored_moves(tree: TreeBuilder, moves: Iterable[StoredMove]) -> tuple[str, ...]:
    """Add the moves of a file from the start on, as many as belong to the game. Raises RecordError for a bad move of
    the game itself. A side line ends before its bad move; returns a remark on each that does."""
    variations: list[int] = []
    """The plies at which variations are still to come, the next one last."""
    cuts: list[str] = []
    ply = 0
    """Of the next move of the file; beyond the tree's in a line that was cut."""
    is_side_line = False
    for stored in moves:
        if ply == tree.ply:
            fault = _add(tree, stored)
            if fault and not is_side_line:
                raise RecordError(fault)
            if fault:
                cuts.append(f"{fault}; the side line is cut there")
        if stored.has_variation:
            variations.append(ply)
        if stored.goes_on:
            ply += 1
            continue
        if not variations:
            break
        is_side_line = True
        ply = variations.pop()
        tree.back_to(ply)
    more = len(cuts) - _MAX_CUTS
    return (*cuts[:_MAX_CUTS], f"{more} more side lines are cut") if more > 0 else tuple(cuts)


def _add(tree: TreeBuilder, stored: StoredMove) -> str:
    """Add a move. Returns what is wrong with it, '' for nothing."""
    at, origin, target = stored[:3]
    number = tree.ply + 1
    if origin < 0 or target < 0 or origin == target:
        return f"offset {at:#x}: move {number} is not on the board"
    move = origin | target << 7
    try:
        tree.add(move).comment = stored.comment
    except IllegalMove:
        return f"offset {at:#x}: move {number}, {move_text(move)}, is not legal in {tree.position.fen()}"
    return ""


def board_fen(board: Mapping[int, str], black_to_move: bool) -> str:
    """The FEN of the pieces on their squares."""
    return f"{placement(lambda square: board.get(square, ''))} {'b' if black_to_move else 'w'} - - 0 1"


def stored_game(
    board: Mapping[int, str],
    board_at: int,
    black_begins: bool,
    comment: str,
    moves: Iterable[StoredMove],
    tags: dict[str, str],
    result: str,
) -> GameRecord:
    """The game of a binary file. `board_at`: the offset of the board. Raises RecordError, as add_stored_moves()."""
    with named(f"offset {board_at:#x}: the start position", FenError, RecordError):
        tree = TreeBuilder(board_fen(board, black_begins))
    fen, root = tree.position.fen(), tree.path[0]
    root.comment = comment
    return GameRecord(tags, fen, root, result, remarks=add_stored_moves(tree, moves))
