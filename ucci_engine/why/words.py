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
    FIRST,
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
    OVERLOOKED: "{move} takes the {first_kind}",
    MISSED_CAPTURE: "{move} takes the {first_kind}",
    LOST_GUARD: "the move leaves {first} without its guard",
    LEFT_ATTACKED: "the move leaves {first} attacked",
    WALKED_INTO: "the move puts the {first_kind} where it can be taken",
    OPENED: "the move opens the line to it",
    SCREEN: "the move gives the cannon a screen",
    LEG: "the move frees the way of the {kind}",
    CANNOT_TAKE_BACK: "{first} cannot take back on {to}, since its king would be in check",
    PINNED: "{first} pins {second} to {third}",
    FORK: "{move} attacks {all} at once",
    SKEWER: "{move} attacks {first} and, behind it, {second}",
    TRAPPED: "{move} attacks {first}, which has no safe move",
    ATTACK: "{move} attacks {first}",
    DRIVEN_GUARD: "{move} attacks {first}, the guard of {second}",
    DISCOVERED_ATTACK: "{move} opens the attack of {first} on {second}",
    DISCOVERED_CHECK: "{move} gives a discovered check by {first}",
    DOUBLE_CHECK: "{move} gives a double check",
    MATE_THREAT: "{move} threatens mate",
    LOSES: "{side} wins {won} within {plies}",
    MISSED_GAIN: "{side} wins {won} within {plies}",
    NOTHING: "no side comes out a piece ahead",
}


_OF_POSITION = {CANNOT_TAKE_BACK, PINNED}
"""Their words do not name the move after which they hold."""
_OF_NO_MOVE = {LOST_GUARD, LEFT_ATTACKED, WALKED_INTO, OPENED, SCREEN, LEG, LOSES, MISSED_GAIN, NOTHING}
"""They are about the move that was played, or about all of a line."""


def sentences(facts: Sequence[Fact]) -> str:
    """All that the facts say. Those of a line stand in the order of its moves."""
    parts = []
    named: dict[str, int] = {}
    """For each line the index of the move that was named last."""
    for fact in facts:
        at = named.get(fact.line)
        text = text_of(fact) if fact.motif in _OF_NO_MOVE else _at_its_move(fact, at)
        if fact.motif == MISSED_GAIN and at is None:
            text = f"with {_move_text(fact.move, fact.piece)} {text}"
        parts.append(f"Better: {text}." if fact.line == BETTER and at is None else f"{_capital(text)}.")
        if fact.motif not in _OF_NO_MOVE:
            named[fact.line] = fact.ply
    return " ".join(parts)


def _at_its_move(fact: Fact, named: int | None) -> str:
    """The fact, with which move of the line it is about. `named`: the index of the one that was named last, if any."""
    text = text_of(fact)
    if fact.ply == named:
        return text
    if fact.motif in _OF_POSITION:
        text = f"after {_move_text(fact.move, fact.piece)} {text}"
    if named is None and not fact.first:
        return text
    before = FIRST[fact.line] if named is None else named
    text = f"{'then' if fact.ply == before + 2 else 'later'} {text}"
    return text if named is not None else f"{_move_text(fact.first, fact.first_piece)}, {text}"


def text_of(fact: Fact) -> str:
    """A fact for itself, without a capital letter."""
    pieces = [
        f"the {NAMES[piece.upper()]} on {square_text(square)}" for piece, square in zip(fact.pieces, fact.squares)
    ]
    first = pieces[0] if pieces else ""
    plies = fact.ply - (fact.motif == LOSES)
    return _TEMPLATES[fact.motif].format(
        side=SIDES[fact.side],
        number=fact.number,
        move=_move_text(fact.move, fact.piece) if fact.piece else "",
        to=square_text(fact.move >> 7),
        kind=NAMES[fact.piece.upper()] if fact.piece else "",
        first=first,
        first_kind=NAMES[fact.pieces[0].upper()] if fact.pieces else "",
        second=pieces[1] if len(pieces) > 1 else "",
        third=pieces[2] if len(pieces) > 2 else "",
        all=_listed(pieces),
        won=" for ".join(filter(None, (_kinds(fact.won), _kinds(fact.paid)))),
        plies="one ply" if plies == 1 else f"{plies} plies",
    )


def _move_text(move: int, piece: str) -> str:
    return f"{NAMES[piece.upper()]} {square_text(move & 127)}-{square_text(move >> 7)}"


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
