"""The `go` command. Hosts mix the words of UCCI and UCI, in any order, so all adapters read all of them.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.line_protocol import excerpt
from search_core.time_budget import Clock, limits
from search_core.whole_number import whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from search_core.thinker import Limits
    from search_core.uci import UciSettings

_SWITCHES = ("infinite", "ponder", "draw")
_MILLISECONDS = ("movetime", "wtime", "btime", "winc", "binc")
_UCCI_TIMES = ("time", "increment", "opptime", "oppincrement")  # in the unit that usemillisec chose
_COUNTS = ("depth", "nodes", "mate", "perft", "movestogo", "oppmovestogo")
_NUMBERS = _MILLISECONDS + _UCCI_TIMES + _COUNTS
_LIMITS = ("depth", "nodes", "mate", "movetime", "time")
_CLOCKS = ("wtime", "btime")
_WORDS = frozenset((*_SWITCHES, *_NUMBERS, "searchmoves"))

MAX_FAULTS = 4
"""Most faults in one line for the user; a garbled command has many more."""
_LARGEST = 10**15
_ANY_MATE = 400  # moves; more than any search can see
_FALLBACK_MS = 1000  # for a `go` with only unreadable limits
_LEAST = {"depth": 0, "nodes": 1, "mate": 1, "perft": 1, "movetime": 1, "movestogo": 0, "oppmovestogo": 0}


class GoRequest:
    """What a `go` asked for. Times are in milliseconds; None: not given."""

    infinite = ponder = draw = False
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    perft: int | None = None
    movestogo: int | None = None
    oppmovestogo: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    time: int | None = None
    increment: int | None = None
    opptime: int | None = None
    oppincrement: int | None = None

    def __init__(self) -> None:
        self.moves: list[int] = []
        """Of ``searchmoves``, each once."""
        self.faults: list[str] = []
        """What was wrong, and what is done instead, for the user: the first MAX_FAULTS."""
        self.spoilt = False
        """A limit was given but could not be read."""

    def note(self, fault: str) -> None:
        """Keep a fault while there is room."""
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(fault)

    @property
    def fault(self) -> str:
        """What was wrong, in one line for the user; "": nothing."""
        return "go: " + "; ".join(self.faults) if self.faults else ""

    def unlimited(self, side: int) -> bool:
        """Whether nothing but `stop` would end a search for `side`: 0 has `wtime`, 1 `btime`."""
        return all(getattr(self, name) is None for name in (*_LIMITS, _CLOCKS[side]))

    def endless(self, side: int) -> bool:
        """Whether the search may never end by itself."""
        return self.infinite or self.unlimited(side) or self.mate is not None

    def complete(self, side: int) -> None:
        """Replace limits for a search of `side` that cannot be, or cannot be read."""
        if self.depth == 0:
            self.depth = 1
        if self.perft is not None:
            self.spoilt = True
            self.note("perft is not known here, ignored")
        meant = self.spoilt or self.wtime is not None or self.btime is not None
        if meant and not self.infinite and self.unlimited(side):
            self.movetime = _FALLBACK_MS
            self.note(f"no readable limit, searching {_FALLBACK_MS} ms")

    def limits(
        self,
        side: int,
        moves_played: int,
        settings: UciSettings,
        *,
        spent_ms: int = 0,
        withholds_infinite: bool = True,
    ) -> Limits:
        """The limits of the search for a move of `side`, which has made `moves_played` before, and has used `spent_ms`
        of the time for this one.

        `withholds_infinite`: whether a search without limits gives its answer only after a `stop`; otherwise also when
        it has found a mate.
        """
        from search_core.thinker import Limits

        clock = self.clock(side, moves_played, settings.overhead_ms, settings.plans_to_ponder)
        if not self.ponder:  # its clock begins with the ponderhit
            clock.spent_ms = spent_ms
        soft_ms, hard_ms = limits(clock)
        infinite = self.infinite or (self.unlimited(side) and not self.ponder)
        mate = self.mate or 0
        if infinite and not withholds_infinite:
            mate = mate or _ANY_MATE
        return Limits(
            depth=min(self.depth or 0, 127),
            nodes=self.nodes or 0,
            soft_ms=0 if infinite else soft_ms,
            hard_ms=0 if infinite else hard_ms,
            mate=min(mate, _ANY_MATE),
            infinite=infinite and withholds_infinite,
            ponder=self.ponder,
            root_moves=tuple(self.moves),
        )

    def clock(self, side: int, moves_played: int, overhead_ms: int, ponder: bool) -> Clock:
        """The clock for a move of `side`. The other arguments are those of Clock."""
        remaining, increment, moves_to_go = self.time, self.increment, self.movestogo
        if remaining is None:
            remaining = self.btime if side else self.wtime
            increment = self.binc if side else self.winc
        elif increment is None and moves_to_go is None:
            moves_to_go = 1  # `go time T` alone gives T to this move
        return Clock(
            remaining,
            increment or 0,
            moves_to_go or 0,
            move_ms=self.movetime,
            overhead_ms=overhead_ms,
            moves_played=moves_played,
            ponder=ponder,
        )


def parse_go(words: list[str], time_unit_ms: int = 1, parse_move: Callable[[str], int] | None = None) -> GoRequest:
    """Read the words after `go`. Never fails: what cannot be read goes into `faults`.

    `time_unit_ms`: of UCCI's times. `parse_move`: reads a move of ``searchmoves``, or raises ValueError; None: the
    adapter cannot choose moves.
    """
    request = GoRequest()
    moves: dict[int, None] = {}
    index = 0
    while index < len(words):
        word = words[index].lower()
        index += 1
        if word not in _WORDS:
            request.note(f"{excerpt(words[index - 1])} is unknown, ignored")
        elif word in _SWITCHES:
            setattr(request, word, True)
        elif word == "searchmoves":
            first = index
            while index < len(words) and words[index].lower() not in _WORDS:
                index += 1
            if parse_move is None:
                request.note("searchmoves is not known here, ignored")
                continue
            for text in dict.fromkeys(words[first:index]):
                try:
                    moves[parse_move(text)] = None
                except ValueError as error:
                    request.note(f"searchmoves: {error}, ignored")
        else:
            index += _read_number(request, word, words[index] if index < len(words) else "", time_unit_ms)
    request.moves = list(moves)
    return request


def _read_number(request: GoRequest, word: str, text: str, time_unit_ms: int) -> int:
    """Set the field `word`; returns how many words were used up."""
    is_next_word = not text or text.lower() in _WORDS
    try:
        number = whole_number("" if is_next_word else text)
    except ValueError:
        request.spoilt = True
        request.note(f"{word}: expected a number, got {excerpt(text) if text else 'nothing'}, ignored")
        return 0 if is_next_word else 1
    least = _LEAST.get(word, 0)
    if number < least:
        request.note(f"{word}: {excerpt(text)} is below {least}, using {least}")
        number = least
    number = min(number, _LARGEST)
    setattr(request, word, number * time_unit_ms if word in _UCCI_TIMES else number)
    return 1
