"""The output of a match: one line per game, on a terminal also a live score, and at the end the final table."""

from __future__ import annotations

import contextlib
import sys

from match_runner.game import PlayedGame
from match_runner.match import MatchPlan
from match_runner.schedule import ScheduledGame
from match_runner.score import FAULTS, MatchScore
from search_core.clock import duration_text, now_s

_WIDEST_BAR, _NARROWEST_BAR = 40, 4


def score_line(plan: MatchPlan, score: MatchScore) -> str:
    """`new - fairy  +13 =4 -3  75.0 %  Elo +190.8 ± 174.1`, with the LLR of an SPRT; with more than two engines, the
    leader's score."""
    if len(plan.engines) > 2:
        leader = max(range(len(plan.engines)), key=lambda number: score.engines[number].percent)
        return f"leads: {plan.engines[leader].name}  {score.engines[leader].text()}"
    parts = [f"{plan.engines[0].name} - {plan.engines[1].name}  {score.first.text()}"]
    if plan.sprt is not None:
        parts.append(plan.sprt.llr_text(score.first.pairs))
    return "  ".join(parts)


def eta_text(games_left: int, played: int, elapsed_s: float) -> str:
    """`ETA 2 h 05 min`, from the speed of the games so far; '' before the first. With an SPRT it is the time to the
    largest number of games; the test may end earlier."""
    if not played or not games_left:
        return ""
    return f"ETA {duration_text(elapsed_s / played * games_left)}"


def game_line(plan: MatchPlan, task: ScheduledGame, record: PlayedGame, duplicate: bool) -> str:
    """`  3/100  new - fairy  1-0  mate  87 plies`, with the details of a fault."""
    first, second = record.names
    games = len(plan.schedule)
    line = f"{task.number + 1:>{len(str(games))}}/{games}  {first} - {second}  {record.result}  {record.reason}"
    line += f"  {len(record.moves)} plies"
    if duplicate:
        line += "  duplicate"
    return f"{line}  ({record.detail})" if record.detail else line


def final_report(plan: MatchPlan, score: MatchScore) -> list[str]:
    """The result, and what may put it in doubt: duplicates, faults, times."""
    two = [score_line(plan, score), score.first.details()]
    lines = ["", *(_standings(plan, score) if len(plan.engines) > 2 else two)]
    duplicates = f"{score.duplicates} duplicate game{'' if score.duplicates == 1 else 's'}"
    lines.append(f"{score.games} games, {plan.limits_text()}, {duplicates}")
    if score.reasons:
        lines.append("ended by: " + ", ".join(f"{reason} {count}" for reason, count in score.ends()))
    width = max(len(engine.name) for engine in plan.engines)
    for engine, tally in zip(plan.engines, score.engines):
        counts = ", ".join(f"{tally.faults[kind]} {text}" for kind, text in FAULTS.items())
        line = f"{engine.name:<{width}}  {counts}"
        engine_stats = tally.engine_stats
        if engine_stats.moves:
            line += (
                f"; a move: {engine_stats.time_ms / engine_stats.moves:.1f} ms (longest {engine_stats.longest_ms:.0f})"
            )
            if engine_stats.depth:
                line += f", depth {engine_stats.depth / engine_stats.moves:.1f}"
        if engine_stats.nodes_per_s is not None:
            line += f", {engine_stats.nodes_per_s:,.0f} nodes/s"
        lines.append(line)
    if plan.sprt is not None:
        lines.append(plan.sprt.words(plan.engines[0].name, score.first.pairs, score.verdict))
    return lines


def _standings(plan: MatchPlan, score: MatchScore) -> list[str]:
    """Each engine's result against all its opponents, the best first, then each pairing."""
    order = sorted(range(len(plan.engines)), key=lambda number: -score.engines[number].percent)
    width = max(len(engine.name) for engine in plan.engines)
    lines = []
    for place, number in enumerate(order, 1):
        engine = score.engines[number]
        lines.append(f"{place}. {plan.engines[number].name:<{width}}  {engine.text()}  {engine.details()}")
    for (one, other), tally in score.pairings.items():
        lines.append(f"{plan.engines[one].name} - {plan.engines[other].name}  {tally.text()}  {tally.details()}")
    return lines


class Display(contextlib.ExitStack):
    """Context manager; `show` prints a finished game. On a terminal the running score stays below the games."""

    def __init__(self, plan: MatchPlan, played: int = 0) -> None:
        super().__init__()
        self._plan = plan
        self._played_before = played
        self._began = now_s()
        self._progress = None
        if sys.stdout.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
            from rich.table import Column

            # The bar is redrawn when a game ends and once a second: more often would take time from the engines.
            self._progress = Progress(
                BarColumn(None, table_column=Column(max_width=_WIDEST_BAR)),
                MofNCompleteColumn(table_column=Column(no_wrap=True)),
                TextColumn("{task.description}", markup=False),
                TextColumn("{task.fields[eta]}", markup=False),
                refresh_per_second=1,
            )
            self._task = self._progress.add_task("", total=len(plan.schedule), completed=played, eta="")
            self.enter_context(self._progress)

    def show(self, task: ScheduledGame, record: PlayedGame, duplicate: bool, score: MatchScore) -> None:
        line = game_line(self._plan, task, record, duplicate)
        running, games, played = score_line(self._plan, score), len(self._plan.schedule), score.games
        eta = "" if score.verdict else eta_text(games - played, played - self._played_before, now_s() - self._began)
        if self._progress is None:
            print("  ".join(filter(None, (line, "|", running, eta))), flush=True)
        else:
            console = self._progress.console
            console.print(line, markup=False, highlight=False)
            # In a narrow terminal first the bar gives way, then the end of the score, but not the number of games.
            room = console.width - _NARROWEST_BAR - len(f" {games}/{games}  {eta} ")
            running = _cut(running, room)
            self._progress.update(self._task, completed=played, description=running, refresh=True, eta=eta)


def _cut(text: str, width: int) -> str:
    """As much of a text as fits in the columns."""
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else f"{set_cell_size(text, max(width - 3, 0)).rstrip()}..."
