"""Dialogues of the client with scripted engines, and the client's board.

In a dialogue ``>`` is what the client sends, ``<`` what the engine answers at once.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import chess
import chess.engine
import pytest
from chess.engine import Cp, EngineError, EngineTerminatedError, Limit, Mate, MockTransport

from ucci_engine.client import UcciClientProtocol, XiangqiProtocol, XiangqiUciProtocol
from ucci_engine.points import START_FEN, MoveTextError
from ucci_engine.position import FenError, IllegalMove, Position
from ucci_engine.xiangqi_board import XiangqiBoard, XiangqiMove

ProtocolT = TypeVar("ProtocolT", bound=XiangqiProtocol)

UCCI = """
> ucci
< id name Scripted
< option usemillisec type check default true
< option hashsize type spin min 0 max 1024 default 16
< option newgame type button
< ucciok
> setoption usemillisec true
"""
NEW_GAME = """
> setoption newgame
> isready
< readyok
"""
UCI = """
> uci
< id name Scripted
< option name MultiPV type spin default 1 min 1 max 5
< option name UCI_Variant type combo default chess var chess var xiangqi
< uciok
> setoption name UCI_Variant value xiangqi
"""
START = f"> position fen {START_FEN}\n"

MATED = "3k5/3R5/9/9/9/9/9/9/9/3RK4 b - - 0 1"
BARE = "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1"


def talk(protocol_class: Callable[[], ProtocolT], dialogue: str, use: Callable[[ProtocolT], Awaitable[None]]) -> None:
    """Use an engine that follows the dialogue, which begins with the handshake."""

    async def run() -> None:
        engine = protocol_class()
        transport = MockTransport(engine)
        answers: list[str] = []
        for line in dialogue.strip().splitlines():
            if line.startswith("> "):
                answers = []
                transport.expect(line[2:], answers)
            else:
                answers.append(line[2:])
        await engine.initialize()
        await use(engine)
        transport.assert_done()

    asyncio.run(run())


@pytest.fixture
def faults(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """The engine's faults in the client's log, without the engine's name and the line."""
    caplog.set_level(logging.WARNING, logger="chess.engine")
    return lambda: [record.getMessage().split(">: ")[1].split(": ")[0] for record in caplog.records]


# The handshake


def test_the_former_name_still_imports() -> None:
    with pytest.warns(DeprecationWarning, match="UcciClientProtocol"):
        from ucci_engine.client import UcciProtocol
    assert UcciProtocol is UcciClientProtocol


def test_ucci_handshake() -> None:
    async def use(engine: UcciClientProtocol) -> None:
        assert engine.id == {"name": "Scripted"}
        assert list(engine.options) == ["usemillisec", "hashsize", "newgame"]
        hash_size = engine.options["HashSize"]
        assert (hash_size.type, hash_size.min, hash_size.max, hash_size.default) == ("spin", 0, 1024, 16)
        await engine.ping()

    talk(UcciClientProtocol, UCCI + "> isready\n< readyok\n", use)


def test_options_as_engines_list_them(faults: Callable[[], list[str]]) -> None:
    async def use(engine: UcciClientProtocol) -> None:
        options = {name: (option.type, option.default, option.var) for name, option in engine.options.items()}
        assert options == {
            "usemillisec": ("check", True, []),
            "style": ("combo", "normal", ["solid", "normal", "risky"]),
            "Book File": ("string", "/a b/type min/c.dat", []),
            "mode": ("combo", None, ["a"]),
            "threads": ("spin", None, []),
            "empty": ("string", "", []),
            "newgame": ("button", None, []),
        }

    talk(
        UcciClientProtocol,
        """
> ucci
< HoiXiangqi 0.22, all rights reserved
< option usemillisec type check default on
< option style type combo var solid var normal var risky default normal
< option name Book File type string default /a b/type min/c.dat
< option mode type combo var a default b
< option threads type spin min one max 4 default 9
< option empty type string default
< option newgame type button
< option title type label default hello
< option
< ucciok
> setoption usemillisec true
""",
        use,
    )
    assert faults() == [
        "option is not worded as in the protocol",
        "impossible default of an option",
        "unreadable bound of an option",
        "unreadable option",
    ]


