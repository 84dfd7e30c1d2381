"""Gomoku (五子棋): room for its rules and the Gomocup adapter. Nothing is here yet."""
