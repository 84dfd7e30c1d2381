"""The report of a match: one HTML file with tables, plots and a board that plays the games."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from markupsafe import Markup

from board_pages.drawing import BoardDrawing
from board_pages.page import BOARD_SCRIPT, json_data, render, shown
from engine_client.specification import EngineSpecification
from match_runner.display import score_line
from match_runner.game import PlayedGame
from match_runner.match import MatchPlan
from match_runner.match_history import MAX_GAMES, MAX_PLAYED, MatchHistory, ReplayableGame
from match_runner.openings import Opening
from match_runner.plots import plots_of
from match_runner.run_info import RunInfo
from match_runner.schedule import GAUNTLET
from match_runner.score import FAULTS, EngineScore, MatchScore
from search_core.command_line import join_words
from search_core.version import __version__
from search_core.whole_file import write_whole

_DATA = Path(__file__).parent / "data"
_MAX_OPENING = 12
"""Moves of an opening that are shown."""


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
    scripts = [BOARD_SCRIPT, _DATA / "viewer.js"]
    text = render(_DATA / "report.html", scripts, _contents(plan, score, history, run_info))
    write_whole(path, text.encode(), replace=True)


def _contents(plan: MatchPlan, score: MatchScore, history: MatchHistory, run_info: RunInfo) -> dict[str, Any]:
    """The variables of the template."""
    names = [engine.name for engine in plan.engines]
    two = len(names) == 2
    order = sorted(range(len(names)), key=lambda number: -score.engines[number].percent)
    game = plan.config.game
    board = game.board()
    return {
        "generator": "sanqi match",
        "title": f"{names[0]} – {names[1]}" if two else f"{plan.schedule.tournament} of {len(names)} engines",
        "summary": _summary(plan, score),
        "games": score.games,
        "planned": len(plan.schedule),
        "limit": plan.limits_text(),
        "terms": _terms(plan, run_info),
        "engines": [
            (engine, told, join_words(engine.command), plan.limits()[engine.name], _settings(engine))
            for engine, told in zip(plan.engines, run_info.reported_names or [""] * len(plan.engines))
        ],
        "standings": [(names[number], score.engines[number], score.engines[number].elo()) for number in order],
        "pairings": [(names[one], names[other], tally, tally.elo()) for (one, other), tally in score.pairings.items()],
        "by_side": [(name, engine.sides) for name, engine in zip(names, score.engines)],
        "crosses": [] if two else [(names[row], [_cross(score, row, column) for column in order]) for row in order],
        "sprt": _sprt_words(plan, score),
        "ends": sorted(score.reasons.items(), key=lambda item: -item[1]),
        "faults": FAULTS,
        "efforts": [(name, engine, _engine_stats_row(engine)) for name, engine in zip(names, score.engines)],
        "duplicates": score.duplicates,
        "faulty": history.faulty,
        "faulty_games": history.faults,
        "plots": [plot._replace(svg=Markup(plot.svg)) for plot in plots_of(plan, score, history)],
        "colours": len(names),
        "sides": game.sides,
        "legend": "" if board is None else board.legend,
        "listed": [(one, _opening(one.opening)) for one in sorted(history.games, key=lambda one: one.number)],
        "most_listed": MAX_GAMES,
        "most_played": MAX_PLAYED,
        "data_id": "games",
        "data": _data(game.sides, board, history.played) if board is not None and history.played else "",
    }


def _summary(plan: MatchPlan, score: MatchScore) -> str:
    if not score.games:
        return "no game was played"
    return score.first.text() if len(plan.engines) == 2 else score_line(plan, score)


def _data(sides: tuple[str, ...], board: BoardDrawing, played: list[ReplayableGame]) -> Markup:
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
    return json_data({"board": board.values(), "games": games})


def _terms(plan: MatchPlan, run_info: RunInfo) -> list[tuple[str, str]]:
    """The conditions of the match, as rows of a table."""
    _, max_plies, adjudication = plan.config.conditions
    schedule = plan.schedule
    rows = [("begun", run_info.begun)] if run_info.begun else []
    rows.append(("host", run_info.host))
    if run_info.place:
        rows.append(("played on", f"the cluster at {run_info.place}"))
    rows.append(("version", f"sanqi {__version__}"))
    rows += [(key, str(value)) for key, value in plan.config.game.terms().items()]
    rows.append(("limit", plan.limits_text()))
    margins = [each.margin_ms for each in plan.limits().values() if each.has_clock]
    if margins:
        rows.append(("margin", f"{margins[0]} ms over the limit before a move loses on time"))
    if schedule.engines > 2:
        everyone = "the first engine against each of the others" if schedule.tournament == GAUNTLET else "all pairs"
        rows.append(("tournament", f"{schedule.tournament}: {everyone}, {schedule.games} games for each pair"))
    openings = (schedule.games + 1) // 2
    source = f" of {run_info.openings}" if run_info.openings else ""
    rows.append(("openings", f"{openings}{source}, each played twice with colours swapped"))
    if max_plies:
        rows.append(("longest game", f"{max_plies} plies, then a draw"))
    if adjudication.win_moves:
        rows.append(
            (
                "adjudicated win",
                f"both engines see the same side {adjudication.win_cp} centipawns or more ahead"
                f" for {adjudication.win_moves} moves",
            )
        )
    if adjudication.draw_moves:
        rows.append(
            (
                "adjudicated draw",
                f"from ply {adjudication.draw_from_ply}, both scores stay within {adjudication.draw_cp} centipawns for "
                f"{adjudication.draw_moves} moves",
            )
        )
    return rows


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


def _sprt_words(plan: MatchPlan, score: MatchScore) -> str:
    return "" if plan.sprt is None else plan.sprt.words(plan.engines[0].name, score.first.pairs, score.verdict)


def _engine_stats_row(engine: EngineScore) -> list[str]:
    """Moves, mean and longest time of a move in ms, mean depth, nodes/s; empty if not reported."""
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
