"""What mirroring is worth: the same estimate, had the two games of a pair been independent.

From sums over single matches beside those over pairs, so nothing is played again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.stats.estimates import LEVEL, Estimate, ratio, ratio_sums
from sim.tally import MATCH_OUTCOMES


def pairing_gain(
    moments: Any, match_moments: Any, numerator: str | Mapping[str, int], denominator: str
) -> float | None:
    """Return how many times as many pairs of unmirrored games would be as precise.

    Parameters
    ----------
    moments : ndarray of int64, shape (len(OUTCOMES), len(OUTCOMES))
        Sums over pairs of the products of two outcomes.
    match_moments : ndarray of int64, shape (len(MATCH_OUTCOMES), len(MATCH_OUTCOMES))
        Sums over single matches of the same play.
    numerator : str or mapping of str to int
        Of `MATCH_OUTCOMES`, as in `estimates.ratio`.
    denominator : str
        Of `MATCH_OUTCOMES`.

    Returns
    -------
    float or None
        The unpaired variance over the pair-clustered one; below 1 if mirroring costs. None where there
        are fewer than two pairs, or the pairs do not vary.

    References
    ----------
    W. G. Cochran, Sampling Techniques, 3rd ed., 1977, section 9.3 (the design effect of clusters: this is
    its inverse).
    """
    pairs = ratio_sums(moments, numerator, denominator)
    matches = ratio_sums(match_moments, numerator, denominator, outcomes=MATCH_OUTCOMES)
    if pairs is None or matches is None or pairs.units < 2 or pairs.residuals == 0:
        return None
    apart, together = (sums.squares * sums.units / (sums.units - 1) for sums in (matches, pairs))
    return apart / together


def unpaired_ratio(
    match_moments: Any,
    numerator: str | Mapping[str, int],
    denominator: str,
    *,
    factor: int = 1,
    share: bool = False,
    level: float = LEVEL,
) -> Estimate:
    """Estimate a ratio as if the two games of a pair were independent, which they are not.

    To show what ignoring the pairs does: the interval does not have its coverage.

    Parameters
    ----------
    match_moments : ndarray of int64, shape (len(MATCH_OUTCOMES), len(MATCH_OUTCOMES))
        Sums over single matches.
    numerator, denominator, factor, share, level
        As in `estimates.ratio`; ``one`` is 1 a match here, so its factor is half of that for pairs.
    """
    return ratio(
        match_moments,
        numerator,
        denominator,
        factor=factor,
        share=share,
        level=level,
        outcomes=MATCH_OUTCOMES,
    )
