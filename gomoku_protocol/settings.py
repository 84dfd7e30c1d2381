"""What a manager sets by INFO: limits, the rule, and how to play."""

from __future__ import annotations

import random

from gomoku_protocol.evaluators import NET
from gomoku_protocol.levels import CHOICES, LEVELS
from gomoku_protocol.points import CARO, CARO_EXACT, FREESTYLE, RENJU, STANDARD
from gomoku_protocol.turn_clock import TurnClock
from search_core.levels import FULL, FULL_STRENGTH, by_name, by_strength
from search_core.line_protocol import excerpt
from search_core.memory import physical_memory_mb
from search_core.options import (
    DEFAULT_HASH_MB,
    MAX_HASH_MB,
    MAX_THREADS,
    Option,
    OptionError,
    OptionTable,
    setter,
    tuning_options,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from search_core.levels import Level

STEADY = "steady"
STYLES = (STEADY, "aggressive", "conservative")
"""How much attack and defence weigh; the first is the default."""

_MAX_NUMBER = (1 << 63) - 1
_OWN_MEMORY_MB = 48  # what the program takes besides the hash table, with some to spare
_MAX_UNASKED_HASH_MB = 256  # more takes longer to lay out than it brings
_REMARKS_KEPT = 4

_CONTINUOUS = 2  # added to the rule when games go on after a won line, whose stones are blocked then
_RULES = {0: FREESTYLE, 1: STANDARD, 4: RENJU, 5: RENJU, 8: CARO, 9: CARO_EXACT}
_YIXIN_RENJU = 2
_YIXIN_KEYS = frozenset(("thread_num", "max_depth", "max_node", "hash_size", "show_detail"))


class GomokuSettings:
    """All that INFO sets, taken as it comes: before START, between moves, while thinking.

    Parameters
    ----------
    changed : callable
        Told when what was learnt of positions no longer holds.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self.clock = TurnClock()
        self.evaluator = NET
        """Of default_evaluator()."""
        self.style = STEADY
        self.level = FULL
        """One of levels.CHOICES."""
        self.level_seed = 0
        """The seed of what a level overlooks and chooses, for the whole of a game."""
        self.threads = 1
        self.depth = 0
        """Plies; 0: no limit."""
        self.nodes = 0
        """0: no limit."""
        self.parameters: dict[str, int] = {}
        """Of the search, in place of the game's own."""
        self.show_detail = False
        """Whether to print a line for each iteration."""
        self.chance = random.Random()
        """Draws what is proposed in Swap2: differs from process to process unless `seed` is set."""
        self.yixin = False
        """Whether the host speaks the words of Yixin."""
        self._changed = changed
        self._seed = 0
        self._rule_number = 0
        self._memory_mb = 0
        self._hash_mb = 0
        self._remarks: list[str] = []
        self.new_game()
        self._options = OptionTable(
            [
                Option("timeout_turn", self.clock.set_turn, 0, maximum=_MAX_NUMBER),
                Option("timeout_match", self.clock.set_match, 0, maximum=_MAX_NUMBER),
                Option("time_left", self.clock.set_left, 0, minimum=-_MAX_NUMBER, maximum=_MAX_NUMBER),
                Option("max_memory", self._set_memory, 0, maximum=_MAX_NUMBER),
                Option("rule", self._set_rule, 0, maximum=_MAX_NUMBER),
                Option("style", self._set_style, choices=STYLES),
                Option("level", setter(self, "level"), choices=CHOICES),
                Option("strength", self._set_strength, 0, maximum=FULL_STRENGTH),
                Option("thread_num", setter(self, "threads"), 0, minimum=1, maximum=MAX_THREADS),
                Option("max_depth", self._set_depth, 0, minimum=-1, maximum=_MAX_NUMBER),
                Option("max_node", self._set_nodes, 0, minimum=-1, maximum=_MAX_NUMBER),
                Option("hash_size", self._set_hash, 0, maximum=MAX_HASH_MB << 10),
                Option("seed", self._set_seed, 0, maximum=_MAX_NUMBER),
                Option("show_detail", self._set_show_detail, 0, maximum=_MAX_NUMBER),
                *tuning_options(self.parameters),
            ]
        )

    def set(self, text: str) -> None:
        """Obey ``key value``. Says nothing now; see remarks(). Keys that nobody knows here are other programs'."""
        if text.split(None, 1)[:1] and text.split(None, 1)[0].lower() in _YIXIN_KEYS:
            self.yixin = True
        remark = self._options.set(text)
        if remark:
            self.remark(remark)

    def remarks(self) -> list[str]:
        """What was wrong with settings since this was last asked, each a line for the user."""
        remarks = self._remarks
        self._remarks = []
        return remarks

    @property
    def rule(self) -> int:
        """One of points.RULES."""
        if self.yixin and self._rule_number == _YIXIN_RENJU:
            return RENJU
        return _RULES[self._rule_number & ~_CONTINUOUS]

    @property
    def hash_mb(self) -> int:
        """The size of the hash table in MiB: as was asked for, but so that the process stays below max_memory."""
        if not self._memory_mb:
            return self._hash_mb or DEFAULT_HASH_MB
        # A quarter is spared, since what managers take for memory differs.
        room = self._memory_mb * 3 // 4 - _OWN_MEMORY_MB
        return max(min(self._hash_mb or _MAX_UNASKED_HASH_MB, room), 1)

    @property
    def played_level(self) -> Level | None:
        """None: the level is no number."""
        return by_name(LEVELS, self.level)

    @property
    def uses_table(self) -> bool:
        """Whether a search would use the transposition table."""
        return self.level == FULL

    def new_game(self) -> None:
        """Another game begins: a level overlooks other moves in it, unless the host has set a seed."""
        self.level_seed = self._seed or random.SystemRandom().getrandbits(32)

    def remark(self, text: str) -> None:
        """Keep a line for the user until remarks() is asked for."""
        if len(self._remarks) < _REMARKS_KEPT:
            self._remarks.append(text)

    def _set_memory(self, number: int) -> None:
        self._memory_mb = max(number >> 20, 1) if number else 0
        if 0 < self._memory_mb < _OWN_MEMORY_MB:
            self.remark(
                f"max_memory: the program needs {_OWN_MEMORY_MB} MB, more than {excerpt(str(number))} bytes; going on"
            )

    def _set_rule(self, number: int) -> None:
        if number & ~_CONTINUOUS not in _RULES:
            raise OptionError(f"rule: {excerpt(str(number))} is not played here; nothing changed")
        if number != self._rule_number:
            self._rule_number = number
            self._changed()

    def _set_style(self, style: str) -> None:
        if style != self.style:
            self.style = style
            self._changed()

    def _set_strength(self, strength: int) -> None:
        level = by_strength(LEVELS, strength)
        self.level = FULL if level is None else level.name

    def _set_depth(self, depth: int) -> None:
        self.depth = min(max(depth, 0), 127)

    def _set_nodes(self, nodes: int) -> None:
        self.nodes = max(nodes, 0)

    def _set_hash(self, kilobytes: int) -> None:
        self._hash_mb = max(kilobytes >> 10, 1) if kilobytes else 0
        memory = physical_memory_mb()
        if memory is not None and self._hash_mb > memory // 2:
            self._hash_mb = max(memory // 2, 1)
            self.remark(
                f"hash_size: {kilobytes} KB is more than half of the machine's {memory} MB, using {self._hash_mb} MB"
            )

    def _set_seed(self, seed: int) -> None:
        self._seed = seed
        self.chance = random.Random(seed or None)
        self.new_game()

    def _set_show_detail(self, level: int) -> None:
        self.show_detail = level > 0
