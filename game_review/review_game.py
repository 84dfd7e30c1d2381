"""The review of one game: which searches it needs, and what they say about its moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from game_core.analysis import AnalysisError
from game_review.review_figures import TOLERANCE, Thresholds, figures_of, is_turning_point
from game_review.review_search import Searcher, Searches, Value

if TYPE_CHECKING:
    from game_core.analysis import Turn
    from game_core.review import ReviewedGame
    from search_core.thinker import Limits

STRETCH = 8
"""Positions that are searched one after another, from the last to the first, with one table."""
SECOND_SEARCH = 4
"""How many times as long a second search is."""
_SMALL = 0.5
"""A second search ends after a quarter if it sees less than this part of the loss that deserves the lowest mark."""
_BRIEF = 4
"""The part of the time for a position in which a book move or a forced one was played: only the score is wanted."""
_ONCE, _TWICE = 0, 1  # of a game, the first searches come before the second ones
_DIGITS = 4


class Settings(NamedTuple):
    """How games are reviewed."""

    limits: Limits
    """Of a position."""
    thresholds: Thresholds


class Record(NamedTuple):
    """A game and where it is from."""

    game: str
    """The game's name, as in `sanqi play NAME`."""
    source: str
    """The file."""
    number: int
    """Of the game in the file, from 1."""
    reviewed: ReviewedGame
    notations: Sequence[str]
    """Of the game; the first is the one that the reader wants."""

    @property
    def moves(self) -> list[str]:
        """The moves of the game."""
        subject = self.reviewed.subject
        return [subject.played(turn) or "" for turn in range(subject.last_turn)]


