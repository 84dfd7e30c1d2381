"""Why a marked move of Gomoku is bad: reasons found on the board and its two lines, and the sentence made of them.

A reason holds for the stones that its points name, with no opinion of a search; only ALLOWS_WIN and MISSES_WIN give the
number of moves that the review found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gomoku_protocol.fours import WinByFours, win_by_fours
from gomoku_protocol.points import COLUMNS, parse_point
from gomoku_protocol.shapes import DIRECTIONS, Made, Point, Shapes

if TYPE_CHECKING:
    from game_core.review import MarkedMove
    from gomoku_protocol.analysis import GomokuSubject

ALLOWS_FIVE, MISSES_FIVE = "allows-five", "misses-five"
ALLOWS_FOURS, MISSES_FOURS = "allows-fours", "misses-fours"
ALLOWS_WIN, MISSES_WIN = "allows-win", "misses-win"
REPLY_MAKES, BETTER_MAKES, MAKES = "reply-makes", "better-makes", "makes"
VITAL_POINT, TAKEN_LATER, TAKES_LATER = "vital-point", "point-taken-later", "takes-later"
STOPPED, WRONG_END, PREVENTS, STOPS = "stopped", "wrong-end", "better-prevents", "better-stops"
FIRST_THREAT = "first-threat"
_SIDES = ("Black", "White")


class Reason(NamedTuple):
    """One thing that is wrong with a move."""

    motif: str
    point: Point
    """The stone that it is about."""
    made: Made = Made()
    """What that stone makes."""
    number: int = 0
    """Of moves: to the five, or in the line up to the stone."""
    win: WinByFours | None = None
    direction: Point = (0, 0)
    """Of the three that is stopped."""


class MoveLines(NamedTuple):
    """A marked move with the board before it."""

    before: Shapes
    side: int
    move: Point
    reply: Sequence[Point]
    better: Sequence[Point]
    mate: int | None
    mate_after: int | None

    @property
    def after(self) -> Shapes:
        return self.before.with_stone(self.side, self.move)


def reasons(lines: MoveLines) -> list[Reason]:
    """What is wrong with the move, the most important first."""
    return [reason for find in _DETECTORS if (reason := find(lines)) is not None]


def _allows_five(lines: MoveLines) -> Reason | None:
    fives = lines.after.five_points(1 - lines.side)
    if not fives or lines.before.is_five(lines.side, lines.move):
        return None
    return Reason(ALLOWS_FIVE, min(fives), Made(fives=1))


def _misses_five(lines: MoveLines) -> Reason | None:
    fives = lines.before.five_points(lines.side)
    return Reason(MISSES_FIVE, min(fives), Made(fives=1)) if fives and lines.move not in fives else None


def _allows_fours(lines: MoveLines) -> Reason | None:
    if (lines.mate_after or 0) >= 0:
        return None
    foe, first = 1 - lines.side, lines.reply[0] if lines.reply else None
    win = win_by_fours(lines.after, foe, first) or win_by_fours(lines.after, foe)
    if win is None:
        return None
    return Reason(ALLOWS_FOURS, win.move, lines.after.made(foe, win.move), win.moves, win)


def _misses_fours(lines: MoveLines) -> Reason | None:
    if (lines.mate or 0) <= 0:
        return None
    first = lines.better[0] if lines.better else None
    win = win_by_fours(lines.before, lines.side, first) or win_by_fours(lines.before, lines.side)
    if win is None or win.move == lines.move:
        return None
    return Reason(MISSES_FOURS, win.move, lines.before.made(lines.side, win.move), win.moves, win)


def _allows_win(lines: MoveLines) -> Reason | None:
    if (lines.mate_after or 0) >= 0 or not lines.reply:
        return None
    return Reason(
        ALLOWS_WIN, lines.reply[0], lines.after.made(1 - lines.side, lines.reply[0]), -(lines.mate_after or 0)
    )


def _misses_win(lines: MoveLines) -> Reason | None:
    if (lines.mate or 0) <= 0 or not lines.better or lines.move == lines.better[0]:
        return None
    return Reason(MISSES_WIN, lines.better[0], lines.before.made(lines.side, lines.better[0]), lines.mate or 0)


def _stopped(lines: MoveLines) -> Reason | None:
    """The move makes a four or open three, and the reply stops it."""
    if not lines.reply:
        return None
    reply, foe = lines.reply[0], 1 - lines.side
    made = lines.before.made(lines.side, lines.move)
    if made.fives or made.open_fours or made.fours + made.threes != 1:
        return None
    then = lines.after.with_stone(foe, reply)
    if then.five_points(lines.side) or any(then.extensions(lines.side, lines.move, each) for each in DIRECTIONS):
        return None
    return Reason(STOPPED, reply, lines.after.made(foe, reply))


def _wrong_end(lines: MoveLines) -> Reason | None:
    """Both moves stop the same open three."""
    if not lines.better or lines.better[0] == lines.move:
        return None
    foe, better = 1 - lines.side, lines.before.with_stone(lines.side, lines.better[0])
    for point, direction in lines.before.open_threes(foe):
        if not any(each.extensions(foe, point, direction) for each in (lines.after, better)):
            return Reason(WRONG_END, lines.better[0], direction=direction)
    return None


def _reply_makes(lines: MoveLines) -> Reason | None:
    if not lines.reply:
        return None
    made = lines.after.made(1 - lines.side, lines.reply[0])
    return Reason(REPLY_MAKES, lines.reply[0], made) if any(made) else None


def _vital_point(lines: MoveLines) -> Reason | None:
    if not lines.reply or not lines.better or lines.reply[0] != lines.better[0]:
        return None
    return Reason(VITAL_POINT, lines.reply[0])


def _prevents(lines: MoveLines) -> Reason | None:
    """The better move takes a point of the open three that the reply makes."""
    if not lines.reply or not lines.better or lines.reply[0] == lines.better[0]:
        return None
    foe, reply = 1 - lines.side, lines.reply[0]
    shown, then = lines.after.with_stone(foe, reply), lines.before.with_stone(lines.side, lines.better[0])
    then = then.with_stone(foe, reply)
    for direction in DIRECTIONS:
        if shown.fives_of(foe, reply, direction) or not shown.extensions(foe, reply, direction):
            continue
        if not then.extensions(foe, reply, direction):
            return Reason(PREVENTS, lines.better[0], direction=direction)
    return None


def _better_makes(lines: MoveLines) -> Reason | None:
    if not lines.better or lines.better[0] == lines.move:
        return None
    made = lines.before.made(lines.side, lines.better[0])
    return Reason(BETTER_MAKES, lines.better[0], made) if any(made) else None


def _better_stops(lines: MoveLines) -> Reason | None:
    """The better move takes a point where the other side would make a three or a four."""
    if not lines.better or lines.better[0] == lines.move:
        return None
    made = lines.before.made(1 - lines.side, lines.better[0])
    return Reason(STOPS, lines.better[0], made) if any(made) else None


def _taken_later(lines: MoveLines) -> Reason | None:
    """Who plays the better move later in the line."""
    if not lines.better or lines.better[0] not in lines.reply[1:]:
        return None
    index = lines.reply.index(lines.better[0])
    return Reason(TAKES_LATER if index % 2 else TAKEN_LATER, lines.better[0], number=index + 1)


def _first_threat(lines: MoveLines) -> Reason | None:
    """Who first makes a four or an open three in the line, after the reply."""
    shapes, side = lines.after, 1 - lines.side
    for number, point in enumerate(lines.reply, 1):
        made = shapes.made(side, point)
        if any(made):
            return Reason(FIRST_THREAT, point, made, number)
        shapes, side = shapes.with_stone(side, point), 1 - side
    return None


_DETECTORS: tuple[Callable[[MoveLines], Reason | None], ...] = (
    _misses_five,
    _allows_five,
    _misses_fours,
    _misses_win,
    _allows_fours,
    _allows_win,
    _wrong_end,
    _stopped,
    _vital_point,
    _reply_makes,
    _prevents,
    _better_makes,
    _better_stops,
    _taken_later,
    _first_threat,
)
_FORCED = {MISSES_FIVE, ALLOWS_FIVE, MISSES_FOURS, MISSES_WIN, ALLOWS_FOURS, ALLOWS_WIN}
_MAX_REASONS = 2


def shown(found: Sequence[Reason]) -> list[Reason]:
    """The reasons that the sentence names."""
    motifs = {reason.motif for reason in found}
    dull = set()
    if MISSES_FIVE in motifs or MISSES_FOURS in motifs:
        dull |= {MISSES_WIN, MISSES_FOURS} if MISSES_FIVE in motifs else {MISSES_WIN}
    if ALLOWS_FIVE in motifs or ALLOWS_FOURS in motifs:
        dull |= {ALLOWS_WIN, ALLOWS_FOURS} if ALLOWS_FIVE in motifs else {ALLOWS_WIN}
    if motifs & _FORCED:
        dull |= motifs - _FORCED - {WRONG_END, VITAL_POINT}
    if motifs & {STOPPED, REPLY_MAKES, VITAL_POINT}:
        dull |= {FIRST_THREAT, TAKES_LATER}
    if STOPPED in motifs:
        dull.add(REPLY_MAKES)
    return [reason for reason in found if reason.motif not in dull][:_MAX_REASONS]


def sentence(lines: MoveLines, found: Sequence[Reason]) -> str:
    """The reasons in words."""
    return " ".join(_words(lines, reason) for reason in found)


def _words(lines: MoveLines, reason: Reason) -> str:
    own, foe = _SIDES[lines.side], _SIDES[1 - lines.side]
    point, made = _name(lines, reason.point), _made_text(reason.made)
    if reason.motif == MISSES_FIVE:
        return f"Misses the five at {point}."
    if reason.motif == ALLOWS_FIVE:
        return f"Does not stop the five at {point}."
    if reason.motif in (MISSES_FOURS, ALLOWS_FOURS):
        who = f"Misses a win by fours: {own}" if reason.motif == MISSES_FOURS else foe
        tail = f" and wins by fours in {reason.number} moves" if reason.number > 2 else " and wins"
        return f"{who} makes {made} with {point}{tail}{_forbidden_text(lines, reason.win)}."
    if reason.motif == MISSES_WIN:
        return f"Misses a forced win in {reason.number} moves that begins with {point}{_which(made)}."
    if reason.motif == ALLOWS_WIN:
        return f"{foe} now wins by force in {reason.number} moves, beginning with {point}{_which(made)}."
    if reason.motif == WRONG_END:
        return f"Stops the open three of {foe} at the wrong point; {point} stops it, too."
    if reason.motif == STOPPED:
        threat = _made_text(lines.before.made(lines.side, lines.move))
        if made:
            return f"Makes {threat}, but {foe} stops it with {point} and makes {made} by that."
        return f"Makes {threat}, but {foe} stops it with {point}."
    if reason.motif == VITAL_POINT:
        return f"{point} is the best point for both sides, and {foe} takes it."
    if reason.motif == REPLY_MAKES:
        return f"{foe} makes {made} with {point}."
    if reason.motif == PREVENTS:
        return f"{point} prevents that."
    if reason.motif == BETTER_MAKES:
        return f"{point} makes {made}."
    if reason.motif == STOPS:
        return f"{point} takes the point where {foe} can make {made}."
    if reason.motif == TAKEN_LATER:
        return f"Leaves {point} to {foe}, who takes it in the line."
    if reason.motif == TAKES_LATER:
        return f"In the line {own} plays {point} too, but later."
    who = foe if reason.number % 2 else own
    return f"In the line {who} makes the first threat: {made} with {point}."


def _forbidden_text(lines: MoveLines, win: WinByFours | None) -> str:
    """The last block, if it is forbidden."""
    while win is not None:
        if win.forbidden is not None:
            return f": in the end Black may not play {_name(lines, win.forbidden)}"
        win = win.answers[0][1] if win.answers else None
    return ""


def _which(made: str) -> str:
    return f", {made}" if made else ""


def _made_text(made: Made) -> str:
    """`a four and an open three`."""
    if made.fives:
        return "five"
    words = [
        "an open four" if made.open_fours else "",
        ("a four", "a double four", "three fours", "four fours")[made.fours - 1] if made.fours else "",
        ("an open three", "a double three", "three open threes", "four open threes")[made.threes - 1]
        if made.threes
        else "",
    ]
    return " and ".join(filter(None, words))


def _name(lines: MoveLines, point: Point) -> str:
    return f"{COLUMNS[point[0]]}{lines.before.height - point[1]}"


def why(subject: GomokuSubject, marked: MarkedMove) -> str:
    """What is bad about a marked move."""
    lines = lines_of(subject, marked)
    return sentence(lines, shown(reasons(lines)))


def lines_of(subject: GomokuSubject, marked: MarkedMove) -> MoveLines:
    """The marked move and its lines on the board."""
    stones: dict[Point, int] = {}
    for content, points in enumerate((subject.set_up.black, subject.set_up.white, subject.set_up.blocked)):
        stones.update((parse_point(point), content) for point in points)
    side = subject.set_up.first
    for move in subject.moves[: marked.turn]:
        stones[parse_point(move)] = side
        side = 1 - side
    reply, better = ([parse_point(move) for move in line] for line in (marked.reply, marked.better))
    shapes = Shapes(subject.width, subject.height, subject.rule, stones)
    return MoveLines(shapes, side, parse_point(marked.move), reply, better, marked.mate, marked.mate_after)
