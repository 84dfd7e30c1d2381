"""The numbers of the evaluation of a Junqi position, in logits: a win probability is 1 / (1 + exp(-x)).

They are set by hand, for the levels below full strength; with four seats, tuned_weights.py has those of full strength,
with two a net's file. The worth is 0.3 / 1200 of `lineup.WORTH`, of the flag 0.3; the zones are a guess. A logistic
regression of results on 25,000 to 40,000 positions scored 26 to 37 % against these numbers. With only the worths
fitted, it was even: 49.8 ± 4.5 %. Twice as much for a point beside an enemy's flag won 55.2 ± 4.3 % of 300 games at
3,000 nodes; four times as much 51.8 ± 4.3 %.
"""

from junqi_protocol.rules.lineup import FLAG, WORTH

NODES = 5  # of a type's worth: one for each number of rival pieces that evaluation.pyx knows; all equal in these
_FLAG = 0.3

# What a zone adds for 排长 to 旅长.
HAND_MADE_ZONES = {
    "own front row": 0,
    "own middle rows": 0,
    "own camps": 0.015,
    "own last rail": 0,
    "own back row": 0,
    "own headquarters": -0.09,  # the piece can never move again
    "beside the own flag": 0.018,
    "partner's home": -0.006,
    "partner's camps": 0,
    "beside the partner's flag": 0.009,
    "centre": 0.009,
    "enemy's front row": 0.018,
    "enemy's middle rows": 0.024,
    "enemy's camps": 0.042,
    "enemy's last rail": 0.027,
    "enemy's back row": 0.024,
    "enemy's headquarters": -0.09,
    "beside a headquarters that may hold the flag": 0.066,
    "beside an enemy's flag": 0.36,
    "home of an enemy that is out": -0.015,
}
GUARD = "beside the own flag"
# The shares of the classes, in general and beside the own flag: 工兵; 排长, 连长 and 营长; 团长 and 旅长; 师长 and
# 军长; 司令; 炸弹; 地雷; 军旗.
SHARES = ((0.7, 0.35), (1, 1), (1, 1), (0.7, 1), (0.5, 0.25), (0.4, 1), (0, 1), (0, 0))
_TURN = 0.009


def _weights() -> tuple[float, ...]:
    """In the order of evaluation.pyx: by type, the worth at each number of rivals; by class, its zones; the turn."""
    worths = [0.3 / 1200 * worth for worth in WORTH]
    worths[FLAG] = _FLAG
    return (
        *(worth for worth in worths for _ in range(NODES)),
        *(number * share[zone == GUARD] for share in SHARES for zone, number in HAND_MADE_ZONES.items()),
        _TURN,
    )


WEIGHTS = _weights()
ZONES = tuple(HAND_MADE_ZONES)
"""In words, in the order of Zone in evaluation.pxd."""
