"""The description of Junqi. It is read before the first answer to a host, so it must stay light."""

from __future__ import annotations

from game_core.description import CommandDescription, GameDescription, HostDescription, ProtocolDescription

JLP = ProtocolDescription(
    name="junqi",
    title="the Junqi line protocol",
    adapter="junqi_protocol.protocols.jlp:JlpProtocol",
    example="sanqi junqi --level events\nsanqi junqi --connect 127.0.0.1:7000 --secret-env SECRET",
    options="junqi_protocol.protocols.jlp_command",
    greeting="junqi 1",
    first_words=("junqi",),
    match_name="jlp",
    lacks=frozenset({"nodes", "depth", "periods", "own_clock", "ponder", "score"}),
)
CONTEST = ProtocolDescription(
    name="contest",
    title="the Junqi protocol of the Chinese university contest",
    adapter="junqi_protocol.protocols.contest:ContestProtocol",
    example="(printf 'INFO 1.0\\nSTART 0 40 31\\nGO 0000 0 00\\n'; sleep 2) | sanqi contest",
    options="junqi_protocol.protocols.contest_command",
    first_lines=("info 1.0",),  # the one INFO that is not Gomocup's
)
JUNQI = GameDescription(
    name="junqi",
    title="Junqi (军棋)",
    protocols=(JLP, CONTEST),
    records="junqi_protocol.records.records:RECORD_FORMATS",
    analysis="junqi_protocol.review.analysis",
    review="junqi_protocol.review.review",
    session="junqi_protocol.session:JunqiSession",
    display="junqi_protocol.display:JunqiDisplay",
    match="junqi_protocol.referee.match_options",
    drawing="junqi_protocol.referee.playback:draw",
    page_board="junqi_protocol.referee.page_board:JunqiPageBoard",
    table_engines="junqi_protocol.referee.engine_chooser:EngineChooser",
    commands=(
        CommandDescription("referee", "referee games of Junqi", "junqi_protocol.referee.command"),
        CommandDescription(
            "junqi-udp", "play two seats of Junqi in the GUI of pfysw/JunQi", "junqi_protocol.protocols.udp_command"
        ),
        CommandDescription(
            "junqi-record",
            "show, replay, explain or verify records of Junqi games",
            "junqi_protocol.review.record_command",
            old_names={f"junqi-{action}": action for action in ("show", "replay", "explain", "verify")},
        ),
    ),
    hosts=(HostDescription("junqi-referee", "junqi_protocol.referee.host_checks"),),
)
