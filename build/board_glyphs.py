#!/usr/bin/env python3
"""Write the characters of our pieces as SVG paths: web_board/data/glyphs.json.

    build/board_glyphs.py /usr/share/fonts/opentype/noto/NotoSerifCJK-Bold.ttc

Needs fontTools, and Noto Serif CJK (Debian: fonts-noto-cjk). The unit of the paths is a 500th of the text's size; their
origin is the middle of the character. Run it again only to add a character.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from fontTools.pens.recordingPen import RecordingPen
from fontTools.ttLib import TTCollection

PIECES = "帥仕相傌俥炮兵將士象馬車砲卒帅马车将司军师旅团营连排工炸雷旗"
BOARD = "楚河漢界汉一二三四五六七八九"
UNITS = 500
_MIDDLE = (500, 380)
"""Of a character, in the font's units of a 1000th."""
_TARGET = Path(__file__).parents[1] / "web_board" / "data" / "glyphs.json"


def path_of(strokes: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> str:
    """The strokes of a RecordingPen as relative SVG commands with whole numbers."""
    path = ""
    at = start = (0, 0)
    scale = UNITS / 1000
    for name, points in strokes:
        if name == "closePath":
            path += "z"
            at = start
            continue
        ends = [(round((x - _MIDDLE[0]) * scale), round((_MIDDLE[1] - y) * scale)) for x, y in points]
        numbers = [value for x, y in ends for value in (x - at[0], y - at[1])]
        path += {"moveTo": "m", "lineTo": "l", "curveTo": "c"}[name] + " ".join(map(str, numbers)).replace(" -", "-")
        at = ends[-1]
        if name == "moveTo":
            start = at
    return path


def main() -> None:
    fonts = TTCollection(sys.argv[1]).fonts
    font = next(font for font in fonts if font["name"].getDebugName(1).endswith("TC"))
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    paths = {}
    for character in dict.fromkeys(PIECES + BOARD):
        pen = RecordingPen()
        glyphs[names[ord(character)]].draw(pen)
        paths[character] = path_of(pen.value)
    _TARGET.write_text(json.dumps(paths, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
