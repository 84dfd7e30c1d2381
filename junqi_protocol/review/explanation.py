"""What a player believes in a position, as one HTML page: the board as it sees it, its moves, and the probabilities of
every type for each piece that it is not shown. The page loads no other file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from board_pages.page import render
from junqi_protocol.knowledge.belief import Belief
from junqi_protocol.knowledge.knowledge import MOVE
from junqi_protocol.knowledge.player_view import PlayerView, view_of
from junqi_protocol.players.evaluators import default_evaluator
from junqi_protocol.players.likely_line import Ending, endings, likely_line
from junqi_protocol.players.players import flag_captures
from junqi_protocol.players.searching import Searcher, believed
from junqi_protocol.players.win_probability import chances
from junqi_protocol.records import display
from junqi_protocol.records.display import NAMES, Arrow, happening_text, svg
from junqi_protocol.review.terms import terms
from junqi_protocol.rules.geometry import move_text
from junqi_protocol.rules.lineup import PIECES, UNKNOWN
from junqi_protocol.rules.messages import Moved
from search_core.line_protocol import printable
from search_core.thinker import Info, Limits, Result
from search_core.thinking_thread import ThinkingThread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from junqi_protocol.players.belief_position import BeliefPosition
    from junqi_protocol.rules.arbiter import Arbiter

DATA = Path(__file__).parent / "data"
TYPES = (*range(UNKNOWN - 4, 0, -1), *range(UNKNOWN - 3, UNKNOWN))
"""In the order of the columns: 司令 to 工兵, 炸弹, 地雷, 军旗."""
NODES = 300_000
"""Of the search for the best moves: as many at each call, so that a page is repeatable."""
_LINES = 10
"""Moves that are searched, besides the one that was played and those that take a flag."""
_ARROWS = 3
"""Candidates that are drawn on the board."""
_LEAST_POINTS = 0.5
"""Of a term of the evaluation that is shown."""
_ARROW, _PLAYED_ARROW = "#1c1e21", "#c2185b"
_RESULTS = ("moves", "takes", "dies", "both die")
"""What position.RESULTS mean to the mover."""


class Candidate(NamedTuple):
    """A move that the player considers."""

    move: int
    win: float
    """The expected score of the team on turn after it, in percent: a draw is a half."""
    depth: int
    """Of the search that found it, in plies."""
    line: tuple[Ending, ...]
    """The principal variation from this move on, with the likeliest ends."""
    ends: tuple[Ending, ...]
    """How the move itself can end, the likeliest first."""


def candidates(view: PlayerView, position: BeliefPosition, played: int | None = None) -> list[Candidate]:
    """The best moves of the seat on turn, which is one of the view's, as the level "search" finds them, the best first.

    `position`: believed(view). The move that was `played` is among them, and each that takes a known flag, which the
    level plays at once.
    """
    legal = view.position.legal_moves()
    if not legal:
        return []
    flags = flag_captures(view)
    searcher = Searcher()
    try:
        best = _search(searcher, view, Limits(nodes=NODES, multipv=_LINES))
        left = tuple(sorted(set(legal).intersection({*flags, played}) - {one.pv[0] for one in best}))
        limits = Limits(depth=best[0].depth, nodes=NODES, multipv=len(left), root_moves=left)
        others = _search(searcher, view, limits) if left else ()
    finally:
        searcher.close()
    found = [
        Candidate(
            one.pv[0],
            100 * chances(one.score, view.position).expected_score,
            one.depth,
            tuple(likely_line(position, one.pv)),
            tuple(endings(position, one.pv[0])),
        )
        for one in (*best, *others)
    ]
    return sorted(found, key=lambda one: (one.move not in flags, -one.win, one.move))


def _search(searcher: Searcher, view: PlayerView, limits: Limits) -> tuple[Info, ...]:
    thread, results = ThinkingThread[PlayerView](), SimpleQueue[Result]()
    thread.start(limits, lambda signals: searcher.find(view, limits, signals), results.put)
    try:
        return results.get().lines
    finally:
        thread.close()


class Row(NamedTuple):
    """A piece that the seat is not shown: where it stands, the probabilities of its types, and the true one."""

    point: int
    chances: Sequence[float]
    truth: int

    @property
    def true_chance(self) -> float:
        return self.chances[self.truth]


def page(arbiter: Arbiter, seat: int, see: str, name: str, played: int | None = None) -> str:
    """The page for a seat. `name`: the game's, for the title. `played`: the move that was then played."""
    variant, view = arbiter.variant, view_of(arbiter, seat, see)
    belief = Belief(view.knowledge, view.behaviour.weights(view.knowledge), seed=view.position.key)
    position = believed(view)
    is_on_turn = arbiter.outcome is None and arbiter.turn == seat
    moves = candidates(view, position, played) if is_on_turn else []
    hidden = [one for one in range(variant.seats) if one not in view.lineups]
    tables = {one: _rows(arbiter, view, belief, one) for one in hidden}
    title = f"{printable(name)}, after ply {len(arbiter.happenings)}: what seat {seat} believes"
    contents = {
        "title": title,
        "state": _state(arbiter),
        "last": _last(arbiter),
        "shown": _seats(view.lineups),
        "remarks": list(dict.fromkeys([*view.knowledge.remarks, *belief.remarks])),
        "board": Markup(_board(arbiter, view, moves, played, title, tables)),
        "nodes": NODES,
        "team": _seats(variant.team(seat)),
        "moves": moves,
        "played": played,
        "arrows": _ARROWS,
        "is_on_turn": is_on_turn,
        "seat": seat,
        "types": TYPES,
        "terms": [one for one in terms(view, position) if abs(one.points) >= _LEAST_POINTS],
        "is_learnt": default_evaluator(variant.name).net is not None,
        "tables": tables,
        "knowledge": view.knowledge,
        "dead": _dead,
        "estimated": _seats(belief.linked),
        "error": _percent(belief.error),
        "letters": PIECES,
        "display": display,
        "variant": variant,
        "square": partial(move_text, variant),
        "piece_at": view.position.piece_at,
        "percent": _percent,
        "ends_text": _ends_text,
        "end_text": _end_text,
    }
    return render(DATA / "explanation.html", [], contents)


