"""P-values that do not underflow, and several of them judged together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import betaln, gammaln, log_ndtr

from analysis.stats.estimates import Estimate

LN10 = math.log(10)


@dataclass(frozen=True, order=True)
class PValue:
    """A p-value by its logarithm: thousands of decided pairs pass what a double can hold.

    Attributes
    ----------
    log10 : float
        At most 0.
    """

    log10: float

    @property
    def value(self) -> float:
        """The p-value; 0.0 where a double holds no smaller one."""
        return float(10.0**self.log10)

    def __str__(self) -> str:
        return format_p(self)


class Judged(NamedTuple):
    """Several hypotheses judged together.

    Attributes
    ----------
    rejected : list of bool
    adjusted : list of PValue
        The least error rate at which each would be rejected.
    """

    rejected: list[bool]
    adjusted: list[PValue]


def format_p(p: PValue, digits: int = 2) -> str:
    """Write a p-value, never as 0: four decimals down to 0.001, then as 2.8e-109.

    Parameters
    ----------
    p : PValue
    digits : int
        Significant digits of a small one.
    """
    if p.log10 >= -3:
        return f"{p.value:.4f}"
    exponent = math.floor(p.log10)
    mantissa = f"{10 ** (p.log10 - exponent):.{digits - 1}f}"
    if mantissa.startswith("10"):
        exponent += 1
        mantissa = f"{1:.{digits - 1}f}"
    return f"{mantissa}e{exponent:03d}"


def sign_test(for_a: int, for_b: int) -> PValue:
    """Test whether swept pairs, which one side wins whole, fall to both sides alike.

    Parameters
    ----------
    for_a, for_b : int
        Pairs swept by either side; split pairs are left out.

    Returns
    -------
    PValue
        Two-sided, exact: twice the smaller binomial tail, at most 1.

    Raises
    ------
    ValueError
        If a count is negative.

    References
    ----------
    W. J. Dixon and A. M. Mood, The statistical sign test, Journal of the American Statistical Association
    41 (1946), 557-566.
    """
    if min(for_a, for_b) < 0:
        raise ValueError(f"pairs swept {for_a}, {for_b}: expected none or more")
    more, trials = max(for_a, for_b), for_a + for_b
    if trials == 0:
        return PValue(0.0)
    # P(X >= more) = P(X = more) (1 + r1 + r1 r2 + ...), each factor below 1 and falling; after
    # 10 sqrt(trials) of them the product is below exp(-200).
    steps = np.arange(min(trials - more, 10 * math.isqrt(trials) + 50), dtype=np.float64)
    tail = 1.0 + float(np.cumprod((trials - more - steps) / (more + 1 + steps)).sum())
    point = gammaln(trials + 1) - gammaln(more + 1) - gammaln(trials - more + 1) - trials * math.log(2)
    return PValue(min(0.0, float(point + math.log(2 * tail)) / LN10))


def p_value(told: Estimate, value: float = 0.0) -> PValue | None:
    """Test whether an estimate's truth is a given value, from its standard error.

    Parameters
    ----------
    told : Estimate
    value : float
        The hypothesis.

    Returns
    -------
    PValue or None
        Two-sided; Student's t with the estimate's degrees of freedom, normal without. None where the
        estimate has no standard error.
    """
    if told.estimate is None or not told.se:
        return None
    distance = abs(told.estimate - value) / told.se
    tail = float(log_ndtr(-distance)) if told.freedom is None else _log_t_tail(distance, told.freedom)
    return PValue(min(0.0, (tail + math.log(2)) / LN10))


LARGE = 1e8
"""Degrees of freedom from which Student's t is taken as normal: 1e-3 in the logarithm at 30 errors."""


def _log_t_tail(distance: float, freedom: int) -> float:
    """Return the natural logarithm of Student's upper tail."""
    if freedom > LARGE:
        return float(log_ndtr(-distance))
    tail = float(stats.t.sf(distance, freedom))
    if tail > 1e-290:
        return math.log(tail)
    # Half the incomplete beta function at x, a power series in x: x^a (1-x)^b / (a B(a, b)) times the
    # sum below (DLMF 8.17.8), whose terms fall at least as fast as powers of x.
    a, b = freedom / 2, 0.5
    log_x = math.log(freedom) - 2 * math.log(distance) - math.log1p(freedom / distance / distance)
    x = math.exp(log_x)
    steps = np.arange(min(10_000_000, int(40 / (1 - x)) + 20), dtype=np.float64)
    series = 1.0 + float(np.cumprod((a + b + steps) / (a + 1 + steps) * x).sum())
    return float(a * log_x + b * math.log1p(-x) - math.log(a) - betaln(a, b) + math.log(series / 2))


def holm(p_values: Sequence[PValue], alpha: float = 0.05) -> Judged:
    """Judge hypotheses so that a true one is rejected at all with a probability of at most ``alpha``.

    Parameters
    ----------
    p_values : sequence of PValue
    alpha : float
        Family-wise error rate.

    References
    ----------
    S. Holm, Scandinavian Journal of Statistics 6 (1979), 65-70.
    """
    return _judge(p_values, alpha, "holm")


def benjamini_hochberg(p_values: Sequence[PValue], alpha: float = 0.05) -> Judged:
    """Judge hypotheses so that of those rejected a part of at most ``alpha`` is true, on average.

    Parameters
    ----------
    p_values : sequence of PValue
    alpha : float
        False discovery rate.

    References
    ----------
    Y. Benjamini and Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995), 289-300.
    """
    return _judge(p_values, alpha, "fdr_bh")


def _judge(p_values: Sequence[PValue], alpha: float, method: Literal["holm", "fdr_bh"]) -> Judged:
    """Judge by statsmodels; adjust the logarithms, for a double cannot hold them all."""
    if not p_values:
        return Judged([], [])
    from statsmodels.stats.multitest import multipletests

    logs = np.array([p.log10 for p in p_values])
    rejected = multipletests(10.0**logs, alpha, method)[0]
    order = np.argsort(logs, kind="stable")
    count = len(logs)
    rank = np.arange(count)
    told: npt.NDArray[np.float64]
    if method == "holm":
        told = np.maximum.accumulate(logs[order] + np.log10(count - rank))
    else:
        told = np.minimum.accumulate((logs[order] + np.log10(count / (rank + 1)))[::-1])[::-1]
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(told, 0.0)
    return Judged([bool(one) for one in rejected], [PValue(float(one)) for one in adjusted])
