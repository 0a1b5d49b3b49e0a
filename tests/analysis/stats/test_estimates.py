"""Intervals: against a computation by hand from single pairs, at the edges, and how often they cover."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, t
from statsmodels.regression.linear_model import OLS

from analysis.stats.estimates import LEVEL, NOTHING, Estimate, clopper_pearson, ratio
from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import Player, Run, play_match
from sim.tally import OUTCOMES
from strategies.base import parse_strategy, player

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))
}

MATCHES = {
    "share": ("gold", "simple", "eaai"),
    "bonuses": ("simple(pair_memory=false)", "threshold(4)", "fournier"),
}
PAIRS = 80 if COMPILED else 3

RATIOS = {
    "game share": ({"games_a": 1}, "one", 4, True),
    "hand share": ({"hands_a": 1}, "decisive", 1, True),
    "points of A": ({"points_a": 1}, "hands", 1, False),
    "difference": ({"points_a": 1, "points_b": -1}, "hands", 1, False),
    "turns a hand": ({"turns": 1}, "hands", 1, False),
    "hands a game": ({"hands": 1}, "one", 2, False),
    "first mover": ({"games_mover": 1}, "one", 4, True),
    "non-dealer": ({"hands_mover": 1}, "decisive", 1, True),
}
"""All that a report tells: weights, denominator, units of the one in the other, whether a share."""


def half_width(pairs: int, error: float, level: float = LEVEL) -> float:
    """Return half an interval from a standard error, with one degree of freedom less than pairs."""
    return float(t.ppf((1 + level) / 2, pairs - 1)) * error


WEIGHTS = {"points_a": 3, "points_b": -2, "turns": 1}


def moments_of(pairs: Any) -> Any:
    """Return the sums of products of outcomes over pairs, as exact integers."""
    rows = np.array(pairs, object)
    return rows.T @ rows


def row(**outcomes: int) -> list[int]:
    """Return the outcomes of one pair, those not named zero."""
    values = {"one": 1, **outcomes}
    return [values.get(name, 0) for name in OUTCOMES]


def games(*halves: int) -> Any:
    """Return the moments of pairs with these games of A, in halves."""
    return moments_of([row(games_a=value) for value in halves])


def game_share(moments: Any) -> Estimate:
    return ratio(moments, "games_a", "one", factor=4, share=True)


def column(pairs: npt.NDArray[np.int64], weights: dict[str, int]) -> npt.NDArray[np.float64]:
    total = sum(weight * pairs[:, OUTCOMES.index(name)] for name, weight in weights.items())
    return np.asarray(total, float)


def by_hand(x: npt.NDArray[np.float64], n: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return a ratio of sums and its standard error over clusters, linearised, in floating point."""
    share = x.sum() / n.sum()
    influence = (x - share * n) / n.mean()
    return float(share), float(np.sqrt(influence.var(ddof=1) / len(x)))


@pytest.fixture(scope="module", params=MATCHES.values(), ids=MATCHES)
def match(request: pytest.FixtureRequest) -> tuple[npt.NDArray[np.int64], Run]:
    """Return the outcomes of single pairs, each run by itself, and one run of all of them."""
    a, b, preset = request.param
    sides: list[Player] = [player(parse_strategy(text)) for text in (a, b)]
    rules = Rules.preset(preset)
    alone = [play_match(*sides, rules, pairs=1, first=first, seed=5) for first in range(PAIRS)]
    outcomes = np.array([[run.tally.outcome(name) for name in OUTCOMES] for run in alone])
    return outcomes, play_match(*sides, rules, pairs=PAIRS, seed=5)


# --- against a computation by hand ---------------------------------------------------------------


def test_moments_are_sums_over_single_pairs(match: tuple[npt.NDArray[np.int64], Run]) -> None:
    pairs, run = match
    assert run.tally.total("moments").tolist() == (pairs.T @ pairs).tolist()


