"""Runs that stop when the data say so: the anytime interval and the sequential test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from analysis.console import UsageError
from analysis.stats.estimates import NOTHING, Estimate, ratio
from analysis.stats.sequential import (
    Sprt,
    anytime,
    checkpoints,
    mixture_quantile,
    sprt_bounds,
    sprt_llr,
)
from sim.tally import OUTCOMES

ALARM = 1e-7
"""False-alarm probability of each statistical test, when the rate is what the test allows."""
PAIR = ("one", "halves")


def moments_of(halves: Any) -> Any:
    """Return the moments of pairs with these games of A in halves, in two outcomes."""
    rows = np.array([[1, int(value)] for value in halves], object).reshape(-1, 2)
    return rows.T @ rows if len(rows) else np.zeros((2, 2), np.int64)


def share(halves: Any, **options: Any) -> Estimate:
    return anytime(moments_of(halves), "halves", "one", factor=4, share=True, outcomes=PAIR, **options)


# --- the interval --------------------------------------------------------------------------------


def test_the_published_bound() -> None:
    """Theorem 2.2, written as it is printed: with rho of the mixture, t pairs and alpha."""
    alpha, tuned = 0.05, 1000
    for pairs in (2, 50, 1000, 30_000):
        rho2 = minimize_scalar(
            lambda r: (r * tuned + 1) / (r * tuned) * math.log((r * tuned + 1) / alpha**2),
            bounds=(1e-5, 1),
            method="bounded",
            options={"xatol": 1e-12},
        ).x
        radius = math.sqrt(
            2 * (pairs * rho2 + 1) / (pairs**2 * rho2) * math.log(math.sqrt(pairs * rho2 + 1) / alpha)
        )
        assert mixture_quantile(pairs) == pytest.approx(radius * math.sqrt(pairs), rel=1e-6)


def test_the_interval_is_the_bound_times_the_error() -> None:
    rng = np.random.default_rng(1)
    halves = rng.choice(5, 400)
    told, fixed = (
        function(moments_of(halves), "halves", "one", factor=4, outcomes=PAIR)
        for function in (anytime, ratio)
    )
    assert None not in (told.low, told.high, fixed.se)
    assert told.estimate == fixed.estimate == pytest.approx(halves.mean() / 4)
    assert (told.high - told.low) / 2 == pytest.approx(mixture_quantile(400) * fixed.se)
    assert (told.high + told.low) / 2 == pytest.approx(told.estimate)
    assert (told.se, told.freedom) == (fixed.se, 399)


def test_widths_told_in_the_documentation() -> None:
    assert mixture_quantile(1000) / 1.96 == pytest.approx(1.55, abs=0.01)
    assert mixture_quantile(100_000) / 1.96 == pytest.approx(1.82, abs=0.1)
    quantiles = [mixture_quantile(pairs, tuned_for=5000) for pairs in (500, 4000, 5000, 6000, 50_000)]
    assert min(quantiles) == quantiles[2]


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=30),
    st.sampled_from([0.8, 0.95, 0.99]),
    st.sampled_from([5, 1000, 10**6]),
    st.booleans(),
)
def test_never_narrower_than_the_fixed_interval(
    halves: list[int], level: float, tuned_for: int, is_share: bool
) -> None:
    told = anytime(
        moments_of(halves),
        "halves",
        "one",
        factor=4,
        share=is_share,
        outcomes=PAIR,
        level=level,
        tuned_for=tuned_for,
    )
    fixed = ratio(moments_of(halves), "halves", "one", factor=4, share=is_share, level=level, outcomes=PAIR)
    assert told.estimate == fixed.estimate
    if fixed.low is None or fixed.high is None:
        assert told == fixed
        return
    assert told.low is not None and told.high is not None
    if len(set(halves)) > 1:
        assert told.low <= fixed.low and told.high >= fixed.high
    if is_share:
        assert 0 <= told.low <= fixed.estimate <= told.high <= 1
        assert told.low < told.high


def test_nothing_played() -> None:
    assert share([]) is NOTHING
    zeros = np.zeros((len(OUTCOMES), len(OUTCOMES)), np.int64)
    assert anytime(zeros, {"points_a": 1, "points_b": -1}, "hands") is NOTHING


def test_means_that_never_varied_have_no_interval() -> None:
    for count in (1, 50):
        told = anytime(moments_of([3] * count), "halves", "one", factor=4, outcomes=PAIR)
        assert told == Estimate(0.75, None, None)


@pytest.mark.parametrize("count", [1, 10, 5000])
def test_shares_that_never_varied(count: int) -> None:
    """Nothing but wins: the interval ends where the mixture's ratio is 20, p^n = 1 / (20 (n + 1))."""
    edge = (0.05 / (count + 1)) ** (1 / count)
    won, lost = share([4] * count), share([0] * count)
    assert (won.low, won.high) == (pytest.approx(edge), 1.0)
    assert (lost.low, lost.high) == (0.0, pytest.approx(1 - edge))
    split = share([2] * count)
    assert split.low is not None and split.high is not None
    assert 0 <= split.low < 0.5 < split.high <= 1
    assert split.low == pytest.approx(1 - split.high, abs=1e-9)


