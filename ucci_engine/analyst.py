"""Another engine that analyses Xiangqi over UCI or UCCI."""

from __future__ import annotations

from collections.abc import Sequence

from engine_client.engine_options import OptionList
from engine_client.specification import EngineSpecification
from engine_client.uci_analyst import UciAnalyst
from engine_client.uci_player import UciPlayer
from game_core.analysis import AnalysisTask
from ucci_engine.analysis import XiangqiSubject
from ucci_engine.extra_pieces import open_position
from ucci_engine.match_player import XiangqiPlayer
from ucci_engine.points import START_FEN, VARIANT_RANKS, parse_move
from ucci_engine.position import Position

_VARIANT = "xiangqi"


class _VariantPlayer(XiangqiPlayer):
    """Chooses Xiangqi by itself in an engine of many variants."""

    def _game_options(self, offered: OptionList, wanted: list[tuple[str, str]]) -> list[tuple[str, str]]:
        more = super()._game_options(offered, wanted)
        variants = offered.find("UCI_Variant")
        if variants is None or _VARIANT not in variants.choices:
            return more
        if len(variants.choices) > 1 and not self.specification.ranks and offered.find("Ranks") is None:
            self._ranks = VARIANT_RANKS
        return more if "uci_variant" in {name.lower() for name, _ in wanted} else [(variants.name, _VARIANT), *more]


class XiangqiAnalyst(UciAnalyst):
    def _make_player(self, specification: EngineSpecification) -> UciPlayer:
        return _VariantPlayer(specification)

    def _situation(self, task: AnalysisTask) -> tuple[str, Sequence[str]]:
        subject = task.subject
        assert isinstance(subject, XiangqiSubject)
        start = open_position(subject.start).fen()
        return "" if start == START_FEN else start, subject.moves[: task.number]

    def _legal_line(self, task: AnalysisTask, moves: Sequence[str]) -> list[int]:
        player, game = self._player, task.turn.game
        assert player is not None and isinstance(game, Position)
        position, line = game.copy(), []
        for text in moves:
            try:
                move = parse_move(player.read_move(text))
            except ValueError:
                break
            if not position.is_legal(move):
                break
            position.push(move)
            line.append(move)
        return line


open_analyst = XiangqiAnalyst
