"""The sentences of the facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ucci_engine.points import square_text
from ucci_engine.why.facts import (
    ATTACK,
    BETTER,
    CANNOT_TAKE_BACK,
    DISCOVERED_ATTACK,
    DISCOVERED_CHECK,
    DOUBLE_CHECK,
    DRIVEN_GUARD,
    FORK,
    LEFT_ATTACKED,
    LEG,
    LOSES,
    LOST_GUARD,
    MATE_THREAT,
    MATES,
    MISSED_CAPTURE,
    MISSED_GAIN,
    MISSED_MATE,
    MISSES_SEEN_MATE,
    NOTHING,
    OPENED,
    OVERLOOKED,
    PINNED,
    SCREEN,
    SEES_MATE,
    SKEWER,
    TRAPPED,
    WALKED_INTO,
    Fact,
)

NAMES = {"R": "rook", "N": "horse", "B": "elephant", "A": "advisor", "K": "king", "C": "cannon", "P": "pawn"}
SIDES = ("Red", "Black")
_TEMPLATES = {
    MATES: "{side} mates in {number}, from {move}",
    SEES_MATE: "{side} has a forced win in {number}, from {move}",
    MISSED_MATE: "{side} mates in {number}, from {move}",
    MISSES_SEEN_MATE: "{side} has a forced win in {number}, from {move}",
    OVERLOOKED: "{Move} takes the {first_kind}",
    MISSED_CAPTURE: "{Move} takes the {first_kind}",
    LOST_GUARD: "The move leaves {first} without its guard",
    LEFT_ATTACKED: "The move leaves {first} attacked",
    WALKED_INTO: "The move puts the {first_kind} where it can be taken",
    OPENED: "The move opens the line to it",
    SCREEN: "The move gives the cannon a screen",
    LEG: "The move frees the way of the {kind}",
    CANNOT_TAKE_BACK: "{First} cannot take back on {to}, since its king would be in check",
    PINNED: "{First} pins {second} to {third}",
    FORK: "{Move} attacks {all} at once",
    SKEWER: "{Move} attacks {first} and, behind it, {second}",
    TRAPPED: "{Move} attacks {first}, which has no safe move",
    ATTACK: "{Move} attacks {first}",
    DRIVEN_GUARD: "{Move} attacks {first}, the guard of {second}",
    DISCOVERED_ATTACK: "{Move} opens the attack of {first} on {second}",
    DISCOVERED_CHECK: "{Move} gives a discovered check by {first}",
    DOUBLE_CHECK: "{Move} gives a double check",
    MATE_THREAT: "{Move} threatens mate",
    LOSES: "{side} wins {won} within {plies}",
    MISSED_GAIN: "{side} wins {won} within {plies}",
    NOTHING: "No side comes out a piece ahead",
}


def sentences(facts: Sequence[Fact]) -> str:
    """All that the facts say."""
    parts, is_better = [], False
    for fact in facts:
        text = text_of(fact)
        if fact.line == BETTER and not is_better:
            is_better = True
            text = f"Better: {text if fact.motif in _NAMED_SIDE else text[0].lower() + text[1:]}"
        parts.append(f"{text}.")
    return " ".join(parts)


_NAMED_SIDE = {MISSED_MATE, MISSES_SEEN_MATE, MISSED_GAIN}


def text_of(fact: Fact) -> str:
    pieces = [
        f"the {NAMES[piece.upper()]} on {square_text(square)}" for piece, square in zip(fact.pieces, fact.squares)
    ]
    first = pieces[0] if pieces else ""
    move = _move_text(fact)
    plies = fact.ply - (fact.motif == LOSES)
    return _TEMPLATES[fact.motif].format(
        side=SIDES[fact.side],
        number=fact.number,
        move=move,
        Move=_capital(move),
        to=square_text(fact.move >> 7),
        kind=NAMES[fact.piece.upper()] if fact.piece else "",
        first=first,
        First=_capital(first),
        first_kind=NAMES[fact.pieces[0].upper()] if fact.pieces else "",
        second=pieces[1] if len(pieces) > 1 else "",
        third=pieces[2] if len(pieces) > 2 else "",
        all=_listed(pieces),
        won=" for ".join(filter(None, (_kinds(fact.won), _kinds(fact.paid)))),
        plies="one ply" if plies == 1 else f"{plies} plies",
    )


def _move_text(fact: Fact) -> str:
    if not fact.piece:
        return ""
    return f"{NAMES[fact.piece.upper()]} {square_text(fact.move & 127)}-{square_text(fact.move >> 7)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _kinds(kinds: str) -> str:
    """`a rook and two pawns`."""
    return _listed([_counted(NAMES[kind], number) for kind, number in Counter(kinds).items()])


def _counted(name: str, number: int) -> str:
    if number > 1:
        return f"{('two', 'three', 'four', 'five')[number - 2]} {name}s"
    return f"{'an' if name[0] in 'ae' else 'a'} {name}"


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
