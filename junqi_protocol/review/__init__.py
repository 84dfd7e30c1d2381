"""Positions for analysis, recorded games for review, explanations."""
