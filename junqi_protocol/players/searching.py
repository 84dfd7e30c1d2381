"""The levels that look ahead: from what a player knows to the position that search_core plays on.

docs/junqi-player.md explains it.
"""

from __future__ import annotations

from dataclasses import replace

from junqi_protocol.knowledge.belief import weighted
from junqi_protocol.knowledge.knowledge import NUMBERS
from junqi_protocol.knowledge.marginals import scaled
from junqi_protocol.players.belief_position import BeliefPosition
from junqi_protocol.players.evaluators import NET, JunqiEvaluator, default_evaluator
from junqi_protocol.players.full_strength import FullStrengthPosition
from junqi_protocol.players.levels import HASH_MB
from junqi_protocol.players.likely_line import likely_line
from junqi_protocol.players.thinking_time import THINK_TIME_MS
from junqi_protocol.players.weaker_play import remembered, seen_moves, stretch_seed
from junqi_protocol.rules.lineup import UNKNOWN
from search_core.engine import Engine
from search_core.thinker import Info, Limits, Result
from search_core.thinking_thread import MoveSignals, OnInfo, OnMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

    from junqi_protocol.knowledge.knowledge import Knowledge
    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.players.levels import Weakness

_MIN_NODES = 30
_NODE_RANGE = 3000.0  # node ratio of strength 1 to strength 0


class Searcher:
    """Finds moves by a search on the calling thread.

    Attributes
    ----------
    hash_mb : int
        Megabytes of the transposition table.
    strength : float
        From 0 to 1: how many nodes are searched, and how sharp the belief is. 1: all that the limits allow.
    evaluator : str
        As of default_evaluator(); find() searches with it.
    weakness_chance : random.Random or None
        Where the weaknesses of the next game come from; None: from the random numbers of its first search.
    """

    def __init__(self) -> None:
        self._engine = Engine()
        self.hash_mb = HASH_MB
        self.strength = 1.0
        self.evaluator = NET
        self.weakness_chance: random.Random | None = None
        self._game_seed: int | None = None  # of a level's weaknesses

    def new_game(self) -> None:
        """Forget what was learnt, so that the next game does not depend on those before."""
        self._engine.new_game()
        self._game_seed = None

    def find(
        self,
        view: PlayerView,
        limits: Limits,
        signals: MoveSignals | None = None,
        on_info: OnInfo = None,
        on_message: OnMessage = None,
    ) -> Result:
        """Search for the move of the seat on turn, on the calling thread.

        Scores are win probabilities of the team on turn, from -20000 to 20000. Principal variations are as
        likely_line() has them.
        """
        if not (limits.depth or limits.nodes or limits.hard_ms or limits.infinite or limits.ponder):
            limits = replace(limits, soft_ms=THINK_TIME_MS, hard_ms=THINK_TIME_MS)
        if self.strength < 1:
            nodes = int(_MIN_NODES * _NODE_RANGE**self.strength)
            limits = replace(limits, nodes=min(limits.nodes or nodes, nodes))
        self._engine.hash_mb = self.hash_mb
        evaluator = default_evaluator(view.position.variant.name, self.evaluator)
        position = believed(view, evaluator, blur=1 - self.strength)
        return self._search(position, limits, signals, on_info, on_message)

    def find_weaker(
        self,
        view: PlayerView,
        limits: Limits,
        weakness: Weakness,
        chance: random.Random,
        signals: MoveSignals | None = None,
        on_info: OnInfo = None,
        on_message: OnMessage = None,
    ) -> Result:
        """As find(), but weaker. What is overlooked and misjudged is drawn from `chance` once a game.

        The nodes are limited by the level. The host's time only ends a search that would be too late.
        """
        seed = self._game_seed  # another thread may call new_game()
        if seed is None:
            seed = self._game_seed = (self.weakness_chance or chance).getrandbits(32)
        position = weakly_believed(view, weakness, seed)
        moves = limits.root_moves
        if not moves:
            seen = seen_moves(view, weakness.overlooked, stretch_seed(view, seed))
            moves = seen if set(seen) - set(limits.excluded_moves) else ()
        nodes = min(limits.nodes or weakness.nodes, weakness.nodes)
        self._engine.hash_mb = 1
        self._engine.new_game()  # the move depends on nothing that was searched before
        limits = replace(limits, nodes=nodes, soft_ms=0, root_moves=moves)
        return self._search(position, limits, signals, on_info, on_message)

    def _search(
        self,
        position: BeliefPosition,
        limits: Limits,
        signals: MoveSignals | None,
        on_info: OnInfo,
        on_message: OnMessage,
    ) -> Result:
        def shortened(info: Info) -> Info:
            return replace(info, pv=tuple(ending.move for ending in likely_line(position, info.pv)))

        show = None if on_info is None else lambda info: on_info(shortened(info))
        signals = signals or MoveSignals(limits)
        result = self._engine.prepare(position.copy(), limits, show, on_message)(signals)
        return replace(result, lines=tuple(map(shortened, result.lines)))

    def close(self) -> None:
        """Free the memory."""
        self._engine.close()


