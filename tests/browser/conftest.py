"""A real browser on the page of `sanqi board`: Debian's chromium, driven by playwright."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.board_page import BoardPage
from tests.protocol.conftest import BoardMaker, start_board

if TYPE_CHECKING:
    from tests.helpers.board_client import BoardProcess

__all__ = ["start_board"]  # a fixture

CHROMIUM = "/usr/bin/chromium"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


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
def server(start_board: BoardMaker) -> BoardProcess:
    return start_board()


@pytest.fixture
def open_page(chromium: Any, server: BoardProcess) -> Iterator[Callable[..., BoardPage]]:
    """Opens tabs on the server's page, each in a browser of its own."""
    contexts: list[Any] = []

    def open_one(address: str = "", **context: Any) -> BoardPage:
        contexts.append(chromium.new_context(**context))
        return BoardPage(contexts[-1].new_page(), address or server.owner_link)

    yield open_one
    for context in contexts:
        context.close()
