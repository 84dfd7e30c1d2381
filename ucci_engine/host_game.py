"""The game that a host of UCCI or UCI has set up: its position, the moves it forbids, and how it writes moves.

Imported before the first answer is given: it must stay light. The native modules are imported when first needed.
"""

from __future__ import annotations

import contextlib
from collections import deque

from search_core.line_protocol import excerpt
from ucci_engine.evaluators import default_evaluator
from ucci_engine.points import RANKS_FROM_0, START_FEN, MoveTextError, move_text, parse_move
from ucci_engine.position_command import GameOver, GivenPosition, read_position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from search_core.go_command import GoRequest
    from ucci_engine.position import Position
    from ucci_engine.settings import XiangqiSettings

_MAX_STARTS = 16


class HostGame:
    """A game of Xiangqi as its host tells it.

    Attributes
    ----------
    refused : bool
        Whether the last position was refused.
    over : GameOver or None
        Why the current position has no next one, if the king can be taken in it.
    banned : tuple of int
        Moves that the next searches may not begin with.
    ranks : str
        How the ranks are counted, if the host's moves do not show it.
    or_ranks : str or None
        How they are counted, if the host's moves are legal only then.
    """

    def __init__(self, settings: XiangqiSettings) -> None:
        self.refused = False
        self.over: GameOver | None = None
        self.banned: tuple[int, ...] = ()
        self.ranks = RANKS_FROM_0
        self.or_ranks: str | None = None
        self._settings = settings
        self._position: Position | None = None
        self._written_ranks: str | None = None
        self._told_of_tail = False
        self._told_of_order = False
        self._told_remark = ""
        self._starts: deque[str] = deque(maxlen=_MAX_STARTS)
        """The starts of the last _MAX_STARTS games that did not begin as all games do."""

    def load(self) -> None:
        """Load what a search needs."""
        import ucci_engine.position  # noqa: F401

        with contextlib.suppress(MemoryError, OSError, ValueError):  # the search that needs the net reports the error
            default_evaluator()

    def new_game(self) -> None:
        """A start that no game leads to is remarked on again."""
        self._told_remark = ""

    # Position

    @property
    def position(self) -> Position:
        """The position of the last good `position` command; the start position before the first."""
        if self._position is None:
            self._position = read_position(["startpos"]).position
        self._position.set_rules(self._settings.repetition_rule, self._settings.quiet_limit)
        return self._position

    @property
    def is_given(self) -> bool:
        """Whether a `position` command has been obeyed yet."""
        return self._position is not None

    def read(self, words: list[str]) -> GivenPosition:
        """What ``fen F [moves ...]`` or ``startpos [moves ...]`` describes. Raises SetUpError."""
        return read_position(words, self.ranks, or_ranks=self.or_ranks, starts=reversed(self._starts))

    def set_position(self, words: list[str]) -> list[str]:
        """Make the described position the current one; returns what the user should know. Raises SetUpError; there is
        none until the next good one."""
        self.over = None
        self.banned = ()
        try:
            given = self.read(words)
        except GameOver as end:
            self.over, self._written_ranks = end, None
            return []
        self._position, self._written_ranks = given.position, given.ranks
        self._note_start(given.start)
        remarks = []
        if given.led_to_fen and not self._told_of_order:
            self._told_of_order = True
            remarks.append("the moves lead to the FEN and do not begin there; searching the FEN")
        if given.ignored and not self._told_of_tail:
            self._told_of_tail = True
            remarks.append(f"{excerpt(given.ignored)} behind the FEN is not read")
        if given.remark and given.remark != self._told_remark:
            self._told_remark = given.remark
            remarks.append(given.remark)
        return remarks

    def _note_start(self, start: str) -> None:
        """Keep the start of a game: a host may send it once, and then current positions with the moves so far."""
        if start != START_FEN:
            if start in self._starts:
                self._starts.remove(start)
            self._starts.append(start)

    # Moves

    @property
    def _output_ranks(self) -> str:
        """How to count the ranks of moves: as the host's moves show it, else as the option says."""
        return self._written_ranks or self.ranks

    def move_text(self, move: int) -> str:
        """A move in the host's notation."""
        return move_text(move, self._output_ranks)

    def read_go(self, words: list[str], time_unit_ms: int = 1) -> GoRequest:
        """The words after `go`."""
        from search_core.go_command import parse_go

        ranks = self._output_ranks
        return parse_go(words, time_unit_ms, lambda text: parse_move(text, ranks))

    def ban(self, words: list[str]) -> list[str]:
        """Forbid moves at the root until the next set_position(). Returns the first MAX_FAULTS faults."""
        from search_core.go_command import MAX_FAULTS

        faults: list[MoveTextError | str] = []
        banned: dict[int, None] = {}
        for word in dict.fromkeys(words):
            try:
                move = parse_move(word, self._output_ranks)
            except MoveTextError as error:
                faults.append(error)
                continue
            if self.position.is_legal(move):
                banned[move] = None
            else:
                faults.append(f"{excerpt(word)} is not legal here")
        self.banned = tuple(banned)
        return list(map(str, faults[:MAX_FAULTS]))
