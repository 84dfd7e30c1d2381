"""Reviews as text for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from game_core.command_parser import columns
from game_review.analysis_table import cut, padded, table_row, table_width
from game_review.review_document import Document, GameReport, Ply, Summary
from game_review.review_figures import MARKS, PLURALS, Figures
from game_review.review_words import first_party, likelihood, line_names, loss_text, points, side_name
from search_core.line_protocol import printable, shown_path

SIGNS = dict(zip(MARKS, ("?!", "?", "??")))
_MAX_NAME = 40


def document_lines(document: Document) -> Iterator[str]:
    """The text for people. Nothing of games of which nothing is known."""
    known = [game for game in document.games if game.complete or any(ply.loss is not None for ply in game.plies)]
    if document.summary is None:
        for game in known:
            yield from _game_lines(game)
        return
    for game in known:
        yield _title(game)
        yield from _side_lines(game)
        yield ""
    yield from _summary_lines(document.summary, document.games)


def _game_lines(game: GameReport) -> Iterator[str]:
    """A game move by move, and what was found."""
    width = table_width()
    yield _title(game)
    yield ""
    if not game.plies:
        yield "The game has no moves."
        return
    team, first = game.players[::2], first_party(game.players)
    side_width = max(len("side"), *map(len, map(side_name, game.players)))
    rows: list[Sequence[str]] = [("", "side", "played", f"{first} %", "loss", "mark", "better")]
    rows += [_row(ply, team) for ply in game.plies]
    played_width, mark_width = (max(columns(row[column]) for row in rows) for column in (2, 5))
    for row in rows:
        yield table_row(row, (-4, side_width, played_width, -len(rows[0][3]), -5, mark_width), width)
    yield ""
    yield from _side_lines(game)
    yield from _reasons(game.plies, width)
    yield from _findings(game.plies)
    yield from _hindsight(game.plies, width)
    yield ""
    yield f"{first} %: the expected score of {first} after the move; a draw counts a half."
    if any(ply.hidden is not None for ply in game.plies):
        yield "Scores and losses are by what the side on turn knew before its move."
        yield "mark, after a clash: how probable its end was, as far as that side knew."
    yield "loss: expected score that the move lost, in points of 100, for the side that moved."


def _title(game: GameReport) -> str:
    """Which game it is."""
    players = game.players
    names = " - ".join(
        printable(f"{name} ({side_name(side)})" if name else side_name(side), _MAX_NAME)
        for side, name in zip(players, game.names)
    )
    if len(players) > 2 and not any(game.names):
        names = " - ".join(side_name(",".join(sorted(team))) for team in (players[::2], players[1::2]))
    head = f"{shown_path(game.source)}, game {game.number}: {names}"
    parts = [head, game.result.result, game.result.reason, printable(game.opening)]
    return ", ".join(part for part in parts if part and part != "*")


def _side_lines(game: GameReport) -> Iterator[str]:
    """The figures of both sides."""
    yield from _figures("side", {side_name(side): figures for side, figures in game.sides.items()})
    if not game.complete:
        yield "The review was interrupted; these are the figures of the moves that are known."


def _summary_lines(summary: Summary, games: Sequence[GameReport]) -> Iterator[str]:
    """What several games have in common."""
    yield f"games: {summary.complete}, moves: {summary.figures.moves}"
    for groups, label in (
        (summary.by_player, "player"),
        (summary.by_phase, "phase"),
        (summary.by_opening, "opening"),
        (summary.by_time, "time for the move"),
    ):
        if groups:
            yield ""
            yield from _figures(label, {name: group.figures for name, group in groups.items()})
    if summary.worst:
        yield ""
        yield "Worst moves:"
    for entry in summary.worst:
        game = games[entry.game - 1]
        ply = game.plies[entry.ply - 1]
        where = f"{shown_path(game.source)}, game {game.number}"
        yield f"  {where}: {_named(ply)} loses {points(entry.loss)}; better {_better(ply, 1)}"


def _row(ply: Ply, team: Sequence[str]) -> tuple[str, ...]:
    """`team`: the sides whose win probability is shown."""
    played, chance = ply.played, ply.outcome.chance
    said = f"{SIGNS[ply.mark]} {ply.mark}" if ply.mark else "book" if ply.book else "forced" if ply.forced else ""
    if not said and chance is not None:
        said = likelihood(chance)
    if not said and ply.missed_win is not None:
        said = "missed win"
    expected = None if played is None else played.winrate if ply.side in team else 1 - played.winrate
    return (
        str(ply.ply),
        side_name(ply.side),
        ply.full_name,
        "" if expected is None else points(expected),
        loss_text(ply),
        said,
        _better(ply) if ply.mark is not None or ply.missed_win is not None else "",
    )


def _better(ply: Ply, most: int | None = None) -> str:
    """The best line."""
    if ply.best is None:
        return "-"
    wins_in = 0 if ply.before is None else ply.before.wins_in
    return (f"(mate {wins_in}) " if wins_in and most is None else "") + " ".join(line_names(ply.best)[:most])


def _named(ply: Ply) -> str:
    return f"{ply.ply}. {ply.name} ({side_name(ply.side)})"


def _figures(label: str, groups: Mapping[str, Figures]) -> Iterator[str]:
    """A table with a row for each group."""
    heads = [label, "accuracy", "moves", "counted", "average loss", *PLURALS]
    rows = [
        [
            printable(name, _MAX_NAME),
            "-" if figures.accuracy is None else f"{figures.accuracy:.1f}",
            str(figures.moves),
            str(figures.counted),
            "-" if figures.average_loss is None else points(figures.average_loss),
            *map(str, figures.marks),
        ]
        for name, figures in groups.items()
    ]
    width = max(columns(row[0]) for row in [heads, *rows])
    for row in [heads, *rows]:
        yield "  ".join([padded(row[0], width), *(cell.rjust(len(head)) for cell, head in zip(row[1:], heads[1:]))])


def _reasons(plies: Sequence[Ply], width: int) -> Iterator[str]:
    """Why the marked moves are bad."""
    explained = [ply for ply in plies if ply.why]
    if explained:
        yield ""
        yield "Why:"
    for ply in explained:
        yield from textwrap.wrap(f"  {_named(ply)}: {ply.why}", width, subsequent_indent="      ")


def _findings(plies: Sequence[Ply]) -> Iterator[str]:
    turning = [
        f"{_named(ply)}: {100 * ply.before.winrate:.0f} % to {100 * ply.played.winrate:.0f} %"
        for ply in plies
        if ply.turning_point and ply.before is not None and ply.played is not None
    ]
    missed = [
        f"{_named(ply)}: a win in {ply.missed_win.mate}, {' '.join(ply.missed_win.pv_names)}"
        for ply in plies
        if ply.missed_win is not None
    ]
    rules = [f"{_named(ply)}: {ply.rule.text}" for ply in plies if ply.rule is not None]
    for title, found in (("Turning points:", turning), ("Missed wins:", missed), ("Rules:", rules)):
        if found:
            yield from ("", title, *(f"  {text}" for text in found))


def _hindsight(plies: Sequence[Ply], width: int) -> Iterator[str]:
    """What the sides knew and believed at the marked moves, and what was true."""
    marked = [ply for ply in plies if ply.mark is not None and ply.hidden is not None]
    if marked:
        yield ""
        yield "What they knew, what they believed, and what was true:"
    for ply in marked:
        chance = ply.outcome.chance
        likely = "" if chance is None else f", as expected with {likelihood(chance)}"
        yield cut(f"  {ply.ply}. {ply.full_name} ({side_name(ply.side)}){likely}; better {_better(ply, 1)}", width)
        for piece in () if ply.hidden is None else ply.hidden.pieces:
            texts = piece.texts
            yield cut(f"       {texts.piece}", width)
            for label, text in (("knew", texts.knew), ("believed", texts.believed), ("true", texts.truth)):
                yield cut(f"         {label:<9} {text}", width)