def test_times_are_seconds_where_the_engine_offers_nothing_else(faults: Callable[[], list[str]]) -> None:
    async def use(engine: UcciClientProtocol) -> None:
        await engine.play(XiangqiBoard(), Limit(white_clock=90.7, black_clock=0.4, white_inc=2))

    go = "> go time 90 increment 2 opptime 1 oppincrement 0\n< bestmove h2e2\n"
    talk(UcciClientProtocol, "> ucci\n< ucciok\n" + NEW_GAME + START + go, use)
    assert faults() == ["No option usemillisec"]


def test_configure() -> None:
    async def use(engine: UcciClientProtocol) -> None:
        await engine.configure({"HashSize": 64, "newgame": None})
        await engine.configure({"hashsize": 64})
        with pytest.raises(EngineError, match="no option threads, only usemillisec, hashsize, newgame"):
            await engine.configure({"threads": 1})
        with pytest.raises(EngineError, match="at most 1024"):
            await engine.configure({"hashsize": 4096})
        with pytest.raises(EngineError, match="the client manages it"):
            await engine.configure({"usemillisec": False})

    talk(UcciClientProtocol, UCCI + "> setoption hashsize 64\n> setoption newgame\n", use)


@pytest.mark.parametrize(
    ("given", "options", "sent", "ranks"),
    [
        (None, "", "", "0-9"),
        ("1-10", "", "", "1-10"),
        (None, "< option name UCI_Variant type combo default xiangqi var xiangqi\n", "", "1-10"),
        ("0-9", "< option name UCI_Variant type combo default xiangqi var xiangqi\n", "", "0-9"),
        (None, "< option name Ranks type combo default 1-10 var 0-9 var 1-10\n", "name Ranks value 0-9", "0-9"),
        ("1-10", "< option name Ranks type combo default 0-9 var 0-9 var 1-10\n", "name Ranks value 1-10", "1-10"),
        # The default may count only before UCI_Variant is set.
        (None, "< option name Ranks type combo default 0-9 var 0-9 var 1-10\n", "name Ranks value 0-9", "0-9"),
    ],
)
def test_ranks_of_uci_engines(given: str | None, options: str, sent: str, ranks: str) -> None:
    async def use(engine: XiangqiUciProtocol) -> None:
        assert engine.ranks == ranks

    def protocol() -> XiangqiUciProtocol:
        engine = XiangqiUciProtocol()
        engine.given_ranks = given
        return engine

    talk(protocol, f"> uci\n{options}< uciok\n" + (f"> setoption {sent}\n" if sent else ""), use)


def test_engine_of_another_game() -> None:
    with pytest.raises(EngineError, match="UCI_Variant"):
        talk(XiangqiUciProtocol, "> uci\n< option name UCI_Variant type combo default chess var chess\n< uciok\n", ping)


async def ping(engine: XiangqiProtocol) -> None:
    await engine.ping()


# play()


def test_ucci_position_begins_after_the_last_capture() -> None:
    async def use(engine: UcciClientProtocol) -> None:
        board = XiangqiBoard()
        for text in ("h2e2", "h9g7", "e2e6", "g7e6", "h0g2", "i9h9"):
            board.push_uci(text)
        result = await engine.play(board, Limit(time=0.25), info=chess.engine.INFO_ALL)
        assert str(result.move) == "i0h0"
        assert str(result.ponder) == "h9h8"
        assert not result.draw_offered
        assert not result.resigned
        assert result.info["score"].white() == Cp(35)
        assert [str(move) for move in result.info["pv"]] == ["i0h0", "h9h8"]
        assert result.info["time"] == 0.012

    talk(
        UcciClientProtocol,
        UCCI
        + NEW_GAME
        + """
> position fen rnbakab1r/9/1c5c1/p1p1n1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR w - - 0 3 moves h0g2 i9h9
> go time 250 movestogo 1
< info time 12 nodes 4096
< info depth 4 score 35 pv i0h0 h9h8
< bestmove i0h0 ponder h9h8
""",
        use,
    )


