"""A real browser on the page of `sanqi board`: Debian's chromium, driven by playwright."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.board_page import BoardPage

SANQI = str(Path(sysconfig.get_path("scripts")) / "sanqi")
CHROMIUM = "/usr/bin/chromium"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


class BoardServer:
    """`sanqi board` as a process, with the user's data in a folder."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._command = [SANQI, "board", "--no-open", *arguments]
        self._environment = {**os.environ, "XDG_DATA_HOME": str(folder), "HOME": str(folder)}
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True, env=self._environment)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                self.address = found[0]
                return
        raise AssertionError("sanqi board has printed no address")

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self.process.wait(timeout=20)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright from PyPI")
    pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python from PyPI")
    if shutil.which(CHROMIUM) is None:
        pytest.skip("needs Debian's chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_server(tmp_path: Path) -> Iterator[Callable[..., BoardServer]]:
    """Starts servers, which end with the test."""
    servers: list[BoardServer] = []

    def start(*arguments: str) -> BoardServer:
        servers.append(BoardServer(tmp_path, *arguments))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture
def server(open_server: Callable[..., BoardServer]) -> BoardServer:
    return open_server()


@pytest.fixture
def open_page(chromium: Any, server: BoardServer) -> Iterator[Callable[..., BoardPage]]:
    """Opens tabs on the server's page, each in a browser of its own."""
    contexts: list[Any] = []

    def open_one(address: str = "", **context: Any) -> BoardPage:
        contexts.append(chromium.new_context(**context))
        return BoardPage(contexts[-1].new_page(), address or server.address)

    yield open_one
    for context in contexts:
        context.close()
