"""The start of all engines before the first game: a misspelt command or option shall not be 100 lost games."""

from __future__ import annotations

from dataclasses import dataclass


class Trial:
    """What is asked of a worker to see whether the engines start."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How the engines started.

    Attributes
    ----------
    complaint : str or None
        Why one of them does not start or does not take its options; None: all do.
    remarks : tuple of str
        What the user should know though they play.
    reported_names : tuple of str
        How each calls itself; '': it does not say.
    """

    complaint: str | None = None
    remarks: tuple[str, ...] = ()
    reported_names: tuple[str, ...] = ()
