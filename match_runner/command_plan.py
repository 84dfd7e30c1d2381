"""Makes the plan of a match from the options of `sanqi match`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine_client.specification import (
    EngineSpecification,
    SpecificationError,
    parse_engine,
    read_engines,
    why_no_periods,
)
from engine_client.time_control import ThinkingLimit
from game_core.description import GameDescription
from match_runner.command_resume import take_over
from match_runner.live_game import live_folder
from match_runner.refusal import Refused
from search_core.failures import becoming, failure_of, named
from search_core.line_protocol import excerpt
from search_core.parts import load_part
from search_core.whole_number import whole_number

if TYPE_CHECKING:
    from match_runner.game import MatchGame
    from match_runner.match import MatchPlan
    from match_runner.openings import Opening
    from match_runner.statistics import Sprt

_MAX_ELO = 1000
_NEEDED = {
    "match_time": "match_time",
    "nodes": "nodes",
    "depth": "depth",
    "ponder": "ponder",
    "adjudicate_win": "score",
    "adjudicate_draw": "score",
}
"""Options, each with the feature that all protocols of the game must have."""
_TAKEN_BY_ANY = frozenset({"openings", "opening_plies"})
"""TAKES of a game's module that does not say what it takes, and of games without a module."""


def make_plan(args: argparse.Namespace) -> MatchPlan:
    """The plan that the options describe. Raises Refused."""
    take_over(args)
    engines = _engines(args)
    _check_options(args)
    if args.match_time and (args.nodes or args.depth or args.tc):
        raise Refused("--match-time goes with --movetime only: --nodes and --depth use no clock, --tc sets its own")
    if len(engines) > 2 and args.games % 2:
        raise Refused(f"--games {args.games}: more than two engines need an even number, each opening is played twice")

    # Imported late: --help and a wrong option need neither rules nor threads.
    from match_runner.game import Adjudication, MatchConditions
    from match_runner.match import MatchConfig, MatchPlan
    from match_runner.schedule import Schedule

    game, openings = _prepare(args)
    for engine in engines:
        with named(f"engine {excerpt(engine.name)}", SpecificationError, Refused):
            game.player(engine)
    longest = max(openings, key=lambda opening: len(opening.moves))
    if args.max_plies and args.max_plies <= len(longest.moves):
        raise Refused(f"--max-plies {args.max_plies}: an opening has {len(longest.moves)} plies (line {longest.line})")
    win = _numbers("--adjudicate-win", args.adjudicate_win, "800,4")
    draw = _numbers("--adjudicate-draw", args.adjudicate_draw, "10,8,100")
    adjudication = Adjudication(*win, *draw)
    conditions = MatchConditions(_limit_of_match(args, engines), args.max_plies, adjudication)
    schedule = Schedule(len(engines), args.games, openings, args.tournament)
    live = _live_folder(args)
    return MatchPlan(MatchConfig(game, tuple(engines), conditions, live), schedule, _sprt(args, len(engines)))


def _live_folder(args: argparse.Namespace) -> Path | None:
    """Where games in progress are shown; None: nowhere."""
    if not args.live:
        return None
    if args.out is None or args.scheduler is not None:
        raise Refused("--live needs --out FILE and games on this machine, without --scheduler")
    return live_folder(args.out.resolve())


def _check_options(args: argparse.Namespace) -> None:
    """Raises Refused for an option that the game does not use."""
    games = args.registry.values()
    for option in sorted(frozenset().union(_NEEDED, *map(_taken, games))):
        if getattr(args, option, None) is not None and not _has_use(args.registry[args.game], option):
            names = " or ".join(game.name for game in games if _has_use(game, option))
            raise Refused(f"--{option.replace('_', '-')} is for --game {names}")


def _taken(game: GameDescription) -> frozenset[str]:
    """The options that only some games use and this game does, without those that depend on its protocols."""
    if not game.match:
        return _TAKEN_BY_ANY
    taken: frozenset[str] = getattr(load_part(game.match), "TAKES", _TAKEN_BY_ANY)
    return taken


def _has_use(game: GameDescription, option: str) -> bool:
    if option in _NEEDED:
        return all(_NEEDED[option] not in protocol.lacks for protocol in game.match_protocols.values())
    return option in _taken(game)


