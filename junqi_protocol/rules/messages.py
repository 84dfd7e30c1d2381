"""The lines of the Junqi line protocol that the referee, an engine and a record share.

Each message class parses and writes its line. docs/junqi-line-protocol.md describes the protocol.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from junqi_protocol.rules.geometry import VARIANTS, Variant, move_text, parse_move
from junqi_protocol.rules.position import RESULTS, Position
from search_core.line_protocol import excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
    try:
        return parse_move(variant, word)
    except ValueError as error:
        raise MessageError(str(error)) from None


def fields(words: Sequence[str], *names: str) -> Sequence[str]:
    """The words after the fixed fields of a line. Raises MessageError if a field is missing."""
    if len(words) < len(names):
        raise MessageError(f"{names[len(words)]} is missing")
    return words[len(names) :]


def pairs(words: Sequence[str], lengths: dict[str, int]) -> Iterator[tuple[str, Sequence[str]]]:
    """The keys of a line with their values. Skips an unknown key and its one value. Raises MessageError."""
    at = 0
    while at < len(words):
        key = words[at].lower()
        end = at + 1 + lengths.get(key, 1)
        if end > len(words):
            raise MessageError(f"{excerpt(words[at])} lacks a value")
        if key in lengths:
            yield key, words[at + 1 : end]
        at = end


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
        words = ["variant", self.variant.name]
        for key, value in (("first", self.first), ("quiet", self.quiet)):
            if value:
                words += [key, str(value)]
        if self.quiet_loses:
            words += ["quietend", "loss"]
        for key in ("skips", "plies", "clock", "inc"):
            if getattr(self, key):
                words += [key, str(getattr(self, key))]
        if self.draws:
            words += ["draws", "1"]
        if self.id:
            words += ["id", self.id]
        return " ".join(words)


@dataclass(frozen=True)
class NewGame:
    """The `newgame` line. In a record it has neither seats nor see."""

    terms: Terms
    seats: tuple[int, ...] = ()
    see: str = "own"

    def text(self) -> str:
        words = ["newgame", self.terms.text()]
        if self.seats:
            words += ["seats", ",".join(map(str, self.seats)), "see", self.see]
        return " ".join(words)

    @classmethod
    def parse(cls, words: Sequence[str]) -> NewGame:
        """From the words after `newgame`. Raises MessageError."""
        values = {
            key: value[0]
            for key, value in pairs(
                words,
                dict.fromkeys(
                    (
                        "variant",
                        "seats",
                        "see",
                        "first",
                        "quiet",
                        "quietend",
                        "skips",
                        "plies",
                        "clock",
                        "inc",
                        "draws",
                        "id",
                    ),
                    1,
                ),
            )
        }
        if "variant" not in values:
            raise MessageError("variant is missing")
        variant = VARIANTS[one_of(values.pop("variant"), tuple(VARIANTS), "variant")]
        seats = seat_list(values.pop("seats"), variant) if "seats" in values else ()
        see = one_of(values.pop("see", "own"), SEES, "see")
        terms = Terms(
            variant,
            first=seat_number(values.pop("first", "0"), variant),
            quiet_loses=one_of(values.pop("quietend", "draw"), QUIET_ENDS, "quietend") == "loss",
            draws=number(values.pop("draws", "0"), "draws", 1) == 1,
            id=values.pop("id", ""),
            **{key: number(value, key, 1 << 30) for key, value in values.items()},
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
        known = {"time": self.time, "clock": self.clock, "draw": self.draw}
        return "".join(f" {key} {value}" for key, value in known.items() if value is not None)


_SPENT = {"time": 1, "clock": 1, "draw": 1}


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
        words = ["moved", str(self.ply), str(self.seat), move_text(variant, self.move), RESULTS[self.result]]
        for seat, point in self.flags:
            words += ["flag", str(seat), variant.squares[point]]
        for seat, reason in self.outs:
            words += ["out", str(seat), reason]
        return " ".join(words)

    @classmethod
    def parse(cls, words: Sequence[str], variant: Variant) -> Moved:
        """From the words after `moved`. Raises MessageError."""
        rest = fields(words, "the ply", "the seat", "the move", "the result")
        flags, outs, spent = [], [], {}
        for key, value in pairs(rest, {"flag": 2, "out": 2, **_SPENT}):
            if key == "flag":
                flags.append((seat_number(value[0], variant), square(value[1], variant)))
            elif key == "out":
                outs.append((seat_number(value[0], variant), one_of(value[1], FALLEN, "reason")))
            else:
                spent[key] = number(value[0], key)
        return cls(
            number(words[0], "the ply"),
            seat_number(words[1], variant),
            move_number(words[2], variant),
            RESULTS.index(one_of(words[3], RESULTS, "result")),
            tuple(flags),
            tuple(outs),
            Spent(**spent),
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
        return f"skipped {self.ply} {self.seat} {self.number} {self.kind}" + (
            f" out {self.seat} skips" if self.out else ""
        )

    @classmethod
    def parse(cls, words: Sequence[str], variant: Variant) -> Skipped:
        """From the words after `skipped`. Raises MessageError."""
        rest = fields(words, "the ply", "the seat", "the number of skips", "pass or time")
        seat, out, spent = seat_number(words[1], variant), False, {}
        for key, value in pairs(rest, {"out": 2, **_SPENT}):
            if key == "out":
                out = True
                if value[0] != words[1] or value[1].lower() != "skips":
                    raise MessageError(f"out {excerpt(' '.join(value))}: expected out {seat} skips")
            else:
                spent[key] = number(value[0], key)
        return cls(
            number(words[0], "the ply"),
            seat,
            number(words[2], "the number of skips"),
            one_of(words[3], SKIPS, "skip"),
            out,
            Spent(**spent),
        )


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
        spent = {key: number(value[0], key) for key, value in pairs(rest, _SPENT)}
        return cls(
            number(words[0], "the ply"),
            seat_number(words[1], variant),
            one_of(words[2], DEPARTURES, "reason"),
            Spent(**spent),
        )


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
        ply, draw = None, False
        for key, value in pairs(rest, {"ply": 1, "draw": 1}):
            if key == "ply":
                ply = number(value[0], "the ply")
            else:
                draw = value[0] == "1"
        word = words[0].lower()
        try:
            return cls(word, None if word in ("pass", "resign") else parse_move(variant, word), ply, draw)
        except ValueError:
            echo = "".join(one if one.isascii() and one.isprintable() else "?" for one in words[0][:MAX_ECHO])
            return cls(echo, None, ply, draw)


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
        words = ["go", str(self.seat), str(self.ply)]
        for key in ("movetime", "clock", "inc", "depth", "nodes"):
            if getattr(self, key) is not None:
                words += [key, str(getattr(self, key))]
        if self.infinite:
            words.append("infinite")
        if self.draw:
            words += ["draw", "1"]
        return " ".join(words)

    @classmethod
    def parse(cls, words: Sequence[str], variant: Variant) -> Go:
        """From the words after `go`. Raises MessageError."""
        rest = fields(words, "the seat", "the ply")
        known = dict.fromkeys(("movetime", "clock", "inc", "depth", "nodes"), 1)
        values: dict[str, int] = {}
        infinite = draw = False
        for key, value in pairs(rest, {**known, "infinite": 0, "draw": 1}):
            if key == "infinite":
                infinite = True
            elif key == "draw":
                draw = value[0] == "1"
            else:
                values[key] = number(value[0], key)
        return cls(seat_number(words[0], variant), number(words[1], "the ply"), **values, infinite=infinite, draw=draw)


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
