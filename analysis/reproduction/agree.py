"""Whether a published value and ours agree: one rule for all of them.

A published value p has a half-interval h_p and a rounding half-unit r, ours a value o and a half-interval
h_o, all of 95 %. They agree if ``|o - p| <= sqrt(h_o**2 + h_p**2) + r``, which is the joint interval of two
independent measurements, widened by what rounding may have moved. h_p is half the published interval,
1.96 published standard errors, or, where only the size of the sample is known, our own half-interval scaled
to it; 0 where nothing is known. r is half a unit of the last printed digit.

A claim without a number ("wins more games") agrees if our whole interval lies on its side.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import ndtri

from analysis.reproduction.published import QUANTILE, Claim, Published
from analysis.stats.estimates import LEVEL, Estimate


@dataclass(frozen=True)
class Verdict:
    """How a published value and ours compare.

    Attributes
    ----------
    agrees : bool or None
        None where ours has no interval.
    distance : float or None
        The difference in joint half-intervals, 1 being just within; None for claims.
    """

    agrees: bool | None
    distance: float | None


def compare(published: Published | Claim, ours: Estimate, size: int | None = None) -> Verdict:
    """Say whether a published value and ours agree.

    Parameters
    ----------
    published : Published or Claim
    ours : Estimate
        In the same unit; an exact number has both ends at its value.
    size : int or None
        Size of our sample, in the unit of the published one.

    Returns
    -------
    Verdict
    """
    if ours.estimate is None or ours.low is None or ours.high is None:
        return Verdict(None, None)
    if isinstance(published, Claim):
        return Verdict(ours.low > published.bound if published.above else ours.high < published.bound, None)
    half = (ours.high - ours.low) / 2
    joint = (half**2 + published.half(half, size) ** 2) ** 0.5 + published.rounding
    # Decimals have no exact double: a difference of half a unit in print may be larger by a hair.
    distance = abs(ours.estimate - published.value) / (joint * (1 + 1e-9))
    return Verdict(distance <= 1, distance)


def by_chance(distance: float, compared: int) -> bool:
    """Return whether chance alone may have put one of so many compared values at that distance.

    One of twenty values that agree lies outside its joint interval. Beyond this bound (Bonferroni's) lies
    any of all of them with a probability of at most 5 %.
    """
    return distance * QUANTILE <= float(ndtri(1 - (1 - LEVEL) / (2 * max(compared, 1))))
