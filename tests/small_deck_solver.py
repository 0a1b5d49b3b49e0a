"""The knock-table game on deals of the little deck, solved without the library: plain loops over few tables.

Both players draw and discard as gold and knock by a table over own turn and deadwood. Legal knocks short of
gin lie in so few cells that all deterministic tables can be listed, each a set of cells in which it knocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from tests.enumerate_small_deck import RULES
from tests.small_deck_chances import Chance, naive_chances

Cell = tuple[int, int]
"""Own turn from 1, deadwood."""
Line = tuple[tuple[Chance, ...], int]
"""The legal knocks of a hand in order, and its points if none is taken."""


def lines_of(indices: Sequence[int]) -> Counter[Line]:
    """Return the hands of deals in both seatings, and how often each kind occurs."""
    found: Counter[Line] = Counter()
    for index in indices:
        for seat in range(2):
            chances, nothing = naive_chances(index, seat, RULES)
            found[tuple(chances), nothing] += 1
    return found


def cells_of(lines: Mapping[Line, int]) -> list[Cell]:
    """Return the cells in which somebody may knock short of gin."""
    return sorted({(one.turn, one.deadwood) for chances, _ in lines for one in chances if one.deadwood})


def tables_of(cells: Sequence[Cell]) -> list[frozenset[Cell]]:
    """Return every deterministic table."""
    sizes = range(len(cells) + 1)
    return [frozenset(chosen) for size in sizes for chosen in combinations(cells, size)]


def expected(line: Line, tables: tuple[Mapping[Cell, float], Mapping[Cell, float]]) -> float:
    """Return the mean points of side 0 in a hand if both knock with the probabilities of their tables."""
    chances, value = line
    total, left = 0.0, 1.0
    for side, turn, deadwood, points in chances:
        share = 1.0 if deadwood == 0 else tables[side].get((turn, deadwood), 0.0)
        total += left * share * points
        left *= 1 - share
    return total + left * value


def mean_points(lines: Mapping[Line, int], a: Mapping[Cell, float], b: Mapping[Cell, float]) -> float:
    """Return the mean points of side 0."""
    return sum(number * expected(line, (a, b)) for line, number in lines.items()) / sum(lines.values())


def payoffs(
    lines: Mapping[Line, int], tables: Sequence[frozenset[Cell]], b: Sequence[frozenset[Cell]]
) -> npt.NDArray[np.float64]:
    """Return what each table wins from each of ``b``, mean points of a hand, shape (tables, b)."""
    total = np.zeros((len(tables), len(b)))
    for (chances, nothing), number in lines.items():
        going = np.ones(total.shape, bool)
        for side, turn, deadwood, points in chances:
            takes = np.ones(total.shape, bool)
            if deadwood:
                own = [(turn, deadwood) in table for table in (b if side else tables)]
                takes = np.broadcast_to(
                    np.array(own)[None, :] if side else np.array(own)[:, None], total.shape
                )
            total += number * points * (going & takes)
            going = going & ~takes
        total += number * nothing * going
    return total / sum(lines.values())
