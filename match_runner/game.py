"""What the runner asks of a game that two engines can play, and one playing of it: to its end by the rules, by an
engine's fault, or by what both engines say of it."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from match_runner.openings import Opening, legal_moves_of, opening_lines
from match_runner.playback import Board, Playback
from match_runner.player import Fault, Player
from match_runner.specification import EngineSpecification
from match_runner.time_control import Clock, Clocks, ThinkingLimit
from match_runner.uci_player import UciPlayer
from search_core.line_protocol import excerpt, printable
from search_core.session import DRAW, FIRST_WINS, SECOND_WINS, Session

_LEAST_MS_OF_SPEED = 10
"""A move, in the mean: engines tell whole milliseconds, and 500 nodes in "0 ms" are no speed. Not a matter of each
move: among short ones those that took longer are the ones that were held up."""


class Competitor(Protocol):
    """An engine in a match."""

    name: str
    remarks: list[str]
    """What the user should know of its last start, though it plays."""

    def start(self) -> None:
        """Start the program, shake hands and set its options. Raises Fault ('crash') if that does not succeed."""

    def reported_name(self) -> str:
        """The name, and often the version, by which a program that was started calls itself; '': it tells none.
        Raises Fault ('crash')."""

    def stop(self) -> None:
        """End the program; it may be started again."""

    def shut_down_for_good(self) -> None:
        """End the program for good. May be called by another thread than the one that plays."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When a game is ended by what both engines say of it: for so many moves of each, one after the other, all scores
    give the same side `win_cp` centipawns or more; or, from ply `draw_from_ply`, all lie within `draw_cp` of even.
    0 moves: never. A move without a score begins the count anew."""

    win_cp: int = 0
    win_moves: int = 0
    draw_cp: int = 0
    draw_moves: int = 0
    draw_from_ply: int = 0

    def result(self, move_stats: Sequence[MoveStats], plies: int) -> str | None:
        """The result after `plies` of a game, with all thoughts that led to it; None while it goes on."""
        if self.win_moves and len(scores := _newest_scores(move_stats, 2 * self.win_moves)) == 2 * self.win_moves:
            if min(scores) >= self.win_cp:
                return FIRST_WINS
            if max(scores) <= -self.win_cp:
                return SECOND_WINS
        if self.draw_moves and plies >= self.draw_from_ply:
            scores = _newest_scores(move_stats, 2 * self.draw_moves)
            if len(scores) == 2 * self.draw_moves and max(map(abs, scores)) <= self.draw_cp:
                return DRAW
        return None


def _newest_scores(move_stats: Sequence[MoveStats], count: int) -> list[int]:
    """Up to so many scores, for side 0; fewer if one is missing."""
    newest = move_stats[-count:]
    return [-stats.score_cp if stats.side else stats.score_cp for stats in newest if stats.score_cp is not None]


class MatchConditions(NamedTuple):
    """What all games of a match have in common. `limit` is that of engines which have none of their own.
    `max_plies` > 0 calls longer games a draw."""

    limit: ThinkingLimit
    max_plies: int = 0
    adjudication: Adjudication = Adjudication()

    def limit_of(self, engine: EngineSpecification) -> ThinkingLimit:
        """How long an engine thinks."""
        return self.limit if engine.limit is None else engine.limit


class Game(Protocol):
    """A game with all that is agreed before a match: the rules, the board, who can play it."""

    @property
    def sides(self) -> tuple[str, ...]:
        """What the two sides are called in reports."""

    def terms(self) -> dict[str, Any]:
        """What was agreed, for JSON."""

    def player(self, specification: EngineSpecification) -> Competitor:
        """An engine that can play it, not started yet."""

    def play(self, players: Sequence[Any], opening: Opening, conditions: MatchConditions) -> PlayedGame:
        """Have a game played by two engines that player() made, from an opening of this game. A fault of an engine
        loses it the game."""

    def read_move(self, text: str) -> str:
        """A move of a file, in the game's own spelling. Raises ValueError if it is none."""

    def board(self) -> Board | None:
        """What a report's viewer draws; None: there is no picture of this game."""

    def playback(self, record: PlayedGame) -> Playback | None:
        """A game as the viewer plays it. Raises ValueError or LookupError if its moves are none of this game."""

    def notation_writer(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> NotationWriter:
        """Writes games as other programs read them, to a new file or folder; `resumed`: it may be there, and gets
        all games once more. `limits`: how long each engine thinks, by its name. Raises OSError."""


class NotationWriter(Protocol):
    """A place for games in the format that other programs read."""

    def add(self, number: int, record: PlayedGame) -> None:
        """Write game `number`, from 1. Raises OSError."""

    def close(self) -> None:
        """Leave everything as it is."""


class BoardGame:
    """A game of two sides that see everything, played through its session, ``package.module:Class``.

    As it stands here it suffices for a match between UCI or UCCI engines. A subclass adds what more a game has:
    openings and their notation, start positions, a picture for the report, a format for other programs.
    """

    shipped_openings: Path | None = None
    """None: games begin from the start position, or from a file that the user gives."""

    def __init__(self, name: str, session: str) -> None:
        self.name = name
        self._session = session

    @property
    def sides(self) -> tuple[str, ...]:
        sides: tuple[str, ...] = pkgutil.resolve_name(self._session).sides
        return sides

    def terms(self) -> dict[str, Any]:
        return {"game": self.name}

    def open(self, start: str = "") -> Session:
        """A new game from a position (a FEN; '': the game's own start). Raises ValueError if there is none such."""
        if start:
            raise ValueError(f"{excerpt(start)}: {self.name} is played from its start position")
        session: Session = pkgutil.resolve_name(self._session)()
        return session

    def player(self, specification: EngineSpecification) -> Player:
        return UciPlayer(specification, self.open)

    def play(self, players: Sequence[Player], opening: Opening, conditions: MatchConditions) -> PlayedGame:
        return play_game(self, players, opening, conditions)

    def read_move(self, text: str) -> str:
        if not text or not text.isprintable() or " " in text:
            raise ValueError(f"{excerpt(text)} is no move")
        return text

    def read_openings(self, path: Path) -> list[Opening]:
        """All openings of a file, in its order. Raises OpeningError. Here a line is the moves of one."""
        return [legal_moves_of(path, number, self, "", words, self.read_move) for number, words in opening_lines(path)]

    def board(self) -> Board | None:
        return None

    def playback(self, record: PlayedGame) -> Playback | None:
        return None

    def notation_writer(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> NotationWriter:
        raise OSError(f"--records: there is no format for games of {self.name}; --out FILE has the moves")


class MoveStats(NamedTuple):
    """What a move (or its failing) took: the wall time, and depth, nodes and their time as the engine reported them
    (0: not), and its score for `side` in centipawns (None: not reported)."""

    side: int
    time_ms: float
    depth: int = 0
    nodes: int = 0
    nodes_ms: float = 0
    """The engine's own time for its nodes: the last report may come well before the move."""
    score_cp: int | None = None


@dataclass(slots=True)
class EngineStats:
    """What an engine spent in a match; sums over its `moves` (plies of its own)."""

    moves: int = 0
    time_ms: float = 0.0
    longest_ms: float = 0.0
    depth: int = 0
    nodes: int = 0
    nodes_ms: float = 0

    def add(self, stats: MoveStats) -> None:
        """Count a move."""
        self.moves += 1
        self.time_ms += stats.time_ms
        self.longest_ms = max(self.longest_ms, stats.time_ms)
        self.depth += stats.depth
        self.nodes += stats.nodes
        self.nodes_ms += stats.nodes_ms

    @property
    def nodes_per_s(self) -> float | None:
        """None: it told no nodes, or its moves take too little time."""
        if not self.nodes or self.nodes_ms < _LEAST_MS_OF_SPEED * self.moves:
            return None
        return self.nodes / self.nodes_ms * 1000


@dataclass(slots=True)
class PlayedGame:
    """A finished game. `reason` is a word of the rules' verdict, 'crash', 'time', 'illegal', 'resignation',
    'adjudication' or 'ply-limit'; `detail` explains a fault; `names` are those of the game's sides in their order.
    `move_stats` are those of the engines, in the order of the game; openings take none.
    `notation` is the game in a format of its own where its moves are not all of it."""

    names: tuple[str, str]
    opening: Opening
    moves: tuple[str, ...]
    result: str
    reason: str
    detail: str = ""
    move_stats: tuple[MoveStats, ...] = ()
    notation: str = ""


def play_game(game: BoardGame, players: Sequence[Player], opening: Opening, conditions: MatchConditions) -> PlayedGame:
    """Let two players, in the order of the game's sides, play to the end. A fault of an engine loses it the game."""
    first, second = players
    limits = [conditions.limit_of(player.specification) for player in players]
    move_stats: list[MoveStats] = []
    session = game.open(opening.start)
    moves: list[str] = []
    clocks = [Clock(limit) if limit.match_ms else None for limit in limits]

    def record(result: str, reason: str, detail: str = "") -> PlayedGame:
        names = first.name, second.name
        return PlayedGame(names, opening, tuple(moves), result, reason, printable(detail), tuple(move_stats))

    def clocks_of(side: int) -> Clocks | None:
        own = clocks[side]
        return None if own is None else Clocks(own, clocks[1 - side], side)

    for move in opening.moves:
        session.play(move)
        moves.append(move)
    for side, player in enumerate(players):
        try:
            player.new_game(limits[side], opening.start)
        except Fault as fault:
            return record(_lost(side), fault.kind, f"{player.name} {fault}")
    while True:
        side = session.to_move
        if (verdict := session.verdict()) is not None:
            return record(*verdict)
        if (result := conditions.adjudication.result(move_stats, len(moves))) is not None:
            return record(result, "adjudication")
        if conditions.max_plies and len(moves) >= conditions.max_plies:
            return record(DRAW, "ply-limit")
        player, limit, clock = players[side], limits[side], clocks[side]
        try:
            answer = player.think(moves, limit, clocks_of(side))
        except Fault as fault:
            return record(_lost(side), fault.kind, f"{player.name} {fault}")
        move_stats.append(
            MoveStats(side, answer.elapsed_ms, answer.depth, answer.nodes, answer.nodes_ms, answer.score_cp)
        )
        if clock is not None:
            clock.count(answer.elapsed_ms)
        if answer.resigned:
            return record(_lost(side), "resignation")
        try:
            move = player.read_move(answer.move)
            session.play(move)
        except ValueError as error:
            return record(_lost(side), "illegal", f"{player.name} moved '{answer.move}': {error}")
        moves.append(move)
        if limit.ponder and answer.ponder and session.verdict() is None:
            player.ponder(moves, limit, clocks_of(side), answer)


def _lost(side: int) -> str:
    return SECOND_WINS if side == 0 else FIRST_WINS
