"""Objects as JSON and back: checked by the types of their fields, with names in `camelCase`.

Their classes are NamedTuples or dataclasses. Fields are of the types that JSON has, of other such classes, or optional.
A class may name fields in two attributes: `optional` are left out if they are None, in place of null; of the objects in
`inlined`, the fields stand beside the others.
"""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

from search_core.failures import becoming

T = TypeVar("T")
_MOST = 10**18


class WrongPart(ValueError):
    """What was read is not of the wanted type."""


def write_part(value: Any) -> Any:
    """A value for JSON."""
    kind: Any = type(value)
    if _is_part(kind):
        written: dict[str, Any] = {}
        for name in _fields(kind):
            each = getattr(value, name)
            if name in getattr(value, "inlined", ()):
                written |= {} if each is None else write_part(each)
            elif each is not None or name not in getattr(value, "optional", ()):
                written[_key(name)] = write_part(each)
        return written
    if isinstance(value, Mapping):
        return {key: write_part(each) for key, each in value.items()}
    return [write_part(each) for each in value] if isinstance(value, list | tuple) else value


def read_part(kind: type[T], value: object) -> T:
    """An object that write_part() has written. Unknown fields are ignored; one that has a default may be missing.

    Raises WrongPart.
    """
    found: T = _read(kind, value)
    return found


def _read(kind: Any, value: Any) -> Any:
    if kind is Any:
        return value
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, types.UnionType):
        return None if value is None else _read(inner[0], value)
    if isinstance(value, dict) and _is_part(kind):
        fields = _fields(kind)
        known = {name: _read(of, value[_key(name)]) for name, of in fields.items() if _key(name) in value}
        for name in getattr(kind, "inlined", ()):
            inner_kind = (*get_args(fields[name]), fields[name])[0]
            if any(_key(each) in value for each in _fields(inner_kind)):
                known[name] = _read(inner_kind, value)
        with becoming(TypeError, WrongPart):
            return kind(**known)
    if isinstance(value, dict) and origin is Mapping:
        return {_read_key(inner[0], key): _read(inner[1], each) for key, each in value.items()}
    if isinstance(value, list) and origin is Sequence:
        return [_read(inner[0], each) for each in value]
    is_number = type(value) in (int, float) and -_MOST < value < _MOST
    if kind is float and is_number:
        return float(value)
    if type(value) is not kind or (kind in (int, float) and not is_number):
        raise WrongPart(f"expected {getattr(kind, '__name__', kind)}, got {type(value).__name__}")
    return value


def _read_key(kind: Any, key: str) -> Any:
    if kind is int and not re.fullmatch(r"[0-9]{1,9}", key):
        raise WrongPart("expected a number as the key")
    return kind(key)


@functools.cache
def _is_part(kind: Any) -> bool:
    return hasattr(kind, "_fields") or hasattr(kind, "__dataclass_fields__")


@functools.cache
def _fields(kind: Any) -> dict[str, Any]:
    return {name: of for name, of in get_type_hints(kind).items() if ClassVar not in (of, get_origin(of))}


@functools.cache
def _key(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)