def test_all_moments_are_covered() -> None:
    """Pairs of a share of 0.6, watched from the 50th to the 3000th: at most 5 % ever leave (6 % allowed)."""
    rng = np.random.default_rng(2)
    trials, pairs, truth = 1500, 3000, 0.6
    left = naive = 0
    quantiles = np.array([mixture_quantile(n) for n in range(50, pairs + 1)])
    for _ in range(trials):
        scores = rng.choice([0.0, 0.5, 1.0], pairs, p=[0.2, 0.4, 0.4])
        count = np.arange(1, pairs + 1)
        mean = scores.cumsum() / count
        error = np.sqrt(((scores**2).cumsum() / count - mean**2) / (count - 1).clip(1))
        distance = np.abs(mean - truth)[49:] / error[49:]
        left += bool((distance > quantiles).any())
        naive += bool((distance > 1.96).any())
    assert left <= binom.isf(ALARM, trials, 0.06)
    assert naive > 0.3 * trials  # the fixed interval, watched, is left far more often than in 5 %


# --- the sequential test -------------------------------------------------------------------------


def test_bounds() -> None:
    assert sprt_bounds(0.05, 0.05) == pytest.approx((-2.944, 2.944), abs=5e-4)
    assert sprt_bounds(0.01, 0.1) == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))


@given(st.lists(st.integers(0, 3000), min_size=5, max_size=5), st.floats(0.3, 0.6), st.floats(0.001, 0.1))
def test_ratio_by_single_pairs(counts: list[int], s0: float, apart: float) -> None:
    scores = np.repeat(np.arange(5) / 4, counts)
    s1 = s0 + apart
    told = sprt_llr(counts, s0, s1)
    if len(scores) == 0:
        assert told == 0
    elif scores.var() > 0.5 / len(scores):
        known = len(scores) * apart * (2 * scores.mean() - s0 - s1) / (2 * scores.var())
        assert told == pytest.approx(known, rel=1e-9, abs=1e-9)
    # Seen from the other side the hypotheses are exchanged.
    assert sprt_llr(counts[::-1], 1 - s1, 1 - s0) == pytest.approx(-told, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("apart", [0.02, 0.005, 0.0005])
def test_split_pairs_alone_decide_no_sooner_than_they_may(apart: float) -> None:
    """All pairs split: H1 has a score above a half, so some pair wins whole with twice the excess.

    The test must not accept H0 while H1 would show as many split pairs with a probability above 5 %.
    """
    told = Sprt(0.5, 0.5 + apart)
    pairs = next(n for n in range(1, 100_000) if told.decide([0, 0, n, 0, 0]) is not None)
    assert told.decide([0, 0, pairs, 0, 0]) == "H0"
    assert (1 - 2 * apart) ** pairs < 0.05


def test_pairs_all_alike() -> None:
    told = Sprt(0.5, 0.51)
    assert told.decide([0, 0, 1, 0, 0]) is None
    assert told.decide([0] * 5) is None
    assert told.decide([0, 0, 0, 0, 1000]) == "H1"
    assert told.decide([1000, 0, 0, 0, 0]) == "H0"
    assert all(math.isfinite(sprt_llr([0, 0, n, 0, 0], 0.5, 0.51)) for n in (1, 10**9))


@pytest.mark.parametrize(
    ("score", "alpha", "beta"), [(0.5, 0.05, 0.05), (0.52, 0.05, 0.05), (0.5, 0.1, 0.02), (0.52, 0.1, 0.02)]
)
def test_error_rates(score: float, alpha: float, beta: float) -> None:
    """Tested after each thousand pairs: errors are at most those asked for (a tenth more allowed).

    Wald's bounds hold for tests at any moments, so looks farther apart only lower the rates.
    """
    told = Sprt(0.5, 0.52, alpha, beta)
    rng = np.random.default_rng(3)
    trials = 400
    shift = score - 0.5
    chances = np.array([0.2 - shift / 2, 0.1, 0.4 - shift, 0.1, 0.2 + shift * 1.5])
    assert (chances * np.arange(5) / 4).sum() == pytest.approx(score)
    verdicts = []
    for _ in range(trials):
        counts = np.zeros(5, np.int64)
        verdict = None
        while verdict is None:
            counts += rng.multinomial(200, chances)
            verdict = told.decide(counts)
        verdicts.append(verdict)
    wrong = verdicts.count("H1" if score == 0.5 else "H0")
    assert wrong <= binom.isf(ALARM, trials, 1.1 * (alpha if score == 0.5 else beta) / (1 - max(alpha, beta)))
    assert wrong < trials / 2


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"s0": -0.1}, "s0 -0.1: expected a share of 0 to 1"),
        ({"s1": 1.5}, "s1 1.5: expected a share"),
        ({"s1": math.nan}, "s1 nan: expected a share"),
        ({"s1": 0.5}, "s1 0.5: expected more than s0, 0.5"),
        ({"alpha": 0}, "alpha 0: expected a probability between 0 and 0.5"),
        ({"beta": 0.5}, "beta 0.5: expected a probability"),
    ],
)
def test_refused(fields: dict[str, float], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        Sprt(**{"s0": 0.5, "s1": 0.51, **fields})


@pytest.mark.parametrize(
    ("limit", "told"),
    [(0, []), (999, []), (1000, [1000]), (7999, [1000, 2000, 4000]), (8000, [1000, 2000, 4000, 8000])],
)
def test_looks(limit: int, told: list[int]) -> None:
    assert checkpoints(limit) == told
