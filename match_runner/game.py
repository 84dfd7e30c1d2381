"""A game that two engines can play, and play_game(), which plays it once: to its end by the rules, to a fault of an
engine, or to an adjudication by both engines' scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from board_pages.drawing import BoardDrawing
from board_pages.playback import Playback
from engine_client.dialects import DIALECTS
from engine_client.player import Fault, Player
from engine_client.specification import EngineSpecification, SpecificationError
from engine_client.time_control import Clock, Clocks, ThinkingLimit
from engine_client.uci_player import UciPlayer
from game_core.session import DRAW, FIRST_WINS, SECOND_WINS, Session
from match_runner.live_game import LiveGame
from match_runner.openings import Opening, legal_moves_of, opening_lines
from search_core.line_protocol import excerpt, printable
from search_core.machine import today
from search_core.parts import load_part

_MIN_MS_OF_SPEED = 10
"""Least mean time of a move for nodes/s: engines report whole milliseconds, and 500 nodes in "0 ms" give no speed.
The mean counts, not each move: leaving out the short moves would keep those that were delayed."""


class Competitor(Protocol):
    """An engine in a match."""

    name: str
    remarks: list[str]
    """Warnings for the user about its last start."""

    def start(self) -> None:
        """Start the program, shake hands and set its options. Raises Fault ('crash') if one of these fails."""

    def reported_name(self) -> str:
        """The name, often with the version, that a started program reports; '': none. Raises Fault ('crash')."""

    def stop(self) -> None:
        """End the program; it may be started again."""

    def shut_down_for_good(self) -> None:
        """End the program for good. Any thread may call this."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When both engines' scores end a game.

    A win: for `win_moves` moves of each engine in a row, all scores see the same side ahead by `win_cp` centipawns or
    more. A draw: from ply `draw_from_ply`, all scores stay within `draw_cp` for `draw_moves` moves of each engine.
    0 moves: never. A move without a score restarts the count.
    """

    win_cp: int = 0
    win_moves: int = 0
    draw_cp: int = 0
    draw_moves: int = 0
    draw_from_ply: int = 0

    def result(self, move_stats: Sequence[MoveStats], plies: int) -> str | None:
        """The result after `plies` plies, from the engines' moves so far; None: the game goes on."""
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
    """The last `count` scores from the view of side 0; fewer if one is missing."""
    newest = move_stats[-count:]
    return [-stats.score_cp if stats.side else stats.score_cp for stats in newest if stats.score_cp is not None]


class MatchConditions(NamedTuple):
    """What all games of a match have in common. `limit` is for engines without a limit of their own. `max_plies` > 0:
    longer games are draws."""

    limit: ThinkingLimit
    max_plies: int = 0
    adjudication: Adjudication = Adjudication()

    def limit_of(self, engine: EngineSpecification) -> ThinkingLimit:
        """How long an engine thinks."""
        return self.limit if engine.limit is None else engine.limit


