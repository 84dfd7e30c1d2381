"""How long the engines of `sanqi match` think: from its options, and from each engine's own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from engine_client.specification import EngineSpecification, why_no_periods
from engine_client.time_control import ThinkingLimit
from match_runner.refusal import Refused


def limit_of_engine(args: argparse.Namespace, limit: ThinkingLimit | None) -> ThinkingLimit | None:
    """An engine's own limit, completed by the match's options for all engines."""
    if limit is None or not limit.has_clock:
        return limit
    match_ms = 1000 * (args.match_time or 0) if limit.movetime_ms else limit.match_ms
    return replace(limit, margin_ms=args.margin, match_ms=match_ms, ponder=bool(args.ponder))


def limit_of_match(args: argparse.Namespace, engines: Sequence[EngineSpecification]) -> ThinkingLimit:
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
        for protocol in args.registry[args.game].match_protocols.values():
            if moves and "periods" in protocol.lacks:
                raise Refused(f"--tc {moves}/{base / 1000:g}: {why_no_periods(protocol)}")
        return ThinkingLimit(
            margin_ms=args.margin, match_ms=base, increment_ms=increment, ponder=ponder, period_moves=moves
        )
    return ThinkingLimit(args.movetime or 100, 0, args.margin, 1000 * (args.match_time or 0), ponder=ponder)
