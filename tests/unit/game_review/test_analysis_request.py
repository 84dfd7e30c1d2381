"""Lines of `sanqi analyse`: what a request says, and what is wrong with one that cannot be used."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game_core.games import GamesWith
from game_core.json_fields import FieldError
from game_review.analysis_request import ACTIONS, Action, BadRequest, Query, read_request
from junqi_protocol.records.records import record_text
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import DUEL
from junqi_protocol.rules.messages import Terms
from sanqi.registry import GAMES
from search_core.line_protocol import decode_line

ANALYSED = GamesWith(GAMES, "analysis")
LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21".replace("/", "")
RECORD = record_text(Arbiter(Terms(DUEL), [LINEUP] * 2))
REQUESTS: tuple[dict[str, Any], ...] = (
    {"id": "1", "game": "xiangqi", "position": {}},
    {
        "id": "2",
        "game": "xiangqi",
        "position": {"fen": "4k4/9/9/9/9/9/9/9/R8/3K5 w", "moves": ["a1a5", "e9e8"], "rule": "Asian"},
        "analyzeTurns": [0, 2],
        "limits": {"nodes": 100, "movetimeMs": 50, "depth": 3},
        "multipv": 2,
        "allowMoves": ["帅六进一"],
        "notation": ["wxf", "iccs"],
        "reportDuringSearchEvery": 0.5,
        "priority": -3,
    },
    {"id": "3", "game": "gomoku", "position": {"size": [15, 12], "rule": "renju", "moves": ["h8", "7,7"]}},
    {
        "id": "4",
        "game": "gomoku",
        "position": {"size": "15", "rule": 1, "black": ["h8"], "white": ["a1"], "blocked": ["b1"], "toMove": "white"},
        "avoidMoves": ["c3"],
    },
    {"id": "5", "game": "junqi", "position": {"record": RECORD, "seat": 0}},
    {"id": "6", "action": "terminate", "terminateId": "1"},
    {"id": "7", "action": "terminate_all"},
    {"id": "8", "action": "clear_cache"},
    {"id": "9", "action": "query_version"},
)


def read(request: object) -> Query:
    """A request that is a query, all fields of which are known."""
    query, unknown = read_request(json.dumps(request), ANALYSED)
    assert isinstance(query, Query) and unknown == []
    return query


def refusal(request: object) -> tuple[str, str]:
    """What is wrong with a request, and the field."""
    with pytest.raises(BadRequest) as raised:
        read_request(request if isinstance(request, str) else json.dumps(request), ANALYSED)
    return str(raised.value), raised.value.field


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request["id"])
def test_all_fields_are_known(request_: dict[str, Any]) -> None:
    found, unknown = read_request(json.dumps(request_), ANALYSED)
    assert found.id == request_["id"]
    assert unknown == []
    assert isinstance(found, Action) == ("action" in request_)


def test_defaults() -> None:
    query = read({"id": "a", "game": "xiangqi", "position": {"moves": ["h2e2"]}})
    assert query.turns == (1,)
    assert (query.limits.nodes, query.limits.hard_ms, query.limits.depth, query.limits.multipv) == (100_000, 0, 0, 1)
    assert (query.notations, query.report_every_s, query.priority) == (("chinese",), 0, 0)


def test_a_limit_replaces_the_default_of_the_nodes() -> None:
    for limits, expected in (({"depth": 5}, (0, 0, 5)), ({"movetimeMs": 70}, (0, 70, 0)), ({}, (100_000, 0, 0))):
        found = read({"id": "a", "game": "xiangqi", "position": {}, "limits": limits}).limits
        assert (found.nodes, found.hard_ms, found.depth) == expected
        assert found.soft_ms == found.hard_ms


@pytest.mark.parametrize(
    ("moves", "field", "message"),
    [
        ({"allowMoves": ["h2e2", "a0a9"]}, "allowMoves", "allowMoves: 'a0a9' is not legal here"),
        ({"allowMoves": ["h2e2"], "avoidMoves": ["炮二平五"]}, "avoidMoves", "avoidMoves: no legal move is left"),
    ],
)
def test_moves_that_a_turn_does_not_have(moves: dict[str, Any], field: str, message: str) -> None:
    query = read({"id": "a", "game": "xiangqi", "position": {}, **moves})
    with pytest.raises(FieldError, match=message) as raised:
        query.task(0)
    assert raised.value.field == field


def test_a_turn_is_analysed_once() -> None:
    query = read({"id": "a", "game": "gomoku", "position": {"moves": ["h8", "h9"]}, "analyzeTurns": [2, 0.0, 2]})
    assert query.turns == (2, 0)


def test_moves_may_be_in_any_notation() -> None:
    query = read({"id": "a", "game": "xiangqi", "position": {"moves": ["炮二平五", "h9g7", "H2+3"]}})
    assert [query.subject.played(turn) for turn in range(4)] == ["h2e2", "h9g7", "h0g2", None]
    query = read({"id": "a", "game": "gomoku", "position": {"moves": ["h8", "0,0"]}})
    assert [query.subject.played(turn) for turn in range(2)] == ["7,7", "0,0"]


def test_unknown_fields_are_named_with_their_paths() -> None:
    request = {"id": "a", "game": "xiangqi", "position": {"komi": 1}, "limits": {"visits": 3}, "maxVisits": 1}
    _, unknown = read_request(json.dumps(request), ANALYSED)
    assert unknown == ["position.komi", "limits.visits", "maxVisits"]


def test_who_moves_after_a_set_up() -> None:
    for placed, to_move in (
        ({"black": ["h8"], "white": ["a1"]}, "black"),
        ({"black": ["h8", "h9"], "white": ["a1"]}, "white"),
        ({"white": ["a1"]}, "black"),
        ({"black": ["h8"], "toMove": "black"}, "black"),
        ({"blocked": ["h8"]}, "black"),
    ):
        query = read({"id": "a", "game": "gomoku", "position": placed})
        assert query.subject.at(0).to_move == to_move


def test_moves_may_follow_a_set_up() -> None:
    position = {"black": ["h8"], "white": ["a1"], "blocked": ["b1"], "moves": ["h9", "h10"]}
    subject = read({"id": "a", "game": "gomoku", "position": position}).subject
    assert [subject.at(turn).to_move for turn in range(3)] == ["black", "white", "black"]
    assert "b1" not in subject.at(2).names(subject.at(2).legal_moves(), "letters")


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"id": None}, "id", "id is missing"),
        ({"id": 7}, "id", "id: expected a string, got 7"),
        ({"game": None}, "game", "game is missing"),
        ({"game": "chess"}, "game", "expected one of xiangqi, gomoku, junqi, got 'chess'"),
        ({"position": None}, "position", "position is missing"),
        ({"position": []}, "position", "position: expected an object, got a list"),
        ({"position": {"fen": "9/9"}}, "position.fen", ""),
        ({"position": {"fen": 5}}, "position.fen", "expected a string, got 5"),
        ({"position": {"moves": "h2e2"}}, "position.moves", "expected a list, got 'h2e2'"),
        ({"position": {"moves": ["h2e2", "h2e2"]}}, "position.moves", "move 2: 'h2e2' is not legal here"),
        ({"position": {"moves": ["up"]}}, "position.moves", "move 1: 'up' is not a move"),
        ({"position": {"rule": "house"}}, "position.rule", "expected one of Computer, Asian, Chinese, Draw"),
        ({"analyzeTurns": [1]}, "analyzeTurns", "expected whole numbers from 0 to 0, got 1"),
        ({"analyzeTurns": []}, "analyzeTurns", "names no turn"),
        ({"analyzeTurns": 0}, "analyzeTurns", "expected a list"),
        ({"analyzeTurns": [True]}, "analyzeTurns", "got true"),
        ({"limits": {"nodes": 0}}, "limits.nodes", "from 1 to"),
        ({"limits": {"depth": 128}}, "limits.depth", "from 1 to 127, got 128"),
        ({"limits": {"movetimeMs": "1"}}, "limits.movetimeMs", "got '1'"),
        ({"multipv": 0}, "multipv", "from 1 to 500, got 0"),
        ({"allowMoves": "h2e2"}, "allowMoves", "expected a list"),
        ({"avoidMoves": [1]}, "avoidMoves", "expected a list of strings, got 1 in it"),
        ({"notation": "latin"}, "notation", "expected one of chinese, iccs, traditional, wxf, algebraic, got 'latin'"),
        ({"notation": {}}, "notation", "expected a list, got an object"),
        ({"reportDuringSearchEvery": -1}, "reportDuringSearchEvery", "got -1"),
        ({"priority": 1.5}, "priority", "expected a whole number"),
        ({"action": "explode"}, "action", "expected one of terminate, terminate_all, clear_cache, query_version"),
        ({"action": "terminate"}, "terminateId", "terminateId is missing"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], field: str, message: str) -> None:
    text, where = refusal({"id": "a", "game": "xiangqi", "position": {}, **change})
    assert where == field
    assert message in text and "\n" not in text


@pytest.mark.parametrize(
    ("position", "field", "message"),
    [
        ({"size": 4}, "position.size", "expected a number from 5 to 22"),
        ({"size": 15.5}, "position.size", "got 15.5"),
        ({"size": [15]}, "position.size", "got a list"),
        ({"size": "15x12x3"}, "position.size", "got '15x12x3'"),
        ({"rule": 2}, "position.rule", "expected one of freestyle, standard, renju, caro, caro-exact, got 2"),
        ({"moves": ["h8", "h8"]}, "position.moves", "move 2: 'h8' is not empty"),
        ({"moves": ["z9"]}, "position.moves", "move 1:"),
        ({"black": ["h8"], "white": ["h8"]}, "position.white", "7,7 is named twice"),
        ({"blocked": ["3,3", "d12"]}, "position.blocked", "3,3 is named twice"),
        ({"black": ["p1"]}, "position.black", "is not on the board"),
        ({"toMove": "white"}, "position.toMove", "goes with black, white or blocked"),
        ({"black": ["h8"], "toMove": "red"}, "position.toMove", "expected one of black, white, got 'red'"),
    ],
)
def test_a_wrong_position_of_gomoku(position: dict[str, Any], field: str, message: str) -> None:
    text, where = refusal({"id": "a", "game": "gomoku", "position": position})
    assert where == field and message in text


@pytest.mark.parametrize(
    ("position", "field", "message"),
    [
        ({}, "position.record", "is missing"),
        ({"record": "rubbish"}, "position.record", "line 1"),
        ({"record": RECORD, "seat": 2}, "position.seat", "from 0 to 1, got 2"),
        ({"record": RECORD, "see": "all"}, "position.see", "expected one of own, team"),
        ({"record": RECORD + "moved 1 0 a1a2 MOVE\n"}, "position.record", "line 6"),
    ],
)
def test_a_wrong_position_of_junqi(position: dict[str, Any], field: str, message: str) -> None:
    text, where = refusal({"id": "a", "game": "junqi", "position": position})
    assert where == field and message in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "no JSON: Expecting value"),
        ("{", "no JSON"),
        ("[1]", "expected a JSON object, got a list"),
        ('{"id": "a"} x', "no JSON: Extra data"),
        ('{"id": NaN}', "NaN is no number of JSON"),
        ("[" * 100_000, "the JSON is nested too deeply"),
        ('{"id": "a", "priority": ' + "9" * 5000, f"the number '{'9' * 40}...' is too large"),
        ('{"id": "a", "action": "clear_cache", "more": -1e999}', "the number '-1e999' is too large"),
    ],
)
def test_a_line_that_is_no_request(line: str, message: str) -> None:
    text, field = refusal(line)
    assert message in text and field == ""


def test_the_id_of_a_bad_request_is_known() -> None:
    with pytest.raises(BadRequest) as raised:
        read_request('{"id": "mine", "game": "chess"}', ANALYSED)
    assert raised.value.id == "mine"


# Whatever comes, it is a request or it is refused.

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["h2e2", "h8", "black"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(sorted({name for request in REQUESTS for name in request} | {"foo"}))
INNER = st.sampled_from(
    ["fen", "moves", "rule", "size", "black", "white", "blocked", "toMove", "record", "seat", "see", "nodes", "depth"]
)


def obeyed_or_refused(line: str) -> None:
    try:
        request, unknown = read_request(line, ANALYSED)
    except BadRequest as error:
        assert str(error) and "\n" not in str(error) and len(str(error)) < 500
        json.dumps([error.id, error.field])
    else:
        assert isinstance(request.id, str)
        assert isinstance(request, Query) or request.name in ACTIONS
        json.dumps(unknown)


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    obeyed_or_refused(decode_line(data.replace(b"\n", b"")))


@given(st.sampled_from(REQUESTS), NAMES, VALUES)
def test_any_value_in_any_field(request_: dict[str, Any], name: str, value: object) -> None:
    obeyed_or_refused(json.dumps({**request_, name: value}))


@given(st.sampled_from(REQUESTS[:5]), st.sampled_from(["position", "limits"]), INNER, VALUES)
def test_any_value_in_an_inner_field(request_: dict[str, Any], outer: str, name: str, value: object) -> None:
    obeyed_or_refused(json.dumps({**request_, outer: {**request_.get(outer, {}), name: value}}))


@given(st.sampled_from(REQUESTS), st.data())
def test_a_line_that_lost_or_changed_a_piece(request_: dict[str, Any], data: st.DataObject) -> None:
    line = json.dumps(request_)
    at = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(at, min(at + 8, len(line))))
    obeyed_or_refused(line[:at] + data.draw(st.text(max_size=3)) + line[end:])
