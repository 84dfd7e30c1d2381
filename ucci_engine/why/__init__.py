"""Says in a sentence why a marked move of a reviewed game is bad. The steps: plain_board (rules for one line),
material (what a line wins), tactics (how), explanation (which of it to say), words."""
