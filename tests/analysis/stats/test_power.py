"""Sample sizes: published values, the inverse of the intervals, and power by the distribution itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nct, norm, t

from analysis.stats.estimates import ratio
from analysis.stats.power import (
    deviation,
    half_width_of,
    pairs_for_difference,
    pairs_for_half_width,
    samples_for_share,
)
from sim.tally import OUTCOMES

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("name", ["GR-142", "GR-143", "GR-144", "GR-145"])
def test_published_sample_sizes(name: str) -> None:
    asked = CASES[name]["input"]
    assert samples_for_share(asked["half_width"], asked["conf"]) == CASES[name]["expected"]["n"]


@given(st.floats(0.0005, 0.4), st.floats(0.5, 0.999))
def test_samples_are_just_enough(half_width: float, level: float) -> None:
    told = samples_for_share(half_width, level)
    z = norm.isf((1 - level) / 2)
    # At least so many, and one less is too few; a rounding apart.
    assert z * 0.5 / np.sqrt(told) <= half_width * (1 + 1e-9)
    assert told == 1 or z * 0.5 / np.sqrt(told - 1) > half_width * (1 - 1e-9)


def pilot(seed: int, pairs: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = np.zeros((pairs, len(OUTCOMES)), np.int64)
    rows[:, 0] = 1
    hands = rng.integers(5, 30, pairs)
    rows[:, OUTCOMES.index("hands")] = hands
    rows[:, OUTCOMES.index("points_a")] = rng.poisson(12 * hands)
    rows[:, OUTCOMES.index("points_b")] = rng.poisson(11 * hands)
    return rows


LEAD = {"points_a": 1, "points_b": -1}


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_width_foretold_is_the_width_there_is(level: float) -> None:
    rows = pilot(3, 60)
    moments = rows.T @ rows
    spread = deviation(moments, LEAD, "hands")
    told = ratio(moments, LEAD, "hands", level=level)
    assert spread is not None and told.low is not None and told.high is not None
    assert half_width_of(spread, 60, level) == pytest.approx((told.high - told.low) / 2)
    # Pairs of the same kind, forty times as many: the foretold width is met within 2 %.
    many = np.tile(rows, (40, 1))
    told = ratio(many.T @ many, LEAD, "hands", level=level)
    assert told.low is not None and told.high is not None
    assert half_width_of(spread, 2400, level) == pytest.approx((told.high - told.low) / 2, rel=0.02)


def test_a_pilot_that_tells_nothing() -> None:
    one = pilot(1, 1)
    assert deviation(one.T @ one, LEAD, "hands") is None
    assert deviation(np.zeros((len(OUTCOMES),) * 2, np.int64), LEAD, "hands") is None


@given(st.floats(0.01, 20), st.floats(0.001, 5), st.sampled_from([0.8, 0.95, 0.999]))
def test_pairs_are_just_enough(spread: float, half_width: float, level: float) -> None:
    told = pairs_for_half_width(spread, half_width, level)
    assert told >= 2 and half_width_of(spread, told, level) <= half_width
    assert told == 2 or half_width_of(spread, told - 1, level) > half_width


def test_nothing_that_varies_needs_two_pairs() -> None:
    assert pairs_for_half_width(0.0, 0.001) == 2


def power_of(effect: float, pairs: int, level: float) -> float:
    """Return the power of the two-sided t test from the noncentral t."""
    edge = t.isf((1 - level) / 2, pairs - 1)
    away = effect * np.sqrt(pairs)
    return float(nct.sf(edge, pairs - 1, away) + nct.cdf(-edge, pairs - 1, away))


@pytest.mark.parametrize("effect", [0.03, 0.08, 0.2, 0.5, 1.5])
@pytest.mark.parametrize(("power", "level"), [(0.8, 0.95), (0.95, 0.99), (0.5, 0.9)])
def test_pairs_for_a_difference_are_just_enough(effect: float, power: float, level: float) -> None:
    told = pairs_for_difference(-0.3 * effect, 0.3, power, level)
    assert power_of(effect, told, level) >= power - 1e-9
    assert told == 2 or power_of(effect, told - 1, level) < power


def test_small_differences_by_the_normal_formula() -> None:
    told = pairs_for_difference(0.0002, 0.3)
    assert told == pytest.approx(((norm.isf(0.025) + norm.isf(0.2)) * 0.3 / 0.0002) ** 2, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: samples_for_share(0), "half-width 0: expected more"),
        (lambda: pairs_for_half_width(1, -0.1), "half-width -0.1"),
        (lambda: half_width_of(1, 1), "pairs 1: expected at least 2"),
        (lambda: pairs_for_difference(0, 1), "difference 0"),
        (lambda: pairs_for_difference(1, 0), "spread 0"),
        (lambda: pairs_for_difference(1, 1, power=0.04), "power 0.04: expected more than 0.05"),
        (lambda: pairs_for_difference(1, 1, power=1), "power 1"),
    ],
)
def test_refused(call: object, text: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=text):
        call()
