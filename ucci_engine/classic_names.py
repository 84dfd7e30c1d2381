"""The names of the classic players (classic.pyx). Imported before the first answer is given: it must stay light."""

from __future__ import annotations

CLASSIC_1PLY = "classic-1ply"
CLASSIC_4PLY = "classic-4ply"
CLASSIC_PLAYERS = (CLASSIC_1PLY, CLASSIC_4PLY)
