"""Where, when and with what a match is played, for its report."""

from __future__ import annotations

from dataclasses import dataclass, field

from search_core.machine import host, now


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run of a match.

    Attributes
    ----------
    begun : str
        When the match began; for a resumed match from its file, '' if it does not say.
    host : str
        The machine of the last run.
    place : str
        The cluster that plays the games; '': this machine.
    reported_names : tuple of str
        The name that each engine reports; '': none.
    openings : str
        The source of the openings; '': the game has none.
    """

    begun: str = field(default_factory=now)
    host: str = field(default_factory=host)
    place: str = ""
    reported_names: tuple[str, ...] = ()
    openings: str = ""