@pytest.mark.parametrize(("weights", "below", "factor", "share"), RATIOS.values(), ids=RATIOS)
def test_a_report_s_estimates_by_hand(
    match: tuple[npt.NDArray[np.int64], Run], weights: dict[str, int], below: str, factor: int, share: bool
) -> None:
    pairs, run = match
    told = ratio(run.tally.total("moments"), weights, below, factor=factor, share=share)
    value, error = by_hand(column(pairs, weights), factor * column(pairs, {below: 1}))
    assert told.estimate == pytest.approx(value, rel=1e-12)
    assert told.low is not None and told.high is not None
    if error > 0:
        half = half_width(len(pairs), error)
        ends = (value - half, value + half)
        assert (told.low, told.high) == pytest.approx(np.clip(ends, 0, 1) if share else ends, rel=1e-9)


@pytest.mark.parametrize(
    ("weights", "below"),
    [({"hands_a": 1}, "decisive"), ({"points_a": 1, "points_b": -1}, "hands"), ({"turns": 1}, "hands")],
    ids=["hand share", "points", "turns"],
)
def test_against_the_clusters_of_statsmodels(
    match: tuple[npt.NDArray[np.int64], Run], weights: dict[str, int], below: str
) -> None:
    """Hands regressed on a constant, pairs as clusters: the same mean, error, freedom and interval.

    A cluster counts by its sum alone, so all of a pair is put on its first hand.
    """
    pairs, run = match
    told = ratio(run.tally.total("moments"), weights, below)
    hands, sums = column(pairs, {below: 1}).astype(int), column(pairs, weights)
    values = np.zeros(hands.sum())
    values[np.cumsum(hands) - hands] = sums
    fit = OLS(values, np.ones_like(values)).fit(
        cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(len(pairs)), hands)}, use_t=True
    )
    assert told.estimate == pytest.approx(fit.params[0])
    assert told.se == pytest.approx(fit.bse[0])
    assert told.freedom == fit.df_resid_inference == len(pairs) - 1
    assert (told.low, told.high) == pytest.approx(tuple(fit.conf_int()[0]))


def test_the_order_of_weights_and_a_plain_name_do_not_matter(
    match: tuple[npt.NDArray[np.int64], Run],
) -> None:
    moments = match[1].tally.total("moments")
    assert ratio(moments, "points_a", "hands") == ratio(moments, {"points_a": 1}, "hands")
    assert ratio(moments, WEIGHTS, "hands") == ratio(moments, dict(reversed(WEIGHTS.items())), "hands")


def test_sides_exchanged_give_the_other_share(match: tuple[npt.NDArray[np.int64], Run]) -> None:
    moments = match[1].tally.total("moments")
    a, b = (
        ratio(moments, weights, "decisive", share=True)
        for weights in ({"hands_a": 1}, {"decisive": 1, "hands_a": -1})
    )
    assert None not in (a.low, a.high, b.low, b.high)
    assert (b.low, b.estimate, b.high) == pytest.approx((1 - a.high, 1 - a.estimate, 1 - a.low), rel=1e-9)
    gap, back = (ratio(moments, {"points_a": sign, "points_b": -sign}, "hands").to_dict() for sign in (1, -1))
    assert (back["low"], back["high"]) == (-gap["high"], -gap["low"])


@given(
    st.lists(
        st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
        min_size=2,
        max_size=12,
    )
)
def test_any_pairs_by_hand(pairs: list[tuple[int, int]]) -> None:
    moments = moments_of([row(hands_a=won, decisive=hands) for won, hands in pairs])
    told = ratio(moments, "hands_a", "decisive", share=True)
    won, hands = (np.array(values, float) for values in zip(*pairs, strict=True))
    value, error = by_hand(won, hands)
    assert told.estimate is not None and told.low is not None and told.high is not None
    assert told.estimate == pytest.approx(value)
    assert 0 <= told.low <= told.estimate <= told.high <= 1
    if len({Fraction(x, n) for x, n in pairs}) > 1:
        half = half_width(len(pairs), error)
        assert (told.low, told.high) == pytest.approx((max(0, value - half), min(1, value + half)), abs=1e-9)


