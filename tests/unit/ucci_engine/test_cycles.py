"""How a position came back: the cases of docs/repetition.md, and what sides did in them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from ucci_engine.cycles import ATTACK, CHASE, CHECK, last_cycle
from ucci_engine.extra_pieces import open_position
from ucci_engine.points import parse_move
from ucci_engine.rule_sets import RULE_SETS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = tomllib.loads((Path(__file__).parents[2] / "data" / "repetition.toml").read_text(encoding="utf-8"))["case"]
LOSERS = {"draw": None, "red loses": 0, "black loses": 1}


def cycle_of(case: dict[str, Any], rule: str, plies: int | None = None) -> Any:
    position = open_position(case["fen"])
    position.set_rules(rule, case.get("quiet_limit", 120) or None)
    for move in case["moves"].split()[:plies]:
        position.push(parse_move(move))
    return last_cycle(position)


@pytest.mark.parametrize("rule", RULE_SETS)
def test_who_loses_is_what_the_rules_say(rule: str) -> None:
    seen = 0
    for case in CASES:
        verdict = case.get(rule, {}).get("verdict")
        cycle = cycle_of(case, rule)
        if verdict in LOSERS and cycle is not None and cycle.occurrences > 2:
            assert cycle.loser == LOSERS[verdict], case["name"]
            if cycle.loser is not None:
                assert cycle.conduct[cycle.loser] in (CHECK, CHASE, ATTACK), case["name"]
            seen += 1
    assert seen > 3


def test_a_cycle_is_known_when_it_is_there_for_the_second_time() -> None:
    case = next(case for case in CASES if case["name"] == "as orange-xiangqi: Red checks always (2)")
    assert cycle_of(case, "Computer", 3) is None
    second, third = cycle_of(case, "Computer", 4), cycle_of(case, "Computer")
    assert (second.occurrences, second.plies, second.loser, second.conduct) == (2, 4, 0, (CHECK, ""))
    assert (third.occurrences, third.loser) == (3, 0)
    assert cycle_of(case, "Draw").loser is None
