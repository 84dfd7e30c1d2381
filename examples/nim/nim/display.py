from game_core.display import GameDisplay


class NimDisplay(GameDisplay):
    """The default, and moves in a file."""

    sides = ("first", "second")
    typed_moves = "a heap and how many stones it loses (a2)"
    save_help = "save the moves to a .txt file"
