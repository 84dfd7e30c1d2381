"""What a level from 1 to 20 overlooks, forgets and misjudges. docs/junqi-player.md describes it.

Nothing here is drawn anew at each move: it depends on the seed of the game, so that a weak player is the same player
throughout a game.
"""

from __future__ import annotations

from junqi_protocol.knowledge.knowledge import A_FLAG, A_MINE, starting_types
from junqi_protocol.rules.geometry import HOME_POINTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.rules.geometry import Variant

_WORD = 2**64 - 1
_STRETCH = 4  # turns of each seat for which the same moves stay unseen
_FAR = 5  # points along a line, from which on a move is hard to see
# How hard moves are to see, from 0 to 1.
_TURN, _SLIDE, _QUIET, _CLASH = 1.0, 1.0, 0.95, 0.85
_ANSWER = 2.0  # a clash with the piece that moved last, by how much the share is above 1
_MAX_OVERLOOKED = 0.98  # of moves that are no turns on the rails


def _mixed(seed: int, number: int) -> int:
    """64 bits that two numbers give, different ones for close numbers (SplitMix64)."""
    z = ((seed << 20) + number + 1) * 0x9E3779B97F4A7C15 & _WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
    return z ^ z >> 31


def stretch_seed(view: PlayerView, seed: int) -> int:
    """The seed of what is overlooked now. It changes after some turns."""
    return _mixed(seed, view.position.ply // (_STRETCH * view.position.variant.seats))


def seen_moves(view: PlayerView, share: float, seed: int) -> tuple[int, ...]:
    """The moves of the seat on turn that it sees, at least one.

    `share`: how often the hardest move is overlooked; above 1, nearly all moves are. Up to 1, a clash with the piece
    that has just moved or clashed is always seen; and at any share, the capture of a known flag.
    """
    moves = view.position.legal_moves()
    enemies: dict[int, int] = {}
    for seat in view.knowledge.enemies:
        enemies.update(view.knowledge.living[seat])
    margins = {}
    for move in moves:
        origin, target = move >> 8, move & 255
        if enemies.get(target) == A_FLAG:
            overlooked = 0.0
        elif target in enemies and target == view.last_target:
            overlooked = _ANSWER * max(share - 1, 0)
        else:
            difficulty = _CLASH if target in enemies else _QUIET
            steps = _steps(view.position.variant, origin, target)
            if steps != 1:
                difficulty = _TURN if steps == 0 else max(difficulty, _SLIDE) if steps >= _FAR else difficulty
            overlooked = share * difficulty
            if steps:
                overlooked = min(overlooked, _MAX_OVERLOOKED)
        margins[move] = _mixed(seed, move) / 2**64 - overlooked
    seen = tuple(move for move in moves if margins[move] >= 0)
    return seen or (max(moves, key=margins.__getitem__),)


def _steps(variant: Variant, origin: int, target: int) -> int:
    """How many points a move goes along a line, 1 by road; 0: it is on no line, so only an engineer can make it."""
    if target in variant.roads[origin]:
        return 1
    return min((line.index(target) + 1 for _named, line in variant.runs[origin] if target in line), default=0)


def remembered(view: PlayerView, point: int, types: int, memory: int) -> int:
    """What the player takes for possible of a piece that can be of these `types`, if its last clash was long ago.

    It still knows where the piece began and whether it has moved. `memory`: for how many plies a clash is remembered;
    0: for the whole game.
    """
    home = view.knowledge.homes.get(point, -1)
    clashed = view.clash_plies.get(home)
    if not memory or clashed is None or view.position.ply - clashed <= memory:
        return types
    possible = starting_types(home % HOME_POINTS)
    return possible & ~(A_MINE | A_FLAG) if view.behaviour.has_moved(home) else possible
