"""`sanqi match --scheduler`: games on the two workers of a Dask cluster of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FAKE = Path(__file__).parents[1] / "helpers" / "fake_engine.py"
PATIENCE_S = 120


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a scheduler with two workers."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as local:
        yield local.scheduler_address


def engine(name: str, behaviour: str = "random") -> tuple[str, str]:
    return "--engine", f'name={name} cmd="{sys.executable} {FAKE} {behaviour} {name}"'


def match_on(cluster: str, sanqi: str, *words: str) -> list[str]:
    return [sanqi, "match", *words, "--nodes", "1", "--max-plies", "60", "--scheduler", cluster]


def numbers(file: Path) -> list[int]:
    """The numbers of the games in a file."""
    _, *games = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [game["game"] for game in games]


@pytest.mark.long
def test_games_of_a_worker_that_dies_are_played_again(cluster: str, sanqi: str, tmp_path: Path) -> None:
    from distributed import Client

    command = match_on(cluster, sanqi, *engine("a"), *engine("b"), "--games", "30", "--out", "games.jsonl")
    with Client(cluster, set_as_default=False) as client:
        worker, *_ = client.run(os.getpid).values()
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline()
    os.kill(worker, signal.SIGKILL)
    assert running.poll() is None
    out, errors = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, errors) == (0, "")
    assert sorted(numbers(tmp_path / "games.jsonl")) == list(range(1, 31))
    assert "a  0 crashes" in out


@pytest.mark.long
def test_an_engine_that_does_not_start_there_is_reported(cluster: str, sanqi: str, tmp_path: Path) -> None:
    command = match_on(cluster, sanqi, *engine("a"), *engine("b", "complain"), "--games", "2")
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert run.returncode == 2
    assert "engine b: ended during the handshake" in run.stderr
    assert run.stderr.count("\n") == 1
