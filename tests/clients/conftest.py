"""The real programs that drive the engine. A test whose program is absent skips and names it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# Debian keeps games off the path of root and of services.
SEARCHED = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games"))


@pytest.fixture(scope="session")
def sanqi() -> str:
    """The installed command."""
    return str(Path(sysconfig.get_path("scripts")) / "sanqi")


@pytest.fixture(scope="session")
def program() -> Callable[[str], str]:
    """Finds an outside program by name, or skips the test."""

    def find(name: str) -> str:
        path = shutil.which(name, path=SEARCHED)
        if path is None:
            pytest.skip(f"{name} is not installed")
        return path

    return find


@pytest.fixture
def display(program: Callable[[str], str]) -> Iterator[str]:
    """The name of a display of our own (Xvfb)."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [program("Xvfb"), "-displayfd", str(writing), "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as number:
            yield f":{number.readline().strip()}"  # written once the server takes clients
    finally:
        server.terminate()
        server.wait()
