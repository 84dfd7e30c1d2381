"""`sanqi analyse` drives Debian's Fairy-Stockfish, which counts the ranks from 1 and knows many variants."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path


def test_fairy_stockfish_analyses(sanqi: str, program: Callable[[str], str], tmp_path: Path) -> None:
    fairy = program("fairy-stockfish")
    moves = ["h2e2", "h9g7"]
    request = {
        "id": "a",
        "game": "xiangqi",
        "position": {"moves": moves},
        "analyzeTurns": [0, 1, 2],
        "limits": {"nodes": 3000},
        "multipv": 2,
        "avoidMoves": [],
    }
    restricted = {**request, "id": "b", "analyzeTurns": [0], "allowMoves": ["a0a1", "a0a2", "a3a4"]}
    finished = subprocess.run(
        [sanqi, "analyse", "--threads", "1", "--engine", fairy, "--protocol", "uci", "--set", "Hash=16"],
        input=json.dumps(request) + "\n" + json.dumps(restricted) + "\n",
        timeout=120,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    *answers, last = [json.loads(line) for line in finished.stdout.splitlines()]
    assert [answer["turnNumber"] for answer in answers] == [0, 1, 2]
    for answer in answers:
        assert answer["rootInfo"]["nodes"] > 0 and answer["rootInfo"]["depth"] > 0
        assert len(answer["moveInfos"]) == 2
        for info in answer["moveInfos"]:
            assert ("scoreCp" in info) != ("mate" in info)
            assert len(info["pv"]) == len(info["pvNames"]["chinese"]) > 1
    assert {info["move"] for info in last["moveInfos"]} <= {"a0a1", "a0a2", "a3a4"}
