"""What sanqi reads of the game: its protocol, and where its parts are."""

from game_core.description import GameDescription, ProtocolDescription

UCI = ProtocolDescription(
    name="breakthrough",
    title="Breakthrough's UCI",
    adapter="breakthrough.protocol:BreakthroughProtocol",
    first_words=("breakthrough",),
    match_name="uci",
)
BREAKTHROUGH = GameDescription(
    name="breakthrough",
    title="Breakthrough",
    protocols=(UCI,),
    session="breakthrough.session:BreakthroughSession",
    display="breakthrough.display:BreakthroughDisplay",
    match="breakthrough.match",
    page_board="breakthrough.page_board:BreakthroughPageBoard",
    bench="breakthrough.protocol",
    analysis="breakthrough.session:ANALYSIS",
)
