"""A table of options: their names, their values and what they set. Each protocol words it in its own way.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

import os
from functools import partial

from search_core.fields import Fields
from search_core.line_protocol import excerpt
from search_core.whole_number import whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

CHECK = "check"
SPIN = "spin"
COMBO = "combo"
STRING = "string"
BUTTON = "button"

_TRUE = ("true", "on", "1", "yes")
_FALSE = ("false", "off", "0", "no")


TUNE_VARIABLE = "SANQI_TUNE"
"""If this environment variable is 1, the search's parameters are options."""

DEFAULT_HASH_MB = 64
MAX_HASH_MB = 1 << 18
"""TranspositionTable.bucket() finds its way in no larger table."""
MAX_THREADS = 1024
MAX_PERFT_DEPTH = 20
"""Plies; far more than anybody can wait for."""


class OptionError(ValueError):
    """A value was refused, and nothing has changed. The message is one line for the user."""


class Option(Fields):
    """One option."""

    name: str
    """As it is listed; compared without regard to case."""
    apply: Callable[[Any], None]
    """Called with the value (None for a BUTTON). May raise OptionError."""
    default: bool | int | str | None = ""
    """The value before the option is set; `apply` is not called with it. Its type makes the `kind`: a CHECK has a bool,
    a SPIN an int, a STRING a str, and so has a COMBO, which has `choices`; a BUTTON has no value, None."""
    minimum: int = 0
    """Of a SPIN. Values outside are clamped and reported."""
    maximum: int = 0
    choices: tuple[str, ...] = ()
    spellings: dict[str, str] | None = None
    """Of a COMBO: other spellings of a choice that hosts use, in lower case, each with its choice."""
    aliases: tuple[str, ...] = ()
    """Other names for it."""
    listed: bool = True
    """False for options that hosts send unasked and that change nothing here."""

    def set(self, text: str) -> str | None:
        """Set the option to what `text` says. Returns a remark for the user, or None.

        Raises OptionError, and changes nothing, if the option cannot have this value.
        """
        value, remark = self._value(text)
        self.apply(value)
        return remark

    @property
    def kind(self) -> str:
        """One of the words above."""
        if self.choices:
            return COMBO
        return {bool: CHECK, int: SPIN, str: STRING}.get(type(self.default), BUTTON)

    def listing(self) -> tuple[str, str]:
        """How protocols list its default, and its range or its choices, with a blank before each word."""
        default = "" if self.kind == BUTTON else f" default {self._default_text()}"
        limits = f" min {self.minimum} max {self.maximum}" if self.kind == SPIN else ""
        return default, limits + "".join(f" var {choice}" for choice in self.choices)

    def _default_text(self) -> str:
        if self.kind == CHECK:
            return "true" if self.default else "false"
        # Some GUIs stop reading after a line that ends in `default`.
        return "<empty>" if self.default == "" else str(self.default)

    def _value(self, text: str) -> tuple[Any, str | None]:
        if self.kind == CHECK:
            word = text.lower()
            if word not in _TRUE and word not in _FALSE:
                raise self._refusal("true or false", text)
            return word in _TRUE, None
        if self.kind == SPIN:
            try:
                number = whole_number(text)
            except ValueError:
                raise self._refusal(f"a number from {self.minimum} to {self.maximum}", text) from None
            if number < self.minimum:
                return self.minimum, f"{self.name}: {excerpt(text)} is below {self.minimum}, using {self.minimum}"
            if number > self.maximum:
                return self.maximum, f"{self.name}: {excerpt(text)} is above {self.maximum}, using {self.maximum}"
            return number, None
        if self.kind == COMBO:
            word = (self.spellings or {}).get(text.lower(), text).lower()
            for choice in self.choices:
                if choice.lower() == word:
                    return choice, None
            raise self._refusal("one of " + ", ".join(self.choices), text)
        if self.kind == STRING:
            return "" if text == "<empty>" else text, None
        return None, None

    def _refusal(self, expected: str, text: str) -> OptionError:
        return OptionError(f"{self.name}: expected {expected}, got {excerpt(text)}; nothing changed")


class OptionTable:
    """The options of an adapter, found by name or alias.

    Parameters
    ----------
    options : list of Option
    unknown : str
        The message for an unknown option, with ``{}`` for its name; "": no message.
    """

    def __init__(self, options: list[Option], unknown: str = "") -> None:
        self._options = options
        self._unknown = unknown
        self._by_name = {name.lower(): option for option in options for name in (option.name, *option.aliases)}
        self._most_words = max((len(name.split()) for name in self._by_name), default=0)

    def listed(self) -> Iterator[Option]:
        """The options that are listed to a host, in order."""
        return (option for option in self._options if option.listed)

    def set(self, text: str) -> str | None:
        """Set an option by ``NAME VALUE``, ``name NAME value VALUE`` or ``NAME``; hosts of every protocol mix them.

        The value is the rest of the line, including blanks. Returns a line for the user, or None.
        """
        option, name, value = self._find(text)
        if option is None:
            return self._unknown.format(excerpt(name)) or None
        try:
            return option.set(value)
        except OptionError as error:
            return str(error)

    def _find(self, text: str) -> tuple[Option | None, str, str]:
        """The option that a text names, None for an unknown one; its name in the text; and the value."""
        words = text.split()
        if words and words[0].lower() == "name":
            text = text.split(None, 1)[1] if len(words) > 1 else ""
            del words[0]
            for index, word in enumerate(words):
                if word.lower() == "value":
                    name = " ".join(words[:index])
                    return self._by_name.get(name.lower()), name, self._after(text, index + 1)
        for count in range(min(len(words), self._most_words), 0, -1):
            name = " ".join(words[:count])
            if name.lower() in self._by_name:
                return self._by_name[name.lower()], name, self._after(text, count)
        return None, " ".join(words), ""

    @staticmethod
    def _after(text: str, words: int) -> str:
        pieces = text.split(None, words)
        return pieces[words].strip() if len(pieces) > words else ""


def setter(target: object, name: str) -> Callable[[Any], None]:
    """What an option applies that only sets an attribute of `target`."""
    return partial(setattr, target, name)


def tuning_options(parameters: dict[str, int]) -> list[Option]:
    """The search's parameters as options, which set `parameters` by their names; none without SANQI_TUNE=1.

    They are for tuning by games, not for players: the names and ranges change with the search.
    """
    if os.environ.get(TUNE_VARIABLE) != "1":
        return []
    from search_core.parameters import PARAMETERS

    return [
        Option(name, partial(parameters.__setitem__, name), default, minimum=minimum, maximum=maximum)
        for name, default, minimum, maximum in PARAMETERS
    ]
