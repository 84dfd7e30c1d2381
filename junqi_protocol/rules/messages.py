"""The lines of the Junqi line protocol that the referee, an engine and a record share.

Each message class parses and writes its line. docs/junqi-line-protocol.md describes the protocol.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from junqi_protocol.rules.geometry import VARIANTS, Variant, move_text, parse_move
from junqi_protocol.rules.position import RESULTS, Position
from search_core.failures import becoming
from search_core.line_protocol import excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

VERSION = "1"
MAX_LINE = 4096
"""Bytes, the end of the line included."""
MAX_ECHO = 16
"""Characters of a refused move that the referee repeats."""

SEES = ("own", "team", "all")
QUIET_ENDS = ("draw", "loss")
FALLEN = ("flag", "nomove")
"""Reasons why a move may put a seat out."""
DEPARTURES = ("resign", "illegal", "exit", "time")
"""Reasons why a seat may leave."""
SKIPS = ("pass", "time")
MAX_NUMBER = (1 << 53) - 1


class MessageError(ValueError):
    """A line that does not say what it should; the message names the bad word."""


def number(word: str, what: str, largest: int = MAX_NUMBER) -> int:
    """A whole number from 0 to `largest`. Raises MessageError."""
    if not (word.isascii() and word.isdecimal()) or len(word) > 16 or int(word) > largest:
        raise MessageError(f"{excerpt(word)}: {what} must be a number from 0 to {largest}")
    return int(word)


def one_of(word: str, choices: Sequence[str], what: str) -> str:
    """A word of a list, in the list's spelling. Raises MessageError."""
    for choice in choices:
        if word.lower() == choice.lower():
            return choice
    raise MessageError(f"{excerpt(word)} is no {what}, expected {', '.join(choices)}")


def seat_number(word: str, variant: Variant) -> int:
    """A seat of the variant. Raises MessageError."""
    return number(word, "a seat", variant.seats - 1)


def seat_list(word: str, variant: Variant) -> tuple[int, ...]:
    """Seats separated by commas: one, or both of a team. Raises MessageError."""
    seats = tuple(seat_number(part, variant) for part in word.split(",", 2))
    if len(set(seats)) != len(seats) or len({seat % 2 for seat in seats}) != 1:
        raise MessageError(f"{excerpt(word)}: expected one seat, or the two of a team")
    return tuple(sorted(seats))


def square(word: str, variant: Variant) -> int:
    """The point of a square. Raises MessageError."""
    point = variant.numbers.get(word.lower())
    if point is None:
        raise MessageError(f"{excerpt(word)} is no square of the {variant.name} board")
    return point


def move_number(word: str, variant: Variant) -> int:
    """The move that two squares name. Raises MessageError."""
    with becoming(ValueError, MessageError):
        return parse_move(variant, word)


def fields(words: Sequence[str], *names: str) -> Sequence[str]:
    """The words after the fixed fields of a line. Raises MessageError if a field is missing."""
    if len(words) < len(names):
        raise MessageError(f"{names[len(words)]} is missing")
    return words[len(names) :]


def pairs(words: Sequence[str], lengths: Mapping[str, int] = {}) -> Iterator[tuple[str, list[str]]]:
    """The keys of a line with their values. `lengths`: how many values a key has, if not one. Raises MessageError."""
    at = 0
    while at < len(words):
        key = words[at].lower()
        end = at + 1 + lengths.get(key, 1)
        if end > len(words):
            raise MessageError(f"{excerpt(words[at])} lacks a value")
        yield key, list(words[at + 1 : end])
        at = end


def _text(keyword: str, values: Mapping[str, object]) -> str:
    """A keyword, and the keys that have a value."""
    return keyword + "".join(f" {key} {value}" for key, value in values.items() if value is not None)


@dataclass(frozen=True)
class Terms:
    """The terms of a game: the keys of `newgame` except `seats` and `see`. 0: there is no such rule."""

    variant: Variant
    first: int = 0
    quiet: int = 0
    quiet_loses: bool = False
    skips: int = 0
    plies: int = 0
    clock: int = 0
    """Milliseconds of each seat, at the beginning."""
    inc: int = 0
    """Milliseconds added for each move made."""
    draws: bool = False
    """Whether the teams may agree on a draw."""
    id: str = ""

    def position(self) -> Position:
        """The board before the armies are put on it."""
        return Position(
            self.variant.name,
            first=self.first,
            quiet=self.quiet,
            quiet_loses=self.quiet_loses,
            skips=self.skips,
            plies=self.plies,
        )

    def text(self) -> str:
        """The keys, `variant` first."""
        keys = {
            "first": self.first,
            "quiet": self.quiet,
            "quietend": "loss" if self.quiet_loses else None,
            "skips": self.skips,
            "plies": self.plies,
            "clock": self.clock,
            "inc": self.inc,
            "draws": int(self.draws),
            "id": self.id,
        }
        return _text(f"variant {self.variant.name}", {key: value or None for key, value in keys.items()})


