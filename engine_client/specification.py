"""The user's specification of an engine: `name=fairy cmd=fairy-stockfish proto=uci option.Hash=64`, or a name from a
TOML file and more such words."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which
from typing import Any, TypeAlias
from urllib.parse import quote

from engine_client.time_control import ThinkingLimit, parse_time_control
from game_core.description import GameDescription, ProtocolDescription
from search_core.command_line import split_words
from search_core.failures import named, reason_of
from search_core.input_file import read_input
from search_core.line_protocol import legible, printable
from search_core.text_file import unmarked

RANK_STYLES = ("0-9", "1-10")
LIMITS = ("tc", "movetime", "nodes", "depth")
KEYS = ("name", "cmd", "proto", "variant", "ranks", "dir", "memory", *LIMITS, "option.NAME")
_OVER = {"variant": ("uci",), "ranks": ("ucci", "uci")}
"""Keys that only some protocols have, with these protocols."""
MAX_NUMBER = 10**9
"""Largest number of milliseconds or plies."""
MAX_NODES = 10**15
_OPTION = "option."
_MAX_FILE = 1 << 20  # of engines


EngineWords: TypeAlias = "list[tuple[str, str]]"
"""Keys and values from the user. The last value of a key counts, but all options are sent."""


class SpecificationError(ValueError):
    """The specification cannot be used; the message names the bad word."""


@dataclass(frozen=True, slots=True)
class EngineSpecification:
    """How to start one engine and how to set it up.

    `variant` is sent as UCI_Variant (UCI only; empty: not sent). `ranks` is how the engine counts the ranks ("0-9" or
    "1-10"; empty: found out in the handshake). `directory` is its working directory (None: ours). `options` are the
    protocol's options; Gomocup sends them by INFO. `memory_mb` is the limit of its address space in MiB (0: none; Linux
    only). `complaints_folder` is the folder for its stderr (None: not kept). `limit` is how long it thinks (None: the
    match's limit). `allows_unknown`: send options that it does not list anyway.
    """

    name: str
    command: tuple[str, ...]
    protocol: str = "ucci"
    variant: str = ""
    ranks: str = ""
    directory: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    memory_mb: int = 0
    complaints_folder: str | None = None
    limit: ThinkingLimit | None = None
    allows_unknown: bool = False

    @property
    def complaints(self) -> Path | None:
        """The file for its stderr; None if it is not kept."""
        if self.complaints_folder is None:
            return None
        return Path(self.complaints_folder, quote(self.name, safe=" ") + ".stderr")

    def identity(self) -> dict[str, Any]:
        """What identifies the engine in a match file, for JSON."""
        identity: dict[str, Any] = {
            "name": self.name,
            "cmd": list(self.command),
            "proto": self.protocol,
            "variant": self.variant,
            "ranks": self.ranks,
            "dir": self.directory,
            "options": [list(option) for option in self.options],
            "memory": self.memory_mb,
        }
        if self.limit is not None:
            identity["limit"] = self.limit.identity()
        return identity

    def keeping_complaints(self, folder: Path) -> EngineSpecification:
        """The same engine, with its stderr kept in a folder."""
        return replace(self, complaints_folder=str(folder.resolve()))


def parse_engine(
    text: str, game: GameDescription, known: Mapping[str, EngineWords] | None = None
) -> EngineSpecification:
    """Read a specification of `key=value` words; a word with blanks is quoted: `cmd="sanqi uci"`.

    The first word may be a name of `known`: the other words add to its words or replace them. Else it may be a program,
    as `cmd=PROGRAM`. Raises SpecificationError.
    """
    is_path = text not in (known or {}) and _is_file(text)
    words = [f"cmd={_quoted(text)}"] if is_path else _split(text, text)
    given: EngineWords = []
    base: EngineWords = []
    for at, word in enumerate(words):
        key, equals, value = word.partition("=")
        is_name = known is not None and (word in known or not (_is_file(word) or which(word)))
        if not equals and at == 0 and word and not is_name:
            key, value = "cmd", _quoted(word)
        elif not equals and at == 0 and known is not None:
            if word not in known:
                names = printable(", ".join(known)) or "none"
                raise SpecificationError(f"engine {legible(text)}: no engine {legible(word)}; known are {names}")
            base = known[word]
            continue
        elif not equals:
            keys = f"(keys: {', '.join(KEYS)})"
            raise SpecificationError(
                f"engine {legible(text)}: expected key=value after the first word, got {legible(word)} {keys}"
            )
        if key in dict(given) and not key.startswith(_OPTION):  # the engine gets an option twice
            raise SpecificationError(f"engine {legible(text)}: {legible(key)} is given twice")
        given.append((key, value))
    changed = {_comparable(key) for key, _ in given}
    if changed.intersection(LIMITS):  # a limit replaces any other limit
        changed.update(LIMITS)
    try:
        return specification_of([*(pair for pair in base if _comparable(pair[0]) not in changed), *given], game)
    except SpecificationError as error:
        raise SpecificationError(f"engine {legible(text)}: {error}") from None


def _comparable(key: str) -> str:
    """A key, so that the same option in another spelling has the same."""
    return key.lower() if key.startswith(_OPTION) else key


def _is_file(text: str) -> bool:
    """Whether a text is the path of a file."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a name that no system has
        return False


def _quoted(program: str) -> str:
    """A program as a word of a command."""
    quote = "'" if '"' in program else '"'
    return f"{quote}{program}{quote}"


def read_engines(path: Path) -> dict[str, EngineWords]:
    """The engines of a TOML file, one table each::

        [fairy]
        cmd = "fairy-stockfish"
        proto = "uci"
        option = { Hash = 64, "Use NNUE" = false }

    Raises SpecificationError.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        tables = tomllib.loads(unmarked(read_input(path, _MAX_FILE)).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SpecificationError(f"engines {path}: {printable(reason_of(error))}") from None
    engines = {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise SpecificationError(f"engines {path}: {legible(name)} is no table; expected one")
        options = table.pop("option", {})
        if not isinstance(options, dict):
            raise SpecificationError(f"engines {path}: [{printable(name)}]: option is no table of names and values")
        words = [("name", name)]
        for key, value in [*table.items(), *((f"{_OPTION}{key}", value) for key, value in options.items())]:
            if not isinstance(value, (str, int, float)):
                raise SpecificationError(
                    f"engines {path}: [{printable(name)}]: {printable(key)} is neither a text nor a number"
                )
            with named(f"engines {path}: [{printable(name)}]: {printable(key)}", ValueError, SpecificationError):
                words.append((key, str(value).lower() if isinstance(value, bool) else str(value)))
        engines[name] = words
        try:
            _check(words)
        except SpecificationError as error:
            raise SpecificationError(f"engines {path}: [{printable(name)}]: {error}") from None
    return engines


def _check(words: EngineWords) -> None:
    """Raise SpecificationError for an unknown key or a missing command."""
    for key, text in words:
        name = key.removeprefix(_OPTION)
        if key not in KEYS and (not key.startswith(_OPTION) or not name):
            raise SpecificationError(f"unknown key {legible(key)} (keys: {', '.join(KEYS)})")
        shown = text if name == key else f"{name}={text}"
        if not shown.isprintable():
            raise SpecificationError(f"{printable(key)}: {legible(shown)} has characters that cannot be printed")
    if not dict(words).get("cmd", "").strip():
        raise SpecificationError("no command; add cmd=PROGRAM")


def specification_of(words: EngineWords, game: GameDescription) -> EngineSpecification:
    """The engine of these words, for a game. Raises SpecificationError."""
    _check(words)
    values = dict(words)
    command = tuple(_split(values["cmd"], values["cmd"]))
    protocols = game.match_protocols
    protocol = values.get("proto", next(iter(protocols)))
    if protocol not in protocols:
        raise SpecificationError(f"proto is {legible(protocol)}, expected {' or '.join(protocols)}")
    ranks, variant = values.get("ranks", ""), values.get("variant", "")
    if ranks and ranks not in RANK_STYLES:
        raise SpecificationError(f"ranks is {legible(ranks)}, expected {' or '.join(RANK_STYLES)}")
    for key, over in _OVER.items():
        if values.get(key) and protocol not in over:
            needed = " or ".join(f"proto={name}" for name in over)
            raise SpecificationError(f"{key}={legible(values[key])} needs {needed}")
    memory = values.get("memory", "0")
    if not (memory.isascii() and memory.isdecimal()) or len(memory) > 7:
        raise SpecificationError(f"memory is {legible(memory)}, expected MiB")
    if int(memory) and sys.platform != "linux":
        raise SpecificationError(f"memory={memory} needs Linux")
    return EngineSpecification(
        name=values.get("name") or Path(command[0]).stem,
        command=command,
        protocol=protocol,
        variant=variant,
        ranks=ranks,
        directory=values.get("dir"),
        options=tuple((key.removeprefix(_OPTION), text) for key, text in words if key.startswith(_OPTION)),
        memory_mb=int(memory),
        limit=_limit(values, protocols[protocol]),
    )


def why_no_periods(protocol: ProtocolDescription) -> str:
    """Why a protocol has no time control such as 40/60."""
    return f"{protocol.title} has no clock for a number of moves; give seconds for the game, as in 60+0.5"


def _limit(values: Mapping[str, str], protocol: ProtocolDescription) -> ThinkingLimit | None:
    """The engine's own limit; None: it has none. Raises SpecificationError."""
    given = [key for key in LIMITS if key in values]
    if not given:
        return None
    if len(given) > 1:
        raise SpecificationError(f"{' and '.join(f'{key}=' for key in given)} do not go together")
    [key] = given
    text = values[key]
    usable = [name for name in LIMITS if ("own_clock" if name == "tc" else name) not in protocol.lacks]
    if key not in usable:
        has = " and ".join(f"{name}=" for name in usable)
        raise SpecificationError(f"{key}={legible(text)}: as an engine's own limit, {protocol.title} has only {has}")
    if key == "tc":
        try:
            base, increment, moves = parse_time_control(text)
        except ValueError as error:
            raise SpecificationError(f"tc={error}") from None
        if moves and "periods" in protocol.lacks:
            raise SpecificationError(f"tc={text}: {why_no_periods(protocol)}")
        return ThinkingLimit(match_ms=base, increment_ms=increment, period_moves=moves)
    most = MAX_NODES if key == "nodes" else MAX_NUMBER
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(most)) or not 1 <= int(text) <= most:
        raise SpecificationError(f"{key} is {legible(text)}, expected a whole number from 1 to {most}")
    if key == "movetime":
        return ThinkingLimit(movetime_ms=int(text))
    return ThinkingLimit(nodes=int(text)) if key == "nodes" else ThinkingLimit(depth=int(text))


def _split(words: str, whole: str) -> list[str]:
    try:
        return split_words(words)
    except ValueError as error:
        raise SpecificationError(f"engine {legible(whole)}: {error}") from None
