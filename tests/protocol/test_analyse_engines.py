"""`sanqi analyse --engine`: this program as another engine over UCI, UCCI and Gomocup, and engines that misbehave."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine_client.reports import Report, read_info, read_message
from engine_client.specification import EngineSpecification
from game_core.analysis import AnalysisTask
from search_core.child_process import ENGINE_MARK, find_processes_by_env
from search_core.thinker import Limits
from tests.protocol.conftest import PROGRAM, HostMaker
from tests.protocol.test_analyse import ENDLESS, QUICK, Reader
from ucci_engine.analysis import XiangqiSubject
from ucci_engine.analyst import XiangqiAnalyst
from ucci_engine.points import START_FEN

Starter = Callable[..., Reader]
BROKEN = Path(__file__).parents[1] / "clients" / "broken_engines.py"


@pytest.fixture
def other(start: HostMaker) -> Starter:
    return lambda command, protocol, *more: Reader(
        start("analyse", "--threads", "1", "--engine", shlex.join(command), "--protocol", protocol, *more)
    )


def broken(faults: str) -> list[str]:
    return [sys.executable, str(BROKEN), faults]


@pytest.mark.parametrize("protocol", ["uci", "ucci"])
def test_our_own_program_over_uci_and_ucci(other: Starter, protocol: str) -> None:
    reader = other([*PROGRAM, protocol], protocol)
    found = reader.result("a", position={"moves": ["h2e2"]}, notation="wxf")
    root, (info,) = found["rootInfo"], found["moveInfos"]
    assert found["toMove"] == "black" and info["move"] == info["pv"][0] and list(info["names"]) == ["wxf"]
    assert root["depth"] > 0 and 0 < root["nodes"] <= QUICK["nodes"] and "scoreCp" in root
    is_uci = protocol == "uci"
    for field in ("wdl", "winrate", "bound"):  # UCCI has no word for them, so nothing is said
        assert (field in info) == is_uci
    assert ("seldepth" in root) == is_uci
    assert reader.end() == []


@pytest.mark.parametrize("protocol", ["uci", "ucci"])
def test_allowed_and_avoided_moves(other: Starter, protocol: str) -> None:
    reader = other([*PROGRAM, protocol], protocol)
    capture = {"moves": ["h2e2", "b9c7", "e2e6"]}  # one move is best by far
    assert reader.result("a", position=capture, allowMoves=["a9a8"])["moveInfos"][0]["move"] == "a9a8"
    best = reader.result("b", position=capture)["moveInfos"][0]["move"]
    assert reader.result("c", position=capture, avoidMoves=[best])["moveInfos"][0]["move"] != best
    assert reader.result("d", position=capture)["moveInfos"][0]["move"] == best == "c7e6"


def test_several_lines_and_limits(other: Starter) -> None:
    reader = other([*PROGRAM, "uci"], "uci")
    infos = reader.result("a", multipv=3, limits={"depth": 5, "nodes": 100_000})["moveInfos"]
    assert [info["order"] for info in infos] == [0, 1, 2] and len({info["move"] for info in infos}) == 3
    assert {info["depth"] for info in infos} == {5}
    assert len(reader.result("b", limits={"movetimeMs": 30})["moveInfos"]) == 1


def said(line: str) -> Report:
    report = read_info(line)
    assert report is not None
    return report


def test_a_bound_does_not_replace_one_of_several_lines() -> None:
    analyst = XiangqiAnalyst(EngineSpecification("other", ("other",), "uci"), 1)
    for wanted, kept in ((1, ("a0a1",)), (2, ("h2e2", "h9g7", "h0g2"))):
        analyst._task = SimpleNamespace(limits=Limits(multipv=wanted), stopped=threading.Event())  # type: ignore[assignment]
        analyst._begin()
        analyst._hear(said("info depth 5 multipv 1 score cp 30 pv h2e2 h9g7 h0g2"))
        analyst._hear(said("info depth 6 multipv 1 score cp 40 lowerbound pv a0a1"))
        assert analyst._reports[1].pv == kept


def test_a_protocol_that_has_one_line(other: Starter) -> None:
    reader = other([*PROGRAM, "ucci"], "ucci")
    reader.ask("a", multipv=2)
    assert reader.next() == {"id": "a", "warning": "the engine has no option MultiPV; it gives one line"}
    assert len(reader.next()["moveInfos"]) == 1
    assert len(reader.result("b", multipv=2)["moveInfos"]) == 1  # it was said once


def test_another_start_and_mate(other: Starter) -> None:
    reader = other([*PROGRAM, "uci"], "uci")
    found = reader.result("a", position={"fen": "3k5/9/R8/1R7/9/9/9/9/9/4K4 w"})
    assert (found["rootInfo"]["mate"], found["rootInfo"]["wdl"]) == (1, [1, 0, 0])
    assert reader.result("b")["rootInfo"]["scoreCp"] > 0


def test_our_own_program_over_gomocup(other: Starter) -> None:
    reader = other([*PROGRAM, "gomocup"], "gomocup")
    found = reader.result("a", "gomoku", {"moves": ["h8", "i9"]}, limits={"depth": 5})
    root, (info,) = found["rootInfo"], found["moveInfos"]
    assert found["toMove"] == "black" and info["move"] == info["pv"][0] and len(info["pv"]) > 1
    assert root["depth"] > 0 and 0 < root["nodes"] <= QUICK["nodes"] and "scoreCp" in root
    assert not {"winrate", "wdl", "bound"} & set(info)
    four = {"size": 19, "rule": "renju", "black": ["h8", "i8", "j8", "k8"], "white": ["a1", "c1", "e1"]}
    won = reader.result("b", "gomoku", {**four, "toMove": "black"})
    assert won["rootInfo"]["mate"] == 1 and won["moveInfos"][0]["names"]["letters"] in ("g8", "l8")
    assert reader.result("c", "gomoku", {**four, "rule": "freestyle"})["moveInfos"]
    assert reader.result("d", "gomoku", limits={"depth": 3})["rootInfo"]["depth"] == 3


def test_what_gomocup_cannot_say(other: Starter) -> None:
    reader = other([*PROGRAM, "gomocup"], "gomocup")
    reader.ask("a", "gomoku", avoidMoves=["h8"])
    assert "cannot be told which moves" in reader.next()["error"]
    reader.ask("b", "gomoku", {"rule": "renju", "blocked": ["a1"]})
    assert "no blocked points" in reader.next()["error"]
    reader.ask("c", "gomoku", {"black": ["h8", "h9", "h10"], "white": ["a1"], "toMove": "white"})
    assert reader.next()["error"].startswith("the engine answered 'ERROR")
    assert reader.result("d", "gomoku")["moveInfos"]


def test_another_game_is_refused(other: Starter) -> None:
    reader = other([*PROGRAM, "uci"], "uci")
    reader.ask("a", "gomoku")
    assert reader.next() == {"id": "a", "error": "game: expected one of xiangqi, got 'gomoku'", "field": "game"}


def test_the_end_of_a_game_needs_no_engine(other: Starter) -> None:
    reader = other(["no-such-program"], "uci")
    assert reader.result("a", position={"fen": "3k5/9/9/9/9/9/9/9/9/4K4 w"})["ended"]["reason"] == "material"


@pytest.mark.parametrize("protocol", ["uci", "gomocup"])
def test_a_program_that_is_not_there(other: Starter, protocol: str) -> None:
    reader = other(["no-such-program"], protocol)
    reader.ask("a", "xiangqi" if protocol == "uci" else "gomoku")
    found = reader.next()
    assert (found["id"], found["turnNumber"]) == ("a", 0)
    assert found["error"].startswith("no-such-program: cannot be started: no-such-program")


@pytest.mark.parametrize(
    ("faults", "protocol", "error"),
    [
        ("dies", "uci", "exited with status 7"),
        ("dies", "ucci", "exited with status 7"),
        ("illegal", "uci", "'a0a9', which is not legal"),
        ("flood", "uci", "no move after 1000 ms"),
        ("no-bans", "ucci", "which the request does not allow"),
        ("off-board", "gomocup", "'15,0', which is not legal"),
    ],
)
def test_a_fault_costs_one_answer(other: Starter, faults: str, protocol: str, error: str) -> None:
    reader = other(broken(faults), protocol, "--timeout", "1")
    game = "gomoku" if protocol == "gomocup" else "xiangqi"
    restriction: dict[str, Any] = {"avoidMoves": ["e0e1"]} if faults == "no-bans" else {}
    for id in ("a", "b") if faults != "flood" else ("a",):  # which takes a second of two processors
        reader.ask(id, game, **restriction)
        found = reader.next()
        assert (found["id"], found["turnNumber"]) == (id, 0)
        assert error in found["error"]
    assert reader.end() == []


@pytest.mark.parametrize("faults", ["deaf", "flood"])
def test_an_engine_that_hangs_is_ended_with_the_program(
    other: Starter, faults: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"analyse-{faults}"
    monkeypatch.setenv(ENGINE_MARK, mark)
    reader = other(broken(faults), "uci", "--timeout", "1000")
    reader.ask("a", limits={"movetimeMs": 600_000})
    reader.ask("b")
    reader.act("v", "query_version")
    assert reader.next()["id"] == "v"
    reader.host.process.terminate()  # type: ignore[attr-defined]
    while reader.host.line() is not None:
        pass
    reader.host.exit_status()
    assert find_processes_by_env(ENGINE_MARK, f"{mark}.") == []


@pytest.mark.parametrize("faults", ["twice", "late-twice"])
def test_a_second_answer_is_not_that_to_the_next_position(other: Starter, faults: str) -> None:
    reader = other(broken(faults), "uci")
    for _ in range(3):
        assert reader.result("a")["moveInfos"][0]["move"] == "e0e1"
        assert reader.result("b", position={"moves": ["h2e2"]})["moveInfos"][0]["move"] == "e9e8"


def test_what_was_not_said_is_absent(other: Starter) -> None:
    found = other(broken("pv-first"), "uci").result("a")
    assert found["rootInfo"] == {"depth": 1}
    assert set(found["moveInfos"][0]) == {"order", "move", "names", "depth", "pv", "pvNames"}
    bare = other(broken("bare"), "gomocup").result("b", "gomoku")
    assert bare["rootInfo"] == {} and set(bare["moveInfos"][0]) == {"order", "move", "names", "pv", "pvNames"}


def test_reports_and_terminate(other: Starter) -> None:
    reader = other([*PROGRAM, "uci"], "uci")
    reader.ask("a", limits=ENDLESS, reportDuringSearchEvery=0.01)
    for _ in range(3):
        found = reader.next()
        assert found["isDuringSearch"] and found["rootInfo"]["depth"] > 0
    reader.act("t", "terminate", terminateId="a")
    last = [one for one in reader.end() if not one.get("isDuringSearch")]
    assert [one["id"] for one in last] == ["t", "a"] and last[1]["moveInfos"]


def test_terminate_where_the_protocol_has_no_word_for_it(other: Starter) -> None:
    reader = other([*PROGRAM, "gomocup"], "gomocup", "--set", "show_detail=1")
    reader.ask("a", "gomoku", {"moves": ["h8"]}, limits={"movetimeMs": 600_000}, reportDuringSearchEvery=0.01)
    assert reader.next()["isDuringSearch"]
    reader.act("t", "terminate", terminateId="a")
    reader.ask("b", "gomoku")
    last = [one for one in reader.end() if not one.get("isDuringSearch")]
    assert [one["id"] for one in last] == ["t", "a", "b"]
    assert last[1]["moveInfos"] and last[2]["moveInfos"]


@pytest.mark.parametrize("faults", ["flood", "deaf"])
def test_terminate_where_the_engine_does_not_listen(other: Starter, faults: str) -> None:
    reader = other(broken(faults), "uci", "--timeout", "1000")
    reader.ask("a", limits={"movetimeMs": 600_000})
    reader.act("v", "query_version")
    reader.act("t", "terminate", terminateId="a")
    (last,) = (one for one in reader.end() if one["id"] == "a")
    assert "error" not in last


def test_clear_cache(other: Starter) -> None:
    reader = other([*PROGRAM, "uci"], "uci")
    found = []
    for _ in range(2):
        found.append(reader.result("a")["moveInfos"])
        reader.act("c", "clear_cache")
        assert reader.next()["id"] == "c"
    assert found[0] == found[1]


def test_an_option_that_the_engine_does_not_take(other: Starter) -> None:
    reader = other([*PROGRAM, "uci"], "uci", "--set", "Hash=lots", "--set", "MultiPV=3")
    reader.ask("a")
    found = [reader.next() for _ in range(2)]
    assert found[0]["warning"].startswith("option 'Hash' is 'lots', expected a number from 1 to")
    assert len(found[1]["moveInfos"]) == 1


def test_a_stop_is_not_repeated_for_each_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that does not read would block the thread that reads its output."""
    stops: list[object] = []
    specification = EngineSpecification(name="a", command=("a",), protocol="uci")
    analyst = XiangqiAnalyst(specification, 1)
    monkeypatch.setattr(analyst, "_player", object())
    monkeypatch.setattr(analyst, "_end_search", stops.append)
    subject = XiangqiSubject(START_FEN, (), "Computer", 120)
    task = AnalysisTask(subject, 0, subject.at(0), Limits())
    monkeypatch.setattr(analyst, "_task", task)
    analyst._begin()
    analyst._hear(said("info depth 1 pv h2e2"))
    task.stopped.set()
    for _ in range(3):
        analyst._hear(said("info depth 2 pv h2e2"))
    assert len(stops) == 1