@dataclass(frozen=True)
class NewGame:
    """The `newgame` line. In a record it has neither seats nor see."""

    terms: Terms
    seats: tuple[int, ...] = ()
    see: str = "own"

    def text(self) -> str:
        players = {"seats": ",".join(map(str, self.seats)), "see": self.see} if self.seats else {}
        return _text(f"newgame {self.terms.text()}", players)

    @classmethod
    def parse(cls, words: Sequence[str]) -> NewGame:
        """From the words after `newgame`. Raises MessageError."""
        values = {key: value for key, (value,) in pairs(words)}
        if "variant" not in values:
            raise MessageError("variant is missing")
        variant = VARIANTS[one_of(values["variant"], tuple(VARIANTS), "variant")]
        seats = seat_list(values["seats"], variant) if "seats" in values else ()
        see = one_of(values.get("see", "own"), SEES, "see")
        terms = Terms(
            variant,
            first=seat_number(values.get("first", "0"), variant),
            quiet_loses=one_of(values.get("quietend", "draw"), QUIET_ENDS, "quietend") == "loss",
            draws=number(values.get("draws", "0"), "draws", 1) == 1,
            id=values.get("id", ""),
            **{key: number(values.get(key, "0"), key, 1 << 30) for key in ("quiet", "skips", "plies", "clock", "inc")},
        )
        return cls(terms, seats, see)


@dataclass(frozen=True)
class Spent:
    """Milliseconds used for a ply and left on the seat's clock. Only records have these keys."""

    time: int | None = None
    clock: int | None = None
    draw: int | None = None
    """1: the answer offered a draw or agreed to one."""

    def text(self) -> str:
        return _text("", vars(self))

    @classmethod
    def parse(cls, keys: Iterable[tuple[str, Sequence[str]]]) -> Spent:
        """From the keys of a ply. Raises MessageError."""
        return cls(**{key: number(value[0], key) for key, value in keys if key in ("time", "clock", "draw")})


def _ply_and_seat(words: Sequence[str], variant: Variant) -> tuple[int, int]:
    return number(words[0], "the ply"), seat_number(words[1], variant)


@dataclass(frozen=True)
class Moved:
    """A ply as it happened."""

    ply: int
    seat: int
    move: int
    result: int
    """Index in RESULTS."""
    flags: tuple[tuple[int, int], ...] = ()
    """Seats whose commander died, and the point of their flag."""
    outs: tuple[tuple[int, str], ...] = ()
    spent: Spent = field(default=Spent(), compare=False)

    def text(self, variant: Variant) -> str:
        words = f"moved {self.ply} {self.seat} {move_text(variant, self.move)} {RESULTS[self.result]}"
        words += "".join(f" flag {seat} {variant.squares[point]}" for seat, point in self.flags)
        return words + "".join(f" out {seat} {reason}" for seat, reason in self.outs)

    @classmethod
    def parse(cls, words: Sequence[str], variant: Variant) -> Moved:
        """From the words after `moved`. Raises MessageError."""
        rest = fields(words, "the ply", "the seat", "the move", "the result")
        keys = list(pairs(rest, {"flag": 2, "out": 2}))
        flags = (value for key, value in keys if key == "flag")
        outs = (value for key, value in keys if key == "out")
        return cls(
            *_ply_and_seat(words, variant),
            move_number(words[2], variant),
            RESULTS.index(one_of(words[3], RESULTS, "result")),
            tuple((seat_number(seat, variant), square(name, variant)) for seat, name in flags),
            tuple((seat_number(seat, variant), one_of(reason, FALLEN, "reason")) for seat, reason in outs),
            Spent.parse(keys),
        )


@dataclass(frozen=True)
class Skipped:
    """A seat did not move, for the `number`-th time."""

    ply: int
    seat: int
    number: int
    kind: str
    """One of SKIPS."""
    out: bool = False
    spent: Spent = field(default=Spent(), compare=False)

    def text(self, variant: Variant) -> str:
        words = f"skipped {self.ply} {self.seat} {self.number} {self.kind}"
        return words + "".join(f" out {seat} {reason}" for seat, reason in self.outs)

    @classmethod
    def parse(cls, words: Sequence[str], variant: Variant) -> Skipped:
        """From the words after `skipped`. Raises MessageError."""
        rest = fields(words, "the ply", "the seat", "the number of skips", "pass or time")
        ply, seat = _ply_and_seat(words, variant)
        keys = list(pairs(rest, {"out": 2}))
        outs = [value for key, value in keys if key == "out"]
        for whose, reason in outs:
            if whose != words[1] or reason.lower() != "skips":
                raise MessageError(f"out {excerpt(f'{whose} {reason}')}: expected out {seat} skips")
        count, kind = number(words[2], "the number of skips"), one_of(words[3], SKIPS, "skip")
        return cls(ply, seat, count, kind, bool(outs), Spent.parse(keys))

    @property
    def outs(self) -> tuple[tuple[int, str], ...]:
        """As of a Moved."""
        return ((self.seat, "skips"),) if self.out else ()