def test_clocks_are_the_mover_s_and_the_opponent_s() -> None:
    async def use(engine: UcciClientProtocol) -> None:
        board = XiangqiBoard()
        limit = Limit(white_clock=60, black_clock=50, white_inc=1, black_inc=0.5)
        await engine.play(board, limit)
        board.push_uci("h2e2")
        await engine.play(board, limit, draw_offered=True)
        await engine.play(board, Limit(black_clock=50, remaining_moves=9))
        await engine.play(board, Limit(depth=3, nodes=1000))

    talk(
        UcciClientProtocol,
        UCCI
        + NEW_GAME
        + START
        + f"""
> go time 60000 increment 1000 opptime 50000 oppincrement 500
< bestmove h2e2
> position fen {START_FEN} moves h2e2
> go draw time 50000 increment 500 opptime 60000 oppincrement 1000
< bestmove h9g7 draw
> position fen {START_FEN} moves h2e2
> go time 50000 movestogo 9
< bestmove h9g7
> position fen {START_FEN} moves h2e2
> go depth 3 nodes 1000
< bestmove h9g7
""".lstrip(),
        use,
    )


@pytest.mark.parametrize(
    ("answer", "move", "ponder", "draw", "resigned", "noted"),
    [
        ("bestmove h2e2", "h2e2", None, False, False, []),
        ("bestmove H2E2 ponder H9G7", "h2e2", "h9g7", False, False, []),
        ("bestmove h2e2 draw", "h2e2", None, True, False, []),
        ("bestmove h2e2 resign", "h2e2", None, False, True, []),
        ("bestmove h2e2 ponder (none)", "h2e2", None, False, False, []),
        ("bestmove h2e2 ponder h2e2", "h2e2", None, False, False, ["ponder move is not legal"]),
        ("nobestmove", None, None, False, False, []),
        ("bestmove resign", None, None, False, True, ["expected nobestmove where there is no move"]),
        ("bestmove draw", None, None, True, False, ["expected nobestmove where there is no move"]),
        ("bestmove (none)", None, None, False, False, ["expected nobestmove where there is no move"]),
        ("bestmove 0000", None, None, False, False, ["expected nobestmove where there is no move"]),
        ("bestmove", None, None, False, False, ["expected nobestmove where there is no move"]),
    ],
)
def test_best_moves(
    answer: str,
    move: str | None,
    ponder: str | None,
    draw: bool,
    resigned: bool,
    noted: list[str],
    faults: Callable[[], list[str]],
) -> None:
    async def use(engine: UcciClientProtocol) -> None:
        result = await engine.play(XiangqiBoard(), Limit(depth=1))
        assert (result.move and result.move.uci(), result.ponder and result.ponder.uci()) == (move, ponder)
        assert (result.draw_offered, result.resigned) == (draw, resigned)

    talk(UcciClientProtocol, UCCI + NEW_GAME + START + f"> go depth 1\n< {answer}\n", use)
    assert faults() == noted


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("bestmove h2h8", "^'bestmove h2h8': illegal move h2h8 in"),
        ("bestmove e2e4x", "'e2e4x' is not a move"),
        ("bestmove h3e3", "with ranks 1-10 it would be legal"),
    ],
)
def test_illegal_best_move(answer: str, message: str) -> None:
    async def use(engine: UcciClientProtocol) -> None:
        with pytest.raises(EngineError, match=message):
            await engine.play(XiangqiBoard(), Limit(depth=1))
        analysis = await engine.analysis(XiangqiBoard(), Limit(depth=1))
        with pytest.raises(EngineError, match=message):
            await analysis.wait()

    go = START + f"> go depth 1\n< {answer}\n"
    talk(UcciClientProtocol, UCCI + NEW_GAME + go + go, use)


def test_all_but_the_root_moves_are_banned() -> None:
    async def use(engine: UcciClientProtocol) -> None:
        board = XiangqiBoard(BARE)
        only = XiangqiMove.from_uci("e0e1")
        result = await engine.play(board, Limit(depth=2), root_moves=[only])
        assert result.move == only
        with pytest.raises(TypeError, match="expected a XiangqiMove"):
            await engine.play(board, Limit(depth=2), root_moves=[chess.Move(4, 13)])

    talk(
        UcciClientProtocol,
        UCCI + NEW_GAME + f"> position fen {BARE}\n> banmoves e0f0\n> go depth 2\n< bestmove e0e1\n",
        use,
    )


def test_new_game_for_another_game() -> None:
    async def use(engine: UcciClientProtocol) -> None:
        for game in ("one", "one", "two"):
            await engine.play(XiangqiBoard(), Limit(depth=1), game=game)

    go = START + "> go depth 1\n< bestmove h2e2\n"
    talk(UcciClientProtocol, UCCI + NEW_GAME + go + go + NEW_GAME + go, use)


