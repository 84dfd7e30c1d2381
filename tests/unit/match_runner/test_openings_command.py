"""`sanqi openings`, from the command line."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import sysconfig
from itertools import product
from pathlib import Path

import pytest

from gomoku_protocol.match_game import Gomoku
from gomoku_protocol.points import RENJU, move_at, parse_point
from gomoku_protocol.position import Position as GomokuPosition
from match_runner.opening_maker import (
    MAX_CP,
    MAX_PLIES,
    MIN_PLIES,
    Candidate,
    OpeningMaker,
    QuickSearch,
)
from match_runner.openings import read_openings
from match_runner.openings_command import NODES
from search_core.engine import Engine, Limits
from search_core.game import Game
from ucci_engine.match_game import Xiangqi
from ucci_engine.points import parse_move
from ucci_engine.position import Position

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
COUNT = 2


def openings(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SANQI, "openings", *arguments], capture_output=True, encoding="utf-8", timeout=200, check=False
    )


def made(path: Path, *arguments: str) -> None:
    finished = openings(*arguments, "--count", str(COUNT), "--out", path)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")


def largest_score(game: Game) -> int:
    """Of the last complete iteration, which is shown to hosts, and of the move that is played."""
    with Engine() as engine:
        result = engine.search(game, Limits(nodes=NODES))
    return max(abs(result.score), abs(result.lines[0].score))


def test_xiangqi(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    made(file, "xiangqi")
    boards = set()
    found = read_openings(file, Xiangqi())
    for opening in found:
        assert MIN_PLIES <= len(opening.moves) <= MAX_PLIES
        position = Position()
        for move in opening.moves:
            position.push(parse_move(move))
        assert largest_score(position) <= MAX_CP
        board, side = position.fen().split()[:2]
        boards |= {(board, side), ("/".join(rank[::-1] for rank in board.split("/")), side)}
    assert len(found) == COUNT
    assert len(boards) == 2 * COUNT  # no position is its own mirror image after so few moves, with this seed


def test_other_nodes_are_named_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    made(file, "gomoku", "--nodes", "5000")
    first, _, third, *_ = file.read_text(encoding="utf-8").splitlines()
    assert first.endswith("--size 15x15 --nodes 5000 --count 2 --seed 0")
    assert third == "# Even by a search of 5,000 nodes: 50 centipawns at most."


@pytest.mark.long
def test_gomoku(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    made(file, "gomoku", "--rule", "renju", "--size", "13", "--jobs", "2")
    boards = set()
    found = read_openings(file, Gomoku(13, 13, RENJU))
    for opening in found:
        assert MIN_PLIES <= len(opening.moves) <= MAX_PLIES
        position = GomokuPosition(13, 13, RENJU)
        stones = [parse_point(move) for move in opening.moves]
        for x, y in stones:
            position.push(move_at(x, y))
        assert largest_score(position) <= MAX_CP
        for turned, across, down in product((False, True), (1, -1), (1, -1)):
            image = [(across * (x - 6), down * (y - 6)) for x, y in stones]
            if turned:
                image = [(y, x) for x, y in image]
            boards.add((frozenset(image[::2]), frozenset(image[1::2])))
    assert len(found) == COUNT
    assert len(boards) == 8 * COUNT


@pytest.mark.parametrize("game", ["xiangqi", pytest.param("gomoku", marks=pytest.mark.long)])
def test_a_seed_gives_the_same_openings_with_any_number_of_jobs(game: str) -> None:
    one, two = (openings(game, "--count", "1", "--seed", "7", "--jobs", jobs) for jobs in ("1", "2"))
    assert (one.returncode, one.stderr) == (0, "")
    assert one.stdout == two.stdout
    other = openings(game, "--count", "1", "--seed", "8")
    assert set(one.stdout.splitlines()[3:]).isdisjoint(other.stdout.splitlines()[3:])


class OneOpening:
    """An OpeningSource that has the same opening twice, and then none."""

    def __init__(self) -> None:
        self.draws = 0

    def draw(self, chance: random.Random, search: QuickSearch) -> Candidate | None:
        self.draws += 1
        return Candidate(Position(), "", "the same") if self.draws <= 2 else None


def test_it_ends_when_no_more_are_found() -> None:
    maker = OpeningMaker(OneOpening(), 0, 1, NODES)
    assert [opening.likeness for opening in maker.make(2)] == ["the same"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals for one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_was_found(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "openings.txt"
    with file.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [SANQI, "openings", "xiangqi", "--count", "100000"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            output.write(line)
            if not line.startswith("#"):
                process.send_signal(number)
                break
        rest, complaint = process.communicate(timeout=60)
        output.write(rest)
    assert process.returncode == 130
    found = len(read_openings(file, Xiangqi()))
    assert complaint == f"sanqi openings: interrupted after {found} of 100000 openings\n"


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "none" / "openings.txt"
    finished = openings("gomoku", "--out", file)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.startswith("sanqi openings: --out ")
    assert finished.stderr.count("\n") == 1


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("h2e2\n", encoding="utf-8")
    finished = openings("xiangqi", "--count", "1", "--out", file)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr == f"sanqi openings: --out {file}: the file exists already; nothing was written\n"
    assert file.read_text(encoding="utf-8") == "h2e2\n"
