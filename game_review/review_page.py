"""The page of a review: one HTML file with a board to step through, the score curve, and the marked moves.

It is made from the review's document alone, and can be read without its script, which only adds the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from board_pages import page
from board_pages.drawing import BoardDrawing
from board_pages.playback import Drawing
from game_core.description import GameDescription
from game_core.review import PieceTexts
from game_review.review_document import Document, GameReport, Group, Ply, ReviewLine, ReviewSettings, Summary, Value
from game_review.review_figures import Figures
from game_review.review_table import SIGNS
from game_review.review_words import (
    first_party,
    left_out_text,
    likelihood,
    line_names,
    percent,
    points,
    side_name,
)
from search_core.parts import load_part
from search_core.whole_file import write_whole

DATA = Path(__file__).parent / "data"

_MAX_NAME = 60
"""Of a player or a file in a title; the headers have the whole name."""
_TICKS = 6
"""The most numbers under the score curve."""
_UNDRAWABLE = (ArithmeticError, LookupError, TypeError, ValueError)
"""What drawing a game raises whose start or moves are wrong."""
_FIGURES = ("moves", "counted", "accuracy", "loss a move", *SIGNS.values())


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the summary."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class LineView:
    """Moves that could have been played: their title in the list, and for the board; their names; how the board plays
    them (these may be fewer)."""

    title: str
    kind: str
    names: Sequence[str]
    codes: Sequence[str]
    base: int
    """How many moves of the game come before it."""


@dataclass(frozen=True, slots=True)
class PlyView:
    """A move of the game, as the page shows it.

    Attributes
    ----------
    score : str
        The first side's expected score after the move, or who has a forced win.
    note : str
        What is said of a move without a mark.
    texts : sequence of str
        What is said below the move.
    height : float or None
        `score` on the curve: 0 is the top.
    """

    number: int
    side: str
    second: bool
    name: str
    mark: str
    note: str
    score: str
    loss: str
    texts: Sequence[str]
    comment: str
    lines: Sequence[LineView]
    code: str
    height: float | None
    pieces: Sequence[PieceTexts]
    viewer: int
    """Which view of the game's shows what the side knew."""
    reveals: str
    """What the sides know from then on: for each the number of its view and the code."""

    @property
    def sign(self) -> str:
        return SIGNS.get(self.mark, "")


@dataclass(frozen=True, slots=True)
class Moment:
    """A link to a move: what happened there."""

    ply: int
    text: str


@dataclass(frozen=True, slots=True)
class Curve:
    """The score curve. The runs are points in a box of `plies` times 100; the ticks are (percent, text). `others`: the
    runs of the other team's estimates, where it knows other things."""

    plies: int
    runs: Sequence[str]
    others: Sequence[str]
    areas: Sequence[str]
    ticks: Sequence[tuple[float, str]]
    turns: Sequence[float]
    description: str


@dataclass(frozen=True, slots=True)
class GameView:
    """One game, as the page shows it."""

    number: int
    title: str
    kind: str
    origin: str
    result: str
    opening: str
    incomplete: bool
    left_out: str
    """What the review leaves out of the record."""
    sides: Sequence[str]
    rows: Sequence[Sequence[str]]
    headers: Sequence[tuple[str, str]]
    plies: Sequence[PlyView]
    moments: Sequence[tuple[str, Sequence[Moment]]]
    curve: Curve | None
    board: int | None
    start: str
    views: str
    """The start positions as the sides see them, in their order; '': they see everything."""

    @property
    def has_chances(self) -> bool:
        """Whether a note is the probability of an end."""
        return any(ply.note.endswith("%") for ply in self.plies)

    @property
    def has_wins(self) -> bool:
        """Whether a score is a forced win."""
        return any(" in " in ply.score for ply in self.plies)

    @property
    def marks(self) -> list[str]:
        """The kinds of marks in it, for the legend."""
        return [mark for mark in SIGNS if any(ply.mark == mark for ply in self.plies)]


