"""Intervals of unpaired counts and plain means: published values and other computations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, sem, t

from analysis.stats.estimates import NOTHING, Estimate, t_interval, wilson

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("name", ["GR-136", "GR-137", "GR-138", "GR-139"])
def test_published_wilson_intervals(name: str) -> None:
    given_, expected = CASES[name]["input"], CASES[name]["expected"]["ci"]
    told = wilson(given_["wins"], given_["n"])
    assert [round(end, 4) for end in told] == expected
    if given_["wins"] == 0:
        assert told[0] == 0.0
    if given_["wins"] == given_["n"]:
        assert told[1] == 1.0


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_against_scipy_and_its_definition(counts: tuple[int, int], level: float) -> None:
    successes, trials = counts
    low, high = wilson(successes, trials, level)
    known = binomtest(successes, trials).proportion_ci(level, method="wilson")
    assert (low, high) == pytest.approx((known.low, known.high), abs=1e-9)
    assert 0 <= low <= successes / trials <= high <= 1
    # The ends are where the score test is just on the edge.
    z = norm.isf((1 - level) / 2)
    for end in (low, high):
        if 0 < end < 1:
            score = (successes / trials - end) / np.sqrt(end * (1 - end) / trials)
            assert abs(score) == pytest.approx(z, rel=1e-4)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5), (0, 0)])
def test_wilson_refuses_counts_that_cannot_be(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} successes of {trials} trials"):
        wilson(successes, trials)


def test_published_mean_of_graded_results() -> None:
    """GR-163: counts of the results 0, 1/4, ... 1, with the variance of the values themselves."""
    case = CASES["GR-163"]
    values = np.repeat(np.arange(5) / 4, case["input"]["counts"])
    told = t_interval(values, ddof=0)
    assert told.estimate is not None and told.se is not None
    assert round(told.estimate, 4) == case["expected"]["mean"]
    assert round(told.se, 4) == case["expected"]["se"]
    unbiased = t_interval(values)
    assert unbiased.se == pytest.approx(told.se * np.sqrt(17 / 16))


@pytest.mark.parametrize("count", [2, 3, 40])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_mean_against_scipy(count: int, level: float) -> None:
    values = np.random.default_rng(count).gamma(2, 3, count)
    told = t_interval(values, level=level)
    low, high = t.interval(level, count - 1, values.mean(), sem(values))
    assert (told.estimate, told.low, told.high) == pytest.approx((values.mean(), low, high))
    assert told.freedom == count - 1


def test_means_without_interval() -> None:
    assert t_interval([]) is NOTHING
    assert t_interval([3.0]) == Estimate(3.0, None, None)
    assert t_interval([0.5] * 9) == Estimate(0.5, None, None)
    assert t_interval([0.5] * 9).se is None
