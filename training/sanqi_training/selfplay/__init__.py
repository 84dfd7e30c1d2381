"""Games of the program against itself, kept for training (`sanqi-train selfplay`)."""