def test_a_higher_level_is_wider() -> None:
    moments = games(4, 2, 2, 0, 4, 4, 2, 0, 2, 4)
    usual, wide = (ratio(moments, "games_a", "one", factor=4, level=level) for level in (LEVEL, 0.99))
    assert usual.high is not None and wide.high is not None and usual.estimate is not None
    widths = (wide.high - usual.estimate) / (usual.high - usual.estimate)
    assert widths == pytest.approx(half_width(10, 1, 0.99) / half_width(10, 1))


# --- exact however large -------------------------------------------------------------------------


def counted(counts: dict[tuple[int, int], int]) -> Any:
    """Return the moments of so many pairs with each (hands won, decisive hands), as Python integers."""
    total: Any = sum(
        count * moments_of([row(hands_a=won, decisive=hands)]) for (won, hands), count in counts.items()
    )
    return total


@pytest.mark.parametrize(
    "counts",
    [
        {(0, 4): 2**40 + 1, (2, 4): 2**41, (4, 4): 2**40 - 1},
        {(4, 8): 2**40 - 1, (5, 8): 1},
        {(999_999, 1_000_000): 10**12, (999_998, 1_000_000): 1},
        {(2**20, 2**21): 2**19, (2**20 + 1, 2**21): 1},
        {(3, 10): 10**15, (7, 11): 10**3, (0, 1): 3},
    ],
    ids=["many", "one pair differs", "nearly certain", "large outcomes", "uneven"],
)
def test_huge_integers_lose_nothing(counts: dict[tuple[int, int], int]) -> None:
    told = ratio(counted(counts), "hands_a", "decisive")
    pairs = sum(counts.values())
    x = sum(won * count for (won, _), count in counts.items())
    n = sum(hands * count for (_, hands), count in counts.items())
    share = Fraction(x, n)
    squares = sum(count * (won - share * hands) ** 2 for (won, hands), count in counts.items())
    half = half_width(pairs, math.sqrt(squares / n**2 * pairs / (pairs - 1)))
    assert told.estimate == float(share)
    assert told.low is not None and told.high is not None
    assert half > 0
    # An end is a double, so it carries no more than the spacing of doubles there.
    slack = 4 * np.spacing(float(share)) / half
    assert (told.high - told.low) / 2 == pytest.approx(half, rel=1e-9 + slack)


def test_int64_sums_are_widened() -> None:
    """Products of the sums pass int64 here, the sums themselves do not."""
    moments = counted({(2, 4): 2**55, (3, 4): 2**55})
    assert ratio(moments.astype(np.int64), "hands_a", "decisive") == ratio(moments, "hands_a", "decisive")


# --- Clopper and Pearson -------------------------------------------------------------------------


@pytest.mark.parametrize("trials", [1, 2, 3, 7, 20, 41])
@pytest.mark.parametrize("level", [0.95, 0.99])
def test_clopper_pearson_against_scipy(trials: int, level: float) -> None:
    for successes in range(trials + 1):
        known = binomtest(successes, trials).proportion_ci(level, method="exact")
        assert clopper_pearson(successes, trials, level) == pytest.approx(tuple(known), abs=1e-12)


def test_clopper_pearson_of_many_trials() -> None:
    known = binomtest(400_000, 1_000_000).proportion_ci(method="exact")
    assert clopper_pearson(400_000, 1_000_000) == pytest.approx(tuple(known), abs=1e-12)


@pytest.mark.parametrize("name", ["GR-136", "GR-137", "GR-138"])
def test_nothing_won_and_all_won(name: str) -> None:
    """No interval without width at the edges, and none that leaves 0 ... 1."""
    wins, trials = CASES[name]["input"]["wins"], CASES[name]["input"]["n"]
    low, high = clopper_pearson(wins, trials)
    edge = 0.025 ** (1 / trials)
    assert (low, high) == pytest.approx((0, 1 - edge) if wins == 0 else (edge, 1))
    assert (low == 0.0) if wins == 0 else (high == 1.0)
    assert game_share(games(*[4 if wins else 0] * trials)) == Estimate(wins / trials, low, high)


