"""Xiangqi as the program lists it. Read before the first answer to a host: it must stay light."""

from __future__ import annotations

from game_core.description import CommandDescription, GameDescription, HostDescription, ProtocolDescription

_LACKS = frozenset({"match_time"})

UCCI = ProtocolDescription(
    name="ucci",
    title="UCCI",
    adapter="ucci_engine.ucci:UcciProtocol",
    example="(printf 'ucci\\nposition startpos\\ngo depth 8\\n'; sleep 2) | sanqi ucci",
    greeting="ucci",
    first_words=("ucci",),
    match_name="ucci",
    lacks=_LACKS,
)
UCI = ProtocolDescription(
    name="uci",
    title="UCI",
    adapter="ucci_engine.uci:UciProtocol",
    example="(printf 'position startpos moves h2e2\\ngo depth 8\\n'; sleep 2) | sanqi uci",
    greeting="uci",
    first_words=("uci",),
    match_name="uci",
    lacks=_LACKS,
)
XIANGQI = GameDescription(
    name="xiangqi",
    title="Xiangqi (象棋)",
    protocols=(UCCI, UCI),
    session="ucci_engine.session:XiangqiSession",
    display="ucci_engine.display:XiangqiDisplay",
    bench="ucci_engine.bench",
    records="ucci_engine.records:RECORD_FORMATS",
    analysis="ucci_engine.analysis",
    review="ucci_engine.review",
    match="ucci_engine.match_options",
    openings="ucci_engine.match_openings",
    drawing="ucci_engine.playback:draw",
    page_board="ucci_engine.page_board:XiangqiPageBoard",
    analysts="ucci_engine.analyst:open_analyst",
    commands=(
        CommandDescription("perft", "count the leaves of the move tree", "ucci_engine.perft_command"),
        CommandDescription(
            "eval", "print every term of the static evaluation, per side", "ucci_engine.evaluation_command"
        ),
        CommandDescription("book", "show, merge, convert and make opening books", "ucci_engine.book_command"),
    ),
    hosts=(
        *(
            HostDescription(name, "ucci_engine.host_checks")
            for name in ("tchess", "xqwizard", "league", "cyclone", "cchess", "pikafish-terminal")
        ),
        *(HostDescription(name, "ucci_engine.python_chess_checks") for name in ("python-chess", "lichess-bot")),
    ),
)
