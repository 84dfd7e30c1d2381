"""The plots of a match report: SVG without scripts and styles. The page sets the colours by class: `color-N` is engine
or line N."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import pygal  # type: ignore[import-untyped]

from match_runner.match import MatchPlan
from match_runner.match_history import TIME_CLASSES_MS, MatchHistory
from match_runner.score import MatchScore

MAX_OPENINGS = 60
"""With more openings, the plot has no bar for each."""
_MAX_BINS = 20
_MAX_MOVES = 100
"""Points of a curve over the moves of a game; in longer games a point is the mean of several moves."""

_MIN_MARGIN_ELO = 10.0
"""Space above and below the curve."""


class Plot(NamedTuple):
    """`svg` is markup, the rest text; `legend` names the colours, in their order."""

    title: str
    caption: str
    svg: str
    legend: Sequence[str] = ()


def plots_of(plan: MatchPlan, score: MatchScore, history: MatchHistory) -> list[Plot]:
    """All plots for which there are data, the result first."""
    names = [engine.name for engine in plan.engines]
    found = [
        _elo(names[0], history) if len(history.elo.points()) > 1 else _percents(names, history),
        _llr(plan, history),
        _openings(names, score, history),
        _times_by_move(names, history),
        _times(names, history),
        _lengths(history),
    ]
    return [plot for plot in found if plot is not None]


def _elo(name: str, history: MatchHistory) -> Plot:
    points = history.elo.points()
    _, _, low, high = points[-1]
    # The intervals of the first pairs are very wide and would flatten the rest of the curve.
    margin = max(high - low, _MIN_MARGIN_ELO)
    bottom, top = min(low, 0) - margin, max(high, 0) + margin

    def within(elo: float) -> float:
        return min(max(elo, bottom), top)

    chart = _curves_chart(
        x_title="games", range=(bottom, top), classes=("plot", "band"), value_formatter="{:+.0f}".format
    )
    lower = [(x, within(y)) for x, _, y, _ in points]
    upper = [(x, within(y)) for x, _, _, y in points]
    chart.add("interval", [*lower, *upper[::-1], lower[0]], fill=True)
    chart.add("Elo", [(x, within(y)) for x, y, _, _ in points])
    chart.add("even", [(points[0][0], 0), (points[-1][0], 0)])
    return Plot(
        "Elo over the games",
        f"Elo of {name} over its opponent, from all pairs of games up to each game; the band is the 95 % interval.",
        _svg(chart),
    )


def _percents(names: Sequence[str], history: MatchHistory) -> Plot | None:
    if not any(len(curve.points()) > 1 for curve in history.percents):
        return None
    chart = _curves_chart(x_title="games of the engine", range=(0, 100), value_formatter="{:.0f} %".format)
    for name, curve in zip(names, history.percents):
        chart.add(name, curve.points())
    return Plot("Score over the games", "Percent of the points up to each of an engine's games.", _svg(chart), names)


def _llr(plan: MatchPlan, history: MatchHistory) -> Plot | None:
    points = history.llr.points()
    if plan.sprt is None or len(points) < 2:
        return None
    values = [*plan.sprt.bounds, *(llr for _, llr in points)]
    ticks = range(math.floor(min(values)), math.ceil(max(values)) + 1)
    chart = _curves_chart(
        x_title="games", y_labels=list(ticks), classes=("plot", "bounds"), value_formatter="{:+.0f}".format
    )
    chart.add("LLR", points)
    for bound in plan.sprt.bounds:
        chart.add("bound", [(points[0][0], bound), (points[-1][0], bound)])
    return Plot(
        "LLR over the games",
        f"Log-likelihood ratio of {plan.sprt.elo1:g} Elo over {plan.sprt.elo0:g} Elo; the test ends at a dashed line.",
        _svg(chart),
    )


def _openings(names: Sequence[str], score: MatchScore, history: MatchHistory) -> Plot | None:
    if not history.openings:
        return None
    if len(history.openings) > MAX_OPENINGS:
        chart = _bars_chart(x_title="points in a pair", x_labels=["0", "½", "1", "1½", "2"])
        chart.add(names[0], score.engines[0].pairs.counts)
        return Plot(
            "Score by opening",
            f"Pairs of games by the points of {names[0]} in the pair; there are {len(history.openings)} openings.",
            _svg(chart),
        )
    numbers = sorted(history.openings)
    chart = _bars_chart(
        x_title="opening",
        x_labels=[str(number) for number in numbers],
        x_labels_major_every=math.ceil(len(numbers) / _MAX_BINS),
        show_minor_x_labels=False,
        zero=1,
        range=(0, 2),
        y_labels=[0, 0.5, 1, 1.5, 2],
    )
    chart.add(names[0], [points / pairs for pairs, points in (history.openings[number] for number in numbers)])
    mean = "" if len(names) == 2 else ", the mean over its opponents"
    return Plot(
        "Score by opening",
        f"Points of {names[0]} in the two games from each opening, by its number in the match{mean}; no bar: 1, even.",
        _svg(chart),
    )


def _times_by_move(names: Sequence[str], history: MatchHistory) -> Plot | None:
    moves = max(len(times.sums) for times in history.times)
    if moves < 2:
        return None
    width = math.ceil(moves / _MAX_MOVES)
    chart = _curves_chart(x_title="move", value_formatter=_milliseconds, include_x_axis=True)
    for name, times in zip(names, history.times):
        chart.add(
            name,
            [
                (start + (1 + min(width, len(times.sums) - start)) / 2, sum(times.sums[start : start + width]) / count)
                for start in range(0, len(times.sums), width)
                if (count := sum(times.counts[start : start + width]))
            ],
        )
    return Plot(
        "Time by move",
        "Mean wall time of a move by its number among the engine's own moves of a game, opening moves not counted.",
        _svg(chart),
        names,
    )


def _times(names: Sequence[str], history: MatchHistory) -> Plot | None:
    used = sorted(set().union(*(times.classes for times in history.times)))
    if not used:
        return None
    classes = range(used[0], used[-1] + 1)
    chart = _bars_chart(
        x_labels=[_class_text(number) for number in classes], x_label_rotation=40, value_formatter="{:.0f} %".format
    )
    for name, times in zip(names, history.times):
        moves = times.classes.total()
        chart.add(name, [100 * times.classes[number] / moves if moves else 0 for number in classes])
    return Plot(
        "Times of the moves",
        "Percent of an engine's moves by wall time; each label is the upper bound of its class.",
        _svg(chart),
        names,
    )


def _lengths(history: MatchHistory) -> Plot | None:
    if not history.lengths:
        return None
    shortest, longest = min(history.lengths), max(history.lengths)
    width = next(
        digit * 10**power
        for power in range(9)
        for digit in (1, 2, 5)
        if longest // (digit * 10**power) - shortest // (digit * 10**power) < _MAX_BINS
    )
    counts = dict.fromkeys(range(shortest // width * width, longest + 1, width), 0)
    for plies, games in history.lengths.items():
        counts[plies // width * width] += games
    chart = _bars_chart(x_title="plies", x_labels=[str(start) for start in counts])
    chart.add("games", list(counts.values()))
    steps = "" if width == 1 else f"; a bar covers {width} lengths, from its label on"
    caption = f"Games by length in plies, including the opening{steps}."
    return Plot("Length of the games", caption, _svg(chart))


def _class_text(number: int) -> str:
    if number == len(TIME_CLASSES_MS):
        return f"> {_milliseconds(TIME_CLASSES_MS[-1])}"
    return f"≤ {_milliseconds(TIME_CLASSES_MS[number])}"


def _milliseconds(time: float) -> str:
    return f"{time:g} ms" if time < 1000 else f"{time / 1000:g} s"


_LOOK: dict[str, Any] = {
    "width": 640,
    "height": 300,
    "margin": 10,
    "spacing": 8,
    "show_legend": False,
    "truncate_label": -1,
    "js": (),
    "disable_xml_declaration": True,
    "style": pygal.style.Style(label_font_size=14, major_label_font_size=14, title_font_size=14),
}
"""The font sizes are those of the page's style: pygal reserves space for the text by them."""


def _curves_chart(**changes: Any) -> Any:
    return pygal.XY(**{**_LOOK, "show_dots": False, "classes": ("plot",), "max_scale": 8, **changes})


def _bars_chart(**changes: Any) -> Any:
    return pygal.Bar(**{**_LOOK, "classes": ("plot",), "max_scale": 6, **changes})


def _svg(chart: Any) -> str:
    chart.add_xml_filter(_plain)
    return str(chart.render())


def _plain(root: Any) -> Any:
    """Remove what only pygal's script and style use. Texts that pygal's script would show at the mouse become titles,
    which browsers show as tooltips."""
    root.set("role", "img")
    root.attrib.pop("id")
    for node in list(root.iter()):
        hints = {child.get("class"): child.text for child in node if child.tag == "desc"}
        for child in list(node):
            if child.tag in ("desc", "defs", "title") or not isinstance(child.tag, str):
                node.remove(child)
        if "value" in hints:
            hint = node.makeelement("title", {})
            hint.text = ": ".join(text for text in (hints.get("x_label"), hints["value"]) if text)
            node.insert(0, hint)
    return root
