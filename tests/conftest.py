"""Rules for all tests: the packages under test are the installed, compiled ones; in CI nothing may skip."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.helpers.browser import Browser

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "search_core",
    "game_core",
    "board_pages",
    "engine_client",
    "match_runner",
    "ucci_engine",
    "gomoku_protocol",
    "junqi_protocol",
    "game_review",
    "engine_doctor",
    "web_board",
    "sanqi",
)

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def not_installed() -> str | None:
    """Why the packages that `import` finds are not the installed compiled ones, or None if they are."""
    for package in PACKAGES:
        found = importlib.util.find_spec(package)
        if found is None or found.origin is None:
            return f"{package} is not installed"
        if Path(found.origin).resolve().parent == CHECKOUT / package:
            return f"{package} would be imported from the checkout"
    native = importlib.util.find_spec("search_core.search")
    if native is None or native.origin is None or not native.origin.endswith(tuple(EXTENSION_SUFFIXES)):
        return "search_core.search is not compiled"
    return None


def pytest_sessionstart() -> None:
    # Background jobs of a shell ignore Ctrl-C, and the programs that tests interrupt would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    reason = not_installed()
    if reason is not None:
        raise pytest.UsageError(
            f"{reason}; the tests are for the installed sanqi: "
            "`.venv/bin/pip install '.[test]' && .venv/bin/pytest` (`python -m pytest` puts the checkout first)"
        )


def without_skip(report: Report) -> Report:
    """The report; a skip becomes a failure with SANQI_NO_SKIP=1, since CI has every program that tests need."""
    if os.environ.get("SANQI_NO_SKIP") == "1" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason} (SANQI_NO_SKIP=1: no test may skip)"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return without_skip((yield))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return without_skip((yield))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Runs scripts in pages."""
    started = Browser()
    yield started
    started.close()


@pytest.fixture
def load_benchmark(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Gives a program of benchmarks/ as a module, by its name."""

    def load(name: str) -> Any:
        monkeypatch.syspath_prepend(str(CHECKOUT / "benchmarks"))
        spec = importlib.util.spec_from_file_location(name, CHECKOUT / "benchmarks" / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)  # where dataclasses looks for it
        spec.loader.exec_module(module)
        return module

    return load
