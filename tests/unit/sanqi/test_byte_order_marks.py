"""Every reader of text files takes a byte order mark, and UTF-16 with one; jgr refuses UTF-16 in one line."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path

import pytest

from engine_client.specification import read_engines
from gomoku_protocol.records import parse_record
from junqi_protocol.records.records import RecordError, Replay
from junqi_protocol.rules import lineup
from match_runner.openings import opening_lines
from search_core.text_file import unmarked
from ucci_engine.records import read_file

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
FIELD = Path(__file__).parents[2] / "data" / "field" / "junqi"
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32")
PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,0\n甲\n乙\n-1\n"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("break_", ["\n", "\r\n"])
def test_records_openings_lists_and_lineups(encoding: str, break_: str, tmp_path: Path) -> None:
    def data(text: str) -> bytes:
        return text.replace("\n", break_).encode(encoding)

    record = parse_record(data(PSQ), "psq")
    assert (len(record.moves), record.names) == (2, ("甲", "乙"))
    assert len(parse_record(data("881 782\n"), "hex").moves) == 2
    assert len(parse_record(data("h8i9\n"), "hex").moves) == 2
    (game,) = read_file(data('[Red "甲"]\n\n1. h2e2 *\n'), "a.pgn")
    assert (game.tags["Red"], len(game.moves)) == ("甲", 1)
    openings = tmp_path / "openings.txt"
    openings.write_bytes(data("# 甲\nh2e2 h9g7\n"))
    assert list(opening_lines(openings)) == [(2, ["h2e2", "h9g7"])]
    engines = tmp_path / "engines.toml"
    engines.write_bytes(data('["甲"]\ncmd = "x"\n'))
    assert list(read_engines(engines)) == ["甲"]
    lineups = tmp_path / "lineup.txt"
    lineups.write_bytes(data("# 甲\n96317/5.3.5/81.37/B.2.4/6M2MB/4FM21\n"))
    assert len(lineup.from_file(lineups)) == 1


def test_junqi_files_from_the_field() -> None:
    replay = Replay((FIELD / "bom.jgr").read_bytes())
    assert replay.finished and str(replay.arbiter.outcome) == "win 1,3 flag"
    assert lineup.from_file(FIELD / "bom.txt") == [lineup.parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")]
    with pytest.raises(RecordError, match="line 1: a text in UTF-16"):
        Replay((FIELD / "bom.jgr").read_bytes().decode("utf-8-sig").encode("utf-16"))


@pytest.mark.parametrize("command", ["verify", "show"])
def test_junqi_commands(command: str, tmp_path: Path) -> None:
    words = (SANQI, "junqi-record", command)
    assert subprocess.run([*words, FIELD / "bom.jgr"], capture_output=True, timeout=60).returncode == 0
    other = tmp_path / "a.jgr"
    other.write_bytes((FIELD / "bom.jgr").read_bytes().decode("utf-8-sig").encode("utf-16"))
    finished = subprocess.run([*words, other], capture_output=True, text=True, timeout=60)
    assert finished.returncode != 0 and (finished.stdout + finished.stderr).count("\n") == 1


def test_requests_of_analyse() -> None:
    request = json.dumps({"id": "a", "game": "xiangqi", "position": {}, "limits": {"nodes": 10}})
    finished = subprocess.run(
        [SANQI, "analyse"], input=request.encode("utf-8-sig"), capture_output=True, timeout=60, check=True
    )
    assert b'"error"' not in finished.stdout and b'"id":"a"' in finished.stdout


def test_bytes_without_a_mark_stay_as_they_are() -> None:
    for data in (b"", b"\xef\xbb", b"abc", "甲".encode("gb18030"), b"\xff"):
        assert unmarked(data) is data
    assert unmarked(b"\xff\xfea") == "\ufffd".encode()  # half a character
