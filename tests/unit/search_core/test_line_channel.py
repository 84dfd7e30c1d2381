"""The channel to a host notices that the host has gone, by the first sign of it."""

from __future__ import annotations

import os

import pytest

from search_core.line_protocol import LineChannel


def test_a_host_that_reads_no_more_has_gone() -> None:
    (to_us, from_host), (to_host, from_us) = os.pipe(), os.pipe()
    with open(to_us, "rb", buffering=0) as source, open(from_us, "wb", buffering=0) as sink:
        channel = LineChannel(source, sink)
        channel.send("hello")
        assert not channel.ended
        os.close(to_host)
        with pytest.raises(OSError):
            channel.send("hello?")
        assert channel.ended
        os.close(from_host)


def test_a_host_whose_input_ends_has_gone() -> None:
    (to_us, from_host), (to_host, from_us) = os.pipe(), os.pipe()
    with open(to_us, "rb", buffering=0) as source, open(from_us, "wb", buffering=0) as sink:
        channel = LineChannel(source, sink)
        os.write(from_host, b"hello\n")
        os.close(from_host)
        assert channel.receive() == "hello"
        assert channel.receive() is None
        assert channel.ended
        os.close(to_host)
