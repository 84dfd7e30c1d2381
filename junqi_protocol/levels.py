"""The names of the players, the strongest first, which is the default. players.py says what each does."""

LEVELS = ("path", "greedy", "events", "random")
