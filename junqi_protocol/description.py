"""The description of Junqi. It is read before the first answer to a host, so it must stay light."""

from __future__ import annotations

from search_core.description import GameDescription, ProtocolDescription

JLP = ProtocolDescription(
    name="junqi",
    title="the Junqi line protocol",
    adapter="junqi_protocol.jlp:JlpProtocol",
    example="sanqi junqi --level events\nsanqi junqi --connect 127.0.0.1:7000 --secret-env SECRET",
    options="junqi_protocol.jlp_command",
    greeting="junqi 1",
    first_words=("junqi",),
    match_name="jlp",
    lacks=frozenset({"nodes", "depth", "periods", "own_clock", "ponder", "score"}),
)
CONTEST = ProtocolDescription(
    name="contest",
    title="the Junqi protocol of the Chinese university contest",
    adapter="junqi_protocol.contest:ContestProtocol",
    example="(printf 'INFO 1.0\\nSTART 0 40 31\\nGO 0000 0 00\\n'; sleep 2) | sanqi contest",
    options="junqi_protocol.contest_command",
    first_lines=("info 1.0",),  # the one INFO that is not Gomocup's
)
JUNQI = GameDescription(
    name="junqi",
    title="Junqi (军棋)",
    protocols=(JLP, CONTEST),
    records="junqi_protocol.records:RECORD_FORMATS",
    analysis="junqi_protocol.analysis",
    review="junqi_protocol.review",
)
