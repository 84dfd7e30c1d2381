"""Check the reasons of gomoku_protocol/why.py on the board, with the slow rules of gomoku_reference.py alone.

Nothing here asks the code that found them: lines are scanned anew, and a win by fours is played to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gomoku_protocol.points import RENJU
from tests.helpers import gomoku_reference as reference
from tests.helpers.gomoku_reference import DIRECTIONS, Board, Point

if TYPE_CHECKING:
    from gomoku_protocol.fours import WinByFours
    from gomoku_protocol.why import MoveLines, Reason


def faults(lines: MoveLines, found: list[Reason]) -> list[str]:
    """The reasons that are not true."""
    wrong = []
    for reason in found:
        complaint = _fault(lines, reason)
        if complaint:
            wrong.append(f"{reason.motif} {reason.point}: {complaint}")
    return wrong


def _fault(lines: MoveLines, reason: Reason) -> str:
    shapes, own, foe, point = lines.before, lines.side, 1 - lines.side, reason.point
    before = Board(shapes.width, shapes.height, shapes.rule, dict(shapes.stones))
    if not before.empty(lines.move):
        return "the move is not on a vacant point"
    after = _with(before, own, lines.move)
    better, reply = lines.better[:1] == [point], lines.reply[:1] == [point]
    match reason.motif:
        case "misses-five":
            return "" if point != lines.move and _is_five(before, own, point) else "no five is missed"
        case "allows-five":
            return "" if _is_five(after, foe, point) and not _is_five(before, own, lines.move) else "no five"
        case "misses-fours":
            return _win_fault(before, own, reason) if point != lines.move else "it was played"
        case "allows-fours":
            return _win_fault(after, foe, reason)
        case "misses-win":
            is_shown = better and reason.number == lines.mate and point != lines.move
            return _made_fault(before, own, reason) if is_shown else "not the win of the review"
        case "allows-win":
            is_shown = reply and reason.number == -(lines.mate_after or 0)
            return _made_fault(after, foe, reason) if is_shown else "not the win of the review"
        case "reply-makes":
            return _made_fault(after, foe, reason) if reply else "not the reply"
        case "better-makes":
            return _made_fault(before, own, reason) if better else "not the better move"
        case "better-stops":
            return _made_fault(before, foe, reason) if better else "not the better move"
        case "vital-point":
            return "" if reply and better else "not both"
        case "stopped":
            if not reply or sum(_made(before, own, lines.move)[2:]) != 1:
                return "no single threat"
            is_stopped = not _still_threatens(_with(after, foe, point), own, lines.move)
            return _made_fault(after, foe, reason) if is_stopped else "not stopped"
        case "wrong-end":
            both = (after, _with(before, own, point))
            stands = _threes_along(before, foe, reason.direction)
            stopped = [
                three for three in stands if not any(three & _threes(each, foe, reason.direction) for each in both)
            ]
            return "" if better and stopped else "no three is stopped by both"
        case "better-prevents":
            shown, then = (_with(each, foe, lines.reply[0]) for each in (after, _with(before, own, point)))
            made = lines.reply[0] in _threes(shown, foe, reason.direction)
            return "" if better and made and lines.reply[0] not in _threes(then, foe, reason.direction) else "not so"
        case "point-taken-later" | "takes-later":
            number = lines.reply.index(point) + 1
            is_foe = number % 2 == 1
            same = better and number == reason.number and is_foe == (reason.motif == "point-taken-later")
            return "" if same else "not in the line"
        case "first-threat":
            return _first_fault(after, foe, lines, reason)
    return "unknown"


def _first_fault(board: Board, side: int, lines: MoveLines, reason: Reason) -> str:
    for number, point in enumerate(lines.reply, 1):
        if number == reason.number:
            return _made_fault(board, side, reason) if point == reason.point else "another move"
        if any(_made(board, side, point)):
            return "an earlier threat"
        board, side = _with(board, side, point), 1 - side
    return "not in the line"


def _with(board: Board, side: int, point: Point) -> Board:
    return Board(board.width, board.height, board.rule, {**board.content, point: side})


def _is_five(board: Board, side: int, point: Point) -> bool:
    return board.empty(point) and reference.wins(_with(board, side, point), point)


def _is_foul(board: Board, side: int, point: Point) -> bool:
    return board.rule == RENJU and side == reference.BLACK and reference.foul(board, point) is not None


# Lines


def _alone(board: Board, point: Point, direction: Point) -> Board:
    """The board with nothing but one line."""
    points = [(point[0] + step * direction[0], point[1] + step * direction[1]) for step in range(-22, 23)]
    content = {each: board.content[each] for each in points if each in board.content}
    return Board(board.width, board.height, board.rule, content)


def _five_rows(line: Board, side: int, point: Point, direction: Point) -> dict[Point, set[Point]]:
    """Where a stone makes a five of the stone on a point, and the stones of that five."""
    rows = {}
    for other in reference.line_around(line, point, direction, 5):
        then = _with(line, side, other)
        row = reference.run_through(then, other, direction)
        if point in row and reference.wins(then, other):
            rows[other] = set(row)
    return rows


def _is_open_four(line: Board, side: int, point: Point, direction: Point) -> bool:
    if len(_five_rows(line, side, point, direction)) < 2:
        return False
    stops = reference.line_around(line, point, direction, 9)
    return all(_five_rows(_with(line, 1 - side, stop), side, point, direction) for stop in stops)


def _is_open_three(board: Board, side: int, point: Point, direction: Point) -> bool:
    line = _alone(board, point, direction)
    if _five_rows(line, side, point, direction):
        return False
    for other in reference.line_around(line, point, direction, 4):
        then = _with(line, side, other)
        rows = _five_rows(then, side, point, direction)
        if (
            rows
            and all(other in row for row in rows.values())
            and _is_open_four(then, side, point, direction)
            and not _is_five(board, side, other)
            and not _is_foul(board, side, other)
        ):
            return True
    return False


def _made(board: Board, side: int, point: Point) -> tuple[int, int, int, int]:
    """What a stone makes: fives, open fours, other fours, open threes, by directions."""
    then, counts = _with(board, side, point), [0, 0, 0, 0]
    for direction in DIRECTIONS:
        line = _alone(then, point, direction)
        if reference.wins(line, point):
            counts[0] += 1
        elif _is_open_four(line, side, point, direction):
            counts[1] += 1
        elif _five_rows(line, side, point, direction):
            counts[2] += 1
        elif _is_open_three(then, side, point, direction):
            counts[3] += 1
    return counts[0], counts[1], counts[2], counts[3]


def _made_fault(board: Board, side: int, reason: Reason) -> str:
    if not board.empty(reason.point):
        return "the point is not vacant"
    made = _made(board, side, reason.point)
    return "" if made == tuple(reason.made) else f"makes {made}, not {tuple(reason.made)}"


def _still_threatens(board: Board, side: int, point: Point) -> bool:
    return any(
        _five_rows(_alone(board, point, direction), side, point, direction)
        or _is_open_three(board, side, point, direction)
        for direction in DIRECTIONS
    )


def _threes(board: Board, side: int, direction: Point) -> set[Point]:
    """The stones of a side's open threes in a direction."""
    stones = [point for point, content in board.content.items() if content == side]
    return {point for point in stones if _is_open_three(board, side, point, direction)}