def write_page(document: Document, path: Path, known: Mapping[str, GameDescription]) -> None:
    """Write the page of a document. An old file at `path` is replaced. `known`: the games that may have boards.

    Raises OSError.
    """
    scripts = [page.BOARD_SCRIPT, DATA / "review.js"]
    text = page.render(DATA / "review.html", scripts, _contents(document, known))
    write_whole(path, text.encode(), replace=True)


def _contents(document: Document, known: Mapping[str, GameDescription]) -> dict[str, Any]:
    """The variables of the template."""
    boards: list[BoardDrawing] = []
    notation = document.settings.notation or ""
    games = [_game(_Sides(game, notation, known), number, boards) for number, game in enumerate(document.games, 1)]
    summary = document.summary
    return {
        "generator": "sanqi review",
        "title": f"Review: {games[0].title}" if len(games) == 1 else f"Review of {len(games)} games",
        "games": games,
        "summary": [] if summary is None else list(_tables(summary)),
        "worst": [
            (games[each.game - 1], games[each.game - 1].plies[each.ply - 1])
            for each in ([] if summary is None else summary.worst)
        ],
        "errors": [
            f"{error.source}{'' if error.number is None else f', game {error.number}'}: {error.error}"
            for error in document.errors
        ],
        "settings": _settings(document.settings),
        "program": document.program,
        "signs": SIGNS,
        "data_id": "boards",
        "data": page.json_data([board.values() for board in boards]),
    }


def _tables(summary: Summary) -> list[Table]:
    """The tables of a summary; the worst moves are a list of their own."""
    counts = [f"{count:,}" for count in (summary.games, summary.complete, summary.errors)]
    tables = [Table("", ["games", "complete", "errors", *_FIGURES], [[*counts, *_figures(summary.figures)]])]
    groups: Mapping[str, Mapping[str, Group]] = {
        "By phase": summary.by_phase,
        "By opening": summary.by_opening,
        "By player": summary.by_player,
        "By time": summary.by_time,
    }
    for title, named in groups.items():
        rows = [[name, f"{group.games:,}", *_figures(group.figures)] for name, group in named.items()]
        if rows:
            tables.append(Table(title, ["", "games", *_FIGURES], rows))
    return tables


def _figures(figures: Figures) -> list[str]:
    """The cells of a row of a summary."""
    return [
        f"{figures.moves:,}",
        f"{figures.counted:,}",
        "" if figures.accuracy is None else f"{figures.accuracy:.1f}",
        "" if figures.average_loss is None else points(figures.average_loss),
        *(f"{count:,}" for count in figures.marks),
    ]


def _settings(settings: ReviewSettings) -> str:
    """How the games were searched, and what the marks mean."""
    limit = f"{settings.nodes:,} nodes" if settings.time_ms is None else f"{settings.time_ms:,} ms"
    bounds = zip(SIGNS.items(), settings.thresholds)
    marks = "; ".join(f"{sign} {mark}: loses at least {bound:g}" for (mark, sign), bound in bounds)
    return f"Searched with {limit} a move. {marks} points of expected score."


