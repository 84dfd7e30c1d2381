"""Makes what sanqi plays with: games against itself, fits of weights and curves, calibration of levels."""
