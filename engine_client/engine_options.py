"""The options that an engine lists in its handshake, and a check of the user's options against them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from search_core.line_protocol import printable

_LINE = {
    "uci": re.compile(r"option name (.+?) type (\S+)(.*)", re.IGNORECASE),
    "ucci": re.compile(r"option (?:name )?(.+?) type (\S+)(.*)", re.IGNORECASE),
}
_LINE["jlp"] = _LINE["uci"]
_ATTRIBUTE = re.compile(r"\s(default|min|max|var)(?=\s|$)")
_NUMBER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_MAX_CHOICES = 12
"""Choices listed in a message."""
_SAME = (("hash", "hashsize"), ("overhead", "moveoverhead"))
"""Pairs of names for the same option, in UCI and in UCCI."""
INSIST = "--allow-unknown-options"


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """One option as the engine lists it: its range if it is a spin, its choices if it is a combo, its default."""

    name: str
    kind: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()
    default: str = ""

    def value(self, text: str) -> str:
        """The value as the engine spells it. Raises ValueError if the option does not take it."""
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise ValueError("expected true or false")
            return text.lower()
        if self.kind == "button":
            if text:
                raise ValueError("a button takes no value")
        elif self.kind == "spin":
            low = "" if self.minimum is None else f" from {self.minimum}"
            high = "" if self.maximum is None else f" to {self.maximum}"
            number = int(text) if _NUMBER.fullmatch(text) else math.nan
            least = -math.inf if self.minimum is None else self.minimum
            if not least <= number <= (math.inf if self.maximum is None else self.maximum):
                raise ValueError(f"expected a number{low}{high}")
        elif self.kind == "combo" and self.choices:
            for choice in self.choices:
                if choice.lower() == text.lower():
                    return choice
            listed = ", ".join(self.choices[:_MAX_CHOICES]) + (", ..." if len(self.choices) > _MAX_CHOICES else "")
            raise ValueError(f"expected one of {listed}")
        return text


class Matched(NamedTuple):
    """Options as they will be sent, and messages about those that the engine does not accept."""

    options: list[tuple[str, str]]
    faults: list[str]


class OptionList:
    """The options of one engine."""

    def __init__(self, protocol: str) -> None:
        self._pattern = _LINE[protocol]
        self._by_key: dict[str, OfferedOption] = {}

    def read(self, line: str) -> OfferedOption | None:
        """Read a line of the handshake; returns its option, None if it lists none."""
        match = self._pattern.match(line)
        if match is None:
            return None
        name, kind, rest = match[1].strip(), match[2].lower(), match[3]
        words = _ATTRIBUTE.split(rest, maxsplit=1 if kind == "string" else 0)  # a path may hold any word
        attributes = [(key, value.strip()) for key, value in zip(words[1::2], words[2::2])]
        numbers = {key: int(value) for key, value in attributes if _NUMBER.fullmatch(value)}
        spin = kind == "spin"
        option = self._by_key[_key(name)] = OfferedOption(
            name,
            kind,
            numbers.get("min") if spin else None,
            numbers.get("max") if spin else None,
            tuple(value for key, value in attributes if key == "var"),
            next((value for key, value in attributes if key == "default"), ""),
        )
        return option

    def find(self, name: str) -> OfferedOption | None:
        """An option by its name, or by its name in the other protocol. Case, blanks, `_` and `-` are ignored."""
        key = _key(name)
        found = self._by_key.get(key)
        if found is None:
            others = (other for same in _SAME if key in same for other in same)
            found = next((self._by_key[other] for other in others if other in self._by_key), None)
        return found

    def match(self, wanted: Sequence[tuple[str, str]]) -> Matched:
        """The options in the engine's spelling. Those that it does not accept stay as the user wrote them."""
        matched = Matched([], [])
        for name, text in wanted:
            option = self.find(name)
            if option is None:
                matched.options.append((name, text))
                matched.faults.append(f"no option '{printable(name)}'{self._hint(name)}")
                continue
            try:
                matched.options.append((option.name, option.value(text)))
            except ValueError as error:
                matched.options.append((option.name, text))
                matched.faults.append(printable(f"option '{option.name}' is '{text}', {error}"))
        return matched

    def _hint(self, name: str) -> str:
        if not self._by_key:
            return " (it lists none)"
        close = get_close_matches(_key(name), self._by_key, 1)
        return f" (did you mean '{printable(self._by_key[close[0]].name)}'?)" if close else ""


def _key(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()
