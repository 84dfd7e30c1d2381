"""The progress bar of a command."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import rich.progress

_WIDEST_BAR = 40


class Progress:
    """What is done of a number of steps, which nobody sees. Any thread may call the methods."""

    def advance(self, steps: int = 1) -> None:
        """So many more are done."""

    def expect(self, steps: int) -> None:
        """There are more, or fewer, than were known."""


class _Shown(Progress):
    def __init__(self, bar: rich.progress.Progress) -> None:
        self._bar = bar
        (self._task,) = bar.tasks

    def advance(self, steps: int = 1) -> None:
        self._bar.advance(self._task.id, steps)

    def expect(self, steps: int) -> None:
        # Not by update(), which forgets the speed.
        self._task.total = (self._task.total or 0) + steps
        self._task.finished_time = None


@contextlib.contextmanager
def progress_bar(total: int, allowed: bool = True) -> Iterator[Progress]:
    """A bar of `total` steps on the standard error, if that is a terminal and a bar is allowed: how many are done, and
    the time that is left. In a narrow terminal the bar gives way."""
    if not allowed or not sys.stderr.isatty():
        yield Progress()
        return
    from rich import progress
    from rich.console import Console
    from rich.table import Column

    columns = (
        progress.BarColumn(None, table_column=Column(max_width=_WIDEST_BAR)),
        progress.MofNCompleteColumn(table_column=Column(no_wrap=True)),
        progress.TimeRemainingColumn(table_column=Column(no_wrap=True)),
    )
    with progress.Progress(*columns, console=Console(stderr=True), refresh_per_second=1) as shown:
        shown.add_task("", total=total)
        yield _Shown(shown)
