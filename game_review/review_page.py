"""The page of a review: one HTML file with a board to step through, the score curve, and the marked moves.

It is made from the review's document (docs/review.md) alone. A field that is absent, null or of a wrong type counts as
unknown. The page can be read without its script, which only adds the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from board_pages import page
from board_pages.drawing import Board
from board_pages.playback import Drawing
from game_core.description import GameDescription
from game_review.review_values import (
    Table,
    first_party,
    left_out_text,
    likelihood,
    line_names,
    number_of,
    objects_in,
    percent,
    points,
    read_score,
    side_name,
    tables_of,
    text_of,
    texts_in,
    value_in,
)
from search_core.parts import load_part
from search_core.whole_file import write_whole

DATA = Path(__file__).parent / "data"

MARKS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
_LONGEST_NAME = 60
"""Of a player or a file in a title; the headers have the whole name."""
_TICKS = 6
"""At most so many numbers under the score curve."""
_UNDRAWABLE = (ArithmeticError, LookupError, TypeError, ValueError)
"""What drawing a game raises whose document is wrong."""


@dataclass(frozen=True, slots=True)
class Line:
    """Moves that could have been played: their title in the list, and for the board; their names; how the board plays
    them (these may be fewer)."""

    title: str
    kind: str
    names: Sequence[str]
    codes: Sequence[str]
    base: int
    """How many moves of the game come before it."""


@dataclass(frozen=True, slots=True)
class Ply:
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
    lines: Sequence[Line]
    code: str
    height: float | None
    pieces: Sequence[Piece]
    viewer: int | None
    """Which view of the game's shows what the side knew."""
    reveals: str
    """What the sides know from then on: for each the number of its view and the code."""

    @property
    def sign(self) -> str:
        return MARKS.get(self.mark, "")


@dataclass(frozen=True, slots=True)
class Piece:
    """What a side knew of a hidden piece, what it believed, and what was true."""

    name: str
    knew: str
    believed: str
    truth: str


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
class Game:
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
    plies: Sequence[Ply]
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
        return [mark for mark in MARKS if any(ply.mark == mark for ply in self.plies)]


def write_page(document: dict[str, Any], path: Path, known: Mapping[str, GameDescription]) -> None:
    """Write the page of a document. An old file at `path` is replaced. `known`: the games that may have boards.

    Raises OSError.
    """
    scripts = [page.BOARD_SCRIPT, DATA / "review.js"]
    text = page.render(DATA / "review.html", scripts, _contents(document, known))
    write_whole(path, text.encode(), replace=True)


def _contents(document: dict[str, Any], known: Mapping[str, GameDescription]) -> dict[str, Any]:
    """The variables of the template."""
    boards: list[Board] = []
    settings = value_in(document, "settings")
    games = [
        _game(game, number, boards, text_of(game.get("notation")) or text_of(settings.get("notation")), known)
        for number, game in enumerate(objects_in(document, "games"), 1)
    ]
    return {
        "generator": "sanqi review",
        "title": f"Review: {games[0].title}" if len(games) == 1 else f"Review of {len(games)} games",
        "games": games,
        "summary": _summary(document),
        "worst": _worst(document, games),
        "errors": _errors(document),
        "settings": _settings(settings),
        "program": text_of(document.get("program")),
        "signs": MARKS,
        "data_id": "boards",
        "data": page.json_data([board.values() for board in boards]),
    }


def _summary(document: dict[str, Any]) -> list[Table]:
    """The tables of a summary; the worst moves are a list of their own."""
    return tables_of({key: value for key, value in value_in(document, "summary").items() if key != "worst"})


def _worst(document: dict[str, Any], games: Sequence[Game]) -> list[tuple[Game, Ply]]:
    """The worst moves of all games."""
    found = []
    for value in objects_in(value_in(document, "summary"), "worst"):
        number, ply = number_of(value.get("game")), number_of(value.get("ply"))
        if number is None or ply is None or not 1 <= number <= len(games):
            continue
        game = games[int(number) - 1]
        if 1 <= ply <= len(game.plies):
            found.append((game, game.plies[int(ply) - 1]))
    return found


