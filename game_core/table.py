"""A game in progress without input and output: who plays each seat, whose turn it is, what each seat can do.

A face shows it to people: the terminal (`sanqi/terminal_game.py`) is one. Rules are the session's. One thread owns the
table and calls its methods. The engine thinks on threads of its own; its moves are taken over in wait().
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from game_core.chooser import Choice
from game_core.session import FIRST_WINS, SECOND_WINS, IllegalMove, SeatedSession, Session, UnknownMove, Verdict
from search_core.clock import now_s
from search_core.levels import FULL
from search_core.line_protocol import excerpt, taken
from search_core.time_budget import Clock

if TYPE_CHECKING:
    from game_core.chooser import Chooser
    from game_core.game_clocks import TimeControl

_CLOCK_OVERHEAD_MS = 50
"""Of a move of the engine, between its search and the clock."""
HAS_LOST = "has lost"
"""Stands in a verdict between the side whose engine failed, and why it did."""


# Events: what a table tells its faces, as plain data


class Moved(NamedTuple):
    """A move was made."""

    seat: int
    move: str
    """As the game's protocol writes it."""
    names: dict[str, str]
    """In each of the game's notations, by their names; the one for people comes first."""
    score: int | None
    """What the engine thinks of it, for the seat; None: it says nothing, or a person moved."""
    ms: int


class Thinking(NamedTuple):
    """The engine begins to think."""

    seat: int


class Hinted(NamedTuple):
    """The hint that was asked for."""

    move: str | None
    """None: there is no legal move."""
    names: dict[str, str]


class Refused(NamedTuple):
    """Something cannot be done; nothing has changed."""

    reason: str
    """One line."""
    is_unknown: bool = False
    """Whether it is a text that the game cannot read as a move."""


class Changed(NamedTuple):
    """Moves were taken back, a game began again or a person has given up: everything must be shown again."""


class Failed(NamedTuple):
    """An engine could not find a hint, or a move in a game in which its seat leaves the others to play on."""

    reason: str
    """One line."""


class Said(NamedTuple):
    """Something for the person who acted, such as that the next move offers a draw."""

    text: str


class Ended(NamedTuple):
    """The game is over."""

    verdict: Verdict


Event: TypeAlias = "Moved | Thinking | Hinted | Refused | Changed | Failed | Said | Ended"


def movers_of(view: Mapping[str, Any]) -> list[int]:
    """Who made each ply of a session. If its view does not say it, the sides move in turns."""
    sides = len(view["sides"])
    return view.get("movers") or [(view["to_move"] + ply - view["ply"]) % sides for ply in range(view["ply"])]