class GameReview:
    """Hands out searches and takes their results.

    Parameters
    ----------
    index : int
        Of the game in the review; the keys of the searches begin with it.
    record : Record
    settings : Settings
    kept : dict or None
        What an earlier review of the same game has left, as in `document()`.
    """

    def __init__(self, index: int, record: Record, settings: Settings, kept: Mapping[str, Any] | None = None) -> None:
        self.index = index
        self.record = record
        self.error = ""
        """Why the game cannot be reviewed."""
        self._settings = settings
        self._game = record.reviewed
        self._moves = record.moves
        self._values: dict[int, Value] = {}
        """Of the turns."""
        self._seconds: dict[int, dict[str, Value]] = {}
        """Of the plies that were looked at again: `recheck` and `played`, the position after the move, and `best`."""
        self._befores: dict[int, Value] = {}
        """Of the plies: `_before()`, once it is known."""
        self._asked: set[tuple[int, str]] = set()
        """The second searches that were handed out."""
        self._due = 0
        """How many searches are under way."""
        self._restore(kept or {})

    # Searches

    @property
    def positions(self) -> int:
        """How many positions there are to search."""
        return len(self._moves) + 1 if self._moves else 0

    @property
    def is_done(self) -> bool:
        return not self._due

    def first_searches(self) -> Iterator[Searches]:
        """The searches to begin with."""
        for high in range(self.positions - 1, -1, -STRETCH):
            low = max(high - STRETCH + 1, 0)
            if any(turn not in self._values for turn in range(low, high + 1)):
                self._due += 1
                key, steps = (self.index, "stretch", high, low), high - low + 1
                yield Searches((self.index, _ONCE), key, self._stretch(high, low), steps)
        yield from self._second_searches(range(len(self._moves)))

    def take(self, key: Sequence[Any], found: Any) -> Iterator[Searches]:
        """Take a result. Returns further searches."""
        self._due -= 1
        _, what, number, *_ = key
        if what == "stretch":
            self._values.update(found)
        else:
            self._seconds.setdefault(number, {}).update(found)
        yield from self._second_searches(range(len(self._moves)))

    def _stretch(self, high: int, low: int) -> Any:
        """Search from the last position to the first: so the table knows what follows a move before the position in
        which it was played is searched."""

        def work(searcher: Searcher) -> dict[int, Value]:
            searcher.clear()
            return {
                turn: searcher.value(self._game.subject, turn, self._limits(turn), self._notation)
                for turn in range(high, low - 1, -1)
            }

        return work

    def _limits(self, turn: int) -> Limits:
        note = self._game.notes[turn] if turn < len(self._moves) else None
        is_brief = note is not None and (note.is_book or note.is_forced)
        return scaled(self._settings.limits, 1, _BRIEF) if is_brief else self._settings.limits

    @property
    def _notation(self) -> str:
        return self.record.notations[0]

    def _second_searches(self, plies: Iterable[int]) -> Iterator[Searches]:
        """The second searches of those plies that need them. A ply is numbered by the turn before it, from 0."""
        searches = {"recheck": self._recheck, "played": self._search_played, "best": self._search_best}
        for ply in plies:
            what = self._next_second(ply)
            if what is None or (ply, what) in self._asked:
                continue
            self._asked.add((ply, what))
            self._due += 1
            yield Searches((self.index, _TWICE), (self.index, what, ply), searches[what](ply))

    def _next_second(self, ply: int) -> str | None:
        """What is to be searched again: first the position after the move; if that leaves a doubt, the best move."""
        seconds = self._seconds.get(ply, {})
        if not self._is_doubtful(ply):
            return None
        if "played" not in seconds:
            is_first = not seconds and self._may_lose(self._befores[ply], self._values[ply + 1])
            return "recheck" if is_first else "played"
        # The second search of the ply before may have searched this position, as long as the best move would be.
        is_found = self._is_rechecked(ply - 1) and self._seconds[ply - 1]["played"]["pv"][:1] != [self._moves[ply]]
        return None if is_found or "best" in seconds else "best"

    def _is_doubtful(self, ply: int) -> bool:
        """Whether a move seems to deserve a mark by all that is known.

        What is searched does not depend on the order in which results come: of two bad moves in a row, the second one
        waits for the first; otherwise, a second search of the ply before only adds a reason."""
        seconds, before, after = self._seconds.get(ply, {}), self._before(ply), self._after(ply)
        if before is None or after is None or not self._is_judged(ply):
            return False
        part = _SMALL if "recheck" in seconds and "played" not in seconds else 1
        deeper = self._seconds.get(ply - 1, {}).get("played")
        return any(self._may_lose(known, after, part) for known in (before, deeper) if known is not None)

    def _before(self, ply: int) -> Value | None:
        """What the position before a move is worth. Where this move and the one before both seem bad, the position
        between them may only have been misjudged; so the recheck of the move before decides. None: it is not known."""
        if ply not in self._befores and (before := self._found_before(ply)) is not None:
            self._befores[ply] = before
        return self._befores.get(ply)

    def _found_before(self, ply: int) -> Value | None:
        if any(turn not in self._values for turn in range(max(ply - 1, 0), ply + 2)):
            return None
        first = self._values[ply]
        is_proven = first.get("mate", 0) > 0
        if is_proven or ply == 0 or not self._seems_bad(ply) or not self._seems_bad(ply - 1):
            return first
        earlier, recheck = self._before(ply - 1), self._seconds.get(ply - 1, {}).get("recheck")
        if earlier is None:
            return None
        if not self._may_lose(earlier, first):
            return first
        return self._seconds[ply - 1]["played"] if self._is_rechecked(ply - 1) else recheck

    def _after(self, ply: int) -> Value | None:
        """What the position after a move is worth, by the longest search of it."""
        seconds = self._seconds.get(ply, {})
        return seconds.get("played") or seconds.get("recheck") or self._values.get(ply + 1)

    def _seems_bad(self, ply: int) -> bool:
        """Whether a move seems to deserve a mark by the first searches."""
        before, after = self._values.get(ply), self._values.get(ply + 1)
        return before is not None and after is not None and self._is_judged(ply) and self._may_lose(before, after)

    def _is_rechecked(self, ply: int) -> bool:
        """Whether the recheck of a move went on to the end."""
        before, recheck = self._befores.get(ply), self._seconds.get(ply, {}).get("recheck")
        return before is not None and recheck is not None and self._may_lose(before, recheck, _SMALL)

    def _may_lose(self, before: Value, after: Value, part: float = 1) -> bool:
        """Whether a move seems to lose that part of what deserves a mark, or to miss a win whose shortest way is
        wanted."""
        played = 1 - after["winrate"]
        misses = self._game.wants_shortest and _misses_win(before, played)
        return misses or self._settings.thresholds.mark((before["winrate"] - played) / part) is not None

    def _is_judged(self, ply: int) -> bool:
        """Whether a move counts: it is no book move and not forced, and the game was not over."""
        note = self._game.notes[ply]
        return not (note.is_book or note.is_forced or note.is_over)

    def _recheck(self, ply: int) -> Any:
        """Search the position after a move that seems bad. Most moves that only seem so are found in a quarter of the
        time."""
        limits, before, subject = self._settings.limits, self._befores[ply], self._game.subject

        def work(searcher: Searcher) -> dict[str, Value]:
            searcher.clear()
            found = {"recheck": searcher.value(subject, ply + 1, limits, self._notation)}
            if self._may_lose(before, found["recheck"], _SMALL):
                found["played"] = searcher.value(subject, ply + 1, scaled(limits, SECOND_SEARCH - 1), self._notation)
            return found

        return work

    def _search_played(self, ply: int) -> Any:
        """Search the position after a move that has become bad by the second search of the ply before."""
        limits = scaled(self._settings.limits, SECOND_SEARCH)

        def work(searcher: Searcher) -> dict[str, Value]:
            searcher.clear()
            return {"played": searcher.value(self._game.subject, ply + 1, limits, self._notation)}

        return work

    def _search_best(self, ply: int) -> Any:
        """Search the best move; a quarter of the time is enough if it is hardly better than the one that was played.
        If the move that was played seemed best, it was misjudged: the best of the others is wanted."""
        limits, subject = self._settings.limits, self._game.subject
        best, after = self._befores[ply]["pv"][0], self._seconds[ply]["played"]
        is_played = best == self._moves[ply]

        def search(searcher: Searcher, times: int) -> Value:
            turn, longer = subject.at(ply), scaled(limits, times)
            move = (turn.read_move(best),)
            chosen = replace(longer, excluded_moves=move) if is_played else replace(longer, root_moves=move)
            try:
                return searcher.value(subject, ply, chosen, self._notation)
            except AnalysisError:  # the search looks at no other move
                return searcher.value(subject, ply, longer, self._notation)

        def work(searcher: Searcher) -> dict[str, Value]:
            searcher.clear()
            found = search(searcher, 1)
            if self._game.wants_shortest or self._may_lose(found, after, _SMALL):
                found = search(searcher, SECOND_SEARCH - 1)
            return {"best": found}

        return work

    # What was found

    def document(self, is_interrupted: bool = False) -> dict[str, Any]:
        """The review as far as it is known, for JSON. `is_interrupted`: a result may have been lost on the way."""
        game = self._game
        plies = [self._ply(ply) for ply in range(len(self._moves))]
        complete = self.is_done and not is_interrupted and all(map(self._is_known, range(len(plies))))
        document: dict[str, Any] = {
            "source": self.record.source,
            "number": self.record.number,
            "game": self.record.game,
            "headers": dict(game.headers),
            "start": dict(game.start),
            "players": list(game.players),
            "names": list(game.names),
            "opening": game.opening,
            "notation": self._notation,
            "plies": plies,
            "leftOut": None if game.left_out is None else game.left_out._asdict(),
            "result": self._result(),
            "sides": {
                name: figures_of(ply for ply in plies if ply["side"] in sides and ply["loss"] is not None)
                for name, sides in _parties(game.players)
            },
            "complete": complete,
        }
        if not complete:
            document["searches"] = {"values": self._values, "seconds": self._seconds}
        return document

    def _restore(self, kept: Mapping[str, Any]) -> None:
        """Take over the searches of an interrupted review. Raises what reading a wrong document raises."""
        searches = kept.get("searches", {})
        values = {int(turn): value for turn, value in searches.get("values", {}).items()}
        seconds = {int(ply): values for ply, values in searches.get("seconds", {}).items()}
        for turn, value in values.items():
            check_value(value, self._game.subject.at(turn))
        for ply, found in seconds.items():
            for what, value in found.items():
                check_value(value, self._game.subject.at(ply + (what != "best")))
        self._values, self._seconds = values, seconds

    def _is_known(self, ply: int) -> bool:
        """Whether the loss of a move is known."""
        return None not in self._judged_values(ply)

    def _result(self) -> dict[str, str]:
        """As recorded, else by the rules."""
        ended = self._values.get(len(self._moves), {}).get("ended")
        result, reason = self._game.result, self._game.reason if ended is None else ended["reason"]
        if result == "*" and ended is not None:
            result = ended["result"]
        return {"result": result, "reason": reason}

    def _ply(self, ply: int) -> dict[str, Any]:
        """A move. What is not known is null."""
        note = self._game.notes[ply]
        side, names = self._played(ply)
        before, played = self._judged_values(ply)
        loss = mark = best = missed = None
        turns = False
        if before is not None and played is not None:
            loss = self._loss(ply, before, played)
            mark = self._settings.thresholds.mark(loss) if self._is_judged(ply) else None
            turns = is_turning_point(before["winrate"], played["winrate"], mark)
            if before["pv"]:
                best = {"move": before["pv"][0], "name": before["pvNames"][0], **_line(before)}
            if loss and self._is_judged(ply) and _misses_win(before, played["winrate"]):
                missed = {"mate": before["mate"], **_line(before)}
        return {
            "ply": ply + 1,
            "side": side,
            "move": self._moves[ply],
            "names": names,
            "name": names[self._notation],
            "comment": note.comment,
            "spentMs": note.spent_ms,
            "phase": note.phase,
            "before": None if before is None else _shown(before),
            "played": None if played is None else {**_shown(played), **_line(played)},
            "loss": None if loss is None else round(loss, _DIGITS),
            "mark": mark,
            "confirmed": mark is not None if ply in self._seconds else None,
            "best": best,
            "isBest": None if loss is None else loss < TOLERANCE,
            "book": note.is_book,
            "forced": note.is_forced,
            "counted": loss is not None and self._is_judged(ply),
            "turningPoint": turns,
            "missedWin": missed,
            "rule": None if note.rule is None else note.rule._asdict(),
        }

    def _played(self, ply: int) -> tuple[str, dict[str, str]]:
        """Who moved, and the move in all notations."""
        turn = self._game.subject.at(ply)
        move = [turn.read_move(self._moves[ply])]
        return str(turn.to_move), {name: turn.names(move, name)[0] for name in self.record.notations}

    def _judged_values(self, ply: int) -> tuple[Value | None, Value | None]:
        """What the position was worth before a move, and after it, both for the side that moves."""
        seconds = self._seconds.get(ply, {})
        deeper = self._seconds.get(ply - 1, {}).get("played")
        after = self._after(ply)
        played = None if after is None else _turned(after)
        if "best" not in seconds:
            return deeper or self._before(ply) or self._values.get(ply), played
        known = [seconds["best"]]
        if deeper is not None and deeper["pv"] and deeper["pv"][0] != self._moves[ply]:
            known.append(deeper)
        return max(known, key=_worth), played

    def _loss(self, ply: int, before: Value, played: Value) -> float:
        """Nothing if the best move was played, or if the game was over."""
        if not before["pv"] or before["pv"][0] == self._moves[ply]:
            return 0.0
        return max(float(before["winrate"] - played["winrate"]), 0.0)


