"""What a game says about itself: enough to detect its protocols and to find its parts by name.

Descriptions are read before the first answer to a host: this module must stay light. Parts are named as
``package.module`` or ``package.module:Name`` and imported when they are needed.
"""

from __future__ import annotations

from search_core.fields import Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class ProtocolDescription(Fields):
    """A protocol over which an engine of the game talks to its host."""

    name: str
    """As in `sanqi NAME`."""
    title: str
    """For people: ``the Gomocup protocol``."""
    adapter: str
    """What makes the LineProtocol that speaks it, ``package.module:name``; called with the channel."""
    example: str = ""
    """A command line for the help of `sanqi NAME`; several stand in lines of their own. '': just `sanqi NAME`."""
    options: str = ""
    """The module with the options of `sanqi NAME`: its add_arguments(parser) and run(args); '': it has none."""
    greeting: str = ""
    """What begins the protocol, as messages quote it: ``START n``; '': they do not."""
    first_lines: tuple[str, ...] = ()
    """Whole first lines of a host, in lower case, blanks single. They win over words."""
    first_words: tuple[str, ...] = ()
    """First words of a host's first line, in lower case."""
    prefix: str = ""
    """Any first word that begins so, in lower case, too; '': none."""
    program_prefix: str = ""
    """A program's file name that begins so stands for the protocol; '': none does. Not read of installed games."""
    match_name: str = ""
    """How an engine of a match asks for it, as in ``proto=uci``; '': no engine of a match speaks it."""
    lacks: frozenset[str] = frozenset()
    """What a match cannot ask of engines over it: ``nodes``, ``depth``, ``match_time`` (beside a time for each move),
    ``periods`` (a clock for a number of moves), ``own_clock`` (another one than the other engine's), ``ponder``,
    ``score`` (it is not reported)."""


class CommandDescription(Fields):
    """A command of the program."""

    name: str
    purpose: str
    """What it does, in a few words."""
    module: str
    """It has add_arguments(parser) and run(args)."""
    part: str = ""
    """The command is for all games that have this part, an attribute of GameDescription, and its add_arguments() takes
    these, too. '': for none, or for the game that names it."""
    old_names: Mapping[str, str] = {}
    """Commands that are actions of this one now: they work for one version, and say so."""


class HostDescription(Fields):
    """A GUI or tournament manager that the doctor plays."""

    name: str
    checks: str
    """The module with the CHECKS of it."""


class GameDescription(Fields):
    """A game that the program knows. A part that is '' is one that the game does not have."""

    name: str
    """As in `sanqi play NAME`."""
    title: str
    """For people, with its own name: ``Go (围棋)``."""
    protocols: tuple[ProtocolDescription, ...]
    """The first one with a `match_name` is what an engine in a match speaks unless it says otherwise."""
    session: str = ""
    """The Session, ``package.module:Class``; called without arguments it is at the start of a game."""
    display: str = "game_core.display:GameDisplay"
    """The GameDisplay that shows a session in the terminal, ``package.module:Class``."""
    bench: str = ""
    """The module whose bench(depth, threads, hash_mb) makes the Bench of `sanqi bench`, with its own depth for None."""
    match: str = ""
    """The module with the game's options of `sanqi match`; '': the session is all that a match needs."""
    openings: str = ""
    """The module from which `sanqi openings` makes openings: its add_arguments(parser), source(args), options(args) and
    how(args)."""
    records: str = ""
    """The file formats of its game records, ``package.module:NAME``, a tuple of RecordFormat."""
    analysis: str = ""
    """The module from which `sanqi analyse` gets positions, as game_core/analysis.py says."""
    review: str = ""
    """The module from which `sanqi review` gets recorded games, as game_core/review.py says."""
    drawing: str = ""
    """What draws recorded games on a page, ``package.module:name``; called with the start position and the notation of
    a review's document, it returns a board_pages.playback.Drawing."""
    page_board: str = ""
    """The board_pages.page_board.PageBoard of a session on the page of `sanqi board`, ``package.module:Class``."""
    analysts: str = ""
    """What makes other engines analyse the game, ``package.module:name``, called with an EngineSpecification and the
    seconds that an answer may take; '': only ours does."""
    table_engines: str = ""
    """What lets another engine play at a table if an analyst cannot, ``package.module:name``, called with an
    EngineSpecification and the milliseconds of a move; it returns a Chooser. '': the analysts play."""
    commands: tuple[CommandDescription, ...] = ()
    """The commands of this game alone."""
    hosts: tuple[HostDescription, ...] = ()

    @property
    def match_protocols(self) -> dict[str, ProtocolDescription]:
        """The protocols that engines of a match may speak, by their `match_name`."""
        return {protocol.match_name: protocol for protocol in self.protocols if protocol.match_name}

    def command_names(self) -> list[str]:
        """As in `sanqi NAME`."""
        return [*(protocol.name for protocol in self.protocols), *(command.name for command in self.commands)]


def protocol_of_line(line: str, games: Iterable[GameDescription]) -> ProtocolDescription | None:
    """The protocol that a host's first line begins; None if it begins none of these games'."""
    words = line.lower().split()
    if not words:
        return None
    protocols = [protocol for game in games for protocol in game.protocols]
    whole, first = " ".join(words), words[0]
    begun = (
        *(protocol for protocol in protocols if whole in protocol.first_lines),
        *(protocol for protocol in protocols if first in protocol.first_words),
        *(protocol for protocol in protocols if protocol.prefix and first.startswith(protocol.prefix)),
    )
    return begun[0] if begun else None