@given(st.integers(1, 60), st.fractions(0, 1, max_denominator=8))
def test_half_won_trials(trials: int, part: Fraction) -> None:
    """A fraction of a success lies between its neighbours, and the other side's interval mirrors it."""
    successes = float(part * trials)
    low, high = clopper_pearson(successes, trials)
    assert 0 <= low <= successes / trials <= high <= 1
    below, above = (clopper_pearson(bound, trials) for bound in (math.floor(successes), math.ceil(successes)))
    assert below[0] <= low <= above[0] and below[1] <= high <= above[1]
    mirrored = clopper_pearson(trials - successes, trials)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high), abs=1e-9)


# --- edges ---------------------------------------------------------------------------------------


def test_nothing_played() -> None:
    empty = np.zeros((len(OUTCOMES), len(OUTCOMES)), np.int64)
    for weights, below, factor, share in RATIOS.values():
        assert ratio(empty, weights, below, factor=factor, share=share) is NOTHING
    assert NOTHING.to_dict() == {"estimate": None, "low": None, "high": None}


def test_no_decisive_hand() -> None:
    moments = moments_of([row(hands=40, turns=2000, games_a=2)] * 3)
    assert ratio(moments, "hands_a", "decisive", share=True) is NOTHING
    assert ratio(moments, "points_a", "hands") == Estimate(0.0, None, None)


def test_one_pair() -> None:
    moments = moments_of([row(games_a=4, hands_a=9, decisive=15, points_a=210, hands=16, turns=200)])
    assert game_share(moments) == Estimate(1.0, *clopper_pearson(1, 1))
    assert clopper_pearson(1, 1) == pytest.approx((0.025, 1.0))
    assert ratio(moments, "hands_a", "decisive", share=True) == Estimate(0.6, *clopper_pearson(0.6, 1))
    assert ratio(moments, "points_a", "hands") == Estimate(210 / 16, None, None)


@pytest.mark.parametrize(("halves", "pairs"), [(0, 5), (2, 5), (4, 5), (1, 3), (3, 8)])
def test_all_pairs_equal(halves: int, pairs: int) -> None:
    """The pair is the trial: games would make twice as many and an interval too narrow."""
    told = game_share(games(*[halves] * pairs))
    share = halves / 4
    assert told == Estimate(share, *clopper_pearson(share * pairs, pairs))
    assert told.low is not None and told.high is not None and told.low < told.high


def test_equal_ratios_of_unequal_pairs() -> None:
    moments = moments_of([row(hands_a=won, decisive=3 * won) for won in (1, 2, 5, 9)])
    told = ratio(moments, "hands_a", "decisive", share=True)
    assert told.low is not None and told.high is not None
    assert (told.low, told.high) == pytest.approx(clopper_pearson(4 / 3, 4))


def test_a_mean_that_never_varied_has_no_interval() -> None:
    moments = moments_of([row(hands=4, turns=40)] * 6)
    assert ratio(moments, "turns", "hands") == Estimate(10.0, None, None)


def test_shares_are_clipped_and_means_are_not() -> None:
    nearly = games(*[4] * 5, 2)
    share, mean = game_share(nearly), ratio(nearly, "games_a", "one", factor=4)
    assert mean.high is not None and mean.high > 1
    assert share == Estimate(mean.estimate, mean.low, 1.0)
    low = ratio(games(*[0] * 5, 2), "games_a", "one", factor=4, share=True)
    assert low.low == 0.0 and low.high is not None and low.high == pytest.approx(1 - share.low)


def test_pairs_not_games_are_the_clusters() -> None:
    """GR-149: a share with the interval of its pairs, narrower than that of as many free games."""
    case = CASES["GR-149"]
    pairs, expected = case["input"]["pairs"], case["expected"]
    told = game_share(
        counted_games({4: pairs["two_nil"], 2: pairs["split"], 0: pairs["nil_two"]}),
    )
    assert told.estimate is not None and told.low is not None and told.high is not None
    assert round(told.estimate, 4) == expected["share"]
    assert [round(told.low, 4), round(told.high, 4)] == expected["ci_pair"]
    assert told.low > expected["ci_naive"][0] and told.high < expected["ci_naive"][1]


