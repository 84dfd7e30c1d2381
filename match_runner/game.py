"""One game of Xiangqi between two engines, decided by the rules or by an engine's fault."""

from __future__ import annotations

from dataclasses import dataclass, field

from match_runner.openings import Opening
from match_runner.player import Fault, Player, Situation, ThinkingLimit
from ucci_engine.position import Position
from ucci_engine.squares import MoveTextError, move_text, parse_move

RED_WINS, BLACK_WINS, DRAW = "1-0", "0-1", "1/2-1/2"
_LOST_BY_RULE = {"mate", "stalemate", "perpetual-loss"}
_WON_BY_RULE = {"perpetual-win"}


@dataclass(slots=True)
class Effort:
    """What one side spent in a game; sums over its `moves` (plies of its own)."""

    moves: int = 0
    time_ms: float = 0.0
    longest_ms: float = 0.0
    depth: int = 0
    nodes: int = 0
    nodes_ms: int = 0
    """The engine's own time for its nodes: the last report may come well before the move."""


@dataclass(slots=True)
class GameRecord:
    """A finished game. `reason` is a word of Position.result(), 'crash', 'time', 'illegal', 'resignation' or
    'ply-limit'; `detail` explains a fault; `efforts` and `names` are Red's, then Black's."""

    names: tuple[str, str]
    opening_line: int
    opening_plies: int
    moves: tuple[int, ...]
    result: str
    reason: str
    detail: str = ""
    efforts: tuple[Effort, Effort] = field(default_factory=lambda: (Effort(), Effort()))

    def move_texts(self) -> list[str]:
        return [move_text(move) for move in self.moves]


def play_game(red: Player, black: Player, opening: Opening, limit: ThinkingLimit, max_plies: int) -> GameRecord:
    """Play a game to its end. `max_plies` > 0 calls longer games a draw. A fault of an engine loses it the game."""
    players = (red, black)
    efforts = (Effort(), Effort())
    position = Position()
    fen = quiet_fen = position.fen()
    moves: list[int] = []
    quiet_moves: list[int] = []

    def play(move: int) -> None:
        nonlocal quiet_fen
        captures = position.piece_at(move >> 7) != ""
        position.push(move)
        moves.append(move)
        quiet_moves.append(move)
        if captures:
            quiet_fen = position.fen()
            quiet_moves.clear()

    def record(result: str, reason: str, detail: str = "") -> GameRecord:
        names = (red.name, black.name)
        return GameRecord(names, opening.line, len(opening.moves), tuple(moves), result, reason, detail, efforts)

    for move in opening.moves:
        play(move)
    for side, player in enumerate(players):
        try:
            player.new_game()
        except Fault as fault:
            return record(_lost(side), fault.kind, f"{player.name} {fault}")
    while True:
        side = position.side
        verdict = position.result()
        if verdict in _LOST_BY_RULE:
            return record(_lost(side), verdict)
        if verdict in _WON_BY_RULE:
            return record(_lost(1 - side), verdict)
        if verdict != "ongoing":
            return record(DRAW, verdict)
        if max_plies and len(moves) >= max_plies:
            return record(DRAW, "ply-limit")
        player = players[side]
        try:
            answer = player.think(Situation(fen, tuple(moves), quiet_fen, tuple(quiet_moves)), limit)
        except Fault as fault:
            return record(_lost(side), fault.kind, f"{player.name} {fault}")
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
            move = parse_move(answer.move, player.ranks)
        except MoveTextError as error:
            return record(_lost(side), "illegal", f"{player.name} moved '{answer.move}': {error}")
        if not position.is_legal(move):
            return record(_lost(side), "illegal", f"{player.name} moved '{answer.move}' in {position.fen()}")
        play(move)


def _lost(side: int) -> str:
    return BLACK_WINS if side == 0 else RED_WINS
