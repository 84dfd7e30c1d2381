"""The description of Gomoku. It is read before the first answer to a host, so it must stay light."""

from __future__ import annotations

from game_core.description import GameDescription, HostDescription, ProtocolDescription

GOMOCUP = ProtocolDescription(
    name="gomocup",
    title="the Gomocup protocol",
    adapter="gomoku_protocol.gomocup_command:adapter",
    example="printf 'START 15\\nBEGIN\\n' | sanqi gomocup --style aggressive",
    options="gomoku_protocol.gomocup_command",
    greeting="START n",
    first_words=(
        "start",
        "rectstart",
        "restart",
        "begin",
        "turn",
        "board",
        "swap2board",
        "takeback",
        "play",
        "info",
        "about",
    ),
    prefix="yx",  # Yixin's commands
    program_prefix="pbrain-",  # Gomoku managers require it
    match_name="gomocup",
    lacks=frozenset({"periods", "ponder"}),
)
GOMOKU = GameDescription(
    name="gomoku",
    title="Gomoku (五子棋)",
    protocols=(GOMOCUP,),
    session="gomoku_protocol.session:GomokuSession",
    display="gomoku_protocol.display:GomokuDisplay",
    bench="gomoku_protocol.bench",
    records="gomoku_protocol.records:RECORD_FORMATS",
    analysis="gomoku_protocol.analysis",
    review="gomoku_protocol.review",
    match="gomoku_protocol.match_options",
    openings="gomoku_protocol.match_openings",
    drawing="gomoku_protocol.playback:draw",
    page_board="gomoku_protocol.page_board:GomokuPageBoard",
    analysts="gomoku_protocol.analyst:open_analyst",
    hosts=tuple(
        HostDescription(name, "gomoku_protocol.host_checks") for name in ("piskvork", "gomocup-judge", "qpiskvork")
    ),
)
