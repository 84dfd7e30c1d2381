"""python-chess (`chess.engine`, UCI) drives the engine with a board that only passes texts on.

Its own boards are 8x8. Its PV reader stops at squares beyond h8, so best moves are checked and lines are not.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import cast

import chess.engine
import pytest

from ucci_engine.points import START_FEN, parse_move
from ucci_engine.position import Position


class TextMove:
    """A move that is only its text; `chess.Move` has no ninth file."""

    def __init__(self, text: str) -> None:
        self.text = text

    def uci(self) -> str:
        return self.text


class TextBoard(chess.Board):
    """The part of a board that chess.engine uses."""

    uci_variant = "xiangqi"

    def __init__(self, fen: str = START_FEN, moves: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.start = fen
        self.move_stack = [TextMove(text) for text in moves]  # type: ignore[misc]

    def root(self) -> TextBoard:
        return TextBoard(self.start)

    def fen(self, **_: object) -> str:
        return self.start

    def copy(self, *, stack: bool | int = True) -> TextBoard:
        return TextBoard(self.start, tuple(move.uci() for move in self.move_stack))

    def parse_uci(self, uci: str) -> TextMove:  # type: ignore[override]
        return TextMove(uci)

    def push(self, move: TextMove) -> None:  # type: ignore[override]
        self.move_stack.append(move)  # type: ignore[arg-type]

    def push_uci(self, uci: str) -> TextMove:  # type: ignore[override]
        self.push(TextMove(uci))
        return TextMove(uci)

    def pop(self) -> TextMove:  # type: ignore[override]
        return self.move_stack.pop()  # type: ignore[return-value]


@pytest.fixture
def engine(sanqi: str, caplog: pytest.LogCaptureFixture) -> Iterator[chess.engine.SimpleEngine]:
    """The engine in python-chess; the test fails on anything that python-chess complains of."""
    caplog.set_level(logging.WARNING, logger="chess.engine")
    with chess.engine.SimpleEngine.popen_uci(sanqi) as simple:
        yield simple
    complaints = [record.getMessage() for record in caplog.records if record.name == "chess.engine"]
    assert complaints == []


def test_handshake_options_and_ping(engine: chess.engine.SimpleEngine) -> None:
    assert engine.id["name"].startswith("sanqi")
    assert {"Hash", "Threads", "MultiPV", "Ponder", "Move Overhead", "UCI_Variant"} <= set(engine.options)
    engine.configure({"Hash": 32, "Threads": 1, "Move Overhead": 20})
    engine.ping()


def test_plays_a_game_s_beginning(engine: chess.engine.SimpleEngine) -> None:
    board, position = TextBoard(), Position()
    for ply in range(16):
        limit = chess.engine.Limit(time=0.03) if ply % 2 else chess.engine.Limit(white_clock=3, black_clock=3)
        result = engine.play(board, limit, game="one", ponder=ply >= 8, info=chess.engine.INFO_SCORE)
        assert "score" in result.info
        assert result.move is not None
        text = result.move.uci()
        position.push(parse_move(text))
        board.push_uci(text)
    engine.ping()


def test_analysis_with_several_lines(engine: chess.engine.SimpleEngine) -> None:
    with engine.analysis(TextBoard(moves=("h2e2", "h9g7")), chess.engine.Limit(depth=6), multipv=3) as analysis:
        best = analysis.wait()
        scores = [line["score"].white().score(mate_score=30000) for line in analysis.multipv]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert best.move is not None


def test_infinite_analysis_is_stopped(engine: chess.engine.SimpleEngine) -> None:
    with engine.analysis(TextBoard()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 4:
                break
        analysis.stop()
        assert analysis.wait().move is not None
    engine.ping()


def test_root_moves(engine: chess.engine.SimpleEngine) -> None:
    only = cast(chess.Move, TextMove("a3a4"))
    result = engine.play(TextBoard(), chess.engine.Limit(depth=4), root_moves=[only])
    assert result.move is not None
    assert result.move.uci() == "a3a4"


def test_plays_with_ranks_from_1_as_pychess_s_bots_do(engine: chess.engine.SimpleEngine) -> None:
    engine.configure({"Ranks": "1-10"})
    board, position = TextBoard(), Position()
    for _ in range(12):
        move = engine.play(board, chess.engine.Limit(nodes=500), game="one").move
        assert move is not None
        position.push(parse_move(move.uci(), "1-10"))
        board.push_uci(move.uci())
