"""The settings that a host makes by options in every protocol: how much to think, and how to play.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

import os

from search_core.levels import FULL, FULL_SKILL, by_elo, by_name, by_skill
from search_core.options import Option, setter
from search_core.uci import UciSettings
from ucci_engine.evaluators import NET
from ucci_engine.levels import CHOICES, CLASSIC_PLAYERS, LEVELS
from ucci_engine.rule_sets import (
    COMPUTER,
    MOVE_SPELLINGS,
    PIKAFISH_LIMITS,
    QUIET_LIMIT,
    QUIET_LIMITS,
    RULE_SETS,
    RULE_SPELLINGS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from search_core.levels import Level

MAX_SEED = (1 << 31) - 1

_DRAW_SCORE = {"solid": 15, "normal": 0, "risky": -40}  # value of a draw for the engine, in centipawns
STYLES = tuple(_DRAW_SCORE)
_RANDOM_MARGIN = {"none": 0, "tiny": 5, "small": 10, "medium": 20, "large": 40, "huge": 80}
RANDOMNESS = tuple(_RANDOM_MARGIN)
_RANDOM_LINES = 4  # among how many of the best moves the choice is made


class XiangqiSettings(UciSettings):
    """The values of the options; they apply from the next `go` on.

    Parameters
    ----------
    changed : callable
        Called when what was learnt of positions is no longer right.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self.evaluator = NET
        """One of EVALUATORS, or the file of a net."""
        self.style = "normal"
        """One of STYLES: how much an attack counts, and what a draw is worth."""
        self.randomness = "none"
        """One of RANDOMNESS: how much worse than the best move a randomly chosen one may be."""
        self.repetition_rule = COMPUTER
        """One of RULE_SETS: what a third occurrence of a position means."""
        self.quiet_limit: int | None = QUIET_LIMIT
        """How many plies without a capture draw the game."""
        self.level_name = FULL
        """One of levels.CHOICES."""
        self.skill = FULL_SKILL
        """UCI's `Skill Level`: level skill + 1, or full strength."""
        self.limits_strength = False
        """Whether the level is that of `elo`."""
        self.elo = LEVELS[-1].elo
        """UCI's `UCI_Elo`: the level that is nearest."""
        self.given_seed = 0
        """The seed of random choices; 0: a new one in every session."""
        self._changed = changed
        self._session_seed = int.from_bytes(os.urandom(4), "little")
        self._game_seed = self._session_seed

    @property
    def draw_score(self) -> int:
        """The value of a draw for the engine, in centipawns."""
        return _DRAW_SCORE[self.style]

    @property
    def random_margin(self) -> int:
        """How many centipawns a randomly chosen move may be worse than the best one; 0: no random choice, as at every
        level and of the classic players."""
        return 0 if self.level or self.classic_player else _RANDOM_MARGIN[self.randomness]

    @property
    def random_lines(self) -> int:
        """How many best lines have to be found for the random choice."""
        return _RANDOM_LINES if self.random_margin else 1

    @property
    def seed(self) -> int:
        """The seed of random choices."""
        return self.given_seed or self._session_seed

    @property
    def level(self) -> Level | None:
        """The level that is played; None: full strength. `Level` has the last word, then `UCI_LimitStrength`."""
        if self.level_name != FULL:
            return by_name(LEVELS, self.level_name)
        return by_elo(LEVELS, self.elo) if self.limits_strength else by_skill(LEVELS, self.skill)

    @property
    def classic_player(self) -> str | None:
        """The classic player that `Level` names; None: the engine plays."""
        return self.level_name if self.level_name in CLASSIC_PLAYERS else None

    @property
    def level_seed(self) -> int:
        """The seed of what a level overlooks and chooses, and of a classic player's lots, for the whole of a game."""
        return self.given_seed or self._game_seed

    def new_game(self) -> None:
        """Another game begins: a level overlooks other moves in it, unless the host has set a seed."""
        self._game_seed = int.from_bytes(os.urandom(4), "little")

    def rule_options(self, repetition: str, quiet_limit: str, notify: Callable[[str], None]) -> list[Option]:
        """The options of the game's end, under these names, those of the other protocol and those of old hosts."""

        def set_repetition_rule(rule_set: str) -> None:
            self.change("repetition_rule", rule_set)
            if rule_set == "Chinese":
                notify("Repetition Rule Chinese: mate threats count only at the root; below it as by Computer")

        def set_quiet_limit(limit: str) -> None:
            self.change("quiet_limit", QUIET_LIMITS[limit])

        def set_sixty_move_rule(applies: bool) -> None:
            set_quiet_limit(limit if applies else "none")

        limit = str(QUIET_LIMIT)
        return [
            Option(
                repetition,
                set_repetition_rule,
                COMPUTER,
                choices=RULE_SETS,
                spellings=RULE_SPELLINGS,
                aliases=("repetition rule", "repetitionrule", "repetition"),
            ),
            Option(
                quiet_limit,
                set_quiet_limit,
                limit,
                choices=tuple(QUIET_LIMITS),
                spellings=MOVE_SPELLINGS,
                aliases=("quiet limit", "quietlimit", "drawmoves"),
            ),
            # Pikafish's names of the same limit. A host that sent both names' defaults would undo what it has set, so
            # they are not listed.
            Option("Sixty Move Rule", set_sixty_move_rule, True, listed=False),
            Option("Rule60MaxPly", set_quiet_limit, limit, choices=PIKAFISH_LIMITS, listed=False),
        ]

    def evaluator_option(self, name: str) -> Option:
        """The option that names the evaluator, under this name."""
        return Option(name, lambda file: self.change("evaluator", file or NET), NET)

    def level_option(self, name: str) -> Option:
        """The option that takes a level, under this name."""
        return Option(name, setter(self, "level_name"), FULL, choices=CHOICES)

    def change(self, name: str, value: object) -> None:
        """Set an attribute on which the scores in the table depend."""
        if value != getattr(self, name):
            setattr(self, name, value)
            self._changed()
