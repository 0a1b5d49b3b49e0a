"""Strategies on common decks: means over opponents, differences, how sure an order is."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.match import play
from analysis.metrics import METRICS, estimate_by_group, group_sums
from analysis.request import Match
from analysis.stats.joint import Sample
from analysis.tuning.measure import gain, matches, reliability, sampled, value
from sim._jit import COMPILED
from sim.run import RunError
from strategies.base import parse_strategy
from tests.analysis.tuning.planted import asked, k_of, planted


def test_matches_are_those_of_the_engine() -> None:
    """Sums and their estimate, of pairs from the middle of the seed."""
    pairs = 256 if COMPILED else 1
    question = asked("threshold", "", opponents=2 if COMPILED else 1)
    chosen = parse_strategy("threshold(3)")
    sums = matches(question, 1)(chosen, 1000, pairs)
    for at, other in enumerate(question.against):
        match = Match(chosen, other, question.rules, "eaai", (), pairs, question.seed)
        tally = play(match, 1, 1000, pairs).tally
        own = group_sums(tally)
        assert np.array_equal(sums[at, 0], own["points_a"] - own["points_b"])
        assert np.array_equal(sums[at, 1], own["hands"])
        if COMPILED:
            told = value(sums[[at]], False, pairs)
            assert told == estimate_by_group(METRICS["points_per_hand"], own)


def test_a_gain_is_paired() -> None:
    """What the decks have in common does not count: half of the variance here, so 1 of 2 x 2 is left."""
    run = planted(lambda chosen: 0.1 * k_of(chosen), 1.0)
    one, two = (run(parse_strategy(f"threshold({k})"), 0, 12_800) for k in (2, 5))
    told = gain(two, one)
    assert told.se == pytest.approx((2 / 12_800) ** 0.5, rel=0.3)
    assert told.low is not None and told.high is not None and told.low < 0.3 < told.high


@pytest.mark.parametrize(("spread", "wanted"), [(0.0, 0.0), (0.05, 0.5), (0.5, 0.99)])
def test_reliability_is_the_squared_correlation(spread: float, wanted: float) -> None:
    """True values apart by a spread, measured with a standard error of 0.05: on average as it says."""
    draws = np.random.default_rng(5)
    told = []
    for _ in range(60):
        truth = draws.normal(0, spread, 20)
        decks = draws.normal(0, 1, (128, 1))  # in common: does not count
        groups = truth + decks + draws.normal(0, 0.05 * 128**0.5, (128, 20))
        mean = groups.mean(axis=0)
        told.append(reliability(Sample(mean, (128 * mean - groups) / 127)))
    assert np.mean(told) == pytest.approx(wanted, abs=0.12)


def test_what_cannot_be_ordered_better() -> None:
    same = np.ones((128, 3))
    assert reliability(Sample(np.ones(1), np.ones((128, 1)))) == 1
    assert reliability(Sample(np.ones(3), same)) == 1
    assert reliability(Sample(np.arange(3.0), same * np.arange(3))) == 1


def test_nothing_to_measure_by() -> None:
    with pytest.raises(RunError, match="no hand to be measured by"):
        sampled(np.zeros((2, 1, 2, 128), np.int64))
