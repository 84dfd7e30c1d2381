"""Lineups: a seat's 25 pieces and where they may begin; text, .jql files, and random lineups.

A lineup is a string of 30 letters, one per home point in the order of geometry.py: ``9`` 司令 … ``1`` 工兵, ``B`` 炸弹,
``M`` 地雷, ``F`` 军旗, ``.`` for the five camps. As text its rows are separated by ``/``.
"""

from __future__ import annotations

from junqi_protocol.rules.geometry import BACK_ROWS, CAMPS, HEADQUARTERS, HOME_POINTS
from search_core.failures import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    Maker = Callable[[random.Random], str]

PIECES = ".123456789BMF?"
"""Letters by piece type: 0 nothing, 1 工兵 (engineer) … 9 司令 (commander), 10 bomb, 11 mine, 12 flag, 13 unknown."""
ENGINEER, COMMANDER, BOMB, MINE, FLAG, UNKNOWN = 1, 9, 10, 11, 12, 13

ARMY = {"9": 1, "8": 1, "7": 2, "6": 2, "5": 2, "4": 2, "3": 3, "2": 3, "1": 3, "B": 2, "M": 3, "F": 1}
"""How many of each piece a seat has."""

WORTH = (0, 150, 100, 140, 200, 300, 450, 650, 950, 1400, 500, 250, 2000, 350)
"""The approximate value of each type, in centipawns: a 排长 is 100. Only an engineer can take mines."""

_ROWS = HOME_POINTS // 5
_MAX_FILE = 1 << 20  # 30,000 lineups
# QQ's format: a name, a magic number, and one byte per point, as in the UDP protocol.
_JQL_HEADER = b"QQGame JQL File\0" + bytes((0x57, 4, 0, 0))
_JQL_LETTERS = {0: ".", 2: "F", 3: "M", 4: "B", **{5 + i: str(9 - i) for i in range(9)}}
_JQL_BYTES = {letter: byte for byte, letter in _JQL_LETTERS.items()}


class LineupError(ValueError):
    """A lineup that the rules do not allow, or that cannot be read; the message says what is wrong."""


_PLACES = [f"row {index // 5 + 1}, point {index % 5 + 1}" for index in range(HOME_POINTS)]


def check(lineup: str, places: Sequence[str] = _PLACES) -> None:
    """Raise LineupError if the rules do not allow the lineup. `places`: what its points are called."""
    if len(lineup) != HOME_POINTS:
        raise LineupError(f"a lineup has {HOME_POINTS} points, this one {len(lineup)}")
    for index, (place, letter) in enumerate(zip(places, lineup)):
        if letter != "." and letter not in ARMY:
            raise LineupError(f"{letter!a} at {place} is no piece, expected one of 1-9, B, M, F or . for a camp")
        if (letter == ".") != (index in CAMPS):
            raise LineupError(f"{place} is {'a camp and must be empty' if index in CAMPS else 'no camp and is empty'}")
    for letter, number in ARMY.items():
        if lineup.count(letter) != number:
            raise LineupError(f"{lineup.count(letter)} pieces {letter}, an army has {number}")
    for index, (place, letter) in enumerate(zip(places, lineup)):
        if letter == "F" and index not in HEADQUARTERS:
            raise LineupError(f"the flag stands at {place}, not in a headquarters")
        if letter == "M" and index < BACK_ROWS:
            raise LineupError(f"a mine stands at {place}, not in the two back rows")
        if letter == "B" and index < 5:
            raise LineupError(f"a bomb stands at {place}, in the front row")


def parse(text: str, places: Sequence[str] = _PLACES) -> str:
    """The lineup that a text such as ``96317/5.3.5/81.37/B.2.4/6M2MB/4FM21`` stands for. Raises LineupError. `places`:
    as of check()."""
    rows = text.upper().split("/")
    if len(rows) != _ROWS or any(len(row) != 5 for row in rows):
        raise LineupError(f"{text[:40]!a} is no lineup, expected six rows of five pieces separated by /")
    lineup = "".join(rows)
    check(lineup, places)
    return lineup


def text(lineup: str) -> str:
    """The text of a lineup, front row first."""
    return "/".join(lineup[i : i + 5] for i in range(0, HOME_POINTS, 5))


def mirrored(lineup: str) -> str:
    """The lineup with left and right exchanged. It is legal if the lineup is."""
    return "".join(lineup[i : i + 5][::-1] for i in range(0, HOME_POINTS, 5))


def upright(lineup: str) -> str:
    """The lineup or its mirror image, the one with the flag on the left."""
    return lineup if lineup[HEADQUARTERS[0]] == "F" else mirrored(lineup)


