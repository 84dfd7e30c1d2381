"""Games of Junqi against itself, and how their records are read (docs/nets.md)."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.knowledge.seen_game import SeenGame
from junqi_protocol.players.evaluators import NET, default_evaluator
from junqi_protocol.players.searching import Searcher
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import LINEUPS
from junqi_protocol.rules.position import REASONS
from sanqi_training.selfplay.player import HEAD
from sanqi_training.selfplay.store import StoreError, game_seed, read_blocks, read_header
from search_core.engine import Limits

RECORD = 1
"""Version of the record."""
OPENING_PLIES = (0, 1, 2, 3, 4, 5, 6)
"""How many random moves a game begins with: one of these numbers."""
QUIET_PLIES = 70
"""Without a clash; then the game is drawn."""
MAX_PLIES = 1000
ENDS = REASONS
"""How a game ended."""

_HARD_FACTOR = 8  # of the soft limit: no search is longer


class JunqiPlayer:
    """Plays games of Junqi. A game depends on nothing but its seed.

    Parameters
    ----------
    nodes : int
        A search begins no iteration after so many.
    variant : str
    see : str
        As of SeenGame.
    evaluator : str
        As of default_evaluator(). Raises NetError, OSError.
    """

    def __init__(self, nodes: int, variant: str, see: str, evaluator: str = NET) -> None:
        default_evaluator(variant, evaluator)
        self._limits = Limits(soft_nodes=nodes, nodes=_HARD_FACTOR * nodes)
        self._variant = variant
        self._see = see
        self._searcher = Searcher()
        self._searcher.evaluator = evaluator

    def play(self, seed: str) -> bytes:
        """A game as its record."""
        chance = random.Random(seed)
        seats = VARIANTS[self._variant].seats
        make = LINEUPS[_kind(chance)]
        lineups = [make(self._variant, chance) for _ in range(seats)]
        first = chance.randrange(seats)
        game = SeenGame(self._variant, lineups, see=self._see, first=first, quiet=QUIET_PLIES, plies=MAX_PLIES)
        opening: list[int] = []
        plies = chance.choice(OPENING_PLIES)
        while len(opening) < plies and game.world.outcome_text is None:
            opening.append(chance.choice(game.world.legal_moves()))
            game.push(opening[-1])
        self._searcher.new_game()
        pairs: list[int] = []
        while game.world.outcome_text is None:
            found = self._searcher.find(game.view, self._limits)
            assert found.best is not None
            pairs += (found.best, found.score)
            game.push(found.best)
        winner = game.world.winner
        end = ENDS.index(game.world.outcome_text.split()[-1])
        head = HEAD.pack(1 if winner is None else 2 - 2 * winner, end, len(opening), len(pairs) // 2)
        moves = struct.pack(f"<{len(opening)}H{'Hh' * (len(pairs) // 2)}", *opening, *pairs)
        return head + bytes((first,)) + "".join(lineups).encode() + moves


def lineup_kind(header: dict[str, Any], number: int) -> str:
    """The kind, of LINEUPS, of the lineups of the game of this number in a file with this header."""
    return _kind(random.Random(game_seed(header["seed"], number)))


def _kind(chance: random.Random) -> str:
    """The first that the random numbers of a game decide: the kind of all its lineups."""
    return chance.choice(("random", *LINEUPS))


class PlayedGame(NamedTuple):
    """A game."""

    variant: str
    see: str
    lineups: list[str]
    first: int
    """The seat that began."""
    opening: list[int]
    moves: list[int]
    """Those after the opening."""
    scores: list[int]
    """Of each of them, for the team that moves: a win probability from -20000 to 20000."""
    result: int
    """Of the team of seat 0: 0 lost, 1 drawn, 2 won."""
    end: str
    """One of ENDS."""

    def boards(self) -> Iterator[tuple[SeenGame, int, int]]:
        """The game before each search, its move and its score. The next step plays the move."""
        game = SeenGame(self.variant, self.lineups, see=self.see, first=self.first, quiet=QUIET_PLIES, plies=MAX_PLIES)
        for move in self.opening:
            game.push(move)
        for move, score in zip(self.moves, self.scores, strict=True):
            yield game, move, score
            game.push(move)

    def replay(self) -> Iterator[tuple[PlayerView, int, int]]:
        """What the player on turn knew at each search, its move and its score."""
        return ((game.view, move, score) for game, move, score in self.boards())


def junqi_header(path: Path) -> dict[str, Any]:
    """The header of a file of games of Junqi. Raises StoreError, OSError."""
    header = read_header(path)
    if header.get("game") != "junqi" or header.get("record") != RECORD:
        raise StoreError(f"{path}: games of {header.get('game')}, record {header.get('record')}")
    return header


def read_games(path: Path) -> Iterator[PlayedGame]:
    """The games of a file. Raises StoreError, OSError."""
    header = junqi_header(path)
    for _, games in read_blocks(path):
        for game in games:
            yield played(header, game.record)


def played(header: dict[str, Any], record: bytes) -> PlayedGame:
    """The game of a record, in a file with this header."""
    seats = VARIANTS[header["variant"]].seats
    result, end, opening, plies = HEAD.unpack_from(record)
    at = HEAD.size + 1
    armies = record[at : at + seats * HOME_POINTS].decode()
    lineups = [armies[start : start + HOME_POINTS] for start in range(0, len(armies), HOME_POINTS)]
    words = struct.unpack_from(f"<{opening}H{'Hh' * plies}", record, at + len(armies))
    return PlayedGame(
        header["variant"], header["see"], lineups, record[HEAD.size], list(words[:opening]), list(words[opening::2]),
        list(words[opening + 1 :: 2]), result, ENDS[end],
    )  # fmt: skip
