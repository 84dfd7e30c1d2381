"""Bytes are cut into lines, in chunks of any size, and little of an overlong line is in memory."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from search_core.line_splitter import LineSplitter

LONGEST = 8


def split(chunks: list[bytes], longest: int = LONGEST) -> list[tuple[bytes, int]]:
    splitter = LineSplitter(longest)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    last = splitter.end()
    return lines if last is None else [*lines, last]


@given(st.lists(st.lists(st.sampled_from([b"a", b"b", b"\n"])).map(b"".join)))
def test_the_chunks_do_not_matter(chunks: list[bytes]) -> None:
    expected = b"".join(chunks).split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    lines = split(chunks)
    assert [length for _, length in lines] == [len(line) for line in expected]
    assert [line for line, _ in lines] == [line[:LONGEST] for line in expected]


def test_the_beginning_of_an_overlong_line_is_kept() -> None:
    assert split([b"12345678\n", b"123456789\n", b"x" * 100, b"\n1"]) == [
        (b"12345678", 8),
        (b"12345678", 9),
        (b"x" * 8, 100),
        (b"1", 1),
    ]


def test_a_line_without_end_does_not_grow() -> None:
    splitter = LineSplitter(1 << 16)
    chunk = b"x" * (1 << 16)
    tracemalloc.start()
    try:
        for _ in range(2000):
            assert list(splitter.feed(chunk)) == []
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert splitter.end() == (b"x" * 256, 2000 << 16)
