"""Runs that stop when the data say so: an interval for any moment, and the sequential probability ratio test.

A fixed-n interval is too narrow once a run stops at a width, at a verdict, by extension or by an impatient
hand; the interval here holds at all numbers of pairs at once, so it may be read at any of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import betaln, lambertw, ndtr, stdtrit, xlog1py, xlogy

from analysis.console import UsageError
from analysis.stats.estimates import LEVEL, NOTHING, Estimate, around, ratio_sums
from sim.tally import OUTCOMES

FIRST_CHECK = 1000
"""Pairs before the first look of a run that may stop; each look has twice the pairs of the one before."""


def anytime(
    moments: Any,
    numerator: str | Mapping[str, int],
    denominator: str,
    *,
    factor: int = 1,
    share: bool = False,
    level: float = LEVEL,
    tuned_for: int = FIRST_CHECK,
    outcomes: Sequence[str] = OUTCOMES,
) -> Estimate:
    """Estimate a ratio of sums over pairs with an interval that holds at all numbers of pairs at once.

    The asymptotic confidence sequence of Robbins' normal mixture for the ratio's linearised residuals, one
    a pair. It is never narrower than the fixed-n interval of `estimates.ratio`.

    Parameters
    ----------
    moments, numerator, denominator, factor, share, outcomes
        As in `estimates.ratio`.
    level : float
        Probability that the interval holds the truth at every number of pairs (in the limit).
    tuned_for : int
        Pairs at which it is narrowest, about 1.55 times as wide as the fixed-n interval at 95 %; at a
        hundred times as many, 1.8 times.

    Returns
    -------
    Estimate
        Its ``se`` is that of the fixed-n interval. A share that never varied gets the beta-binomial
        mixture's interval of so many successes among the pairs, which holds exactly.

    References
    ----------
    I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, Time-uniform central limit theory and
    asymptotic confidence sequences, Annals of Statistics 52 (2024), 2613-2640, theorem 2.2; H. Robbins,
    Statistical methods related to the law of the iterated logarithm, Annals of Mathematical Statistics 41
    (1970), 1397-1409.
    """
    sums = ratio_sums(moments, numerator, denominator, factor, outcomes)
    if sums is None:
        return NOTHING
    value, pairs = sums.estimate, sums.units
    if sums.residuals == 0 or pairs == 1:
        if share:
            return Estimate(value, *_mixture_interval(value * pairs, pairs, level))
        return Estimate(value, None, None)
    error = sums.variance**0.5
    fixed = around(value, error, pairs - 1, level, share)
    half = error * mixture_quantile(pairs, level, tuned_for)
    low, high = value - half, value + half
    if share:
        low, high = max(0.0, low), min(1.0, high)
    assert fixed.low is not None and fixed.high is not None
    return Estimate(value, min(low, fixed.low), max(high, fixed.high), error, pairs - 1)


def mixture_quantile(pairs: int, level: float = LEVEL, tuned_for: int = FIRST_CHECK) -> float:
    """Return how many standard errors the confidence sequence goes to either side at so many pairs.

    Parameters
    ----------
    pairs : int
    level : float
    tuned_for : int
        Pairs at which this is least.
    """
    alpha = 1 - level
    # The variance of the mixing normal, in units of 1 / pairs, that makes the bound least at tuned_for.
    spread = (-lambertw(-(alpha**2) / math.e, -1).real - 1) * pairs / tuned_for
    return math.sqrt((spread + 1) / spread * (math.log1p(spread) - 2 * math.log(alpha)))


def anytime_jackknife(told: Estimate, pairs: int, level: float = LEVEL, share: bool = False) -> Estimate:
    """Give an estimate of the jackknife over groups an interval that holds at all numbers of pairs at once.

    For what is counted by group of pairs alone. The boundary is that of `anytime`. A variance of so many
    groups does not become exact as pairs are added, which the theorem there asks for; so it goes as many
    standard errors to either side as Student's t puts into the same tails that the normal has beyond it.

    Parameters
    ----------
    told : Estimate
        With its standard error and degrees of freedom; without them nothing is told of the ends.
    pairs : int
    level : float
    share : bool
        True for what lies between 0 and 1.
    """
    if told.estimate is None or told.se is None or told.freedom is None:
        return Estimate(told.estimate, None, None)
    half = told.se * float(stdtrit(told.freedom, ndtr(mixture_quantile(pairs, level))))
    low, high = told.estimate - half, told.estimate + half
    if share:
        low, high = max(0.0, low), min(1.0, high)
    return Estimate(told.estimate, low, high, told.se, told.freedom)


def _mixture_interval(successes: float, trials: int, level: float) -> tuple[float, float]:
    """Return the shares at which the beta-binomial mixture has not yet grown by 1 / (1 - level).

    The likelihood ratio of any share q to p is a supermartingale for any outcomes in 0 ... 1 with mean p, so
    the ratio mixed over a uniform q passes 1 / (1 - level) with a probability of at most 1 - level (Robbins
    1970; S. R. Howard, A. Ramdas, J. McAuliffe and J. Sekhon, Annals of Statistics 49 (2021), 1055-1080).
    """
    share = successes / trials
    most = betaln(successes + 1, trials - successes + 1) + math.log(1 - level)

    def excess(p: float) -> float:
        return float(most - xlogy(successes, p) - xlog1py(trials - successes, -p))

    low = 0.0 if successes <= 0 else float(brentq(excess, 1e-300, share))
    high = 1.0 if successes >= trials else float(brentq(excess, share, 1 - 1e-16))
    return low, high


# --- sequential probability ratio test -----------------------------------------------------------


def sprt_llr(pair_scores: npt.ArrayLike, s0: float, s1: float) -> float:
    """Return the log-likelihood ratio of two expected scores of side A, in its normal approximation.

    ``N (s1 - s0) (2 s - s0 - s1) / (2 var)``, mean ``s`` and variance ``var`` of the N pairs' scores.

    Parameters
    ----------
    pair_scores : array_like of int, shape (5,)
        Pairs by side A's matches in halves, as in the tally: the pair's score is a quarter of that.
    s0, s1 : float
        Scores under the hypotheses, 0 to 1.

    Returns
    -------
    float
        Positive in favour of ``s1``; 0 for no pairs. Pairs that hardly vary say little about the rare one
        that would: the variance is taken to be at least 1 / (2 N), that of N pairs of which one is won
        whole and another lost whole beyond an even split. Where all are split this asks for about as many
        pairs as the exact ratio N log(1 - 2 (s1 - s0)) does.

    References
    ----------
    M. Van den Bergh, A practical introduction to the GSPRT, and fishtest's documentation of its tests; A.
    Wald, Sequential Analysis, Wiley 1947.
    """
    counts = [int(count) for count in np.asarray(pair_scores)]
    pairs = sum(counts)
    if pairs == 0:
        return 0.0
    halves = sum(at * count for at, count in enumerate(counts))
    squares = sum(at * at * count for at, count in enumerate(counts))
    score = halves / (4 * pairs)
    variance = max((pairs * squares - halves * halves) / (4 * pairs) ** 2, 1 / (2 * pairs))
    return pairs * (s1 - s0) * (2 * score - s0 - s1) / (2 * variance)


def sprt_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Return Wald's bounds on the log-likelihood ratio: H0 at or below the first, H1 at or above the second.

    Parameters
    ----------
    alpha, beta : float
        Allowed probabilities of accepting H1 under H0, and H0 under H1.
    """
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


