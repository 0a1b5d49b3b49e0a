"""Many cells played on the same decks, together: covariance, bands, the best, any function of them.

A group of pairs stands for the same decks in every cell, so it is left out of, or drawn for, all cells at
once; what the decks have in common then counts in the joint distribution of the cells. Cells are numbers of
any kind: rule sets, thresholds, entries of a knock table, differences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from analysis.stats.estimates import LEVEL, Estimate, score_ends

Floats = npt.NDArray[np.float64]
Sums = Mapping[str, npt.NDArray[Any]]
"""Sums by group, each of shape (groups, ...)."""

DRAWS = 20_000
"""Draws of a largest deviation: its 95 % point then has a standard error of 0.15 % in coverage."""
FEW_DRAWS = 2_000
CLOSE = 0.25
"""Five standard errors of a 95 % point from few draws: farther off, few draws decide as all would."""
SEED = 20_240
"""Fixes the draws: the same numbers give the same intervals."""
BLOCK = 2_000_000
"""Numbers held at once while drawing (16 MB)."""
ROUNDING = 1e-12
"""Part of a cell's value: what varies by less than this does not vary."""


class Sample(NamedTuple):
    """Cells with what the jackknife knows of them.

    Attributes
    ----------
    values : ndarray of float64, shape (cells,)
        From all groups.
    without : ndarray of float64, shape (groups, cells)
        From all groups but one.
    """

    values: Floats
    without: Floats


class Bands(NamedTuple):
    """Intervals that hold all at once.

    Attributes
    ----------
    estimates : list of Estimate
        One a cell; without ends for a cell that never varies or is not a number.
    critical : float
        Standard errors to either side; not a number when no cell varies.
    """

    estimates: list[Estimate]
    critical: float


def sample(statistic: Callable[[dict[str, Any]], npt.ArrayLike], sums: Sums) -> Sample:
    """Return a statistic of all groups, and of all groups but each.

    Parameters
    ----------
    statistic : callable
        From sums over groups, by name, to numbers; what has no value is not a number (nan).
    sums : mapping of str to ndarray, shape (groups, ...)
        Groups that hold pairs only, about as many each.

    Returns
    -------
    Sample
        Cells in the order of the statistic's numbers.
    """
    totals = {name: values.sum(axis=0) for name, values in sums.items()}
    groups = len(next(iter(sums.values())))
    left_out = [
        np.ravel(np.asarray(statistic({name: totals[name] - sums[name][group] for name in sums}), np.float64))
        for group in range(groups)
    ]
    return Sample(np.ravel(np.asarray(statistic(totals), np.float64)), np.array(left_out))


def jackknife_covariance(without: npt.ArrayLike) -> Floats:
    """Return the covariance of cells by the delete-one-group jackknife.

    Parameters
    ----------
    without : array_like of float64, shape (groups, cells)
        The cells from all groups but one; at least two groups.

    Returns
    -------
    ndarray of float64, shape (cells, cells)

    Raises
    ------
    ValueError
        If there are fewer than two groups.

    References
    ----------
    B. Efron, The Jackknife, the Bootstrap and Other Resampling Plans, SIAM 1982, section 3.
    """
    rows = _deviations(np.asarray(without, np.float64))
    covariance: Floats = rows.T @ rows
    return covariance


