"""What a seat knew of the pieces that mattered to its move, what it believed, and what was true.

Knowledge and belief come from the seat's view before the move alone. The true lineups are used for the truth only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from game_core.review import HiddenPiece, PieceTexts, likelihood
from junqi_protocol.knowledge.knowledge import BOTH_DIED, EAT, KILLED, MOVE
from junqi_protocol.players.searching import type_probabilities
from junqi_protocol.records.display import ENGLISH, NAMES
from junqi_protocol.rules.geometry import HOME_POINTS
from junqi_protocol.rules.lineup import BOMB, COMMANDER, ENGINEER, FLAG, MINE, PIECES, UNKNOWN, placed
from junqi_protocol.rules.messages import Moved
from junqi_protocol.rules.position import Contradiction, IllegalMove, resolve_combat

if TYPE_CHECKING:
    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.rules.arbiter import Arbiter
    from junqi_protocol.rules.messages import Happening

ATTACKED, BETTER, ANSWER, BETTER_ANSWER = "attacked", "better target", "can strike back", "could strike after better"
ROLES = {
    ATTACKED: "which it attacked",
    BETTER: "target of the better move",
    ANSWER: "which might take it there",
    BETTER_ANSWER: "which might take it after the better move",
}
_MAX_ANSWERS = 3
"""Pieces that are shown of those that can take the piece that moved."""
_MIN_THREAT = 0.1
"""How probably such a piece must beat it."""
_MAX_CLUES = 3
_MAX_TYPES = 4
"""Types that a text names; the others are counted together."""
_TYPES = (*range(COMMANDER, ENGINEER - 1, -1), BOMB, MINE, FLAG)
_MIN_RUN = 3
Probabilities = Callable[[int], Mapping[int, Sequence[float]]]
"""Of the types of a seat's hidden pieces, by point."""


class Clue(NamedTuple):
    """What all seats saw of a piece in a ply."""

    ply: int
    kind: str
    """``moved``, ``took``, ``beat`` (an attacker), ``turned`` (on the rails) or ``shown`` (a flag)."""
    other: int = -1
    """Where the other piece of a clash began."""


