"""What a match shows while it runs: a line a game, or on a terminal a live line above them; and the final table."""

from __future__ import annotations

import sys
from types import TracebackType

from match_runner.game import GameRecord
from match_runner.match import FAULTS, MatchPlan, MatchScore
from match_runner.statistics import LOWER_LLR, UPPER_LLR


def score_line(plan: MatchPlan, score: MatchScore) -> str:
    """`new - fairy  +3 =1 -0  87.5 %  Elo +338.0 ± 120.1` and what else is being decided."""
    first, second = plan.engines
    percent = 100 * score.points / score.games if score.games else 0.0
    parts = [
        f"{first.name} - {second.name}",
        f"+{score.wins} ={score.draws} -{score.losses}",
        f"{percent:.1f} %",
    ]
    if (elo := score.elo()) is not None:
        parts += [f"Elo {elo}", f"LOS {100 * elo.superiority:.1f} %"]
    if plan.sprt is not None:
        llr = plan.sprt.llr(score.pair_points())
        parts.append(f"LLR {llr:+.2f} [{LOWER_LLR:.2f}, {UPPER_LLR:.2f}]")
    return "  ".join(parts)


def game_line(number: int, games: int, record: GameRecord, duplicate: bool) -> str:
    """`  3/100  new - fairy  1-0  mate  87 plies`, with the detail of a fault."""
    first, second = record.names
    line = f"{number + 1:>{len(str(games))}}/{games}  {first} - {second}  {record.result}  {record.reason}"
    line += f"  {len(record.moves)} plies"
    if duplicate:
        line += "  duplicate"
    return f"{line}  ({record.detail})" if record.detail else line


def final_report(plan: MatchPlan, score: MatchScore) -> list[str]:
    """The result with everything that puts it in doubt: duplicates, faults, times."""
    lines = ["", score_line(plan, score)]
    lines.append(f"{score.games} games, {plan.limit}, {score.duplicates} duplicate games")
    if score.reasons:
        ends = sorted(score.reasons.items(), key=lambda item: -item[1])
        lines.append("ended by: " + ", ".join(f"{reason} {count}" for reason, count in ends))
    width = max(len(engine.name) for engine in plan.engines)
    for engine, faults, effort in zip(plan.engines, score.faults, score.efforts):
        counts = ", ".join(f"{faults[kind]} {text}" for kind, text in FAULTS.items())
        line = f"{engine.name:<{width}}  {counts}"
        if effort.moves:
            line += f"; a move: {effort.time_ms / effort.moves:.1f} ms (longest {effort.longest_ms:.0f})"
            line += f", depth {effort.depth / effort.moves:.1f}"
        if effort.nodes_ms:
            line += f", {effort.nodes / effort.nodes_ms * 1000:,.0f} nodes/s"
        lines.append(line)
    if plan.sprt is not None:
        claim = f"SPRT [{plan.sprt.elo0:g}, {plan.sprt.elo1:g}]"
        verdict = plan.sprt.verdict(score.pair_points()) or "undecided"
        lines.append(f"{claim}: {verdict}, LLR {plan.sprt.llr(score.pair_points()):+.2f}")
    return lines


class Display:
    """Context manager; `show` prints a finished game. On a terminal the running score stays below the games."""

    def __init__(self, plan: MatchPlan) -> None:
        self._plan = plan
        self._progress = None
        if sys.stdout.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            # The bar is redrawn when a game ends and once a second: a faster one takes time from the engines.
            self._progress = Progress(
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.description}", markup=False),
                refresh_per_second=1,
            )
            self._task = self._progress.add_task(score_line(plan, MatchScore()), total=plan.games)

    def __enter__(self) -> Display:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, number: int, record: GameRecord, duplicate: bool, score: MatchScore) -> None:
        line = game_line(number, self._plan.games, record, duplicate)
        if self._progress is None:
            print(f"{line}  |  {score_line(self._plan, score)}", flush=True)
        else:
            self._progress.console.print(line, markup=False, highlight=False)
            self._progress.update(self._task, completed=score.games, description=score_line(self._plan, score))
