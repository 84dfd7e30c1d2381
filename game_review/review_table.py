"""Reviews as text for people."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from game_core.command_parser import columns
from game_review.analysis_table import cut, padded
from game_review.review_figures import MARKS, PLURALS
from game_review.review_values import first_party, likelihood, line_names, side_name
from search_core.line_protocol import excerpt, printable

_WIDTH = 100
"""Columns of a table that is not shown on a terminal."""
_SIGNS = dict(zip(MARKS, ("?!", "?", "??")))
_LONGEST_NAME = 40


def game_lines(game: Mapping[str, Any]) -> Iterator[str]:
    """A game move by move, and what was found."""
    width = shutil.get_terminal_size((_WIDTH, 24)).columns if sys.stdout.isatty() else _WIDTH
    yield title(game)
    yield ""
    if not game["plies"]:
        yield "The game has no moves."
        return
    team, first = game["players"][::2], first_party(game["players"])
    side_width = max(len("side"), *map(len, map(side_name, game["players"])))
    rows: list[Sequence[str]] = [("", "side", "played", f"{first} %", "loss", "mark", "better")]
    rows += [_row(ply, team) for ply in game["plies"]]
    played_width = max(columns(row[2]) for row in rows)
    mark_width = max(len(row[5]) for row in rows)
    for number, side, played, expected, loss, mark, better in rows:
        cells = [
            number.rjust(4),
            padded(side, side_width),
            padded(played, played_width),
            expected.rjust(len(rows[0][3])),
            loss.rjust(5),
            padded(mark, mark_width),
        ]
        head = "  ".join(cells)
        yield f"{head}  {cut(better, width - columns(head) - 2)}".rstrip()
    yield ""
    yield from side_lines(game)
    yield from _findings(game["plies"])
    yield from _hindsight(game["plies"], width)
    yield ""
    yield f"{first} %: the expected score of {first} after the move; a draw counts a half."
    if any("outcome" in ply for ply in game["plies"]):
        yield "Scores and losses are by what the side on turn knew before its move."
        yield "mark, after a clash: how probable its end was, as far as that side knew."
    yield "loss: expected score that the move lost, in points of 100, for the side that moved."


def title(game: Mapping[str, Any]) -> str:
    """Which game it is."""
    players = game["players"]
    names = " - ".join(
        printable(f"{name} ({side_name(side)})" if name else side_name(side), _LONGEST_NAME)
        for side, name in zip(players, game["names"])
    )
    if len(players) > 2 and not any(game["names"]):
        names = " - ".join(side_name(",".join(sorted(team))) for team in (players[::2], players[1::2]))
    result, reason = game["result"]["result"], game["result"]["reason"]
    parts = [f"{excerpt(game['source'])}, game {game['number']}: {names}", result, reason, printable(game["opening"])]
    return ", ".join(part for part in parts if part and part != "*")


def side_lines(game: Mapping[str, Any]) -> Iterator[str]:
    """The figures of both sides."""
    yield from _figures("side", {side_name(side): figures for side, figures in game["sides"].items()})
    if not game["complete"]:
        yield "The review was interrupted; these are the figures of the moves that are known."


def summary_lines(summary: Mapping[str, Any], games: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What several games have in common."""
    yield f"games: {summary['complete']}, moves: {summary['moves']}"
    for group, label in (
        ("byPlayer", "player"),
        ("byPhase", "phase"),
        ("byOpening", "opening"),
        ("byTime", "time for the move"),
    ):
        if summary[group]:
            yield ""
            yield from _figures(label, summary[group])
    if summary["worst"]:
        yield ""
        yield "Worst moves:"
    for entry in summary["worst"]:
        game = games[entry["game"] - 1]
        ply = game["plies"][entry["ply"] - 1]
        where = f"{excerpt(game['source'])}, game {game['number']}"
        yield f"  {where}: {_named(ply)} loses {100 * ply['loss']:.1f}; better {_better(ply, 1)}"


