"""Intervals for shares and means of mirrored pairs, from the tally's exact sums.

The unit is the pair: its two games share their decks, so they are one cluster. Every estimate is a ratio
of sums over pairs (never a mean of the pairs' ratios) with the variance of a ratio estimator over
clusters (W. G. Cochran, Sampling Techniques, 3rd ed., 1977, section 6.4) and Student's t with one degree
of freedom less than there are pairs, without which intervals of a few pairs are too narrow. What is counted
by group of pairs only, and differences between runs, get a jackknife over the groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

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
    se : float or None
        Standard error, where the interval is made from one.
    freedom : int or None
        Degrees of freedom of ``se``; None for a normal quantile. Neither is part of a comparison: they
        are for tests of a hypothesis, see `analysis.stats.significance`.
    """

    estimate: float | None
    low: float | None
    high: float | None
    se: float | None = field(default=None, compare=False, repr=False)
    freedom: int | None = field(default=None, compare=False, repr=False)

    @property
    def reach(self) -> float | None:
        """How far the interval goes to its longer side: a share's is cut at 0 and 1."""
        if self.estimate is None or self.low is None or self.high is None:
            return None
        return max(self.estimate - self.low, self.high - self.estimate)

    def to_dict(self) -> dict[str, float | None]:
        """Return the three numbers as plain data."""
        return {"estimate": self.estimate, "low": self.low, "high": self.high}


NOTHING = Estimate(None, None, None)


class RatioSums(NamedTuple):
    """A ratio of sums over units, in exact integers.

    Attributes
    ----------
    units : int
        Units summed over, pairs as a rule.
    x, n : int
        Sums of the numerator and of the denominator, which is not 0.
    residuals : int
        ``n**2`` times the sum of ``(x_i - n_i * x / n)**2`` over units.
    """

    units: int
    x: int
    n: int
    residuals: int

    @property
    def estimate(self) -> float:
        """The ratio."""
        return self.x / self.n

    @property
    def squares(self) -> float:
        """Sum of the squared residuals."""
        return float(Fraction(self.residuals, self.n**2))

    @property
    def variance(self) -> float:
        """Variance of the estimate over units drawn anew; of two units or more."""
        return float(Fraction(self.residuals, self.n**4)) * self.units / (self.units - 1)


def ratio_sums(
    moments: Any,
    numerator: str | Mapping[str, int],
    denominator: str,
    factor: int = 1,
    outcomes: Sequence[str] = OUTCOMES,
) -> RatioSums | None:
    """Return what a ratio of sums and its variance are made of; the parameters are those of `ratio`.

    Returns
    -------
    RatioSums or None
        None when there are no units, or the denominator's sum is 0.
    """
    weights = {numerator: 1} if isinstance(numerator, str) else numerator
    parts = {outcomes.index(name): weight for name, weight in weights.items()}
    below = outcomes.index(denominator)
    # Exact integers: sums over units of x, n, x * x, x * n, n * n.
    x = sum(weight * int(moments[0][i]) for i, weight in parts.items())
    n = factor * int(moments[0][below])
    if n == 0:
        return None
    xx = sum(u * v * int(moments[i][j]) for i, u in parts.items() for j, v in parts.items())
    xn = factor * sum(weight * int(moments[i][below]) for i, weight in parts.items())
    nn = factor * factor * int(moments[below][below])
    return RatioSums(int(moments[0][0]), x, n, xx * n * n - 2 * x * n * xn + x * x * nn)


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
    sums = ratio_sums(moments, numerator, denominator, factor, outcomes)
    if sums is None:
        return NOTHING
    estimate, pairs = sums.estimate, sums.units
    if sums.residuals == 0 or pairs == 1:
        if share:
            return Estimate(estimate, *clopper_pearson(estimate * pairs, pairs, level))
        return Estimate(estimate, None, None)
    error = sums.variance**0.5
    return around(estimate, error, pairs - 1, level, share)


def around(
    estimate: float, error: float, freedom: int, level: float = LEVEL, share: bool = False
) -> Estimate:
    """Return an estimate with the Student's t interval of its standard error, a share's cut at 0 and 1."""
    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    low, high = estimate - half, estimate + half
    if share:
        low, high = max(0.0, low), min(1.0, high)
    return Estimate(estimate, low, high, error, freedom)


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
    return around(estimate, (spread * (groups - 1) / groups) ** 0.5, groups - 1, level)


