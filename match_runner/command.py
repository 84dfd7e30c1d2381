"""`sanqi match`: plays games between engines."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from match_runner.command_options import add_arguments
from match_runner.command_plan import make_plan
from match_runner.refusal import Refused
from search_core.child_process import interrupt_by_any_signal
from search_core.command_line import join_words
from search_core.failures import failure_of, named, reason_of
from search_core.line_protocol import excerpt, printable

if TYPE_CHECKING:
    from match_runner.game import PlayedGame
    from match_runner.game_file import GameFile
    from match_runner.match import MatchPlan, MatchState
    from match_runner.run_info import RunInfo
    from match_runner.schedule import ScheduledGame
    from match_runner.score import MatchScore
    from match_runner.trial import TrialResult

__all__ = ["add_arguments", "run"]


def run(args: argparse.Namespace) -> int:
    """Play the match. Returns the exit status: 0 played, 1 stopped by an error, 2 for a wrong argument, 130 when
    interrupted."""
    try:
        names_no_engine = not args.engine
        plan = make_plan(args)
        if args.resume and names_no_engine:
            engines = ", ".join(f"{engine.name} ({join_words(engine.command)})" for engine in plan.engines)
            print(printable(f"going on with {args.shown_out}: {engines}, {plan.limits_text()}"), flush=True)
        with contextlib.ExitStack() as outputs:
            return _play(args, plan, outputs)
    except Refused as refused:
        print(f"sanqi match: {refused}; nothing was played", file=sys.stderr)
        return 2


def _play(args: argparse.Namespace, plan: MatchPlan, outputs: contextlib.ExitStack) -> int:
    """Play a plan and write the files that the options name. Raises Refused."""
    from match_runner.command_files import open_outputs
    from match_runner.display import Display, final_report
    from match_runner.match import MatchError, MatchState

    interrupt_by_any_signal()
    runner, trial = _runner(args, plan, outputs)
    for remark in trial.remarks:
        print(f"sanqi match: {remark}", file=sys.stderr)
    file, notation = open_outputs(args, plan, outputs)
    played = [] if file is None else file.played

    def on_game(task: ScheduledGame, record: PlayedGame, duplicate: bool, score: MatchScore) -> None:
        if file is not None:
            file.add(task, record, duplicate)
        if notation is not None:
            notation.add(task.number + 1, record)
        display.show(task, record, duplicate, score)

    run_info = _run_info(args, plan, trial, file)
    state = MatchState(plan, on_game)
    for task, record in played:
        state.remember(task, record)
    display = Display(plan, len(played))
    status = 0
    try:
        with display:
            runner(state)
    except KeyboardInterrupt:
        status = 130
        print(f"interrupted after {state.score.games} of {len(plan.schedule)} games")
    except (MatchError, OSError) as error:
        status = 1
        print(f"sanqi match: {failure_of(error)}; stopped after {state.score.games} games", file=sys.stderr)
    stopped = status != 0
    print("\n".join(final_report(plan, state.score)), flush=True)
    if args.report is not None and file is not None:
        from match_runner.game_file import played_games
        from match_runner.report import write_report

        try:
            write_report(args.report, plan, state.score, played_games(file.path, plan.config.game), run_info)
        except OSError as error:
            status = status or 1
            print(f"sanqi match: --report {args.report}: {reason_of(error)}", file=sys.stderr)
    if args.out is not None and stopped:
        print(f"go on with: {join_words(['sanqi', 'match', '--resume', args.shown_out])}", flush=True)
    return status


def _runner(
    args: argparse.Namespace, plan: MatchPlan, outputs: contextlib.ExitStack
) -> tuple[Callable[[MatchState], None], TrialResult]:
    """The function that plays the games, here or on a cluster, and the result of the trial. Raises Refused."""
    if args.scheduler is None:
        from match_runner.local_match import LocalMatch
        from match_runner.workers import try_engines

        trial = try_engines(plan.config)
        if trial.complaint is not None:
            raise Refused(trial.complaint)
        return lambda state: LocalMatch(state, args.concurrency).run(), trial
    try:
        from match_runner.cluster_match import Cluster, ClusterError
    except ImportError as error:
        raise Refused(f"--scheduler needs Dask: pip install '.[cluster]' in the source folder ({error})") from None
    with named(f"--scheduler {excerpt(args.scheduler)}", ClusterError, Refused):
        cluster = outputs.enter_context(Cluster(args.scheduler))
        trial = cluster.try_engines(plan.config)
    return cluster.run, trial


def _run_info(args: argparse.Namespace, plan: MatchPlan, trial: TrialResult, file: GameFile | None) -> RunInfo:
    from match_runner.game import BoardGame
    from match_runner.run_info import RunInfo
    from search_core.machine import now

    game = plan.config.game
    openings = str(args.openings) if args.openings else ""
    if not openings and isinstance(game, BoardGame):
        shipped = game.shipped_openings
        openings = "the start position" if shipped is None else f"{shipped.name}, shipped with sanqi"
    return RunInfo(
        begun=now() if file is None else file.begun,
        place=args.scheduler or "",
        reported_names=trial.reported_names,
        openings=openings,
    )