def _parties(players: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """What has figures of its own: each side, and each team of several."""
    for side in players:
        yield side, (side,)
    for team in (players[::2], players[1::2]) if len(players) > 2 else ():
        yield ",".join(sorted(team)), team


def check_value(value: Value, turn: Turn) -> None:
    """Raises ValueError, or what reading a wrong document raises, if a value is none of this turn."""
    numbers = (value["winrate"], *value["wdl"])
    line, names = value["pv"], value["pvNames"]
    if len(numbers) != 4 or not all(0 <= number <= 1 for number in numbers) or len(line) != len(names):
        raise ValueError("no value")
    if any(not isinstance(value.get(name, 0), int) for name in ("scoreCp", "mate", "ruleWin")):
        raise ValueError("no score")
    if turn.ended is not None:
        {**value["ended"]}["reason"]
    elif "ended" in value:
        raise ValueError("the game has not ended")
    else:
        turn.read_move(line[0])
    "".join((*line, *names))


def scaled(limits: Limits, times: int, divisor: int = 1) -> Limits:
    """The limits of a longer or shorter search."""

    def share(limit: int) -> int:
        return max(limit * times // divisor, 1) if limit else 0

    return replace(limits, nodes=share(limits.nodes), soft_ms=share(limits.soft_ms), hard_ms=share(limits.hard_ms))


def _misses_win(before: Value, played: float) -> bool:
    """Whether a side had a forced win, and has none after its move."""
    return before.get("mate", 0) > 0 and played < 1


def _worth(value: Value) -> tuple[float, int]:
    """For the comparison of values: of two wins the shorter one is worth more."""
    return value["winrate"], -max(value.get("mate", 0), 0)


def _turned(value: Value) -> Value:
    """The same value for the other side. `pv` is still what follows in the position."""
    turned = {**value, "winrate": round(1 - value["winrate"], 6), "wdl": value["wdl"][::-1]}
    for name in ("scoreCp", "mate", "ruleWin"):
        if name in value:
            turned[name] = -value[name]
    return turned


def _shown(value: Value) -> dict[str, Any]:
    """What the document has of a value."""
    shown = {"winrate": round(value["winrate"], _DIGITS), "wdl": [round(each, _DIGITS) for each in value["wdl"]]}
    return shown | {name: value[name] for name in ("scoreCp", "mate", "ruleWin", "ended") if name in value}


def _line(value: Value) -> dict[str, Any]:
    return {"pv": value["pv"], "pvNames": value["pvNames"]}
