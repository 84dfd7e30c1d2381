"""The document of a review: all that was found, for JSON, tables and pages. docs/review.md describes the fields.

What has one of these types is sound: it was made here, or checked once when it was read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from game_core.analysis import DEFAULT_NODES, opposite
from game_core.review import HiddenPiece, LeftOut, Outcome, Revealed, RuleNote
from game_review.analysis_request import search_limits
from game_review.json_parts import WrongPart, read_part
from game_review.review_figures import MARKS, TOLERANCE, Figures, Thresholds, accuracy_of
from search_core.line_protocol import shown_path

if TYPE_CHECKING:
    from game_core.analysis import Subject
    from search_core.thinker import Limits

VERSION = 1
SECOND_SEARCH = 4
"""How many times as long a second search is."""
_DIGITS = 4


class Ended(NamedTuple):
    """How a game ended."""

    result: str
    reason: str


@dataclass(frozen=True, slots=True)
class Value:
    """What a position is worth for a side, and the best line there. None: not known."""

    optional: ClassVar = ("score_cp", "mate", "rule_win", "ended", "pv", "pv_names", "pv_outcomes")

    winrate: float
    wdl: Sequence[float]
    score_cp: int | None = None
    mate: int | None = None
    rule_win: int | None = None
    ended: Ended | None = None
    pv: Sequence[str] | None = None
    pv_names: Sequence[str] | None = None
    pv_outcomes: Sequence[str] | None = None

    @property
    def best(self) -> str | None:
        """The first move of the line."""
        return self.pv[0] if self.pv else None

    @property
    def wins_in(self) -> int:
        """Moves to a forced win; 0: none is known."""
        return max(self.mate or 0, 0)

    def turned(self) -> Value:
        """The same value for the other side. `pv` is still what follows in the position."""

        scores: dict[str, Any] = {name: opposite(getattr(self, name)) for name in ("score_cp", "mate", "rule_win")}
        return replace(self, winrate=round(1 - self.winrate, 6), wdl=self.wdl[::-1], **scores)

    def line(self) -> ReviewLine:
        """What follows in the position."""
        return ReviewLine(pv=self.pv or (), pv_names=self.pv_names or (), pv_outcomes=self.pv_outcomes)

    def shown(self) -> Value:
        """What the document has of it, without the line."""
        wdl = [round(each, _DIGITS) for each in self.wdl]
        return Value(round(self.winrate, _DIGITS), wdl, self.score_cp, self.mate, self.rule_win, self.ended)


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """Moves that could have been played. `move` and `name`: the first, of a best line; `mate`: of a missed win."""

    optional: ClassVar = ("move", "name", "mate", "pv_outcomes")

    move: str | None = None
    name: str | None = None
    mate: int | None = None
    pv: Sequence[str] = ()
    pv_names: Sequence[str] = ()
    pv_outcomes: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class HiddenNote:
    """What only a game has in which a player does not see everything. `expected`: the line that begins with the move,
    as its player expected it."""

    expected: ReviewLine | None
    outcome: Outcome
    revealed: Sequence[Revealed]
    pieces: Sequence[HiddenPiece]


@dataclass(frozen=True, slots=True)
class Ply:
    """A move of the game, numbered from 1. All values are for the side that moves."""

    inlined: ClassVar = ("hidden",)
    optional: ClassVar = ("why",)

    ply: int
    side: str
    move: str
    names: Mapping[str, str]
    name: str
    comment: str
    spent_ms: int | None
    phase: str
    before: Value | None
    played: Value | None
    loss: float | None
    mark: str | None
    confirmed: bool | None
    best: ReviewLine | None
    is_best: bool | None
    book: bool
    forced: bool
    counted: bool
    turning_point: bool
    missed_win: ReviewLine | None
    rule: RuleNote | None
    hidden: HiddenNote | None = None
    why: str | None = None

    @property
    def outcome(self) -> Outcome:
        """How the move ended; nothing is said of it where that is certain."""
        return Outcome() if self.hidden is None else self.hidden.outcome

    @property
    def full_name(self) -> str:
        """The move, and how it ended if that was not certain."""
        return " ".join(filter(None, (self.name, self.outcome.text)))


def figures_of(plies: Iterable[Ply]) -> Figures:
    """The figures of some plies."""
    of = list(plies)
    losses = [ply.loss for ply in of if ply.counted and ply.loss is not None]
    accuracy = average = None
    if losses:
        accuracy = round(sum(map(accuracy_of, losses)) / len(losses), 1)
        average = round(sum(loss for loss in losses if loss >= TOLERANCE) / len(losses), 4)
    return Figures(len(of), len(losses), accuracy, average, *(sum(ply.mark == mark for ply in of) for mark in MARKS))


@dataclass(frozen=True, slots=True, kw_only=True)
class GameReport:
    """The review of a game."""

    optional: ClassVar = ("searches",)

    source: str
    number: int
    game: str
    headers: Mapping[str, str]
    start: Mapping[str, Any]
    players: Sequence[str]
    names: Sequence[str]
    opening: str
    notation: str = ""
    plies: Sequence[Ply]
    left_out: LeftOut | None = None
    result: Ended
    sides: Mapping[str, Figures]
    complete: bool
    searches: Any = None
    """What an interrupted review has found: Searches or HiddenSearches, or the same as JSON."""


class Second(NamedTuple):
    """The second searches of a move: of the position after it, a short and a long one, and of the best move."""

    recheck: Value | None = None
    played: Value | None = None
    best: Value | None = None


class Pair(NamedTuple):
    """The best move and the one that was played, both by what the player knew. `gap`: the largest difference that was
    found, a reason to look again."""

    before: Value
    played: Value
    gap: float


class Found(NamedTuple):
    """What was searched, by turn; and again, by ply."""

    values: Mapping[int, Value] = {}
    seconds: Mapping[int, Second] = {}


class HiddenFound(NamedTuple):
    """The same of a game in which a player does not see everything."""

    values: Mapping[int, Pair] = {}
    seconds: Mapping[int, Pair] = {}


class BadRecord(NamedTuple):
    """A game that cannot be reviewed. `number`: of the game in the file; None: the file itself."""

    source: str
    number: int | None
    error: str

    def text(self) -> str:
        """For people."""
        game = "" if self.number is None else f": game {self.number}"
        return f"{shown_path(self.source)}{game}: {self.error}"


@dataclass(frozen=True, slots=True)
class Group:
    """The moves of several games that have something in common."""

    inlined: ClassVar = ("figures",)

    games: int
    figures: Figures


class Worst(NamedTuple):
    """A bad move. `game`: which of the document's, from 1."""

    game: int
    ply: int
    side: str
    name: str
    loss: float
    mark: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What the games have in common."""

    inlined: ClassVar = ("figures",)

    games: int
    complete: int
    errors: int
    figures: Figures
    by_phase: Mapping[str, Group]
    by_opening: Mapping[str, Group]
    by_player: Mapping[str, Group]
    by_time: Mapping[str, Group]
    worst: Sequence[Worst]


class ReviewSettings(NamedTuple):
    """All that decides what a review finds and how its moves are named. Of `time_ms` and `nodes`, one is None."""

    time_ms: int | None = None
    nodes: int | None = DEFAULT_NODES
    second_search: int = SECOND_SEARCH
    thresholds: Thresholds = Thresholds()
    notation: str | None = None
    """None: the game's first that the terminal can show."""

    @property
    def limits(self) -> Limits:
        """Of the first search of a position."""
        return search_limits(self.nodes or 0, self.time_ms or 0, 0, 1)


