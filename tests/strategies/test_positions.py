"""Every family answers positions worked by hand as its rule says, and otherwise than its neighbours."""

from __future__ import annotations

from collections import Counter

import pytest

from strategies.base import registered
from tests.strategies.position import WORDS, Position, answers, collect
from tests.strategies.test_contract import needs_the_jit_to_sample

POSITIONS = collect()
LEAST = 10
"""Positions that each family has."""
FAMILIES = sorted(
    name for name, family in registered().items() if family.__module__.startswith("strategies.")
)


@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_position(position: Position) -> None:
    assert position.why.strip()
    needs_the_jit_to_sample(position.strategy)
    found = answers(position, position.strategy)
    assert set(found) == position.answers, position.why
    if position.share is not None:
        assert abs(found[position.order[0]] / WORDS - position.share) < 1 / WORDS, position.why
    for earlier in position.before:
        assert answers(earlier, position.strategy).keys() & earlier.answers, earlier.why
    for other in position.unlike:
        assert set(answers(position, other)) != position.answers, f"{other} answers the same"


@pytest.mark.parametrize("family", FAMILIES)
def test_ten_positions_of_each_family(family: str) -> None:
    """No two ask the same, and some tell the family from its neighbours."""
    mine = [position for position in POSITIONS if position.family == family]
    assert len(mine) >= LEAST
    asked = Counter(
        (str(one), one.pile, one.known, one.declined, str(one.before), str(one.fields)) for one in mine
    )
    assert max(asked.values()) == 1
    assert sum(bool(position.unlike) for position in mine) >= 3