def _threes_along(board: Board, side: int, direction: Point) -> list[set[Point]]:
    """The open threes of each line in a direction."""
    lines: dict[int, set[Point]] = {}
    for x, y in _threes(board, side, direction):
        lines.setdefault(x * direction[1] - y * direction[0], set()).add((x, y))
    return list(lines.values())


# Wins by fours


def _win_fault(board: Board, side: int, reason: Reason) -> str:
    win = reason.win
    if win is None or win.move != reason.point:
        return "no win"
    if reason.number != _length(win):
        return f"the win has {_length(win)} moves, not {reason.number}"
    return _line_fault(board, side, win) or _made_fault(board, side, reason)


def _length(win: WinByFours) -> int:
    return 1 if win.is_five else 1 + max((_length(then) for _, then in win.answers), default=1)


def _line_fault(board: Board, side: int, win: WinByFours) -> str:
    """What is wrong with a win, all answers of the other side tried."""
    if not board.empty(win.move) or _is_foul(board, side, win.move):
        return f"{win.move} cannot be played"
    if win.is_five:
        return "" if _is_five(board, side, win.move) else f"{win.move} is no five"
    then, foe = _with(board, side, win.move), 1 - side
    vacant = then.empty_points()
    if any(_is_five(then, foe, point) for point in vacant):
        return f"after {win.move} the other side makes five"
    fives = [point for point in vacant if _is_five(then, side, point)]
    if not fives:
        return f"{win.move} is no four"
    answers = dict(win.answers)
    for point in {
        near for five in fives for d in DIRECTIONS for near in [five, *reference.line_around(then, five, d, 5)]
    }:
        answered = _with(then, foe, point)
        if _is_foul(then, foe, point) or any(_is_five(answered, side, five) for five in fives):
            continue
        if point not in answers:
            return f"{point} stops {win.move}"
        fault = _line_fault(answered, side, answers[point])
        if fault:
            return fault
    return "" if win.forbidden is None or _is_foul(then, foe, win.forbidden) else f"{win.forbidden} is allowed"
