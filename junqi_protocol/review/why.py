"""Why a marked move of Junqi is bad: what it risked against which odds, what can take the piece now, what the enemy
takes in the line after it, and what the better move attacks. All odds are those that the player knew."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from game_core.review import HiddenPiece, MarkedMove, likelihood
from junqi_protocol.knowledge.knowledge import BOTH_DIED, EAT, KILLED, MOVE
from junqi_protocol.review.hindsight import ANSWER, ATTACKED, BETTER
from junqi_protocol.rules.lineup import FLAG, PIECES, UNKNOWN
from junqi_protocol.rules.position import resolve_combat

if TYPE_CHECKING:
    from junqi_protocol.players.likely_line import Ending
    from junqi_protocol.rules.position import Position

RISK, EXPOSED, BETTER_ATTACK = "risk", "exposed", "better attack"
LINE_LOSES, FLAG_FALLS = "line loses", "flag falls"
_LEAST = {RISK: 0.15, EXPOSED: 0.15, LINE_LOSES: 0.5, FLAG_FALLS: 0.3, BETTER_ATTACK: 0.3}
"""How probable what is said must be; in the order in which it is said."""

_LEAST_TRADE = 0.3
"""How probably a better attack takes the piece or dies with it, if nothing else can be said."""
_SAID = 0.005


class Reason(NamedTuple):
    """What is bad about a move."""

    motif: str
    own: str
    """The letter of the player's piece: that moves, or that is taken in the line."""
    point: str
    """Of the enemy's piece, before the move."""
    chances: tuple[float, float, float]
    """That the own piece takes it, dies, or both die; where the enemy attacks, that it takes, dies, or both die."""
    flag: float = 0.0
    """That the enemy's piece is the flag."""
    taken_on: str = ""
    """Where the piece is taken in the line."""


def reasons(marked: MarkedMove, own: str, better_own: str, taken: Sequence[Reason] = ()) -> list[Reason]:
    """What can be said of a move. `own`, `better_own`: the letters of the pieces that it and the better move move.
    `taken`: what the enemy takes in the line."""
    found = [*taken]
    for piece in marked.pieces:
        if piece.role == ATTACKED:
            chances = _odds(piece, own, is_attacked=True)
            found.append(Reason(RISK, own, piece.point, chances))
        elif piece.role == ANSWER:
            found.append(Reason(EXPOSED, own, piece.point, _odds(piece, own, is_attacked=False)))
        elif piece.role == BETTER and marked.better:
            chances = _odds(piece, better_own, is_attacked=True)
            found.append(Reason(BETTER_ATTACK, better_own, piece.point, chances, piece.types.get(PIECES[FLAG], 0.0)))
    said: dict[str, Reason] = {}
    for reason in found:
        if _weight(reason) >= _LEAST[reason.motif]:
            said.setdefault(reason.motif, reason)
    if RISK in said or EXPOSED in said or FLAG_FALLS in said:
        said.pop(LINE_LOSES, None)
    if not said:
        trades = [reason for reason in found if reason.motif == BETTER_ATTACK and 1 - reason.chances[1] >= _LEAST_TRADE]
        return trades[:1]
    return [said[motif] for motif in _LEAST if motif in said]


def taken_in_line(position: Position, enemies: Container[int], line: Sequence[Ending]) -> Iterator[Reason]:
    """What the enemy takes in a line by its likeliest ends. `position`: before the line, as the player knows it."""
    origins: dict[int, int] = {}
    """Of the pieces that have moved in the line, by their point; -1: the point is empty."""
    squares = position.variant.squares
    for ending in line:
        origin, target = ending.move >> 8, ending.move & 255
        start, other = origins.get(origin, origin), origins.get(target, target)
        captor = position.piece_at(start)
        piece = None if other < 0 else position.piece_at(other)
        if captor is None:
            return
        is_attack = captor[0] in enemies and piece is not None and piece[0] not in enemies and piece[1] != UNKNOWN
        if piece is not None and is_attack and (ending.result == EAT or ending.flag_falls):
            motif = FLAG_FALLS if ending.flag_falls else LINE_LOSES
            chances = (ending.chance, 0.0, 0.0)
            yield Reason(motif, PIECES[piece[1]], squares[start], chances, taken_on=squares[target])
        origins[origin] = -1
        if ending.result in (MOVE, EAT):
            origins[target] = start
        elif ending.result == BOTH_DIED:
            origins[target] = -1


def _weight(reason: Reason) -> float:
    takes, dies, both = reason.chances
    return dies + both if reason.motif == RISK else takes + both if reason.motif == EXPOSED else takes


def _odds(piece: HiddenPiece, own: str, *, is_attacked: bool) -> tuple[float, float, float]:
    """How an attack on the piece ends, or its attack on `own`: that the attacker takes, dies, or both die."""
    ends = {EAT: 0.0, KILLED: 0.0, BOTH_DIED: 0.0}
    kind = PIECES.index(own)
    for letter, chance in piece.types.items():
        other = PIECES.index(letter)
        if is_attacked:
            ends[resolve_combat(kind, other)] += chance
        elif letter not in "MF":
            ends[resolve_combat(other, kind)] += chance
    return ends[EAT], ends[KILLED], ends[BOTH_DIED]


def sentences(found: Sequence[Reason], names: Mapping[str, str]) -> str:
    """The reasons in words. `names`: of the pieces, by their letters."""
    return " ".join(_sentence(reason, names[reason.own]) for reason in found)


def _sentence(reason: Reason, own: str) -> str:
    ends = (("it takes", reason.chances[0]), ("dies", reason.chances[1]), ("both die", reason.chances[2]))
    if reason.motif == RISK:
        return f"The {own} attacks {reason.point}: {_listed(ends)}."
    if reason.motif == EXPOSED:
        return f"The piece on {reason.point} can attack the {own} then: {_listed(ends)}."
    if reason.motif in (LINE_LOSES, FLAG_FALLS):
        chance = f" with {likelihood(reason.chances[0])}" if reason.chances[0] < 1 - _SAID else ""
        return f"In the line the piece on {reason.point} takes the {own} on {reason.taken_on}{chance}."
    return f"Better: the {own} attacks {reason.point}: {_listed((*ends, ('it is the flag', reason.flag)))}."


def _listed(ends: Sequence[tuple[str, float]]) -> str:
    """`it takes with 45 %, dies with 55 %`."""
    return ", ".join(f"{words} with {likelihood(chance)}" for words, chance in ends if chance >= _SAID)