def _errors(document: dict[str, Any]) -> list[str]:
    """The games that could not be reviewed."""
    errors = []
    for error in objects_in(document, "errors"):
        number = text_of(error.get("number"))
        words = [text_of(error.get("source")), f"game {number}" if number else ""]
        errors.append(": ".join(filter(None, (", ".join(filter(None, words)), text_of(error.get("error"))))))
    return [error for error in errors if error]


def _settings(settings: dict[str, Any]) -> str:
    """How the games were searched, and what the marks mean."""
    limits = []
    if (time_ms := number_of(settings.get("timeMs"))) is not None:
        limits.append(f"{time_ms:,.0f} ms a move")
    if (nodes := number_of(settings.get("nodes"))) is not None:
        limits.append(f"{nodes:,.0f} nodes a move")
    parts = [f"Searched with {' and '.join(limits)}."] if limits else []
    thresholds = value_in(settings, "thresholds")
    named = [
        f"{sign} {mark}: loses at least {bound:g}"
        for mark, sign in MARKS.items()
        if (bound := number_of(thresholds.get(mark))) is not None
    ]
    if named:
        parts.append(f"{'; '.join(named)} points of expected score.")
    return " ".join(parts)


class _Reader:
    """Reads one game of the document."""

    def __init__(self, game: dict[str, Any], notation: str, known: Mapping[str, GameDescription]) -> None:
        self.game = game
        self.kind = text_of(game.get("game"))
        self.headers = {key: text for key, value in value_in(game, "headers").items() if (text := text_of(value))}
        self.keys = texts_in(game, "players")
        for ply in objects_in(game, "plies"):
            if (side := text_of(ply.get("side"))) and side not in self.keys:
                self.keys.append(side)
        self.drawing = self._draw(known, notation)

    def name(self, side: str) -> str:
        """A side in words."""
        name = side_name(side)
        return name[:1].upper() + name[1:] if name else "?"

    def player(self, side: str) -> str:
        """Who played a side, '' if unknown."""
        named = texts_in(self.game, "names")
        if side in self.keys and any(named[self.keys.index(side) :][:1]):
            return _cut(named[self.keys.index(side)])
        for key in (self.name(side), f"P{side[:1].upper()}", side):
            if self.headers.get(key, "").strip("? "):
                return _cut(self.headers[key])
        return ""

    @property
    def first(self) -> str:
        """Whose expected score the curve shows."""
        return self.name(first_party(self.keys)) if self.keys else "First"

    @property
    def second(self) -> str:
        """The opponent of the first, or its team."""
        return (
            self.name(first_party(self.keys[1:]) if len(self.keys) != 3 else self.keys[1])
            if self.keys[1:]
            else "Second"
        )

    def other(self, side: str) -> str:
        """The opponent of a side in words."""
        others = [each for each in self.keys if self.is_second(each) != self.is_second(side)]
        return self.name(others[0]) if len(others) == 1 else "the other team"

    def next(self, side: str) -> str:
        """Who moves after a side."""
        return self.keys[(self.keys.index(side) + 1) % len(self.keys)] if side in self.keys else ""

    def is_second(self, side: str) -> bool:
        """Whether a side is not the first, nor in its team."""
        return side in self.keys and self.keys.index(side) % 2 == 1

    def _draw(self, known: Mapping[str, GameDescription], notation: str) -> Drawing | None:
        """The board; None for a game or a start that cannot be drawn."""
        game = known.get(self.kind)
        if game is None or not game.drawing:
            return None
        try:
            drawing: Drawing = load_part(game.drawing)(value_in(self.game, "start"), notation)
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
        return [views[side] for side in self.keys] if all(side in views for side in self.keys) else []

    def reveals(self, value: dict[str, Any]) -> str:
        """What sides know after a ply that they did not know before."""
        if self.drawing is None or self.drawing.hidden is None:
            return ""
        words = []
        for each in objects_in(value, "revealed"):
            point, side, kind, to = (text_of(each.get(key)) for key in ("point", "seat", "type", "to"))
            try:
                words.append(f"{self.keys.index(to)}{self.drawing.hidden.reveal_code(point, side, kind)}")
            except _UNDRAWABLE:
                continue
        return " ".join(words)

    def line(self, title: str, kind: str, value: dict[str, Any], side: str, base: int) -> Line | None:
        """A line of which a side has the first move, None if it has no moves."""
        moves, names = texts_in(value, "pv"), texts_in(value, "pvNames")
        if not moves and (move := text_of(value.get("move"))):
            moves, names = [move], [text_of(value.get("name"))]
        names = [name or move for name, move in zip([*names, *[""] * len(moves)], moves)]
        outcomes = [*texts_in(value, "pvOutcomes"), *[""] * len(moves)]
        names = line_names({"pvNames": names, "pvOutcomes": outcomes})
        codes: list[str] = []
        for move, outcome in zip(moves, outcomes):
            if not (code := self.code(move, side, outcome)):
                break
            codes.append(code)
            side = self.next(side)
        return Line(title, kind, names, codes, base) if names else None


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _game(
    game: dict[str, Any], number: int, boards: list[Board], notation: str, known: Mapping[str, GameDescription]
) -> Game:
    reader = _Reader(game, notation, known)
    values = objects_in(game, "plies")
    plies = [_ply(reader, value, at + 1, values[at + 1 : at + 2]) for at, value in enumerate(values)]
    drawing = reader.drawing if all(ply.code for ply in plies) else None
    if drawing is not None and drawing.board not in boards:
        boards.append(drawing.board)
    result = value_in(game, "result")
    ending = ", ".join(filter(None, (text_of(result.get("result")), text_of(result.get("reason")))))
    names = [f"{reader.name(side)} {reader.player(side)}".strip() for side in reader.keys]
    source = _cut(text_of(game.get("source")))
    is_nameless = not any(map(reader.player, reader.keys))
    if is_nameless and len(names) > 2:
        names = [reader.first, reader.second]
    title = " – ".join(names)
    if is_nameless and title and source:
        title = f"{title} ({Path(source).name})"
    which = number_of(game.get("number"))
    return Game(
        number=number,
        title=title or source or f"Game {number}",
        kind=reader.kind.capitalize() or "Unknown game",
        origin=f"{source}, game {which:.0f}" if source and which is not None else source,
        result="" if ending == "*" else ending,
        opening=text_of(game.get("opening")),
        left_out=left_out_text(value_in(game, "leftOut")),
        incomplete=game.get("complete") is False,
        sides=[reader.first, reader.second],
        rows=_side_rows(reader),
        headers=list(reader.headers.items()),
        plies=plies,
        moments=_moments(reader, values, plies),
        curve=_curve(reader, values, plies),
        board=None if drawing is None else boards.index(drawing.board),
        start="" if drawing is None else drawing.start,
        views="" if drawing is None else " ".join(reader.views),
    )