def test_searches_that_ucci_does_not_have() -> None:
    async def use(engine: UcciClientProtocol) -> None:
        with pytest.raises(EngineError, match="no search for a mate"):
            await engine.play(XiangqiBoard(), Limit(mate=2))
        with pytest.raises(EngineError, match="cannot show 2 lines"):
            await engine.analysis(XiangqiBoard(), Limit(depth=2), multipv=2)
        with pytest.raises(TypeError, match="expected a XiangqiBoard"):
            await engine.play(chess.Board(), Limit(depth=2))

    talk(UcciClientProtocol, UCCI + NEW_GAME + START, use)


# Pondering

PONDERING = f"""
> go time 10000 increment 0 opptime 10000 oppincrement 0
< bestmove h2e2 ponder h9g7
> position fen {START_FEN} moves h2e2 h9g7
""".lstrip()


def after(*texts: str) -> XiangqiBoard:
    board = XiangqiBoard()
    for text in texts:
        board.push_uci(text)
    return board


def steady_clock(monkeypatch: pytest.MonkeyPatch) -> Limit:
    """A clock that stands still, so that the times sent are known."""
    monkeypatch.setattr("ucci_engine.client_searches.now_s", lambda: 0.0)
    return Limit(white_clock=10, black_clock=10)


def test_ponder_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = steady_clock(monkeypatch)

    async def use(engine: UcciClientProtocol) -> None:
        await engine.play(XiangqiBoard(), limit, ponder=True, info=chess.engine.INFO_ALL)
        await asyncio.sleep(0)  # the info lines are read now; none come after the hit
        board = after("h2e2", "h9g7")
        result = await engine.play(board, limit, ponder=True, draw_offered=True, info=chess.engine.INFO_ALL)
        assert str(result.move) == "h0g2"
        assert (result.info["depth"], result.info["pv"]) == (3, [result.move])

    talk(
        UcciClientProtocol,
        UCCI
        + NEW_GAME
        + START
        + PONDERING
        + """> go ponder time 10000 increment 0 opptime 10000 oppincrement 0
< info depth 3 score 10 pv h0g2
> ponderhit draw
< bestmove h0g2
""",
        use,
    )


def test_ponder_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = steady_clock(monkeypatch)

    async def use(engine: UcciClientProtocol) -> None:
        await engine.play(XiangqiBoard(), limit, ponder=True)
        result = await engine.play(after("h2e2", "b9c7"), limit)
        assert str(result.move) == "h0g2"

    talk(
        UcciClientProtocol,
        UCCI
        + NEW_GAME
        + START
        + PONDERING
        + f"""> go ponder time 10000 increment 0 opptime 10000 oppincrement 0
> stop
< bestmove b0c2
> isready
< readyok
> position fen {START_FEN} moves h2e2 b9c7
> go time 10000 increment 0 opptime 10000 oppincrement 0
< bestmove h0g2
""",
        use,
    )


def test_book_move_while_pondering(monkeypatch: pytest.MonkeyPatch) -> None:
    """ElephantEye answers `go ponder` from its book at once, where it should wait for `ponderhit`."""
    limit = steady_clock(monkeypatch)

    async def use(engine: UcciClientProtocol) -> None:
        await engine.play(XiangqiBoard(), limit, ponder=True)
        await asyncio.sleep(0)  # the answer is read
        await engine.ping()
        result = await engine.play(after("h2e2", "h9g7"), limit)
        assert str(result.move) == "h0g2"

    talk(
        UcciClientProtocol,
        UCCI
        + NEW_GAME
        + START
        + PONDERING
        + f"""> go ponder time 10000 increment 0 opptime 10000 oppincrement 0
< bestmove h0g2
> isready
< readyok
> position fen {START_FEN} moves h2e2 h9g7
> go time 10000 increment 0 opptime 10000 oppincrement 0
< bestmove h0g2
""",
        use,
    )


# analysis()


