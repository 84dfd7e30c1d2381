"""Junqi (军棋): rules, lineups, referee, players, the line protocol and the other ways in."""
