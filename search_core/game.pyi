from collections.abc import Iterable, Iterator, Mapping

from search_core.evaluator import Evaluator
from search_core.thinker import Info

MATE: int
"""The score of a won game; a mate in n plies is ``MATE - n``."""
MATE_BOUND: int
"""Scores beyond this are forced mates."""
RULED_SCORE: int
"""The score of a game won by a rule on repetition; such a win in n plies is ``RULED_SCORE - n``."""
RULED_BOUND: int
"""Scores from here to RULED_SCORE are forced wins by such a rule."""

class Poller:
    """A game asks it during a long computation whether to give up."""

class Game:
    """A position of some game. Its rules are native: see game.pxd."""

    @property
    def key(self) -> int: ...
    @property
    def side(self) -> int:
        """The team to move, 0 or 1."""
    @property
    def max_moves(self) -> int: ...
    @property
    def history_slots(self) -> int: ...
    @property
    def stalemate_is_loss(self) -> bool: ...
    @property
    def has_chance(self) -> bool:
        """Whether moves may have several outcomes. Scores are win probabilities then, from -20000 to 20000."""
    @property
    def parameters(self) -> dict[str, int]:
        """How the search prunes, reduces and extends, by the names of parameters.py."""
    def tune(self, values: Mapping[str, int]) -> None: ...
    @property
    def evaluator(self) -> Evaluator | None:
        """What computes the static score, if the game has evaluators."""
    @property
    def table_first(self) -> bool: ...
    @property
    def has_policy(self) -> bool: ...
    def use_evaluator(self, evaluator: Evaluator) -> None: ...
    @property
    def solver_plies(self) -> int: ...
    def weaken(self, solver_plies: int, seed: int, prejudice_permille: int) -> None: ...
    def named_move(self, move: int) -> int: ...
    def analyse(
        self,
        *,
        depth: int = ...,
        nodes: int = ...,
        time_ms: int = ...,
        multipv: int = ...,
        root_moves: Iterable[int] = ...,
        threads: int = ...,
        hash_mb: int = ...,
    ) -> Iterator[Info]: ...
    def copy(self) -> Game: ...
    def past_quiet_limit(self) -> Game | None: ...
