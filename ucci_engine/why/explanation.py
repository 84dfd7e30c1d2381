"""Chooses what to say about a marked move: how it is refuted, and what it has missed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ucci_engine.why.facts import (
    BETTER,
    LEFT_ATTACKED,
    LEG,
    LOSES,
    LOST_GUARD,
    MATES,
    MISSED_CAPTURE,
    MISSED_GAIN,
    MISSED_MATE,
    MISSES_SEEN_MATE,
    NOTHING,
    OPENED,
    OVERLOOKED,
    PLAYED,
    SCREEN,
    SEES_MATE,
    WALKED_INTO,
    Fact,
)
from ucci_engine.why.material import Gain, balance_of, exchange, gain_of
from ucci_engine.why.plain_board import PlainBoard, boards_of, moves_of, value_of
from ucci_engine.why.tactics import SPECIAL, Line, between_points, tactics

if TYPE_CHECKING:
    from game_core.review import MarkedMove

_PAWN, _PIECE = 1.0, 2.0
_LEAST = 0.5
"""A gain that is said where there is nothing else to say: a cannon for a horse."""
_MOTIFS = 2
"""Attacks that win nothing, at most."""


def explain(fen: str, marked: MarkedMove) -> list[Fact]:
    """The facts of the sentence. `fen`: of the position before the move."""
    board = PlainBoard(fen)
    side = board.side
    played = _line(PLAYED, board, (marked.move, *marked.reply))
    better = _line(BETTER, board, tuple(marked.better))
    lost = gain_of(played.boards, played.moves, 1 - side)
    won = gain_of(better.boards, better.moves, side)
    facts: list[Fact] = []
    # What makes the difference between the lines; else what one of them wins at all; else attacks without a gain.
    if marked.mate_after is not None and marked.mate_after < 0:
        facts += _mate(played, 1, -marked.mate_after, MATES, SEES_MATE)
    elif lost.value >= _PIECE or (lost.value >= _PAWN and lost.value + won.value >= 0):
        facts += _refutation(played, lost)
    else:
        facts += _overlooked(played, lost)
    if marked.mate is not None and marked.mate > 0:
        facts += _mate(better, 0, marked.mate, MISSED_MATE, MISSES_SEEN_MATE)
    elif not any(fact.motif in (MATES, SEES_MATE) for fact in facts):
        more = won.value + lost.value
        if (won.value >= _PIECE and more > 0) or (won.value >= _PAWN and more >= _PAWN):
            facts += _missed(better, won)
        else:
            facts += _missed_capture(better, _PIECE)
    if not facts and lost.value >= _LEAST:
        facts += _refutation(played, lost)
    elif not facts and won.value >= _LEAST:
        facts += _missed(better, won)
    if facts:
        return facts
    attacks = [*_attacks(played, 1 - side), *_attacks(better, side)]
    if all(abs(balance_of(line.boards, line.moves, side)) < _PIECE for line in (played, better)):
        return [fact for fact in attacks if fact.motif in SPECIAL] or [Fact(NOTHING, PLAYED, side)]
    return attacks[:_MOTIFS]


def _attacks(line: Line, side: int) -> list[Fact]:
    """The motifs of a side that wins nothing by them in the end."""
    return tactics(line, side, Gain(len(line.moves), "", "", 0.0))


def _line(name: str, board: PlainBoard, moves: tuple[str, ...]) -> Line:
    line = moves_of(moves)
    return Line(name, boards_of(board, line), line)


def _mate(line: Line, start: int, number: int, shown: str, seen: str) -> Iterator[Fact]:
    """A mate from the move of index `start` on; the search may have seen more of it than the line has."""
    if start >= len(line.moves):
        return
    board, last = line.boards[start], line.boards[-1]
    move = line.moves[start]
    is_shown = last.side != board.side and bool(last.checkers(last.side)) and last.has_lost(last.side)
    if is_shown:
        number = (len(line.moves) - start + 1) // 2
    motif = shown if is_shown else seen
    yield Fact(motif, line.name, board.side, start, move, board.pieces[move & 127], number=number)


def _refutation(line: Line, gain: Gain) -> Iterator[Fact]:
    side = line.boards[1].side
    yield from _overlooked(line, gain)
    yield from _unguarded(line, gain)
    yield from tactics(line, side, gain)
    if gain.won:
        yield Fact(LOSES, PLAYED, side, gain.plies, won=gain.won, paid=gain.paid)


def _unguarded(line: Line, gain: Gain) -> Iterator[Fact]:
    """A piece that stays where it is until it is taken for nothing: the piece that moved was its guard."""
    before, after = line.boards[:2]
    origin, to = line.moves[0] & 127, line.moves[0] >> 7
    for square, index in line.captures.items():
        is_won = 1 < index < gain.plies and line.moves[index] >> 7 == square and after.pieces.get(square, "") != ""
        if not is_won or line.boards[index].side != after.side:  # it is the opponent who takes it
            continue
        if after.pieces[square].upper() not in gain.won or square not in before.seen_from(origin):
            continue
        if square not in after.seen_from(to) and not _is_taken_back(line, index):
            taker = line.boards[index].pieces[line.moves[index] & 127]
            move = line.moves[index]
            yield Fact(LOST_GUARD, PLAYED, after.side, index, move, taker, (after.pieces[square],), (square,))
            return


def _is_taken_back(line: Line, index: int) -> bool:
    return index + 1 < len(line.moves) and line.moves[index + 1] >> 7 == line.moves[index] >> 7


def _overlooked(line: Line, gain: Gain) -> Iterator[Fact]:
    """What the first reply takes, and what the move had to do with it."""
    if len(line.moves) < 2:
        return
    before, after = line.boards[:2]
    moved, reply = line.moves[:2]
    target, captor = reply >> 7, reply & 127
    if target not in after.pieces:
        return
    taken_before = value_of(before.pieces[target]) if target == moved >> 7 and target in before.pieces else 0.0
    is_gain = gain.value >= _PAWN and after.pieces[target].upper() in gain.won and not _is_taken_back(line, 1)
    is_sacrifice = target == moved >> 7 and gain.value < 0
    if not is_gain and (is_sacrifice or exchange(after, reply) - taken_before < _PIECE):
        return
    side = after.side
    origin, to = moved & 127, moved >> 7

    def fact(motif: str) -> Fact:
        return Fact(motif, PLAYED, side, 1, reply, after.pieces[captor], (after.pieces[target],), (target,))

    yield fact(OVERLOOKED)
    was_attacked = captor in before.pieces and target in before.seen_from(captor)
    if target == to:
        yield fact(WALKED_INTO)
    elif not was_attacked and after.pieces[captor].upper() == "C" and _is_new_screen(before, to, captor, target):
        yield fact(SCREEN)
    elif not was_attacked:
        yield fact(LEG if after.pieces[captor].upper() in "NB" else OPENED)
    elif target in before.seen_from(origin) and target not in after.seen_from(to):
        yield fact(LOST_GUARD)
    else:
        yield fact(LEFT_ATTACKED)


def _is_new_screen(before: PlainBoard, to: int, cannon: int, target: int) -> bool:
    return to in between_points(cannon, target) and to not in before.pieces


def _missed(line: Line, gain: Gain) -> Iterator[Fact]:
    yield from _missed_capture(line, _PAWN)
    yield from tactics(line, line.boards[0].side, gain)
    if gain.won:
        board, move = line.boards[0], line.moves[0]
        piece = board.pieces[move & 127]
        yield Fact(MISSED_GAIN, BETTER, board.side, gain.plies, move, piece, won=gain.won, paid=gain.paid)


def _missed_capture(line: Line, least: float) -> Iterator[Fact]:
    """What the better move takes, if it wins at least so much."""
    if not line.moves:
        return
    board, move = line.boards[0], line.moves[0]
    taken = move >> 7
    if taken in board.pieces and exchange(board, move) >= least:
        piece = board.pieces[move & 127]
        yield Fact(MISSED_CAPTURE, BETTER, board.side, 0, move, piece, (board.pieces[taken],), (taken,))
