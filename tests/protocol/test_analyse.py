"""`sanqi analyse`: dialogues with the program, in JSON lines, and its tables for people."""

from __future__ import annotations

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game_core.analysis import AnalysisTask
from game_core.engine_analyst import EngineAnalyst
from game_core.games import GamesWith
from game_review.analysis_server import AnalysisServer
from junqi_protocol.players import win_probability as junqi
from junqi_protocol.records.records import Replay, record_text
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import DUEL, SIGUO, move_text
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.messages import BestMove, Terms
from sanqi.registry import GAMES
from search_core.line_protocol import LineChannel
from search_core.version import __version__
from tests.helpers.in_process import run_here, sanqi
from tests.protocol.conftest import EXAMPLES, PROGRAM, CappedMaker, Host, HostMaker
from ucci_engine.points import parse_move
from ucci_engine.position import Position
from ucci_engine.win_probability import chances

ENDLESS = {"nodes": 10**12}
QUICK = {"nodes": 2000}
MATE_IN_1 = "3k5/9/R8/1R7/9/9/9/9/9/4K4 w"


class Reader:
    """Sends requests and reads answers."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def ask(self, id: str, game: str = "xiangqi", position: dict[str, Any] | None = None, **more: Any) -> None:
        self.host.send(json.dumps({"id": id, "game": game, "position": position or {}, "limits": QUICK, **more}))

    def act(self, id: str, action: str, **more: str) -> None:
        self.host.send(json.dumps({"id": id, "action": action, **more}))

    def next(self) -> dict[str, Any]:
        line = self.host.line()
        assert line is not None, self.host.told()
        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    def result(self, id: str, game: str = "xiangqi", position: dict[str, Any] | None = None, **more: Any) -> Any:
        """The only answer to a request."""
        self.ask(id, game, position, **more)
        found = self.next()
        assert found["id"] == id and "moveInfos" in found, found
        return found

    def end(self) -> list[dict[str, Any]]:
        """End the input; the answers that were still to come."""
        self.host.end_input()
        found = []
        while (line := self.host.line()) is not None:
            found.append(json.loads(line))
        assert self.host.exit_status() == 0
        return found


@pytest.fixture
def reader(start: HostMaker) -> Reader:
    """The program with one thread."""
    return Reader(start("analyse", "--threads", "1"))


def junqi_record(plies: int, variant: Any = DUEL, seed: int = 1) -> str:
    """A game of random moves."""
    chance = random.Random(seed)
    arbiter = Arbiter(Terms(variant), [random_lineup(chance) for _ in range(variant.seats)])
    for _ in range(plies):
        move = chance.choice(arbiter.position.legal_moves())
        arbiter.answer(BestMove(move_text(variant, move), move, arbiter.next_ply))
    return record_text(arbiter)


def test_an_answer_of_xiangqi(reader: Reader) -> None:
    found = reader.result("a", position={"moves": ["h2e2"]}, notation=["chinese", "wxf"])
    assert list(found) == [
        "id", "turnNumber", "isDuringSearch", "toMove", "perspective", "rootInfo", "moveInfos", "ended",
    ]  # fmt: skip
    assert (found["turnNumber"], found["isDuringSearch"]) == (1, False)
    assert (found["toMove"], found["perspective"], found["ended"]) == ("black", "sideToMove", None)
    root, (info,) = found["rootInfo"], found["moveInfos"]
    assert list(root) == ["scoreCp", "winrate", "wdl", "depth", "seldepth", "nodes", "timeMs"]
    assert list(info) == [
        "order", "move", "names", "scoreCp", "winrate", "wdl", "bound", "depth", "pv", "pvNames",
    ]  # fmt: skip
    assert info["order"] == 0 and info["move"] == info["pv"][0]
    assert [root[key] for key in ("scoreCp", "winrate", "wdl")] == [info[key] for key in ("scoreCp", "winrate", "wdl")]
    assert sum(root["wdl"]) == pytest.approx(1) and 0 < root["winrate"] < 1
    assert root["winrate"] == pytest.approx(root["wdl"][0] + root["wdl"][1] / 2, abs=1e-4)
    assert list(info["names"]) == list(info["pvNames"]) == ["chinese", "wxf"]
    assert all(len(names) == len(info["pv"]) for names in info["pvNames"].values())
    assert info["names"] == {notation: names[0] for notation, names in info["pvNames"].items()}
    assert reader.end() == []


def test_an_answer_of_gomoku(reader: Reader) -> None:
    stones = {"black": ["h8", "i8", "j8"], "white": ["a1", "c1", "e1"], "size": 15, "rule": "renju"}
    found = reader.result("a", "gomoku", stones)
    assert (found["toMove"], found["rootInfo"]["mate"], found["rootInfo"]["wdl"]) == ("black", 2, [1, 0, 0])
    (info,) = found["moveInfos"]
    assert info["mate"] == 2 and "scoreCp" not in info and list(info["names"]) == ["letters"]
    assert len(info["pv"]) == 3
    blocked = reader.result("b", "gomoku", {**stones, "rule": "freestyle", "blocked": ["g8", "k8"]})
    assert "mate" not in blocked["rootInfo"]


def test_an_answer_of_junqi(reader: Reader) -> None:
    found = reader.result("a", "junqi", {"record": junqi_record(20)}, multipv=2)
    assert list(found)[-2:] == ["worlds", "belief"]
    assert found["toMove"] == 0 and found["turnNumber"] == 20
    assert {row["seat"] for row in found["belief"]} == {1}
    for row in found["belief"]:
        assert list(row) == ["point", "seat", "types"]
        assert sum(row["types"].values()) == pytest.approx(1, abs=0.01)
        assert set(row["types"]) <= set("123456789BMF")
    assert [info["order"] for info in found["moveInfos"]] == [0, 1]
    position = Replay(junqi_record(20).encode()).arbiter.position
    for info in found["moveInfos"]:
        assert -20000 <= info["scoreCp"] <= 20000 and "mate" not in info
        assert info["wdl"] == pytest.approx(junqi.chances(info["scoreCp"], position), abs=1e-4)
        assert info["names"]["chinese"].endswith(f" {info['move']}")  # the seat knows its own pieces


def test_a_seat_of_junqi_that_is_not_on_turn(reader: Reader) -> None:
    reader.ask("a", "junqi", {"record": junqi_record(3, SIGUO), "seat": 2}, analyzeTurns=[1, 2])
    waits, moves = reader.next(), reader.next()
    assert (waits["toMove"], waits["moveInfos"], waits["rootInfo"]) == (1, [], {})
    assert {row["seat"] for row in waits["belief"]} == {0, 1, 3}
    assert moves["toMove"] == 2 and moves["moveInfos"]
    partners = reader.result("b", "junqi", {"record": junqi_record(2, SIGUO), "seat": 2, "see": "team"})
    assert {row["seat"] for row in partners["belief"]} == {1, 3}


def test_what_a_seat_did_not_know_changes_nothing(reader: Reader) -> None:
    """The armies of the others are drawn anew, their moves so far are the same: none."""
    lines = junqi_record(0).splitlines()
    other = random_lineup(random.Random(7))
    hidden = " ".join(["lineup", "1", "/".join(other[i : i + 5] for i in range(0, 30, 5))])
    changed = [hidden if line.startswith("lineup 1 ") else line for line in lines]
    assert changed != lines
    found = [
        reader.result("a", "junqi", {"record": "\n".join(record), "seat": 0}, limits={"nodes": 500})
        for record in (lines, changed)
    ]
    for answer in found:
        answer["rootInfo"].pop("timeMs")
    assert found[0] == found[1]


def test_several_lines(reader: Reader) -> None:
    infos = reader.result("a", multipv=4)["moveInfos"]
    assert [info["order"] for info in infos] == [0, 1, 2, 3]
    assert len({info["move"] for info in infos}) == 4
    scores = [info["scoreCp"] for info in infos]
    assert scores == sorted(scores, reverse=True)


def test_more_lines_than_moves(reader: Reader) -> None:
    fen = "4k4/9/9/9/9/9/9/9/R8/3K5 w"
    infos = reader.result("a", position={"fen": fen}, multipv=500, limits={"depth": 2})["moveInfos"]
    assert len(infos) == len(Position(fen).legal_moves())


def test_allowed_and_avoided_moves(reader: Reader) -> None:
    best = reader.result("a")["moveInfos"][0]["move"]
    assert reader.result("b", avoidMoves=[best])["moveInfos"][0]["move"] != best
    only = reader.result("c", allowMoves=["a0a1", "A3-A4"], multipv=5)["moveInfos"]
    assert {info["move"] for info in only} == {"a0a1", "a3a4"}
    both = reader.result("d", allowMoves=["a0a1", "a3a4"], avoidMoves=["a0a1"], multipv=5)["moveInfos"]
    assert [info["move"] for info in both] == ["a3a4"]


def test_moves_of_gomoku_that_are_not_searched_otherwise(reader: Reader) -> None:
    """The search looks at points near the stones only, on an empty board at the middle."""
    far = reader.result("a", "gomoku", {"moves": ["h8"]}, allowMoves=["a1", "o15"], multipv=5)["moveInfos"]
    assert {info["move"] for info in far} == {"0,14", "14,0"}
    middle = reader.result("b", "gomoku")["moveInfos"][0]["move"]
    assert reader.result("c", "gomoku", avoidMoves=[middle])["moveInfos"][0]["move"] != middle


def test_turns(reader: Reader) -> None:
    reader.ask("a", "gomoku", {"moves": ["h8", "i9", "h9"]}, analyzeTurns=[3, 0, 1])
    found = [reader.next() for _ in range(3)]
    assert [(answer["turnNumber"], answer["toMove"]) for answer in found] == [(3, "white"), (0, "black"), (1, "white")]


def test_mate_and_the_end(reader: Reader) -> None:
    found = reader.result("a", position={"fen": MATE_IN_1})
    assert (found["rootInfo"]["mate"], found["moveInfos"][0]["mate"], found["rootInfo"]["winrate"]) == (1, 1, 1.0)
    over = reader.result("b", position={"fen": MATE_IN_1, "moves": [found["moveInfos"][0]["move"]]})
    assert over["ended"] == {"result": "1-0", "reason": "mate"} and over["moveInfos"] == []
    assert (over["toMove"], over["rootInfo"]["winrate"]) == ("black", 0.0)
    five = {"moves": ["a1", "h1", "a2", "h2", "a3", "h3", "a4", "h4", "a5"]}
    assert reader.result("c", "gomoku", five)["ended"] == {"result": "1-0", "reason": "five"}


def test_the_same_nodes_give_the_same_answer(reader: Reader) -> None:
    found = []
    for _ in range(2):
        reader.act("x", "clear_cache")
        assert reader.next() == {"id": "x", "action": "clear_cache"}
        found.append(reader.result("a", multipv=2))
        found[-1]["rootInfo"].pop("timeMs")
    assert found[0] == found[1]


def test_the_rule_counts(reader: Reader) -> None:
    """A position that occurs for the third time without check or chase is drawn, or the game goes on to be judged."""
    shuffle = ["a0a1", "a9a8", "a1a0", "a8a9"] * 2
    assert reader.result("a", position={"moves": shuffle})["ended"] == {"result": "1/2-1/2", "reason": "repetition"}


PERPETUAL: dict[str, Any] = {
    "fen": "9/4k4/9/9/9/9/9/9/2p6/3K1RBc1 w",
    "moves": ["f0e0", "e8f8", "e0f0", "f8e8", "f0e0", "e8f8", "e0f0"],
}
"""Red has checked always, and Black can repeat the position for the third time."""


def test_a_win_by_a_rule_is_said(reader: Reader) -> None:
    """Its score is not in centipawns."""
    root = reader.result("a", position=PERPETUAL)["rootInfo"]
    assert (root["ruleWin"], root["scoreCp"], root["winrate"]) == (1, 27_999, 1.0)
    root = reader.result("b", position={**PERPETUAL, "moves": PERPETUAL["moves"][:-1]})["rootInfo"]
    assert (root["ruleWin"], root["scoreCp"], root["winrate"]) == (-1, -27_998, 0.0)
    assert "ruleWin" not in reader.result("c", position={**PERPETUAL, "rule": "Draw"})["rootInfo"]


def test_a_game_that_was_played_on_after_its_end(reader: Reader) -> None:
    """Other hosts have other rules, so what follows is analysed, too."""
    moves = [*["a0a1", "a9a8", "a1a0", "a8a9"] * 2, "h2e2", "h9g7"]
    reader.ask("a", position={"moves": moves}, analyzeTurns=[8, 9, 10])
    ended, first, second = (reader.next() for _ in range(3))
    assert ended["ended"]["reason"] == "repetition" and ended["moveInfos"] == []
    for answer in (first, second):
        assert answer["ended"] is None and answer["moveInfos"]


def test_a_perspective(reader: Reader) -> None:
    """Of the side that moves first: if the other one is to move, all signs change."""

    def both(**asked: Any) -> Iterator[Any]:
        for perspective in ("sideToMove", "firstSide"):
            reader.act("clear", "clear_cache")
            reader.next()
            found = reader.result("a", **asked, perspective=perspective)
            assert found["perspective"] == perspective
            yield found

    own, first = both(position={"moves": ["h2e2"]}, limits={"nodes": 700}, multipv=2)
    for mine, other in zip((own["rootInfo"], *own["moveInfos"]), (first["rootInfo"], *first["moveInfos"])):
        assert (other["scoreCp"], other["wdl"]) == (-mine["scoreCp"], pytest.approx(mine["wdl"][::-1], abs=2e-4))
        assert other["winrate"] == pytest.approx(1 - mine["winrate"], abs=2e-4)
    assert [info["pv"] for info in first["moveInfos"]] == [info["pv"] for info in own["moveInfos"]]
    for asked in (
        {"position": {"moves": ["h2e2", "h9g7"]}},
        {"game": "junqi", "position": {"record": junqi_record(2, SIGUO)}},
    ):
        own, first = both(**asked, limits={"nodes": 300})
        assert own["rootInfo"]["scoreCp"] == first["rootInfo"]["scoreCp"]
    own, first = both(position={"fen": MATE_IN_1, "moves": ["b6d6"]})
    assert (own["ended"]["reason"], own["rootInfo"]["winrate"], first["rootInfo"]["winrate"]) == ("mate", 0.0, 1.0)
    _, first = both(position=PERPETUAL)
    root = first["rootInfo"]
    assert (root["ruleWin"], root["scoreCp"], root["winrate"]) == (-1, -27_999, 0.0)
    reader.ask("bad", perspective="red")
    error = reader.next()
    assert (error["field"], "expected one of sideToMove, firstSide" in error["error"]) == ("perspective", True)


def test_a_limit_of_time(reader: Reader) -> None:
    found = reader.result("a", limits={"movetimeMs": 50})
    assert found["moveInfos"] and found["rootInfo"]["timeMs"] < 10_000


def test_a_limit_of_depth(reader: Reader) -> None:
    assert reader.result("a", limits={"depth": 3})["rootInfo"]["depth"] == 3


def test_bad_lines_cost_one_error_each(reader: Reader) -> None:
    reader.host.send("rubbish", '{"id":"a","game":"chess","position":{}}', "", "# a comment", '{"id":"b"}')
    assert [reader.next() for _ in range(3)] == [
        {"error": "no JSON: Expecting value: line 1 column 1 (char 0)"},
        {"id": "a", "error": "game: expected one of xiangqi, gomoku, junqi, got 'chess'", "field": "game"},
        {"id": "b", "error": "game is missing", "field": "game"},
    ]
    assert reader.result("c")["moveInfos"]
    assert reader.end() == []


def test_a_line_that_is_too_long(reader: Reader) -> None:
    reader.host.write(b'{"id":"' + b"x" * (16 << 20) + b'"}\n')
    assert "was dropped" in reader.next()["error"]
    assert reader.result("a")["moveInfos"]


def test_unknown_fields_are_warned_of(reader: Reader) -> None:
    reader.ask("a", maxVisits=5, position={"komi": 7})
    assert [reader.next() for _ in range(2)] == [
        {"id": "a", "warning": "unknown field 'position.komi', ignored", "field": "position.komi"},
        {"id": "a", "warning": "unknown field 'maxVisits', ignored", "field": "maxVisits"},
    ]
    assert reader.next()["moveInfos"]


def test_the_version(reader: Reader) -> None:
    reader.act("v", "query_version")
    assert reader.next() == {"id": "v", "action": "query_version", "version": __version__}


def test_the_end_of_the_input_finishes_the_queue(reader: Reader) -> None:
    for number in range(5):
        reader.ask(str(number))
    assert [answer["id"] for answer in reader.end()] == ["0", "1", "2", "3", "4"]


def test_priority(reader: Reader) -> None:
    reader.ask("running", limits=ENDLESS, reportDuringSearchEvery=0.01)
    assert reader.next()["isDuringSearch"] is True
    for id, priority in (("a", 0), ("b", 1), ("c", -1), ("d", 1)):
        reader.ask(id, priority=priority)
    reader.act("t", "terminate", terminateId="running")
    found = [answer["id"] for answer in reader.end() if not answer.get("isDuringSearch")]
    assert found == ["t", "running", "b", "d", "a", "c"]


def test_reports_during_the_search(reader: Reader) -> None:
    reader.ask("a", limits=ENDLESS, reportDuringSearchEvery=0.01, multipv=2)
    reports = [reader.next() for _ in range(5)]
    for report in reports:
        assert (report["id"], report["isDuringSearch"], report["turnNumber"]) == ("a", True, 0)
        assert report["moveInfos"] and report["rootInfo"]["depth"] > 0
    depths = [report["rootInfo"]["depth"] for report in reports]
    assert depths == sorted(depths)
    reader.act("t", "terminate", terminateId="a")
    last = [answer for answer in reader.end() if not answer.get("isDuringSearch")]
    assert [answer["id"] for answer in last] == ["t", "a"]
    assert last[1]["rootInfo"]["depth"] >= depths[-1]


def test_terminate(reader: Reader) -> None:
    reader.ask("a", limits=ENDLESS, reportDuringSearchEvery=0.01, position={"moves": ["h2e2"]}, analyzeTurns=[0, 1])
    reader.next()
    reader.ask("b")
    reader.act("t", "terminate", terminateId="a")
    found = {(one["id"], one.get("turnNumber")): one for one in reader.end() if not one.get("isDuringSearch")}
    assert next(iter(found)) == ("t", None)
    assert found["t", None] == {"id": "t", "action": "terminate", "terminateId": "a"}
    assert found["a", 1] == {"id": "a", "turnNumber": 1, "isDuringSearch": False, "noResults": True}
    assert found["a", 0]["moveInfos"] and found["b", 0]["moveInfos"]


def test_terminate_all(reader: Reader) -> None:
    for id in ("a", "b", "c"):
        reader.ask(id, limits=ENDLESS)
    reader.act("t", "terminate_all")
    found = reader.end()
    assert found[0] == {"id": "t", "action": "terminate_all"}
    assert {answer["id"] for answer in found[1:]} == {"a", "b", "c"}


def test_positions_of_all_games_at_once(start: HostMaker) -> None:
    reader = Reader(start("analyse", "--threads", "3", "--hash", "6"))
    for number in range(4):
        reader.ask(f"x{number}")
        reader.ask(f"g{number}", "gomoku")
        reader.ask(f"j{number}", "junqi", {"record": junqi_record(number)})
    found = reader.end()
    assert {answer["id"] for answer in found} == {f"{game}{number}" for game in "xgj" for number in range(4)}
    assert all(answer["moveInfos"] for answer in found)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(start: HostMaker, number: signal.Signals) -> None:
    host = start("analyse", "--threads", "2")
    reader = Reader(host)
    reader.ask("a", limits=ENDLESS, reportDuringSearchEvery=0.01)
    reader.next()
    host.process.send_signal(number)
    while host.line() is not None:
        pass
    assert host.exit_status() == 0


def test_no_reports_for_a_reader_that_sleeps() -> None:
    """Until it reads again, only what must be said is kept."""
    server = AnalysisServer(LineChannel(io.BytesIO(), io.BytesIO()), {}, [])
    for number in range(3000):
        server._deliver({"id": "a", "isDuringSearch": True}, False)
        server._deliver({"id": "a", "warning": str(number)}, False)
    assert 3000 < server.lines.posted < 5000
    server.close()


def test_a_reader_that_leaves_ends_it(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [*PROGRAM, "analyse"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    assert program.stdin is not None and program.stdout is not None and program.stderr is not None
    request = {"id": "a", "game": "xiangqi", "position": {}, "limits": ENDLESS, "reportDuringSearchEvery": 0.01}
    program.stdin.write(json.dumps(request).encode() + b"\n")
    program.stdin.flush()
    assert program.stdout.readline()
    program.stdout.close()
    assert program.wait(60) == 0
    assert program.stderr.read() == b""
    program.stdin.close()
    program.stderr.close()


# Any line is an error or is obeyed.


class Capped(EngineAnalyst):
    """Searches 50 nodes at most."""

    def analyse(self, task: AnalysisTask, notify: Callable[[str], None]) -> Any:
        from dataclasses import replace

        task.limits = replace(task.limits, nodes=min(task.limits.nodes or 50, 50))
        return super().analyse(task, notify)


LINES = (
    '{"id":"a","game":"xiangqi","position":{}}',
    '{"id":"a","game":"xiangqi","position":{"moves":["h2e2","h9g7"]},"analyzeTurns":[0,1,2],"multipv":3}',
    '{"id":"a","game":"gomoku","position":{"moves":["h8"],"rule":"renju"},"avoidMoves":["h9"]}',
    '{"id":"a","game":"gomoku","position":{"black":["h8"],"blocked":["a1"],"toMove":"white"},"priority":3}',
    json.dumps({"id": "a", "game": "junqi", "position": {"record": junqi_record(4)}, "limits": {"nodes": 30}}),
    '{"id":"t","action":"terminate","terminateId":"a"}',
    '{"id":"t","action":"clear_cache"}',
)


def mutated(draw: Callable[[st.SearchStrategy[Any]], Any]) -> bytes:
    line: bytes = draw(st.sampled_from(LINES)).encode()
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(line)))
        line = line[:at] + draw(st.binary(max_size=3)) + line[at + draw(st.integers(0, 4)) :]
    return line


@pytest.mark.fuzz
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=60) | st.composite(mutated)(), min_size=1, max_size=6))
def test_any_lines(capped: CappedMaker, lines: list[bytes]) -> None:
    games = GamesWith(GAMES, "analysis")
    reader = Reader(capped(partial(AnalysisServer, games=games, analysts=[Capped(1), Capped(1)])))
    for line in lines:
        reader.host.write(line.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
    reader.act("end", "query_version")
    before = []
    while (found := reader.next()).get("id") != "end":
        before.append(found)
    found_all = before + reader.end()
    assert all({"error", "warning", "action", "moveInfos", "noResults"} & set(found) for found in found_all)
    assert not any("internal error" in found.get("error", "") for found in found_all), found_all
    errors = [found for found in found_all if "error" in found]
    assert len(errors) <= len(lines)


# Tables


def table(folder: Path, *arguments: str, status: int = 0) -> list[list[str]]:
    """The words of the rows of a table."""
    done = sanqi("analyse", *arguments, cwd=folder)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    if status:
        assert done.stderr.count("\n") == 1
        return [done.stderr.split()]
    assert all(len(line) <= 100 for line in done.stdout.splitlines())
    head, *rows = done.stdout.splitlines()
    assert head.split()[-2:] == ["best", "line"]
    return [row.split() for row in rows[:-2]]


def test_a_position_for_people(tmp_path: Path) -> None:
    rows = table(tmp_path, "--fen", MATE_IN_1, "--multipv", "2", "--nodes", "5000")
    assert [row[:2] + row[3:6] for row in rows] == [[str(n), "red", "mate", "1", "100.0"] for n in (1, 2)]
    assert all(row[2] == row[6] and row[2][0] == "车" for row in rows)
    rows = table(tmp_path, "--fen", "startpos moves h2e2", "--depth", "2", "--notation", "iccs")
    assert rows[0][1] == "black" and "-" in rows[0][2]


def test_a_win_by_a_rule_for_people(tmp_path: Path) -> None:
    fen = " ".join(["fen", PERPETUAL["fen"], "moves", *PERPETUAL["moves"]])
    rows = table(tmp_path, "--fen", fen, "--nodes", "1000")
    assert rows[0][1:6] == ["black", "将6平5", "rule", "-1", "0.0"]
    rows = table(tmp_path, "--fen", fen, "--nodes", "1000", "--perspective", "sideToMove")
    assert rows[0][1:6] == ["black", "将6平5", "rule", "1", "100.0"]


def test_a_table_says_whose_scores_it_has(tmp_path: Path, game: Path) -> None:
    """Of the first side, as the table of a review."""
    foots = []
    for more in ((), ("--perspective", "sideToMove")):
        done = subprocess.run(
            [*PROGRAM, "analyse", game.name, "--nodes", "1000", *more],
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            check=True,
        )
        rows = [line.split() for line in done.stdout.splitlines()]
        foots.append((rows[2][3], " ".join(rows[-1])))
    (first, first_foot), (own, own_foot) = foots
    assert int(first) == -int(own)
    assert first_foot == "Scores and win probabilities are those of red."
    assert own_foot == "Scores and win probabilities are those of the side to move."


def test_a_record_from_the_standard_input(tmp_path: Path) -> None:
    for text, moves in (
        (b'[Red "a"]\n\n1. h2e2 *\n', 1),
        (b"\xef\xbb\xbf1. C2.5 H8+7 *\n", 2),
        ("炮二平五 马8进7".encode("gb18030"), 2),
        (b"Piskvorky 15x15, 0:0, 0\n8,8,0\n", 1),
        (b"(;GM[4]SZ[15];B[hh])", 1),
        (b"881 782", 2),
        (junqi_record(2).encode(), 2),
    ):
        done = subprocess.run(
            [*PROGRAM, "analyse", "-", "--nodes", "100"], input=text, capture_output=True, cwd=tmp_path
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert len(done.stdout.splitlines()) == 1 + moves + 1 + 2
    for text in (b"", b"hello", b'{"id":"1"}'):
        done = subprocess.run([*PROGRAM, "analyse", "-"], input=text, capture_output=True, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith(b"sanqi analyse: - has no format of its own; give --from pgn, ")


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Path]:
    pgn = tmp_path / "game.pgn"
    pgn.write_text('[Game "Chinese Chess"]\n[Result "*"]\n\n1. 炮二平五 马8进7 *\n', encoding="utf-8")
    yield pgn


def test_a_record_for_people(tmp_path: Path, game: Path) -> None:
    rows = table(tmp_path, game.name, "--nodes", "1000")
    assert [row[:3] for row in rows[:2]] == [["1", "red", "炮二平五"], ["2", "black", "马8进7"]]
    assert rows[2][0] == "red" and len(rows) == 3
    one = table(tmp_path, game.name, "--turn", "1", "--nodes", "1000")
    assert [row[:2] for row in one] == [["1", "black"]]


def test_a_record_that_goes_on_after_its_end(tmp_path: Path) -> None:
    cycle = "车一进一 车1进1 车一退一 车1退1"
    (tmp_path / "game.pgn").write_text(f'[Game "Chinese Chess"]\n\n{cycle} {cycle} 炮二平五 *\n', encoding="utf-8")
    rows = table(tmp_path, "game.pgn", "--depth", "1")
    assert rows[8] == ["9", "red", "炮二平五", "50.0", "1/2-1/2,", "repetition"]
    assert rows[9][0] == "black" and len(rows) == 10
    assert len(table(tmp_path, "game.pgn", "--depth", "1", "--turn", "9")) == 1


def test_a_record_of_each_game(tmp_path: Path) -> None:
    (tmp_path / "game.psq").write_text("Piskvorky 15x15, 0:0, 0\n8,8,0\n7,7,0\n")
    rows = table(tmp_path, "game.psq", "--nodes", "500")
    assert [row[:3] for row in rows[:2]] == [["1", "black", "h8"], ["2", "white", "g9"]]
    (tmp_path / "game.jgr").write_text(junqi_record(3))
    rows = table(tmp_path, "game.jgr", "--nodes", "500")
    assert [row[:2] for row in rows[:3]] == [["1", "0"], ["2", "1"], ["3", "0"]]
    rows = table(tmp_path, "game.jgr", "--nodes", "500", "--seat", "1", "--turn", "1")
    assert rows[0][:2] == ["1", "1"]
    rows = table(tmp_path, "game.jgr", "--nodes", "500", "--seat", "1", "--turn", "2")
    assert " ".join(rows[0]) == "0 nothing to search: another side is on turn"


_BLACK = "3,3 4,3 5,3 7,3 8,3 6,3 15,15"
_WHITE = "1,1 2,2 4,4 1,9 9,1 10,12 12,12"
OVERLINE = "Piskvorky 15x15, 0:0, 0\n" + "".join(
    f"{black},0\n{white},0\n" for black, white in zip(_BLACK.split(), _WHITE.split(), strict=True)
)
"""Black's eleventh stone makes six in a row, and the game goes on, as by the rule standard."""


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--fen", "9/9 w"], "--fen: "),
        (["none.pgn"], "none.pgn"),
        (["game.doc"], "does not name a record"),
        (["game.pgn", "--fen", "startpos"], "give a record or a position, not both"),
        (["game.pgn", "--turn", "3"], "--turn 3: there are 2 moves"),
        (["game.pgn", "--game", "2"], "it has no game 2"),
        (["game.pgn", "--notation", "letters"], "--notation letters: expected one of chinese,"),
        (["--turn", "3"], "--turn needs a record or a position"),
        (["--nodes", "3"], "--nodes needs a record or a position"),
        (["--from", "pgn"], "--from needs a record"),
        (["--fen", "startpos", "--game", "2"], "--game needs a record"),
        (["long.psq"], "move 12: 9,11 comes after the end of the game; the rule may be another one, see --rule"),
        (["--repetition-rule", "Asian"], "--repetition-rule needs a record or a position"),
        (["--seat", "1"], "--seat needs a record or a position"),
        (["--set", "Hash=1"], "--set needs --engine"),
        (["--engine", "x"], "--engine needs --protocol"),
        (["--engine", "x", "--protocol", "uci", "--hash", "5"], "--hash is for our engine"),
        (["--engine", "x", "--protocol", "uci", "--set", "Hash"], "expected NAME=VALUE"),
        (["--engine", "x", "--protocol", "gomocup", "game.pgn"], "an engine of gomoku does not play xiangqi"),
    ],
)
def test_wrong_arguments(tmp_path: Path, game: Path, arguments: list[str], complaint: str) -> None:
    (tmp_path / "long.psq").write_text(OVERLINE)
    done = run_here("analyse", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert complaint in done.stderr


def test_a_game_after_a_damaged_one(tmp_path: Path) -> None:
    (tmp_path / "two.pgn").write_text('[Red "a"]\n1. h2e2 zz *\n\n[Red "b"]\n1. h2e2 h9g7 h0g2 *\n')
    assert len(table(tmp_path, "two.pgn", "--depth", "1", "--game", "2")) == 4


def test_the_rule_of_a_record(tmp_path: Path) -> None:
    (tmp_path / "long.psq").write_text(OVERLINE)
    rows = table(tmp_path, "long.psq", "--depth", "1", "--rule", "standard")
    assert len(rows) == 15 and rows[14][0] == "black"


def test_a_file_is_named_once(tmp_path: Path) -> None:
    (words,) = table(tmp_path, "none.pgn", status=2)
    assert words.count("'none.pgn'") == 1


# The documentation

DOCS = Path(__file__).parents[2] / "docs" / "analysis.md"
BLOCKS = re.findall(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


def keys(value: Any) -> Any:
    """The names of all fields, without the values."""
    if isinstance(value, dict):
        return {name: keys(inner) for name, inner in value.items()}
    return [keys(value[0])] if isinstance(value, list) and value else None


def test_the_documented_lines_are_real(reader: Reader) -> None:
    query, answer = map(json.loads, BLOCKS[:2])
    reader.host.send(BLOCKS[0].strip())
    found = reader.next()
    assert keys(found) == keys(answer)
    assert (found["id"], found["turnNumber"], found["toMove"]) == ("1", 2, "red")
    position = Position()
    for move in query["position"]["moves"]:
        position.push(parse_move(move))
    root = answer["rootInfo"]
    assert root["wdl"] == pytest.approx(chances(root["scoreCp"], position), abs=1e-4)
    error, warning = map(json.loads, BLOCKS[3].splitlines())
    reader.ask("7", position={"moves": ["h2e2", "h2e2"]})
    assert reader.next() == error
    reader.ask("8", maxVisits=1)
    assert reader.next() == warning


def test_every_field_is_documented(reader: Reader) -> None:
    documented = set(re.findall(r"`(?:[\w…]+\.)*(\w+)`", DOCS.read_text(encoding="utf-8")))
    answers = [
        reader.result("a", position={"fen": MATE_IN_1}),
        reader.result("b"),
        reader.result("c", "junqi", {"record": junqi_record(2)}),
        reader.result("d", position=PERPETUAL),
    ]
    for answer in answers:
        for name, value in answer.items():
            inner = value[0] if isinstance(value, list) and value else value
            assert {name, *(inner if isinstance(inner, dict) else ())} <= documented
