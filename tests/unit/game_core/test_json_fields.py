"""Fields of JSON objects, read by their types."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from game_core.json_fields import FieldError, JsonFields


def test_what_was_read_is_known_and_the_rest_is_not() -> None:
    fields = JsonFields({"a": 1, "b": "x", "c": {"d": None, "e": [], "f": 1}, "g": {"h": 1}, "i": None})
    assert fields.number("a", 0, 2) == 1
    assert fields.text("b") == "x"
    inner = fields.inner("c")
    assert not inner.has("d") and inner.texts("e") == []
    assert list(fields.unknown()) == ["c.f", "g", "i"]


def test_null_is_as_good_as_missing() -> None:
    fields = JsonFields({"a": None})
    assert fields.number("a", 1, 5, 3) == 3
    assert fields.text("a", "usual") == "usual"
    assert fields.texts("a") == [] and fields.seconds("a", 1, 2) == 0
    with pytest.raises(FieldError, match="a is missing"):
        fields.text("a")


def test_a_number_may_be_written_with_a_point() -> None:
    assert JsonFields({"a": 7.0}).number("a", 1, 9) == 7
    assert JsonFields({"a": [7.0, 1]}).numbers("a", 1, 9) == [7, 1]


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (lambda fields: fields.text("a"), 1, "a: expected a string, got 1"),
        (lambda fields: fields.text("a"), ["x"], "a: expected a string, got a list"),
        (lambda fields: fields.number("a", 1, 9), 10, "a: expected a whole number from 1 to 9, got 10"),
        (lambda fields: fields.number("a", 1, 9), True, "a: expected a whole number from 1 to 9, got true"),
        (lambda fields: fields.number("a", 1, 9), 1.5, "a: expected a whole number from 1 to 9, got 1.5"),
        (lambda fields: fields.number("a", 1, 9), "5", "a: expected a whole number from 1 to 9, got '5'"),
        (lambda fields: fields.number("a", 1, 9), 10**40, "got a huge number"),
        (lambda fields: fields.numbers("a", 1, 9), [1, True], "a: expected whole numbers from 1 to 9, got true"),
        (lambda fields: fields.seconds("a", 0.1, 9), 0, "a: expected a number from 0.1 to 9, got 0"),
        (lambda fields: fields.seconds("a", 0.1, 9), False, "a: expected a number from 0.1 to 9, got false"),
        (lambda fields: fields.choice("a", ("x", "y")), "z", "a: expected one of x, y, got 'z'"),
        (lambda fields: fields.texts("a"), "x", "a: expected a list, got 'x'"),
        (lambda fields: fields.texts("a"), ["x", {}], "a: expected a list of strings, got an object in it"),
        (lambda fields: fields.inner("a"), "x", "a: expected an object, got 'x'"),
        (lambda fields: fields.inner("a").text("b"), {"b": 2}, "a.b: expected a string, got 2"),
    ],
)
def test_a_wrong_value_is_named(read: Callable[[JsonFields], object], value: object, message: str) -> None:
    with pytest.raises(FieldError) as raised:
        read(JsonFields({"a": value}))
    assert message in str(raised.value)
    assert raised.value.field == message.partition(":")[0] or "huge" in message
