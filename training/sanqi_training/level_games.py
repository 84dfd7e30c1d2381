"""Pairs of games between levels, other players of ours and other programs, played in this process.

A player is named by a text:

    1 … 20          a level
    full:NODES      full strength with NODES nodes a move (Junqi: the level search)
    classic-1ply, classic-4ply   Xiangqi
    fairy:SKILL     Xiangqi: fairy-stockfish at a Skill Level, with --anchor-nodes nodes a move
    choice:NODES:CP Xiangqi and Gomoku: full strength that plays one of the four best lines at random, at most CP
                    centipawns worse than the best
    weights         Gomoku
    random, events, path, greedy, expect   Junqi
"""

from __future__ import annotations

import atexit
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from game_core.session import DRAW, FIRST_WINS, Session
from gomoku_protocol import levels as gomoku_levels
from gomoku_protocol.match_game import Gomoku
from gomoku_protocol.points import FREESTYLE
from gomoku_protocol.position import Position as GomokuPosition
from gomoku_protocol.weights import choose as weigh
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.knowledge.seen_game import SeenGame
from junqi_protocol.players.levels import LEVELS as JUNQI_PLAYERS
from junqi_protocol.players.levels import SEARCH, WEAKNESSES
from junqi_protocol.players.players import choose
from junqi_protocol.players.searching import Searcher
from junqi_protocol.rules.geometry import VARIANTS, move_text
from junqi_protocol.rules.lineup import random_lineup
from match_runner.game import BoardGame
from match_runner.openings import Opening, read_openings
from search_core.engine import Engine
from search_core.levels import NUMBERS
from search_core.thinker import Limits
from ucci_engine import levels as xiangqi_levels
from ucci_engine.classic_player import ClassicPlayer
from ucci_engine.levels import CLASSIC_PLAYERS
from ucci_engine.match_game import Xiangqi
from ucci_engine.match_player import XiangqiPlayer
from ucci_engine.position import Position as XiangqiPosition

FULL = "full"
CHOICE = "choice"
FAIRY = "fairy"
FAIRY_COMMAND = "fairy-stockfish"
QUIET_PLIES = 70
"""Of Junqi: a game is drawn after this number of plies without a clash."""
_CHOICE_LINES = 4
_MAX_PLIES = {"xiangqi": 400, "gomoku": 225, "junqi": 3000}
_OPENINGS = {"xiangqi": Xiangqi.shipped_openings, "gomoku": Gomoku.shipped_openings}


def shipped_openings(game: str) -> Path:
    """The openings of a board game that sanqi comes with."""
    return _OPENINGS[game]


class Terms(NamedTuple):
    """What all games of a calibration have in common."""

    game: str
    variant: str = "siguo"
    """Of Junqi."""
    openings: str = ""
    """A file; empty: the shipped one."""
    seed: int = 1
    anchor_nodes: int = 20_000
    """Of other programs, for a move."""


class Played(NamedTuple):
    """A game: the points of the player that was named first, why it ended, and its moves."""

    points: float
    reason: str
    moves: list[str]


class Side(Protocol):
    """A player of a board game."""

    def new_game(self, seed: int, start: str) -> None: ...

    def move(self, session: Session, moves: Sequence[str]) -> str: ...


class _EngineSide:
    """Our search, at a level or at full strength."""

    def __init__(self, limits: Limits) -> None:
        self._engine = Engine()
        self._engine.hash_mb = 16
        self._limits = limits

    def new_game(self, seed: int, start: str) -> None:
        from dataclasses import replace

        self._engine.new_game()
        self._limits = replace(self._limits, seed=seed)

    def move(self, session: Session, moves: Sequence[str]) -> str:
        best = self._engine.search(session.position(), self._limits).best
        assert best is not None
        return session.move_text(best)


