"""What the user says about an engine: `name=fairy cmd=fairy-stockfish proto=uci variant=xiangqi option.Hash=64`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

PROTOCOLS = {"xiangqi": ("ucci", "uci"), "gomoku": ("gomocup",), "junqi": ("jlp",)}
"""Of each game, the one of an engine that names none first."""
RANK_STYLES = ("0-9", "1-10")
KEYS = ("name", "cmd", "proto", "variant", "ranks", "dir", "option.NAME")


class SpecificationError(ValueError):
    """An engine specification that cannot be used; the message names the bad word."""


@dataclass(frozen=True, slots=True)
class EngineSpecification:
    """How to start one engine and what to tell it before the first game.

    `variant` is sent as UCI_Variant (UCI only; empty: not sent). `ranks` is the engine's way of counting ranks
    ("0-9" or "1-10"; empty: found out in the handshake). `directory` is its working directory (None: ours).
    `options` are the protocol's options; Gomocup has INFO for them.
    """

    name: str
    command: tuple[str, ...]
    protocol: str = "ucci"
    variant: str = ""
    ranks: str = ""
    directory: str | None = None
    options: tuple[tuple[str, str], ...] = ()


def parse_engine(text: str, game: str = "xiangqi") -> EngineSpecification:
    """Read a specification of `key=value` words; quotes hold blanks together: `cmd="sanqi uci"`.

    `game` is one of PROTOCOLS. Raises SpecificationError.
    """
    values: dict[str, str] = {}
    options: list[tuple[str, str]] = []
    for word in _split(text, text):
        key, equals, value = word.partition("=")
        if not equals:
            raise SpecificationError(f"engine '{text}': expected key=value, got '{word}' (keys: {', '.join(KEYS)})")
        if key.startswith("option.") and len(key) > len("option."):
            options.append((key[len("option.") :], value))
        elif key in KEYS:
            if key in values:
                raise SpecificationError(f"engine '{text}': '{key}' is given twice")
            values[key] = value
        else:
            raise SpecificationError(f"engine '{text}': unknown key '{key}' (keys: {', '.join(KEYS)})")
    command = tuple(_split(values.get("cmd", ""), text))
    if not command:
        raise SpecificationError(f"engine '{text}': no command; add cmd=PROGRAM")
    protocols = PROTOCOLS[game]
    protocol = values.get("proto", protocols[0])
    if protocol not in protocols:
        raise SpecificationError(f"engine '{text}': proto is '{protocol}', expected {' or '.join(protocols)}")
    ranks = values.get("ranks", "")
    if ranks and ranks not in RANK_STYLES:
        raise SpecificationError(f"engine '{text}': ranks is '{ranks}', expected {' or '.join(RANK_STYLES)}")
    if ranks and game != "xiangqi":
        raise SpecificationError(f"engine '{text}': ranks={ranks} is for xiangqi")
    variant = values.get("variant", "")
    if variant and protocol != "uci":
        raise SpecificationError(f"engine '{text}': variant={variant} needs proto=uci")
    return EngineSpecification(
        name=values.get("name") or Path(command[0]).stem,
        command=command,
        protocol=protocol,
        variant=variant,
        ranks=ranks,
        directory=values.get("dir"),
        options=tuple(options),
    )


def _split(words: str, whole: str) -> list[str]:
    # No escape character, unlike shlex.split: Windows paths keep their backslashes, and quotes are enough.
    lexer = shlex.shlex(words, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.escape = ""
    try:
        return list(lexer)
    except ValueError as error:
        raise SpecificationError(f"engine '{whole}': {error}") from None