class _Sides:
    """A game of the document, with words for its sides and its board."""

    def __init__(self, game: GameReport, notation: str, known: Mapping[str, GameDescription]) -> None:
        self.game = game
        self.drawing = self._draw(known, game.notation or notation)

    def name(self, side: str) -> str:
        """A side in words."""
        name = side_name(side)
        return name[:1].upper() + name[1:]

    def player(self, side: str) -> str:
        """Who played a side, '' if unknown."""
        return _cut(dict(zip(self.game.players, self.game.names)).get(side, ""))

    @property
    def first(self) -> str:
        """Whose expected score the curve shows."""
        return self.name(first_party(self.game.players))

    @property
    def second(self) -> str:
        """The opponent of the first, or its team."""
        return self.name(first_party(self.game.players[1:])) if self.game.players[1:] else "Second"

    def other(self, side: str) -> str:
        """The opponent of a side in words."""
        others = [each for each in self.game.players if self.is_second(each) != self.is_second(side)]
        return self.name(others[0]) if len(others) == 1 else "the other team"

    def next(self, side: str) -> str:
        """Who moves after a side."""
        players = self.game.players
        return players[(players.index(side) + 1) % len(players)]

    def is_second(self, side: str) -> bool:
        """Whether a side is not the first, nor in its team."""
        return self.game.players.index(side) % 2 == 1

    def _draw(self, known: Mapping[str, GameDescription], notation: str) -> Drawing | None:
        """The board; None for a game or a start that cannot be drawn."""
        game = known.get(self.game.game)
        if game is None or not game.drawing:
            return None
        try:
            drawing: Drawing = load_part(game.drawing)(self.game.start, notation)
        except _UNDRAWABLE:
            return None  # such a game is shown without a board
        return drawing

    def code(self, move: str, side: str, outcome: str) -> str:
        """How the board plays a move; '': it cannot. `outcome`: how the move ended, in a game where this is not
        certain."""
        if self.drawing is None:
            return ""
        try:
            if self.drawing.hidden is not None:
                return self.drawing.hidden.ply_code(move, side, outcome)
            return self.drawing.ply_code(move, side)
        except _UNDRAWABLE:
            return ""

    @property
    def views(self) -> list[str]:
        """The start positions as the sides see them, in their order."""
        views = {} if self.drawing is None or self.drawing.hidden is None else self.drawing.hidden.views
        return [views[side] for side in self.game.players if side in views]

    def reveals(self, ply: Ply) -> str:
        """What sides know after a ply that they did not know before."""
        if self.drawing is None or self.drawing.hidden is None or ply.hidden is None:
            return ""
        words = []
        for to, point, side, kind in ply.hidden.revealed:
            try:
                words.append(f"{self.game.players.index(to)}{self.drawing.hidden.reveal_code(point, side, kind)}")
            except _UNDRAWABLE:
                continue
        return " ".join(words)

    def line(self, title: str, kind: str, line: ReviewLine | None, side: str, base: int) -> LineView | None:
        """A line of which a side has the first move, None if it has no moves."""
        if line is None or not line.pv:
            return None
        codes: list[str] = []
        for move, outcome in zip(line.pv, line.pv_outcomes or [""] * len(line.pv)):
            if not (code := self.code(move, side, outcome)):
                break
            codes.append(code)
            side = self.next(side)
        return LineView(title, kind, line_names(line), codes, base)


def _cut(name: str) -> str:
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1]}…"


def _game(sides: _Sides, number: int, boards: list[BoardDrawing]) -> GameView:
    game = sides.game
    plies = [_ply(sides, ply, later) for ply, later in zip(game.plies, [*game.plies[1:], None])]
    drawing = sides.drawing if all(ply.code for ply in plies) else None
    if drawing is not None and drawing.board not in boards:
        boards.append(drawing.board)
    ending = ", ".join(filter(None, game.result))
    names = [f"{sides.name(side)} {sides.player(side)}".strip() for side in game.players]
    is_nameless = not any(game.names)
    if is_nameless and len(names) > 2:
        names = [sides.first, sides.second]
    source = _cut(game.source)
    title = " – ".join(names)
    return GameView(
        number=number,
        title=f"{title} ({Path(source).name})" if is_nameless else title,
        kind=game.game.capitalize(),
        origin=f"{source}, game {game.number}",
        result="" if ending == "*" else ending,
        opening=game.opening,
        left_out="" if game.left_out is None else left_out_text(game.left_out),
        incomplete=not game.complete,
        sides=[sides.first, sides.second],
        rows=[_side_row(sides, side, figures) for side, figures in game.sides.items()],
        headers=list(game.headers.items()),
        plies=plies,
        moments=_moments(sides, plies),
        curve=_curve(sides, plies),
        board=None if drawing is None else boards.index(drawing.board),
        start="" if drawing is None else drawing.start,
        views="" if drawing is None else " ".join(sides.views),
    )


def _side_row(sides: _Sides, side: str, figures: Figures) -> list[str]:
    """Side, accuracy, average loss, inaccuracies, mistakes, blunders, moves."""
    return [
        f"{sides.name(side)} {sides.player(side)}".strip(),
        "–" if figures.accuracy is None else f"{figures.accuracy:.1f} %",
        "–" if figures.average_loss is None else points(figures.average_loss),
        *map(str, (*figures.marks, figures.moves)),
    ]


