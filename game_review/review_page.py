"""The page of a review: one HTML file with a board to step through, the score curve, and the marked moves.

It is made from the review's document alone, and can be read without its script, which only adds the board. The template
reads the document's types; here is what it cannot say of a game: the words for its sides, its board and its curve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from board_pages import page
from board_pages.drawing import BoardDrawing
from board_pages.playback import Drawing
from game_core.description import GameDescription
from game_core.review import Revealed
from game_review import review_words
from game_review.review_document import Document, GameReport, Ply, ReviewLine, Value
from game_review.review_table import SIGNS
from game_review.review_words import first_party, line_names, percent, side_name
from search_core.parts import load_part
from search_core.whole_file import write_whole

DATA = Path(__file__).parent / "data"
T = TypeVar("T")

_MAX_NAME = 60
"""Of a player or a file in a title; the headers have the whole name."""
_TICKS = 6
"""The most numbers under the score curve."""


class Line(NamedTuple):
    """Moves that could have been played: their title in the list, and for the board; their names; how the board plays
    them (these may be fewer)."""

    title: str
    kind: str
    names: Sequence[str]
    codes: Sequence[str]
    base: int
    """How many moves of the game come before it."""
    moves: Sequence[str]
    """As the game's protocol writes them."""


class Curve(NamedTuple):
    """The score curve. The runs are points in a box of as many plies times 100; the ticks are (percent, text).
    `others`: the runs of the other team's estimates, where it knows other things."""

    runs: Sequence[str]
    others: Sequence[str]
    areas: Sequence[str]
    ticks: Sequence[tuple[float, str]]
    description: str


def write_page(document: Document, path: str | Path, known: Mapping[str, GameDescription]) -> None:
    """Write the page of a document. An old file at `path` is replaced. `known`: the games that may have boards.

    Raises OSError.
    """
    boards: list[BoardDrawing] = []
    games = []
    for number, report in enumerate(document.games, 1):
        description = known.get(report.game)
        draw = load_part(description.drawing) if description is not None and description.drawing else None
        notation = report.notation or document.settings.notation or ""
        game = GamePage(report, number, None if draw is None else _drawn(draw, report.start, notation))
        if game.board is not None and game.board not in boards:
            boards.append(game.board)
        games.append(game)
    contents = {
        "generator": "sanqi review",
        "title": f"Review: {games[0].title}" if len(games) == 1 else f"Review of {len(games)} games",
        "document": document,
        "games": games,
        "signs": SIGNS,
        "words": review_words,
        "boards": boards,
        "data_id": "boards",
        "data": page.json_data(boards),
    }
    text = page.render(DATA / "review.html", [*page.BOARD_SCRIPTS, DATA / "review.js"], contents)
    write_whole(path, text.encode(), replace=True)


def _drawn(draw: Callable[..., T], *arguments: object) -> T | None:
    """What a game draws; None: the start or the move is wrong."""
    try:
        return draw(*arguments)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None


