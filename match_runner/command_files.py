"""The files that `sanqi match` writes, opened before the first game."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from match_runner.command_resume import command_to_keep
from match_runner.game_file import GameFile, GameFileError
from match_runner.live_game import begin_live
from match_runner.refusal import Refused
from search_core.failures import failure_of, named
from search_core.whole_file import check_writable

if TYPE_CHECKING:
    from match_runner.game import NotationWriter
    from match_runner.match import MatchPlan


def open_outputs(
    args: argparse.Namespace, plan: MatchPlan, outputs: contextlib.ExitStack
) -> tuple[GameFile | None, NotationWriter | None]:
    """The game file and the writer of records. Raises Refused."""
    places = {name: getattr(args, name).resolve() for name in ("out", "records", "report") if getattr(args, name)}
    if len(set(places.values())) < len(places):
        raise Refused(f"{' and '.join(f'--{name}' for name in places)} name the same file")
    made = {name: places[name] for name in ("records", "report") if name in places}
    file, notation = None, None
    command = command_to_keep(args)
    created: list[Path] = []
    try:
        if args.resume:
            created += [] if args.out.exists() else [args.out]
            file = GameFile(args.out, plan, command, resume=True)
            outputs.callback(file.close)
        for name, path in made.items():
            if path.exists() and (file is None or (name, str(path)) not in file.wrote):
                raise FileExistsError(f"{path} exists already")
        if file is None and args.out is not None:
            file = GameFile(args.out, plan, command)
            created.append(args.out)
        elif file is None and args.report is not None:  # the report is made from this file
            folder = outputs.enter_context(tempfile.TemporaryDirectory())
            file = GameFile(Path(folder, "games.jsonl"), plan)
        if file is not None:
            outputs.callback(file.close)
            file.will_write({name: str(path) for name, path in made.items()}, command)
        if plan.config.live_folder is not None:
            begin_live(plan.config.live_folder)
        created += [path for path in made.values() if not path.exists()]
        if args.report is not None:
            check_writable(args.report, replace=True)
        if args.records is not None:
            notation = plan.config.game.notation_writer(args.records, bool(args.resume), plan.limits())
            outputs.callback(notation.close)
            for task, record in file.played if file is not None else ():
                with named(f"{args.out}: game {task.number + 1}", ValueError, GameFileError):
                    notation.add(task.number + 1, record)
        if args.resume and file is not None and file.fresh:
            print(f"{args.out}: no match in it yet, beginning with the first game", flush=True)
    except (OSError, GameFileError) as error:
        outputs.close()  # Windows cannot delete an open file
        for path in created:  # or the corrected command would find that they exist
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise Refused(failure_of(error)) from None
    return file, notation
