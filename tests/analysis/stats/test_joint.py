"""Cells together: bands, the best, the bootstrap; against known distributions, at the edges, covering."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, studentized_range, t

from analysis.stats import joint
from analysis.stats.estimates import Estimate, jackknife, jackknife_share
from analysis.stats.joint import (
    bootstrap_groups,
    jackknife_covariance,
    not_worse_than_best,
    percentiles,
    sample,
    simultaneous,
)

Floats = npt.NDArray[np.float64]
GROUPS = 128
ALARM = 1e-7
"""False-alarm probability of each statistical test, when the rate is what the test allows."""


def means(values: Floats) -> tuple[Floats, Floats]:
    """Return the means of cells over groups, and without each group; ``values`` is (groups, cells)."""
    return values.mean(axis=0), (values.sum(axis=0) - values) / (len(values) - 1)


def normal(seed: int, cells: int, groups: int = GROUPS, shared: float = 0.0) -> Floats:
    """Return independent groups of normal cells with a correlation of ``shared``."""
    rng = np.random.default_rng(seed)
    own = rng.standard_normal((groups, cells))
    return np.sqrt(1 - shared) * own + np.sqrt(shared) * rng.standard_normal((groups, 1))


def ends(estimates: list[Estimate]) -> Floats:
    return np.array([(one.low, one.high) for one in estimates], float)


# --- samples and covariance ----------------------------------------------------------------------


def test_a_sample_by_leaving_out_one_after_another() -> None:
    rng = np.random.default_rng(1)
    sums = {"won": rng.integers(0, 50, (6, 2, 3)), "played": rng.integers(50, 90, (6, 1, 3))}

    def shares(part: dict[str, Any]) -> Any:
        return part["won"] / part["played"]

    told = sample(shares, sums)
    assert told.values.shape == (6,) and told.without.shape == (6, 6)
    assert told.values.tolist() == (sums["won"].sum(0) / sums["played"].sum(0)).ravel().tolist()
    for group in range(6):
        kept = [other for other in range(6) if other != group]
        known = sums["won"][kept].sum(0) / sums["played"][kept].sum(0)
        assert told.without[group].tolist() == known.ravel().tolist()


def test_covariance_of_means_is_that_of_the_groups() -> None:
    values = normal(2, 4, groups=9, shared=0.5)
    told = jackknife_covariance(means(values)[1])
    assert told == pytest.approx(np.cov(values.T) / 9)
    one = jackknife(0.0, means(values)[1][:, 2])
    assert one.se == pytest.approx(np.sqrt(told[2, 2]))


@pytest.mark.parametrize("shape", [(1, 3), (5,)])
def test_covariance_needs_groups(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected \\(groups, cells\\)"):
        jackknife_covariance(np.zeros(shape))


# --- bands ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_one_cell_has_its_jackknife_interval(level: float) -> None:
    values, without = means(normal(3, 1))
    told = simultaneous(values, without, level)
    known = jackknife(float(values[0]), without[:, 0], level)
    assert told.critical == pytest.approx(t.isf((1 - level) / 2, GROUPS - 1))
    assert ends(told.estimates)[0] == pytest.approx((known.low, known.high))
    assert (told.estimates[0].se, told.estimates[0].freedom) == (pytest.approx(known.se), GROUPS - 1)


def test_bands_of_shares_stay_between_0_and_1() -> None:
    rng = np.random.default_rng(21)
    shares = np.array([0.0005, 0.3, 0.9995, 0.0])
    values, without = means(rng.binomial(40, shares, (GROUPS, 4)) / 40)
    told, plain = simultaneous(values, without, share=True), simultaneous(values, without)
    assert told.critical == plain.critical
    assert told.estimates[3] == Estimate(0.0, None, None)
    bounds = ends(told.estimates[:3])
    assert (bounds[:, 0] > 0).all() and (bounds[:, 1] < 1).all()
    one = jackknife_share(float(values[1]), without[:, 1], 1, level=1 - 2 * t.sf(told.critical, GROUPS - 1))
    assert bounds[1] == pytest.approx((one.low, one.high))
    assert min(ends(plain.estimates[:3])[:, 0]) < 0 < max(ends(plain.estimates[:3])[:, 1]) - 1


def test_the_same_cell_many_times_costs_nothing() -> None:
    """Cells that move together are one comparison."""
    values, without = means(normal(4, 1))
    told = simultaneous(np.tile(values, 50) * 3, np.tile(without, 50) * 3)
    # The largest of equal t's is that t: its 97.5 % point, to the noise of 20,000 draws (five errors 0.07).
    assert told.critical == pytest.approx(t.isf(0.025, GROUPS - 1), abs=0.07)


def test_critical_value_of_independent_cells() -> None:
    """Ten cells, known from the multivariate t: P(all |t| < c) with one common chi, by quadrature."""
    groups = 2000  # so many that the cells' estimated correlations are nothing
    told = simultaneous(*means(normal(5, 10, groups=groups)))
    # With so many degrees of freedom it is Sidak's point of the normal: 2.80.
    known = t.isf((1 - 0.95 ** (1 / 10)) / 2, groups - 1)
    assert told.critical == pytest.approx(known, abs=0.05)


def test_bands_are_wider_than_one_and_narrower_than_bonferroni() -> None:
    for shared in (0.0, 0.9):
        told = simultaneous(*means(normal(6, 40, shared=shared)))
        assert t.isf(0.025, GROUPS - 1) < told.critical < t.isf(0.025 / 40, GROUPS - 1)
    tight = simultaneous(*means(normal(6, 40, shared=0.99))).critical
    assert tight < told.critical


def test_the_same_numbers_give_the_same_bands() -> None:
    values, without = means(normal(7, 30))
    assert simultaneous(values, without) == simultaneous(values, without)


def test_bands_do_not_depend_on_units() -> None:
    values, without = means(normal(8, 5))
    units = np.array([1.0, 1e-6, 1e6, -1.0, 3.0])
    plain, scaled = (simultaneous(values * unit, without * unit) for unit in (1.0, units))
    assert scaled.critical == pytest.approx(plain.critical, abs=1e-9)


def test_cells_that_never_vary_and_cells_without_a_value() -> None:
    values, without = means(normal(9, 3))
    half = np.full((GROUPS, 1), 0.5)
    holes = np.full((GROUPS, 2), np.nan)
    holes[1:, 1] = 2.0  # a cell that one group alone has seen
    told = simultaneous(
        np.concatenate([[0.5], values, [np.nan, 2.0]]), np.concatenate([half, without, holes], axis=1)
    )
    plain = simultaneous(values, without)
    assert told.critical == plain.critical
    assert told.estimates[1:4] == plain.estimates
    assert told.estimates[0] == Estimate(0.5, None, None) and told.estimates[5] == Estimate(2.0, None, None)
    assert (told.estimates[4].low, told.estimates[4].high) == (None, None)
    nothing = simultaneous([0.5, 0.5], np.full((GROUPS, 2), 0.5))
    assert np.isnan(nothing.critical)
    assert nothing.estimates == [Estimate(0.5, None, None)] * 2


def test_shapes_that_do_not_agree_are_refused() -> None:
    for function in (simultaneous, not_worse_than_best):
        with pytest.raises(ValueError, match="expected \\(cells,\\), \\(groups, cells\\)"):
            function(np.zeros(3), np.zeros((GROUPS, 4)))


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws in small blocks give what one block gives: the same stream, and as good a quantile."""
    values, without = means(normal(10, 60))
    whole = simultaneous(values, without).critical
    monkeypatch.setattr(joint, "BLOCK", 128 * 100)
    # Blocks draw normals and chis in turns, so the draws are others: five errors of a quantile are 0.06.
    assert simultaneous(values, without).critical == pytest.approx(whole, abs=0.08)