class Table:
    """A game in progress.

    Parameters
    ----------
    session : Session
    persons : sequence of int
        The seats that people play.
    levels : sequence of str
        For each seat the level of the engine there; those of people's seats are not read.
    chooser : callable
        Makes what plays a seat at a level, and with `levels.FULL` what gives hints.
    seed : int
        Of what levels overlook and choose. The game after new() has the next number.
    others : mapping of int to Chooser, optional
        What plays seats without a level: other engines.

    Attributes
    ----------
    on_event : callable
        Gets each event, in order, on the thread that owns the table.
    on_ready : callable
        Called on another thread when wait() would find something at once, for faces with an event loop.
    resigned : Verdict or None
        How the game ended, if a person has given up or a clock has run down.
    time_control : TimeControl or None
        Set before start(): clocks run. Not in a SeatedSession, which has its own.
    out_of_time : int or None
        The seat whose clock has run down.
    times : list
        Milliseconds of each move; None: not known.
    """

    def __init__(
        self,
        session: Session,
        persons: Sequence[int],
        levels: Sequence[str],
        chooser: Callable[[str], Chooser],
        seed: int = 1,
        others: Mapping[int, Chooser] | None = None,
    ) -> None:
        self.session = session
        self.persons = tuple(persons)
        self.seed = seed
        self.on_event: Callable[[Event], None] = lambda event: None
        self.on_ready: Callable[[], None] = lambda: None
        self.resigned: Verdict | None = None
        self.time_control: TimeControl | None = None
        self.out_of_time: int | None = None
        self.times: list[int | None] = [None] * session.ply
        self._make = chooser
        self._hinter: Chooser | None = None
        self._others = dict(others or {})
        has_none = {*self.persons, *self._others}
        self.choosers = {seat: chooser(level) for seat, level in enumerate(levels) if seat not in has_none}
        self.choosers |= self._others
        """What plays the seats that no person plays."""
        self._busy: Chooser | None = None
        """What thinks now."""
        self._ticket = 0
        """Of the choice that is wanted; one with an older ticket is dropped."""
        self._choices: SimpleQueue[tuple[int, Choice]] = SimpleQueue()
        self._take: Callable[[Choice], None] = lambda choice: None
        """What to do with the choice that is wanted."""
        self._turn_began = now_s()
        self._ended_ms = 0
        """For how long the seat to move had been thinking when somebody gave up."""

    # What there is to see

    @property
    def verdict(self) -> Verdict | None:
        """How the game ended; None while it goes on."""
        return self.resigned or self.session.verdict()

    @property
    def is_thinking(self) -> bool:
        """Whether an engine thinks about a move or a hint."""
        return self._busy is not None

    @property
    def is_persons_turn(self) -> bool:
        """Whether a person is to move."""
        return self.verdict is None and self.session.to_move in self.persons

    @property
    def has_chance(self) -> bool:
        """Whether the seed has an effect."""
        return any(chooser.has_chance for chooser in self.choosers.values())

    @property
    def levels(self) -> dict[int, str]:
        """The level of each seat that no person plays."""
        return {seat: chooser.name for seat, chooser in self.choosers.items()}

    def movers(self) -> list[int]:
        """Who made each ply."""
        return movers_of(self.session.view())

    @property
    def turn_ms(self) -> int:
        """For how long the seat to move has been thinking."""
        return round((now_s() - self._turn_began) * 1000)

    def left_ms(self, seat: int) -> int:
        """What the clock of a seat has left now; there are clocks."""
        assert self.time_control is not None
        if seat == self.out_of_time:
            return 0
        left = self.time_control.left_ms(seat, self.movers(), self.times)
        if seat != self.session.to_move:
            return left
        return left - (self.turn_ms if self.verdict is None else self._ended_ms)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """The game as data for JSON: what the session shows the seat (None: all of it), the verdict also of who has
        given up, `levels`, `times` and `thinking`."""
        verdict = self.verdict
        return {
            **self.session.view(seat),
            "verdict": None if verdict is None else list(verdict),
            "levels": {str(seat): level for seat, level in self.levels.items()},
            "times": list(self.times),
            "thinking": self.is_thinking,
        }

    # What can be done. What cannot be done is answered by Refused

    def start(self, turn_ms: int = 0) -> None:
        """Begin, or go on with a resumed game: from now on time counts, and the engine thinks when it is its turn.
        `turn_ms`: how long the seat to move has been thinking already."""
        self._begin_turn(turn_ms=turn_ms)

    def move(self, text: str) -> None:
        """The person to move plays a move, in any notation that the game reads."""
        if not self.is_persons_turn:
            self._refuse("the game is over" if self.verdict is not None else "it is not your turn")
            return
        if self.look_at_clocks():
            return
        try:
            move = self.session.read_move(text)
        except UnknownMove as error:
            self.on_event(Refused(str(error), is_unknown=True))
        except IllegalMove as error:
            self._refuse(str(error))
        else:
            self._abandon()
            self._play(move, None)

    def undo(self, seat: int) -> None:
        """Take back the last move of a person and all that came after it, also while the engine thinks."""
        if self.out_of_time is not None:
            self._refuse("the time is up")
            return
        if self.resigned is not None:
            self._take_back(0, self._ended_ms)
            return
        movers = reversed(self.movers())
        plies = next((plies for plies, mover in enumerate(movers, 1) if mover == seat), 0)
        if plies:
            self._take_back(plies)
        else:
            self._refuse("there is no move of yours to take back")

    def hint(self) -> None:
        """Find the move that the engine would play at full strength for the person to move. Hinted follows."""
        if not self.is_persons_turn:
            self._refuse("there is no move to hint at")
        elif self._busy is None:
            if self._hinter is None:
                self._hinter = self._make(FULL)
            self._think(self._hinter, self._tell_hint)

    def resign(self, seat: int) -> None:
        """A person gives up."""
        if self.verdict is not None:
            self._refuse("the game is over")
            return
        if not isinstance(self.session, SeatedSession):
            self._give_up(seat, "resigned")
        elif self.session.to_move != seat:
            self._refuse("it is not your turn")
        else:
            self._abandon()
            self._play("resign", None)

    def draw(self) -> None:
        """The person to move offers a draw with the next move, or agrees to one; or no longer does."""
        if not isinstance(self.session, SeatedSession):
            self._refuse("no draw can be agreed in this game")
        elif not self.is_persons_turn:
            self._refuse("it is not your turn")
        else:
            try:
                self.on_event(Said(self.session.offer_draw()))
            except ValueError as error:
                self._refuse(str(error))

    def new(self) -> None:
        """Begin another game; what was played is lost."""
        self._abandon()
        self.seed += 1
        for chooser in (*self.choosers.values(), *filter(None, (self._hinter,))):
            chooser.new_game()
        if isinstance(self.session, SeatedSession):
            self.session.deal(self.seed)
        self._take_back(self.session.ply)

    def set_level(self, name: str) -> None:
        """Let the engine play at another level from its next move on, at every seat that it has."""
        is_moving, turn_ms = self._busy in self.choosers.values(), self.turn_ms
        self._abandon()
        leveled = self.choosers.keys() - self._others.keys()
        for seat in leveled:
            self.choosers[seat].close()
            self.choosers[seat] = self._make(name)
        if is_moving:
            self._begin_turn(turn_ms=turn_ms)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until an engine has found a move or a hint, and take it over. Returns whether there was one."""
        try:
            ticket, choice = taken(self._choices) if timeout_s is None else self._choices.get(timeout=timeout_s)
        except Empty:
            return False
        if ticket == self._ticket:
            assert self._busy is not None
            self._busy.stop()  # its choice is here, so this only waits for its thread
            self._busy = None
            self._take(choice)
        return True

    def look_at_clocks(self) -> bool:
        """End the game if the clock that runs has run down. Returns whether it has."""
        seat = self.session.to_move
        if self.time_control is None or self.verdict is not None or self.left_ms(seat) > 0:
            return False
        self.out_of_time = seat
        self._give_up(seat, "is out of time")
        return True

    def follow(self, move: str) -> None:
        """The seat to move has moved elsewhere. Raises IllegalMove."""
        self._abandon()
        self._play(move, None)

    def end(self, verdict: Verdict) -> None:
        """The game is over, not by the rules."""
        self._abandon()
        self._ended_ms = self.turn_ms
        self.resigned = verdict
        self.on_event(Changed())
        self.on_event(Ended(verdict))

    def stop(self) -> None:
        """Stop thinking for good. Then close() may be called on any thread."""
        self._abandon()

    def close(self) -> None:
        """Stop thinking, and free threads and memory. Another engine may take seconds to end."""
        self.stop()
        for chooser in (*self.choosers.values(), *filter(None, (self._hinter,))):
            chooser.close()

    # How it is done

    def _give_up(self, seat: int, reason: str) -> None:
        """End the game, lost for a seat. `reason` follows the name of its side."""
        name = self.session.sides[seat].capitalize()
        self.end(Verdict(SECOND_WINS if seat == 0 else FIRST_WINS, f"{name} {reason}"))

    def _play(self, move: str, score: int | None) -> None:
        """Make a legal move."""
        seat, names = self.session.to_move, self.session.move_names(move)
        ms = self.turn_ms
        self.session.play(move, ms)
        self.times.append(ms)
        self._begin_turn(Moved(seat, move, names, score, ms))

    def _begin_turn(self, event: Event | None = None, turn_ms: int = 0) -> None:
        """Let the clock run, tell of `event`, and let the engine think if it is to move."""
        self._turn_began, self._ended_ms = now_s() - turn_ms / 1000, turn_ms
        if event is not None:  # what hears of it may ask for the clocks
            self.on_event(event)
        verdict = self.verdict
        if verdict is not None:
            self.on_event(Ended(verdict))
        elif self.session.to_move in self.choosers:
            self.on_event(Thinking(self.session.to_move))
            self._think(self.choosers[self.session.to_move], self._take_move, self._clock())

    def _clock(self) -> Clock | None:
        """Of the seat to move."""
        if self.time_control is None:
            return None
        seat, movers = self.session.to_move, self.movers()
        return Clock(
            left_ms=self.left_ms(seat),
            increment_ms=self.time_control.increment_ms,
            overhead_ms=_CLOCK_OVERHEAD_MS,
            moves_played=movers.count(seat),
        )

    def _think(self, chooser: Chooser, take: Callable[[Choice], None], clock: Clock | None = None) -> None:
        self._ticket += 1
        ticket = self._ticket
        self._take = take

        def deliver(choice: Choice) -> None:
            self._choices.put((ticket, choice))
            self.on_ready()

        self._busy = chooser
        try:
            chooser.go(self.session, self.seed, deliver, clock)
        except (RuntimeError, MemoryError) as error:  # no thread or no memory for a search
            deliver(Choice(None, None, f"search failed: {type(error).__name__}: {excerpt(str(error))}"))
        except BaseException:
            self._busy = None
            raise

    def _take_move(self, choice: Choice) -> None:
        if self.look_at_clocks():
            return
        if choice.move is not None:
            self._play(choice.move, choice.score)
        elif isinstance(self.session, SeatedSession):
            self.on_event(Failed(choice.fault))
            self._play("resign", None)
        else:
            self._give_up(self.session.to_move, f"{HAS_LOST}: {choice.fault}")

    def _tell_hint(self, choice: Choice) -> None:
        if choice.move is None and choice.fault:
            self.on_event(Failed(choice.fault))
        else:
            self.on_event(Hinted(choice.move, {} if choice.move is None else self.session.move_names(choice.move)))

    def _abandon(self) -> None:
        """Stop thinking; the choice that follows is dropped."""
        self._ticket += 1
        if self._busy is not None:
            self._busy.stop()
            self._busy = None

    def _take_back(self, plies: int, turn_ms: int = 0) -> None:
        self._abandon()
        self.resigned = self.out_of_time = None
        self.session.undo(plies)
        del self.times[self.session.ply :]
        self._begin_turn(Changed(), turn_ms)

    def _refuse(self, reason: str) -> None:
        self.on_event(Refused(reason))
