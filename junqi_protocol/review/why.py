"""Why a marked move of Junqi is bad: what it risked against which odds, what can take the piece now, and what the
better move attacks. All odds are those that the player knew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from game_core.review import HiddenPiece, MarkedMove, likelihood
from junqi_protocol.knowledge.knowledge import BOTH_DIED, EAT, KILLED
from junqi_protocol.review.hindsight import ANSWER, ATTACKED, BETTER
from junqi_protocol.rules.lineup import FLAG, PIECES
from junqi_protocol.rules.position import resolve_combat

RISK, EXPOSED, BETTER_ATTACK = "risk", "exposed", "better attack"
_LEAST = {RISK: 0.15, EXPOSED: 0.15, BETTER_ATTACK: 0.3}
"""How probable what is said must be; in the order in which it is said."""

_SAID = 0.005


class Reason(NamedTuple):
    """What is bad about a move."""

    motif: str
    own: str
    """The letter of the piece that the player moves."""
    point: str
    """Of the enemy's piece."""
    chances: tuple[float, float, float]
    """That the own piece takes it, dies, or both die; of EXPOSED, that the other one takes it, dies, or both die."""
    flag: float = 0.0
    """That the enemy's piece is the flag."""


def reasons(marked: MarkedMove, own: str, better_own: str) -> list[Reason]:
    """What can be said of a move. `own`, `better_own`: the letters of the pieces that it and the better move move."""
    found = []
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
    return [said[motif] for motif in _LEAST if motif in said]


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
    return f"Better: the {own} attacks {reason.point}: {_listed((*ends, ('it is the flag', reason.flag)))}."


def _listed(ends: Sequence[tuple[str, float]]) -> str:
    """`it takes with 45 %, dies with 55 %`."""
    return ", ".join(f"{words} with {likelihood(chance)}" for words, chance in ends if chance >= _SAID)