def test_stop_that_crosses_the_best_move(faults: Callable[[], list[str]]) -> None:
    """The engine answers before it reads `stop`, and answers that too; the next search ignores the second answer."""

    async def use(engine: UcciClientProtocol) -> None:
        with await engine.analysis(XiangqiBoard()) as analysis:
            assert (await analysis.get())["depth"] == 1
        best = await analysis.wait()
        assert str(best.move) == "h2e2"
        result = await engine.play(XiangqiBoard(), Limit(depth=1))
        assert str(result.move) == "b2e2"

    talk(
        UcciClientProtocol,
        UCCI
        + NEW_GAME
        + START
        + """> go infinite
< info depth 1 score 5 pv h2e2
> stop
< bestmove h2e2
> isready
< nobestmove
< readyok
"""
        + START
        + "> go depth 1\n< bestmove b2e2\n",
        use,
    )
    assert faults() == []


@pytest.mark.parametrize(
    ("said", "score"),
    [
        ("0", Cp(0)),
        ("-137", Cp(-137)),
        ("9999", Mate(1)),
        ("9997", Mate(2)),
        ("-9998", Mate(-1)),
        ("-9996", Mate(-2)),
        ("-10000", Mate(0)),
        ("9900", Cp(9900)),
        ("29998", Cp(29998)),
        ("cp 12", Cp(12)),
        ("mate -3", Mate(-3)),
    ],
)
def test_scores(said: str, score: chess.engine.Score) -> None:
    async def use(engine: UcciClientProtocol) -> None:
        info = await engine.analyse(XiangqiBoard(), Limit(depth=1))
        assert info["score"] == chess.engine.PovScore(score, chess.WHITE)
        assert info["depth"] == 7
        assert [str(move) for move in info["pv"]] == ["h2e2"]

    go = f"> go depth 1\n< info depth 7 score {said} pv h2e2\n< bestmove h2e2\n"
    talk(UcciClientProtocol, UCCI + NEW_GAME + START + go, use)


def test_bad_info_lines(faults: Callable[[], list[str]]) -> None:
    async def use(engine: UcciClientProtocol) -> None:
        info = await engine.analyse(XiangqiBoard(), Limit(depth=9))
        assert info == {
            "depth": 5,
            "time": 0.25,
            "nodes": 1000,
            "currmove": XiangqiMove.from_uci("h2e2"),
            "currmovenumber": 3,
            "pv": [XiangqiMove.from_uci("h2e2"), XiangqiMove.from_uci("h9g7")],
            "string": "thinking of depth 9",
        }

    talk(
        UcciClientProtocol,
        UCCI
        + NEW_GAME
        + START
        + """> go depth 9
< info
< info depth
< info depth five time 250 nodes 1000
< info depth
< info score
< info score high
< info depth 5 currmove h2e2 currmovenumber 3 unheard-of 7 pv
< info multipv 1000000000 depth 77
< info multipv 0 depth 78
< info pv h2e2 h9g7 h2e2 i9i8
< info pv h2e2 h9g7 a5a5 score bad
< info currmove z9z9 wdl 1 2
< info message thinking of depth 9

< BESTMOVE of the day: h2e2
< bestmove h2e2
""".replace("\n\n", "\n< \n"),
        use,
    )
    assert faults() == [
        "unreadable depth in info",
        "unreadable score in info",
        "impossible multipv in info",
        "pv holds a move that is not legal",
        "unreadable currmove in info",
        "unreadable wdl in info",
        "unexpected line",
    ]


def test_uci_lines_with_ranks_from_1() -> None:
    async def use(engine: XiangqiUciProtocol) -> None:
        board = after("h2e2", "i9i8")
        only = [XiangqiMove.from_uci("a0a1"), XiangqiMove.from_uci("e2e6")]
        with await engine.analysis(board, Limit(depth=4), multipv=2, root_moves=only) as analysis:
            best = await analysis.wait()
        assert (str(best.move), str(best.ponder)) == ("e2e6", "i8f8")
        lines = [[str(move) for move in line["pv"]] for line in analysis.multipv]
        assert lines == [["e2e6", "i8f8", "a0a1"], ["a0a1", "a9a8"]]
        assert [line["score"].white() for line in analysis.multipv] == [Mate(3), Cp(-20)]
        assert analysis.multipv[1]["wdl"].white().draws == 900
        result = await engine.play(board, Limit(time=1))
        assert str(result.move) == "e2e6"

    talk(
        XiangqiUciProtocol,
        UCI
        + f"""
> setoption name MultiPV value 2
> ucinewgame
> isready
< readyok
> position fen {START_FEN} moves h3e3 i10i9
> go depth 4 searchmoves a1a2 e3e7
< info depth 4 multipv 1 score mate 3 pv e3e7 i9f9 a1a2
< info depth 4 seldepth 9 multipv 2 score cp -20 lowerbound wdl 50 900 50 pv a1a2 a10a9
< bestmove e3e7 ponder i9f9
> setoption name MultiPV value 1
> position fen {START_FEN} moves h3e3 i10i9
> go movetime 1000
< bestmove e3e7
""".lstrip(),
        use,
    )


