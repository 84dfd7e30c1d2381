"""Boards, pieces, lineups, moves and their results; the words for them in protocols and records."""
