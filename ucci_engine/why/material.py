"""What a line wins: material, counted at a quiet end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ucci_engine.why.plain_board import PlainBoard, side_of, value_of

_ORDER = "RCNABP"
_EQUAL = 0.6
"""A cannon for a horse is an even exchange."""
_PAWN = 1.0


class Gain(NamedTuple):
    """What a side wins in a line, without pieces that both lose."""

    plies: int
    """Of the line, to the quiet end at which it is so."""
    won: str
    """The kinds of pieces, the most valuable first: ``RN``; '' if something is taken back that the line does not
    show."""
    paid: str
    value: float
    """Of what is won, less what is paid."""


def gain_of(boards: Sequence[PlainBoard], line: Sequence[int], side: int) -> Gain:
    """What a side has won at the line's last quiet end, counted at the first quiet end from which it stays so. Negative
    values: it has lost. If it has won nothing there, and the line stops later in the middle of an exchange, it is
    counted at the line's end, less what can be taken from it next."""
    won, paid = "", ""
    end = Gain(0, "", "", 0.0)
    ends = [end]
    for ply, move in enumerate(line, 1):
        captured = boards[ply - 1].pieces.get(move >> 7)
        if captured is not None:
            if side_of(captured) == side:
                paid += captured.upper()
            else:
                won += captured.upper()
        end = _gain(ply, won, paid)
        is_taken_next = ply < len(line) and line[ply] >> 7 == move >> 7
        if not is_taken_next and is_quiet(boards[ply]):
            ends.append(end)
    last = boards[-1]
    if ends[-1].value < _PAWN and ends[-1] != end and not last.is_checked(last.side):
        taken_back = 0.0 if last.side == side else _best_exchange(last)
        ends.append(end._replace(won="", value=end.value - taken_back) if taken_back else end)
    first = next(at for at in range(len(ends)) if all(abs(one.value - ends[-1].value) < _EQUAL for one in ends[at:]))
    return ends[first]


def balance_of(boards: Sequence[PlainBoard], line: Sequence[int], side: int) -> float:
    """What a side is ahead at the end of the line, quiet or not."""
    captured = [boards[ply].pieces[move >> 7] for ply, move in enumerate(line) if move >> 7 in boards[ply].pieces]
    return sum(-value_of(piece) if side_of(piece) == side else value_of(piece) for piece in captured)


def _gain(ply: int, won: str, paid: str) -> Gain:
    has, lost = Counter(won), Counter(paid)
    kept, gone = _sorted(has - lost), _sorted(lost - has)
    return Gain(ply, kept, gone, sum(map(value_of, kept)) - sum(map(value_of, gone)))


def _sorted(pieces: Counter[str]) -> str:
    return "".join(sorted(pieces.elements(), key=_ORDER.index))


def is_quiet(board: PlainBoard) -> bool:
    """Whether the side on turn is not in check and has no capture that wins at once."""
    return not board.is_checked(board.side) and _best_exchange(board) <= _EQUAL


def _best_exchange(board: PlainBoard) -> float:
    """What the side on turn wins by its best capture."""
    return max([0.0, *(exchange(board, move) for move in board.captures(board.side))])


def wins_at_once(board: PlainBoard, capture: int) -> bool:
    """Whether a capture takes more than it costs."""
    return exchange(board, capture) > _EQUAL


def exchange(board: PlainBoard, capture: int) -> float:
    """What a capture wins if both sides go on to take on that point as long as it pays."""
    after = board.after(capture)
    target = capture >> 7
    replies = [guard | target << 7 for guard in after.attackers(target, after.side)]
    answers = [exchange(after, reply) for reply in replies if after.is_safe(reply)]
    return value_of(board.pieces[target]) - max([0.0, *answers])
