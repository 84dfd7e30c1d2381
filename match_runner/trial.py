"""The start of all engines before the first game, so that a misspelt command or option does not cost 100 games."""

from __future__ import annotations

from dataclasses import dataclass


class Trial:
    """The request to a worker to test whether the engines start."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How the engines started.

    Attributes
    ----------
    complaint : str or None
        Why an engine does not start or refuses its options; None: all are fine.
    remarks : tuple of str
        Warnings for the user.
    reported_names : tuple of str
        The name that each engine reports; '': none.
    """

    complaint: str | None = None
    remarks: tuple[str, ...] = ()
    reported_names: tuple[str, ...] = ()
