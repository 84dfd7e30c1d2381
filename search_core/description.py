"""What a game says about itself: enough to detect its protocols and to find its parts by name.

Descriptions are read before the first answer to a host. So this module imports nothing, and its classes are written
out: `dataclasses` takes longer to import than all of them. Parts are named as ``package.module`` or
``package.module:Name`` and imported when they are needed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class ProtocolDescription:
    """A protocol over which an engine of the game talks to its host.

    Parameters
    ----------
    name : str
        As in `sanqi NAME`.
    title : str
        For people: ``the Gomocup protocol``.
    adapter : str
        What makes the LineProtocol that speaks it, ``package.module:name``; called with the channel.
    example : str
        A command line for the help of `sanqi NAME`; several stand in lines of their own. '': just `sanqi NAME`.
    options : str
        The module with the options of `sanqi NAME`: its add_arguments(parser) and run(args); '': it has none.
    greeting : str
        What begins the protocol, as messages quote it: ``START n``; '': they do not.
    first_lines : tuple of str
        Whole first lines of a host, in lower case, blanks single. They win over words.
    first_words : tuple of str
        First words of a host's first line, in lower case.
    prefix : str
        Any first word that begins so, in lower case, too; '': none.
    program_prefix : str
        A program's file name that begins so stands for the protocol; read of built-in games only. '': none does.
    match_name : str
        How an engine of a match asks for it, as in ``proto=uci``; '': no engine of a match speaks it.
    lacks : frozenset of str
        What a match cannot ask of engines over it: ``nodes``, ``depth``, ``match_time`` (beside a time for each
        move), ``periods`` (a clock for a number of moves), ``own_clock`` (another one than the other engine's),
        ``ponder``, ``score`` (it is not reported).
    """

    __slots__ = (
        "adapter",
        "example",
        "first_lines",
        "first_words",
        "greeting",
        "lacks",
        "match_name",
        "name",
        "options",
        "prefix",
        "program_prefix",
        "title",
    )

    def __init__(
        self,
        *,
        name: str,
        title: str,
        adapter: str,
        example: str = "",
        options: str = "",
        greeting: str = "",
        first_lines: tuple[str, ...] = (),
        first_words: tuple[str, ...] = (),
        prefix: str = "",
        program_prefix: str = "",
        match_name: str = "",
        lacks: frozenset[str] = frozenset(),
    ) -> None:
        self.name = name
        self.title = title
        self.adapter = adapter
        self.example = example or f"sanqi {name}"
        self.options = options
        self.greeting = greeting
        self.first_lines = first_lines
        self.first_words = first_words
        self.prefix = prefix
        self.program_prefix = program_prefix
        self.match_name = match_name
        self.lacks = lacks


class CommandDescription:
    """A command of the program that is for one game: its name, what it does in a few words, and the module with its
    add_arguments(parser) and run(args)."""

    __slots__ = ("module", "name", "purpose")

    def __init__(self, name: str, purpose: str, module: str) -> None:
        self.name = name
        self.purpose = purpose
        self.module = module


class HostDescription:
    """A GUI or tournament manager that the doctor plays: its name, and the module with the CHECKS of it."""

    __slots__ = ("checks", "name")

    def __init__(self, name: str, checks: str) -> None:
        self.name = name
        self.checks = checks


class GameDescription:
    """A game that the program knows.

    Parameters
    ----------
    name : str
        As in `sanqi play NAME`.
    title : str
        For people, with its own name: ``Go (围棋)``.
    protocols : tuple of ProtocolDescription
        The first one with a `match_name` is what an engine in a match speaks unless it says otherwise.
    session : str
        The Session, ``package.module:Class``; called without arguments it is at the start of a game. '': it has none.
    display : str
        The GameDisplay that shows a session in the terminal, ``package.module:Class``.
    bench : str
        The module whose bench(depth, threads, hash_mb) makes the Bench of `sanqi bench`, with its own depth for None;
        '': there is none.
    play : str
        The module that plays it in the terminal in a way of its own; '': over the session and its display.
    match : str
        The module with the game's options of `sanqi match`; '': the session is all that a match needs.
    openings : str
        The module from which `sanqi openings` makes openings: its add_arguments(parser), source(args), options(args)
        and how(args); '': it makes none.
    records : str
        The file formats of its game records, ``package.module:NAME``, a tuple of RecordFormat; '': it has none.
    analysis : str
        The module from which `sanqi analyse` gets positions, as search_core/analysis.py says; '': it has none.
    review : str
        The module from which `sanqi review` gets recorded games, as search_core/review.py says; '': it has none.
    drawing : str
        What draws recorded games on a page, ``package.module:name``; called with the start position and the notation
        of a review's document, it returns a match_runner.playback.Drawing. '': the page has no board.
    analysts : str
        What makes other engines analyse the game, ``package.module:name``, called with an EngineSpecification and the
        seconds that an answer may take; '': only ours does.
    commands : tuple of CommandDescription
    hosts : tuple of HostDescription
    """

    __slots__ = (
        "analysis",
        "analysts",
        "bench",
        "commands",
        "display",
        "drawing",
        "hosts",
        "match",
        "name",
        "openings",
        "play",
        "protocols",
        "records",
        "review",
        "session",
        "title",
    )

    def __init__(
        self,
        *,
        name: str,
        title: str,
        protocols: tuple[ProtocolDescription, ...],
        session: str = "",
        display: str = "search_core.display:GameDisplay",
        bench: str = "",
        play: str = "",
        match: str = "",
        openings: str = "",
        records: str = "",
        analysis: str = "",
        review: str = "",
        drawing: str = "",
        analysts: str = "",
        commands: tuple[CommandDescription, ...] = (),
        hosts: tuple[HostDescription, ...] = (),
    ) -> None:
        self.name = name
        self.title = title
        self.protocols = protocols
        self.session = session
        self.display = display
        self.bench = bench
        self.play = play
        self.match = match
        self.openings = openings
        self.records = records
        self.analysis = analysis
        self.review = review
        self.drawing = drawing
        self.analysts = analysts
        self.commands = commands
        self.hosts = hosts

    def with_parts(
        self,
        *,
        play: str = "",
        match: str = "",
        openings: str = "",
        drawing: str = "",
        analysts: str = "",
        commands: tuple[CommandDescription, ...] = (),
        hosts: tuple[HostDescription, ...] = (),
    ) -> GameDescription:
        """The same game with parts that its own package cannot name."""
        return GameDescription(
            name=self.name,
            title=self.title,
            protocols=self.protocols,
            session=self.session,
            display=self.display,
            bench=self.bench,
            play=play,
            match=match,
            openings=openings,
            records=self.records,
            analysis=self.analysis,
            review=self.review,
            drawing=drawing,
            analysts=analysts,
            commands=commands,
            hosts=hosts,
        )

    def match_protocols(self) -> dict[str, ProtocolDescription]:
        """The protocols that engines of a match may speak, by their `match_name`."""
        return {protocol.match_name: protocol for protocol in self.protocols if protocol.match_name}


def protocol_of_line(line: str, games: Iterable[GameDescription]) -> ProtocolDescription | None:
    """The protocol that a host's first line begins; None if it begins none of these games'."""
    words = line.lower().split()
    if not words:
        return None
    protocols = [protocol for game in games for protocol in game.protocols]
    whole, first = " ".join(words), words[0]
    for protocol in protocols:
        if whole in protocol.first_lines:
            return protocol
    for protocol in protocols:
        if first in protocol.first_words:
            return protocol
    for protocol in protocols:
        if protocol.prefix and first.startswith(protocol.prefix):
            return protocol
    return None


def load_part(name: str) -> Any:
    """The module ``package.module``, or what ``package.module:name`` names. Raises ImportError or AttributeError."""
    path, _, member = name.partition(":")
    module = __import__(path, fromlist=("",))  # importlib takes a millisecond to import
    return getattr(module, member) if member else module
