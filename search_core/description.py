"""What a game says about itself: enough to detect its protocols and to find its parts by name.

Only the standard library is imported, since descriptions are read before the first answer to a host. Parts are named
as ``package.module`` or ``package.module:Name`` and imported when they are needed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolDescription:
    """A protocol over which an engine of the game talks to its host."""

    name: str
    """As in `sanqi NAME`."""
    adapter: str
    """The LineProtocol that speaks it, ``package.module:Class``; called with the channel."""
    first_lines: tuple[str, ...] = ()
    """Whole first lines of a host, in lower case, blanks single. They win over words."""
    first_words: tuple[str, ...] = ()
    """First words of a host's first line, in lower case."""
    prefix: str = ""
    """Any first word that begins so, in lower case, too."""
    program_prefix: str = ""
    """A program's file name that begins so stands for the protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDescription:
    """A game that the program knows."""

    name: str
    """As in `sanqi play NAME`."""
    title: str
    """For people: ``Xiangqi (象棋)``."""
    protocols: tuple[ProtocolDescription, ...]
    """The first one is what an engine in a match speaks unless it says otherwise."""
    session: str
    """The Session, ``package.module:Class``; called without arguments it is at the start of a game."""
    display: str
    """The module that shows a session in the terminal."""
    bench: str | None = None
    """The module with the positions of `sanqi bench`; None: there are none."""
    records: str | None = None
    """The module that reads and writes the game's records; None: there are none."""
    match_limits: frozenset[str] = frozenset()
    """Which limits of thinking its engines obey in a match: of ``tc``, ``movetime``, ``nodes``, ``depth``."""