@pytest.mark.parametrize(("cells", "shared"), [(3, 0.0), (30, 0.6), (150, 0.0)])
def test_bands_cover_together(cells: int, shared: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Normal cells: all truths at once in 95 % of bands; bounds are for 93 to 96.5 %."""
    monkeypatch.setattr(joint, "DRAWS", 2000)
    trials, held = 200, 0
    for trial in range(trials):
        told = simultaneous(*means(normal(1000 + trial, cells, shared=shared)))
        bounds = ends(told.estimates)
        held += bool(((bounds[:, 0] <= 0) & (bounds[:, 1] >= 0)).all())
    assert binom.ppf(ALARM / 2, trials, 0.93) <= held <= binom.isf(ALARM / 2, trials, 0.965)


# --- not worse than the best ---------------------------------------------------------------------


def test_a_clear_best_stands_alone() -> None:
    values, without = means(normal(11, 6) + np.array([0, 0, 5, 1, 0, 2]))
    assert not_worse_than_best(values, without).tolist() == [False, False, True, False, False, False]
    assert not_worse_than_best(-values, -without, largest=False).tolist() == [
        place == 2 for place in range(6)
    ]


def test_two_cells_are_one_comparison() -> None:
    """The second is dropped just where a one-sided t test of the difference rejects."""
    values, without = means(normal(12, 2, shared=0.7))
    gap = values[1] - values[0]
    error = jackknife(gap, without[:, 1] - without[:, 0]).se
    assert error is not None
    edge = t.isf(0.05, GROUPS - 1) * error
    for distance, kept in ((edge * 0.999, True), (edge * 1.001, False)):
        shift = np.array([distance + gap, 0.0])
        assert not_worse_than_best(values + shift, without + shift).tolist() == [True, kept]


def test_pairing_is_used() -> None:
    """Cells that share almost all of their luck are told apart by a difference much below one error."""
    values = normal(13, 3, shared=0.9999) + np.array([0.0, 0.01, 0.0])
    values += np.array([0.0, 0.05, 0.0]) - values.mean(axis=0) + values[:, :1].mean()
    kept = not_worse_than_best(*means(values))
    assert kept.tolist() == [False, True, False]


def test_exact_ties_are_all_kept() -> None:
    """Two cells of the same play, and two that are a half by construction."""
    values, without = means(normal(14, 1))
    twice = not_worse_than_best(np.tile(values, 2), np.tile(without, 2))
    assert twice.tolist() == [True, True]
    assert not_worse_than_best([0.5, 0.5], np.full((GROUPS, 2), 0.5)).tolist() == [True, True]
    # A rounding is no lead.
    rounded = np.full((GROUPS, 2), 0.5)
    rounded[:, 1] = np.nextafter(0.5, 1)
    assert not_worse_than_best([0.5, np.nextafter(0.5, 1)], rounded).tolist() == [True, True]


def test_a_lead_that_never_varies_decides() -> None:
    values, without = means(normal(15, 1) * 1e-3)
    lead = np.array([0.0, 0.2])
    assert not_worse_than_best(values + lead, without + lead).tolist() == [False, True]
    assert not_worse_than_best([0.5, 0.4], np.tile([0.5, 0.4], (GROUPS, 1))).tolist() == [True, False]


def test_cells_without_a_value_are_not_in_the_region() -> None:
    values, without = means(normal(16, 3))
    values[1] = np.nan
    without[4, 2] = np.nan
    assert not_worse_than_best(values, without).tolist() == [True, False, False]
    assert not_worse_than_best(np.full(2, np.nan), np.full((GROUPS, 2), np.nan)).tolist() == [False, False]


def test_as_by_all_critical_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds that save draws change nothing: the plain definition, every critical value drawn."""
    values, without = means(normal(17, 12, shared=0.3) + np.linspace(0, 0.5, 12))
    told = not_worse_than_best(values, without)
    rows = without - without.mean(axis=0)
    known = []
    for at in range(12):
        apart = np.delete(rows - rows[:, [at]], at, axis=1)
        errors = np.sqrt((apart**2).sum(axis=0) * (GROUPS - 1) / GROUPS)
        rng = np.random.default_rng(99)
        draws = rng.standard_normal((40_000, GROUPS)) @ (apart / np.sqrt((apart**2).sum(axis=0)))
        largest = draws.max(axis=1) / np.sqrt(rng.chisquare(GROUPS - 1, 40_000) / (GROUPS - 1))
        gaps = np.delete(values, at) - values[at]
        known.append((gaps / errors).max() - np.quantile(largest, 0.95))
    assert min(abs(one) for one in known) > 0.05  # none so near the edge that the draws decide
    assert told.tolist() == [one <= 0 for one in known]
    assert 1 < told.sum() < 12


@pytest.mark.parametrize(("cells", "shared"), [(5, 0.0), (8, 0.5)])
def test_the_best_is_kept(cells: int, shared: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cells equal, the hardest case: any one given is kept in 95 % of trials; for 93.5 to 96.5 %."""
    monkeypatch.setattr(joint, "DRAWS", 2000)
    trials = 200
    kept = sum(
        int(not_worse_than_best(*means(normal(5000 + trial, cells, shared=shared)))[0])
        for trial in range(trials)
    )
    assert binom.ppf(ALARM / 2, trials, 0.935) <= kept <= binom.isf(ALARM / 2, trials, 0.965)


def test_the_largest_difference_by_dunnett() -> None:
    """Known points of the one-sided many-to-one t: Dunnett's table, 9 treatments, no end of freedom: 2.42."""
    groups = 3000
    values, without = means(normal(18, 10, groups=groups))
    apart = without[:, 1:] - without[:, [0]]
    unit = apart - apart.mean(axis=0)
    unit /= np.sqrt((unit**2).sum(axis=0))
    told = joint._quantile(unit, 0.95, groups - 1, two_sided=False)
    assert told == pytest.approx(2.42, abs=0.05)
    # And it is less than what all pairs at once ask for.
    assert told < studentized_range.isf(0.05, 10, np.inf) / np.sqrt(2)


# --- bootstrap -----------------------------------------------------------------------------------


def share(part: dict[str, Any]) -> Any:
    return part["won"] / part["played"]


def test_the_same_groups_are_drawn_for_all_cells() -> None:
    rng = np.random.default_rng(19)
    one = rng.integers(1, 99, (GROUPS, 1))
    sums = {"won": np.hstack([one, one]), "played": np.hstack([one + 3, one + 3])}
    drawn = bootstrap_groups(share, sums, draws=50)
    assert drawn.shape == (50, 2)
    assert drawn[:, 0].tolist() == drawn[:, 1].tolist()
    assert len(set(drawn[:, 0])) > 45
    assert drawn.tolist() == bootstrap_groups(share, sums, draws=50).tolist()
    assert drawn.tolist() != bootstrap_groups(share, sums, draws=50, seed=1).tolist()


def test_draws_are_of_as_many_groups_and_whole() -> None:
    sums = {"groups": np.ones(7, np.int64), "which": 10 ** np.arange(7)}
    drawn = bootstrap_groups(lambda part: np.array([part["groups"], part["which"]]), sums, draws=200)
    assert (drawn[:, 0] == 7).all()
    for total in drawn[:, 1]:
        assert sum(int(digit) for digit in str(int(total))) == 7


def test_the_bootstrap_agrees_with_the_jackknife_on_a_smooth_statistic() -> None:
    rng = np.random.default_rng(20)
    sums = {"won": rng.binomial(100, 0.4, (GROUPS, 1)), "played": np.full((GROUPS, 1), 100)}
    told = percentiles(0.4, bootstrap_groups(share, sums, draws=4000)[:, 0])
    known = jackknife(0.4, sample(share, sums).without[:, 0])
    assert told.se is not None and known.se is not None
    assert told.se == pytest.approx(known.se, rel=0.08)  # five errors of a deviation from 4000 draws: 0.056
    assert told.low == pytest.approx(0.4 - 1.96 * known.se, abs=0.2 * known.se)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40, unique=True), st.floats(0.5, 0.99))
def test_percentiles_are_quantiles(drawn: list[float], level: float) -> None:
    told = percentiles(1.0, drawn, level)
    assert told.low is not None and told.high is not None
    assert told.low == pytest.approx(np.quantile(drawn, (1 - level) / 2))
    assert told.high == pytest.approx(np.quantile(drawn, 1 - (1 - level) / 2))
    assert told.estimate == 1.0


@pytest.mark.parametrize("drawn", [[], [1.0], [2.0, 2.0], [1.0, np.nan]])
def test_no_percentiles(drawn: list[float]) -> None:
    assert percentiles(2.0, drawn) == Estimate(2.0, None, None)


def test_few_groups_that_are_alike_show_nothing() -> None:
    """Two groups in which one cell wins all and another none are two coins; ten are not."""
    values = np.array([0.0, 1.0])
    assert not_worse_than_best(values, np.tile(values, (2, 1))).tolist() == [True, True]
    assert not_worse_than_best(values, np.tile(values, (10, 1))).tolist() == [False, True]