def _engines(args: argparse.Namespace) -> list[EngineSpecification]:
    with becoming(SpecificationError, Refused):
        known = read_engines(args.engines) if args.engines else None
        engines = [parse_engine(text, args.registry[args.game], known) for text in args.engine]
    if len(engines) < 2:
        raise Refused(f"{len(engines)} engines given, expected two --engine SPEC or more")
    names = [engine.name for engine in engines]
    for name in names:
        if names.count(name) > 1:
            raise Refused(f"{names.count(name)} engines are called {excerpt(name)}; tell them apart with name=")
    if args.stderr is not None:
        try:
            args.stderr.mkdir(exist_ok=True)
        except OSError as error:
            raise Refused(f"--stderr: {failure_of(error)}") from None
        engines = [engine.keeping_complaints(args.stderr) for engine in engines]
    allowed = args.allow_unknown_options
    return [replace(engine, limit=_limit_of_engine(args, engine.limit), allows_unknown=allowed) for engine in engines]


def _limit_of_engine(args: argparse.Namespace, limit: ThinkingLimit | None) -> ThinkingLimit | None:
    """An engine's own limit, completed by the match's options for all engines."""
    if limit is None or not limit.has_clock:
        return limit
    match_ms = 1000 * (args.match_time or 0) if limit.movetime_ms else limit.match_ms
    return replace(limit, margin_ms=args.margin, match_ms=match_ms, ponder=bool(args.ponder))


def _limit_of_match(args: argparse.Namespace, engines: Sequence[EngineSpecification]) -> ThinkingLimit:
    """The limit of engines without a limit of their own. Raises Refused."""
    ponder = bool(args.ponder)
    for engine in engines:
        without = bool(args.nodes or args.depth) if engine.limit is None else not engine.limit.has_clock
        if ponder and without:
            raise Refused(f"--ponder needs a clock, --tc or --movetime; engine {engine.name} has none")
    if args.nodes or args.depth:
        return ThinkingLimit(nodes=args.nodes or 0, depth=args.depth or 0)
    if args.tc:
        base, increment, moves = args.tc
        limited = next((engine.name for engine in engines if engine.limit is not None), "")
        for protocol in args.registry[args.game].match_protocols.values():
            if moves and "periods" in protocol.lacks:
                raise Refused(f"--tc {moves}/{base / 1000:g}: {why_no_periods(protocol)}")
            if limited and "own_clock" in protocol.lacks:
                raise Refused(f"--tc: {protocol.title} has one clock for all; engine {limited} has a limit of its own")
        return ThinkingLimit(
            margin_ms=args.margin, match_ms=base, increment_ms=increment, ponder=ponder, period_moves=moves
        )
    return ThinkingLimit(args.movetime or 100, 0, args.margin, 1000 * (args.match_time or 0), ponder=ponder)


def _prepare(args: argparse.Namespace) -> tuple[MatchGame, list[Opening]]:
    """The game and its openings. Raises OpeningError."""
    game: GameDescription = args.registry[args.game]
    if game.match:
        prepared: tuple[MatchGame, list[Opening]] = load_part(game.match).prepare(args)
        return prepared
    from match_runner.game import BoardGame
    from match_runner.openings import openings_of_match

    board_game = BoardGame(game.name, game.session)
    return board_game, openings_of_match(board_game, args.openings, args.games, args.opening_plies or 0)


def _numbers(option: str, text: str | None, example: str) -> list[int]:
    """Read as many whole numbers from 1 as the example has; zeros if the option was not given. Raises Refused."""
    count = example.count(",") + 1
    if text is None:
        return [0] * count
    words = text.split(",")
    try:
        numbers = [whole_number(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(0 < number < 1_000_000 for number in numbers):
        raise Refused(f"{option} {excerpt(text)}: expected {count} whole numbers from 1, as in {option} {example}")
    return numbers


def _sprt(args: argparse.Namespace, engines: int) -> Sprt | None:
    from match_runner.statistics import ERROR_RATE, Sprt

    if args.sprt is None:
        for option in ("sprt_alpha", "sprt_beta"):
            if getattr(args, option) is not None:
                raise Refused(f"--{option.replace('_', '-')} needs --sprt")
        return None
    if engines > 2:
        raise Refused("--sprt is for two engines")
    try:
        elo0, elo1 = (float(word) for word in args.sprt.split(","))
    except ValueError:
        raise Refused(f"--sprt {excerpt(args.sprt)}: expected two numbers, as in --sprt 0,5") from None
    if not elo0 < elo1:
        raise Refused(f"--sprt {excerpt(args.sprt)}: the first number must be the smaller one")
    if max(-elo0, elo1) > _MAX_ELO:
        raise Refused(f"--sprt {excerpt(args.sprt)}: expected numbers of {_MAX_ELO} Elo at most")
    alpha, beta = (ERROR_RATE if rate is None else rate for rate in (args.sprt_alpha, args.sprt_beta))
    return Sprt(elo0, elo1, alpha, beta)