# What is read of an engine's lines


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bestmove h2e2", None),
        ("info string depth 5", None),
        ("info depth 5 score cp -3 pv h2e2 depth", {"depth": 5, "score_cp": -3, "pv": ("h2e2", "depth")}),
        ("info depth 6 score 4 nodes 7", {"depth": 6, "score_cp": 4, "nodes": 7}),
        ("info score mate -2 upperbound time 9", {"mate": -2, "bound": "upper", "time_ms": 9}),
        ("info multipv 3 seldepth 8 wdl 1 2 997", {"line": 3, "seldepth": 8, "wdl": (1, 2, 997)}),
        ("info wdl 0 0 0 score cp x depth y nodes -", {}),
        ("info depth -1 seldepth -2 nodes -3 time -4 multipv -5", {}),
        ("info score", {}),
        ("info score cp", {}),
        ("info depth 99999999999999999999", {}),
    ],
)
def test_a_report_of_uci(line: str, expected: dict[str, object] | None) -> None:
    report = read_info(line)
    if expected is None:
        assert report is None
        return
    assert report == Report(**expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("7,7", None),
        ("MESSAGE DEPTH 8-11 MULTIPV 2 EV 57", None),
        (
            "MESSAGE DEPTH 8-11 EV -57 N 12K N/MS 500 TM 24 PV 7,7 8,8",
            {"depth": 8, "seldepth": 11, "score_cp": -57, "nodes": 12_000, "time_ms": 24, "pv": ("7,7", "8,8")},
        ),
        ("MESSAGE depth 5 ev +M3", {"depth": 5, "mate": 2, "plies": 3}),
        ("DEBUG ev -M4 n 2M", {"mate": -2, "plies": -4, "nodes": 2_000_000}),
        ("MESSAGE hello", {}),
    ],
)
def test_a_report_of_gomocup(line: str, expected: dict[str, object] | None) -> None:
    report = read_message(line)
    if expected is None:
        assert report is None
        return
    assert report == Report(**expected)  # type: ignore[arg-type]


def test_a_table_by_another_engine(start: HostMaker) -> None:
    command = shlex.join([*PROGRAM, "uci"])
    host = start(
        "analyse", "--engine", command, "--protocol", "uci", "--fen", "startpos", "--depth", "4", "--notation", "iccs"
    )
    lines = []
    while (line := host.line()) is not None:
        lines.append(line)
    assert host.exit_status() == 0
    assert lines[1].split()[:2] == ["1", "red"], lines


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_table_and_its_engines(
    tmp_path: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"table-{number.name}"
    monkeypatch.setenv(ENGINE_MARK, mark)
    engine = ["--engine", shlex.join(broken("deaf")), "--protocol", "uci", "--timeout", "1000"]
    command = [*PROGRAM, "analyse", "--fen", "startpos", "--movetime", "600000", "--threads", "1", *engine]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as program:
        assert program.stdout is not None and program.stderr is not None
        try:
            assert program.stdout.readline()  # the heading
            while not find_processes_by_env(ENGINE_MARK, f"{mark}."):
                assert program.poll() is None
            program.send_signal(number)
            assert program.wait(60) == 130
        finally:
            program.kill()
        assert program.stderr.read() == b""
    assert find_processes_by_env(ENGINE_MARK, f"{mark}.") == []
