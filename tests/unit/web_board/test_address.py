"""The page has the same port and token after a new start, if it can."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from web_board.address import HOST, name_of, open_address


def test_the_address_is_kept(tmp_path: Path) -> None:
    address = open_address(tmp_path, 0)
    assert open_address(tmp_path, 0) == address
    assert open_address(tmp_path, address.port) == address
    if os.name == "posix":
        assert (tmp_path / "address.json").stat().st_mode & 0o777 == 0o600


def test_another_port(tmp_path: Path) -> None:
    """A port that is taken gives way to a free one, with a token of its own; the kept one stays."""
    address = open_address(tmp_path, 0)
    with socket.create_server((HOST, address.port)):
        other = open_address(tmp_path, 0)
    assert other.port != address.port
    assert other.token != address.token
    assert open_address(tmp_path, 0) == address


def test_a_port_that_is_asked_for_keeps_its_token(tmp_path: Path) -> None:
    """Also while another program has it: that may be ours, with pages and links of this token."""
    address = open_address(tmp_path, 0)
    with socket.create_server((HOST, address.port)):
        assert open_address(tmp_path, address.port) == address
    assert open_address(tmp_path, 0) == address


def test_names_are_those_that_browsers_send() -> None:
    assert name_of("2001:DB8:0::1", 8000) == "[2001:db8::1]:8000"
    assert name_of("My-PC", 8000) == "my-pc:8000"


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '[0, "abcdefghijklmnopq"]', '["x", "abcdefghijklmnopq"]', '[80, "short"]']
)
def test_a_damaged_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "address.json").write_text(text, encoding="utf-8")
    assert len(open_address(tmp_path, 0).token) >= 20