def _seats(seats: Iterable[int]) -> str:
    """``seat 1``, ``seats 1 and 3``, ``seats 1, 2 and 3``; '' if there are none."""
    *others, last = map(str, seats) if seats else [""]
    return f"seats {', '.join(others)} and {last}" if others else f"seat {last}" if last else ""


def _state(arbiter: Arbiter) -> str:
    state = f"gameover {arbiter.outcome}" if arbiter.outcome else f"seat {arbiter.turn} is on turn"
    return f"{arbiter.variant.name}, {state}"


def _last(arbiter: Arbiter) -> str:
    """The last ply in words; '' at the start."""
    if not arbiter.happenings:
        return ""
    happening = arbiter.happenings[-1]
    return f"{happening.ply}. seat {happening.seat}: {happening_text(arbiter.variant, happening)}"


def _percent(chance: float) -> str:
    """A probability in percent, as short as it can be said without a lie."""
    if 0 < chance < 0.005:
        return "<1"
    return ">99" if 0.995 <= chance < 1 - 1e-9 else f"{100 * chance:.0f}"


def _board(
    arbiter: Arbiter,
    view: PlayerView,
    moves: Sequence[Candidate],
    played: int | None,
    title: str,
    tables: Mapping[int, Sequence[Row]],
) -> str:
    """The board as the player sees it, with the best moves; a piece leads to its row."""
    pieces = {}
    for seat, army in enumerate(view.knowledge.living):
        for point, types in army.items():
            pieces[point] = (seat, PIECES[types.bit_length() - 1] if not types & (types - 1) else "?")
    last = arbiter.happenings[-1] if arbiter.happenings else None
    marked = (last.move >> 8, last.move & 255) if isinstance(last, Moved) else ()
    arrows = [Arrow(one.move, str(rank), _ARROW) for rank, one in enumerate(moves[:_ARROWS], 1)]
    if moves and played is not None and played not in (one.move for one in arrows):
        arrows.append(Arrow(played, "×", _PLAYED_ARROW))
    squares = arbiter.variant.squares
    links = {
        row.point: (f"#{squares[row.point]}", f"seat {seat}, {squares[row.point]}: {_likely(row.chances)}")
        for seat, rows in tables.items()
        for row in rows
    }
    return svg(arbiter.variant, pieces, marked, title, arrows=arrows, links=links)


def _ends_text(ends: Sequence[Ending]) -> str:
    """How a clash can end, with probabilities; '' for a move without one."""
    chances: dict[str, float] = {}
    for end in ends:
        if end.result != MOVE:
            chances[_RESULTS[end.result]] = chances.get(_RESULTS[end.result], 0) + end.chance
    flag = sum(end.chance for end in ends if end.flag_falls)
    if flag:
        chances["a flag falls"] = flag
    return ", ".join(word + _chance_text(chance) for word, chance in chances.items())


def _end_text(end: Ending) -> str:
    """The likeliest end of a move in a variation; '' for a move without a clash."""
    if end.result == MOVE and not end.declined:
        return ""
    word = "declines" if end.declined else _RESULTS[end.result]
    return word + (" the flag" if end.flag_falls else "") + _chance_text(end.chance)


def _chance_text(chance: float) -> str:
    """A probability after a word; '' if it is sure."""
    return f" {_percent(chance)} %" if chance < 1 - 1e-9 else ""


def _rows(arbiter: Arbiter, view: PlayerView, belief: Belief, seat: int) -> list[Row]:
    """The hidden pieces of a seat, in the order of the points that they began on."""
    chances, truth = belief.probabilities(seat), dict(arbiter.position.pieces(seat))
    points = sorted(chances, key=lambda point: view.knowledge.homes[point])
    return [Row(point, chances[point], truth[point]) for point in points]


def _likely(row: Sequence[float]) -> str:
    """The likeliest types of a piece in words, by their probabilities."""
    likely = sorted(TYPES, key=lambda kind: -row[kind])[:3]
    return ", ".join(f"{NAMES[PIECES[kind]]} {_percent(row[kind])} %" for kind in likely if row[kind] > 0)


def _dead(dead: Sequence[int]) -> str:
    """The pieces that a seat has lost; '' if there are none."""
    known = sorted((types.bit_length() - 1 for types in dead if not types & (types - 1)), reverse=True)
    words = [NAMES[PIECES[kind]] for kind in known]
    unknown = len(dead) - len(known)
    if unknown:
        words.append(f"{unknown} unknown")
    return ", ".join(words)
