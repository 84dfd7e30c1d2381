"""With SANQI_TUNE=1 the search's parameters are options of the engine, and only then."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gomoku_protocol.position import Position as GomokuPosition
from search_core.parameters import PARAMETERS
from ucci_engine.position import Position

if TYPE_CHECKING:
    from tests.protocol.conftest import HostMaker, ProgramHost

TUNED = {"SANQI_TUNE": "1"}
NAMES = [name for name, *_ in PARAMETERS]


def nodes(host: ProgramHost, *commands: str, answer: str) -> int:
    """How many nodes a search takes, by the last line that says so before its answer."""
    host.send(*commands)
    return int(re.findall(r"(?:nodes|N) (\d+)", "\n".join(host.until(answer)))[-1])


def test_the_table_and_the_struct_agree() -> None:
    own = {"quiet_checks": 2, "nmp_verification_depth": 1}
    assert Position().parameters == {name: default for name, default, _, _ in PARAMETERS} | own
    assert list(GomokuPosition().parameters) == NAMES == list(dict.fromkeys(NAMES))
    for game in (Position(), GomokuPosition()):
        for name, default, minimum, maximum in PARAMETERS:
            assert minimum <= default <= maximum
            assert minimum <= game.parameters[name] <= maximum


def test_tune_refuses_an_unknown_name() -> None:
    position = Position()
    before = position.parameters
    with pytest.raises(KeyError, match="no_such_thing"):
        position.tune({"rfp_margin": 1, "no_such_thing": 2})
    assert position.parameters == before
    position.tune({"rfp_margin": 1})
    assert position.parameters == {**before, "rfp_margin": 1}
    assert position.copy().parameters == before


@pytest.mark.parametrize("protocol", ["uci", "ucci"])
def test_a_parameter_changes_the_tree(start: HostMaker, protocol: str) -> None:
    host = start(protocol, environment=TUNED)
    host.send(protocol)
    listed = re.findall(r"^option (?:name )?(\w+) type spin .*$", "\n".join(host.until(f"{protocol}ok")), re.MULTILINE)
    assert [name for name in listed if name in NAMES] == NAMES
    setting = "setoption {} {}" if protocol == "ucci" else "setoption name {} value {}"
    fresh = "setoption newgame" if protocol == "ucci" else "setoption name Clear Hash"
    search = (fresh, "position startpos" if protocol == "uci" else f"position fen {Position().fen()}", "go depth 8")
    usual = nodes(host, *search, answer="bestmove*")
    assert usual == nodes(host, *search, answer="bestmove*")
    changed = nodes(host, setting.format("lmr_divisor", 400), *search, answer="bestmove*")
    assert changed != usual
    assert changed == nodes(host, *search, answer="bestmove*")
    assert usual == nodes(host, setting.format("lmr_divisor", 225), *search, answer="bestmove*")


@pytest.mark.parametrize("environment", [{}, {"SANQI_TUNE": "0"}, {"SANQI_TUNE": ""}])
def test_without_the_variable_the_option_is_missing(start: HostMaker, environment: dict[str, str]) -> None:
    host = start("uci", environment=environment)
    host.send("uci")
    assert "lmr_divisor" not in "\n".join(host.until("uciok"))
    assert host.said("setoption name lmr_divisor value 400") == ["info string unknown option 'lmr_divisor', ignored"]


@pytest.mark.parametrize("environment", [{}, TUNED])
def test_a_key_of_gomocup(start: HostMaker, environment: dict[str, str]) -> None:
    host = start("gomocup", environment=environment)
    host.send("START 15", "INFO show_detail 1", "INFO max_depth 8", "INFO timeout_turn 60000")
    host.until("OK")
    counts = []
    for divisor in (110, 110, 400):
        host.send("RESTART", f"INFO lmr_divisor {divisor}")
        host.until("OK")
        host.send("BOARD", "7,7,1", "8,8,2", "7,9,1", "9,7,2", "DONE")
        line, told = "MESSAGE", ""
        while line.startswith("MESSAGE"):
            told, line = line, host.line() or ""
        counts.append(int(told.split(" N ")[1].split()[0]))
    assert counts[0] == counts[1]
    assert (counts[2] != counts[0]) == (environment == TUNED)
