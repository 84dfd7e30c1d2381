"""The client drives real engines: the installed program and Fairy-Stockfish, over UCCI and UCI, in both rank styles."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import chess.engine
import pytest
from chess.engine import EngineError, EngineTerminatedError, Limit, SimpleEngine

from ucci_engine.client import open_ucci, open_uci, popen_ucci, popen_uci
from ucci_engine.xiangqi_board import XiangqiBoard, XiangqiMove

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "ucci-client.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)

TWO_ROOKS = "3k5/9/9/9/9/9/9/9/4R4/R3K4 w - - 0 1"


class Way(NamedTuple):
    """How to open an engine, and the faults that the client is known to report of it."""

    name: str
    start: Callable[[str], SimpleEngine]
    complaints: tuple[str, ...] = ()


WAYS = {
    "ucci": Way("sanqi", open_ucci),
    "uci": Way("sanqi", open_uci),
    "uci, ranks 1-10": Way("sanqi", lambda command: open_uci(command, ranks="1-10")),
    "fairy, uci": Way("fairy-stockfish", open_uci),
    "fairy, ucci": Way(
        "fairy-stockfish",
        lambda command: open_ucci(command, usemillisec=True),
        ("No such option: newgame", "score is not worded as in the protocol"),
    ),
}


@pytest.fixture(params=WAYS)
def engine(
    request: pytest.FixtureRequest, sanqi: str, program: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> Iterator[SimpleEngine]:
    """Each engine; the test fails if the client logs a fault that is not a known one."""
    caplog.set_level(logging.WARNING, logger="chess.engine")
    way = WAYS[request.param]
    with way.start(sanqi if way.name == "sanqi" else program(way.name)) as simple:
        yield simple
    complaints = [record.getMessage() for record in caplog.records if record.name == "chess.engine"]
    assert [text for text in complaints if not any(known in text for known in way.complaints)] == []


def test_plays_to_mate(engine: SimpleEngine) -> None:
    board = XiangqiBoard(TWO_ROOKS)
    while not board.is_game_over():
        result = engine.play(board, Limit(nodes=20000), game="mate")
        assert result.move is not None
        board.push(result.move)
    assert board.outcome() == chess.Outcome(chess.Termination.CHECKMATE, chess.WHITE)
    assert len(board.move_stack) < 30


def test_plays_on_a_clock_and_ponders(engine: SimpleEngine) -> None:
    board = XiangqiBoard()
    for _ in range(12):
        limit = Limit(white_clock=2, black_clock=2, white_inc=0.02, black_inc=0.02)
        result = engine.play(board, limit, game="clock", ponder=True, info=chess.engine.INFO_ALL)
        assert result.move is not None
        assert result.info["pv"][0] == result.move
        assert "score" in result.info
        board.push(result.move)
        if result.ponder and len(board.move_stack) % 3:
            board.push(result.ponder)
        elif others := [move for move in board.legal_moves if move != result.ponder]:
            board.push(others[0])
        if board.is_game_over():
            break
    engine.ping()


def test_analysis_with_several_lines(engine: SimpleEngine) -> None:
    board = XiangqiBoard()
    for text in ("h2e2", "h9g7", "h0g2", "i9h9"):
        board.push_uci(text)
    if "MultiPV" not in engine.options:  # ours over UCCI
        with pytest.raises(EngineError, match="cannot show 3 lines"):
            engine.analyse(board, Limit(depth=6), multipv=3)
        return
    with engine.analysis(board, Limit(depth=6), multipv=3) as analysis:
        best = analysis.wait()
        lines = analysis.multipv
    assert len(lines) == 3
    assert best.move == lines[0]["pv"][0]
    assert len({line["pv"][0] for line in lines}) == 3
    for line in lines:
        after = board.copy()
        for move in line["pv"]:
            after.push(move)
    scores = [line["score"].white().score(mate_score=30000) for line in lines]
    assert scores == sorted(scores, reverse=True)


def test_root_moves(engine: SimpleEngine) -> None:
    only = XiangqiMove.from_uci("a0a1")
    info = engine.analyse(XiangqiBoard(), Limit(depth=4), root_moves=[only])
    assert info["pv"][0] == only
    assert engine.play(XiangqiBoard(), Limit(depth=4), root_moves=[only]).move == only


def test_infinite_analysis_is_stopped(engine: SimpleEngine) -> None:
    with engine.analysis(XiangqiBoard()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 4:
                break
        analysis.stop()
        assert analysis.wait().move is not None
    assert engine.play(XiangqiBoard(TWO_ROOKS), Limit(depth=2)).move is not None


def test_no_legal_move(engine: SimpleEngine) -> None:
    engine.configure({"Hash" if "Hash" in engine.options else "hashsize": 8})
    result = engine.play(XiangqiBoard("3k5/3R5/9/9/9/9/9/9/9/3RK4 b - - 0 1"), Limit(depth=3))
    assert (result.move, result.resigned) == (None, False)


def test_quit(engine: SimpleEngine) -> None:
    engine.quit()
    assert engine.returncode.result() == 0
    with pytest.raises(EngineTerminatedError):
        engine.ping()


def test_engine_that_is_killed(engine: SimpleEngine) -> None:
    analysis = engine.analysis(XiangqiBoard())
    analysis.get()
    os.kill(engine.transport.get_pid(), signal.SIGKILL)
    with pytest.raises(EngineTerminatedError):
        analysis.wait()
    with pytest.raises(EngineTerminatedError):
        engine.play(XiangqiBoard(), Limit(depth=1))


@pytest.mark.parametrize("start", [open_ucci, open_uci])
def test_no_engine(start: Callable[[str], SimpleEngine]) -> None:
    with pytest.raises(EngineTerminatedError):
        start("true")
    with pytest.raises(FileNotFoundError):
        start("no-such-engine")


def test_two_engines_and_asyncio(sanqi: str, program: Callable[[str], str]) -> None:
    async def game(name: str) -> XiangqiBoard:
        board = XiangqiBoard()
        _, red = await popen_ucci(sanqi)
        _, black = await popen_uci(program("fairy-stockfish"))
        while len(board.move_stack) < 40 and not board.is_game_over():
            result = await (red if board.turn == chess.WHITE else black).play(board, Limit(nodes=2000), game=name)
            assert result.move is not None
            board.push(result.move)
        await asyncio.gather(red.quit(), black.quit())
        return board

    async def games() -> list[XiangqiBoard]:
        return list(await asyncio.gather(game("one"), game("two")))

    for board in asyncio.run(games()):
        assert len(board.move_stack) == 40 or board.is_game_over()


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_of_the_page(
    example: str, sanqi: str, program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [str(Path(sanqi).parent)]
    if "fairy-stockfish" in example:
        folders.append(str(Path(program("fairy-stockfish")).parent))
    monkeypatch.setenv("PATH", os.pathsep.join((*folders, os.environ.get("PATH", os.defpath))))
    exec(compile(example, str(PAGE), "exec"), {"__name__": "__main__"})