class _ChoiceSide:
    """Random choice among the best lines."""

    def __init__(self, nodes: int, margin: int) -> None:
        self._engine = Engine()
        self._engine.hash_mb = 16
        self._limits = Limits(nodes=nodes, multipv=_CHOICE_LINES)
        self._margin = margin
        self._chance = random.Random()

    def new_game(self, seed: int, start: str) -> None:
        self._engine.new_game()
        self._chance = random.Random(seed)

    def move(self, session: Session, moves: Sequence[str]) -> str:
        result = self._engine.search(session.position(), self._limits)
        pool = [line.pv[0] for line in result.lines if line.pv and line.score >= result.score - self._margin]
        best = self._chance.choice(pool) if pool else result.best
        assert best is not None
        return session.move_text(best)


class _ClassicSide:
    def __init__(self, name: str) -> None:
        self._player = ClassicPlayer(name)

    def new_game(self, seed: int, start: str) -> None:
        self._player.seed = seed

    def move(self, session: Session, moves: Sequence[str]) -> str:
        position = session.position()
        assert isinstance(position, XiangqiPosition)
        best = self._player.search(position).best
        assert best is not None
        return session.move_text(best)


class _WeightsSide:
    def new_game(self, seed: int, start: str) -> None:
        pass

    def move(self, session: Session, moves: Sequence[str]) -> str:
        position = session.position()
        assert isinstance(position, GomokuPosition)
        return session.move_text(weigh(position))


class _FairySide:
    """Another program, over UCI."""

    def __init__(self, skill: str, nodes: int) -> None:
        self._limit = ThinkingLimit(nodes=nodes)
        options = (("Skill Level", skill), ("Hash", "16"), ("Threads", "1"), ("Use NNUE", "false"))
        self._player = XiangqiPlayer(
            EngineSpecification(
                FAIRY,
                (FAIRY_COMMAND,),
                "uci",
                variant="xiangqi",
                options=options,
                allows_unknown=True,  # not every build has a net
            )
        )
        atexit.register(self._player.shut_down_for_good)

    def new_game(self, seed: int, start: str) -> None:
        self._player.new_game(self._limit, start)

    def move(self, session: Session, moves: Sequence[str]) -> str:
        return self._player.read_move(self._player.think(moves, self._limit).move)


