"""From some cells that were tried to all: standard deviations by a model, whatever else by the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Of the model, in tried cells; the one that foretells those it has not seen best is taken."""


def all_spreads(shape: Sequence[int], known: Mapping[int, float | None]) -> tuple[Floats, float | None]:
    """Return the spread of every cell: as tried, or by a model of those that were.

    The logarithm of the spread is a mean plus an effect of each axis's value, by ridge regression: the
    effects of values seldom tried are drawn towards none. The penalty is that of the least error at
    cells left out. Where many values are tried once that error is too large, for the model has then not seen
    the value at all: it errs to the safe side.

    Parameters
    ----------
    shape : sequence of int
        Values of each axis.
    known : mapping of int to (float or None)
        Standard deviation of a pair, by number of the cells that were tried.

    Returns
    -------
    spreads : ndarray of float64, shape (cells,)
        Not a number for None.
    error : float or None
        Root mean square error of a tried cell that is left out, as a part; None if all were tried, or fewer
        than two vary.

    References
    ----------
    A. E. Hoerl and R. W. Kennard, Technometrics 12 (1970), 55-67; D. M. Allen, Technometrics 16 (1974),
    125-127 (the error of those left out, from one fit).
    """
    shape = tuple(shape)
    numbers = np.array(list(known))
    values = np.array([np.nan if spread is None else spread for spread in known.values()])
    told = np.full(int(np.prod(shape)), np.nan)
    varying = values > 0
    error = None
    if len(known) < len(told):
        if varying.sum() < 2:
            told = values[nearest(shape, numbers)]
        else:
            told, error = _fitted(shape, numbers[varying], np.log(values[varying]))
    told[numbers] = values
    return told, error


def _fitted(shape: tuple[int, ...], numbers: npt.NDArray[np.intp], y: Floats) -> tuple[Floats, float]:
    """Fit the model to logarithms of some cells' spreads; return the spreads of all, and its error."""
    places = np.unravel_index(numbers, shape)
    starts = np.cumsum([0, *shape])
    rows = np.zeros((len(numbers), starts[-1]))
    for place, start in zip(places, starts[:-1], strict=True):
        rows[np.arange(len(numbers)), start + place] = 1
    centre = rows.mean(axis=0)
    rows -= centre
    kernel = rows @ rows.T
    best: tuple[float, Floats] | None = None
    for penalty in PENALTIES:
        inverse = np.linalg.inv(kernel + penalty * np.eye(len(y)))
        weights = inverse @ (y - y.mean())
        hat = kernel @ inverse + 1 / len(y)  # the mean is fitted without a penalty
        missed = (y - y.mean() - kernel @ weights) / (1 - np.diag(hat))
        error = float(np.sqrt((missed**2).mean()))
        if best is None or error < best[0]:
            best = error, rows.T @ weights
    assert best is not None
    error, effects = best
    told = np.full(shape, y.mean() - centre @ effects)
    for axis, (start, size) in enumerate(zip(starts[:-1], shape, strict=True)):
        along = [1] * len(shape)
        along[axis] = size
        told += effects[start : start + size].reshape(along)
    return np.exp(told).ravel(), float(np.expm1(error))


def nearest(shape: Sequence[int], numbers: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return for every cell the place in ``numbers`` of the cell with most values in common.

    Of several it is the nearest by number, and of those the first.
    """
    shape = tuple(shape)
    count = int(np.prod(shape))
    every = np.arange(count)
    best = np.full(count, -1.0)
    told = np.zeros(count, np.intp)
    for at, number in enumerate(numbers):
        common = np.zeros(shape)
        for axis, value in enumerate(np.unravel_index(number, shape)):
            common[(slice(None),) * axis + (value,)] += 1
        score = common.ravel() + 1 - np.abs(every - number) / count
        better = score > best
        best[better] = score[better]
        told[better] = at
    return told