def _row(ply: Mapping[str, Any], team: Sequence[str]) -> tuple[str, ...]:
    """`team`: the sides whose win probability is shown."""
    played, loss, mark = ply["played"], ply["loss"], ply["mark"]
    said = f"{_SIGNS[mark]} {mark}" if mark else "book" if ply["book"] else "forced" if ply["forced"] else ""
    chance = ply.get("outcome", {}).get("chance")
    if not said and chance is not None:
        said = likelihood(chance)
    if not said and ply["missedWin"] is not None:
        said = "missed win"
    shows_line = mark is not None or ply["missedWin"] is not None
    return (
        str(ply["ply"]),
        side_name(ply["side"]),
        _done(ply),
        "" if played is None else f"{100 * _expected(ply, team):.1f}",
        f"{100 * loss:.1f}" if ply["counted"] and loss >= 0.0005 else "",
        said,
        _better(ply) if shows_line else "",
    )


def _done(ply: Mapping[str, Any]) -> str:
    """The move, and how it ended if that was not sure."""
    return " ".join(filter(None, (ply["name"], ply.get("outcome", {}).get("text"))))


def _expected(ply: Mapping[str, Any], team: Sequence[str]) -> float:
    """The expected score of a side or a team after a move."""
    expected: float = ply["played"]["winrate"]
    return expected if ply["side"] in team else 1 - expected


def _better(ply: Mapping[str, Any], most: int | None = None) -> str:
    """The best line."""
    best = ply["best"]
    if best is None:
        return "-"
    score = ply["before"]
    mate = f"(mate {score['mate']}) " if score.get("mate", 0) > 0 and most is None else ""
    return mate + " ".join(line_names(best)[:most])


def _named(ply: Mapping[str, Any]) -> str:
    return f"{ply['ply']}. {ply['name']} ({side_name(ply['side'])})"


def _figures(label: str, groups: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """A table with a row for each group."""
    heads = [label, "accuracy", "moves", "counted", "average loss", *PLURALS.values()]
    rows = [heads]
    for name, figures in groups.items():
        known = figures["accuracy"] is not None
        rows.append(
            [
                printable(name, _LONGEST_NAME),
                f"{figures['accuracy']:.1f}" if known else "-",
                str(figures["moves"]),
                str(figures["counted"]),
                f"{100 * figures['averageLoss']:.1f}" if known else "-",
                *(str(figures[plural]) for plural in PLURALS.values()),
            ]
        )
    width = max(columns(row[0]) for row in rows)
    for row in rows:
        yield "  ".join([padded(row[0], width), *(cell.rjust(len(head)) for cell, head in zip(row[1:], heads[1:]))])


def _findings(plies: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    turning = [ply for ply in plies if ply["turningPoint"]]
    missed = [ply for ply in plies if ply["missedWin"] is not None]
    ruled = [ply for ply in plies if ply["rule"] is not None]
    if turning:
        yield ""
        yield "Turning points:"
    for ply in turning:
        before, after = (100 * ply[name]["winrate"] for name in ("before", "played"))
        yield f"  {_named(ply)}: {before:.0f} % to {after:.0f} %"
    if missed:
        yield ""
        yield "Missed wins:"
    for ply in missed:
        win = ply["missedWin"]
        yield f"  {_named(ply)}: a win in {win['mate']}, {' '.join(win['pvNames'])}"
    if ruled:
        yield ""
        yield "Rules:"
    for ply in ruled:
        yield f"  {_named(ply)}: {ply['rule']['text']}"


def _hindsight(plies: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """What the sides knew and believed at the marked moves, and what was true."""
    marked = [ply for ply in plies if ply["mark"] is not None and "outcome" in ply]
    if marked:
        yield ""
        yield "What they knew, what they believed, and what was true:"
    for ply in marked:
        chance = ply["outcome"]["chance"]
        likely = "" if chance is None else f", as expected with {likelihood(chance)}"
        yield cut(f"  {ply['ply']}. {_done(ply)} ({side_name(ply['side'])}){likely}; better {_better(ply, 1)}", width)
        for row in ply["pieces"]:
            texts = row["texts"]
            yield cut(f"       {texts['piece']}", width)
            for label, text in (("knew", texts["knew"]), ("believed", texts["believed"]), ("true", texts["truth"])):
                yield cut(f"         {label:<9} {text}", width)