class MatchGame(Protocol):
    """A game with all that is fixed before a match: the rules, the board, who can play it."""

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of the two sides in reports."""

    def terms(self) -> dict[str, Any]:
        """What was fixed before the match, for JSON."""

    def player(self, specification: EngineSpecification) -> Competitor:
        """An engine that can play it, not started yet. Raises SpecificationError for a protocol or a setting that the
        game does not have."""

    def play(
        self, players: Sequence[Any], opening: Opening, conditions: MatchConditions, live: LiveGame | None = None
    ) -> PlayedGame:
        """Play a game between two engines that player() made, from an opening of this game. An engine with a fault
        loses the game. `live`: where it is shown while it is played; None: nowhere."""

    def read_move(self, text: str) -> str:
        """A move of a file, in the game's own spelling. Raises ValueError if it is not a move."""

    def board(self) -> BoardDrawing | None:
        """The board that a report's viewer draws; None: the viewer cannot show this game."""

    def playback(self, record: PlayedGame) -> Playback | None:
        """A game as the viewer plays it. Raises ValueError or LookupError if a move is not one of this game."""

    def notation_writer(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> NotationWriter:
        """A writer of games for other programs, to a new file or folder. `resumed`: `path` may exist, and all games
        are written again. `limits`: how long each engine thinks, by its name. Raises OSError."""


class NotationWriter(Protocol):
    """Writes games in a format of other programs."""

    def add(self, number: int, record: PlayedGame) -> None:
        """Write game `number`, from 1. Raises OSError."""

    def close(self) -> None:
        """Close the file, if one is open."""


class BoardGame:
    """A game of two sides that see everything, played through its session, ``package.module:Class``.

    This is enough for a match between UCI or UCCI engines. A subclass adds what else a game has: openings and their
    notation, start positions, a picture for the report, a format for other programs.
    """

    shipped_openings: Path | None = None
    """The file of openings; None: games begin from the start position, or from the user's openings."""
    openings_command: str = ""
    """The command that makes openings, without the options of all games; '': there is none."""

    def __init__(self, name: str, session: str) -> None:
        self.name = name
        self._session = session

    @property
    def sides(self) -> tuple[str, ...]:
        sides: tuple[str, ...] = load_part(self._session).sides
        return sides

    def terms(self) -> dict[str, Any]:
        return {"game": self.name}

    def open(self, start: str = "") -> Session:
        """A new game from a position (a FEN; '': the game's own start). Raises ValueError for a wrong position."""
        if start:
            raise ValueError(f"{excerpt(start)}: {self.name} is played from its start position")
        session: Session = load_part(self._session)()
        return session

    def player(self, specification: EngineSpecification) -> Player:
        protocol = specification.protocol
        if protocol not in DIALECTS:
            known = " and ".join(DIALECTS)
            raise SpecificationError(f"proto={protocol}: a match has no client for it, only for {known}")
        if specification.ranks:
            raise SpecificationError(f"ranks={specification.ranks} has no meaning in {self.name}")
        return UciPlayer(specification, self.open)

    def play(
        self, players: Sequence[Player], opening: Opening, conditions: MatchConditions, live: LiveGame | None = None
    ) -> PlayedGame:
        return play_game(self, players, opening, conditions, live)

    def read_move(self, text: str) -> str:
        if not text or not text.isprintable() or " " in text:
            raise ValueError(f"{excerpt(text)} is no move")
        return text

    def read_openings(self, path: Path) -> Iterator[Opening]:
        """The openings of a file, in its order. Each line has the moves of one opening. Raises OpeningError."""
        for number, words in opening_lines(path):
            yield legal_moves_of(path, number, self, "", words, self.read_move)

    def board(self) -> BoardDrawing | None:
        return None

    def playback(self, record: PlayedGame) -> Playback | None:
        return None

    def notation_writer(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> NotationWriter:
        raise OSError(f"--records: there is no format for games of {self.name}; --out FILE has the moves")


class MoveStats(NamedTuple):
    """What a move took: the wall time; depth, nodes and their time as the engine reported them (0: not reported); and
    its score for `side` in centipawns (None: not reported)."""

    side: int
    time_ms: float
    depth: int = 0
    nodes: int = 0
    nodes_ms: float = 0
    """The engine's own time for its nodes: the last report may come long before the move."""
    score_cp: int | None = None


@dataclass(slots=True)
class EngineStats:
    """What an engine used in a match: sums over its `moves` (its own plies)."""

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
        """None: the engine reported no nodes, or its moves are too short."""
        if not self.nodes or self.nodes_ms < _MIN_MS_OF_SPEED * self.moves:
            return None
        return self.nodes / self.nodes_ms * 1000


@dataclass(slots=True)
class PlayedGame:
    """A finished game. `reason` is a word of the rules' verdict, 'crash', 'time', 'illegal', 'resignation',
    'adjudication' or 'ply-limit'; `detail` explains a fault; `names` are the engines' names in the order of the sides.
    `move_stats` are in the order of the moves; opening moves have none. `notation` is the game in a format of its own,
    if the moves alone do not describe it. `date` is the day of its end; '': not known."""

    names: tuple[str, str]
    opening: Opening
    moves: tuple[str, ...]
    result: str
    reason: str
    detail: str = ""
    move_stats: tuple[MoveStats, ...] = ()
    notation: str = ""
    date: str = field(default_factory=today)


def play_game(
    game: BoardGame,
    players: Sequence[Player],
    opening: Opening,
    conditions: MatchConditions,
    live: LiveGame | None = None,
) -> PlayedGame:
    """Let two players, in the order of the game's sides, play to the end. An engine with a fault loses the game.
    `live`: where the game is shown while it is played; None: nowhere."""
    try:
        return _play_to_the_end(game, players, opening, conditions, live)
    finally:
        for player in players:
            player.end_game()


def _play_to_the_end(
    game: BoardGame, players: Sequence[Player], opening: Opening, conditions: MatchConditions, live: LiveGame | None
) -> PlayedGame:
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
    if live is not None:
        live.show(moves)
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
            why = str(error) if answer.move else "that is no move"
            return record(_lost(side), "illegal", f"{player.name} moved '{answer.move or answer.sent}': {why}")
        moves.append(move)
        if live is not None:
            live.show(moves)
        if limit.ponder and answer.ponder and session.verdict() is None:
            player.ponder(moves, limit, clocks_of(side), answer)


def _lost(side: int) -> str:
    return SECOND_WINS if side == 0 else FIRST_WINS
