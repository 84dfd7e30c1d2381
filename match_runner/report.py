"""The report of a match: one HTML file with tables, plots and a board that plays the games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from board_pages.drawing import BoardDrawing
from board_pages.page import BOARD_SCRIPTS, json_data, render, shown
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from match_runner.display import score_line
from match_runner.game import PlayedGame
from match_runner.match import MatchPlan
from match_runner.match_history import MAX_GAMES, MAX_PLAYED, ListedGame, MatchHistory
from match_runner.openings import Opening
from match_runner.plots import plots_of
from match_runner.run_info import RunInfo
from match_runner.schedule import GAUNTLET
from match_runner.score import FAULTS, EngineScore, MatchScore, Tally
from search_core.command_line import join_words
from search_core.version import __version__
from search_core.whole_file import write_whole

_DATA = Path(__file__).parent / "data"
_MAX_OPENING = 12
"""Moves of an opening that are shown."""
_STATS = ("#moves", "#ms a move", "#longest, ms", "#depth", "#nodes/s")


def write_report(
    path: Path,
    plan: MatchPlan,
    score: MatchScore,
    games: Iterable[tuple[int, PlayedGame]],
    run_info: RunInfo,
) -> None:
    """Write the report of a match, finished or not. `games` are (number from 1, record), in the order in which they
    ended. An old file at `path` is replaced.

    Raises OSError.
    """
    history = MatchHistory(plan)
    for number, record in games:
        history.add(number, record)
    scripts = [*BOARD_SCRIPTS, _DATA / "viewer.js"]
    text = render(_DATA / "report.html", scripts, _contents(plan, score, history, run_info))
    write_whole(path, text.encode(), replace=True)


def _contents(plan: MatchPlan, score: MatchScore, history: MatchHistory, run_info: RunInfo) -> dict[str, Any]:
    """The variables of the template."""
    names = [engine.name for engine in plan.engines]
    two = len(names) == 2
    board = plan.config.game.board()
    return {
        "generator": "sanqi match",
        "title": f"{names[0]} – {names[1]}" if two else f"{plan.schedule.tournament} of {len(names)} engines",
        "summary": _summary(plan, score),
        "games": score.games,
        "planned": len(plan.schedule),
        "limit": plan.limits_text(),
        "sprt": plan.sprt and plan.sprt.words(names[0], score.first.pairs, score.verdict),
        "duplicates": score.duplicates,
        "more_faulty": history.faults - len(history.faulty),
        "plots": [plot._replace(svg=Markup(plot.svg)) for plot in plots_of(plan, score, history)],
        "colours": len(names),
        "legend": "" if board is None else board.legend,
        "most_listed": MAX_GAMES,
        "most_played": MAX_PLAYED,
        "data_id": "games",
        "data": _data(plan.config.game.sides, board, history.games) if board is not None and history.games else "",
        **_tables(plan, score, history, run_info),
    }


class _Table(NamedTuple):
    """The first character of a head is the kind of its column: `*` names the row, `#` has numbers, `!` has numbers that
    are bad unless 0, a blank has text. A cell that is a list is code. Without texts in its heads a table shows none."""

    heads: Sequence[str]
    rows: Sequence[Sequence[object]]


def _tables(plan: MatchPlan, score: MatchScore, history: MatchHistory, run_info: RunInfo) -> dict[str, _Table]:
    """The tables of the page, by their names in the template."""
    names = [engine.name for engine in plan.engines]
    order = sorted(range(len(names)), key=lambda number: -score.engines[number].percent)
    several, pairings = len(names) > 2, score.pairings.items()
    elo_heads = ("#Elo", "#nElo", "#LOS")
    sides = [f" {side}" for side in plan.config.game.sides]
    standings = [_standing(place, names[number], score.engines[number]) for place, number in enumerate(order, 1)]
    crosses = [[names[row], *(_cross(score, row, column) for column in order)] for row in order if several]
    pairs = [_pairing(f"{names[one]} – {names[other]}", tally, several) for (one, other), tally in pairings]
    by_side = [[name, *chain(*map(_side, one.sides))] for name, one in zip(names, score.engines) if score.games]
    efforts = [[name, *map(one.faults.get, FAULTS), *_stats(one)] for name, one in zip(names, score.engines)]
    engines = map(_engine, plan.engines, run_info.reported_names or [""] * len(names), plan.limits().values())
    ends = [[reason, count, f"{100 * count / score.games:.1f}"] for reason, count in score.ends()]
    faulty = [[*_ending(one), one.detail] for one in history.faulty]
    by_number = sorted(history.games, key=lambda one: one.number)
    listed = [_listing(one) for one in by_number if one.number <= MAX_GAMES]
    game_heads = ("#game", *sides, " result", " by")
    return {
        "standings": _Table(
            ["#", "*engine", "#games", "#+", "#=", "#−", "#points", "#%", *elo_heads, "#draws, %"], standings
        ),
        "crosses": _Table(["*", *(f" {names[column]}" for column in order)], crosses),
        "pairs": _Table(["*", "#pairs", "#0", "#½", "#1", "#1½", "#2", *(elo_heads if several else ())], pairs),
        "by_side": _Table(["*engine", *chain(*((f" as{side}", "#%") for side in sides))], by_side),
        "terms": _Table(["*", " "], _terms(plan, run_info)),
        "engines": _Table(["*engine", " calls itself", " protocol", " thinks", " command", " settings"], [*engines]),
        "efforts": _Table(["*engine", *(f"!{text}" for text in FAULTS.values()), *_STATS], efforts),
        "faulty": _Table([*game_heads, " detail"], faulty),
        "ends": _Table(["*by", "#games", "#%"], ends),
        "listed": _Table([*game_heads, "#plies", "#opening", " ", " "], listed),
    }


def _standing(place: int, name: str, one: Tally) -> list[object]:
    counts = place, name, one.games, one.wins, one.draws, one.losses
    return [*counts, f"{one.points:.1f}", f"{one.percent:.1f}", *_elo(one), f"{one.drawn_percent:.1f}"]


def _pairing(names: str, tally: Tally, with_elo: bool) -> list[object]:
    return [names, len(tally.pairs), *tally.pairs.counts, *(_elo(tally) if with_elo else ())]


def _engine(engine: EngineSpecification, told: str, limit: ThinkingLimit) -> list[object]:
    return [engine.name, told, engine.protocol, str(limit), [join_words(engine.command)], _settings(engine)]


def _ending(one: ListedGame) -> list[object]:
    return [one.number, *one.names, one.result, one.reason]


def _listing(one: ListedGame) -> list[object]:
    opening = [_opening(one.opening)]
    return [*_ending(one), one.plies, one.opening_number, opening, "duplicate" if one.duplicate else ""]


def _elo(tally: Tally) -> tuple[str, str, str]:
    elo = tally.elo()
    return ("", "", "") if elo is None else (str(elo), elo.normalised_text(), elo.superiority_text())


def _side(tally: Tally) -> tuple[str, str]:
    percent = f"{tally.percent:.1f}" if tally.games else ""
    return f"+{tally.wins} ={tally.draws} −{tally.losses}", percent


def _summary(plan: MatchPlan, score: MatchScore) -> str:
    if not score.games:
        return "no game was played"
    return score.first.text() if len(plan.engines) == 2 else score_line(plan, score)


def _data(sides: tuple[str, ...], board: BoardDrawing, played: list[ListedGame]) -> Markup:
    """The games for the viewer."""
    games = [
        {
            "number": one.number,
            "names": [shown(name) for name in one.names],
            "sides": sides,
            "result": one.result,
            "reason": shown(one.reason),
            "detail": shown(one.detail),
            "plies": None if one.playback is None else one.playback.plies,
            "start": "" if one.playback is None else one.playback.start,
        }
        for one in sorted(played, key=lambda one: one.number)
    ]
    return json_data({"board": board, "games": games})


def _terms(plan: MatchPlan, run_info: RunInfo) -> list[tuple[str, str]]:
    """The conditions of the match, as rows of a table."""
    _, max_plies, adjudication = plan.config.conditions
    schedule = plan.schedule
    margins = [each.margin_ms for each in plan.limits().values() if each.has_clock]
    everyone = "the first engine against each of the others" if schedule.tournament == GAUNTLET else "all pairs"
    source = f" of {run_info.openings}" if run_info.openings else ""
    win_moves, draw_moves = adjudication.win_moves, adjudication.draw_moves
    rows = [
        ("begun", run_info.begun),
        ("host", run_info.host),
        ("played on", run_info.place and f"the cluster at {run_info.place}"),
        ("version", f"sanqi {__version__}"),
        *((key, str(value)) for key, value in plan.config.game.terms().items()),
        ("limit", plan.limits_text()),
        ("margin", margins and f"{margins[0]} ms over the limit before a move loses on time"),
        (
            "tournament",
            schedule.engines > 2 and f"{schedule.tournament}: {everyone}, {schedule.games} games for each pair",
        ),
        ("openings", f"{(schedule.games + 1) // 2}{source}, each played twice with colours swapped"),
        ("longest game", max_plies and f"{max_plies} plies, then a draw"),
        (
            "adjudicated win",
            win_moves
            and f"both engines see the same side {adjudication.win_cp} centipawns or more ahead for {win_moves} moves",
        ),
        (
            "adjudicated draw",
            draw_moves
            and f"from ply {adjudication.draw_from_ply}, both scores stay within {adjudication.draw_cp}"
            f" centipawns for {draw_moves} moves",
        ),
    ]
    return [(key, text) for key, text in rows if text]


def _settings(engine: EngineSpecification) -> list[str]:
    """The engine's options, and how it was started, besides its command."""
    given = {"variant": engine.variant, "ranks": engine.ranks, "dir": engine.directory}
    settings = [f"{key}={value}" for key, value in given.items() if value]
    if engine.memory_mb:
        settings.append(f"memory={engine.memory_mb} MiB")
    return settings + [f"{name} = {value}" for name, value in engine.options]