@pytest.mark.parametrize("analysing", [False, True])
def test_engine_that_dies_before_it_searches(analysing: bool) -> None:
    async def use(engine: UcciClientProtocol) -> None:
        begun: Awaitable[object]
        if analysing:
            begun = asyncio.ensure_future(engine.analysis(XiangqiBoard()))
        else:
            begun = asyncio.ensure_future(engine.play(XiangqiBoard(), Limit(depth=1)))
        await asyncio.sleep(0)  # until `isready` is sent
        engine.connection_lost(None)
        with pytest.raises(EngineTerminatedError):
            await begun

    talk(UcciClientProtocol, UCCI + "> setoption newgame\n> isready\n", use)


@pytest.mark.parametrize("stopping", [False, True])
def test_engine_that_dies_in_an_analysis(stopping: bool) -> None:
    async def use(engine: UcciClientProtocol) -> None:
        analysis = await engine.analysis(XiangqiBoard())
        if stopping:
            following = asyncio.ensure_future(engine.play(XiangqiBoard(), Limit(depth=1)))
            await asyncio.sleep(0)  # until `stop` is sent
        engine.connection_lost(None)
        with pytest.raises(EngineTerminatedError):
            await analysis.wait()
        if stopping:
            with pytest.raises(EngineTerminatedError):
                await following

    talk(UcciClientProtocol, UCCI + NEW_GAME + START + "> go infinite\n" + ("> stop\n" if stopping else ""), use)


def test_search_cancelled_before_it_began() -> None:
    """The client sends no `stop` for it, and no `go`."""

    async def use(engine: UcciClientProtocol) -> None:
        given_up = asyncio.ensure_future(engine.play(XiangqiBoard(), Limit(depth=1)))
        await asyncio.sleep(0)
        result = await engine.play(XiangqiBoard(BARE), Limit(depth=2))
        assert given_up.cancelled()
        assert str(result.move) == "e0e1"

    talk(UcciClientProtocol, UCCI + NEW_GAME + f"> position fen {BARE}\n> go depth 2\n< bestmove e0e1\n", use)


# The parts of python-chess that the client uses


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("_setoption", ["self", "name", "value"]),
        ("_configure", ["self", "options"]),
        ("_changed_options", ["self", "options"]),
        ("_opponent_configuration", ["self", "opponent"]),
        ("_isready", ["self"]),
        ("_ucinewgame", ["self"]),
        ("_go", ["self", "limit", "root_moves", "ponder", "infinite"]),
    ],
)
def test_private_methods_of_python_chess(name: str, parameters: list[str]) -> None:
    assert list(inspect.signature(getattr(chess.engine.UciProtocol, name)).parameters) == parameters


def test_undocumented_state_of_python_chess() -> None:
    async def run() -> None:
        engine = chess.engine.UciProtocol()
        for name in (
            *("config", "target_config", "board", "game", "first_game", "ponderhit"),
            *("initialized", "next_command", "transport"),
        ):
            assert hasattr(engine, name), name

    asyncio.run(run())
    command = chess.engine.BaseCommand
    for name in (
        *("start", "cancel", "check_initialized", "line_received", "engine_terminated"),
        *("set_finished", "add_finished_callback"),
    ):
        assert hasattr(command, name), name
    assert {"post", "set_finished", "set_exception"} <= set(dir(chess.engine.AnalysisResult))
    assert "ponder" in chess.engine.MANAGED_OPTIONS


# The board