def simultaneous(
    values: npt.ArrayLike, without: npt.ArrayLike, level: float = LEVEL, share: bool = False
) -> Bands:
    """Give cells intervals that all hold their truths at once with a probability of ``level``.

    The largest absolute t of all cells is drawn by Gaussian multipliers on the jackknife's pseudo-values,
    over one chi of the groups' degrees of freedom, so a single cell has its t interval.

    Parameters
    ----------
    values : array_like of float64, shape (cells,)
    without : array_like of float64, shape (groups, cells)
    level : float
        Joint coverage.
    share : bool
        True for cells between 0 and 1: their intervals stay there, see `estimates.jackknife_share`.

    Returns
    -------
    Bands

    Raises
    ------
    ValueError
        If the shapes do not agree or there are fewer than two groups.

    References
    ----------
    T. Hothorn, F. Bretz and P. Westfall, Simultaneous inference in general parametric models, Biometrical
    Journal 50 (2008), 346-363; V. Chernozhukov, D. Chetverikov and K. Kato, Gaussian approximations and
    multiplier bootstrap for maxima of sums of high-dimensional random vectors, Annals of Statistics 41
    (2013), 2786-2819.
    """
    cells, rows, usable = _read(values, without)
    errors = np.sqrt((rows**2).sum(axis=0))
    varying = usable & (errors > ROUNDING * np.abs(cells))
    freedom = len(rows) - 1
    if not varying.any():
        return Bands([Estimate(float(value), None, None) for value in cells], float("nan"))
    unit = rows[:, varying] / errors[varying]
    critical = _quantile(unit, level, freedom, two_sided=True)
    told = []
    for value, error, varies in zip(cells.tolist(), errors.tolist(), varying, strict=True):
        if not varies or (share and not 0 < value < 1):
            told.append(Estimate(value, None, None))
            continue
        low, high = value - critical * error, value + critical * error
        if share:
            low, high = score_ends(value, error, critical)
        told.append(Estimate(value, float(low), float(high), error, freedom))
    return Bands(told, critical)


def not_worse_than_best(
    values: npt.ArrayLike, without: npt.ArrayLike, level: float = LEVEL, largest: bool = True
) -> npt.NDArray[np.bool_]:
    """Return the cells that are not shown to be worse than the best: multiple comparisons with the best.

    A cell is kept unless another beats it by more than the critical value of the largest t among all
    differences to it. So the truly best cell is kept with a probability of at least ``level``.

    Parameters
    ----------
    values : array_like of float64, shape (cells,)
    without : array_like of float64, shape (groups, cells)
    level : float
        Probability of keeping the best.
    largest : bool
        Whether the largest or the smallest is the best.

    Returns
    -------
    ndarray of bool, shape (cells,)
        False for a cell that is not a number, or is not one without some group. A difference that never
        varies decides by its sign, where groups are so many that as many fair coins would not fall alike;
        cells that are the same to rounding are tied.

    Raises
    ------
    ValueError
        If the shapes do not agree or there are fewer than two groups.

    References
    ----------
    S. S. Gupta, On some multiple decision (selection and ranking) rules, Technometrics 7 (1965), 225-245;
    J. C. Hsu, Multiple Comparisons: Theory and Methods, Chapman & Hall 1996, chapter 4.
    """
    cells, rows, usable = _read(values, without)
    kept = usable.copy()
    places = np.flatnonzero(usable)
    if len(places) < 2:
        return kept
    cells, rows = cells[places] * (1 if largest else -1), rows[:, places] * (1 if largest else -1)
    least = ROUNDING * float(np.abs(cells).max())
    freedom = len(rows) - 1
    alike = 0.5 ** len(rows) <= (1 - level) / (len(places) - 1)
    for at, place in enumerate(places):
        gaps = cells - cells[at]
        ahead = gaps > least
        if not ahead.any():
            continue
        apart = rows - rows[:, [at]]
        errors = np.sqrt((apart**2).sum(axis=0))
        varying = errors > least
        if (ahead & ~varying).any() and alike:
            kept[place] = False
            continue
        ahead &= varying
        if not ahead.any():
            continue
        largest_t = float((gaps[ahead] / errors[ahead]).max())
        # The critical value lies between that of one comparison and Bonferroni's: draw only if in doubt.
        low, high = _one_and_bonferroni(int(varying.sum()), level, freedom, two_sided=False)
        if largest_t > low:
            unit = apart[:, varying] / errors[varying]
            kept[place] = largest_t <= high and _holds(largest_t, unit, level, freedom)
    return kept