def _cross(score: MatchScore, row: int, column: int) -> str:
    """The result of one engine against another, from the first one's view."""
    if row == column:
        return ""
    tally = score.pairings.get((min(row, column), max(row, column)))
    if tally is None:
        return "–"
    own = tally if row < column else tally.reversed()
    elo = own.elo()
    result = f"+{own.wins} ={own.draws} -{own.losses}"
    return result if elo is None else f"{result}, Elo {elo}"


def _stats(engine: EngineScore) -> list[str]:
    """What _STATS names; '' if not reported."""
    engine_stats = engine.engine_stats
    if not engine_stats.moves:
        return ["0", "", "", "", ""]
    return [
        f"{engine_stats.moves:,}",
        f"{engine_stats.time_ms / engine_stats.moves:,.1f}",
        f"{engine_stats.longest_ms:,.1f}",
        f"{engine_stats.depth / engine_stats.moves:.1f}" if engine_stats.depth else "",
        "" if engine_stats.nodes_per_s is None else f"{engine_stats.nodes_per_s:,.0f}",
    ]


def _opening(opening: Opening) -> str:
    """An opening's position and first moves."""
    words = [opening.start] if opening.start else []
    words += opening.moves[:_MAX_OPENING]
    if len(opening.moves) > _MAX_OPENING:
        words.append("…")
    return " ".join(words)
