"""How many pairs: for an interval's width, for seeing a difference, and what a number of pairs will give."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scipy.special import stdtrit

from analysis.stats.estimates import LEVEL, ratio_sums
from sim.tally import OUTCOMES


def deviation(
    moments: Any,
    numerator: str | Mapping[str, int],
    denominator: str,
    *,
    factor: int = 1,
    outcomes: Sequence[str] = OUTCOMES,
) -> float | None:
    """Return the standard deviation of one pair: a ratio's standard error times the root of the pairs.

    Parameters
    ----------
    moments, numerator, denominator, factor, outcomes
        Of a pilot run, as in `estimates.ratio`.

    Returns
    -------
    float or None
        In units of the ratio; None from fewer than two pairs or nothing counted.
    """
    sums = ratio_sums(moments, numerator, denominator, factor, outcomes)
    return None if sums is None or sums.units < 2 else (sums.variance * sums.units) ** 0.5


def half_width_of(spread: float, pairs: int, level: float = LEVEL) -> float:
    """Return the half-width that an interval of so many pairs will have.

    Parameters
    ----------
    spread : float
        Standard deviation of one pair, see `deviation`.
    pairs : int
        At least 2.
    level : float
        Coverage.

    Raises
    ------
    ValueError
        For fewer than 2 pairs.
    """
    if pairs < 2:
        raise ValueError(f"pairs {pairs}: expected at least 2")
    return float(stdtrit(pairs - 1, (1 + level) / 2)) * spread / math.sqrt(pairs)


def pairs_for_half_width(spread: float, half_width: float, level: float = LEVEL) -> int:
    """Return the fewest pairs whose interval will be so narrow.

    Parameters
    ----------
    spread : float
        Standard deviation of one pair, see `deviation`.
    half_width : float
        In units of the ratio, above 0.
    level : float
        Coverage.

    Raises
    ------
    ValueError
        If the half-width is not above 0.
    """
    if not half_width > 0:
        raise ValueError(f"half-width {half_width}: expected more than 0")
    return _fewest(lambda pairs: half_width_of(spread, pairs, level) <= half_width)


def _fewest(enough: Callable[[int], bool]) -> int:
    """Return the fewest pairs, at least 2, that are enough; more are enough too."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def samples_for_share(half_width: float, level: float = LEVEL) -> int:
    """Return the independent trials that give a share's interval a half-width, whatever the share.

    At worst the share is a half. For single hands or games; pairs vary less, see `pairs_for_half_width`.

    Parameters
    ----------
    half_width : float
        As a share, above 0.
    level : float
        Coverage, of the normal interval.

    Raises
    ------
    ValueError
        If the half-width is not above 0.

    References
    ----------
    W. G. Cochran, Sampling Techniques, 3rd ed., 1977, section 4.4.
    """
    from statsmodels.stats.proportion import samplesize_confint_proportion

    if not half_width > 0:
        raise ValueError(f"half-width {half_width}: expected more than 0")
    return math.ceil(float(samplesize_confint_proportion(0.5, half_width, 1 - level, method="normal")))


def pairs_for_difference(difference: float, spread: float, power: float = 0.8, level: float = LEVEL) -> int:
    """Return the pairs with which a difference will be seen with a probability of ``power``.

    Parameters
    ----------
    difference : float
        From the hypothesis: a share less a half, or of two cells on common decks.
    spread : float
        Standard deviation of one pair in the same unit, see `deviation`.
    power : float
        Probability that the two-sided t test rejects, above 1 - level.
    level : float
        One less the test's size.

    Raises
    ------
    ValueError
        If the difference is 0, the spread is not above 0 or the power out of range.

    References
    ----------
    J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd ed., 1988, chapter 2.
    """
    from statsmodels.stats.power import TTestPower

    if difference == 0:
        raise ValueError("difference 0: expected one that is not")
    if not spread > 0:
        raise ValueError(f"spread {spread}: expected more than 0")
    if not 1 - level < power < 1:
        raise ValueError(f"power {power}: expected more than {1 - level:.3g} and less than 1")
    effect, test = abs(difference) / spread, TTestPower()
    return _fewest(lambda pairs: bool(test.power(effect, pairs, 1 - level) >= power))