def _side_rows(reader: _Reader) -> list[list[str]]:
    """Side, accuracy, average loss, inaccuracies, mistakes, blunders, moves."""
    sides = value_in(reader.game, "sides")
    rows = []
    for key in [*reader.keys, *(key for key in sides if key not in reader.keys)]:
        side = value_in(sides, key)
        if not side:
            continue
        accuracy, loss = number_of(side.get("accuracy")), number_of(side.get("averageLoss"))
        counts = [number_of(side.get(name)) for name in ("inaccuracies", "mistakes", "blunders", "moves")]
        rows.append(
            [
                f"{reader.name(key)} {reader.player(key)}".strip(),
                "–" if accuracy is None else f"{accuracy:.1f} %",
                "–" if loss is None else points(loss),
                *("–" if count is None else f"{count:.0f}" for count in counts),
            ]
        )
    return rows


def _ply(reader: _Reader, value: dict[str, Any], number: int, later: Sequence[dict[str, Any]]) -> Ply:
    side = text_of(value.get("side")) or (reader.keys[(number - 1) % len(reader.keys)] if reader.keys else "")
    second = reader.is_second(side)
    name, other = reader.name(side), reader.other(side)
    mark = text_of(value.get("mark"))
    mark = mark if mark in MARKS else ""
    move = text_of(value.get("move"))
    played, before, outcome = value_in(value, "played"), value_in(value, "before"), value_in(value, "outcome")
    score, mate = read_score(played)
    if score is None and later:  # the next position says it as well, for its own side
        then, mate = read_score(value_in(later[0], "before"))
        next_second = reader.is_second(text_of(later[0].get("side")))
        score = None if then is None else then if next_second == second else 1 - then
        mate = mate if mate is None or next_second == second else -mate
    first = score if score is None or not second else 1 - score
    loss = number_of(value.get("loss"))
    return Ply(
        number=number,
        side=name,
        second=second,
        name=" ".join(filter(None, (text_of(value.get("name")) or move or "?", text_of(outcome.get("text"))))),
        mark=mark,
        note=_note(value),
        score=f"{name if mate > 0 else other} in {abs(mate)}" if mate else "" if first is None else percent(first),
        loss="" if loss is None or loss < 0.0005 or value.get("counted") is False else points(loss),
        texts=_texts(reader, value, name, other, mark, before, played),
        comment=text_of(value.get("comment")),
        lines=_lines(reader, value, number, mark, side),
        code=reader.code(move, side, text_of(outcome.get("result"))),
        height=None if first is None else round(100 * (1 - first), 2),
        pieces=_pieces(value) if mark else [],
        viewer=reader.keys.index(side) if side in reader.keys else None,
        reveals=reader.reveals(value),
    )


