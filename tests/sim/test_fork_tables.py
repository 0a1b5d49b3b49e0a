"""Many tables at once bring what each brings alone."""

from __future__ import annotations

import numpy as np
import pytest

from sim._jit import COMPILED
from sim.fork_tables import table_sums
from sim.forks import Forks, fork_hands
from sim.rules import Rules
from strategies.base import parse_strategy, player

EAAI = Rules.preset("eaai")


def recorded(pairs: int = 60 if COMPILED else 8) -> Forks:
    return fork_hands(
        player(parse_strategy("gold")), player(parse_strategy("gin_only")), EAAI, pairs=pairs, seed=4, first=5
    )


def test_sums_are_those_of_each_table_alone() -> None:
    forks = recorded()
    rng = np.random.default_rng(3)
    tables = np.vstack(
        [rng.random((4, 11)), rng.integers(0, 2, (4, 11)), np.zeros((1, 11)), np.ones((1, 11))]
    )
    cells = forks.forks.deadwood.astype(np.int64)
    taken, declined = rng.normal(size=len(forks.forks)), rng.normal(size=len(forks.deals))
    sums = table_sums(forks, cells, tables, taken, declined, 7)
    assert sums.shape == (7, 10)
    for at, table in enumerate(tables):
        result = forks.expected_of(table[cells], taken, declined).result
        for group in range(7):
            assert sums[group, at] == pytest.approx(result[forks.deals.pair % 7 == group].sum())


def test_a_fork_outside_the_tables_is_refused() -> None:
    forks = recorded(10)
    taken, declined = np.zeros(len(forks.forks)), np.zeros(len(forks.deals))
    with pytest.raises(ValueError, match="tables have 3"):
        table_sums(forks, forks.forks.deadwood.astype(np.int64), np.ones((2, 3)), taken, declined, 8)
