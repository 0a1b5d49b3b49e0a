"""Intervals for shares and means of mirrored pairs, from the tally's exact sums.

The unit is the pair: its two games share their decks, so they are one cluster. Every estimate is a ratio
of sums over pairs (never a mean of the pairs' ratios) with the variance of a ratio estimator over
clusters (W. G. Cochran, Sampling Techniques, 3rd ed., 1977, section 6.4) and Student's t with one degree
of freedom less than there are pairs, without which intervals of a few pairs are too narrow. What is counted
by group of pairs only, and differences between runs, get a jackknife over the groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, stdtrit

from sim.tally import OUTCOMES

LEVEL = 0.95
"""Coverage of the intervals."""


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Attributes
    ----------
    estimate : float or None
        None when nothing was counted.
    low, high : float or None
        Ends of the interval; None when it cannot be told (no pairs, or a mean that never varied).
    """

    estimate: float | None
    low: float | None
    high: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Return the three numbers as plain data."""
        return {"estimate": self.estimate, "low": self.low, "high": self.high}


NOTHING = Estimate(None, None, None)


def ratio(
    moments: Any,
    numerator: str | Mapping[str, int],
    denominator: str,
    *,
    factor: int = 1,
    share: bool = False,
    level: float = LEVEL,
    outcomes: Sequence[str] = OUTCOMES,
) -> Estimate:
    """Estimate a ratio of sums over pairs.

    Parameters
    ----------
    moments : ndarray of int64, shape (len(outcomes), len(outcomes))
        Sums over pairs of the products of two outcomes, see `sim.tally`.
    numerator : str or mapping of str to int
        An outcome, or a sum of outcomes with whole weights.
    denominator : str
        An outcome.
    factor : int
        Units of the numerator in one of the denominator (4 for games in halves a pair).
    share : bool
        True if every pair's ratio lies between 0 and 1. The interval is clipped to that; when all pairs
        have the same ratio it is the Clopper-Pearson interval of so many successes among the pairs.
    level : float
        Coverage.
    outcomes : sequence of str
        What is summed for each unit, by name; the first is 1. Units are pairs unless these are other.

    Returns
    -------
    Estimate
    """
    weights = {numerator: 1} if isinstance(numerator, str) else numerator
    parts = {outcomes.index(name): weight for name, weight in weights.items()}
    below = outcomes.index(denominator)
    pairs = int(moments[0][0])
    # Exact integers: sums over pairs of x, n, x * x, x * n, n * n.
    x = sum(weight * int(moments[0][i]) for i, weight in parts.items())
    n = factor * int(moments[0][below])
    if pairs == 0 or n == 0:
        return NOTHING
    xx = sum(u * v * int(moments[i][j]) for i, u in parts.items() for j, v in parts.items())
    xn = factor * sum(weight * int(moments[i][below]) for i, weight in parts.items())
    nn = factor * factor * int(moments[below][below])
    estimate = x / n
    residuals = xx * n * n - 2 * x * n * xn + x * x * nn  # n**2 * sum of (x - estimate * n)**2
    if residuals == 0 or pairs == 1:
        if share:
            return Estimate(estimate, *clopper_pearson(estimate * pairs, pairs, level))
        return Estimate(estimate, None, None)
    variance = float(Fraction(residuals, n**4)) * pairs / (pairs - 1)
    half = float(stdtrit(pairs - 1, (1 + level) / 2)) * variance**0.5
    low, high = estimate - half, estimate + half
    if share:
        low, high = max(0.0, low), min(1.0, high)
    return Estimate(estimate, low, high)


def jackknife(estimate: float, left_out: npt.ArrayLike, level: float = LEVEL) -> Estimate:
    """Give an estimate the interval of the delete-one-group jackknife.

    For what has no moments of pairs: counters that are kept by group only, and differences of two runs
    on the same decks, where a group of pairs is left out of both runs at once.

    Parameters
    ----------
    estimate : float
        The statistic of all groups; it is reported as it is, not corrected for bias.
    left_out : array_like of float64, shape (groups,)
        The statistic of all groups but one, for each group. Groups are to be of about equal size.
    level : float
        Coverage. The quantile is Student's t with one degree of freedom less than there are groups: for
        a mean of groups of equal size this is the t interval of the group means.

    Returns
    -------
    Estimate
        Without ends when there are fewer than two groups, when some value is not a number, or when the
        statistic is the same whichever group is left out.

    References
    ----------
    R. G. Miller, The jackknife - a review, Biometrika 61 (1974), 1-15; B. Efron and C. Stein, The
    jackknife estimate of variance, Annals of Statistics 9 (1981), 586-596 (the variance is not too
    small on average).
    """
    values = np.asarray(left_out, np.float64)
    groups = len(values)
    if groups < 2 or not np.isfinite(values).all() or np.ptp(values) == 0:
        return Estimate(estimate, None, None)
    spread = float(((values - values.mean()) ** 2).sum())
    half = float(stdtrit(groups - 1, (1 + level) / 2)) * (spread * (groups - 1) / groups) ** 0.5
    return Estimate(estimate, estimate - half, estimate + half)


def clopper_pearson(successes: float, trials: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the exact binomial interval.

    Parameters
    ----------
    successes : float
        0 ... ``trials``; may be a fraction, when a trial can be half won.
    trials : int
        At least 1.
    level : float
        Coverage.

    Returns
    -------
    low, high : float

    References
    ----------
    C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), 404-413.
    """
    tail = (1 - level) / 2
    low = 0.0 if successes <= 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes >= trials else float(betaincinv(successes + 1, trials - successes, 1 - tail))
    return low, high