def _pieces(value: dict[str, Any]) -> list[Piece]:
    """The hidden pieces that mattered to a move."""
    found = []
    for each in objects_in(value, "pieces"):
        texts = value_in(each, "texts")
        name, knew, believed, truth = (text_of(texts.get(key)) for key in ("piece", "knew", "believed", "truth"))
        found.append(Piece(name or text_of(each.get("point")) or "?", knew, believed, truth or "unknown"))
    return found


def _note(value: dict[str, Any]) -> str:
    """Why a move does not count, how probable its end was, or that it is the best one."""
    if value.get("forced") is True:
        return "forced"
    if value.get("book") is True:
        return "book"
    chance = number_of(value_in(value, "outcome").get("chance"))
    if chance is not None:
        return likelihood(chance)
    best = value_in(value, "best").get("move", value.get("move"))
    return "best" if value.get("isBest") is True and best == value.get("move") else ""


def _texts(
    reader: _Reader,
    value: dict[str, Any],
    name: str,
    other: str,
    mark: str,
    before: dict[str, Any],
    played: dict[str, Any],
) -> list[str]:
    texts = []
    if mark:
        texts.append(_mark_text(value, name, other, mark, before, played))
    if value.get("turningPoint") is True:
        texts.append("Turning point.")
    missed = value_in(value, "missedWin")
    if missed:
        texts.append(_missed_text(missed, name))
    if rule := _rule_text(reader, value):
        texts.append(f"Rule: {rule}")
    return texts


def _mark_text(
    value: dict[str, Any], name: str, other: str, mark: str, before: dict[str, Any], played: dict[str, Any]
) -> str:
    """What a marked move cost."""
    loss = number_of(value.get("loss"))
    had, got = read_score(before), read_score(played)
    words = f"{mark.capitalize()}"
    if had[0] is not None and got[0] is not None:
        words += f": the expected score of {name} falls from {percent(had[0])} to {percent(got[0])}"
    elif loss is not None:
        words += f": a loss of {points(loss)} points"
    words += "."
    if had[1] and had[1] > 0 and not value_in(value, "missedWin"):
        words += f" {name} had a win in {had[1]}."
    if got[1] and got[1] < 0:
        words += f" Now {other} wins in {-got[1]}."
    outcome = value_in(value, "outcome")
    if (chance := number_of(outcome.get("chance"))) is not None:
        words += f" It {text_of(outcome.get('text')) or 'ended so'}, as {name} expected with {likelihood(chance)}."
    if value.get("confirmed") is False:
        words += " No second search confirmed it."
    return words


