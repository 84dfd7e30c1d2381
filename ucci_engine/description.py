"""Xiangqi as the program lists it. Read before the first answer to a host: it must stay light."""

from __future__ import annotations

from search_core.description import GameDescription, ProtocolDescription

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
)
