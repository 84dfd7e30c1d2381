"""Read the fields of a JSON object, each by its type. A field that was never asked for is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from search_core.line_protocol import excerpt

_MAX_ELEMENTS = 100_000


class FieldError(ValueError):
    """A field that cannot be used. `field`: its path, as in ``limits.nodes``; '' if it is no field's fault."""

    def __init__(self, text: str, field: str = "") -> None:
        super().__init__(text)
        self.field = field


class JsonFields:
    """The fields of an object. A field that is null counts as missing. All methods that read one raise FieldError.

    Parameters
    ----------
    values : dict
    path : str
        Where the object is, as in ``limits``; '' for the whole.
    """

    def __init__(self, values: dict[str, Any], path: str = "") -> None:
        self._values = values
        self._path = path
        self._read: dict[str, JsonFields | None] = {}

    def path_of(self, name: str) -> str:
        """The whole path of a field."""
        return f"{self._path}.{name}" if self._path else name

    def fault(self, name: str, text: str) -> FieldError:
        """The error of a field, to be raised: `text` says what is wrong with it."""
        path = self.path_of(name)
        return FieldError(f"{path}: {text}", path)

    def has(self, name: str) -> bool:
        """Whether the field is there."""
        self._read.setdefault(name)
        return self._values.get(name) is not None

    def value(self, name: str) -> Any:
        """The field, of whatever type; None if it is missing."""
        self._read.setdefault(name)
        return self._values.get(name)

    def required(self, name: str) -> Any:
        """The field, of whatever type."""
        value = self.value(name)
        if value is None:
            raise FieldError(f"{self.path_of(name)} is missing", self.path_of(name))
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """A string; without a default it must be there."""
        if default is not None and not self.has(name):
            return default
        value = self.required(name)
        if not isinstance(value, str):
            raise self.fault(name, f"expected a string, got {described(value)}")
        return value

    def number(self, name: str, least: int, most: int, default: int | None = None) -> int:
        """A whole number; without a default it must be there."""
        if default is not None and not self.has(name):
            return default
        return self._whole(name, self.required(name), "a whole number", least, most)

    def numbers(self, name: str, least: int, most: int) -> list[int]:
        """A list of whole numbers; an empty one if it is missing."""
        return [self._whole(name, value, "whole numbers", least, most) for value in self.elements(name)]

    def _whole(self, name: str, value: Any, expected: str, least: int, most: int) -> int:
        number = whole(value)
        if number is None or not least <= number <= most:
            raise self.fault(name, f"expected {expected} from {least} to {most}, got {described(value)}")
        return number

    def seconds(self, name: str, least: float, most: float) -> float:
        """A number, which may have a fraction; 0 if it is missing."""
        if not self.has(name):
            return 0.0
        value = self._values[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise self.fault(name, f"expected a number from {least:g} to {most:g}, got {described(value)}")
        return float(value)

    def choice(self, name: str, choices: Sequence[str], default: str | None = None) -> str:
        """One of the choices, in any case; without a default it must be there."""
        text = self.text(name, default)
        for choice in choices:
            if choice.lower() == text.lower():
                return choice
        raise self.fault(name, f"expected one of {', '.join(choices)}, got {described(text)}")

    def elements(self, name: str) -> list[Any]:
        """A list; an empty one if it is missing."""
        value = self.value(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.fault(name, f"expected a list, got {described(value)}")
        if len(value) > _MAX_ELEMENTS:
            raise self.fault(name, f"{len(value)} elements; at most {_MAX_ELEMENTS} are read")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of strings; an empty one if it is missing."""
        for value in self.elements(name):
            if not isinstance(value, str):
                raise self.fault(name, f"expected a list of strings, got {described(value)} in it")
        return self.elements(name)

    def inner(self, name: str) -> JsonFields:
        """The fields of an object in this one; none if it is missing."""
        value = self.value(name)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self.fault(name, f"expected an object, got {described(value)}")
        inner = JsonFields(value, self.path_of(name))
        self._read[name] = inner
        return inner

    def unknown(self) -> Iterator[str]:
        """The paths of the fields that nobody has read."""
        for name in self._values:
            if name not in self._read:
                yield self.path_of(name)
            elif (inner := self._read[name]) is not None:
                yield from inner.unknown()


def whole(value: Any) -> int | None:
    """A whole number, which may be written with a point; None if it is none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def described(value: Any) -> str:
    """A value for a message, in a few characters."""
    if isinstance(value, str):
        return excerpt(value)
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a huge number"
    return "null" if value is None else excerpt(repr(value)).strip("'")
