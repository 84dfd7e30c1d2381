"""What the runner asks of a game that two engines can play, and one playing of it: to its end by the rules or by an
engine's fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from match_runner.openings import Opening
from match_runner.player import Clocks, Fault, Player, ThinkingLimit
from match_runner.specification import EngineSpecification

FIRST_WINS, SECOND_WINS, DRAW = "1-0", "0-1", "1/2-1/2"
"""Results; the first is who moves first."""


class Verdict(NamedTuple):
    """How the rules ended a game: `result` is FIRST_WINS, SECOND_WINS or DRAW, `reason` a word for it."""

    result: str
    reason: str


class Referee(Protocol):
    """Watches one game. Sides are 0, who moves first, and 1."""

    @property
    def side(self) -> int:
        """Whose turn it is."""

    def play(self, move: int) -> None:
        """Make a move. Raises ValueError, with a message for the user, if it is not legal; nothing is changed then."""

    def verdict(self) -> Verdict | None:
        """How the game ended; None while it goes on."""


class Competitor(Protocol):
    """An engine in a match."""

    name: str

    def start(self) -> None:
        """Start the program and shake hands. Raises Fault ('crash') if that does not succeed."""

    def stop(self) -> None:
        """End the program; it may be started again."""

    def retire(self) -> None:
        """End the program for good. May be called by another thread than the one that plays."""


class Game(Protocol):
    """A game with all that is agreed before a match: the rules, the board, who can play it."""

    sides: tuple[str, str]
    """What the sides are called in reports, the one that moves first first."""

    def player(self, specification: EngineSpecification) -> Competitor:
        """An engine that can play it, not started yet."""

    def play(self, players: Sequence[Any], opening: Opening, limit: ThinkingLimit, max_plies: int) -> GameRecord:
        """Have a game played by two engines that player() made, from an opening of this game. `max_plies` > 0 calls
        longer games a draw. A fault of an engine loses it the game."""

    def move_text(self, move: int) -> str:
        """A move as reports write it."""


class BoardGame(Game, Protocol):
    """A game of two sides that see everything."""

    shipped_openings: Path

    def referee(self) -> Referee:
        """For a new game, before its first move."""

    def opening_move(self, text: str) -> int:
        """The move that a word of a file of openings means. Raises ValueError if it means none."""

    def play(self, players: Sequence[Player], opening: Opening, limit: ThinkingLimit, max_plies: int) -> GameRecord:
        return play_game(self, players, opening, limit, max_plies)


@dataclass(slots=True)
class Effort:
    """What one side spent in a game; sums over its `moves` (plies of its own)."""

    moves: int = 0
    time_ms: float = 0.0
    longest_ms: float = 0.0
    depth: int = 0
    nodes: int = 0
    nodes_ms: float = 0
    """The engine's own time for its nodes: the last report may come well before the move."""


@dataclass(slots=True)
class GameRecord:
    """A finished game. `reason` is a word of the referee's verdict, 'crash', 'time', 'illegal', 'resignation' or
    'ply-limit'; `detail` explains a fault; `names` and `efforts` are of the side that moved first, then the other's."""

    names: tuple[str, str]
    opening_line: int
    opening_plies: int
    moves: tuple[int, ...]
    result: str
    reason: str
    detail: str = ""
    efforts: tuple[Effort, Effort] = field(default_factory=lambda: (Effort(), Effort()))


def play_game(
    game: BoardGame, players: Sequence[Player], opening: Opening, limit: ThinkingLimit, max_plies: int
) -> GameRecord:
    """Let two players, the one that moves first first, play to the end. `max_plies` > 0 calls longer games a draw.
    A fault of an engine loses it the game."""
    first, second = players
    efforts = (Effort(), Effort())
    referee = game.referee()
    moves: list[int] = []
    clocks = [float(limit.match_ms)] * 2

    def record(result: str, reason: str, detail: str = "") -> GameRecord:
        names = (first.name, second.name)
        return GameRecord(names, opening.line, len(opening.moves), tuple(moves), result, reason, detail, efforts)

    for move in opening.moves:
        referee.play(move)
        moves.append(move)
    for side, player in enumerate(players):
        try:
            player.new_game(limit)
        except Fault as fault:
            return record(_lost(side), fault.kind, f"{player.name} {fault}")
    while True:
        side = referee.side
        if (verdict := referee.verdict()) is not None:
            return record(*verdict)
        if max_plies and len(moves) >= max_plies:
            return record(DRAW, "ply-limit")
        player = players[side]
        try:
            left = Clocks(clocks[side], clocks[1 - side]) if limit.match_ms else None
            answer = player.think(moves, limit, left)
        except Fault as fault:
            return record(_lost(side), fault.kind, f"{player.name} {fault}")
        clocks[side] = max(clocks[side] - answer.elapsed_ms, 0) + limit.increment_ms
        effort = efforts[side]
        effort.moves += 1
        effort.time_ms += answer.elapsed_ms
        effort.longest_ms = max(effort.longest_ms, answer.elapsed_ms)
        effort.depth += answer.depth
        effort.nodes += answer.nodes
        effort.nodes_ms += answer.nodes_ms
        if answer.resigned:
            return record(_lost(side), "resignation")
        try:
            move = player.read_move(answer.move)
            referee.play(move)
        except ValueError as error:
            return record(_lost(side), "illegal", f"{player.name} moved '{answer.move}': {error}")
        moves.append(move)


def _lost(side: int) -> str:
    return SECOND_WINS if side == 0 else FIRST_WINS
