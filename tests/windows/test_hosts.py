"""The program under hosts that start it in the ways of Windows GUIs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.windows.conftest import PYTHON, Hosts, Watched


@pytest.mark.parametrize(
    "manner",
    ["-", "e", "n", "d", "s", "g", "ens"],
    ids=["plain", "inheriting", "no window", "no console", "no stderr", "group", "all"],
)
@pytest.mark.parametrize("line_protocol", ["ucci", "gomocup"])
def test_a_game_under_a_host(under_host: Hosts, manner: str, line_protocol: str) -> None:
    with under_host(manner) as host:
        if line_protocol == "ucci":
            host.send("ucci")
            host.until("ucciok")
            host.send("position startpos", "go depth 3")
            host.until("bestmove ")
            host.send("quit")
        else:
            host.send("START 15")
            host.until("OK")
            host.send("INFO timeout_turn 100", "BEGIN")
            assert host.until("").count(",") == 1
            host.send("END")
        assert host.until("host: status") == "host: status 0"


@pytest.mark.parametrize("manner", ["-", "e"], ids=["plain", "inheriting"])
@pytest.mark.parametrize("installed", [False, True], ids=["python", "command"])
def test_it_leaves_with_its_host(under_host: Hosts, sanqi: str, manner: str, installed: bool) -> None:
    with under_host(manner, [sanqi] if installed else PYTHON) as host:
        engine = Watched(host.engine)
        host.send("ucci")
        host.until("ucciok")
        host.send("position startpos", "go infinite")
        host.until("info ")
        host.send("!leave")
        assert engine.ends()


@pytest.mark.parametrize("manner", ["-", "s"], ids=["plain", "no stderr"])
def test_a_log_that_cannot_be_written_costs_nothing(under_host: Hosts, tmp_path: Path, manner: str) -> None:
    with under_host(manner, SANQI_LOG=str(tmp_path)) as host:
        host.send("uci")
        host.until("uciok")
        host.send("quit")
        assert host.until("host: status") == "host: status 0"
