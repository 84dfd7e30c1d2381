"""The numbers of the evaluation of a Junqi position, in logits: a win probability is 1 / (1 + exp(-x)).

They are set by hand: the worth is 0.3 / 1200 of `lineup.WORTH`, of the flag 0.3; the zones are a guess. A logistic
regression of results on 25,000 to 40,000 positions scored 26 to 37 % against these numbers. With only the worths
fitted, it was even: 49.8 ± 4.5 %. Twice as much for a point beside an enemy's flag won 55.2 ± 4.3 % of 300 games at
3,000 nodes; four times as much 51.8 ± 4.3 %.
"""

from junqi_protocol.rules.lineup import FLAG, WORTH

NODES = 5  # of a type's worth: one for each number of rival pieces that evaluation.pyx knows; all equal today
_FLAG = 0.3

# What a zone adds for 排长 to 旅长, in the order of Zone in evaluation.pxd.
_ZONES = (
    0,  # own front
    0,  # own middle
    0.015,  # own camp
    0,  # own rail
    0,  # own back
    -0.09,  # own headquarters: the piece can never move again
    0.018,  # beside the own flag
    -0.006,  # the partner's home
    0,  # its camps
    0.009,  # beside its flag
    0.009,  # centre
    0.018,  # an enemy's front
    0.024,  # its middle
    0.042,  # its camps
    0.027,  # its rail
    0.024,  # its back
    -0.09,  # its headquarters
    0.066,  # beside a headquarters that may hold its flag
    0.36,  # beside its flag
    -0.015,  # the home of an enemy that is out
)
_GUARD = 6  # beside the own flag
# The shares of the classes, in general and beside the own flag: 工兵; 排长, 连长 and 营长; 团长 and 旅长; 师长 and
# 军长; 司令; 炸弹; 地雷; 军旗.
_SHARES = ((0.7, 0.35), (1, 1), (1, 1), (0.7, 1), (0.5, 0.25), (0.4, 1), (0, 1), (0, 0))
_TURN = 0.009


def _weights() -> tuple[float, ...]:
    """In the order of evaluation.pyx: by type, the worth at each number of rivals; by class, its zones; the turn."""
    worths = [0.3 / 1200 * worth for worth in WORTH]
    worths[FLAG] = _FLAG
    return (
        *(worth for worth in worths for _ in range(NODES)),
        *(number * share[zone == _GUARD] for share in _SHARES for zone, number in enumerate(_ZONES)),
        _TURN,
    )


WEIGHTS = _weights()
