"""Whole games in XBoard, through uci2wb, against HoiXiangqi: XBoard checks every move and adjudicates."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ucci_engine.pgn import read_games
from ucci_engine.position import Position

GAME_S = 240


@pytest.mark.parametrize(
    "dialect", [pytest.param("-x", id="ucci"), pytest.param("-c", id="cyclone", marks=pytest.mark.long)]
)
def test_whole_game(dialect: str, sanqi: str, program: Callable[[str], str], display: str, tmp_path: Path) -> None:
    xboard, uci2wb, hoixiangqi = program("xboard"), program("uci2wb"), program("hoixiangqi")
    saved = tmp_path / "game.pgn"
    dialogue = tmp_path / "dialogue.txt"
    finished = subprocess.run(
        [
            *(xboard, "-noGUI", "-variant", "xiangqi", "-fcp", f"{uci2wb} {dialect} {sanqi}", "-scp", hoixiangqi),
            *("-mg", "1", "-tc", "0:02", "-mps", "40", "-matchPause", "100", "-xexit"),
            *("-sgf", str(saved), "-debug", "-nameOfDebugFile", str(dialogue), "-soundProgram", ""),
        ],
        env=os.environ | {"DISPLAY": display, "HOME": str(tmp_path)},
        cwd=tmp_path,
        timeout=GAME_S,
        capture_output=True,
        text=True,
        check=False,
    )
    record = saved.read_text(errors="replace") if saved.exists() else ""
    result = re.search(r'^\[Result "(.+)"\]$', record, re.MULTILINE)
    assert result is not None, finished.stderr + dialogue.read_text(errors="replace")[-2000:]
    assert result[1] in ("1-0", "0-1", "1/2-1/2"), record
    ending = re.findall(r"\{([^{}]*)\}", record)[-1].lower()
    for fault in ("illegal", "exited", "forfeit", "false", "time", "interrupt"):
        assert fault not in ending, record
    assert "illegal" not in dialogue.read_text(errors="replace").lower()
    (game,) = read_games(record)
    # It may be short: HoiXiangqi, with so little time, was mated at ply 7.
    assert game.moves
    assert game.result == result[1]
    position = Position(game.fen)
    for move in game.moves:
        position.push(move)
    assert ("checkmate" in ending) == (position.result() == "mate")