class Document(NamedTuple):
    """The review of all games. `summary`: None of one game."""

    version: int
    program: str
    settings: ReviewSettings
    games: Sequence[GameReport]
    errors: Sequence[BadRecord]
    summary: Summary | None


def read_game(value: object) -> GameReport:
    """The review of a game, from the JSON of an earlier document. Raises WrongPart."""
    game = read_part(GameReport, value)
    if not game.players or len(game.players) != len(game.names):
        raise WrongPart("not the names of the players")
    for number, ply in enumerate(game.plies, 1):
        if ply.ply != number or ply.side not in game.players or ply.mark not in (None, *MARKS):
            raise WrongPart(f"ply {number} is none")
        is_judged = ply.mark or ply.counted or ply.turning_point or ply.missed_win
        if is_judged and None in (ply.before, ply.played, ply.loss):
            raise WrongPart(f"ply {number} is judged without values")
        if ply.missed_win is not None and ply.missed_win.mate is None:
            raise WrongPart(f"ply {number} misses no win")
    return game


def check_value(value: Value, subject: Subject, number: int) -> None:
    """Raises ValueError if the value does not belong to this turn."""
    if number > subject.last_turn:
        raise WrongPart(f"there is no turn {number}")
    turn = subject.at(number)
    numbers = (value.winrate, *value.wdl)
    lengths = {len(each) for each in (value.pv, value.pv_names, value.pv_outcomes) if each is not None}
    if len(numbers) != 4 or not all(0 <= number <= 1 for number in numbers) or value.pv is None or len(lengths) > 1:
        raise WrongPart("no value")
    if (turn.ended is None) != (value.ended is None):
        raise WrongPart("the end of the game is another one")
    if turn.ended is None:
        turn.read_move(value.best or "")
