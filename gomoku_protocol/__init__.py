"""Gomoku (五子棋): rules, forced wins, evaluation, the Gomocup protocol, records."""
