"""The progress bar of a command."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def progress_bar(total: int, allowed: bool = True) -> Iterator[Callable[[], None]]:
    """A bar on the standard error, if that is a terminal and a bar is allowed. Gives what is called for each of
    `total` steps."""
    if not allowed or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), refresh_per_second=1) as progress:
        task = progress.add_task("", total=total)
        yield lambda: progress.advance(task)