def _ply(sides: _Sides, ply: Ply, later: Ply | None) -> PlyView:
    second = sides.is_second(ply.side)
    name, other = sides.name(ply.side), sides.other(ply.side)
    value = ply.played
    if value is None and later is not None and later.before is not None:  # the next position says it as well
        value = later.before if sides.is_second(later.side) == second else later.before.turned()
    first = mate = None
    if value is not None:
        first, mate = 1 - value.winrate if second else value.winrate, value.mate
    shows_loss = ply.loss is not None and ply.loss >= 0.0005 and ply.counted
    return PlyView(
        number=ply.ply,
        side=name,
        second=second,
        name=ply.full_name,
        mark=ply.mark or "",
        note=_note(ply),
        score=f"{name if mate > 0 else other} in {abs(mate)}" if mate else "" if first is None else percent(first),
        loss=points(ply.loss) if shows_loss and ply.loss is not None else "",
        texts=_texts(sides, ply, name, other),
        comment=ply.comment,
        lines=_lines(sides, ply),
        code=sides.code(ply.move, ply.side, ply.outcome.result),
        height=None if first is None else round(100 * (1 - first), 2),
        pieces=[each.texts for each in ply.hidden.pieces] if ply.mark and ply.hidden is not None else [],
        viewer=sides.game.players.index(ply.side),
        reveals=sides.reveals(ply),
    )


def _note(ply: Ply) -> str:
    """Why a move does not count, how probable its end was, or that it is the best one."""
    if ply.forced or ply.book:
        return "forced" if ply.forced else "book"
    if ply.outcome.chance is not None:
        return likelihood(ply.outcome.chance)
    return "best" if ply.is_best and (ply.best is None or ply.best.move == ply.move) else ""


def _texts(sides: _Sides, ply: Ply, name: str, other: str) -> list[str]:
    texts = []
    if ply.mark and ply.before is not None and ply.played is not None:
        texts.append(_mark_text(ply, name, other, ply.before, ply.played))
    if ply.turning_point:
        texts.append("Turning point.")
    if ply.missed_win is not None:
        texts.append(f"Missed win: {_missed_text(ply.missed_win, name)}")
    if ply.rule is not None:
        texts.append(f"Rule: {_rule_text(sides, ply)}")
    return texts


def _mark_text(ply: Ply, name: str, other: str, before: Value, played: Value) -> str:
    """What a marked move cost."""
    words = (
        f"{(ply.mark or '').capitalize()}: the expected score of {name} falls from {percent(before.winrate)} "
        f"to {percent(played.winrate)}."
    )
    if before.wins_in and ply.missed_win is None:
        words += f" {name} had a win in {before.wins_in}."
    if played.mate is not None and played.mate < 0:
        words += f" Now {other} wins in {-played.mate}."
    if (chance := ply.outcome.chance) is not None:
        words += f" It {ply.outcome.text or 'ended so'}, as {name} expected with {likelihood(chance)}."
    if ply.confirmed is False:
        words += " No second search confirmed it."
    return words


def _missed_text(missed: ReviewLine, name: str) -> str:
    return f"{name} could force a win in {missed.mate}."


def _rule_text(sides: _Sides, ply: Ply) -> str:
    if ply.rule is None:
        return ""
    kind, side, text = ply.rule
    return ". ".join(filter(None, (f"{kind} by {sides.name(side)}" if side else kind, text)))


