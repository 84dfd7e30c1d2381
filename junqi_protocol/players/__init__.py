"""The levels and the player behind them."""
