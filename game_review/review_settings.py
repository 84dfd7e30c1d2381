"""The settings of a review: those of the command line, else of the document that --resume goes on with."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

from game_core.analysis import DEFAULT_NODES
from game_core.json_fields import FieldError
from game_review.analysis_request import LONGEST_MS, MOST_NODES, search_limits
from game_review.json_parts import WrongPart, read_part, write_part
from game_review.review_document import SearchSettings
from game_review.review_figures import MARKS, Thresholds
from game_review.review_files import Earlier
from game_review.review_game import SECOND_SEARCH, Settings
from search_core.line_protocol import excerpt


class ReviewSettings(NamedTuple):
    """All that decides what a review finds and how its moves are named."""

    time_ms: int | None = None
    nodes: int | None = DEFAULT_NODES
    """One of the two is None."""
    thresholds: Thresholds = Thresholds()
    notation: str | None = None
    """None: the game's first that the terminal can show."""

    @property
    def of_games(self) -> Settings:
        """What the searches need."""
        return Settings(search_limits(self.nodes or 0, self.time_ms or 0, 0, 1), self.thresholds)

    def document(self) -> SearchSettings:
        """As the document has them."""
        return SearchSettings(self.time_ms, self.nodes, SECOND_SEARCH, self.thresholds, self.notation)


def settings_of(args: argparse.Namespace, earlier: Earlier | None) -> ReviewSettings:
    """The settings of a review. `earlier`: the document to go on with; what the command line does not say is as there.

    Raises FieldError for damaged ones, for thresholds in a wrong order, and if the command line says something else.
    """
    known = ReviewSettings() if earlier is None else _read(args.json, earlier.settings)
    chosen = known
    if args.time is not None or args.nodes is not None:
        chosen = chosen._replace(time_ms=args.time, nodes=args.nodes)
    given = {mark: getattr(args, mark) for mark in MARKS if getattr(args, mark) is not None}
    chosen = chosen._replace(thresholds=chosen.thresholds._replace(**given))
    if args.notation is not None:
        chosen = chosen._replace(notation=args.notation)
    if earlier is not None and chosen != known:
        raise FieldError(f"--resume: {excerpt(args.json)} was made with other settings")
    if not chosen.thresholds.are_sound:
        raise FieldError("--inaccuracy, --mistake and --blunder must grow from one to the next")
    return chosen


def _read(file: str, earlier: Any) -> ReviewSettings:
    """The settings of a document. Raises FieldError."""
    try:
        said = read_part(SearchSettings, earlier)
        limits = [
            1 <= limit <= most // SECOND_SEARCH
            for limit, most in ((said.time_ms, LONGEST_MS), (said.nodes, MOST_NODES))
            if limit is not None
        ]
        is_whole = write_part(said.thresholds) == earlier["thresholds"]
        is_sound = limits == [True] and is_whole and said.thresholds.are_sound
    except WrongPart:
        is_sound = False
    if not is_sound:
        raise FieldError(f"--json {excerpt(file)}: its settings are none of a review, nothing was changed")
    if said.second_search != SECOND_SEARCH:
        raise FieldError(f"--resume: {excerpt(file)} was made with other settings")
    return ReviewSettings(said.time_ms, said.nodes, said.thresholds, said.notation)
