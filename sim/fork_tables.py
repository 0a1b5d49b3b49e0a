"""What many knock tables bring on the same forks, summed by group of pairs: for grids of rules."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim._jit import Array, typed_kernel, types
from sim.forks import Forks

_PLACES, _VALUES = types.int64[::1], types.float64[::1]
_TABLES = types.float64[:, ::1]


@typed_kernel(types.void(_PLACES, _PLACES, _PLACES, _PLACES, _TABLES, _VALUES, _VALUES, _TABLES))
def _sum(
    start: Array,
    stop: Array,
    cells: Array,
    group: Array,
    tables: Array,
    taken: Array,
    declined: Array,
    sums: Array,
) -> None:
    """Follow each table through the hands and add what it brings to the hand's group."""
    for table in range(len(tables)):
        for deal in range(len(start)):
            left, value = 1.0, 0.0
            for place in range(start[deal], stop[deal]):
                share = tables[table, cells[place]]
                value += left * share * taken[place]
                left *= 1 - share
                if left == 0:
                    break
            sums[group[deal], table] += value + left * declined[deal]


def table_sums(
    forks: Forks,
    cells: npt.NDArray[np.int64],
    tables: npt.ArrayLike,
    taken: npt.NDArray[np.float64],
    declined: npt.NDArray[np.float64],
    groups: int,
) -> npt.NDArray[np.float64]:
    """Return the sum of what each table brings, by group of pairs.

    Parameters
    ----------
    forks : Forks
    cells : ndarray of int64, shape (forks,)
        The cell of the tables in which each fork lies.
    tables : array_like of float64, shape (tables, cells)
        Probability of knocking.
    taken : ndarray of float64, shape (forks,)
        Value of each fork if it is taken.
    declined : ndarray of float64, shape (deals,)
        Value of each hand if no fork of it is.
    groups : int
        A pair stands in group ``pair % groups``, as in the tally.

    Returns
    -------
    ndarray of float64, shape (groups, tables)

    Raises
    ------
    ValueError
        If a fork lies outside the tables.
    """
    shares = np.ascontiguousarray(tables, np.float64)
    if len(cells) and not (0 <= cells.min() and cells.max() < shares.shape[1]):
        raise ValueError(f"cells {cells.min()} to {cells.max()}: tables have {shares.shape[1]}")
    sums = np.zeros((groups, len(shares)))
    _sum(
        np.ascontiguousarray(forks.deals.start), np.ascontiguousarray(forks.deals.stop),
        np.ascontiguousarray(cells, np.int64), np.ascontiguousarray(forks.deals.pair % groups), shares,
        np.ascontiguousarray(taken, np.float64), np.ascontiguousarray(declined, np.float64), sums,
    )  # fmt: skip
    return sums