def _missed_text(missed: dict[str, Any], name: str) -> str:
    mate = number_of(missed.get("mate"))
    return f"Missed win: {name} could force a win" + ("." if not mate else f" in {abs(mate):.0f}.")


def _rule_text(reader: _Reader, value: dict[str, Any]) -> str:
    rule = value_in(value, "rule")
    kind, side, text = (text_of(rule.get(key)) for key in ("kind", "side", "text"))
    heading = f"{kind} by {reader.name(side)}" if kind and side else kind
    return ". ".join(filter(None, (heading, text)))


def _lines(reader: _Reader, value: dict[str, Any], number: int, mark: str, side: str) -> list[Line]:
    """The better line of a marked move, the win that it missed, and what follows it."""
    before = number - 1
    missed = reader.line("The win", f"Missed win at move {number}", value_in(value, "missedWin"), side, before)
    better = follows = expected = None
    if mark or missed:
        better = reader.line("Better", f"Better line at move {number}", value_in(value, "best"), side, before)
        if better and missed and better.names == missed.names:
            better = None
    if mark:
        follows = reader.line(
            "What follows", f"After move {number}", value_in(value, "played"), reader.next(side), number
        )
        expected = reader.line("Expected", f"Expected at move {number}", value_in(value, "expected"), side, before)
    return [line for line in (better, missed, follows, expected) if line]


def _moments(reader: _Reader, values: Sequence[dict[str, Any]], plies: Sequence[Ply]) -> list[tuple[str, list[Moment]]]:
    """Turning points, missed wins and rules, each with links to the moves."""
    turns, missed, rules = [], [], []
    for value, ply in zip(values, plies):
        if value.get("turningPoint") is True:
            turns.append(Moment(ply.number, f"{ply.sign} {_swing(value)}".strip()))
        if win := value_in(value, "missedWin"):
            missed.append(Moment(ply.number, _missed_text(win, ply.side).removeprefix("Missed win: ")))
        if rule := _rule_text(reader, value):
            rules.append(Moment(ply.number, rule))
    groups = (("Turning points", turns), ("Missed wins", missed), ("Rules", rules))
    return [(title, moments) for title, moments in groups if moments]


def _swing(value: dict[str, Any]) -> str:
    had, _ = read_score(value_in(value, "before"))
    got, _ = read_score(value_in(value, "played"))
    return "" if had is None or got is None else f"from {percent(had)} to {percent(got)}"


def _curve(reader: _Reader, values: Sequence[dict[str, Any]], plies: Sequence[Ply]) -> Curve | None:
    """The curve of a game with a score before and after at least one move."""
    if not plies:
        return None
    start, _ = read_score(value_in(values[0], "before"))
    heights = [None if start is None else round(100 * (start if plies[0].second else 1 - start), 2)]
    heights += [ply.height for ply in plies]
    areas: list[str] = []
    teams: list[list[tuple[int, float]]] = []
    if any("expected" in value for value in values):  # each team has an estimate of its own
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
        f"Expected score of {reader.first}: {known[0][0]:.0f} % at first, {known[-1][0]:.0f} % at the end, "
        f"highest {high:.0f} % {when[high_at]}, lowest {low:.0f} % {when[low_at]}."
    )
    if others:
        first, *_, last = (100 - height for _, height in teams[1])
        description += f" As {reader.second} saw it: {first:.0f} % at first, {last:.0f} % at the end."
    return Curve(
        len(plies),
        [" ".join(run) for run in runs],
        [" ".join(run) for run in others],
        areas,
        _ticks(len(plies)),
        [100 * ply.number / len(plies) for value, ply in zip(values, plies) if value.get("turningPoint") is True],
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