@dataclass(frozen=True)
class Sprt:
    """A sequential test of side A's expected pair score.

    Attributes
    ----------
    s0, s1 : float
        Scores of H0 and H1, 0 to 1; ``s0`` below ``s1``.
    alpha, beta : float
        Allowed probabilities of accepting H1 under H0, and H0 under H1.

    Raises
    ------
    UsageError
        Naming the field that is out of range.
    """

    s0: float
    s1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("s0", "s1"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} {getattr(self, name)}: expected a share of 0 to 1")
        if not self.s0 < self.s1:
            raise UsageError(f"s1 {self.s1}: expected more than s0, {self.s0}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise UsageError(f"{name} {getattr(self, name)}: expected a probability between 0 and 0.5")

    def decide(self, pair_scores: npt.ArrayLike) -> Literal["H0", "H1"] | None:
        """Return the hypothesis accepted after these pairs, or None to play on; see `sprt_llr`."""
        ratio = sprt_llr(pair_scores, self.s0, self.s1)
        low, high = sprt_bounds(self.alpha, self.beta)
        return "H0" if ratio <= low else "H1" if ratio >= high else None


def checkpoints(limit: int) -> list[int]:
    """Return the numbers of pairs, up to a limit, at which a run may stop: 1000, 2000, 4000 and so on."""
    return [FIRST_CHECK << k for k in range(max(0, limit // FIRST_CHECK).bit_length())]