class Hindsight:
    """Words for the pieces of one game.

    Parameters
    ----------
    arbiter : Arbiter
        The game as far as it was played.
    """

    def __init__(self, arbiter: Arbiter) -> None:
        self._variant = arbiter.variant
        self._lineups = arbiter.lineups
        self._movers: dict[int, int] = {}
        """By ply, where the piece began that moved."""
        self._clues = self._read(arbiter.happenings)

    def _read(self, happenings: Sequence[Happening]) -> dict[int, list[Clue]]:
        """What was seen of each piece, by the point that it began on."""
        home_at = {point: point for point, _seat, _letter in placed(enumerate(self._lineups))}
        clues: dict[int, list[Clue]] = {home: [] for home in home_at}
        for happening in happenings:
            if not isinstance(happening, Moved):
                for seat, _reason in happening.outs:
                    home_at = _without(home_at, seat)
                continue
            ply, origin, target = happening.ply, happening.move >> 8, happening.move & 255
            is_plain = self._is_plain(origin, target, home_at)
            mover, other = home_at.pop(origin), home_at.get(target, -1)
            self._movers[ply] = mover
            is_told = is_plain or any(clue.kind == "turned" for clue in clues[mover])  # the first turn says it all
            clues[mover].append(Clue(ply, "moved" if is_told else "turned"))
            if happening.result in (EAT, MOVE):
                home_at[target] = mover
                if other >= 0:
                    clues[mover].append(Clue(ply, "took", other))
            elif happening.result == KILLED:
                clues[other].append(Clue(ply, "beat", mover))
            else:
                del home_at[target]
            for _seat, point in happening.flags:
                if point in home_at:
                    clues[home_at[point]].append(Clue(ply, "shown"))
            for seat, _reason in happening.outs:
                home_at = _without(home_at, seat)
        return clues

    def _is_plain(self, origin: int, target: int, board: Container[int]) -> bool:
        """Whether a piece that is no engineer can move so. `board`: the points that are occupied."""
        return target in self._variant.roads[origin] or any(
            not any(point in board for point in line[: line.index(target)])
            for _, line in self._variant.runs[origin]
            if target in line
        )

    def mover(self, ply: int) -> str:
        """The letter of the piece that moved in a ply."""
        home = self._movers[ply]
        return self._lineups[home // HOME_POINTS][home % HOME_POINTS]

    def rows(self, view: PlayerView, played: int | None, best: int | None, notation: str) -> list[HiddenPiece]:
        """The hidden pieces that matter to the moves. Each piece is there once."""
        names = {"chinese": NAMES, "english": ENGLISH}.get(notation, dict(zip(PIECES, PIECES)))
        chances = cache(partial(type_probabilities, view))
        rows: dict[int, HiddenPiece] = {}
        for point, role in self._points(view, played, best, chances):
            if point not in rows:
                rows[point] = self._row(view, point, role, chances(_seat_at(view, point))[point], names)
        return list(rows.values())

    def _points(
        self, view: PlayerView, played: int | None, best: int | None, chances: Probabilities
    ) -> Iterator[tuple[int, str]]:
        moves = [(played, ATTACKED, ANSWER)]
        if best != played:
            moves.append((best, BETTER, BETTER_ANSWER))
        for move, target, _ in moves:
            if move is not None and any(move & 255 in view.knowledge.living[seat] for seat in view.knowledge.enemies):
                yield move & 255, target
        for move, _, answer in moves:
            for point in () if move is None else _answers(view, move, chances):
                yield point, answer

    def _row(
        self, view: PlayerView, point: int, role: str, chances: Sequence[float], names: Mapping[str, str]
    ) -> HiddenPiece:
        seat = _seat_at(view, point)
        home = view.knowledge.homes[point]
        types = view.knowledge.living[seat][point]
        truth = self._lineups[seat][home % HOME_POINTS]
        square = view.position.variant.squares[point]
        knew = [possible_text(types, names), *self._seen(view, home, names)]
        texts = PieceTexts(
            f"{square}, seat {seat}: {ROLES[role]}",
            "; ".join(knew),
            _believed_text(chances, names),
            names[truth],
        )
        possible = [PIECES[kind] for kind in _TYPES if types >> kind & 1]
        probable = {PIECES[kind]: round(chances[kind], 4) for kind in _TYPES if chances[kind] > 0}
        return HiddenPiece(square, str(seat), role, possible, probable, truth, texts)

    def _seen(self, view: PlayerView, home: int, names: Mapping[str, str]) -> list[str]:
        """What the seat has seen of a piece."""
        clues = [clue for clue in self._clues[home] if clue.ply <= view.position.ply]
        told = [self._clue_text(view, clue, names) for clue in clues if clue.kind != "moved"][-_MAX_CLUES:]
        return told or ["has moved" if clues else "has not moved"]

    def _clue_text(self, view: PlayerView, clue: Clue, names: Mapping[str, str]) -> str:
        if clue.kind == "turned":
            return f"turned on the rails (ply {clue.ply})"
        if clue.kind == "shown":
            return f"was shown as the flag (ply {clue.ply})"
        seat = clue.other // HOME_POINTS
        letter = self._lineups[seat][clue.other % HOME_POINTS] if seat in view.lineups else ""
        whose = f"seat {seat}'s {names[letter]}" if letter else f"a piece of seat {seat}"
        return f"took {whose} (ply {clue.ply})" if clue.kind == "took" else f"beat {whose} (ply {clue.ply})"


def _without(home_at: Mapping[int, int], seat: int) -> dict[int, int]:
    """The board without a seat that is out."""
    return {point: home for point, home in home_at.items() if home // HOME_POINTS != seat}


def _seat_at(view: PlayerView, point: int) -> int:
    return next(seat for seat, army in enumerate(view.knowledge.living) if point in army)


def _answers(view: PlayerView, move: int, chances: Probabilities) -> list[int]:
    """The enemies' pieces that can take the piece after its move, the most dangerous ones first."""
    origin, target = move >> 8, move & 255
    variant, piece = view.position.variant, view.position.piece_at(origin)
    if piece is None or piece[1] == UNKNOWN or target in variant.camps:
        return []
    position = view.position.copy()
    try:
        position.report(move, MOVE if position.piece_at(target) is None else EAT)
    except (Contradiction, IllegalMove):
        return []  # it cannot win this clash
    threats = []
    for seat in view.knowledge.enemies:
        for point in view.knowledge.living[seat]:
            if point in (origin, target) or not position.reaches(point, target):
                continue
            row = chances(seat)[point]
            wins = (EAT, BOTH_DIED)
            threat = sum(row[kind] for kind in range(ENGINEER, MINE) if resolve_combat(kind, piece[1]) in wins)
            if threat >= _MIN_THREAT:
                threats.append((-threat, point))
    return [point for _, point in sorted(threats)[:_MAX_ANSWERS]]


def chance_of(view: PlayerView, clash: Moved) -> float:
    """How probable the end of a clash was, as far as the seat knew that attacked. `view`: before it."""
    target = clash.move & 255
    piece = view.position.piece_at(clash.move >> 8)
    assert piece is not None
    flag_fell = any(reason == "flag" for _, reason in clash.outs)
    chances = type_probabilities(view, _seat_at(view, target))[target]
    return math.fsum(
        chances[kind] for kind in _TYPES if (resolve_combat(piece[1], kind), kind == FLAG) == (clash.result, flag_fell)
    )


def _believed_text(chances: Sequence[float], names: Mapping[str, str]) -> str:
    """The likeliest types."""
    likely = sorted((kind for kind in _TYPES if chances[kind] > 0), key=lambda kind: -chances[kind])
    shown = likely if len(likely) <= _MAX_TYPES + 1 else likely[:_MAX_TYPES]
    words = [f"{names[PIECES[kind]]} {likelihood(chances[kind])}" for kind in shown]
    rest = sum(chances[kind] for kind in likely if kind not in shown)
    return ", ".join(words + ([f"others {likelihood(rest)}"] if rest >= 0.005 else []))


def possible_text(types: int, names: Mapping[str, str]) -> str:
    """The types that a piece can have. Ranks that follow one another are one range."""
    kinds = [kind for kind in _TYPES if types >> kind & 1]
    if len(kinds) == 1:
        return f"must be {names[PIECES[kinds[0]]]}"
    words: list[str] = []
    runs = groupby(enumerate(kinds), lambda each: sum(each) if each[1] <= COMMANDER else -each[1])
    for run in ([names[PIECES[kind]] for _, kind in run] for _, run in runs):
        words += [f"{run[0]} to {run[-1]}"] if len(run) >= _MIN_RUN else run
    return f"can be {', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else f"can be {words[0]}"
