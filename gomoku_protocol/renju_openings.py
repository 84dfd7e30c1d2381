"""The 26 openings of renju: three stones, the first in the middle.

Direct openings (D) have the second stone beside the first one, indirect ones (I) at its corner; the third stone is
within two points of the middle. Openings that can be turned or mirrored onto each other are the same one. They stand
here as the Renju International Federation draws and numbers them: the second stone above the middle, the third stones
row by row from the top left; or the second stone above and to the right, the third stones column by column from the top
right.
"""

from __future__ import annotations

FREE, SWAP2 = "free", "swap2"
"""The other openings of a game: none, and Swap2."""
_SWAP2 = (SWAP2, *(f"{SWAP2} {chosen}" for chosen in ("black", "white", "two", "two black", "two white")))
"""As a record has Swap2, with what was chosen."""
_DIRECT = {
    "D1 寒星 Kansei": (0, 2),
    "D2 渓月 Keigetsu": (1, 2),
    "D3 疎星 Sosei": (2, 2),
    "D4 花月 Kagetsu": (1, 1),
    "D5 残月 Zangetsu": (2, 1),
    "D6 雨月 Ugetsu": (1, 0),
    "D7 金星 Kinsei": (2, 0),
    "D8 松月 Shogetsu": (0, -1),
    "D9 丘月 Kyugetsu": (1, -1),
    "D10 新月 Shingetsu": (2, -1),
    "D11 瑞星 Zuisei": (0, -2),
    "D12 山月 Sangetsu": (1, -2),
    "D13 遊星 Yusei": (2, -2),
}
_INDIRECT = {
    "I1 長星 Chosei": (2, 2),
    "I2 峡月 Kyogetsu": (2, 1),
    "I3 恒星 Kosei": (2, 0),
    "I4 水月 Suigetsu": (2, -1),
    "I5 流星 Ryusei": (2, -2),
    "I6 雲月 Ungetsu": (1, 0),
    "I7 浦月 Hogetsu": (1, -1),
    "I8 嵐月 Rangetsu": (1, -2),
    "I9 銀月 Gingetsu": (0, -1),
    "I10 明星 Myojo": (0, -2),
    "I11 斜月 Shagetsu": (-1, -1),
    "I12 名月 Meigetsu": (-1, -2),
    "I13 彗星 Suisei": (-2, -2),
}
_SECOND = {"D": (0, 1), "I": (1, 1)}
"""Where the stones are: columns to the right of the middle, rows above it."""
_THIRD = _DIRECT | _INDIRECT
RENJU_OPENINGS = tuple(_THIRD)
"""Number, Japanese name, and the name in Latin letters."""
CHOICES = (FREE, SWAP2, *RENJU_OPENINGS)


def read_opening(text: str) -> str:
    """One of CHOICES by its whole name, its number or one of its names, in any case; another text as it is."""
    word = text.lower()
    return next((name for name in CHOICES if word in (name.lower(), *name.lower().split())), text)


def is_swap2(opening: str) -> bool:
    """Whether the opening of a record is Swap2, with choices that it has."""
    return " ".join(opening.split()) in _SWAP2


def stones_of(opening: str, width: int, height: int) -> list[tuple[int, int]]:
    """The points of an opening on a board, the columns from the left and the rows from the top: Black's first stone,
    White's, Black's second one."""
    return [
        (width // 2 + right, height // 2 - above) for right, above in ((0, 0), _SECOND[opening[0]], _THIRD[opening])
    ]