class BoardArena:
    """Games of Xiangqi or Gomoku."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._levels: Any = xiangqi_levels.LEVELS if terms.game == "xiangqi" else gomoku_levels.LEVELS
        self._game: BoardGame = Xiangqi() if terms.game == "xiangqi" else Gomoku(15, 15, FREESTYLE)
        self._openings = read_openings(Path(terms.openings or _OPENINGS[terms.game]), self._game)
        self._sides: dict[tuple[str, bool], Side] = {}

    def check(self, name: str) -> None:
        """Raises ValueError if this is no player of the game."""
        kind, _, number = name.partition(":")
        own = (*CLASSIC_PLAYERS, FAIRY) if self._terms.game == "xiangqi" else (gomoku_levels.WEIGHTS,)
        if kind not in (*NUMBERS, FULL, CHOICE, *own):
            raise ValueError(f"{name!r} is no player of {self._terms.game}")
        numbers = number.split(":") if number else []
        wanted = {FULL: 1, FAIRY: 1, CHOICE: 2}.get(kind, 0)
        if len(numbers) != wanted or not all(one.removeprefix("-").isdecimal() for one in numbers):
            raise ValueError(f"{name!r}: expected {FULL}:NODES, {FAIRY}:SKILL or {CHOICE}:NODES:CP")

    def pair(self, first: str, second: str, number: int) -> list[Played]:
        """Two games from one opening, the first player begins the first of them."""
        # Each pairing has openings of its own order, so that no opening is in all of them.
        chance = random.Random(f"{self._terms.seed} {first} {second}")
        order = chance.sample(self._openings, len(self._openings))
        opening = order[number % len(order)]
        return [
            self._play((first, second), opening, chance.getrandbits(31) + number, swapped) for swapped in (False, True)
        ]

    def _play(self, names: tuple[str, str], opening: Opening, seed: int, swapped: bool) -> Played:
        session = self._game.open(opening.start)
        moves = list(opening.moves)
        for move in moves:
            session.play(move)
        # A level may play against itself, so each has a side for either place.
        sides = [self._side(name, place == 1) for place, name in enumerate(names)]
        for place, side in enumerate(sides):
            side.new_game(2 * seed + place, opening.start)
        while (verdict := session.verdict()) is None and session.ply < _MAX_PLIES[self._terms.game]:
            move = sides[session.to_move ^ swapped].move(session, moves)
            session.play(move)
            moves.append(move)
        if verdict is None or verdict.result == DRAW:
            return Played(0.5, "too long" if verdict is None else verdict.reason, moves)
        return Played(float((verdict.result == FIRST_WINS) != swapped), verdict.reason, moves)

    def _side(self, name: str, second: bool) -> Side:
        key = name, second
        if key not in self._sides:
            self._sides[key] = self._make_side(name)
        return self._sides[key]

    def _make_side(self, name: str) -> Side:
        kind, _, number = name.partition(":")
        if kind in NUMBERS:
            return _EngineSide(Limits(level=self._levels[int(kind) - 1]))
        if kind == FULL:
            return _EngineSide(Limits(nodes=int(number)))
        if kind == CHOICE:
            nodes, _, margin = number.partition(":")
            return _ChoiceSide(int(nodes), int(margin))
        if kind == FAIRY:
            return _FairySide(number, self._terms.anchor_nodes)
        return _ClassicSide(name) if name in CLASSIC_PLAYERS else _WeightsSide()


class _JunqiSide:
    """A player of all seats of a team, which it sees."""

    def __init__(self, name: str) -> None:
        self._kind, _, nodes = name.partition(":")
        self._searcher = Searcher()
        self._limits = Limits(nodes=int(nodes or 0))
        self._chance = random.Random()

    def new_game(self, seed: int) -> None:
        self._searcher.new_game()
        self._chance = random.Random(seed)

    def move(self, view: PlayerView) -> int:
        if self._kind in JUNQI_PLAYERS and self._kind != SEARCH:
            return choose(self._kind, view, self._chance)
        if self._kind == FULL:
            best = self._searcher.find(view, self._limits).best
        else:
            best = self._searcher.find_weaker(view, self._limits, WEAKNESSES[self._kind], self._chance).best
        assert best is not None
        return best


class JunqiArena:
    """Games of Junqi; the lineups of a deal are played twice, the second time with the teams swapped."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._sides: dict[tuple[str, bool], _JunqiSide] = {}

    def check(self, name: str) -> None:
        """Raises ValueError if this is no player of the game."""
        kind, _, number = name.partition(":")
        if kind not in (*NUMBERS, FULL, *JUNQI_PLAYERS[1:]) or (kind == FULL) != number.isdecimal():
            raise ValueError(f"{name!r} is no player of junqi")

    def pair(self, first: str, second: str, number: int) -> list[Played]:
        """Both games of a deal."""
        chance = random.Random(f"{self._terms.seed} {first} {second} {number}")
        seats = VARIANTS[self._terms.variant].seats
        lineups = [random_lineup(chance) for _ in range(seats)]
        seed = chance.getrandbits(32)
        return [self._play((first, second), lineups, number % seats, seed, swapped) for swapped in (False, True)]

    def _play(self, names: tuple[str, str], lineups: list[str], first: int, seed: int, swapped: bool) -> Played:
        plies = _MAX_PLIES["junqi"]
        game = SeenGame(self._terms.variant, lineups, first=first, quiet=QUIET_PLIES, plies=plies)
        world = game.world
        sides = [self._side(name, place == 1) for place, name in enumerate(names)]
        for place, side in enumerate(sides):
            side.new_game(2 * seed + place)
        moves = []
        while world.outcome_text is None:
            move = sides[(world.turn & 1) ^ swapped].move(game.view)
            moves.append(move_text(world.variant, move))
            game.push(move)
        points = 0.5 if world.winner is None else float((world.winner == 0) != swapped)
        return Played(points, world.outcome_text, moves)

    def _side(self, name: str, second: bool) -> _JunqiSide:
        key = name, second
        if key not in self._sides:
            self._sides[key] = _JunqiSide(name)
        return self._sides[key]


Arena = BoardArena | JunqiArena


def arena_of(terms: Terms) -> Arena:
    """Where the games of these terms are played."""
    return JunqiArena(terms) if terms.game == "junqi" else BoardArena(terms)