def weakly_believed(view: PlayerView, weakness: Weakness, seed: int) -> BeliefPosition:
    """The position as a level sees it in the game of this seed."""
    evaluator = JunqiEvaluator().weakened(seed, round(1000 * weakness.prejudice), view.position.side)
    position = believed(view, evaluator, blur=weakness.blur, memory=weakness.memory)
    position.overlook(round(1000 * weakness.overlooked), stretch_seed(view, seed))
    return position


def type_probabilities(view: PlayerView, seat: int) -> dict[int, list[float]]:
    """By point, how probable each type is for the seat's piece there, as a search of believed() has it."""
    knowledge = view.knowledge
    weights = view.behaviour.weights(knowledge)
    return dict(zip(knowledge.living[seat], _probabilities(knowledge, seat, knowledge.army(seat), weights)))


def _probabilities(
    knowledge: Knowledge, seat: int, army: Sequence[int], weights: Mapping[int, Sequence[float]]
) -> list[list[float]]:
    """The probabilities of an army whose pieces may have these types, with the weights of behaviour by home point."""
    rows = [weighted(types, weights.get(home)) for types, home in zip(army, knowledge.army_homes(seat))]
    return scaled(rows, NUMBERS)


def believed(
    view: PlayerView, evaluator: JunqiEvaluator | None = None, *, blur: float = 0.0, memory: int = 0
) -> BeliefPosition:
    """The position as the view's player knows it, ready for a search.

    `evaluator`: default_evaluator(), if it is None.
    `blur`: from 0 to 1, the share of each belief that is replaced by equal probabilities of all types that the piece
    may have. `memory`: for how many plies a clash is remembered; 0: for the whole game.
    """
    knowledge = view.knowledge
    evaluator = evaluator or default_evaluator(view.position.variant.name)
    position_class = FullStrengthPosition if evaluator.full_strength else BeliefPosition
    position = position_class.of(view.position, view.quiet_limit, view.quiet_loses)
    behaviour = view.behaviour.weights(knowledge)
    for seat in range(view.position.variant.seats):
        army = knowledge.living[seat]
        # What the board says was taken over; what else follows from the facts, even of each piece, was not.
        shown = dict(view.position.pieces(seat))
        if UNKNOWN not in shown.values():
            continue
        told = knowledge.army(seat)
        if memory:
            kept = [
                remembered(view, point, types, memory) if shown[point] == UNKNOWN else types
                for point, types in army.items()
            ]
            told[: len(kept)] = kept
            army = dict(zip(army, kept))
        for (point, types), row in zip(army.items(), _probabilities(knowledge, seat, told, behaviour)):
            if blur:
                even = 1 / bin(types).count("1")
                row = [(1 - blur) * p + blur * even * (types >> kind & 1) for kind, p in enumerate(row)]
            position.believe(point, row)
    for seat in view.position.living:
        if any(knowledge.homes.get(point) in view.exposure for point in knowledge.living[seat]):
            exposed = view.exposure.probabilities(seat)
            for point in knowledge.living[seat]:
                position.expose(point, exposed[knowledge.homes[point]])
    position.settle(evaluator.weights, evaluator.net, view.seats[0] & 1)
    return position
