"""The yardstick of the level search: a Junqi player that searches complete worlds, and takes the mean.

    python benchmarks/junqi_yardstick.py --plies 200

junqi_match.py plays it as `sampled:NODES` or `sampled:MSms`; run alone, this measures its speed. It is not part of the
program: docs/junqi-player.md says why the level search does better.

A world gives each hidden piece one type. Worlds are drawn from the exact sampler (belief.py), with the weights of
behaviour, as in the level search. In each world, each root move is searched with one reply and clash quiescence, by the
same search, with the weights set by hand. Our side knows all pieces there. The others attack as in the level search: if
that seems to gain something, as far as they can know. This is stronger than a world in which they know all, too: 58.3 ±
9.2 % of 30 games at 10,000 nodes. The moves are compared over the same worlds, and the worse half is dropped again and
again: each such round has the same share of the nodes or of the time. A world counts when all moves left were searched
in it. If a share is too small for one world, its round searches without the reply.

In 100 ms of processor time it searches 3,000 pairs of a world and a move at the start of a game of four seats, 5,000
after 200 plies; in 375 and 970 worlds, 1.4 and 1.2 million nodes a second. A world takes 0.1 ms to set up.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from itertools import count

from junqi_protocol.knowledge.belief import Belief
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.knowledge.sampler import WorldSampler
from junqi_protocol.players.belief_position import BeliefPosition
from junqi_protocol.players.evaluation_weights import WEIGHTS
from junqi_protocol.players.players import choose
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import ENGINEER, MINE, UNKNOWN, random_lineup
from junqi_protocol.rules.position import Position
from search_core.clock import now_s
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable

HASH_MB = 4
PLIES = 2
"""Of a search: the root move and one reply."""
MS_A_NODE = 0.002
"""About. It decides whether a round has time for the reply."""
_DRAWN_AT_ONCE = 16


def _row(kind: int) -> list[float]:
    """What is believed of a piece of this type in a world.

    A piece that may attack is with 0.3 % an engineer. The search takes no notice of ends so improbable; but since the
    type is not certain, its seat attacks only if that seems to gain something, as far as the seat can know.
    """
    row = [0.0] * UNKNOWN
    row[kind] = 1.0
    if ENGINEER < kind < MINE:
        row[kind], row[ENGINEER] = 0.997, 0.003
    return row


_ROWS = [_row(kind) for kind in range(UNKNOWN)]


def draw_worlds(view: PlayerView, seed: int) -> Iterator[dict[int, int]]:
    """The type of each hidden piece, by point: drawn again and again from what the view's player knows."""
    knowledge = view.knowledge
    belief = Belief(knowledge, view.behaviour.weights(knowledge), seed=seed)
    sizes = {seat: len(knowledge.army(seat)) for seat in range(len(knowledge.living))}
    hidden: dict[int, list[tuple[int, int]]] = {}  # by seat, the place in the army and the point of each piece
    for seat, army in enumerate(knowledge.living):
        places = [(place, point) for place, (point, types) in enumerate(army.items()) if types & (types - 1)]
        if places:
            hidden[seat] = places
    apart = {seat: belief.sampler(seat) for seat in hidden if seat not in belief.linked}
    # Where the army of a seat begins among those that are drawn together, and how many pieces these have.
    begins, together = {}, 0
    for seat in belief.linked:
        begins[seat] = together
        together += sizes[seat]
    for number in count():
        alone = {seat: WorldSampler([sampler], [], seed + number) for seat, sampler in apart.items()}
        drawn = {seat: sampler.draw(_DRAWN_AT_ONCE) for seat, sampler in alone.items()}
        linked = belief.worlds.draw(_DRAWN_AT_ONCE) if belief.worlds is not None else b""
        for one in range(_DRAWN_AT_ONCE):
            world = {}
            for seat, places in hidden.items():
                armies = drawn.get(seat, linked)
                begin = one * sizes[seat] if seat in apart else one * together + begins[seat]
                for place, point in places:
                    world[point] = armies[begin + place]
            yield world


def known_position(view: PlayerView) -> BeliefPosition:
    """What is the same in all worlds. Copies of it become positions of the search."""
    knowledge = view.knowledge
    position = BeliefPosition.of(view.position, view.quiet_limit, view.quiet_loses)
    for seat in view.position.living:
        army = knowledge.living[seat]
        exposed: dict[int, list[float]] = {}
        if any(knowledge.homes.get(point) in view.exposure for point in army):
            exposed = view.exposure.probabilities(seat)
        for point, types in army.items():
            possible = [float(types >> kind & 1) for kind in range(UNKNOWN)]
            position.expose(point, exposed.get(knowledge.homes.get(point, -1), possible))
            if not types & (types - 1):
                position.believe(point, possible)
    return position


