"""Two games of `sanqi match` against Debian's Fairy-Stockfish, as a user would play them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ucci_engine.position import Position
from ucci_engine.squares import parse_move

MATCH_S = 240


@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_match_against_fairy_stockfish(
    protocol: str, sanqi: str, program: Callable[[str], str], tmp_path: Path
) -> None:
    fairy = program("fairy-stockfish")
    out = tmp_path / "games.jsonl"
    finished = subprocess.run(
        [
            *(sanqi, "match", "--games", "2", "--movetime", "30", "--margin", "5000", "--out", str(out)),
            *("--engine", f'name=sanqi cmd="{sanqi}" proto={protocol} option.Hash=16'),
            *("--engine", f'name=fairy cmd="{fairy}" proto=uci variant=xiangqi option.Hash=16'),
        ],
        timeout=MATCH_S,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    _, *games = [json.loads(line) for line in out.read_text().splitlines()]
    assert [game["red"] for game in games] == ["sanqi", "fairy"]
    assert games[0]["opening_line"] == games[1]["opening_line"]
    for game in games:
        assert game["detail"] == "", game
        position = Position()
        for text in game["moves"]:
            assert position.result() == "ongoing"
            position.push(parse_move(text))
        assert position.result() == game["reason"]
    assert finished.stdout.count("0 crashes, 0 time losses, 0 illegal moves") == 2
