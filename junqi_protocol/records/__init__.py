"""Game records, and boards in the terminal."""
