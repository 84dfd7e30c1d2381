"""Two games of `sanqi match` against Debian's Fairy-Stockfish, as a user would play them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ucci_engine.points import parse_move
from ucci_engine.position import Position

MATCH_S = 240


@pytest.mark.parametrize("protocol", ["uci", pytest.param("ucci", marks=pytest.mark.long)])
def test_match_against_fairy_stockfish(
    protocol: str, sanqi: str, program: Callable[[str], str], tmp_path: Path
) -> None:
    fairy = program("fairy-stockfish")
    out = tmp_path / "games.jsonl"
    finished = subprocess.run(
        [
            *(sanqi, "match", "--games", "2", "--movetime", "4", "--margin", "5000", "--out", str(out)),
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


@pytest.mark.parametrize(
    ("protocol", "variant"), [("ucci", ""), pytest.param("uci", "variant=xiangqi", marks=pytest.mark.long)]
)
def test_options_of_fairy_stockfish_are_checked_and_sent_as_it_spells_them(
    protocol: str, variant: str, sanqi: str, program: Callable[[str], str], tmp_path: Path
) -> None:
    fairy = f'name=fairy cmd="{program("fairy-stockfish")}" proto={protocol} {variant}'

    def match(words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sanqi, "match", "--games", "2", "--nodes", "50", "--max-plies", "10", "--engine", f"{fairy} {words}",
             "--engine", f'name=sanqi cmd="{sanqi}"'],
            cwd=tmp_path, timeout=MATCH_S, capture_output=True, text=True, check=False,
        )  # a command line, many words a line  # fmt: skip

    refused = match("option.Nosuch=1 option.Hash=0 option.Threds=1 option.UCI_Variant=xianqi")
    assert (refused.returncode, refused.stdout) == (2, "")
    for told in (
        "no option 'Nosuch'",
        "'Hash' is '0', expected a number from 1 to ",
        "did you mean 'Threads'?",
        "option 'UCI_Variant' is 'xianqi', expected one of 3check, ",
    ):
        assert told in refused.stderr
    # It knows its log option in one spelling only: with blanks in UCI, with _ in UCCI.
    played = match("option.hashsize=1 option.debuglogfile=log")
    assert played.returncode == 0
    remark = "sanqi match: engine fairy: has no option usemillisec: it must count times in milliseconds\n"
    assert played.stderr == (remark if protocol == "ucci" else "")
    assert "position " in (tmp_path / "log").read_text(encoding="utf-8")
