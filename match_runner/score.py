"""The score of a match: results by pairing, and each engine's time, nodes and faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

from game_core.session import DRAW, FIRST_WINS, SECOND_WINS
from match_runner.game import EngineStats, PlayedGame
from match_runner.schedule import ScheduledGame
from match_runner.statistics import Elo, Pairs, estimate

FAULTS = {"crash": "crashes", "time": "time losses", "illegal": "illegal moves"}
_POINTS = {FIRST_WINS: 1.0, DRAW: 0.5, SECOND_WINS: 0.0}


@dataclass(slots=True)
class Tally:
    """Results from one engine's view, by games and by complete pairs."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: Pairs = field(default_factory=Pairs)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def percent(self) -> float:
        """Of the games that elo() is from, the complete pairs; without one, of all games."""
        return 100 * self.pairs.score if len(self.pairs) else self.percent_of_games

    @property
    def percent_of_games(self) -> float:
        return 100 * self.points / self.games if self.games else 0.0

    @property
    def drawn_percent(self) -> float:
        return 100 * self.draws / self.games if self.games else 0.0

    def elo(self) -> Elo | None:
        """Elo over the opponents; None without a complete pair."""
        return estimate(self.pairs)

    def text(self) -> str:
        """`+13 =4 -3  75.0 %  Elo +190.8 ± 174.1  LOS 99.9 %`; `75.0 % (20 games in pairs)` if there are others."""
        parts = [f"+{self.wins} ={self.draws} -{self.losses}  {self.percent:.1f} %"]
        if 0 < 2 * len(self.pairs) < self.games:
            parts[0] += f" ({2 * len(self.pairs)} games in pairs)"
        elo = self.elo()
        if elo is not None:
            parts.append(f"Elo {elo}")
            if elo.superiority is not None:
                parts.append(f"LOS {elo.superiority_text()}")
        return "  ".join(parts)

    def details(self) -> str:
        """`nElo +233.1 ± 152.3  draws 20.0 %  pairs [0, 1, 2, 3, 4]`: what text() leaves out."""
        elo = self.elo()
        parts = [f"nElo {elo.normalised_text()}"] if elo is not None and elo.error is not None else []
        return "  ".join([*parts, f"draws {self.drawn_percent:.1f} %", f"pairs {self.pairs.counts}"])

    def reversed(self) -> Tally:
        """The same games from the other engine's view."""
        pairs = Pairs()
        pairs.counts = self.pairs.counts[::-1]
        return Tally(self.losses, self.draws, self.wins, pairs)

    def count(self, points: float) -> None:
        """Count a game: 1, 1/2 or 0 points."""
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0


@dataclass(slots=True)
class EngineScore(Tally):
    """The results of one engine in all its games."""

    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))
    engine_stats: EngineStats = field(default_factory=EngineStats)
    sides: tuple[Tally, Tally] = field(default_factory=lambda: (Tally(), Tally()))
    """Its games by side; their pairs are not counted."""


class MatchScore:
    """The score of a match.

    Attributes
    ----------
    engines : list of EngineScore
    pairings : dict
        Tallies by the numbers of two engines, from the view of the first one.
    reasons : dict
        The number of games by reason of their end.
    duplicates : int
        Games with the same moves as an earlier game.
    verdict : str
        The SPRT's verdict, H0 or H1; '': none yet.
    """

    def __init__(self, engines: int) -> None:
        self.engines = [EngineScore() for _ in range(engines)]
        self.pairings: dict[tuple[int, int], Tally] = {}
        self.reasons: dict[str, int] = {}
        self.duplicates = 0
        self.games = 0
        self.verdict = ""
        self.pair_points: float | None = None
        """The first engine's points in the pair that the last game has completed; None: it completed none."""
        self._halves: dict[int, float] = {}  # by pair: points from its first finished game
        self._seen: set[bytes] = set()

    @property
    def first(self) -> Tally:
        """The first two engines' results, from the first one's view."""
        return self.pairings.get((0, 1), Tally())

    def ends(self) -> list[tuple[str, int]]:
        """The reasons with their numbers of games, the most frequent first."""
        return sorted(self.reasons.items(), key=lambda item: -item[1])

    def add(self, task: ScheduledGame, record: PlayedGame) -> bool:
        """Count a game. True if it is a duplicate."""
        self.games += 1
        points = _POINTS[record.result]
        tally = self.pairings.setdefault(task.pairing, Tally())
        named_first = 1 - points if task.swapped else points
        tally.count(named_first)
        self._count_pair(task, named_first)
        for side, player in enumerate(task.players):
            own = points if side == 0 else 1 - points
            self.engines[player].count(own)
            self.engines[player].sides[side].count(own)
        for stats in record.move_stats:
            self.engines[task.players[stats.side]].engine_stats.add(stats)
        if record.reason in FAULTS:
            loser = task.players[1 if points == 1 else 0]
            self.engines[loser].faults[record.reason] += 1
        self.reasons[record.reason] = self.reasons.get(record.reason, 0) + 1
        seen = blake2b(repr((record.opening.start, record.moves)).encode(), digest_size=16).digest()
        # A game lost before the engines' first move is not a duplicate.
        duplicate = seen in self._seen and len(record.moves) > len(record.opening.moves)
        self.duplicates += duplicate
        self._seen.add(seen)
        return duplicate

    def _count_pair(self, task: ScheduledGame, points: float) -> None:
        pair = task.number // 2
        other = self._halves.pop(pair, None)
        if other is None:
            self._halves[pair] = points
            self.pair_points = None
            return
        self.pair_points = points + other
        one, two = task.pairing
        self.pairings[task.pairing].pairs.add(self.pair_points)
        self.engines[one].pairs.add(self.pair_points)
        self.engines[two].pairs.add(2 - self.pair_points)
