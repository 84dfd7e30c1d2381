"""From game results to Elo, its error bar, and the sequential probability ratio test (SPRT).

Each opening is played twice with colours swapped, so the unit is the pair: its score is 0, 1/2, 1, 3/2 or 2 points
for the first engine. The two games of a pair depend on each other: in an unbalanced opening the same colour wins both.
Pairs therefore give the right variance, usually a smaller one than single games (the pentanomial model).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

ERROR_RATE = 0.05
"""The SPRT's usual α and β: the probability to accept a wrong hypothesis."""
MIN_RATE = 1e-6
"""The smallest α and β that can be asked for."""
H0, H1 = "H0", "H1"
_Z_95 = 1.959964
_NORMALISED = 800 / math.log(10)
"""Normalised Elo if the mean score is one standard deviation of a game above one half."""
_PRIOR = 0.2
"""Pairs added to each of the five scores for the SPRT's variance. Without them, the first few pairs, if all are the
same, have no variance and decide the test at once."""


@dataclass(frozen=True, slots=True)
class Elo:
    """A difference in Elo of the first engine over the second, from complete pairs; `+12.3 ± 20.1` as text.

    Attributes
    ----------
    difference : float
        Infinite at 0 % and 100 %.
    low, high : float
        Bounds of its 95 % interval; infinite if unknown.
    error : float or None
        Half of that interval. None at 0 % and 100 %, and while all pairs have the same score, because then the
        variance is unknown.
    normalised, normalised_error : float
        Normalised Elo with its error, 0 if there is no `error`.
    superiority : float or None
        Likelihood that the first engine is stronger (LOS); None if there is no `error`.
    """

    difference: float
    low: float
    high: float
    error: float | None = None
    normalised: float = 0.0
    normalised_error: float = 0.0
    superiority: float | None = None

    def __str__(self) -> str:
        if math.isinf(self.difference):
            return f"> {self.low:+.0f} (95 %)" if self.difference > 0 else f"< {self.high:+.0f} (95 %)"
        if self.error is None:
            return f"{_signed(self.difference)} ± ?"
        return f"{_signed(self.difference)} ± {self.error:.1f}"

    def normalised_text(self) -> str:
        """`+8.1 ± 13.2`; '' if it is not known."""
        return "" if self.error is None else f"{_signed(self.normalised)} ± {self.normalised_error:.1f}"

    def superiority_text(self) -> str:
        """`96.2 %`; '' if it is not known."""
        return "" if self.superiority is None else f"{100 * self.superiority:.1f} %"


def _signed(number: float) -> str:
    return f"{round(number, 1) + 0.0:+.1f}"  # no -0.0


def elo_of(score: float) -> float:
    """Elo difference of a score between 0 and 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Expected score, 0 to 1, of an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


class Pairs:
    """`counts`: the number of pairs of games with 0, 1/2, 1, 3/2 and 2 points."""

    def __init__(self, points: Iterable[float] = ()) -> None:
        self.counts = [0, 0, 0, 0, 0]
        for pair in points:
            self.add(pair)

    def add(self, points: float) -> None:
        """Count a pair."""
        self.counts[round(2 * points)] += 1

    def __len__(self) -> int:
        return sum(self.counts)

    @property
    def score(self) -> float:
        """Mean score of a game, 0 to 1; 0.5 without any."""
        return sum(count * number for number, count in enumerate(self.counts)) / 4 / len(self) if len(self) else 0.5

    def squares(self, prior: float = 0.0) -> float:
        """Sum of the squared distances of the pairs' scores (0 to 1) from their mean, `prior` pairs of each added."""
        mean = self.score
        return sum((count + prior) * (number / 4 - mean) ** 2 for number, count in enumerate(self.counts))


def estimate(pairs: Pairs) -> Elo | None:
    """Elo from complete pairs; None if there are none. docs/measuring.md has the formulas and their sources."""
    count = len(pairs)
    if not count:
        return None
    mean = pairs.score
    if mean in (0, 1):
        # If a pair is won 2-0 with this probability, `count` such pairs have a probability of 5 % (Clopper-Pearson).
        bound = elo_of(ERROR_RATE ** (1 / count))
        return Elo(math.inf, bound, math.inf) if mean else Elo(-math.inf, -math.inf, -bound)
    if not pairs.squares():
        return Elo(elo_of(mean), -math.inf, math.inf)
    variance = pairs.squares() / (count - 1)
    error = math.sqrt(variance / count)
    low, high = elo_of(mean - _Z_95 * error), elo_of(mean + _Z_95 * error)
    if math.isinf(low) or math.isinf(high):
        half = _Z_95 * error * 400 / math.log(10) / (mean * (1 - mean))  # by the slope of elo_of()
    else:
        half = (high - low) / 2
    return Elo(
        elo_of(mean),
        low,
        high,
        half,
        normalised=_NORMALISED * (mean - 0.5) / math.sqrt(2 * variance),
        normalised_error=_NORMALISED * _Z_95 / math.sqrt(2 * count),
        superiority=0.5 * (1 + math.erf((mean - 0.5) / error / math.sqrt(2))),
    )


def log_likelihood_ratio(pairs: Pairs, elo0: float, elo1: float) -> float:
    """LLR of "the difference is elo1" against "it is elo0", with a normal approximation of the pairs' mean."""
    count = len(pairs)
    if not count:
        return 0.0
    variance = pairs.squares(_PRIOR) / (count + 5 * _PRIOR)
    score0, score1 = score_of(elo0), score_of(elo1)
    return count * (score1 - score0) * (2 * pairs.score - score0 - score1) / (2 * variance)


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of "stronger by elo1" against "stronger by elo0" (elo0 < elo1). `alpha` is the probability to accept H1
    although H0 is true, `beta` to accept H0 although H1 is true."""

    elo0: float
    elo1: float
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE

    @property
    def bounds(self) -> tuple[float, float]:
        """The LLR at which H0 is accepted, and the one for H1 (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Pairs) -> float:
        return log_likelihood_ratio(pairs, self.elo0, self.elo1)

    def llr_text(self, pairs: Pairs) -> str:
        """`LLR +1.22 [-2.94, 2.94]`."""
        lower, upper = self.bounds
        return f"LLR {self.llr(pairs):+.2f} [{lower:.2f}, {upper:.2f}]"

    def verdict(self, pairs: Pairs) -> str:
        """The accepted hypothesis, H0 (elo0) or H1 (elo1); '': not decided yet."""
        llr, (lower, upper) = self.llr(pairs), self.bounds
        return H1 if llr >= upper else H0 if llr <= lower else ""

    def words(self, name: str, pairs: Pairs, verdict: str) -> str:
        """The result for the first engine, `name`, as text."""
        elo = self.elo0 if verdict == H1 else self.elo1
        stronger = elo >= 0 if verdict == H1 else elo > 0
        size = "more" if stronger == (verdict == H1) else "less"
        found = f"{verdict} accepted: {name} is {'stronger' if stronger else 'weaker'} by {size} than {abs(elo):g} Elo"
        if not verdict:
            found = "undecided"
        errors = f"α = β = {self.alpha:g}" if self.alpha == self.beta else f"α = {self.alpha:g}, β = {self.beta:g}"
        return (
            f"SPRT: {found} (H0: {self.elo0:g} Elo or less, H1: {self.elo1:g} Elo or more, {errors}; "
            f"{self.llr_text(pairs)})"
        )