def test_board_against_position() -> None:
    chance = random.Random(20)
    for _ in range(5):
        board, position = XiangqiBoard(), Position()
        while position.result() == "ongoing" and position.plies < 150:
            codes = position.legal_moves()
            assert [move.code for move in board.generate_legal_moves()] == codes
            assert board.fen() == position.fen()
            assert board.turn == (position.side == 0)
            assert board.is_check() == position.checked
            code = chance.choice(codes)
            move = XiangqiMove.from_code(code)
            assert board.is_capture(move) == (position.piece_at(code >> 7) != "")
            assert board.push_uci(move.uci()) == move
            position.push(code)
        copy = board.copy()
        assert copy == board
        assert copy.move_stack == board.move_stack
        assert copy.root() == XiangqiBoard()
        while copy.move_stack:
            copy.pop()
        assert copy.fen() == START_FEN
        assert len(board.move_stack) == position.plies


@pytest.mark.parametrize(("stack", "kept"), [(True, 4), (False, 0), (1, 1), (3, 3), (9, 4)])
def test_copies_with_part_of_the_stack(stack: bool | int, kept: int) -> None:
    board = after("h2e2", "h9g7", "e2e6", "g7e6")
    copy = board.copy(stack=stack)
    assert copy == board
    assert copy.move_stack == board.move_stack[4 - kept :]
    copy.clear_stack()
    assert copy.move_stack == []
    assert copy.root() == board


def test_legal_moves_of_python_chess() -> None:
    board = XiangqiBoard(BARE)
    assert board.legal_moves.count() == 2
    assert sorted(str(move) for move in board.legal_moves) == ["e0e1", "e0f0"]
    assert XiangqiMove.from_uci("e0d0") not in board.legal_moves
    assert "帅五进一" in repr(board.legal_moves)
    assert not XiangqiBoard(MATED).legal_moves


def test_moves() -> None:
    move = XiangqiMove.from_uci("h2e2")
    assert (move.from_square, move.to_square, move.code) == (25, 22, 25 | 22 << 7)
    assert {move: 1}[XiangqiMove.from_code(move.code)] == 1
    assert repr(move) == "XiangqiMove.from_uci('h2e2')"
    assert not XiangqiMove.null()
    assert XiangqiMove.from_uci("0000") == XiangqiMove.null()
    assert XiangqiMove.null().uci() == "0000"
    with pytest.raises(MoveTextError):
        XiangqiMove.from_uci("h2e10")


def test_moves_and_methods_that_the_board_refuses() -> None:
    board = XiangqiBoard()
    with pytest.raises(chess.IllegalMoveError, match="illegal move h2h8"):
        board.parse_uci("h2h8")
    with pytest.raises(IllegalMove):
        board.push(XiangqiMove.null())
    with pytest.raises(TypeError, match="8x8"):
        board.push(chess.Move.from_uci("e2e4"))
    with pytest.raises(IndexError):
        board.pop()
    with pytest.raises(FenError):
        XiangqiBoard(chess.STARTING_FEN)
    with pytest.raises(ValueError, match="no such square: 90"):
        board.piece_at(90)
    assert (board.fen(), board.move_stack) == (START_FEN, [])


def test_ends_of_games() -> None:
    assert XiangqiBoard().outcome() is None
    assert XiangqiBoard().result() == "*"
    mate = XiangqiBoard(MATED).outcome()
    assert mate == chess.Outcome(chess.Termination.CHECKMATE, chess.WHITE)
    stalemate = XiangqiBoard("3k5/4R4/9/9/9/9/9/9/9/4K4 b - - 0 1")
    assert not stalemate.is_check()
    assert stalemate.outcome() == chess.Outcome(chess.Termination.STALEMATE, chess.WHITE)
    assert stalemate.result() == "1-0"
    quiet = XiangqiBoard("3k5/9/9/9/9/9/9/9/9/4K4 w - - 120 80")
    assert quiet.outcome() == chess.Outcome(chess.Termination.VARIANT_DRAW, None)


def test_board_as_text() -> None:
    board = after("h2e2")
    assert "C" in str(board)
    assert repr(board) == f"XiangqiBoard('{board.fen()}')"
    assert XiangqiBoard().san(XiangqiMove.from_uci("h2e2")) == "炮二平五"


def test_ranks_are_checked() -> None:
    async def run() -> None:
        with pytest.raises(ValueError, match="not '1-9'"):
            await XiangqiUciProtocol.popen("engine", ranks="1-9")

    asyncio.run(run())
