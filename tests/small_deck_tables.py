"""The best of all knock tables on the little deck of `tests.enumerate_small_deck`.

It is found by trying them all on the kinds of hands there are, in plain Python and NumPy: none of the code
that fits tables is used.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.forks import Forks
from sim.rules import Rules
from sim.run import Player
from tests.enumerate_small_deck import DEALS
from tests.small_deck_forks import RULES_HERE, fork_indices

BLOCK = 600_000

Kind = tuple[tuple[int, int, int], ...]
"""A hand as a knock table sees it: own turn, deadwood and points if it is ended there, for every legal knock
short of gin; at last (0, 0, points) where it ends without a table being asked: in gin or by the other."""


def kinds(forks: Forks) -> Counter[Kind]:
    """Count the kinds of hands."""
    most = 6
    number, owner = forks.number(), forks.owner()
    assert number.max() < most
    rows = np.zeros((len(forks.deals), most, 3), np.int64)
    for at, name in enumerate(("own_turn", "deadwood", "points")):
        rows[owner, number, at] = forks.forks[name]
    rows[owner, number, 1] += 1  # 0: there is no such fork
    ends = np.column_stack([rows.reshape(len(rows), -1), forks.deals.points])
    rng = np.random.default_rng(0)
    keys = ends @ rng.integers(1, 2**62, ends.shape[1]).astype(np.int64)  # wraps: a hash
    _, places, counts = np.unique(keys, return_index=True, return_counts=True)
    found: Counter[Kind] = Counter()
    for row, count in zip(ends[places].tolist(), counts.tolist(), strict=True):
        steps: list[tuple[int, int, int]] = []
        last = (0, 0, row[-1])
        for turn, above, points in zip(row[0:-1:3], row[1:-1:3], row[2:-1:3], strict=True):
            if above == 1:
                last = (0, 0, points)  # gin is always taken
                break
            if above:
                steps.append((turn, above - 1, points))
        found[(*steps, last)] += count
    return found


def all_kinds(
    a: Player, b: Player, step: int = 1, rules: Rules = RULES_HERE, seats: int = 1
) -> Counter[Kind]:
    """Count the kinds of hands of every ``step``-th deal; with two ``seats`` in both seatings."""
    found: Counter[Kind] = Counter()
    for start in range(0, DEALS, BLOCK * step):
        deals = range(start, min(start + BLOCK * step, DEALS), step)
        found.update(kinds(fork_indices(a, b, deals, seats=seats, rules=rules)))
    return found


class Best(NamedTuple):
    """What trying all tables finds.

    Attributes
    ----------
    value : float
        Mean points of the best.
    tables : list of frozenset of (int, int)
        The best: own turn and deadwood of the cells in which to knock.
    values : dict of frozenset to float
        What each table brings.
    """

    value: float
    tables: list[frozenset[tuple[int, int]]]
    values: dict[frozenset[tuple[int, int]], float]


def best_table(mixture: Sequence[tuple[float, Counter[Kind]]]) -> Best:
    """Try all tables over the cells that can be reached, and return the best against a mixture."""
    cells = sorted({step[:2] for _, found in mixture for kind in found for step in kind[:-1]})
    assert len(cells) <= 16
    knocks = np.array(list(itertools.product([False, True], repeat=len(cells))))
    totals = np.zeros(len(knocks))
    for weight, found in mixture:
        every = sum(found.values())
        # Exact: sums of integers.
        sums: npt.NDArray[np.int64] = np.zeros(len(knocks), np.int64)
        for kind, count in found.items():
            playing = np.ones(len(knocks), np.bool_)
            for turn, deadwood, points in kind[:-1]:
                ends = playing & knocks[:, cells.index((turn, deadwood))]
                sums[ends] += count * points
                playing &= ~ends
            sums[playing] += count * kind[-1][2]
        totals += weight * sums / every
    tables = [frozenset(cell for cell, knock in zip(cells, row, strict=True) if knock) for row in knocks]
    best = float(totals.max())
    at_best = [tables[at] for at in np.flatnonzero(totals >= best - 1e-12)]
    return Best(best, at_best, dict(zip(tables, totals.tolist(), strict=True)))
