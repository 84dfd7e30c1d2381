"""Variations in SGF: from its nodes to the side lines of a record, and from a record to the tree of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sgfmill import sgf_grammar  # type: ignore[import-untyped]

from game_core.session import SideLine
from gomoku_protocol.game_record import BLACK, WHITE, GameRecord, Points, RecordError, Stone
from gomoku_protocol.points import parse_point
from gomoku_protocol.sgf_nodes import Node, Properties
from gomoku_protocol.sgf_points import letters, point_of_value

MAX_MOVES = 10_000
"""Of all variations of a game."""
_COLOURS = ((BLACK, "B"), (WHITE, "W"))
_SET_UP = {"AB", "AW", "AE"}


def comment_of(node: Properties) -> str:
    """The comment of a node; ''."""
    text: bytes = sgf_grammar.text_value(b"\n".join(node.get("C", [])))
    return text.decode("utf-8", "replace").strip()


class Place(NamedTuple):
    """Where the game is after a node."""

    ply: int
    """How many of the game's moves come before."""
    side: int | None = None
    """Who has made the last move of the variation; None: the game itself is here."""
    point: tuple[int, int] = (-1, -1)
    next: list[SideLine] | None = None
    """Gets what follows."""
    before: Place | None = None


class VariationReader:
    """Reads the variations of a game.

    Parameters
    ----------
    points : Points
        The board.
    setup, moves : list of Stone
        The game's own stones; they are complete before the first variation is added.

    Attributes
    ----------
    lines : dict
        The variations, as GameRecord has them.
    """

    def __init__(self, points: Points, setup: Sequence[Stone], moves: Sequence[Stone]) -> None:
        self.lines: dict[int, list[SideLine]] = {}
        self._board = points
        self._setup = setup
        self._moves = moves
        self._plies: dict[tuple[int, int], int] = {}
        """The number of the game's move on each point; 0: of the set-up."""
        self._places: dict[int, Place] = {}
        """By the numbers of the nodes; a node that is left out has none."""
        self._count = self._faults = 0

    def add_main(self, number: int) -> None:
        """A node of the main line; its move was added to `moves`."""
        self._places[number] = Place(len(self._moves))

    def add(self, node: Node) -> None:
        """A node of a variation. What cannot be a move is left out, with all that follows it."""
        place = self._places.get(node.after)
        if place is None:
            return
        moves = [(side, value) for side, name in _COLOURS for value in node.properties.get(name, [])]
        if not moves and not _SET_UP & node.properties.keys():
            self._places[node.number] = place
        elif self._count < MAX_MOVES:
            try:
                self._places[node.number] = self._move(place, moves, node.properties)
                self._count += 1
            except RecordError:
                self._faults += 1

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a person should know of what was left out."""
        full = (f"only the first {MAX_MOVES:,} moves of the variations are read",) if self._count >= MAX_MOVES else ()
        many = "variation is" if self._faults == 1 else "variations are"
        return (*((f"{self._faults} {many} left out: no moves of Gomoku",) if self._faults else ()), *full)

    def _move(self, place: Place, moves: Sequence[tuple[int, bytes]], properties: Properties) -> Place:
        """Add a move. Raises RecordError if it is none here."""
        if len(moves) != 1 or _SET_UP & properties.keys():
            raise RecordError("a node of a variation has one move")
        [(side, value)] = moves
        x, y = point = point_of_value(value, "BW"[side])
        if side != self._side_to_move(place) or not self._is_free(place, point):
            raise RecordError("a stone that cannot be put there now")
        line = SideLine(f"{x},{y}", comment_of(properties), [])
        (self.lines.setdefault(place.ply, []) if place.next is None else place.next).append(line)
        return Place(place.ply, side, point, line.next, place)

    def _side_to_move(self, place: Place) -> int | None:
        if place.side is not None:
            return 1 - place.side
        if place.ply < len(self._moves):
            return self._moves[place.ply].side
        return 1 - self._moves[-1].side if self._moves else None

    def _is_free(self, place: Place | None, point: tuple[int, int]) -> bool:
        if not self._plies:
            self._plies = {(stone.x, stone.y): ply for ply, stone in enumerate(self._moves, 1)}
            self._plies |= {(stone.x, stone.y): 0 for stone in self._setup}
        if place is None or not self._board.has(*point) or self._plies.get(point, place.ply + 1) <= place.ply:
            return False
        while place is not None and place.side is not None:
            if place.point == point:
                return False
            place = place.before
        return True


def tree_of(record: GameRecord, root: Properties) -> sgf_grammar.Coarse_game_tree:
    """The nodes of a game with its variations. `root`: the first node."""
    tree = branch = _branch([root])
    for ply, stone in enumerate(record.moves):
        if others := record.side_lines.get(ply):
            rest = _branch([])
            branch.children = [rest, *(_variation(line, stone.side) for line in others)]
            branch = rest
        branch.sequence.append(_node(stone.side, stone.x, stone.y, stone.comment))
    return tree


def _variation(line: SideLine, side: int) -> sgf_grammar.Coarse_game_tree:
    top = _branch([])
    waiting = [(top, line, side)]
    while waiting:
        branch, line, side = waiting.pop()
        branch.sequence.append(_node(side, *parse_point(line.move), line.comment))
        if len(line.next) == 1:
            waiting.append((branch, line.next[0], 1 - side))
        else:
            branch.children = [_branch([]) for _ in line.next]
            waiting += [(child, each, 1 - side) for child, each in zip(branch.children, line.next)]
    return top


def _branch(sequence: list[Properties]) -> sgf_grammar.Coarse_game_tree:
    tree = sgf_grammar.Coarse_game_tree()
    tree.sequence = sequence
    return tree


def _node(side: int, x: int, y: int, comment: str = "") -> Properties:
    node = {"BW"[side]: [letters(x, y).encode()]}
    return node | {"C": [sgf_grammar.escape_text(comment.encode("utf-8", "replace"))]} if comment else node