def _lines(sides: _Sides, ply: Ply) -> list[LineView]:
    """The better line of a marked move, the win that it missed, and what follows it."""
    number, before, side = ply.ply, ply.ply - 1, ply.side
    missed = sides.line("The win", f"Missed win at move {number}", ply.missed_win, side, before)
    better = follows = expected = None
    if ply.mark or missed:
        better = sides.line("Better", f"Better line at move {number}", ply.best, side, before)
        if better and missed and better.names == missed.names:
            better = None
    if ply.mark and ply.played is not None:
        after = ReviewLine(pv=ply.played.pv or (), pv_names=ply.played.pv_names or ())
        follows = sides.line("What follows", f"After move {number}", after, sides.next(side), number)
    if ply.mark and ply.hidden is not None:
        expected = sides.line("Expected", f"Expected at move {number}", ply.hidden.expected, side, before)
    return [line for line in (better, missed, follows, expected) if line]


def _moments(sides: _Sides, plies: Sequence[PlyView]) -> list[tuple[str, list[Moment]]]:
    """Turning points, missed wins and rules, each with links to the moves."""
    turns, missed, rules = [], [], []
    for ply, view in zip(sides.game.plies, plies):
        if ply.turning_point and ply.before is not None and ply.played is not None:
            swing = f"from {percent(ply.before.winrate)} to {percent(ply.played.winrate)}"
            turns.append(Moment(view.number, f"{view.sign} {swing}".strip()))
        if ply.missed_win is not None:
            missed.append(Moment(view.number, _missed_text(ply.missed_win, view.side)))
        if ply.rule is not None:
            rules.append(Moment(view.number, _rule_text(sides, ply)))
    groups = (("Turning points", turns), ("Missed wins", missed), ("Rules", rules))
    return [(title, moments) for title, moments in groups if moments]


def _curve(sides: _Sides, plies: Sequence[PlyView]) -> Curve | None:
    """The curve of a game with a score before and after at least one move."""
    if not plies:
        return None
    before = sides.game.plies[0].before
    heights = [None if before is None else round(100 * abs(before.winrate - (not plies[0].second)), 2)]
    heights += [ply.height for ply in plies]
    areas: list[str] = []
    teams: list[list[tuple[int, float]]] = []
    if any(ply.hidden is not None for ply in sides.game.plies):  # each team has an estimate of its own
        teams = [
            [
                (at, height)
                for at, height in enumerate(heights)
                if at and height is not None and plies[at - 1].second == team
            ]
            for team in (False, True)
        ]
        runs, others = ([[f"{at},{height:.4g}" for at, height in team]] if len(team) > 1 else [] for team in teams)
        known = [(100 - height, at) for at, height in teams[0]]
    else:
        runs, others = _runs(heights), []
        known = [(100 - height, at) for at, height in enumerate(heights) if height is not None]
    if not runs:
        return None
    for run in runs:
        begin, end = run[0].partition(",")[0], run[-1].partition(",")[0]
        areas.append(f"{begin},100 {' '.join(run)} {end},100")
    (low, low_at), (high, high_at) = min(known), max(known)
    when = ["at the start", *(f"after move {number}" for number in range(1, len(plies) + 1))]
    description = (
        f"Expected score of {sides.first}: {known[0][0]:.0f} % at first, {known[-1][0]:.0f} % at the end, "
        f"highest {high:.0f} % {when[high_at]}, lowest {low:.0f} % {when[low_at]}."
    )
    if others:
        first, *_, last = (100 - height for _, height in teams[1])
        description += f" As {sides.second} saw it: {first:.0f} % at first, {last:.0f} % at the end."
    return Curve(
        len(plies),
        [" ".join(run) for run in runs],
        [" ".join(run) for run in others],
        areas,
        _ticks(len(plies)),
        [100 * ply.ply / len(plies) for ply in sides.game.plies if ply.turning_point],
        description,
    )


def _runs(heights: Sequence[float | None]) -> list[list[str]]:
    """The pieces of a curve that are known."""
    runs: list[list[str]] = [[]]
    for at, height in enumerate(heights):
        if height is None:
            runs.append([])
        else:
            runs[-1].append(f"{at},{height:.4g}")
    return [run for run in runs if len(run) > 1]


def _ticks(plies: int) -> list[tuple[float, str]]:
    step = next(each * 10**power for power in range(9) for each in (1, 2, 5) if each * 10**power * _TICKS >= plies)
    return [(100 * at / plies, str(at)) for at in range(0, plies + 1, step)]