class GamePage:
    """A game of the document, as the template asks for it."""

    def __init__(self, report: GameReport, number: int, drawing: Drawing | None) -> None:
        self.report = report
        self.number = number
        self.source = _cut(report.source)
        sides = (report.players, report.players[1:])
        self.parties = [self.name(first_party(each)) if each else "Second" for each in sides]
        """In words: whose expected score the curve shows, and the opponent, or its team."""
        self.drawing = drawing
        self.codes = [self._code(ply.move, ply.side, ply.outcome.result) for ply in report.plies]
        self.board = drawing.board if drawing is not None and all(self.codes) else None
        """None for a game that cannot be drawn: it is shown without a board."""

    # Sides

    def name(self, side: str) -> str:
        """A side in words."""
        name = side_name(side)
        return name[:1].upper() + name[1:]

    def who(self, side: str) -> str:
        """A side in words, and who played it, if known."""
        return f"{self.name(side)} {_cut(dict(zip(self.report.players, self.report.names)).get(side, ''))}".strip()

    def other(self, side: str) -> str:
        """The opponent of a side in words."""
        others = [each for each in self.report.players if self.is_second(each) != self.is_second(side)]
        return self.name(others[0]) if len(others) == 1 else "the other team"

    def is_second(self, side: str) -> bool:
        """Whether a side is not the first, nor in its team."""
        return self.report.players.index(side) % 2 == 1

    @property
    def title(self) -> str:
        """Who played, or which sides of which file."""
        players = self.report.players
        if any(self.report.names):
            return " – ".join(map(self.who, players))
        return f"{' – '.join(self.parties if len(players) > 2 else map(self.name, players))} ({Path(self.source).name})"

    @property
    def result(self) -> str:
        """How the game ended; '': not known."""
        ending = ", ".join(filter(None, self.report.result))
        return "" if ending == "*" else ending

    # Scores

    def value(self, ply: Ply) -> Value | None:
        """What the position after a move is worth for the side that made it."""
        if ply.played is None and ply.ply < len(self.report.plies):  # the next position says it as well
            later = self.report.plies[ply.ply]
            if later.before is not None and self.is_second(later.side) != self.is_second(ply.side):
                return later.before.turned()
            return later.before
        return ply.played

    def expected(self, ply: Ply) -> float | None:
        """The first side's expected score after a move."""
        value = self.value(ply)
        return None if value is None else 1 - value.winrate if self.is_second(ply.side) else value.winrate

    def score(self, ply: Ply) -> str:
        """The first side's expected score after a move in words, or who has a forced win."""
        value, expected = self.value(ply), self.expected(ply)
        if value is not None and value.mate:
            return f"{self.name(ply.side) if value.mate > 0 else self.other(ply.side)} in {abs(value.mate)}"
        return "" if expected is None else percent(expected)

    def height(self, ply: Ply) -> float | None:
        """The first side's expected score after a move, on the curve: 0 is the top."""
        expected = self.expected(ply)
        return None if expected is None else round(100 * (1 - expected), 2)

    @property
    def has_wins(self) -> bool:
        """Whether a score is a forced win."""
        return any(value is not None and value.mate for value in map(self.value, self.report.plies))

    # Board

    def _code(self, move: str, side: str, outcome: str) -> str:
        """How the board plays a move; '': it cannot. `outcome`: how the move ended, in a game where this is not
        certain."""
        return "" if self.drawing is None else _drawn(self.drawing.ply_code, move, side, outcome) or ""

    @property
    def views(self) -> list[str]:
        """The start positions as the sides see them, in their order; empty: they see everything."""
        views = {} if self.drawing is None or self.board is None else self.drawing.views
        return [views[side] for side in self.report.players if side in views]

    def reveals(self, ply: Ply) -> str:
        """What sides know after a ply that they did not know before: for each the number of its view and the code."""
        reveal_code = None if self.drawing is None else self.drawing.reveal_code
        if reveal_code is None or ply.hidden is None:
            return ""

        def code(piece: Revealed) -> str:
            return f"{self.report.players.index(piece.to)}{reveal_code(piece.point, piece.seat, piece.type)}"

        return " ".join(filter(None, (_drawn(code, piece) for piece in ply.hidden.revealed)))

    def lines(self, ply: Ply) -> list[Line]:
        """The better line of a marked move, the win that it missed, what follows it, and what its player expected."""
        number, before = ply.ply, ply.ply - 1
        lines: list[Line | None] = []
        missed = self._line("The win", f"Missed win at move {number}", ply.missed_win, ply.side, before)
        if ply.mark or missed:
            better = self._line("Better", f"Better line at move {number}", ply.best, ply.side, before)
            is_twice = better is not None and missed is not None and better.names == missed.names
            lines = [missed] if is_twice else [better, missed]
        if ply.mark and ply.played is not None:
            line, side = ply.played.line(), self._next(ply.side)
            lines.append(self._line("What follows", f"After move {number}", line, side, number))
        if ply.mark and ply.hidden is not None:
            expected = ply.hidden.expected
            lines.append(self._line("Expected", f"Expected at move {number}", expected, ply.side, before))
        return [line for line in lines if line]

    def _line(self, title: str, kind: str, line: ReviewLine | None, side: str, base: int) -> Line | None:
        """A line of which a side has the first move; None: it has no moves."""
        if line is None or not line.pv:
            return None
        codes: list[str] = []
        for move, outcome in zip(line.pv, line.pv_outcomes or [""] * len(line.pv)):
            if not (code := self._code(move, side, outcome)):
                break
            codes.append(code)
            side = self._next(side)
        return Line(title, kind, line_names(line), codes, base, line.pv)

    def _next(self, side: str) -> str:
        """Who moves after a side."""
        players = self.report.players
        return players[(players.index(side) + 1) % len(players)]

    # Curve

    @property
    def curve(self) -> Curve | None:
        """The curve of a game with a score before and after at least one move."""
        plies = self.report.plies
        if not plies:
            return None
        before, seconds = plies[0].before, [self.is_second(ply.side) for ply in plies]
        start = None if before is None else round(100 * abs(before.winrate - (not seconds[0])), 2)
        heights = list(enumerate([start, *map(self.height, plies)]))
        runs: list[list[tuple[int, float]]] = [[]]
        others: list[list[tuple[int, float]]] = []
        if any(ply.hidden is not None for ply in plies):  # each team has an estimate of its own
            runs, others = (
                [[(at, height) for at, height in heights if at and height is not None and seconds[at - 1] == team]]
                for team in (False, True)
            )
        else:  # the pieces that are known
            for at, height in heights:
                if height is None:
                    runs.append([])
                else:
                    runs[-1].append((at, height))
        scores = [(100 - height, at) for run in runs for at, height in run]
        runs, others = ([run for run in each if len(run) > 1] for each in (runs, others))
        if not runs:
            return None
        (low, low_at), (high, high_at) = min(scores), max(scores)
        when = ["at the start", *(f"after move {number}" for number in range(1, len(plies) + 1))]
        first, second = self.parties
        description = (
            f"Expected score of {first}: {scores[0][0]:.0f} % at first, {scores[-1][0]:.0f} % at the end, "
            f"highest {high:.0f} % {when[high_at]}, lowest {low:.0f} % {when[low_at]}."
        )
        for (_, begin), *_, (_, end) in others:
            description += f" As {second} saw it: {100 - begin:.0f} % at first, {100 - end:.0f} % at the end."
        areas = [f"{run[0][0]},100 {_points(run)} {run[-1][0]},100" for run in runs]
        return Curve([*map(_points, runs)], [*map(_points, others)], areas, _ticks(len(plies)), description)


def _points(run: Sequence[tuple[int, float]]) -> str:
    return " ".join(f"{at},{height:.4g}" for at, height in run)


def _ticks(plies: int) -> list[tuple[float, str]]:
    step = next(each * 10**power for power in range(9) for each in (1, 2, 5) if each * 10**power * _TICKS >= plies)
    return [(100 * at / plies, str(at)) for at in range(0, plies + 1, step)]


def _cut(name: str) -> str:
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1]}…"
