"""The settings of a review: those of the command line, else of the document that --resume goes on with."""

from __future__ import annotations

import argparse

from game_core.json_fields import FieldError
from game_review.analysis_request import MAX_MS, MAX_NODES
from game_review.json_parts import WrongPart, read_part, write_part
from game_review.review_document import SECOND_SEARCH, ReviewSettings
from game_review.review_figures import MARKS
from game_review.review_files import Earlier
from search_core.line_protocol import excerpt


def settings_of(args: argparse.Namespace, earlier: Earlier | None) -> ReviewSettings:
    """The settings of a review. `earlier`: the document to go on with; what the command line does not say is as there.

    Raises FieldError for damaged ones, for thresholds in a wrong order, and if the command line says something else.
    """
    known = ReviewSettings() if earlier is None else _read(args.json, earlier.settings)
    chosen = known
    if args.movetime is not None or args.nodes is not None:
        chosen = chosen._replace(time_ms=args.movetime, nodes=args.nodes)
    given = {mark: getattr(args, mark) for mark in MARKS if getattr(args, mark) is not None}
    chosen = chosen._replace(thresholds=chosen.thresholds._replace(**given))
    if args.notation is not None:
        chosen = chosen._replace(notation=args.notation)
    if earlier is not None and chosen != known:
        raise FieldError(f"--resume: {excerpt(args.json)} was made with other settings")
    if not chosen.thresholds.are_sound:
        raise FieldError("--inaccuracy, --mistake and --blunder must grow from one to the next")
    return chosen


def _read(file: str, earlier: object) -> ReviewSettings:
    """The settings of a document. Raises FieldError."""
    try:
        said = read_part(ReviewSettings, earlier)
        limits = [(said.time_ms, MAX_MS), (said.nodes, MAX_NODES)]
        known = [1 <= limit <= most // SECOND_SEARCH for limit, most in limits if limit is not None]
        is_sound = known == [True] and said.thresholds.are_sound and write_part(said) == earlier
    except WrongPart:
        is_sound = False
    if not is_sound:
        raise FieldError(f"--json {excerpt(file)}: its settings are none of a review, nothing was changed")
    if said.second_search != SECOND_SEARCH:
        raise FieldError(f"--resume: {excerpt(file)} was made with other settings")
    return said