def counted_games(counts: dict[int, int]) -> Any:
    total: Any = sum(count * games(halves) for halves, count in counts.items())
    return total


# --- how often the intervals cover ---------------------------------------------------------------

ALARM = 1e-7
"""False-alarm probability of each test below, when coverage lies where the test allows."""
ALLOWED = (0.935, 0.965)
"""Coverage of a 95 % interval that is normal in the limit, over 200 pairs."""
TRIALS = 3000 if COMPILED else 600


def covering(shape: Sequence[tuple[float, tuple[int, int]]], truth: float, seed: int) -> int:
    """Return how many of `TRIALS` intervals over 200 pairs hold the truth.

    ``shape`` lists outcomes of a pair, (numerator, denominator), with their probabilities.
    """
    chances = [chance for chance, _ in shape]
    counts = np.random.default_rng(seed).multinomial(200, chances, size=TRIALS)
    units = np.array([moments_of([row(hands_a=x, decisive=n)]) for _, (x, n) in shape])
    held = 0
    for drawn in counts:
        told = ratio(np.tensordot(drawn, units, 1), "hands_a", "decisive", share=True)
        assert told.low is not None and told.high is not None
        held += told.low <= truth <= told.high
    return held


def bounds(trials: int) -> tuple[int, int]:
    """Return the counts outside which a coverage within `ALLOWED` falls with probability `ALARM`."""
    return int(binom.ppf(ALARM / 2, trials, ALLOWED[0])), int(binom.isf(ALARM / 2, trials, ALLOWED[1]))


@pytest.mark.parametrize(
    "shape",
    [
        [(0.25, (0, 4)), (0.5, (2, 4)), (0.25, (4, 4))],
        [(0.05, (0, 4)), (0.6, (2, 4)), (0.35, (4, 4))],
        [(0.3, (3, 8)), (0.3, (9, 12)), (0.2, (2, 20)), (0.2, (16, 17))],
    ],
    ids=["even games", "uneven games", "hands"],
)
def test_intervals_cover(shape: list[tuple[float, tuple[int, int]]]) -> None:
    """A ratio of sums over 200 pairs; the bounds give false alarms with probability 1e-7."""
    truth = sum(chance * x for chance, (x, _) in shape) / sum(chance * n for chance, (_, n) in shape)
    low, high = bounds(TRIALS)
    assert low <= covering(shape, truth, seed=11) <= high


def test_the_mean_of_ratios_is_not_what_is_covered() -> None:
    """Long pairs count for more: the mean of the pairs' own shares is 13 standard errors off.

    An interval holds it with probability 1e-30; false alarms as above.
    """
    shape = [(0.5, (1, 10)), (0.5, (30, 40))]
    low, _ = bounds(TRIALS)
    assert covering(shape, 31 / 50, seed=12) >= low
    assert covering(shape, (0.1 + 0.75) / 2, seed=12) < TRIALS / 100


@pytest.mark.parametrize("chances", [(0.25, 0.5, 0.25), (0.1, 0.44, 0.46)])
def test_coverage_of_a_hundred_pairs_summed_exactly(chances: tuple[float, float, float]) -> None:
    """Every outcome of 100 pairs with its probability: no chance is involved."""
    lost, split, won = chances
    pairs, truth = 100, won + split / 2
    covered = 0.0
    for wins in range(pairs + 1):
        for losses in range(pairs + 1 - wins):
            draws = pairs - wins - losses
            ways = math.comb(pairs, wins) * math.comb(pairs - wins, losses)
            chance = ways * won**wins * lost**losses * split**draws
            if chance > 1e-9:
                told = game_share(counted_games({4: wins, 2: draws, 0: losses}))
                assert told.low is not None and told.high is not None
                covered += chance * (told.low <= truth <= told.high)
    assert 0.94 <= covered <= 0.96
