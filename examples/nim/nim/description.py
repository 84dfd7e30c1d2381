from game_core.description import GameDescription, ProtocolDescription

UCI = ProtocolDescription(
    name="nim", title="Nim's UCI", adapter="nim.session:NimProtocol", first_words=("nim",), match_name="uci"
)
NIM = GameDescription(
    name="nim",
    title="Nim",
    protocols=(UCI,),
    session="nim.session:NimSession",
    display="nim.display:NimDisplay",
    bench="nim.session",
    analysis="nim.session:ANALYSIS",
)