def bootstrap_groups(
    statistic: Callable[[dict[str, Any]], npt.ArrayLike], sums: Sums, draws: int = 2_000, seed: int = SEED
) -> Floats:
    """Draw a statistic of all cells anew, by groups with replacement, the same groups for all cells.

    For functions too rough for the jackknife, such as a solution of a linear programme or a largest value.

    Parameters
    ----------
    statistic : callable
        From sums over groups, by name, to numbers.
    sums : mapping of str to ndarray of int64 or float64, shape (groups, ...)
        Groups that hold pairs only, about as many each.
    draws : int
    seed : int
        The same draws for the same seed, whatever the statistic.

    Returns
    -------
    ndarray of float64, shape (draws, ...)

    References
    ----------
    B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall 1993, chapters 6 and 8
    (clusters are drawn whole).
    """
    groups = len(next(iter(sums.values())))
    rng = np.random.default_rng(seed)
    often = rng.multinomial(groups, np.full(groups, 1 / groups), size=draws)
    drawn = [
        np.asarray(
            statistic({name: np.tensordot(times, values, axes=1) for name, values in sums.items()}),
            np.float64,
        )
        for times in often
    ]
    return np.array(drawn)


def percentiles(value: float, drawn: npt.ArrayLike, level: float = LEVEL) -> Estimate:
    """Give a statistic the percentile interval of its bootstrap draws.

    Parameters
    ----------
    value : float
        The statistic of all groups.
    drawn : array_like of float64, shape (draws,)
        One cell of `bootstrap_groups`.
    level : float
        Coverage.

    Returns
    -------
    Estimate
        Without ends when draws are fewer than two, not numbers, or all the same.
    """
    known = np.asarray(drawn, np.float64)
    if len(known) < 2 or not np.isfinite(known).all() or np.ptp(known) == 0:
        return Estimate(value, None, None)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(low), float(high), float(known.std(ddof=1)))


# --- inside --------------------------------------------------------------------------------------


def _deviations(without: Floats) -> Floats:
    """Return rows whose products, summed over groups, are the jackknife's covariances."""
    groups = len(without)
    if without.ndim != 2 or groups < 2:
        raise ValueError(
            f"values without a group have shape {without.shape}: expected (groups, cells), 2 or more"
        )
    # The pseudo-values' deviations from their mean, over the square root of groups * (groups - 1).
    rows: Floats = (without.mean(axis=0) - without) * ((groups - 1) / groups) ** 0.5
    return rows


def _read(values: npt.ArrayLike, without: npt.ArrayLike) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Return cells, their deviations, and which are numbers throughout; others deviate by nothing."""
    cells, rest = np.asarray(values, np.float64), np.asarray(without, np.float64)
    if rest.ndim != 2 or cells.shape != rest.shape[1:]:
        raise ValueError(
            f"{cells.shape} values and {rest.shape} without a group: expected (cells,), (groups, cells)"
        )
    usable = np.isfinite(cells) & np.isfinite(rest).all(axis=0)
    return cells, _deviations(np.where(usable, rest, 0.0)), usable


def _one_and_bonferroni(count: int, level: float, freedom: int, two_sided: bool) -> tuple[float, float]:
    """Return the critical values of one cell alone and of so many by Bonferroni's inequality."""
    tail = (1 - level) / (2 if two_sided else 1)
    return float(stdtrit(freedom, 1 - tail)), float(stdtrit(freedom, 1 - tail / count))


def _holds(largest_t: float, unit: Floats, level: float, freedom: int) -> bool:
    """Return whether a t is at most the critical value of the largest of these, all draws only if close."""
    rough = _quantile(unit, level, freedom, False, FEW_DRAWS)
    if abs(largest_t - rough) > CLOSE:
        return largest_t < rough
    return largest_t <= _quantile(unit, level, freedom, False)


def _quantile(unit: Floats, level: float, freedom: int, two_sided: bool, draws: int | None = None) -> float:
    """Return the critical value of the largest t of cells.

    ``unit`` has shape (groups, cells) and columns of length 1, so that ``normal @ unit`` has the cells'
    correlations.
    """
    groups, count = unit.shape
    low, high = _one_and_bonferroni(count, level, freedom, two_sided)
    if count == 1:
        return low
    rng = np.random.default_rng(SEED)
    draws = draws or DRAWS
    most = np.empty(draws)
    size = max(1, BLOCK // max(count, groups))
    for first in range(0, draws, size):
        number = min(size, draws - first)
        drawn = rng.standard_normal((number, groups)) @ unit
        if two_sided:
            np.abs(drawn, out=drawn)
        chi = np.sqrt(rng.chisquare(freedom, number) / freedom)
        most[first : first + number] = drawn.max(axis=1) / chi
    return float(np.clip(np.quantile(most, level), low, high))