@dataclass(frozen=True)
class Left:
    """A seat is out, and its pieces are gone."""

    ply: int
    seat: int
    reason: str
    """One of DEPARTURES."""
    spent: Spent = field(default=Spent(), compare=False)

    def text(self, variant: Variant) -> str:
        return f"left {self.ply} {self.seat} {self.reason}"

    @classmethod
    def parse(cls, words: Sequence[str], variant: Variant) -> Left:
        """From the words after `left`. Raises MessageError."""
        rest = fields(words, "the ply", "the seat", "the reason")
        reason = one_of(words[2], DEPARTURES, "reason")
        return cls(*_ply_and_seat(words, variant), reason, Spent.parse(pairs(rest)))

    @property
    def outs(self) -> tuple[tuple[int, str], ...]:
        """As of a Moved."""
        return ((self.seat, self.reason),)


Happening = Moved | Skipped | Left
"""What counts as a ply."""

HAPPENINGS: dict[str, Callable[[Sequence[str], Variant], Happening]] = {
    "moved": Moved.parse,
    "skipped": Skipped.parse,
    "left": Left.parse,
}
"""The parser of each, by its keyword."""


@dataclass(frozen=True)
class BestMove:
    """An engine's answer to `go`. `move` is None if `word` is pass, resign or no move."""

    word: str
    """What stands in place of the move. No move: its first MAX_ECHO characters, made printable ASCII."""
    move: int | None
    ply: int | None
    draw: bool = False
    """Whether it offers a draw, or agrees to the one offered."""

    def text(self, variant: Variant) -> str:
        move = self.word if self.move is None else move_text(variant, self.move)
        return f"bestmove {move} ply {self.ply}" + (" draw 1" if self.draw else "")

    @classmethod
    def parse(cls, words: Sequence[str], variant: Variant) -> BestMove:
        """From the words after `bestmove`. A word that names no move is kept. Raises MessageError."""
        rest = fields(words, "the move")
        keys = dict(pairs(rest))
        ply, draw = number(keys["ply"][0], "the ply") if "ply" in keys else None, keys.get("draw") == ["1"]
        word = words[0].lower()
        try:
            return cls(word, None if word in ("pass", "resign") else parse_move(variant, word), ply, draw)
        except ValueError:
            echo = "".join(one if one.isascii() and one.isprintable() else "?" for one in words[0][:MAX_ECHO])
            return cls(echo, None, ply, draw)


_GO_NUMBERS = {"movetime": 1 << 30, "clock": 1 << 30, "inc": 1 << 30, "depth": 127, "nodes": MAX_NUMBER}
"""What `go` gives as numbers, and the most that each counts for: 12 days, and the deepest search."""


@dataclass(frozen=True)
class Go:
    """Think for a seat's ply. Times are milliseconds; None: not given."""

    seat: int
    ply: int
    movetime: int | None = None
    clock: int | None = None
    inc: int | None = None
    depth: int | None = None
    nodes: int | None = None
    infinite: bool = False
    draw: bool = False
    """Whether the enemies offer a draw."""

    def text(self) -> str:
        numbers = {key: getattr(self, key) for key in _GO_NUMBERS}
        return _text(f"go {self.seat} {self.ply}", numbers) + " infinite" * self.infinite + " draw 1" * self.draw

    @classmethod
    def parse(cls, words: Sequence[str], variant: Variant) -> Go:
        """From the words after `go`. Raises MessageError."""
        keys = dict(pairs(fields(words, "the seat", "the ply"), {"infinite": 0}))
        return cls(
            seat_number(words[0], variant),
            number(words[1], "the ply"),
            **{key: min(number(keys[key][0], key), most) for key, most in _GO_NUMBERS.items() if key in keys},
            infinite="infinite" in keys,
            draw=keys.get("draw") == ["1"],
        )


def game_over(outcome: str, variant: Variant) -> str:
    """Check the words after `gameover`, and return them in the protocol's spelling. Raises MessageError."""
    words = outcome.lower().split()
    reasons = (*FALLEN, "resign", "skips", "time", "illegal", "exit", "quiet", "plies", "agreed")
    if words[:1] == ["draw"] and len(words) >= 2:
        return f"draw {one_of(words[1], reasons, 'reason')}"
    if words[:1] == ["win"] and len(words) >= 3:
        seats = tuple(seat_number(part, variant) for part in words[1].split(",", 2))
        if seats != variant.team(seats[0]):
            raise MessageError(f"{excerpt(words[1])} is no team, expected all its seats")
        return f"win {words[1]} {one_of(words[2], reasons, 'reason')}"
    raise MessageError(f"{excerpt(outcome)}: expected 'win SEATS REASON' or 'draw REASON'")
