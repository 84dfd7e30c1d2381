"""`sanqi board` as strangers and broken pages use it: it refuses them, and goes on."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.board_client import BoardProcess
from tests.protocol.conftest import EXAMPLES

websockets_exceptions = pytest.importorskip("websockets.exceptions", reason="needs websockets")


# Who may come in


def test_page_has_a_strict_policy(board: BoardProcess) -> None:
    status, headers, body = board.ask("/")
    assert status == 200 and b"<html" in body.lower()
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert board.token.encode() not in body


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_only_get(board: BoardProcess, method: str) -> None:
    assert board.ask("/", method)[0] in (400, 405)  # 400: from websockets itself, before version 15


@pytest.mark.parametrize(
    "path", ["/../server.py", "/%2e%2e/server.py", "/data/app.js", "/server.py", "//etc/passwd", "/?", "/app.js/"]
)
def test_only_the_files_of_the_page(board: BoardProcess, path: str) -> None:
    assert board.ask(path)[0] == 404


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1", "localhost:1", "127.0.0.1.example.org"])
def test_another_host_is_refused(board: BoardProcess, host: str) -> None:
    assert board.ask("/", host=host)[0] == 421


@pytest.mark.parametrize(
    ("token", "origin"),
    [
        ("", ""),
        ("0" * 22, ""),
        (None, None),
        (None, "http://example.org"),
        (None, "null"),
        (None, "https://localhost"),
    ],
)
def test_no_socket_without_token_and_origin(board: BoardProcess, token: str | None, origin: str | None) -> None:
    with pytest.raises(websockets_exceptions.InvalidStatus) as refusal:
        board.page(token, origin)
    assert refusal.value.response.status_code == 403


def test_part_of_the_token_is_refused(board: BoardProcess) -> None:
    assert len(base64.urlsafe_b64decode(board.token + "==")) >= 16
    with pytest.raises(websockets_exceptions.InvalidStatus):
        board.page(board.token[:-1])


def test_a_large_frame_ends_its_connection_alone(board: BoardProcess) -> None:
    with board.page() as other:
        other.join()
        with board.page() as page:
            with pytest.raises(websockets_exceptions.ConnectionClosed) as end:
                page.socket.send("x" * (10 << 20))
                page.get()
            assert end.value.rcvd is not None and end.value.rcvd.code == 1009
        assert other.join()["role"] == "owner"


# What is no message

_TWO = ({"player": "person"}, {"player": "person"})
NEW: tuple[tuple[object, object, object], ...] = (
    ({}, {}, []),
    ("chess", {}, _TWO),
    ("xiangqi", {}, []),
    ("xiangqi", {}, [1, None]),
    ("xiangqi", {}, [{"player": []}, {"player": "person"}]),
    ("xiangqi", {}, [{"player": "/bin/sh"}, {"player": "person"}]),
    ("xiangqi", {}, [{"player": "sanqi", "level": "99"}, {"player": "person"}]),
    ("xiangqi", {"fen": "no fen"}, _TWO),
    ("xiangqi", {"fen": "\ud800\0"}, _TWO),
    ("xiangqi", {"save": "/tmp/x"}, _TWO),
    ("xiangqi", {"resume": "/etc/passwd"}, _TWO),
    ("gomoku", {"size": "-1"}, _TWO),
    ("gomoku", {"size": []}, _TWO),
    ("junqi", {"variant": "duel", "lineup": "/etc/passwd"}, [{"player": "person"}, {"player": "sanqi"}]),
    ("junqi", {"variant": "duel"}, _TWO),
)
"""Games that cannot be: name, options, seats."""
PLACES: tuple[tuple[str, str, object], ...] = (
    *(
        (kind, field, at)
        for kind, field in (("analyse", "at"), ("look", "at"), ("add", "after"))
        for at in (1, -1, "t1")
    ),
    ("look", "at", True),
    ("look", "at", []),
    ("comment", "at", 0),
    ("remove", "at", 0),
    ("remove", "at", "t1"),
)
"""Positions that a new game does not have."""
BROKEN = (
    "",
    "x",
    "[]",
    "null",
    "1" * 10_000,
    "[" * 50_000,
    "{}",
    '{"type": 1}',
    '{"type": "look", "at": "\\ud800"}',  # half of a surrogate pair
    '{"type": ["new"]}',
    '{"type": "fly"}',
    '{"type": "\\ud800"}',
    b"\xff\x00",
    '{"type": "new"}',
    '{"type": "load"}',
    '{"type": "load", "name": 1, "data": ""}',
    '{"type": "load", "name": "a.pgn", "data": "?"}',
    '{"type": "load", "name": "a.doc", "data": ""}',
    '{"type": "load", "name": "..\\u0000/\\ud800.pgn", "data": ""}',
    '{"type": "load", "name": "a.xqf", "data": "AAAA"}',
    '{"type": "load", "name": "a.jgr", "data": "AAAA"}',
    '{"type": "load", "name": "a.psq", "data": "AAAA"}',
    '{"type": "load", "name": "a.sgf", "data": "KDs="}',
    '{"type": "save", "format": "../x"}',
    '{"type": "save", "format": []}',
    '{"type": "level", "level": "99"}',
    '{"type": "level", "level": 1}',
    '{"type": "move", "ply": 0, "text": 1}',
    *(json.dumps({"type": "analyse", "at": 0, "lines": lines}) for lines in (500, 6, -1, True, 2.0, "4", None)),
    *(json.dumps({"type": kind, field: at, "lines": 1, "text": "h2e2"}) for kind, field, at in PLACES),
    '{"type": "add", "after": 0, "text": 1}',
    '{"type": "practise", "table": {}}',
    '{"type": "exercise", "table": [], "ply": 1}',
    '{"type": "solution", "table": "0", "ply": true}',
    '{"type": "try", "table": null, "ply": -1, "text": "h2e2"}',
    *(json.dumps({"type": "new", "game": game, "options": options, "seats": seats}) for game, options, seats in NEW),
)


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_message_is_answered_by_an_error(board: BoardProcess, text: str | bytes) -> None:
    with board.page() as page:
        page.new("xiangqi", "pp")
        page.socket.send(text)
        answer = page.get()
        assert answer["type"] == "error", answer
        assert answer["reason"] and "\n" not in answer["reason"]
        page.join()
        assert page.wait("state")["moves"] == []


TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(("h2e2", "pass", "xiangqi", "gomoku", "junqi", "pgn", "1", "full", "a.pgn", "\ud800", "AAAA")),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 3), st.floats(), TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
KINDS = st.sampled_from(
    (
        *("join", "new", "move", "undo", "hint", "resign", "draw", "pass", "level", "load", "save", "fly"),
        *("analyse", "look", "add", "comment", "remove"),
        *("review", "stop-review", "practise", "exercise", "solution", "try"),
    )
)
MESSAGES = st.builds(
    lambda kind, fields: {**fields, "type": kind},
    KINDS,
    st.dictionaries(
        st.sampled_from(
            (
                "ply",
                "text",
                "game",
                "options",
                "seats",
                "level",
                "name",
                "data",
                "format",
                "at",
                "after",
                "lines",
                "table",
            )
        ),
        VALUES,
    ),
)


@pytest.mark.fuzz
def test_random_messages_are_answered(board: BoardProcess) -> None:
    with board.page() as page:
        page.new("xiangqi", "pp")

        @settings(max_examples=EXAMPLES * 5, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
        @given(MESSAGES)
        def talk(message: dict[str, object]) -> None:
            page.socket.send(json.dumps(message))
            page.send("join")
            page.wait("hello")

        talk()
