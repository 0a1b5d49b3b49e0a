"""The jackknife over groups: against intervals known exactly, at the edges, and how often it covers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from scipy.stats import binom

from analysis.stats.estimates import Estimate, clopper_pearson, jackknife, jackknife_share, wilson
from sim.tally import GROUPS

Floats = npt.NDArray[np.float64]

TRIALS = 2_000
ALARM = 1e-7
"""False-alarm probability of each statistical test, when coverage is what the test allows."""


def bounds(low: float, high: float) -> tuple[int, int]:
    """Return the counts outside which a coverage between two bounds falls with probability `ALARM`."""
    return int(binom.ppf(ALARM / 2, TRIALS, low)), int(binom.isf(ALARM / 2, TRIALS, high))


def ratio_without(x: Floats, n: Floats) -> tuple[float, Floats]:
    """Return a ratio of sums over groups, and the ratio without each of them."""
    return float(x.sum() / n.sum()), (x.sum() - x) / (n.sum() - n)


@pytest.mark.parametrize("groups", [2, 5, GROUPS])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_mean_of_groups_has_the_t_interval(groups: int, level: float) -> None:
    values = np.random.default_rng(groups).normal(3, 2, groups)
    told = jackknife(values.mean(), (values.sum() - values) / (groups - 1), level)
    low, high = stats.t.interval(level, groups - 1, values.mean(), stats.sem(values))
    assert (told.estimate, told.low, told.high) == pytest.approx((values.mean(), low, high), rel=1e-9)


def test_by_hand() -> None:
    # Left out in turn: 1, 2, 6, about their mean 3: squares 4 + 1 + 9 = 14, times 2/3; t(2) = 4.302653.
    told = jackknife(2.5, [1.0, 2.0, 6.0])
    half = 4.302652729749464 * (14 * 2 / 3) ** 0.5
    assert told.estimate == 2.5
    assert (told.low, told.high) == pytest.approx((2.5 - half, 2.5 + half), rel=1e-12)


@pytest.mark.parametrize("left_out", [[], [1.0], [2.0] * 7, [1.0, float("nan")], [1.0, float("inf")]])
def test_no_interval(left_out: list[float]) -> None:
    assert jackknife(2.0, left_out) == Estimate(2.0, None, None)


def test_coverage_of_a_mean_is_exact() -> None:
    """Means of 128 normal groups: exactly 95 %, so the count of intervals that hold it is binomial."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(TRIALS):
        values = rng.normal(7, 3, GROUPS)
        told = jackknife(values.mean(), (values.sum() - values) / (GROUPS - 1))
        assert told.low is not None and told.high is not None
        held += told.low <= 7 <= told.high
    low, high = bounds(0.95, 0.95)
    assert low <= held <= high


@pytest.mark.parametrize("pairs", [3, 40], ids=["few pairs a group", "many pairs a group"])
def test_coverage_of_a_difference_of_ratios(pairs: int) -> None:
    """Two rule sets on the same decks: points a hand and hands a pair, both skew, the decks shared.

    A deck's luck is a gamma variable in both; hands are Poisson and differ in length. The coverage is
    95 % in the limit; bounds are for 93.5 to 96.5 %.
    """
    rng = np.random.default_rng(pairs)
    truth, held, naive = 0.3, 0, 0
    for _ in range(TRIALS):
        luck = rng.gamma(2.0, 4.0, (GROUPS, pairs)) - 8.0
        hands = [1 + rng.poisson(mean, luck.shape) for mean in (5, 9)]
        points = [(edge + luck) * count for edge, count in zip((1.0, 1.0 + truth), hands, strict=True)]
        # Hands are independent of luck, so the ratio of expectations is the edge itself.
        (one, without_one), (two, without_two) = (
            ratio_without(x.sum(axis=1), n.sum(axis=1).astype(np.float64))
            for x, n in zip(points, hands, strict=True)
        )
        told = jackknife(two - one, without_two - without_one)
        assert told.low is not None and told.high is not None
        held += told.low <= truth <= told.high
        apart = [jackknife(0.0, without) for without in (without_one, without_two)]
        widths = [one.high - one.low for one in apart if one.high is not None and one.low is not None]
        naive += told.high - told.low < 0.5 * float(np.hypot(*widths))
    low, high = bounds(0.935, 0.965)
    assert low <= held <= high
    assert naive == TRIALS  # pairing the decks is worth more than half the width


# --- shares --------------------------------------------------------------------------------------


def test_a_share_of_independent_trials_has_its_score_interval() -> None:
    """Groups that are single trials: the jackknife's error is the binomial one of n - 1 trials."""
    trials, won = 400, 12
    x = np.arange(trials) < won
    told = jackknife_share(won / trials, (won - x) / (trials - 1), trials)
    # Its effective sample is n - 1, and t stands for z: the level at which Wilson's z is that t.
    level = 1 - 2 * stats.norm.sf(stats.t.isf(0.025, trials - 1))
    near = [np.array(wilson(won, trials, level)), np.array([told.low, told.high])]
    assert near[1] == pytest.approx(near[0], rel=5e-3)
    plain = jackknife(won / trials, (won - x) / (trials - 1))
    assert (told.se, told.freedom) == (plain.se, plain.freedom)
    assert told.low is not None and plain.low is not None and told.low > plain.low > 0


def test_many_successes_have_the_plain_interval() -> None:
    x, n = np.random.default_rng(4).binomial(10**6, 0.3, GROUPS), np.full(GROUPS, 10**6)
    share, without = ratio_without(x.astype(float), n.astype(float))
    told, plain = jackknife_share(share, without, 10**6), jackknife(share, without)
    assert (told.low, told.high) == pytest.approx((plain.low, plain.high), abs=1e-7)


@pytest.mark.parametrize(("share", "trials"), [(0.0, 500), (1.0, 500), (0.0, 3), (0.5, 7)])
def test_shares_that_never_vary(share: float, trials: int) -> None:
    told = jackknife_share(share, np.full(GROUPS, share), trials)
    assert told == Estimate(share, *clopper_pearson(share * trials, trials))


def test_one_success_in_one_group() -> None:
    """All but one group give 0 without its success: the interval still reaches neither 0 nor above 1."""
    x, n = np.zeros(GROUPS), np.full(GROUPS, 4.0)
    x[5] = 1
    told = jackknife_share(*ratio_without(x, n), 4 * GROUPS)
    assert told.low is not None and told.high is not None
    assert 0 < told.low < 1 / 512 < told.high < 0.02


@pytest.mark.parametrize("share", [0.004, 0.02, 0.3])
def test_coverage_of_rare_shares(share: float) -> None:
    """Some four trials a group with 2, 10 and 150 successes in all; allowed 93.5 to 97.5 %.

    The plain interval is told too: at two successes it holds the truth less than 92 % of the time.
    """
    rng = np.random.default_rng(6)
    held = plain = 0
    for _ in range(TRIALS):
        n = 1 + rng.poisson(3, GROUPS)
        x = rng.binomial(n, share)
        value, without = ratio_without(x.astype(float), n.astype(float))
        told, usual = jackknife_share(value, without, int(n.sum())), jackknife(value, without)
        assert told.low is not None and told.high is not None
        held += told.low <= share <= told.high
        plain += usual.low is not None and usual.high is not None and usual.low <= share <= usual.high
    low, high = bounds(0.935, 0.975)
    assert low <= held <= high
    if share == 0.004:
        assert plain < 0.92 * TRIALS
