"""Times of `sanqi board`, in milliseconds: from the command to its address, from the address to the page, from a click
to the board, also while an analysis runs, and to an engine's answer, from the end of an analysis to that of its search;
and the review of a game of Xiangqi.

    python benchmarks/board.py

Needs Debian's chromium, and playwright from PyPI.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from playwright.sync_api import sync_playwright

from game_core.engine_analyst import EngineAnalyst
from game_review.analysis_job import TurnJob, jobs_of
from game_review.analysis_pool import AnalystPool
from game_review.analysis_request import Query, search_limits
from search_core.clock import now_s
from search_core.engine import Engine
from search_core.thinker import Limits, Result
from ucci_engine.page_board import XiangqiPageBoard
from ucci_engine.session import XiangqiSession

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
STARTS = 5
STONES = 50
LINES = 4
STOPS = 50
SEARCHED_S = 0.2
ANSWERS = 10
MOVETIME_MS = 1000
PLIES = 80
NODES = (20_000, 200)
"""Of the two sides of the game that is reviewed: one makes mistakes."""
REVIEW_MS = 600_000
# A click on a point; the time until the page has drawn the stone.
CLICK = """name => new Promise(done => {
    const main = document.querySelector("main"), began = performance.now();
    new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
    }).observe(main, {attributes: true, attributeFilter: ["data-ply"]});
    document.querySelector(`.point[data-name="${name}"]`).dispatchEvent(new MouseEvent("click", {bubbles: true}));
})"""


# A click on a point; the time until the page has drawn the engine's answer.
ANSWER = """name => new Promise(done => {
    const main = document.querySelector("main"), began = performance.now();
    new MutationObserver((_, observer) => {
        if (main.dataset.ply !== "2") return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
    }).observe(main, {attributes: true, attributeFilter: ["data-ply"]});
    document.querySelector(`.point[data-name="${name}"]`).dispatchEvent(new MouseEvent("click", {bubbles: true}));
})"""


@contextmanager
def board(command: str) -> Iterator[tuple[float, str]]:
    """A server with no games: the time to its address, and the address."""
    with tempfile.TemporaryDirectory() as folder:
        began = now_s()
        environment = {**os.environ, "SANQI_DATA": folder}
        with subprocess.Popen(
            [*command.split(), "board", "--no-open"], stdout=subprocess.PIPE, text=True, env=environment
        ) as process:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            try:
                yield 1000 * (now_s() - began), found[0]
            finally:
                process.terminate()


def clicks(page: Any, lines: int = 0) -> list[float]:
    """The times from click to board of a game of two persons. `lines`: of the analysis that runs; 0: none does."""
    if not page.locator("#dialog[open]").count():
        page.click('[data-act="new"]')
    page.locator('input[name="game"][value="gomoku"]').check(force=True)
    for seat in range(2):
        page.select_option(f'#dialog [name="player{seat}"]', "person")
    page.click("#begin")
    page.wait_for_selector("#dialog:not([open])", state="attached")
    page.wait_for_selector("main[data-ply='0']")
    points = [f"{x},{y}" for y in range(0, 15, 2) for x in range(13)][: STONES + 1]
    page.evaluate(CLICK, points.pop())  # on an empty board the engine looks at one move alone
    if lines:
        page.click('[data-act="analyse"]')
        page.select_option("#lines", str(lines))
        page.wait_for_selector(f".arrow >> nth={lines - 1}")
    return sorted(page.evaluate(CLICK, point) for point in points)


def answers(page: Any) -> list[float]:
    """The times from click to answer of an engine that may think MOVETIME_MS, the same first move again and again."""
    page.click('[data-act="new"]')
    page.wait_for_selector("#dialog[open] #begin")
    page.locator('input[name="game"][value="xiangqi"]').check(force=True)
    page.locator("#dialog details").evaluate_all("nodes => nodes.forEach(node => { node.open = true; })")
    page.select_option('#dialog [name="player0"]', "person")
    page.select_option('#dialog [name="player1"]', "sanqi")
    page.select_option('#dialog [name="level1"]', "full")
    page.fill('#dialog [name="movetime"]', str(MOVETIME_MS))
    page.click("#begin")
    page.wait_for_selector("#dialog:not([open])", state="attached")
    times = []
    for _ in range(ANSWERS):
        page.wait_for_selector("main[data-ply='0'][data-turn='mine']")
        page.click('.point[data-name="h2"]')
        times.append(page.evaluate(ANSWER, "e2"))
        page.click('[data-act="undo"]')
    return sorted(times)


def stops() -> list[float]:
    """The times in which a search of the analysis ends, after each position of a game."""
    subject = XiangqiPageBoard(XiangqiSession()).subject(XiangqiSession, [])
    ended: SimpleQueue[dict[str, Any]] = SimpleQueue()
    pool = AnalystPool[TurnJob]([EngineAnalyst(64)], ended.put)
    times = []
    for number in range(STOPS):
        query = Query(str(number), subject, (0,), search_limits(0, 60_000, 0, LINES), ("ucci",))
        pool.submit(*jobs_of(query, ended.put))
        time.sleep(SEARCHED_S)
        began = now_s()
        pool.drop(lambda job: True)
        ended.get()
        times.append(1000 * (now_s() - began))
    pool.close()
    return sorted(times)


def shown(times: list[float]) -> str:
    return f"median {statistics.median(times):.0f}, p95 {times[len(times) * 95 // 100]:.0f}"


def record() -> bytes:
    """A game of so many plies that a strong and a weak side have played."""
    session = XiangqiSession()
    with Engine() as engine:
        while session.ply < PLIES and session.verdict() is None:
            results: SimpleQueue[Result] = SimpleQueue()
            engine.go(session.position(), Limits(nodes=NODES[session.to_move]), on_result=results.put)
            best = results.get().best
            assert best is not None
            session.play(session.move_text(best))
            engine.wait()
    return session.save("pgn")


def review(page: Any) -> tuple[int, int, float]:
    """Load a game and review it: its plies, its marks and the time."""
    page.keyboard.press("Escape")
    with page.expect_file_chooser() as chooser:
        page.click('[data-act="open"]')
    chooser.value.set_files({"name": "game.pgn", "mimeType": "text/plain", "buffer": record()})
    page.wait_for_selector('[data-act="review"]')
    began = now_s()
    page.click('[data-act="review"]')
    page.wait_for_selector("#accuracy", timeout=REVIEW_MS)
    ms = 1000 * (now_s() - began)
    return page.locator("#moves button").count(), page.locator("#moves .sign").count(), ms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=SANQI, metavar="CMD", help="sanqi (default: the installed one)")
    args = parser.parse_args()
    addresses, pages = [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for _ in range(STARTS):
            with board(args.engine) as (ms, address):
                addresses.append(ms)
                page = browser.new_context().new_page()
                began = now_s()
                page.goto(address)
                page.wait_for_selector("#dialog[open] #begin")
                pages.append(1000 * (now_s() - began))
                times = clicks(page)
                analysed = clicks(page, LINES)
                answered = answers(page)
        with board(args.engine) as (_, address):
            page = browser.new_context().new_page()
            page.goto(address)
            page.wait_for_selector("#dialog[open] #begin")
            plies, marks, review_ms = review(page)
        browser.close()
    print(f"address: median {statistics.median(addresses):.0f}, of {STARTS} starts, longest {max(addresses):.0f}")
    print(f"page ready: median {statistics.median(pages):.0f}, longest {max(pages):.0f}")
    print(f"click to board, {STONES} stones: {shown(times)}; with {LINES} lines of analysis: {shown(analysed)}")
    print(f"answer of an engine with {MOVETIME_MS}, {ANSWERS} times: {shown(answered)}, longest {answered[-1]:.0f}")
    print(f"end of an analysis, {STOPS} times: {shown(stops())}")
    print(f"review of {plies} plies with {marks} marks: {review_ms:.0f}")


if __name__ == "__main__":
    main()