def jackknife_share(estimate: float, left_out: npt.ArrayLike, trials: int, level: float = LEVEL) -> Estimate:
    """Give a share that is counted by group the interval of the delete-one-group jackknife.

    The score interval of as many independent trials as would have the jackknife's standard error: where
    what is counted is rare, the interval around the estimate would hold the truth too seldom (67 % of the
    time at one expected success, 92 % at ten).

    Parameters
    ----------
    estimate : float
        The share of all groups, 0 to 1.
    left_out : array_like of float64, shape (groups,)
        The share of all groups but one, as in `jackknife`.
    trials : int
        Trials surely independent, at least 1: what is counted, but not more than the pairs. Used only when
        the share never varies, for the interval of Clopper and Pearson.
    level : float
        Coverage.

    Returns
    -------
    Estimate
        Within 0 and 1.

    References
    ----------
    E. L. Korn and B. I. Graubard, Survey Methodology 24 (1998), 193-201 (the effective sample size); C.
    Franco, R. J. A. Little, T. A. Louis and E. V. Slud, Journal of Survey Statistics and Methodology 7
    (2019), 334-364 (with the score interval).
    """
    told = jackknife(estimate, left_out, level)
    if told.se is None or told.freedom is None or not 0 < estimate < 1:
        return Estimate(estimate, *clopper_pearson(estimate * trials, trials, level))
    low, high = score_ends(estimate, told.se, float(stdtrit(told.freedom, (1 + level) / 2)))
    return Estimate(estimate, float(low), float(high), told.se, told.freedom)


def score_ends(share: Any, error: Any, critical: float) -> tuple[Any, Any]:
    """Return the ends of Wilson's interval for as many trials as would have a standard error.

    Parameters
    ----------
    share : float or ndarray of float64
        Between 0 and 1, neither of them.
    error : float or ndarray of float64
        Standard error.
    critical : float
        Standard errors to either side of the interval around the share.

    Returns
    -------
    low, high : float or ndarray of float64
        Within 0 and 1.
    """
    spread = share * (1 - share)
    part = critical * critical * error * error / spread  # z**2 / n of the usual formula
    middle = (share + part / 2) / (1 + part)
    half = (part * spread + part * part / 4) ** 0.5 / (1 + part)
    return np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)


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


def wilson(successes: int, trials: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the score interval of an unpaired count.

    Only for trials that share no deck, such as single dealt hands: the games of a mirrored pair are not
    independent, and theirs is `ratio`.

    Parameters
    ----------
    successes : int
        0 ... ``trials``.
    trials : int
        At least 1.
    level : float
        Coverage.

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError
        If the counts are out of range.

    References
    ----------
    E. B. Wilson, Journal of the American Statistical Association 22 (1927), 209-212.
    """
    from statsmodels.stats.proportion import proportion_confint

    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(
            f"{successes} successes of {trials} trials: expected 0 ... trials, trials at least 1"
        )
    low, high = proportion_confint(successes, trials, 1 - level, method="wilson")
    # At the ends the library is off by a rounding.
    return 0.0 if successes == 0 else float(low), 1.0 if successes == trials else float(high)


def t_interval(values: npt.ArrayLike, *, ddof: int = 1, level: float = LEVEL) -> Estimate:
    """Estimate the mean of independent values.

    Parameters
    ----------
    values : array_like of float64, shape (n,)
    ddof : int
        1 for the unbiased variance, 0 for the variance of the values themselves, as some published
        standard errors have it.
    level : float
        Coverage; the quantile is Student's t with n - 1 degrees of freedom.

    Returns
    -------
    Estimate
        Without ends for a single value, or values that are all the same.

    References
    ----------
    Student, The probable error of a mean, Biometrika 6 (1908), 1-25.
    """
    known = np.asarray(values, np.float64)
    if len(known) == 0:
        return NOTHING
    mean = float(known.mean())
    if len(known) == 1 or np.ptp(known) == 0:
        return Estimate(mean, None, None)
    return around(mean, float(known.std(ddof=ddof)) / len(known) ** 0.5, len(known) - 1, level)
