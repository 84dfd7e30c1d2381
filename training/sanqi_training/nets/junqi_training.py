"""What `sanqi-train samples` and `train` do for Junqi."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from junqi_protocol.players.evaluation_weights import WEIGHTS
from junqi_protocol.players.evaluators import JunqiEvaluator
from junqi_protocol.players.net import INPUT_COUNT, KIND_COUNT, PLACE_COUNT, WIDTH
from junqi_protocol.players.net_file import ONE, Net, net_bytes, net_name
from junqi_protocol.players.searching import believed
from junqi_protocol.players.win_probability import SURE_SCORE, log_odds
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import ARMY
from sanqi_training.nets.baselines import constant_loss, scale_of, sigmoid, targets
from sanqi_training.nets.junqi_gradients import NO_TEAM, JunqiGradients, split_weights
from sanqi_training.nets.report import shares
from sanqi_training.nets.trainer import Trainer, TrainingError
from sanqi_training.selfplay.junqi import QUIET_PLIES, played

if TYPE_CHECKING:
    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.knowledge.seen_game import SeenGame
    from junqi_protocol.players.belief_position import BeliefPosition
    from sanqi_training.nets.train_command import TrainOptions

_KEPT, _QUIET = "kept", "near the quiet limit"
# How often what a player knew is a sample, at its own turn and at another one's. Positions of a game are much alike,
# and each costs a millisecond.
_OWN_TURN, _OTHERS_TURN = 0.4, 0.1
_MAX_QUIET = QUIET_PLIES // 2
_MAX_SCORE = SURE_SCORE - 100
_MAX_INT16 = 32767


def sample_type(variant: str) -> np.dtype[np.void]:
    """Of a sample: for the team whose knowledge it is."""
    pieces = VARIANTS[variant].seats * sum(ARMY.values())
    return np.dtype(
        [
            ("pieces", [("team", "u1"), ("fold", "u1"), ("zone", "u1"), ("chances", "u1", KIND_COUNT)], pieces),
            ("on_turn", "u1"),
            ("result", "u1"),
            ("score", "<f4"),  # the log odds of its next search
            ("features", "<f2", len(WEIGHTS)),  # of BeliefPosition.features()
        ]
    )


class JunqiSamples:
    """Makes samples; as SampleMaker of samples_command."""

    def __init__(self, header: dict[str, Any]) -> None:
        self._header = header
        self.type = sample_type(header["variant"])
        self.tally = {_KEPT: 0, _QUIET: 0}

    def group(self, record: bytes) -> int:
        """Of the lineups."""
        return zlib.crc32("".join(played(self._header, record).lineups).encode())

    def samples(self, record: bytes) -> bytes:
        game = played(self._header, record)
        chance = random.Random("".join(game.lineups))
        teams: list[int] = []  # of the movers
        found: list[tuple[int, int, BeliefPosition]] = []  # ply, team, what it knew
        for seen, _, _ in game.boards():
            teams.append(seen.world.turn & 1)
            for view in _asked(seen, chance):
                if view.position.quiet > _MAX_QUIET:
                    self.tally[_QUIET] += 1
                else:
                    found.append((len(teams) - 1, view.seats[0] & 1, believed(view, JunqiEvaluator())))
        self.tally[_KEPT] += len(found)
        rows = np.zeros(len(found), self.type)
        rows["pieces"]["team"] = NO_TEAM
        for row, (ply, team, position) in zip(rows, found, strict=True):
            pieces = np.frombuffer(position.net_pieces(), row["pieces"].dtype)
            row["pieces"][: len(pieces)] = pieces
            own = [at for at in range(ply, len(teams)) if teams[at] == team]
            sure = (game.result - 1) * (-SURE_SCORE if team else SURE_SCORE)
            score = game.scores[own[0]] if own else sure
            row["score"] = log_odds(max(-_MAX_SCORE, min(score, _MAX_SCORE))) / 100
            row["features"] = position.features()
            if team:
                row["features"] *= -1
            row["result"] = 2 - game.result if team else game.result
            row["on_turn"] = teams[ply] == team
        return rows.tobytes()

    def report(self, samples: Any) -> Iterator[str]:
        pieces = (samples["pieces"]["team"] != NO_TEAM).sum(axis=1)
        yield "pieces      " + shares(pieces // 10 * 10)
        yield "log odds    " + shares(np.clip(np.rint(samples["score"]), -4, 4).astype(int))
        yield "result      " + shares(samples["result"])


def _asked(seen: SeenGame, chance: random.Random) -> Iterator[PlayerView]:
    """The players whose knowledge is a sample at this ply."""
    for view in seen.views:
        lives = not set(view.seats).isdisjoint(view.position.living)
        share = _OWN_TURN if view is seen.view else _OTHERS_TURN / (len(seen.views) - 1)
        if lives and chance.random() < share:
            yield view


class JunqiTraining:
    """A net in training; as GameTraining of train_command."""

    defaults: ClassVar[dict[str, float]] = {
        "width": WIDTH, "epochs": 1, "batch": 1024, "rate": 5e-4, "result_share": 0.7,
    }  # fmt: skip

    def __init__(self, about: dict[str, Any], check: Any, options: TrainOptions) -> None:
        if options.width != WIDTH:
            raise TrainingError(f"--width {options.width}: nets of Junqi have {WIDTH} neurons")
        if options.device is not None:
            raise TrainingError("--torch: not for Junqi")
        self._variant = about["variant"]
        results = check["result"] / 2
        self.scale = scale_of(check["score"], results)
        logits = check["features"] @ np.array(WEIGHTS)
        hand_made = np.array(WEIGHTS) / scale_of(logits, results)
        self._gradients = JunqiGradients(check.dtype, options.result_share, self.scale, hand_made)
        linear = np.zeros(len(WEIGHTS), np.float32)
        self.trainer = Trainer(self._gradients, [junqi_groups()], WIDTH, options.seed, sides=1, more=linear)
        wanted = targets(check, options.result_share, self.scale)
        guesses = sigmoid(check["features"] @ hand_made)
        self.baselines = {
            "a constant": constant_loss(wanted), "the hand-made evaluation": float(np.mean((guesses - wanted) ** 2))
        }  # fmt: skip

    def net(self) -> tuple[str, bytes, dict[str, Any]]:
        weights = self.trainer.weights
        *floats, [bias] = split_weights(weights)
        rounded = [np.rint(part * ONE) for part in floats]
        if max(float(np.abs(part).max()) for part in rounded) > _MAX_INT16:
            raise TrainingError("a weight is too large for the net's file; train with a smaller --rate")
        parts = [part.astype("<i2").tobytes() for part in rounded]
        linear = tuple(round(float(weight), 5) for weight in self._gradients.linear(weights))
        net = Net(self._variant, linear, float(bias), *parts)
        content = net_bytes(net)
        return net_name(net, content), content, {}


def junqi_groups() -> list[int]:
    """By input, the number of its team and type: what their places have in common is learnt apart."""
    pieces = INPUT_COUNT - 2
    return [number // PLACE_COUNT for number in range(pieces)] + [pieces, pieces + 1]