class Yardstick:
    """Finds moves by sampled worlds.

    Parameters
    ----------
    nodes : int
        To search for a move; a node is one ``Game.make``.
    milliseconds : int
        The same in time; for players without a limit of nodes.
    clock : callable
        Tells the time in seconds.

    Attributes
    ----------
    pairs, worlds : int
        Searches of a root move in a world, and worlds, so far.
    searched : int
        Nodes of the last move.
    """

    def __init__(self, *, nodes: int = 0, milliseconds: int = 0, clock: Callable[[], float] = now_s) -> None:
        self._clock = clock
        self._nodes = nodes
        self._ms = milliseconds
        self._signals = Signals()
        self._began = 0.0
        self.searched = 0
        self.pairs = 0
        self.worlds = 0
        self.new_game()

    def new_game(self) -> None:
        """Forget what was learnt."""
        self._table = TranspositionTable(HASH_MB)
        self._search: Search | None = None

    def _used(self) -> float:
        """Of the limit: nodes, or milliseconds."""
        return self.searched if self._nodes else 1000 * (self._clock() - self._began)

    def move(self, view: PlayerView) -> int:
        """The move for the seat on turn."""
        self._began = self._clock()
        self.searched = 0
        root = left = view.position.legal_moves()
        if len(left) == 1:
            return left[0]
        self._table.next_age()
        known = known_position(view)
        worlds = draw_worlds(view, view.position.key)
        limit = float(self._nodes or self._ms)
        cost = len(root) * (1 if self._nodes else MS_A_NODE)
        plies = 0
        totals: dict[int, int] = {}
        rounds = (len(root) - 1).bit_length()
        for number in range(rounds):
            share = (limit - self._used()) / (rounds - number)
            ends = self._used() + share
            wanted = PLIES if share > cost * len(left) else 1
            if plies != wanted:
                totals = dict.fromkeys(left, 0)
                plies = wanted
            complete = False
            while not complete or self._used() < ends:
                scores = self._compare(known, next(worlds), left, plies, limit if complete else 0)
                if not scores:
                    break
                for move, score in zip(left, scores):
                    totals[move] += score
                complete = True
            left = sorted(left, key=lambda move: -totals[move])[: (len(left) + 1) // 2]
        return left[0]

    def _compare(
        self, known: BeliefPosition, world: dict[int, int], moves: list[int], plies: int, limit: float
    ) -> list[int]:
        """The score of each move in a world; none if the limit is reached before. 0: no limit."""
        position = known.copy()
        position.tune({"lmp_minimum": 100})  # every reply
        for point, kind in world.items():
            position.believe(point, _ROWS[kind])
        position.settle(WEIGHTS)
        if self._search is None or self._search.max_moves != position.max_moves:
            self._search = Search(position, self._table, self._signals)
        search = self._search
        search.set_root(position, self._table, self._signals, None)
        search.depth_limit = plies
        scores = []
        for move in moves:
            if limit and self._used() >= limit:
                return []
            search.init_root_moves((move,))
            search.run()
            self.searched += search.nodes
            scores.append(search.lines()[0][0])
        self.pairs += len(moves)
        self.worlds += 1
        return scores


def middle_game(variant: str, plies: int, seed: int) -> PlayerView:
    """What the seat on turn knows after so many plies of "path"."""
    chance = random.Random(seed)
    seats = VARIANTS[variant].seats
    while True:
        lineups = [random_lineup(chance) for _ in range(seats)]
        flags = [seat * HOME_POINTS + lineup.index("F") for seat, lineup in enumerate(lineups)]
        world = Position(variant)
        world.deploy(lineups)
        views = [
            PlayerView(
                variant, VARIANTS[variant].team(seat), {one: lineups[one] for one in VARIANTS[variant].team(seat)}
            )
            for seat in range(2)
        ]
        for _ in range(plies):
            if world.outcome_text is not None:
                break
            seat = world.turn
            move = choose("path", views[seat % 2], chance)
            result, shown, outs = world.push(move)
            for view in views:
                view.moved(seat, move, result, [(one, flags[one]) for one in shown], outs)
        if world.outcome_text is None:
            return views[world.turn % 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ms", type=int, default=100, metavar="MS", help="a move (default 100)")
    parser.add_argument("--positions", type=int, default=20, metavar="N", help="default 20")
    parser.add_argument("--plies", type=int, default=100, metavar="N", help="of the positions (default 100)")
    parser.add_argument("--variant", choices=VARIANTS, default="siguo", help="default siguo")
    args = parser.parse_args()
    # Of this process, so that others on the machine do not count.
    clock = time.process_time
    yardstick = Yardstick(milliseconds=args.ms, clock=clock)
    nodes, spent, moves = 0, 0.0, 0
    for seed in range(args.positions):
        view = middle_game(args.variant, args.plies, seed)
        began = clock()
        yardstick.move(view)
        spent += clock() - began
        nodes += yardstick.searched
        moves += len(view.position.legal_moves())
    print(
        f"{args.variant}, {args.positions} positions of {moves / args.positions:.0f} moves,"
        f" {args.ms} ms of processor time a move:"
        f" {yardstick.pairs / args.positions:.0f} pairs of a world and a move, in"
        f" {yardstick.worlds / args.positions:.0f} worlds; {nodes / spent:,.0f} nodes a second"
    )


if __name__ == "__main__":
    main()