def placed(lineups: Iterable[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """The pieces of some seats, each as its point, its seat and its letter."""
    for seat, letters in lineups:
        for point, letter in enumerate(letters, HOME_POINTS * seat):
            if letter != ".":
                yield point, seat, letter


def from_jql(data: bytes) -> str:
    """The lineup in a .jql file. Raises LineupError."""
    if data[: len(_JQL_HEADER)] != _JQL_HEADER or len(data) != len(_JQL_HEADER) + HOME_POINTS:
        raise LineupError(f"no .jql file: expected {len(_JQL_HEADER) + HOME_POINTS} bytes that begin with its header")
    lineup = from_bytes(data[len(_JQL_HEADER) :])
    check(lineup)
    return lineup


def from_file(path: Path) -> list[str]:
    """The lineups in a file: one if it is a .jql file, else one a line. Raises LineupError, which names the file, and
    OSError."""
    from search_core.input_file import read_input
    from search_core.text_file import unmarked

    data = read_input(path, _MAX_FILE)
    if path.suffix.lower() == ".jql":
        with named(f"{path}", LineupError):
            return [from_jql(data)]
    found = []
    for number, line in enumerate(unmarked(data).decode("utf-8", "replace").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            with named(f"{path}, line {number}", LineupError):
                found.append(parse(line.strip()))
    if not found:
        raise LineupError(f"{path}: no lineup in it")
    return found


def to_jql(lineup: str) -> bytes:
    """The .jql file of a lineup."""
    return _JQL_HEADER + to_bytes(lineup)


def from_bytes(data: bytes) -> str:
    """A lineup, unchecked, from the bytes of .jql files and the UDP protocol. Raises LineupError for other bytes."""
    for byte in data:
        if byte not in _JQL_LETTERS:
            raise LineupError(f"byte {byte} is no piece")
    return "".join(_JQL_LETTERS[byte] for byte in data)


def to_bytes(lineup: str) -> bytes:
    """The inverse of from_bytes()."""
    return bytes(_JQL_BYTES[letter] for letter in lineup)


def random_lineup(chance: random.Random) -> str:
    """A random lineup: first the flag, then mines, bombs and the rest, each on any free point that the rules allow."""
    return _complete(["." if index in CAMPS else "" for index in range(HOME_POINTS)], chance)


def mirrored_at_random(lineup: str, chance: random.Random) -> str:
    """The lineup or, as often, its mirror image."""
    return mirrored(lineup) if chance.random() < 0.5 else lineup


def rated_lineup(variant: str, chance: random.Random) -> str:
    """One of the best lineups known for the board `variant`, drawn by its weight, or its mirror image."""
    from junqi_protocol.rules.rated_lineups import RATED_LINEUPS

    weights = RATED_LINEUPS[variant]
    lineup = parse(chance.choices(list(weights), list(weights.values()))[0])
    return mirrored_at_random(lineup, chance)


def sound_lineup(chance: random.Random) -> str:
    """A random lineup that follows the principles of good play.

    The flag stands behind mines, or a mine in the other headquarters is a decoy. Bombs stand on the rails behind the
    front, the strongest pieces on different wings, and an engineer on the rails.
    """
    points = ["." if index in CAMPS else "" for index in range(HOME_POINTS)]
    flag = chance.choice(HEADQUARTERS)
    decoy = HEADQUARTERS[0] + HEADQUARTERS[1] - flag
    points[flag] = "F"
    points[flag - 5] = "M"  # in front of it
    if chance.random() < 0.3:
        points[decoy] = "M"
    else:
        points[chance.choice((flag - 1, flag + 1))] = "M"
        points[decoy] = chance.choice("223")  # a piece that begins in a headquarters never leaves it
    third = [index for index in (20, 21, 22, 23, 24, 25, 27, 29) if not points[index]]
    points[chance.choice(third)] = "M"
    # A strong piece on one wing, the next ones on the other and in the middle.
    wings = [[0, 5, 10], [4, 9, 14]]
    chance.shuffle(wings)
    points[chance.choice(wings[0])] = "9"
    points[chance.choice(wings[1])] = "8"
    points[_free(points, wings[1] + [2, 7], chance)] = "7"
    points[_free(points, wings[0] + [2, 7], chance)] = "7"
    for _ in range(2):
        points[_free(points, [5, 9, 10, 14, 15, 19], chance)] = "B"
    points[_free(points, [10, 14, 15, 19, 20, 24], chance)] = "1"
    return _complete(points, chance)


LINEUPS: dict[str, Callable[[str, random.Random], str]] = {
    "random": lambda _, chance: random_lineup(chance),
    "sound": lambda _, chance: sound_lineup(chance),
    "rated": rated_lineup,
}
"""By kind, what draws a lineup for a board."""


def _free(points: list[str], wanted: list[int], chance: random.Random) -> int:
    """One of the points that are still free."""
    return chance.choice([index for index in wanted if not points[index]])


def _complete(points: list[str], chance: random.Random) -> str:
    """Fill the free points with the rest of the army, the pieces with the fewest possible points first."""
    places = {"F": HEADQUARTERS, "M": range(BACK_ROWS, HOME_POINTS), "B": range(5, HOME_POINTS)}
    for letter, allowed in places.items():
        for _ in range(ARMY[letter] - points.count(letter)):
            points[_free(points, list(allowed), chance)] = letter
    rest = [letter for letter, number in ARMY.items() for _ in range(number - points.count(letter))]
    chance.shuffle(rest)
    for index, letter in enumerate(points):
        if not letter:
            points[index] = rest.pop()
    return "".join(points)
